"""A run and the same run once more: reproduced, or differing where, and what may be why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from evaluators.comparison.compare import compared
from evaluators.comparison.sides import Side
from evaluators.comparison.words import in_points, readable
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import OFFLINE, model_title
from evaluators.records import LabelEvidence, Record, RuleEvidence, Run, SampleResult, Score
from evaluators.runs.environment import Environment, changed_versions
from evaluators.runs.run_view import RunView
from evaluators.runs.settings import Change
from evaluators.runs.store import Answer, Store
from evaluators.text.language import say
from evaluators.text.words import counted

AT_ONCE = 500
"""Answers of which both runs' results are in memory at a time."""
MOST_MEANS = 3
"""Means that the sentence names; a table has them all."""

Kind = Literal["verdict", "value", "state", "labels"]
"""What can differ: yes or no, a number, failed or not, labels."""


class DifferingAnswer(Record):
    """An answer that came out otherwise, by its sample and model from 0, and what of it did."""

    position: int
    model: int
    kinds: tuple[Kind, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Repeated:
    """What became of a run that was done again.

    Of the `answers` that the first run has, `values` were compared; those `differing` came out
    otherwise, `reworded` ones have the same values in other words. `open` results are not there
    (yet). `means` are the differences of the means that changed, `reasons` what may be why, and
    `reused` answers came from the store without anybody being asked.
    """

    first: Run
    second: Run
    answers: int
    values: int
    differing: tuple[DifferingAnswer, ...]
    reworded: int
    open: int
    means: tuple[str, ...]
    reasons: tuple[str, ...]
    reused: int = 0

    @property
    def is_reproduced(self) -> bool:
        """Whether every value is there and the same."""
        return not self.differing and not self.open

    def sentence(self) -> str:
        """What came out, to be read out."""
        if self.open:
            results = counted(self.open, "result")
            return say("{results} of the first run not there yet.", results=results)
        if self.is_reproduced:
            found = say("all {number:,} values are the same", number=self.values)
            if self.values == 1:
                found = say("the value is the same")
            if self.reworded:
                answers = counted(self.reworded, "answer")
                found = say("{found}; {answers} in other words", found=found, answers=answers)
            return say("Reproduced: {found}.", found=found)
        kinds: Counter[str] = Counter()
        for answer in self.differing:
            kinds.update(answer.kinds)
        said = {
            "verdict": counted(kinds["verdict"], "verdict"),
            "value": counted(kinds["value"], "value"),
            "state": counted(kinds["state"], "failure"),
            "labels": counted(kinds["labels"], "labelling"),
        }
        found = say(", ").join(words for kind, words in said.items() if kinds[kind])
        if self.means:
            found = say("; ").join((found, say(", ").join(self.means[:MOST_MEANS])))
        return say(
            "Differs in {number:,} of {answers}: {found}.",
            number=len(self.differing),
            answers=counted(self.answers, "answer"),
            found=found,
        )

    def summary(self) -> dict[str, object]:
        """All of it for a program."""
        return {
            "reproduced": self.is_reproduced,
            "sentence": self.sentence(),
            "answers": self.answers,
            "values": self.values,
            "differing": [answer.model_dump() for answer in self.differing],
            "reworded": self.reworded,
            "open": self.open,
            "means": list(self.means),
            "reasons": list(self.reasons),
            "reused": self.reused,
        }


def repeated(store: Store, first: Run, second: Run) -> Repeated:
    """The second run against the first, answer by answer; both are over the same samples."""
    differing: list[DifferingAnswer] = []
    answers = values = reworded = left_open = 0
    for answer, before, after in _results_of_both(store, first, second):
        answers += 1
        # The second run may be at work still, or was stopped.
        left_open += len(before.keys() - after.keys())
        found = _compared_answer(answer, before, after)
        values += found.values
        reworded += found.is_reworded and not found.kinds
        if found.kinds:
            differing.append(
                DifferingAnswer(
                    position=answer.position,
                    model=answer.model,
                    kinds=found.kinds,
                    changes=found.changes,
                )
            )
    changed = {change.setting for answer in differing for change in answer.changes}
    views = RunView.read(store, first), RunView.read(store, second)
    return Repeated(
        first=first,
        second=second,
        answers=answers,
        values=values,
        differing=tuple(differing),
        reworded=reworded,
        open=left_open,
        means=tuple(_means(views, changed)),
        reasons=tuple(_reasons(store, first, second)) if differing or reworded else (),
        reused=views[1].remarks().reused,
    )


@dataclass(frozen=True)
class _Found:
    values: int
    kinds: tuple[Kind, ...]
    changes: tuple[Change, ...]
    is_reworded: bool


Results = Mapping[int, SampleResult]


def _results_of_both(
    store: Store, first: Run, second: Run
) -> Iterator[tuple[Answer, Results, Results]]:
    """Every answer that the first run has, with what the metrics of both say of it."""
    samples = range(store.samples.number_of(first.id))
    # Answers that came with the data have no model and stand under number 0.
    models = range(max(1, len(first.models)))
    for start in range(0, len(samples), AT_ONCE):
        positions = samples[start : start + AT_ONCE]
        chosen = [Answer(position, model) for position in positions for model in models]
        ours = store.results.of_answers(first.id, chosen)
        theirs = store.results.of_answers(second.id, chosen)
        for answer, own in ours.items():
            yield answer, own, theirs.get(answer, {})


def _compared_answer(answer: Answer, before: Results, after: Results) -> _Found:
    kinds: dict[Kind, None] = {}
    changes = []
    values = 0
    is_reworded = False
    # What the first run did not come to cannot differ.
    for metric in sorted(before.keys() & after.keys()):
        ours, theirs = before[metric], after[metric]
        is_reworded |= ours.response != theirs.response
        if ours.status != theirs.status:
            kinds["state"] = None
            words = ["failed" if each.status == "failed" else "checked" for each in (ours, theirs)]
            changes.append(Change(setting="state", first=words[0], second=words[1]))
        elif ours.score and theirs.score:
            values += len(ours.score.values)
            own = list(_changed_values(ours.score, theirs.score))
            for change, kind in own:
                kinds[kind] = None
                changes.append(change)
            # Labels whose values are the same all the same: another reason for an equal number.
            if not own and _what_decided(ours.score) != _what_decided(theirs.score):
                kinds["labels"] = None
    return _Found(values, tuple(kinds), tuple(changes), is_reworded)


def _changed_values(first: Score, second: Score) -> Iterator[tuple[Change, Kind]]:
    # Of both: a value that only one of them has differs too.
    for name in dict.fromkeys([*first.values, *second.values]):
        before, after = first.values.get(name), second.values.get(name)
        if before != after:
            numbers = ["none" if each is None else f"{each:g}" for each in (before, after)]
            is_verdict = {before, after} <= {0, 1}
            change = Change(setting=name, first=numbers[0], second=numbers[1])
            yield change, "verdict" if is_verdict else "value"


def _what_decided(score: Score) -> object:
    """What decided, without the words that a judge found for it."""
    evidence = score.evidence
    if isinstance(evidence, LabelEvidence):
        return [
            (
                each.by,
                each.labels.relevant_keys,
                each.labels.utilized_keys,
                [
                    (own.key, own.support, own.supporting_keys)
                    for own in each.labels.sentence_support
                ],
            )
            for each in evidence.labellings
        ]
    if isinstance(evidence, RuleEvidence):
        return {name: verdict.passed for name, verdict in evidence.verdicts.items()}
    return None


def _means(views: tuple[RunView, RunView], changed: set[str]) -> Iterator[str]:
    """How far each mean moved that has a changed value: "adherence +2.0 (-1.0 to 5.0)"."""
    models = views[0].run.models
    for model in range(max(1, len(models))):
        whose = model_title(models[model]) if len(models) > 1 else ""
        try:
            sides = [Side(view, model) for view in views]
            values = compared(*sides, with_outcomes=False).values
        except ParameterError:
            # Nothing was checked in one of them.
            continue
        for value in values:
            moved = value.difference and (value.difference.wins or value.difference.losses)
            if changed and moved:
                points = in_points(value.difference)
                mean = say("{value} {points} points", value=readable(value.name), points=points)
                yield say("{name}: {sentence}", name=whose, sentence=mean) if whose else mean


def _reasons(store: Store, first: Run, second: Run) -> Iterator[str]:
    """What may be why the two differ, in sentences."""
    before, after = store.environments.of(first), store.environments.of(second)
    yield from _other_models(before, after)
    if changed := changed_versions(before, after):
        yield say("Versions differ: {versions}.", versions=", ".join(changed))
    if not before.versions:
        yield say("With which versions the first run was made is not recorded.")
    llms = [spec for spec in (*first.models, *first.judges) if spec != OFFLINE]
    for spec in dict.fromkeys(llms):
        if spec.temperature is None:
            yield say(
                "{model} chooses its own temperature: its answers vary by chance.",
                model=model_title(spec),
            )
        elif spec.temperature:
            yield say(
                "{model} was asked at temperature {temperature:g}: its answers vary by chance.",
                model=model_title(spec),
                temperature=spec.temperature,
            )
    if llms and all(spec.temperature == 0 for spec in llms):
        yield say("An LLM may answer otherwise at temperature 0 as well.")
    if not llms and before.versions and not changed:
        yield say(
            "Nobody was asked and the versions are the same: one of the two may have been edited."
        )


def _other_models(before: Environment, after: Environment) -> Iterator[str]:
    served = {model.id: model.served for model in after.models}
    for model in before.models:
        now = served.get(model.id, ())
        if model.served and now and set(model.served) != set(now):
            yield say(
                "{model} answered as {before}, now as {now}.",
                model=model.id,
                before=", ".join(model.served),
                now=", ".join(now),
            )
