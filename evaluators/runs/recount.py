"""Do a run's figures follow from its own rows: what asks nobody is judged anew, and laid beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.errors import ParameterError, PlumblineError
from evaluators.llm.fake import FakeLLM
from evaluators.records import (
    Cell,
    JudgeEvidence,
    LabelEvidence,
    Record,
    Run,
    Sample,
    Score,
)
from evaluators.runs import pool
from evaluators.runs.environment import Environment, changed_versions, versions
from evaluators.runs.formulas import stored_formula
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.text.language import mark, say
from evaluators.text.words import counted, joined_sentences
from evaluators.trace.metrics import from_score

NAMED = 5
"""Samples that the sentence names."""

_DIFFERS = mark(
    "Recomputed: {results} does not follow from the answers and labels (samples {samples}): {why}."
)
_DIFFER = mark(
    "Recomputed: {results} do not follow from the answers and labels (samples {samples}): {why}."
)


class Recount(Record):
    """What came of it: `values` that were worked out anew, and `differing` cells where one differs.

    `unknown` are results that cannot be had without asking an LLM or running code of somebody's
    own. `versions` names what differs between the versions of the run and these.
    """

    values: int
    differing: tuple[Cell, ...] = ()
    unknown: int = 0
    versions: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        return not self.differing

    def sentence(self) -> str:
        """The finding, to be read out; empty where nothing could be worked out."""
        unknown = ""
        if self.unknown:
            results = counted(self.unknown, "result")
            unknown = say("{results} cannot be recomputed without asking.", results=results)
        if not self.values:
            return unknown
        if self.is_same:
            values = counted(self.values, "value")
            same = say("Recomputed: {values}, all the same.", values=values)
            return joined_sentences([same, unknown])
        samples = sorted({cell.position + 1 for cell in self.differing})
        named = ", ".join(map(str, samples[:NAMED])) + (" …" if len(samples) > NAMED else "")
        why = say("edited, or made by other rules")
        if self.versions:
            versions = ", ".join(self.versions)
            why = say("made by other rules ({versions}), or edited", versions=versions)
        results = counted(len(self.differing), "result")
        differ = say(
            _DIFFERS if len(self.differing) == 1 else _DIFFER,
            results=results,
            samples=named,
            why=why,
        )
        return joined_sentences([differ, unknown])


def recounted(view: RunView) -> Recount:
    """Works out every value anew: from the answers, what a judge wrote, or the labels alone.

    Nobody is asked. Whoever changed what the judge wrote as well is found out by running it again.
    """
    run = view.run
    evaluators = [_evaluator_of(run, number) for number in range(len(run.evaluators))]
    models = range(max(1, len(run.models)))
    positions = range(view.store.samples.number_of(run.id))
    answers = [Answer(position, model) for position in positions for model in models]
    values = unknown = 0
    differing: list[Cell] = []
    for answer, content in view.contents_one_by_one(answers):
        sample = content.answered
        for metric, result in content.results.items():
            if (score := result.score) is None:
                continue
            anew = _anew(evaluators[metric], sample, score, stored_formula(run))
            if anew is None:
                unknown += 1
                continue
            values += len(anew)
            if any(score.values.get(name) != value for name, value in anew.items()):
                differing.append(Cell(*answer, metric))
    now = Environment(versions=(versions(),))
    changed = changed_versions(view.store.environments.of(run), now)
    return Recount(
        values=values,
        differing=tuple(differing),
        unknown=unknown,
        versions=tuple(changed) if differing else (),
    )


def _evaluator_of(run: Run, metric: int) -> Evaluator | None:
    """The metric, where it is one of ours that needs no model but the run's judges; else `None`."""
    # A metric that is gone, or wants a package that is not here.
    with suppress(ParameterError):
        evaluator = from_spec(run.evaluators[metric])
        evaluator.check_ready()
        # Neither code of somebody's own nor a model that would be downloaded for a stranger's file.
        if pool.takes(evaluator):
            return evaluator
    return None


def _anew(
    evaluator: Evaluator | None,
    sample: Sample,
    score: Score,
    formula: str,
) -> Mapping[str, float | None] | None:
    """The values as they come out now; `None` where they cannot be known without asking."""
    try:
        if evaluator is not None and not evaluator.needs_judge:
            return evaluator.score(sample).values
        if evaluator is not None:
            anew = _read_again(evaluator, sample, _judge_outputs(score))
            if anew is not None:
                return anew
        return _by_formulas(score, sample, formula)
    except PlumblineError:
        # Scored then and not to be scored now: no value of it follows.
        return dict.fromkeys(score.values)


def _judge_outputs(score: Score) -> Sequence[str]:
    """The raw answers of the only judge; empty where there are several or none."""
    if isinstance(score.evidence, JudgeEvidence):
        return score.evidence.outputs
    if isinstance(score.evidence, LabelEvidence) and len(score.evidence.labellings) == 1:
        judgement = score.evidence.counted.judgement
        return judgement.outputs if judgement else ()
    return ()


def _read_again(
    evaluator: Evaluator,
    sample: Sample,
    outputs: Sequence[str],
) -> Mapping[str, float | None] | None:
    """What the judge's own words give."""
    judge = FakeLLM(outputs)
    try:
        values = evaluator.model_copy(update={"llm_client": judge}).score(sample).values
    except ParameterError:
        # It was asked in more parts than here: how long its prompts might be is not kept.
        return None
    return values if judge.calls == len(outputs) else None


def _by_formulas(score: Score, sample: Sample, formula: str) -> Mapping[str, float | None] | None:
    if not isinstance(score.evidence, LabelEvidence):
        return None
    return from_score(score, sample, formula).values()
