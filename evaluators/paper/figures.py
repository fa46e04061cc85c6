"""The figures of a run and of a comparison: what its page draws, as SVG by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from evaluators.catalogue import declared_values
from evaluators.comparison import words
from evaluators.comparison.result import Compared, Comparison
from evaluators.drawing import DOUBLE, Curve, IntervalRow, Point, Size, draw_curves, draw_intervals
from evaluators.paper.published import published_noise_curves
from evaluators.runs import aggregate, rgb_figures, run_facts, shown_values
from evaluators.runs.aggregate import Mean, NoisePoint, View
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.shown_values import Group, coverage, is_of_few
from evaluators.text.language import mark, say
from evaluators.text.normalise import slug
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import joined_sentences, readable, short_name
from evaluators.values import Value

Figures = dict[str, str]
"""SVG by a name that fits a file."""

NOISE = mark("Noise: share of documents beside the point")
WITH_INTERVAL = mark("{value} (95 % interval)")
INTERVALS = mark("95 % intervals.")
ESTIMATES = mark("By the heuristic, which finds suspects and does not count: without an interval.")
FEW = mark("Hollow: less than 80 % of the answers are checked.")
OTHER_NOISE = mark(
    "Hollow: another noise than asked for, or less than 80 % of the answers are checked."
)


def figures_of_run(
    view: RunView,
    counted: View = WHAT_COUNTS,
    size: Size = DOUBLE,
    published: Collection[str] = (),
) -> Figures:
    """The figures of a run as the view counts it; those of a run of which nothing is checked too.

    RGB has its curves over noise, with those below that papers published of these models, and its
    rates; TRACE its values in groups. Each further metric has a figure of its own.
    """
    figures: Figures = {}
    for number, metric in enumerate(run_facts.metric_titles(view.run)):
        declared = declared_values(view.run.evaluators[number].name)
        figures |= _curves_over_noise(view, number, counted, size, published)
        if any(value.kind == "rate" for value in declared):
            figures |= _rates(view, number, counted, size)
            continue
        # Metrics may have the same title, and one may be of signs that no file has.
        name = f"{slug(metric)}_{number + 1}" if number else "values"
        groups = [
            group if group.title else group._replace(title=metric)
            for group in shown_values.groups_of(view, number, counted)
        ]
        figures[name] = _of_groups(view, groups, metric, size)
    return figures


def figures_of_comparison(comparison: Comparison, size: Size = DOUBLE) -> Figures:
    """The differences of all values as a forest plot, those at each noise level below."""
    rows = [_difference_interval(value, readable(value.name)) for value in comparison.values]
    for value in comparison.by_noise:
        label = say("at {noise} noise", noise=RATE.shown(float(value.name)))
        row = _difference_interval(value, label)
        rows.append(row._replace(group=say("Accuracy by noise")))
    first = say("{system} higher", system=comparison.first)
    second = say("{system} higher", system=comparison.second)
    sides = (f"← {first}", f"{second} →")
    intervals = say("95 % intervals. Filled: told apart beyond chance (Holm).")
    figure = draw_intervals(
        rows,
        title=say("{second} against {first}", second=comparison.second, first=comparison.first),
        size=size,
        sides=sides,
        axis_title=say("Difference in points"),
        note=joined_sentences([comparison.by_heuristic(), intervals]),
    )
    return {"differences": figure}


def _curves_over_noise(
    view: RunView,
    number: int,
    counted: View,
    size: Size,
    published: Collection[str],
) -> Figures:
    figures = {}
    for chart in rgb_figures.charts_over_noise(view, number, counted):
        drawn = [_curve_of_points(name, points) for name, points in chart.lines.items()]
        if published and chart.is_in_papers:
            drawn += _published_curves(drawn, published)
        has_hollow = any(point.hollow for curve in drawn for point in curve.points)
        name = slug(chart.title)
        figures[f"{name}_{number + 1}" if number else name] = draw_curves(
            drawn,
            title=chart.title,
            x_title=say(NOISE),
            y_title=say(WITH_INTERVAL, value=chart.what),
            size=size,
            note=say(OTHER_NOISE) if has_hollow else "",
        )
    return figures


def _rates(view: RunView, number: int, counted: View, size: Size) -> Figures:
    """The abilities of RGB are read as rates, not as one mean."""
    declared = declared_values(view.run.evaluators[number].name)
    by_model = run_facts.rows(view.run, aggregate.of_metric(view.counted(counted), number))
    rows = _rate_rows({model: aggregate.rates(own, declared) for model, own in by_model.items()})
    name = f"rates_{number + 1}" if number else "rates"
    return {name: _drawn(rows, say("Rates"), size, span=(0, 100), unit=" %")}


def _curve_of_points(name: str, points: Sequence[NoisePoint]) -> Curve:
    drawn = []
    for point in points:
        value, low, high = _mean_in_percent(point.mean)
        is_unsure = rgb_figures.missed_noise(point) or is_of_few(point.mean)
        noise = 100 * rgb_figures.noise_had(point)
        drawn.append(Point(noise, value, low, high, hollow=is_unsure))
    return Curve(short_name(name), drawn)


def _published_curves(drawn: Sequence[Curve], models: Collection[str]) -> list[Curve]:
    """What was published of these models, as far as the noise of one's own curves goes."""
    noise = [point.x for curve in drawn for point in curve.points]
    curves = []
    for model, points in published_noise_curves(min(noise), max(noise)).items():
        if model in models:
            in_paper = [Point(*point) for point in points]
            curves.append(Curve(say("{model} (paper)", model=model), in_paper, published=True))
    return curves


