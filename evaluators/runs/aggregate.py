"""From results to figures: every mean with its interval and with how many samples it stands on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, compress
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluators.catalogue import declared_values
from evaluators.errors import StoreError
from evaluators.people.labels import (
    PERSON,
    changed_votes,
    corrected,
    corrected_values,
    is_people_alone,
    known_values,
    people_scores,
    values_by_people,
)
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    EvaluatorSpec,
    LabelEvidence,
    Labels,
    Record,
    Run,
    Sample,
    Score,
    Support,
)
from evaluators.runs.store import Answer, CellStatus, Outline, ValueName, ViewedValues
from evaluators.statistics import interval, within_groups
from evaluators.text.language import say
from evaluators.text.normalise import one_line
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import counted, in_brackets
from evaluators.trace import labelling
from evaluators.trace.definitions import response_supports
from evaluators.trace.labelling import (
    CORRECTED,
    GOLD,
    HEURISTIC,
    JURY,
    PEOPLE,
    has_heuristic,
)
from evaluators.trace.metrics import VALUES, TRACEScores, stored_labels, trace_scores
from evaluators.values import Value

T = TypeVar("T")

MOST_GROUPS = 50
"""Groups that are shown: a column with more values mostly holds one for each sample."""


class Within(Record):
    """How far answers to the same prompt differ, where prompts were asked several times.

    Of `prompts` two answers or more were judged. `agree` is the share of them whose answers all got
    the same verdict, `None` for values that are not yes or no; `deviation` is the standard
    deviation within a prompt.
    """

    prompts: int
    agree: float | None
    deviation: float

    @property
    def in_words(self) -> str:
        """ "repeats agree in 87 %", of other values than yes or no "repeats vary by 0.07"."""
        if self.agree is None:
            return say("repeats vary by {deviation}", deviation=SCORE.shown(self.deviation))
        return say("repeats agree in {share}", share=RATE.shown(self.agree))


class OtherRules(Record):
    """A rate of RGB by the set of rules that does not count here; see `docs/measures.md`."""

    rules: str
    mean: float

    @property
    def in_words(self) -> str:
        rate = RATE.shown(self.mean)
        if self.rules == "paper":
            return say("by the paper's rule {rate}", rate=rate)
        return say("by the documented rule {rate}", rate=rate)


class Mean(Record):
    """The mean of one value with its 95 % interval; `None` where nothing was judged.

    asked = scored + not_applicable + failed + still open. `questions` is how many different ones
    were judged where some were judged repeatedly; the interval then counts each as one. `repeats`
    is how many times each prompt was asked; `within` tells how far its answers differ.
    `estimated` of the scored have labels of the heuristic: such a mean has no interval, as none of
    chance covers what the heuristic gets wrong from one kind of data to the next. `empty` of the
    judged answers say nothing; `other_rules` is there where they differ by more than
    `ALIKE_VERDICTS`.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    asked: int
    scored: int
    not_applicable: int = 0
    failed: int = 0
    questions: int | None = None
    repeats: int = 1
    within: Within | None = None
    estimated: int = 0
    empty: int = 0
    other_rules: OtherRules | None = None

    @property
    def worst(self) -> float | None:
        """What the mean of values from 0 to 1 would be, were all that is not judged 0."""
        most = self.asked - self.not_applicable
        return None if self.mean is None else self.mean * self.scored / most

    @property
    def coverage(self) -> str:
        return f"{self.scored:,} / {self.asked:,}"

    @property
    def checked(self) -> str:
        """The coverage with the questions, where they repeat: "182 / 182 (91 questions)"."""
        return with_questions(self.coverage, self.questions)

    @property
    def repeated(self) -> str:
        """ "30 prompts × 5", where prompts were asked several times; else it is empty."""
        if self.repeats == 1:
            return ""
        return say(
            "{prompts:,} prompts × {repeats}",
            prompts=self.asked // self.repeats,
            repeats=self.repeats,
        )


def with_questions(coverage: str, questions: int | None) -> str:
    """A coverage with how many questions it is of, where some are asked repeatedly."""
    return in_brackets(coverage, counted(questions, "question")) if questions else coverage


