"""A run's labeller checked against people, or against the labels of the data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from evaluators.arguments import plain
from evaluators.catalogue import declared_values, labels_sentences, metric_named
from evaluators.datasets.given_scores import MOST_COLUMNS
from evaluators.errors import ParameterError
from evaluators.people.check import check
from evaluators.people.checked import Against, Check, ValueCheck
from evaluators.people.queues import LabelQueue
from evaluators.people.records import Drawn, LabelledSample, stratum_of
from evaluators.people.score_columns import (
    YES_FROM,
    CheckedScores,
    check_column,
    checked_one_by_one,
    column_named,
)
from evaluators.records import Cell
from evaluators.runs import aggregate, rulings, run_facts
from evaluators.runs.aggregate import View, by_declared_name
from evaluators.runs.formulas import formula_of, stored_formula
from evaluators.runs.labelled import labelled
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Outline
from evaluators.runs.whose import own_labeller
from evaluators.text.language import language, mark, say
from evaluators.text.printable import shown
from evaluators.trace.metrics import from_score
from evaluators.trace_evaluator import TRACEEvaluator

# Two seconds of work, and an AUROC to some 2 points.
MOST_ESTIMATED = 1000
"""Labelled answers of which the heuristic says how likely they are supported."""

OwnDraw = Literal["random", "by verdict", "chosen"]
OWN_DRAWS: Mapping[OwnDraw, Drawn] = {
    "random": "at random",
    "by verdict": "by verdict",
    "chosen": "by hand",
}
"""How the answers of labels from elsewhere were found, as whoever has them says it."""

OwnLabels = Mapping[str, float | Mapping[str, float]]
"""By the sample's id: the value of the first metric's verdict, or several values by name."""


def checked(
    view: RunView,
    metric: int = 0,
    model: int = 0,
    against: Against = "people",
    definition: str | None = None,
    labels_of: RunView | None = None,
) -> Check:
    """One metric's values of one model's answers beside the labels that the store has.

    Of RGB the values go by the names of the rates, such as "noise_robustness". `labels_of` is
    another run over the same answers, whose labels are taken. The check of a run's own labels is
    worked out once for each state of results and labels.
    """

    formula = formula_of(view.run, definition)

    def work_out() -> Check:
        found = labelled(labels_of or view, metric, against, formula)
        own = [sample for sample in found if sample.cell.model == model]
        return _checked(view, metric, model, own, against, formula)

    if labels_of is not None:
        return work_out()
    # It holds sentences, which are in the language of whoever asked first.
    name = f"check {metric} {model} {against} {formula} {language()}"
    return view.kept(name, Check, work_out)


def scores_of_data(view: RunView, metric: int = 0) -> dict[str, dict[Cell, float | str]]:
    """What others said of the answers in the data, by column; nothing where models answered."""
    if view.run.models:
        return {}
    positions = {row.position for row in view.of_metric(metric)}
    fields = view.store.samples.fields(view.run.fingerprint, positions, ["scores"])
    columns: dict[str, dict[Cell, float | str]] = {}
    for position, (body,) in sorted(fields.items()):
        scores = json.loads(body) if isinstance(body, str) else {}
        for name, score in scores.items():
            columns.setdefault(name, {})[Cell(position, 0, metric)] = score
    return columns


def checked_scores(
    view: RunView,
    name: str,
    metric: int = 0,
    against: Against = "people",
    definition: str | None = None,
    *,
    of: str = "",
    scale: str = "",
    yes_from: float = YES_FROM,
) -> Check:
    """A column of scores of the data beside the labels that the store has, as `checked`.

    `of`, `scale` and `yes_from` are those of `ScoreColumn`. Raises `ParameterError` where there is
    no such column, and where its scores cannot be read so.
    """
    columns = scores_of_data(view, metric)
    if name not in columns:
        there = ", ".join(list(columns)[:MOST_COLUMNS]) or say("none")
        text = mark("The data of this run have no column of scores “{column}”. They have: {there}.")
        raise ParameterError(say(text, column=name, there=there))
    declared = declared_values(view.run.evaluators[metric].name)
    column = column_named(name, of, scale, yes_from, declared)
    found = _by_declared_names(
        view, metric, labelled(view, metric, against, formula_of(view.run, definition))
    )
    questions = _question_groups(view, metric, 0)
    return check_column(column, columns[name], found, against, declared, questions)


def every_column(
    view: RunView, metric: int, against: Against, definition: str | None
) -> Iterator[CheckedScores]:
    """Each column of scores of the data as `checked_scores`, or why it cannot be checked."""
    return checked_one_by_one(
        view.run.dataset_name,
        [row.sample_id for row in view.of_metric(metric)],
        list(scores_of_data(view, metric)),
        lambda name: checked_scores(view, name, metric, against, definition),
    )


def corrected_headlines(
    view: RunView, seen: View, metric: int = 0, model: int | None = None
) -> list[str]:
    """What people say of the first value of one model, or of each, beside the run's labeller.

    Only of what labels of a random draw correct: the run's own labeller by its own rules.
    """
    models = run_facts.titles(view.run)
    lines = []
    for number in range(max(1, len(models))) if model is None else [model]:
        for value in corrected_means(view, seen, metric, number)[:1]:
            line = value.headline
            if len(models) > 1:
                line = say("{name}: {sentence}", name=models[number], sentence=line)
            lines.append(line)
    return lines


def corrected_means(view: RunView, seen: View, metric: int, model: int) -> list[ValueCheck]:
    """The values of one model that have a `headline`; none in a view of other labels or rules."""
    if not view.people or seen.by or rulings.policy_of(view.run, seen.policy):
        return []
    found = checked(view, metric, model, definition=seen.definition)
    return [value for value in found.values if value.headline]


def checked_in_queue(
    view: RunView,
    queue: LabelQueue,
    person: str,
    model: int = 0,
) -> Check:
    """The labeller beside what one person said of one model's answers in a queue."""
    cells = {queue.cell(place) for place in range(len(queue.answers))}
    said = {}
    for cell, given in view.people.items():
        if cell in cells and cell.model == model:
            said[cell] = [label for label in given if label.person == person]
    found = labelled(replace(view, people=said, _kept={}), queue.metric)
    return _checked(view, queue.metric, model, found, "people", formula_of(view.run))


