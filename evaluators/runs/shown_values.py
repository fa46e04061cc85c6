"""The values of a run as pages and reports show them: titles, groups, and what each means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.catalogue import catalogue
from evaluators.records import Run
from evaluators.runs import run_facts
from evaluators.runs.aggregate import Figures, Mean, View
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.text.language import mark, say
from evaluators.text.words import counted, readable
from evaluators.trace import quality

TRACE_VALUES = {
    "context_relevance": mark("Context relevance"),
    "context_utilization": mark("Context utilization"),
    "completeness": mark("Completeness"),
    "adherence": mark("Adherence"),
    "supported_share": mark("Supported share"),
    "average": mark("Average"),
}
"""The values of TRACE by the names that they have at every door: a title is its key in words."""
GROUPS = (
    (
        mark("Retrieval"),
        mark("Does what was retrieved help to answer?"),
        {"context_relevance": mark("Share of the retrieved text that helps")},
    ),
    (
        mark("Use"),
        mark("Does the answer use it, and all of it?"),
        {
            "context_utilization": mark("Share of the relevant text that was used"),
            "completeness": mark("Share of the relevant text that the answer covers"),
        },
    ),
    (
        mark("Truth"),
        mark("Does the answer say only what the documents say?"),
        {
            "adherence": mark("Share of answers in which every sentence is supported"),
            "supported_share": mark("Mean share of supported sentences in an answer"),
        },
    ),
)
"""The values by what they are about, each with its meaning."""
AVERAGE = mark("Mean of the four values that apply, over all samples")

LOW_COVERAGE = 0.8
"""Below this share of the answers a mark is hollow: what is missing may change it."""

NO_INTERVAL = mark(
    "Where one question is checked, or all values are the same, there is no interval: nothing is "
    "known of how others differ. Check more questions."
)
NO_INTERVAL_OF_GROUPS = mark(
    "A group of one question, or of equal values, has no interval: nothing is known of how others "
    "differ. Give it more questions, or put groups together."
)


class Dot(NamedTuple):
    """One value under its title; `series` numbers whose it is, for its colour.

    A `hollow` one is a claim beside what was measured. `term` is what the glossary is asked for,
    where its title does not say enough: G-Eval has a relevance of its own.
    """

    title: str
    mean: Mean
    spread: Sequence[int] = ()
    meaning: str = ""
    series: int = 0
    hollow: bool = False
    term: str = ""


class Group(NamedTuple):
    """Values that answer one question; of a metric's values `term` is its name."""

    title: str
    question: str
    dots: Sequence[Dot]
    term: str = ""


def coverage(mean: Mean) -> str:
    """On how many answers a mean stands: "197 of 200, 3 failed, 91 questions"."""
    parts = [say("{part:,} of {all:,}", part=mean.scored, all=mean.asked)]
    if mean.not_applicable:
        parts.append(say("{number:,} not applicable", number=mean.not_applicable))
    if mean.failed:
        parts.append(say("{number:,} failed", number=mean.failed))
    # Of repeated prompts it is said how often each was asked.
    if mean.questions and mean.repeats == 1:
        parts.append(counted(mean.questions, "question"))
    return say(", ").join(parts)


def is_of_few(mean: Mean) -> bool:
    """Whether less than `LOW_COVERAGE` of the answers that were asked for are checked."""
    return mean.scored + mean.not_applicable < LOW_COVERAGE * mean.asked


def why_no_interval(means: Iterable[Mean | None], *, of_groups: bool = False) -> str:
    """Why some of these means, or those of groups, have no interval; empty where all have one.

    Of estimates it is said at each that they are none.
    """
    for mean in means:
        if mean is not None and mean.mean is not None and mean.low is None and not mean.estimated:
            return say(NO_INTERVAL_OF_GROUPS if of_groups else NO_INTERVAL)
    return ""


def beside(mean: Mean) -> list[str]:
    """What is said beside a mean: its value by other rules, answers that say nothing, and what it
    were at worst where much is missing.
    """
    remarks = []
    if mean.other_rules:
        remarks.append(mean.other_rules.in_words)
    if mean.empty:
        text = (
            mark("{answers} counts as wrong")
            if mean.empty == 1
            else mark("{answers} count as wrong")
        )
        remarks.append(say(text, answers=counted(mean.empty, "empty answer")))
    if is_of_few(mean) and mean.worst is not None and not mean.estimated:
        text = mark("if all that is missing were wrong: {worst:.0f} %")
        if mean.failed == mean.asked - mean.scored - mean.not_applicable:
            text = mark("if all that failed were wrong: {worst:.0f} %")
        remarks.append(say(text, worst=100 * mean.worst))
    return remarks