class View(NamedTuple):
    """Whose labels are counted, and by which formulas.

    `by` is a labeller's name; `None` is the run's own, whatever people say. "corrected" is that
    labeller with what people say put in its place, "people" are people alone (their majority),
    "person:" and a name one of them. Another labeller counts for the metric that leads the run
    alone, people for every metric. `definition` names the formula, `policy` the rules by which RGB
    reads answers; `None` are those of the run.
    """

    definition: str | None = None
    by: str | None = None
    policy: str | None = None


ALIKE_VERDICTS = 2
"""Verdicts in which two sets of rules may differ without a word."""
BINS = 10
"""A spread counts tenths."""


class NoisePoint(Record):
    """The mean at one noise level.

    `effective_noise` is the mean share of negatives that prompts really held.
    """

    noise: float
    effective_noise: float | None
    mean: Mean


Units = NDArray[np.int64]


def units(rows: Sequence[Outline]) -> Units:
    """By what the answer of each row resembles others, as a number: in a unit none is independent.

    It is the question, however often it stands in the data, is asked at levels of noise, of several
    models or again; of turns it is their conversation. Where all rows have the same one, or none,
    as an instruction beside documents that differ, it is the prompt.
    """
    numbers: dict[Hashable, int] = {}
    questions = [one_line(row.question) for row in rows]
    if len(set(questions)) > 1 or any(row.ability or row.conversation for row in rows):
        keys = (
            (row.conversation,) if row.conversation else question or row.prompt
            for question, row in zip(questions, rows, strict=True)
        )
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    return np.array([row.prompt for row in rows], dtype=np.int64)


def summarise(
    rows: Sequence[Outline],
    name: str,
    resembling: Units | None = None,
) -> Mean:
    """The mean of the value `name` over the judged among these rows.

    Its interval counts each of the `units` once, which are those of the rows where `resembling`
    does not give them.
    """
    values = [row.values.get(name) for row in rows]
    mean = mean_of_rows(rows, values, resembling, is_of_labels=True)
    empty = sum(row.is_empty for row, value in zip(rows, values, strict=True) if value is not None)
    others = _other_rules(rows, name)
    if others and others.mean == mean.mean:
        others = None
    mean = mean.model_copy(update={"empty": empty, "other_rules": others})
    repeats = max((row.repeat for row in rows), default=1)
    if repeats == 1:
        return mean
    return mean.model_copy(update={"repeats": repeats, "within": _within(rows, name)})


class Figures(Record):
    """What is shown of one metric's rows without reading them again.

    `spread` counts the values of each of `BINS` equal parts of the range from 0 to 1, by name; it
    is empty for a value that is not a share. `by` counts the scored rows by whose labels count,
    `situations` tells whether any row has one.
    """

    means: dict[str, Mean]
    spread: dict[str, tuple[int, ...]]
    by: dict[str, int]
    asked: int
    scored: int
    failed: int
    situations: bool


def figures(rows: Sequence[Outline]) -> Figures:
    """The means and spreads of every value that any of these rows has, in their order."""
    means: dict[str, Mean] = {}
    spread: dict[str, tuple[int, ...]] = {}
    resembling = units(rows)
    for name in _value_names(rows):
        means[name] = summarise(rows, name, resembling)
        spread[name] = _bin_counts([row.values.get(name) for row in rows])
    scored = [row for row in rows if row.status == "scored"]
    return Figures(
        means=means,
        spread=spread,
        by=Counter(row.by for row in scored),
        asked=len(rows),
        scored=len(scored),
        failed=sum(row.status == "failed" for row in rows),
        situations=any(row.situation for row in rows),
    )


def by_group(rows: Sequence[Outline]) -> dict[str, dict[str, Mean]]:
    """The mean of every value in each group of samples, in the order of the groups' names.

    Each is over the rows of its own metric and has a name of `value_titles`. Rows of samples
    without a group are in none; empty where no sample has one.
    """
    groups: dict[str, dict[int, list[int]]] = {}
    for place, row in enumerate(rows):
        if row.situation:
            groups.setdefault(row.situation, {}).setdefault(row.metric, []).append(place)
    # What stands once in a group may stand again in another: the units are those of all rows.
    resembling = units(rows)
    titles = value_titles(rows)
    means: dict[str, dict[str, Mean]] = {}
    for group in sorted(groups):
        means[group] = {}
        for (metric, name), title in titles.items():
            places = groups[group][metric]
            own = [rows[place] for place in places]
            means[group][title] = summarise(own, name, resembling[places])
    return means