def checked_by(
    labels: OwnLabels,
    view: RunView,
    model: int = 0,
    definition: str | None = None,
    drawn: OwnDraw | None = None,
) -> Check:
    """The first metric beside labels from elsewhere, under the names of `checked`.

    A label that is a number alone is that of the first value that applies; of TRACE adherence.
    `drawn` tells how the labelled answers were found: at "random", at random "by verdict" of the
    labeller, or "chosen"; `None` is not known. Raises `ParameterError` for another word, for an id
    that no sample has, or several, for a name that no value has, and for a number beyond 0 and 1.
    """
    # A column of pandas goes by its index.
    if callable(getattr(type(labels), "to_dict", None)):
        labels = labels.to_dict()  # type: ignore[attr-defined]
    if not isinstance(labels, Mapping):
        raise ParameterError(
            f'labels is {shown(labels)}. Give them by the samples\' ids: {{"q1": 1, "q2": 0}}.'
        )
    if drawn not in (None, *OWN_DRAWS):
        known = ", ".join(f'"{name}"' for name in OWN_DRAWS)
        raise ParameterError(f"drawn={drawn!r:.40} is not a way of drawing. There are: {known}.")
    answers = _verdicts_of_labeller(view, 0, model, formula_of(view.run, definition))
    rows: dict[str, list[Outline]] = {}
    for row in aggregate.of_model(view.of_metric(0), model):
        rows.setdefault(row.sample_id, []).append(row)
    own = []
    for sample_id, label in labels.items():
        meant = rows.get(sample_id, [])
        if len(meant) != 1:
            problem = f"{len(meant)} samples have" if meant else "No sample has"
            raise ParameterError(
                f"{problem} the id {sample_id!r:.60}, which is labelled. {_ids_in_words(rows)}"
            )
        cell = Cell(meant[0].position, model)
        values = answers.get(cell, {})
        own.append(
            LabelledSample(
                cell=cell,
                judged=dict(values),
                people=_read_label(sample_id, label, values),
                stratum=stratum_of(values),
                drawn=OWN_DRAWS[drawn] if drawn else "not known",
                blind=True,
                by=("people",),
            )
        )
    if drawn != "chosen":
        own = _weighted_by_verdict(own, answers)
    return check(own_labeller(view), answers, own, questions=_question_groups(view, 0, model))


def _ids_in_words(rows: Mapping[str, Sequence[Outline]]) -> str:
    first = ", ".join(f"{name!r:.60}" for name in islice(rows, 3))
    further = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return f"Labels go by the samples' ids, and each must be that of one sample: {first}{further}."


def _weighted_by_verdict(
    own: Sequence[LabelledSample],
    answers: Mapping[Cell, Mapping[str, float | None]],
) -> list[LabelledSample]:
    """The same with how probable each was within the labeller's verdict.

    However the answers of each verdict were shared out, together they then stand for the run's.
    """
    sizes = Counter(map(_group_of_verdict, answers.values()))
    labelled = Counter(_group_of_verdict(sample.judged) for sample in own)
    weighted = []
    for sample in own:
        group = _group_of_verdict(sample.judged)
        # Of what the labeller did not judge there is no verdict to draw by.
        probability = labelled[group] / sizes[group] if group and sizes[group] else None
        weighted.append(sample.model_copy(update={"probability": probability}))
    return weighted


