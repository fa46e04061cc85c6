"""The tables that every door shows: their rows are made here, in the reader's language."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from evaluators.comparison import words
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several
from evaluators.document.blocks import Block, Passage, Section, Table
from evaluators.llm.catalogue import model_title
from evaluators.llm.money import dollars_together
from evaluators.people.checked import ValueCheck
from evaluators.people.score_columns import CheckedScores
from evaluators.records import Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import MOST_GROUPS, Counted, Mean, View
from evaluators.runs.failures import HEADINGS
from evaluators.runs.formulas import formula_of
from evaluators.runs.published import published_figure
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import (
    beside,
    column_scales,
    column_titles,
    coverage,
    remark_on,
    value_titles,
    why_no_interval,
)
from evaluators.runs.store import Spent
from evaluators.text.language import mark, say
from evaluators.text.scale import BY_KIND, NO_VALUE, RATE, SCORE, Scale
from evaluators.text.words import counted, joined_sentences, name_and_text, readable
from evaluators.trace.definitions import DEFINITIONS
from evaluators.values import Value

MOST_REASONS = 20
"""Reasons of failures that a table has; `Results.failures` has them all."""
VALUE, MODEL, MEANING = mark("Value"), mark("Model"), mark("Meaning")
SCORES = mark("Scores")
NUMBERS = (mark("Mean"), mark("95 % interval"), mark("Checked"))
WITHIN, BESIDE = mark("Same prompt"), mark("Beside")
DIFFERENCES = (mark("Difference in points"), mark("p (Holm)"))
SPENT = (mark("Calls"), mark("Prompt tokens"), mark("Answer tokens"), mark("Cost"))
COUNTS = mark("Higher · equal · lower")
# Columns headed by whole run titles would push the numbers off a page.
OF_TWO = (VALUE, mark("First"), mark("Second"), *DIFFERENCES, COUNTS, mark("Checked for both"))


def mean_cells(mean: Mean, scale: Scale = SCORE) -> tuple[str, str, str]:
    """The mean, its interval, and on how many answers it stands, how often each was asked."""
    interval = say("an estimate") if mean.estimated else scale.interval(mean.low, mean.high)
    checked = "; ".join(filter(None, [coverage(mean), mean.repeated]))
    return scale.shown(mean.mean), interval or NO_VALUE, checked


def means(view: RunView, counted: View, *, by_name: bool = False) -> tuple[Table, Passage]:
    """Every value of every model, and why some have no interval.

    They go by their titles and say what they mean, or `by_name` by the names that commands take.
    """
    run = view.run
    by_model = _by_model(view, counted)
    names = {name: value for values in by_model.values() for name, value in values.items()}
    titles = {} if by_name else _titles(run, names)
    formula = formula_of(run, counted.definition)
    lines: list[dict[str, str]] = []
    every: list[Mean] = []
    for name in names:
        for model, values in by_model.items():
            if name not in values:
                continue
            mean, record = values[name].mean, values[name].record
            scale = BY_KIND[record.kind]
            every.append(mean)
            line = {VALUE: titles.get(name, name), MODEL: model if len(by_model) > 1 else ""}
            line |= zip(NUMBERS, mean_cells(mean, scale), strict=True)
            line[WITHIN] = mean.within.in_words if mean.within else ""
            line[BESIDE] = "; ".join(beside(mean, scale))
            line[MEANING] = "" if by_name else _meaning_of(record, mean, formula)
            lines.append(line)
    return filled_columns(lines, NUMBERS), Passage(why_no_interval(every))


def _meaning_of(value: Value, mean: Mean, formula: str) -> str:
    meaning, remark = say(value.meaning) if value.meaning else "", remark_on(value, mean, formula)
    return say("{meaning}; {remark}", meaning=meaning, remark=remark) if remark else meaning


def means_without_interval(view: RunView, counted: View) -> Passage:
    """Why some of the means have no interval; empty where all have one."""
    every = _by_model(view, counted).values()
    return Passage(why_no_interval(value.mean for values in every for value in values.values()))


def _by_model(view: RunView, counted: View) -> dict[str, dict[str, Counted]]:
    rows = run_facts.rows(view.run, view.counted(counted))
    specs = view.run.evaluators
    return {model: aggregate.named_values(specs, own) for model, own in rows.items()}


def filled_columns(lines: Iterable[Mapping[str, str]], numbers: Iterable[str] = ()) -> Table:
    """A table of cells by their headings, without the columns that are empty in every row."""
    rows = list(lines)
    headings = [
        heading for heading in (rows[0] if rows else ()) if any(row[heading] for row in rows)
    ]
    return Table(headings, [[row[heading] for heading in headings] for row in rows], [*numbers])


def _titles(run: Run, every: Mapping[str, Counted]) -> dict[str, str]:
    """A title for each value by its name among all; rates of RGB have titles of their own."""
    titles = {}
    for number in range(len(run.evaluators)):
        own = {name: value for name, value in every.items() if value.metric == number}
        by_value = value_titles(run, number, [value.name for value in own.values()])
        for name, value in own.items():
            of_ability = bool(value.record.of)
            titles[name] = say(value.record.heading) if of_ability else by_value[value.name]
    return titles


def groups(view: RunView, counted: View, *, by_name: bool = False) -> Section:
    """The means of each group of samples, over all models; empty where no sample has one."""
    by_group = dict(islice(view.by_group(None, counted).items(), MOST_GROUPS))
    titles = {} if by_name else column_titles(view)
    scales = column_scales(view)
    rows = []
    for group, own in by_group.items():
        for name, mean in own.items():
            rows.append([group, titles.get(name, name), *mean_cells(mean, scales[name])])
    every = (mean for own in by_group.values() for mean in own.values())
    why = Passage(why_no_interval(every, of_groups=True))
    table = Table([mark("Group"), VALUE, *NUMBERS], rows, NUMBERS)
    return Section(say("By group"), [table, why], is_folded=True)


def failures(by_reason: Mapping[str, int], most: int = MOST_REASONS) -> Iterator[Block]:
    """Why samples failed, each reason with what to do."""
    reasons = list(by_reason.items())
    rows = [[f"{count:,}", reason] for reason, count in reasons[:most]]
    yield Table(HEADINGS, rows, HEADINGS[:1])
    further = len(reasons) - most
    if further > 0:
        words = say("And {reasons}.", reasons=counted(further, "further reason"))
        yield Passage(words, "facts")


def cost(run: Run, spent: Mapping[str, Spent]) -> Table:
    """A row for each model that was paid, of several also one for all together."""
    # A model that answers and judges is one entry: its calls are booked together.
    names = {spec.id: model_title(spec) for spec in (*run.models, *run.judges)}
    rows = [_cost_row(name, [spent[model]]) for model, name in names.items() if model in spent]
    # Of a single model it would say the same twice.
    if len(rows) > 1:
        rows.append(_cost_row(say("Total"), spent.values()))
    return Table([MODEL, *SPENT], rows, SPENT)


def _cost_row(name: str, bills: Collection[Spent]) -> list[str]:
    counts = (
        sum(bill.calls for bill in bills),
        sum(bill.prompt_tokens for bill in bills),
        sum(bill.answer_tokens for bill in bills),
    )
    return [name, *map("{:,}".format, counts), dollars_together(bill.cost for bill in bills)]


def differences(comparison: Comparison, *, by_name: bool = False) -> Table:
    """Every value of two systems, below those at each level of noise; `by_name` as commands do."""
    titled = [
        (value.name if by_name else readable(value.name), value) for value in comparison.values
    ]
    titled += [(say("Noise {noise}", noise=value.noise), value) for value in comparison.by_noise]
    rows = [
        [title, *words.cells(value.difference, BY_KIND[value.kind]), value.coverage]
        for title, value in titled
    ]
    return Table(OF_TWO, rows, OF_TWO[1:])


def outcomes(comparison: Comparison) -> tuple[Table, Passage]:
    """How often two systems declined although there was evidence, or answered without."""
    rows = []
    for value in comparison.outcomes:
        rates = [
            say("{rate} of {all:,}", rate=RATE.estimate(rate), all=rate.scored)
            for rate in value.rates
        ]
        cells = words.cells(value.difference, RATE)[len(rates) :]
        rows.append([readable(value.name), *rates, *cells, value.coverage])
    apart = say("p counts these alone (Holm), and not the values compared above.")
    notes = [*comparison.outcome_notes, apart] if rows else []
    return Table(OF_TWO, rows, OF_TWO[1:]), Passage(joined_sentences(notes), "facts")


def systems(several: Several, *, by_name: bool = False) -> Table:
    """The means of three systems or more, and how each differs from the first."""
    rows = []
    scales = several.scales()
    for system in several.systems:
        for name in several.values:
            if (mean := system.means.get(name)) is None:
                continue
            compared = system.against_reference(name)
            difference = compared.difference if compared else None
            points = words.in_points(difference) if compared else ""
            p = words.p_value(difference.adjusted) if difference else ""
            title = name if by_name else readable(name)
            rows.append([system.title, title, *mean_cells(mean, scales[name]), points, p])
    numbers = (*NUMBERS, *DIFFERENCES)
    return Table([mark("System"), VALUE, *numbers], rows, numbers)


def agreement(lines: Iterable[tuple[Mapping[str, str], ValueCheck]]) -> Table:
    """The values of a check beside people, each line behind cells that tell what it is of."""
    rows: list[dict[str, str]] = []
    leading: Collection[str] = ()
    for leading, value in lines:
        best, distance = value.best, value.distance
        rows.append(
            {
                **leading,
                mark("Labeller"): SCORE.shown(value.judged),
                mark("Corrected"): SCORE.shown(best.mean) if best else "",
                mark("95 % interval"): SCORE.interval(best.low, best.high) if best else "",
                mark("Labels"): say("{done:,} of {all:,}", done=value.labelled, all=value.answers),
                mark("Worth"): str(value.worth or ""),
                "kappa": _with_interval(value.kappa, value.kappa_interval),
                "AUROC": _with_interval(value.auroc, value.auroc_interval),
                "RMSE": _with_interval(distance.rmse, distance.rmse_interval) if distance else "",
                mark("Constant"): SCORE.shown(distance.rmse_of_constant) if distance else "",
                mark("Bias"): f"{distance.bias:+.2f}" if distance else "",
            }
        )
    headings = [*rows[0]] if rows else []
    return filled_columns(rows, headings[len(leading) :])


def scores(checked: Iterable[CheckedScores], definition: str | None) -> Iterator[Block]:
    """Columns of scores beside the labels of their data by a formula, and why others are not."""
    lines: list[tuple[dict[str, str], ValueCheck]] = []
    problems: list[str] = []
    is_published = False
    for each in checked:
        if each.check is None:
            problems.append(name_and_text(f"{each.data} · {each.column}", each.problem))
            continue
        for value in each.check.values:
            published = published_figure(each.subset, each.column, value.name)
            is_published |= bool(published)
            leading = {mark("Data set"): each.data, SCORES: each.column}
            leading |= {VALUE: readable(value.name), mark("Published"): published}
            lines.append((leading, value))
            problems += [name_and_text(each.column, warning) for warning in value.warnings]
    if lines:
        yield agreement(lines)
    notes = []
    if definition and lines:
        title = say(DEFINITIONS[definition].title)
        notes.append(say("Values of the labels by the formula {name}.", name=title))
    if is_published:
        words = mark(
            "Published: AUROC of adherence, RMSE of the others, on the test rows and by the "
            "formula RAGBench (Friel et al., arXiv 2407.11005)."
        )
        notes.append(say(words))
    yield Passage(joined_sentences(notes), "facts")
    for problem in dict.fromkeys(problems):
        yield Passage(problem, "facts")


def _with_interval(value: float | None, interval: tuple[float, float] | None) -> str:
    return "" if value is None else SCORE.with_interval(value, *interval or ())
