"""The values of a run as pages and reports show them: titles, groups, and what each means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from evaluators.catalogue import declared_values, metric_named
from evaluators.records import Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import Figures, Mean, View
from evaluators.runs.formulas import formula_of
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.text.language import mark, say
from evaluators.text.scale import BY_KIND, RATE, SCORE, Scale
from evaluators.text.words import counted, readable
from evaluators.trace import quality
from evaluators.values import Topic, Value

LOW_COVERAGE = 0.8
"""Below this share of the answers a mark is hollow: what is missing may change it."""

FEW = mark("Hollow: less than 80 % of the answers are checked.")
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
    where its title does not say enough: G-Eval has a relevance of its own. `scale` is how it is
    written, `verb` what the answers did that count for it.
    """

    title: str
    mean: Mean
    spread: Sequence[int] = ()
    meaning: str = ""
    series: int = 0
    hollow: bool = False
    term: str = ""
    scale: Scale = SCORE
    verb: str = ""
    remark: str = ""
    """What an estimate is worth, for those who ask."""

    @property
    def is_unsure(self) -> bool:
        """Whether its mark is hollow."""
        return self.hollow or is_of_few(self.mean)

    @property
    def counts(self) -> str:
        return counts_in_words(self.mean, self.verb)


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


def counts_in_words(mean: Mean, verb: str) -> str:
    """On how many answers a mean stands and, where they did what a `verb` says, how many that were:
    "115 of 120 right, 24 questions"; of few "7 of 12 right, 12 of 60 checked".
    """
    if not verb or mean.mean is None:
        return coverage(mean)
    right = round(mean.mean * mean.scored)
    parts = [say("{part:,} of {all:,} {verb}", part=right, all=mean.scored, verb=say(verb))]
    if is_of_few(mean):
        asked = mean.asked - mean.not_applicable
        parts.append(say("{part:,} of {all:,} checked", part=mean.scored, all=asked))
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


def beside(mean: Mean, scale: Scale = RATE) -> list[str]:
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
        text = mark("if all that is missing were wrong: {worst}")
        if mean.failed == mean.asked - mean.scored - mean.not_applicable:
            text = mark("if all that failed were wrong: {worst}")
        remarks.append(say(text, worst=scale.shown(mean.worst)))
    return remarks


def groups_of(view: RunView, number: int, chosen: View = WHAT_COUNTS) -> list[Group]:
    """The values of one metric, those of several models below one another.

    They stand by what they are about, where the metric declares that, else below one another.
    """
    declared = declared_values(view.run.evaluators[number].name)
    if any(value.kind == "rate" for value in declared):
        return [Group("", "", _rate_dots(view, number, chosen))]
    if not any(value.topic for value in declared):
        return [Group("", "", metric_dots(view, number, chosen))]
    names = run_facts.titles(view.run) or [""]
    by_model = [view.figures(number, model, chosen) for model in range(len(names))]
    formula = formula_of(view.run, chosen.definition)
    by_topic: dict[Topic, list[Dot]] = {}
    for value in declared:
        dots = by_topic.setdefault(value.topic or Topic(""), [])
        for model, figures in enumerate(by_model):
            dots.append(of_series(_explained_dot(value, figures, formula), names, model))
    return [Group(say(topic.title), say(topic.question), dots) for topic, dots in by_topic.items()]


def _rate_dots(view: RunView, number: int, chosen: View) -> list[Dot]:
    """The rates of a metric, each by every model that has it."""
    rows = aggregate.of_metric(view.counted(chosen), number)
    by_model = run_facts.rows(view.run, rows)
    declared = declared_values(view.run.evaluators[number].name)
    rates = {model: aggregate.rates(own, declared) for model, own in by_model.items()}
    dots = []
    # A mapping keeps the order in which the rates come first, a set would shuffle them.
    for value in dict.fromkeys(chain.from_iterable(rates.values())):
        for series, own in enumerate(rates.values()):
            if value not in own:
                continue
            dot = _dot_of(value, own[value])
            if value.over_noise:
                levels = {row.noise for row in aggregate.of_ability(rows, value.of)}
                parts = (dot.meaning, counted(len(levels), "noise level"))
                dot = dot._replace(meaning=say("; ").join(parts))
            dots.append(of_series(dot, list(by_model), series))
    return dots