def _group_of_verdict(values: Mapping[str, float | None]) -> tuple[str, ...]:
    """The verdict, and of RGB the ability, whose answers can be drawn from; none without values."""
    applying = [name for name, value in values.items() if value is not None]
    if "adherence" in values:
        applying = ["adherence"] if values["adherence"] is not None else []
    return (stratum_of(values), *applying) if applying else ()


def _read_label(
    sample_id: str, label: float | Mapping[str, float], values: Mapping[str, float | None]
) -> dict[str, float]:
    if not isinstance(label, Mapping):
        applying = [name for name, value in values.items() if value is not None]
        lead = "adherence" if "adherence" in values else next(iter(applying), "")
        label = {lead: label} if lead else {}
    for name, number in label.items():
        if values and name not in values:
            raise ParameterError(
                f"Sample {sample_id!r:.60} has no value {name!r:.40}. It has: {', '.join(values)}."
            )
        if not (isinstance(plain(number), int | float) and 0 <= number <= 1):
            raise ParameterError(
                f"The label of sample {sample_id!r:.60} is {shown(number)}. Write 1 for yes, "
                "0 for no, or a number between."
            )
    return {name: float(number) for name, number in label.items()}


def _checked(
    view: RunView,
    metric: int,
    model: int,
    found: Sequence[LabelledSample],
    against: Against,
    definition: str,
) -> Check:
    answers = _verdicts_of_labeller(view, metric, model, definition)
    found = _by_declared_names(view, metric, found)
    likely = {"adherence": _likely_adherence(view, found)} if metric == 0 else {}
    return check(
        own_labeller(view, metric),
        answers,
        found,
        against,
        likely,
        _question_groups(view, metric, model),
    )


def _by_declared_names(
    view: RunView, metric: int, found: Sequence[LabelledSample]
) -> list[LabelledSample]:
    """What people say by the names that the metric's means have."""
    declared = declared_values(view.run.evaluators[metric].name)
    abilities = {row.position: row.ability for row in view.of_metric(metric)}
    named = []
    for sample in found:
        people = by_declared_name(sample.people, declared, abilities.get(sample.cell.position))
        named.append(sample.model_copy(update={"people": people}))
    return named


def _verdicts_of_labeller(
    view: RunView, metric: int, model: int, definition: str
) -> dict[Cell, Mapping[str, float | None]]:
    """What the labeller itself says of every answer that it judged."""
    if definition != stored_formula(view.run) and labels_sentences(view.run.evaluators[metric]):
        # Only values by the run's formula are kept: by another one the labels are counted anew.
        anew = {}
        for cell, sample, score in view.store.results.scored(view.run, metric):
            if cell.model == model:
                anew[cell] = from_score(score, sample, definition).values()
        return dict(anew)
    answers: dict[Cell, Mapping[str, float | None]] = {}
    declared = declared_values(view.run.evaluators[metric].name)
    for row in aggregate.of_model(view.of_metric(metric), model):
        values = by_declared_name(row.values, declared, row.ability)
        answers[Cell(row.position, row.model, row.metric)] = values
    return answers


def _question_groups(view: RunView, metric: int, model: int) -> dict[Cell, Hashable]:
    """By what answers resemble each other."""
    rows = aggregate.of_model(view.of_metric(metric), model)
    cells = [Cell(row.position, row.model, row.metric) for row in rows]
    return dict(zip(cells, aggregate.units(rows), strict=True))


def _likely_adherence(view: RunView, found: Sequence[LabelledSample]) -> dict[Cell, float]:
    """How likely the labeller holds each of these answers to be supported, where it says so.

    That is the estimate of the least supported sentence; of many answers only the first have one.
    """
    spec = view.run.evaluators[0]
    heuristic = TRACEEvaluator(**spec.params) if spec.name == "trace" else None
    cls = metric_named(spec.name)
    if heuristic is None and not (cls and cls.gives_probabilities):
        return {}
    likely = {}
    answers = [Answer(sample.cell.position, sample.cell.model) for sample in found[:MOST_ESTIMATED]]
    for answer, content in view.contents_one_by_one(answers):
        score = content.results[0].score
        if score is not None:
            scores = from_score(score, content.sample)
            own = scores.labels.probabilities
            estimates = own.supported if own else {}
            if heuristic:
                estimates = heuristic.support_estimates(scores.sentences, content.sample.question)
            likely[Cell(*answer)] = min(estimates.values(), default=1.0)
    return likely