def viewed_values(
    scored: Iterable[tuple[Cell, Sample, Score]],
    view: View,
    given: Mapping[Cell, Sequence[PersonLabel]],
) -> dict[Cell, ViewedValues]:
    """The values of each answer as the view counts them.

    An answer to which the view's labeller gave no labels has none.
    """
    values: dict[Cell, ViewedValues] = {}
    for cell, sample, score in scored:
        own = given.get(cell, ())
        # Only the first metric of a run may lead it.
        if not cell.metric and isinstance(score.evidence, LabelEvidence):
            values[cell] = _view_of_labels(sample, score, view, own)
        elif is_people_alone(view.by):
            said = [label for label in own if view.by in (PEOPLE, f"{PERSON}{label.person}")]
            values[cell] = ViewedValues(values_by_people(score.values, said))
        else:
            values[cell] = ViewedValues(score.values)
        if own and view.by == CORRECTED:
            values[cell] = _after_verdicts(values[cell], own)
    return values


def _view_of_labels(
    sample: Sample,
    score: Score,
    view: View,
    given: Sequence[PersonLabel],
) -> ViewedValues:
    """What the labels of sentences give."""
    counted = _viewed_scores(sample, score, view, given)
    if counted is None:
        return ViewedValues({})
    if is_people_alone(view.by):
        return ViewedValues(known_values(counted))
    changed = 0
    if given and view.by == CORRECTED:
        sentences, labels = stored_labels(score, sample)
        changed = len(changed_votes(labels, sentences, given))
    return ViewedValues(counted.values(), changed)


def _after_verdicts(viewed: ViewedValues, given: Sequence[PersonLabel]) -> ViewedValues:
    """The values after what people say of those that are yes or no."""
    after = corrected_values(viewed.values, given)
    changed = sum(after[name] != value for name, value in viewed.values.items())
    return ViewedValues(after, viewed.changed + changed)


class SupportCounts(NamedTuple):
    """How many sentences an answer has, and how many are partly or not supported or unlabelled."""

    sentences: int
    partly: int
    unsupported: int
    unlabelled: int


def viewed_scores(
    sample: Sample,
    score: Score,
    view: View,
    given: Sequence[PersonLabel],
) -> TRACEScores | None:
    """The sentences of an answer with the view's labels; `None` where there are no labels."""
    # Metrics of one's own may give TRACE values without labels.
    with suppress(StoreError):
        return _viewed_scores(sample, score, view, given)
    return None


def support_counts(counted: TRACEScores) -> SupportCounts:
    """What labels say of an answer's sentences."""
    supports = response_supports(counted.sentences, counted.labels)
    return SupportCounts(
        sentences=len(supports),
        partly=supports.count(Support.PARTIAL),
        unsupported=supports.count(Support.NONE),
        unlabelled=supports.count(None),
    )


def means_by_labeller(
    scored: Iterable[tuple[Cell, Sample, Score]],
    views: Mapping[str, View],
    given: Mapping[Cell, Sequence[PersonLabel]],
    usual: Figures,
) -> dict[str, dict[str, Mean]]:
    """The means of TRACE values by the labels of several labellers, each with its view.

    The samples are read once for all. `usual` are the figures of all answers: to those without its
    labels a labeller's values do not apply.
    """
    judged: dict[str, dict[str, dict[int, float]]] = {}
    for by in views:
        judged[by] = {name: {} for name in VALUES}
    rows: list[Outline] = []
    for row in scored:
        cell, sample, _ = row
        for by, view in views.items():
            (viewed,) = viewed_values([row], view, given).values()
            for name, values in judged[by].items():
                value = viewed.values.get(name)
                if value is not None:
                    values[len(rows)] = value
        rows.append(
            Outline(
                cell.position,
                sample.id,
                sample.question,
                repeat=sample.repeat,
                ability=sample.rgb.ability if sample.rgb else None,
            )
        )
    resembling = units(rows)
    means: dict[str, dict[str, Mean]] = {}
    for by, of_labeller in judged.items():
        means[by] = {}
        for name, values in of_labeller.items():
            keys = resembling[np.array([*values], dtype=np.int64)]
            without = usual.scored - len(values)
            # What people flipped of the heuristic's labels leaves the others as they were.
            labellers = usual.by if by == CORRECTED else [by]
            estimated = len(values) if has_heuristic(labellers) else 0
            means[by][name] = mean_of(
                [*values.values()],
                keys,
                asked=usual.asked,
                not_applicable=without,
                failed=usual.failed,
                estimated=estimated,
            )
    return means