def _rate_rows(rates: Mapping[str, Mapping[Value, Mean]]) -> list[IntervalRow]:
    """A row for each rate and model; what a judge says of the same answers is a rate as well."""
    rows = []
    # A mapping keeps the order in which the rates come first, a set would shuffle the rows.
    for rate in dict.fromkeys(chain.from_iterable(rates.values())):
        title = say(rate.heading)
        for series, (model, own) in enumerate(rates.items()):
            if rate not in own:
                continue
            value, low, high = _mean_in_percent(own[rate])
            # With one model its name would be said in every row; with several the rate would.
            is_alone = len(rates) == 1
            rows.append(
                IntervalRow(
                    title if is_alone else short_name(model),
                    value,
                    low,
                    high,
                    (RATE.estimate(own[rate]), coverage(own[rate])),
                    group="" if is_alone else title,
                    series=series,
                    hollow=is_of_few(own[rate]),
                )
            )
    return rows


def _of_groups(view: RunView, groups: Sequence[Group], title: str, size: Size) -> str:
    """The values by what they are about; of several models each value is a group of its own."""
    models = run_facts.titles(view.run)
    rows = []
    for group in groups:
        for dot in group.dots:
            mean = dot.mean
            is_alone = len(models) < 2
            rows.append(
                IntervalRow(
                    dot.title if is_alone else short_name(models[dot.series]),
                    mean.mean,
                    mean.low,
                    mean.high,
                    (SCORE.estimate(mean), coverage(mean)),
                    group=group.title if is_alone else dot.title,
                    series=dot.series,
                    hollow=dot.hollow or is_of_few(mean),
                )
            )
    has_estimate = any(dot.mean.estimated for group in groups for dot in group.dots)
    return _drawn(rows, title, size, span=(0, 1), has_estimate=has_estimate)


def _drawn(
    rows: Sequence[IntervalRow],
    title: str,
    size: Size,
    *,
    span: tuple[float, float],
    unit: str = "",
    has_estimate: bool = False,
) -> str:
    notes = [say(ESTIMATES) if has_estimate else say(INTERVALS)]
    if any(row.hollow for row in rows):
        notes.append(say(FEW))
    note = joined_sentences(notes)
    return draw_intervals(rows, title=title, size=size, span=span, unit=unit, note=note)


def _difference_interval(value: Compared, label: str) -> IntervalRow:
    difference = value.difference
    if difference is None:
        return IntervalRow(label, None, beside=(say("none"), value.coverage))
    low = None if difference.low is None else 100 * difference.low
    high = None if difference.high is None else 100 * difference.high
    p = words.p_value(difference.adjusted)
    second_line = f"{value.coverage}, p {p}" if p else value.coverage
    return IntervalRow(
        label,
        100 * difference.difference,
        low,
        high,
        # A real minus is as wide as a plus, so that signs stand below one another.
        (words.in_points(difference).replace("-", "−"), second_line),
        hollow=not difference.is_told_apart,
    )


def _mean_in_percent(mean: Mean) -> tuple[float | None, float | None, float | None]:
    """The mean and the ends of its interval."""
    ends = (mean.mean, mean.low, mean.high)
    value, low, high = (None if share is None else 100 * share for share in ends)
    return value, low, high