def _dot_of(value: Value, mean: Mean, spread: Sequence[int] = ()) -> Dot:
    """A value as it is declared."""
    return Dot(
        say(value.heading),
        mean,
        spread,
        say(value.meaning),
        term=value.name,
        scale=BY_KIND[value.kind],
        verb=value.verb,
    )


def _explained_dot(value: Value, figures: Figures, definition: str) -> Dot:
    nothing = Mean(
        mean=None,
        asked=figures.asked,
        scored=0,
        not_applicable=figures.scored,
        failed=figures.failed,
    )
    name = value.in_score
    mean, spread = figures.means.get(name, nothing), figures.spread.get(name, ())
    return _dot_of(value, mean, spread)._replace(remark=remark_on(value, mean, definition))


def remark_on(value: Value, mean: Mean, definition: str) -> str:
    """What the heuristic's labels of a value are worth, where they count; else empty."""
    if mean.estimated and value.in_score in quality.SHARES:
        return quality.share_in_words(value.in_score, quality.by_kind(definition))
    return ""


def metric_dots(view: RunView, number: int, seen: View = WHAT_COUNTS) -> list[Dot]:
    """The values of one metric, each by every model; none where nothing is checked."""
    models = run_facts.titles(view.run) or [""]
    by_model = [view.figures(number, model, seen) for model in range(len(models))]
    names = dict.fromkeys(name for figures in by_model for name in figures.means)
    shown = []
    for name, label in value_titles(view.run, number, names).items():
        value = declared_value(view.run, number, name)
        for model, figures in enumerate(by_model):
            if name in figures.means:
                dot = _dot_of(value, figures.means[name], figures.spread[name])
                shown.append(of_series(dot._replace(title=label, term=name), models, model))
    return shown


def declared_value(run: Run, number: int, name: str) -> Value:
    """What a metric of the run declares of a value by its name in a score."""
    declared = declared_values(run.evaluators[number].name)
    return next((value for value in declared if value.in_score == name), Value(name))


def title(name: str) -> str:
    """The name of a value or a field as people write it: "Recall at k"; of a metric its title."""
    cls = metric_named(name)
    return say(cls.title) if cls else readable(name)


def column_titles(view: RunView, first: Sequence[Value] | None = None) -> dict[str, str]:
    """A title for each value of the merged rows; where two would be alike, with that of its metric.

    `first` are those values of the first metric that are shown.
    """
    titles = {value.in_score: say(value.heading_of_column) for value in first or ()}
    metrics = run_facts.metric_titles(view.run)
    for (metric, name), column in view.columns().items():
        if metric == 0 and first is not None:
            continue
        label = _title_of_value(view.run, metric, name)
        is_taken = label in titles.values()
        titles[column] = _with_metric(label, metrics[metric]) if is_taken else label
    return titles


def column_scales(view: RunView) -> dict[str, Scale]:
    """How each value of the merged rows is written, by the column that it has there."""
    return {
        column: BY_KIND[declared_value(view.run, *value).kind]
        for value, column in view.columns().items()
    }


def value_titles(run: Run, number: int, names: Iterable[str]) -> dict[str, str]:
    """A title for each of these values of a metric.

    The only value of one among several metrics also names the metric.
    """
    titles = {name: _title_of_value(run, number, name) for name in names}
    metrics = run_facts.metric_titles(run)
    if len(metrics) > 1 and len(titles) == 1:
        return {name: _with_metric(label, metrics[number]) for name, label in titles.items()}
    return titles


def _title_of_value(run: Run, number: int, name: str) -> str:
    declared = declared_value(run, number, name)
    # Of RGB one value of a score is several rates: it goes by its own name.
    return say(declared.title) if declared.title and not declared.of else title(name)


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
    cls = metric_named(run.evaluator.name)
    # What a metric that is gone asked, its judges tell.
    return bool(run.judges and (cls is None or cls.most_judges()))