class Labelled(Record):
    """Who labelled answers of a run, in the order in which they are offered.

    `differ` are the answers of which a sentence is supported by some labels and not by others.
    """

    labellers: tuple[str, ...]
    differ: tuple[Answer, ...]


def labelled(run: Run, scored: Iterable[tuple[Cell, Sample, Score]]) -> Labelled:
    """Who labelled: jury, judges, heuristic, and published labels (gold)."""
    names: set[str] = set()
    differ = []
    for cell, sample, score in scored:
        by_labeller = labelling.labellings(score, sample)
        names.update(by_labeller)
        if _differ([own.labels for own in by_labeller.values()]):
            differ.append(Answer(cell.position, cell.model))
    return Labelled(labellers=_in_order(names, run), differ=tuple(differ))


def _in_order(names: set[str], run: Run) -> tuple[str, ...]:
    """The jury, the run's judges, other labellers by name, the heuristic, published labels."""
    first = [JURY, *(spec.id for spec in run.judges)]
    last = [HEURISTIC, GOLD]
    # A second copy of a judge has a number behind its id: it stands after those of the run.
    others = sorted(names.difference(first, last))
    # Once each, though a run may have two copies of a judge under one id.
    order = dict.fromkeys([*first, *others, *last])
    return tuple(name for name in order if name in names)


def _differ(every: Sequence[Labels]) -> bool:
    """Whether two of these labels disagree on how far a sentence is supported."""
    supports: dict[str, Support] = {}
    for labels in every:
        for sentence in labels.sentence_support:
            if supports.setdefault(sentence.key, sentence.support) is not sentence.support:
                return True
    return False


def flips(rows: Iterable[Outline]) -> dict[str, int]:
    """How many verdicts each option changed; options that changed none are absent."""
    counts = Counter(chain.from_iterable(row.flips for row in rows))
    return dict(sorted(counts.items()))


def of_model(rows: Iterable[Outline], model: int) -> list[Outline]:
    """The rows of one of the run's models, by its number from 0."""
    return [row for row in rows if row.model == model]


def of_metric(rows: Iterable[Outline], number: int) -> list[Outline]:
    """The rows of one of the run's metrics, by its number from 0."""
    return [row for row in rows if row.metric == number]


def merged(
    rows: Iterable[Outline],
    names: Mapping[ValueName, str] | None = None,
) -> list[Outline]:
    """One row for each answer with the values of all metrics, under these names.

    Without names they are the `value_titles` of these rows. A row is failed where any metric
    failed, else open where any is open. For tables: a mean is of one metric's rows.
    """
    answers: dict[Cell, list[Outline]] = {}
    for row in rows:
        answers.setdefault(Cell(row.position, row.model), []).append(row)
    if names is None:
        names = value_titles(chain.from_iterable(answers.values()))
    return [_one_row(own, names) for own in answers.values()]


def value_titles(rows: Iterable[Outline]) -> dict[ValueName, str]:
    """What each value is called beside those of other metrics, by metric and its own name.

    They are in the metrics' order. A name that an earlier metric has gets the metric's number,
    counted from 1: "recall (2)".
    """
    values: dict[ValueName, None] = {}
    for row in rows:
        for name in row.values:
            values[ValueName(row.metric, name)] = None
    titles: dict[ValueName, str] = {}
    for value in sorted(values, key=lambda value: value.metric):
        is_taken = value.name in titles.values()
        titles[value] = f"{value.name} ({value.metric + 1})" if is_taken else value.name
    return titles


def of_ability(rows: Iterable[Outline], ability: str) -> list[Outline]:
    return [row for row in rows if row.ability == ability]


def noise_points(rows: Iterable[Outline], value: Value) -> list[NoisePoint]:
    """One point for each noise level that the value was asked at, lowest first."""
    levels: dict[float, list[Outline]] = {}
    for row in of_ability(rows, value.of) if value.of else rows:
        if row.noise is not None:
            levels.setdefault(row.noise, []).append(row)
    return [_noise_point(noise, levels[noise], value.in_score) for noise in sorted(levels)]


