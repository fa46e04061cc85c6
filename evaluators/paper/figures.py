"""The charts of runs and comparisons, and the same as figures: SVG by name."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from evaluators.catalogue import declared_values
from evaluators.comparison.charts import forest
from evaluators.comparison.result import Comparison
from evaluators.drawing import DOUBLE, Chart, IntervalChart, IntervalRow, Size, draw
from evaluators.runs import rgb_figures, run_facts, shown_values
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.shown_values import Group
from evaluators.text.language import mark, say
from evaluators.text.normalise import slug
from evaluators.text.scale import SCORE
from evaluators.text.words import joined_sentences, short_name

Figures = dict[str, str]
"""SVG by a name that fits a file."""

INTERVALS = mark("95 % intervals.")
ESTIMATES = mark("By the heuristic, which finds suspects and does not count: without an interval.")


def figures_of_run(
    view: RunView,
    counted: View = WHAT_COUNTS,
    size: Size = DOUBLE,
    published: Collection[str] = (),
) -> Figures:
    """The figures of a run as the view counts it; see `charts_of_run`."""
    charts = charts_of_run(view, counted, published)
    return {name: draw(chart, size) for name, chart in charts.items()}


def charts_of_run(
    view: RunView,
    counted: View = WHAT_COUNTS,
    published: Collection[str] = (),
) -> dict[str, Chart]:
    """What a run draws, by names that fit files; of a run of which nothing is checked as well.

    RGB has its curves over noise, with those below that papers published of these models, and its
    rates; TRACE its values in groups. Each further metric has a chart of its own.
    """
    charts: dict[str, Chart] = {}
    for number, metric in enumerate(run_facts.metric_titles(view.run)):
        ending = f"_{number + 1}" if number else ""
        for curves in rgb_figures.charts_over_noise(view, number, counted, published):
            charts[f"{slug(curves.title)}{ending}"] = curves
        groups = shown_values.groups_of(view, number, counted)
        declared = declared_values(view.run.evaluators[number].name)
        if any(value.kind == "rate" for value in declared):
            charts[f"rates{ending}"] = _chart_of_groups(view, groups, say("Rates"))
            continue
        # Metrics may have the same title, and one may be of signs that no file has.
        name = f"{slug(metric)}{ending}" if number else "values"
        groups = [group if group.title else group._replace(title=metric) for group in groups]
        charts[name] = _chart_of_groups(view, groups, metric)
    return charts


def figures_of_comparison(comparison: Comparison, size: Size = DOUBLE) -> Figures:
    """The differences of all values as a forest plot, those at each noise level below."""
    return {"differences": draw(forest(comparison), size)}


def _chart_of_groups(view: RunView, groups: Sequence[Group], title: str) -> IntervalChart:
    """The values by what they are about; of several models each value is a group of its own."""
    models = run_facts.titles(view.run)
    # With one model its name would be said in every row; with several the value would.
    is_alone = len(models) < 2
    rows = []
    for group in groups:
        for dot in group.dots:
            mean = dot.mean
            rows.append(
                IntervalRow(
                    dot.title if is_alone else short_name(models[dot.series]),
                    mean.mean,
                    mean.low,
                    mean.high,
                    (dot.scale.estimate(mean), dot.counts),
                    group=group.title if is_alone else dot.title,
                    series=dot.series,
                    hollow=dot.is_unsure,
                )
            )
    dots = [dot for group in groups for dot in group.dots]
    notes = [say(ESTIMATES) if any(dot.mean.estimated for dot in dots) else say(INTERVALS)]
    if any(row.hollow for row in rows):
        notes.append(say(shown_values.FEW))
    scale = dots[0].scale if dots else SCORE
    return IntervalChart(title, rows, scale, note=joined_sentences(notes))
