"""The tables of a run and of a comparison; every caption says what its numbers stand on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from evaluators.catalogue import declared_values, labels_sentences
from evaluators.comparison import words
from evaluators.comparison.paired import FLIPS
from evaluators.comparison.result import Compared, Comparison
from evaluators.paper.table import CHECKED, PaperLine, PaperTable, numbers, table_of_lines
from evaluators.people import labellers
from evaluators.runs import aggregate, findings, rgb_figures, rulings, run_facts
from evaluators.runs.aggregate import MOST_GROUPS, View
from evaluators.runs.counts import checked_and_failed
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.shown_values import beside, column_titles, title, why_no_interval
from evaluators.runs.whose import labeller_in_words, own_labeller
from evaluators.statistics import FEW, MANY, RESAMPLES
from evaluators.text.language import ENGLISH, speaking
from evaluators.text.normalise import slug
from evaluators.text.words import joined_sentences, readable, short_name
from evaluators.values import Value

MEAN, ESTIMATE = "Mean [95 % interval]", "Estimate"
BY = {"definition": "Formula", "policy": "Rules"}
"""What a caption calls that by which values are counted, by its column."""
LEVEL = 0.95
"""Of every interval of Plumbline."""
OF_RATES = "Wilson score; a question that is asked repeatedly is the unit"
OF_MEANS = (
    "Wilson score for yes-or-no values, and for others from 0 to 1 as of so many of these that "
    f"tell the same; beyond 0 to 1 bootstrap of {RESAMPLES:,} resamples, Student's t below {FEW}, "
    f"normal from {MANY:,} values on; a question that repeats is the unit"
)
"""How the intervals of rates of RGB, and of all others, are made; see docs/measures.md."""
OF_ESTIMATES = (
    "none: labels by the heuristic, which finds suspects and does not count; no interval of chance "
    "covers what it gets wrong"
)
"""What stands in the place of how an interval is made, where the heuristic labelled."""
OF_DIFFERENCES = {
    "yes or no": "Tango score and exact McNemar test (mid-p) for yes-or-no values",
    "mean": (f"bootstrap of {RESAMPLES:,} resamples and {FLIPS:,} sign flips for other means"),
    "clusters": (
        f"bootstrap of {RESAMPLES:,} resamples and {FLIPS:,} sign flips of whole questions "
        "where they repeat"
    ),
    "yes or no in clusters": (
        f"Tango score for as many independent pairs as tell the same and {FLIPS:,} sign flips of "
        "whole questions where yes-or-no values repeat them"
    ),
}
"""How a difference is tested, by its method; see docs/comparing.md."""
LONGEST_HEADING = 20
"""Letters of a name that a column is headed by; longer ones stand in the caption alone."""


def tables_of_run(view: RunView, counted: View = WHAT_COUNTS) -> list[PaperTable]:
    """The tables of a run as the view counts it.

    Every value of every model; of RGB the accuracy at each noise level; of TRACE the values by each
    labeller, where there are several; the values in each group of samples, where the data name
    groups.
    """
    tables = [_every_value(view, counted)]
    for number in range(len(view.run.evaluators)):
        tables += _by_noise(view, number, counted)
    if labels_sentences(view.run.evaluator) and len(view.labellers()) > 1:
        tables.append(_by_labeller(view, counted))
    tables.append(_by_group(view, counted))
    return [table for table in tables if table.rows]


def tables_of_comparison(comparison: Comparison) -> list[PaperTable]:
    """The differences of all values, those at each noise level below."""
    rows = [_difference_cells(value, readable(value.name)) for value in comparison.values]
    for value in comparison.by_noise:
        rows.append(_difference_cells(value, f"Accuracy, noise {value.noise}"))
    every_value = (*comparison.values, *comparison.by_noise)
    used = {
        value.difference.method for value in every_value if value.difference and not value.because
    }
    tests = "; ".join(how for method, how in OF_DIFFERENCES.items() if method in used)
    caption = (
        f"“{comparison.second}” (second) against “{comparison.first}” (first), paired by sample: "
        "both means, and the difference (second minus first) in points of a hundred with its 95 % "
        f"interval in brackets. Intervals and tests: {tests or 'none'}. p: Holm's over all rows. "
        f"{CHECKED}: samples checked for both, of {comparison.matched:,} that both have."
    )
    caption = joined_sentences([caption, comparison.by_heuristic(), *comparison.warnings])
    # Columns headed by whole run titles would push the numbers off a page.
    names = (comparison.first, comparison.second)
    is_short = max(map(len, names)) <= LONGEST_HEADING
    headings = (
        "Value",
        *(names if is_short else ("First", "Second")),
        "Difference [95 % interval]",
        "p",
        "Higher / equal / lower",
        CHECKED,
    )
    sides = {"first_name": comparison.first, "second_name": comparison.second}
    records = []
    for value in comparison.values:
        records.append({**sides, **value.line(), "noise": "", "level": LEVEL})
    for value in comparison.by_noise:
        name = f"accuracy at noise {value.name}"
        of_level = {"value": name, "noise": value.noise, "level": LEVEL}
        records.append({**sides, **value.line(), **of_level})
    return [PaperTable("differences", caption, headings, 1, rows, records)]


def _every_value(view: RunView, counted: View) -> PaperTable:
    """Every value of every model, under the names of `Results.summary`."""
    by_model = {
        model: aggregate.named_values(view.run.evaluators, rows)
        for model, rows in run_facts.rows(view.run, view.counted(counted)).items()
    }
    lines = []
    for name in dict.fromkeys(chain.from_iterable(by_model.values())):
        for model, own in by_model.items():
            if name not in own:
                continue
            is_rate = own[name].record.kind == "rate"
            value = f"{readable(name)} (%)" if is_rate else _value_title(name, own[name].record)
            keys = {"Value": value, **_model_key(model, by_model)}
            how = OF_RATES if is_rate else OF_MEANS
            facts = _facts(view, counted, how, model=model, value=name)
            lines.append(PaperLine(keys, MEAN, own[name].mean, facts, is_rate))
    return _table_of_means("values", "Means", view, counted, lines, *_remarks(lines))


def _remarks(lines: Iterable[PaperLine]) -> Iterator[str]:
    """What is said beside the means: by other rules, of empty answers, at worst."""
    for line in lines:
        if remarks := beside(line.mean):
            of = ", ".join(key for key in (*line.keys.values(), line.column) if key != MEAN)
            yield f"{of}: {'; '.join(remarks)}"


def _by_noise(view: RunView, number: int, counted: View) -> list[PaperTable]:
    """A table for each ability: of one noise asked for, prompts of two have not the same."""
    declared = declared_values(view.run.evaluators[number].name)
    rows = aggregate.of_metric(view.counted(counted), number)
    curves = {
        model: rgb_figures.noise_curves(own, declared)
        for model, own in run_facts.rows(view.run, rows).items()
    }
    more = (
        "Noise: share of documents beside the point, as asked for and, where the prompts had "
        "another, as they had it"
    )
    tables: list[PaperTable] = []
    for value in dict.fromkeys(chain.from_iterable(curves.values())):
        curve = rgb_figures.curve_title(value)
        lines = []
        for model, points_of in curves.items():
            keys = {"Ability": curve, **_model_key(model, curves)}
            for point in points_of.get(value, ()):
                facts = _facts(view, counted, OF_RATES, model=model, ability=value.of)
                facts |= {"noise": point.noise, "effective_noise": point.effective_noise}
                level = rgb_figures.noise_named(point)
                lines.append(PaperLine(keys, level, point.mean, facts, True))
        name, what = "accuracy_by_noise", "Accuracy in percent by noise"
        if tables:
            name = f"{name}_{slug(curve)}"
        tables.append(_table_of_means(name, what, view, counted, lines, more, *_remarks(lines)))
    return tables


def _by_labeller(view: RunView, counted: View) -> PaperTable:
    models = run_facts.titles(view.run) or [""]
    lines = []
    for number, model in enumerate(models):
        for by, means in view.means_by_labeller(number, counted.definition).items():
            keys = {**_model_key(model, models), "Labeller": labellers.labeller_title(by)}
            # Here every labeller has a row, whichever one is looked at.
            seen = counted._replace(by=by)
            for value in declared_values(view.run.evaluator.name):
                facts = _facts(view, seen, OF_MEANS, model=model, value=value.name)
                lines.append(PaperLine(keys, value.heading, means[value.in_score], facts))
    more = "The means of a labeller are over the answers that it labelled"
    return _table_of_means("by_labeller", "Means by labeller", view, counted, lines, more)


def _by_group(view: RunView, counted: View) -> PaperTable:
    models = run_facts.titles(view.run) or [""]
    # English, as all of the table is.
    with speaking(ENGLISH):
        titles = column_titles(view)
    lines = []
    for number, model in enumerate(models):
        groups = view.by_group(number, counted)
        for group, means in islice(groups.items(), MOST_GROUPS):
            keys = {"Group": group, **_model_key(model, models)}
            for name, mean in means.items():
                facts = _facts(view, counted, OF_MEANS, model=model, group=group, value=name)
                lines.append(PaperLine(keys, titles.get(name, name), mean, facts))
    more = f"At most {MOST_GROUPS} groups are shown"
    with speaking(ENGLISH):
        why = why_no_interval((line.mean for line in lines), of_groups=True)
    notes = [more, *filter(None, [why.removesuffix(".")])]
    return _table_of_means("by_group", "Means by group of samples", view, counted, lines, *notes)


def _table_of_means(
    name: str,
    what: str,
    view: RunView,
    counted: View,
    lines: Sequence[PaperLine],
    *more: str,
) -> PaperTable:
    """The lines as a table; what the heuristic labelled has no interval and a caution instead."""
    caution = ""
    if any(line.mean.estimated for line in lines):
        # English, as all of the table is.
        with speaking(ENGLISH):
            found = findings.of_run(view, counted)
        caution = " ".join(dict.fromkeys(words for own in found for words in own if words))
        lines = [_with_caution(line, caution) for line in lines]
    # The rows of several labellers name theirs.
    is_of_one = counted.by or labels_sentences(view.run.evaluator)
    if is_of_one and name != "by_labeller":
        more = (*more, f"Labels: {labeller_in_words(view, counted)}")
    caption = _caption(what, view, counted, lines, caution, *more)
    return table_of_lines(name, caption, lines)


def _with_caution(line: PaperLine, caution: str) -> PaperLine:
    # Every line of a CSV has the same columns.
    facts = {**line.facts, "caution": ""}
    if not line.mean.estimated:
        return line._replace(facts=facts)
    column = ESTIMATE if line.column == MEAN else line.column
    return line._replace(
        column=column, facts={**facts, "interval": OF_ESTIMATES, "caution": caution}
    )


def _model_key(model: str, models: Collection[str]) -> dict[str, str]:
    """The cell that names the model, where there are several."""
    return {"Model": short_name(model)} if len(models) > 1 else {}


def _facts(view: RunView, counted: View, how: str, **keys: str) -> dict[str, object]:
    """The columns of a record that say what its numbers are of, and how they are counted."""
    facts: dict[str, object] = {"run": view.run.title}
    # Answers that were given with the data have no model.
    facts |= {name: value for name, value in keys.items() if value}
    if counted.by or labels_sentences(view.run.evaluator):
        facts["labels_by"] = counted.by or own_labeller(view)
    facts |= rulings.how_counted(view.run, counted)
    return {**facts, "level": LEVEL, "interval": how}


def _caption(
    what: str,
    view: RunView,
    counted: View,
    lines: Sequence[PaperLine],
    caution: str,
    *more: str,
) -> str:
    run = view.run
    how = "; ".join(dict.fromkeys(str(line.facts["interval"]) for line in lines))
    has_intervals = not all(line.mean.estimated for line in lines)
    brackets = ", with 95 % intervals in brackets" if has_intervals else ""
    sentences = [f"{what} of “{run.title}”{brackets}"]
    # Before all else that is said: below the numbers nobody reads it.
    sentences += [caution.removesuffix(".")] if caution else []
    sentences += more
    for column, name in rulings.how_counted(run, counted).items():
        sentences.append(f"{BY[column]}: {name}")
    # Answers to one prompt resemble one another: counted singly they would narrow the interval.
    if run.repeats > 1:
        how += "; answers to the same prompt are one unit"
        sentences.append(f"Each prompt was asked {run.repeats} times")
    sentences.append(f"Intervals: {how}")
    sentences.append(f"n: {checked_and_failed(run, view.counts)}")
    sentences.append(f"{CHECKED}: answers that a mean stands on, of those asked for")
    return ". ".join(sentences) + "."


def _difference_cells(value: Compared, label: str) -> tuple[str, ...]:
    difference = value.difference
    if difference is None:
        return (label, "–", "–", "–", "–", "–", value.coverage)
    return (
        label,
        numbers(difference.first),
        numbers(difference.second),
        numbers(
            difference.difference,
            difference.low,
            difference.high,
            in_percent=True,
            is_signed=True,
        ),
        words.p_value(difference.adjusted) or "–",
        f"{difference.wins:,} / {difference.ties:,} / {difference.losses:,}",
        value.coverage,
    )


def _value_title(name: str, record: Value) -> str:
    # English, as all of the table is.
    with speaking(ENGLISH):
        return record.title or title(name)