def trace_groups(view: RunView, chosen: View) -> list[Group]:
    """All TRACE values by what they are about, those of several models below one another."""
    names = run_facts.titles(view.run) or [""]
    by_model = [view.figures(0, number, chosen) for number in range(len(names))]
    formula = formula_of(view.run, chosen.definition)
    groups = []
    for title, question, meanings in GROUPS:
        shown = []
        for name, meaning in meanings.items():
            for number, figures in enumerate(by_model):
                dot = _trace_dot(name, meaning, figures, formula)
                shown.append(of_series(dot, names, number))
        groups.append(Group(say(title), say(question), shown))
    average = [
        of_series(_trace_dot("average", AVERAGE, figures, formula), names, number)
        for number, figures in enumerate(by_model)
    ]
    return [*groups, Group(say("Overall"), "", average)]


def _trace_dot(name: str, meaning: str, figures: Figures, definition: str) -> Dot:
    nothing = Mean(
        mean=None,
        asked=figures.asked,
        scored=0,
        not_applicable=figures.scored,
        failed=figures.failed,
    )
    mean, spread = figures.means.get(name, nothing), figures.spread.get(name, ())
    meaning = say(meaning)
    if mean.estimated and name in quality.SHARES:
        remark = quality.share_in_words(name, quality.by_kind(definition))
        meaning = say("{meaning}; {remark}", meaning=meaning, remark=remark) if remark else meaning
    return Dot(say(TRACE_VALUES[name]), mean, spread, meaning, term=name)


def metric_dots(view: RunView, number: int, seen: View = WHAT_COUNTS) -> list[Dot]:
    """The values of one metric, each by every model; none where nothing is checked."""
    titles = run_facts.metric_titles(view.run)
    models = run_facts.titles(view.run) or [""]
    by_model = [view.figures(number, model, seen) for model in range(len(models))]
    names = dict.fromkeys(name for figures in by_model for name in figures.means)
    shown = []
    for name, label in value_titles(titles, number, names).items():
        for model, figures in enumerate(by_model):
            if name in figures.means:
                dot = Dot(label, figures.means[name], figures.spread[name], term=name)
                shown.append(of_series(dot, models, model))
    return shown


def title(name: str) -> str:
    """The name of a value or a field as people write it: "Recall at k"; of a metric its title."""
    cls = catalogue().get(name)
    return say(cls.title) if cls else readable(name)


def column_titles(view: RunView, first: Mapping[str, str] | None = None) -> dict[str, str]:
    """A title for each value of the merged rows; where two would be alike, with that of its metric.

    `first` are the English titles of those values of the first metric that are shown.
    """
    titles = {name: say(shown) for name, shown in (first or {}).items()}
    metrics = run_facts.metric_titles(view.run)
    for (metric, name), column in view.columns().items():
        if metric == 0 and first is not None:
            continue
        label = title(name)
        is_taken = label in titles.values()
        titles[column] = _with_metric(label, metrics[metric]) if is_taken else label
    return titles


def value_titles(
    metrics: Sequence[str],
    number: int,
    names: Iterable[str],
) -> dict[str, str]:
    """A title for each of these values of a metric.

    The only value of one among several metrics also names the metric.
    """
    titles = {name: title(name) for name in names}
    if len(metrics) > 1 and len(titles) == 1:
        return {name: _with_metric(label, metrics[number]) for name, label in titles.items()}
    return titles


def _with_metric(label: str, metric: str) -> str:
    if metric.startswith(label):
        return metric
    return f"{label} ({metric})"


def of_series(dot: Dot, names: Sequence[str], number: int) -> Dot:
    """The value of one of several models: under its name, in its colour."""
    if len(names) < 2:
        return dot
    meaning = names[number]
    if number == 0 and dot.meaning:
        meaning = say("{name}. {meaning}", name=meaning, meaning=dot.meaning)
    return dot._replace(meaning=meaning, series=number)


def is_judged(run: Run) -> bool:
    """Whether an LLM labelled the run, or a part of it."""
    return bool(run.judges and catalogue()[run.evaluator.name].most_judges())