class Counted(NamedTuple):
    """One value of a run: the rows that it is counted over, and what is declared of it.

    `metric` is the number of its metric, from 0.
    """

    rows: Sequence[Outline]
    record: Value
    metric: int = 0

    @property
    def name(self) -> str:
        """What it is called in the rows."""
        return self.record.in_score

    @property
    def mean(self) -> Mean:
        return summarise(self.rows, self.name)


def named_values(specs: Sequence[EvaluatorSpec], rows: Sequence[Outline]) -> dict[str, Counted]:
    """Every value of these metrics, under the names of `Results.summary`."""
    named: dict[str, Counted] = {}
    for number, spec in enumerate(specs):
        own_rows = of_metric(rows, number)
        own = counted_values(own_rows, declared_values(spec.name))
        # A metric that has judged nothing yet is a line all the same: 0 of 12 scored.
        for value in own or [Counted(own_rows, Value(spec.name))]:
            name = value.record.name
            named[f"{name} ({number + 1})" if name in named else name] = value._replace(
                metric=number
            )
    return named


def counted_values(rows: Sequence[Outline], declared: Sequence[Value]) -> list[Counted]:
    """The values of one metric that these rows have, those of an ability over its rows alone.

    What a judge says comes last, where one was asked.
    """
    names = _value_names(rows)
    records = {record.in_score: record for record in declared if not record.of}
    values: list[Counted] = []
    for record in sorted(declared, key=lambda record: bool(record.judge_of)):
        of_record = of_ability(rows, record.of) if record.of else []
        if of_record and (not record.judge_of or record.in_score in names):
            values.append(Counted(of_record, record))
    of_abilities = {value.name for value in values}
    for name in names:
        if name not in of_abilities:
            values.append(Counted(rows, records.get(name) or Value(name)))
    return values


def rates(rows: Sequence[Outline], declared: Sequence[Value]) -> dict[Value, Mean]:
    """The means of those values that are rates of answers that pass."""
    return {
        value.record: value.mean
        for value in counted_values(rows, declared)
        if value.record.kind == "rate"
    }


def by_declared_name(
    values: Mapping[str, T], declared: Sequence[Value], ability: str | None
) -> dict[str, T]:
    """Values of one answer by the names that their means have; of RGB one enters several."""
    if not any(value.of for value in declared):
        return dict(values)
    return {
        value.name: values[value.in_score]
        for value in declared
        if value.of == ability and value.in_score in values
    }


def mean_of(
    judged: Sequence[float] | NDArray[np.float64],
    keys: Units | None = None,
    *,
    asked: int,
    not_applicable: int,
    failed: int,
    estimated: int,
) -> Mean:
    """The mean of values; those with the same key are one question."""
    ends = None if estimated else interval(judged, keys)
    low, high = ends or (None, None)
    return Mean(
        mean=_average(judged),
        low=low,
        high=high,
        asked=asked,
        scored=len(judged),
        not_applicable=not_applicable,
        failed=failed,
        questions=None if keys is None else questions_of(keys),
        estimated=estimated,
    )


def mean_of_rows(
    rows: Sequence[Outline],
    values: Sequence[float | None],
    resembling: Units | None = None,
    *,
    is_of_labels: bool = False,
) -> Mean:
    """The mean of values of these rows, `None` where they do not apply, with units as `summarise`.

    One that `is_of_labels` is an estimate where the heuristic labelled.
    """
    resembling = units(rows) if resembling is None else resembling
    is_judged = np.array([value is not None for value in values], dtype=bool)
    judged = [*compress(rows, is_judged)]
    return mean_of(
        [float(value) for value in values if value is not None],
        resembling[is_judged],
        asked=len(rows),
        # One without a value that is still open may come to have one.
        not_applicable=sum(row.status == "scored" for row in compress(rows, ~is_judged)),
        failed=sum(row.status == "failed" for row in rows),
        estimated=sum(has_heuristic([row.by]) for row in judged) if is_of_labels else 0,
    )


def questions_of(keys: Units) -> int | None:
    """How many units there are; `None` where each is there once."""
    questions = int(np.count_nonzero(np.bincount(keys)))
    return questions if questions < len(keys) else None


def _are_all_verdicts(values: Iterable[float]) -> bool:
    return all(value in (0, 1) for value in values)


def _other_rules(rows: Sequence[Outline], name: str) -> OtherRules | None:
    """The rate by the set of rules that these values are not of, where it is another one."""
    differing = [
        row
        for row in rows
        if row.by_rules and any(name in values for values in row.by_rules.values())
    ]
    if len(differing) <= ALIKE_VERDICTS:
        return None

    def unlike(policy: str) -> int:
        own = [row.by_rules.get(policy, {}).get(name) for row in differing]
        return sum(row.values.get(name) != value for row, value in zip(differing, own, strict=True))

    # In a view by other rules than the run's the values are those of the other set.
    other = max(differing[0].by_rules, key=unlike)
    values = [{**row.values, **row.by_rules.get(other, {})}.get(name) for row in rows]
    mean = _average([value for value in values if value is not None])
    return None if mean is None else OtherRules(rules=other, mean=mean)


def _prompt_of(row: Outline) -> Hashable:
    # Two models that answer it are two systems, whose answers stand apart.
    return row.prompt, row.model


def _within(rows: Sequence[Outline], name: str) -> Within | None:
    """How far the values of one prompt differ; `None` where none was judged twice."""
    by_prompt: dict[Hashable, list[float]] = {}
    for row in rows:
        value = row.values.get(name)
        if value is not None:
            by_prompt.setdefault(_prompt_of(row), []).append(value)
    repeated = [values for values in by_prompt.values() if len(values) > 1]
    deviation = within_groups(repeated)
    if deviation is None:
        return None
    alike = sum(len(set(values)) == 1 for values in repeated)
    is_rate = _are_all_verdicts(chain.from_iterable(repeated))
    return Within(
        prompts=len(repeated),
        agree=alike / len(repeated) if is_rate else None,
        deviation=deviation,
    )


def _viewed_scores(
    sample: Sample,
    score: Score,
    view: View,
    given: Sequence[PersonLabel],
) -> TRACEScores | None:
    # A `RunView` names the formula where the view leaves it to the run.
    assert view.definition is not None
    sentences, labels = stored_labels(score, sample)
    by = view.by
    if by is not None and is_people_alone(by):
        return people_scores(by, labels, sentences, given, view.definition)
    if by == CORRECTED:
        labels = corrected(labels, sentences, given)
    elif by is not None:
        own = labelling.labellings(score, sample).get(by)
        if own is None:
            return None
        labels = own.labels
    return trace_scores(sentences, labels, view.definition)


def _one_row(rows: Sequence[Outline], names: Mapping[ValueName, str]) -> Outline:
    """The rows of one answer as one row, the values in the order of the names."""
    states = {row.status for row in rows}
    status: CellStatus | None = None if None in states else "scored"
    if "failed" in states:
        status = "failed"
    values: dict[ValueName, float | None] = {}
    for row in rows:
        for name, value in row.values.items():
            values[ValueName(row.metric, name)] = value
    titled: dict[str, float | None] = {}
    for value_name, title in names.items():
        if value_name in values:
            titled[title] = values[value_name]
    labellers = [row.by for row in rows if row.by]
    return rows[0]._replace(
        metric=0,
        status=status,
        values=titled,
        by=labellers[0] if labellers else "",
        corrected=max(row.corrected for row in rows),
    )


def _noise_point(noise: float, rows: Sequence[Outline], name: str) -> NoisePoint:
    return NoisePoint(noise=noise, effective_noise=mean_noise(rows), mean=summarise(rows, name))


def mean_noise(rows: Iterable[Outline]) -> float | None:
    """The mean share of negatives that the prompts really held, where it is known."""
    had = _average([row.effective_noise for row in rows if row.effective_noise is not None])
    # So many digits as prompts can tell apart: a sum of shares has a tail of others.
    return None if had is None else round(had, 4)


def _bin_counts(values: Sequence[float | None]) -> tuple[int, ...]:
    shares = np.array([value for value in values if value is not None], dtype=float)
    if not ((shares >= 0) & (shares <= 1)).all():
        return ()
    # A part does not hold its upper end, so 1 itself falls into the last one.
    parts = np.minimum((shares * BINS).astype(int), BINS - 1)
    return tuple(np.bincount(parts, minlength=BINS).tolist())


def _value_names(rows: Sequence[Outline]) -> list[str]:
    """The name of every value that any of these rows has, in their order."""
    names = chain.from_iterable(row.values for row in rows)
    return list(dict.fromkeys(names))


def _average(values: Sequence[float] | NDArray[np.float64]) -> float | None:
    # Exact: in whatever order the values come, and by whatever Python, the sum is the same.
    return math.fsum(values) / len(values) if len(values) else None
