"""What a run will take, for forms, terminal and Python alike: nothing is sent, no key is needed.

A run asks the same thing once, so the judgement of a response that several models keep counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluators.base import Evaluator
from evaluators.dry_run import answered, prompts_of
from evaluators.evaluation_pipeline import HybridEvaluator, threshold
from evaluators.llm import Keys
from evaluators.llm.clients import prompt_budget
from evaluators.llm.estimate import SHORT_ANSWER, SHORT_LABELS, Estimate, estimate, in_batch
from evaluators.llm.prompt_sizes import PromptSizes, prompt_sizes, sizes_to_come
from evaluators.prompts import fill
from evaluators.records import ModelSpec, Sample
from evaluators.runs.plan import RunPlan
from evaluators.text.language import say

CountStored = Callable[[Sequence[str]], int]
"""How many of the requests with these keys have an answer in the store."""


class Forecast(NamedTuple):
    """What the run will take of each of its models and judges, in their order."""

    models: tuple[Estimate, ...]
    judges: tuple[Estimate, ...]

    def in_batches(self) -> Forecast:
        """What it takes where all are asked overnight."""
        return Forecast(tuple(map(in_batch, self.models)), tuple(map(in_batch, self.judges)))

    def named(self, *, marks_judges: bool = True) -> list[tuple[str, Estimate]]:
        """The estimates with their names for a table, judges marked as such."""
        models = [(estimate.title, estimate) for estimate in self.models]
        judges = []
        for judge in self.judges:
            title = judge.title
            if marks_judges:
                title = say("{model} (judge)", model=title)
            judges.append((title, judge))
        return [*models, *judges]


class Measured(NamedTuple):
    """Prompts to one model, and how long their answers are at least."""

    sizes: PromptSizes
    shortest: int


class Measures:
    """Measures the prompts of a plan; a form, drawn again at every click, remembers what it gives.

    A judge is asked about the responses `to_come`, or about those that are there: all, or those at
    the `positions` that are doubtful.
    """

    def answers(self, plan: RunPlan) -> PromptSizes:
        """What the models are sent about the samples that have no response."""
        prompts = (
            (fill(plan.prompt, sample.question, sample.retrieved_documents), sample.repeat)
            for sample in plan.dataset.samples
            if sample.response is None
        )
        return prompt_sizes(prompts, plan.models)

    def judgements(
        self,
        plan: RunPlan,
        evaluator: Evaluator,
        judge: ModelSpec,
        budget: int | None,
        positions: Sequence[int] | None = None,
    ) -> PromptSizes:
        """What a judge is sent about the responses that are there."""
        has_response = "response" in evaluator.needed
        chosen = None if positions is None else frozenset(positions)
        samples = []
        for position, sample in enumerate(plan.dataset.samples):
            is_chosen = chosen is None or position in chosen
            is_there = sample.response is not None or not has_response
            if is_chosen and is_there:
                samples.append(sample)
        # One after the other: the prompts of a large data set would fill the memory.
        prompts = (
            (prompt, sample.repeat)
            for sample in samples
            for prompt in prompts_of(evaluator, sample, budget)
        )
        return prompt_sizes(prompts, [judge])

    def judgements_to_come(
        self,
        plan: RunPlan,
        evaluator: Evaluator,
        budget: int | None,
    ) -> PromptSizes:
        """What a judge is sent about the answers of one model."""
        samples = (sample for sample in plan.dataset.samples if sample.response is None)
        return sizes_to_come(
            prompt
            for sample in samples
            for prompt in prompts_of(evaluator, answered(sample), budget)
        )

    def doubts(self, plan: RunPlan, hybrid: HybridEvaluator) -> Mapping[int, float]:
        """How doubtful the heuristic is of each response that is there, by position."""
        doubts: dict[int, float] = {}
        doubt = 0.0
        for position, sample in _samples_with_response(plan):
            # Repeats follow their sample, and say the same.
            if sample.repeat == 1:
                doubt = hybrid.doubt(sample)
            doubts[position] = doubt
        return doubts


def forecast(
    plan: RunPlan,
    keys: Keys,
    stored: CountStored,
    measures: Measures | None = None,
) -> Forecast:
    """What the run will take; `keys` tell the plan of a judge, and nothing is sent with them.

    Of answers to come it is not known how doubtful they are: hybrid is taken to ask about all.
    """
    measures = measures or Measures()
    count = stored if plan.use_cache else None
    models: list[Estimate] = []
    if plan.models:
        answers = Measured(measures.answers(plan), SHORT_ANSWER)
        models = [_without_stored(model, [answers], count) for model in plan.models]
    judges = []
    for number, judge in enumerate(plan.judges):
        budget = prompt_budget(judge, keys)
        judgements: list[Measured] = []
        for evaluator in plan.asking(number):
            judgements += _judgements_of(evaluator, plan, judge, budget, measures)
        judges.append(_without_stored(judge, judgements, count))
    return Forecast(tuple(models), tuple(judges))


def doubtful(
    plan: RunPlan,
    hybrid: HybridEvaluator,
    measures: Measures,
) -> tuple[int, ...] | None:
    """The positions of the responses that hybrid sends to its judges; `None` where it sends all."""
    if not hybrid.doubt_from:
        return None
    doubts = measures.doubts(plan, hybrid)
    return tuple(position for position, doubt in doubts.items() if doubt >= hybrid.doubt_from)


def doubt_of(
    plan: RunPlan,
    hybrid: HybridEvaluator,
    most: int,
    measures: Measures,
) -> float:
    """The lowest `doubt_from` by which judges are asked about `most` of the samples at most."""
    doubts = measures.doubts(plan, hybrid)
    return threshold(doubts.values(), most)


def _judgements_of(
    evaluator: Evaluator,
    plan: RunPlan,
    judge: ModelSpec,
    budget: int | None,
    measures: Measures,
) -> Iterator[Measured]:
    """What one evaluator asks a judge: about what is there, and about each model's answers."""
    positions = None
    if isinstance(evaluator, HybridEvaluator):
        if not evaluator.needs_judge:
            return
        # Doubts are measured apart from prompts: they take far longer, and stay the same while a
        # person tries how many calls to allow.
        positions = doubtful(plan, evaluator, measures)
        evaluator = evaluator.labeller
    shortest = SHORT_LABELS if evaluator.evidence == "sentences" else SHORT_ANSWER
    yield Measured(measures.judgements(plan, evaluator, judge, budget, positions), shortest)
    # What reads no response asks the same about every model, and so only once.
    if plan.models and "response" in evaluator.needed:
        to_come = measures.judgements_to_come(plan, evaluator, budget)
        # Each model's answers are judged, and none of them is there to be measured.
        of_all_models = to_come._replace(tokens=to_come.tokens * len(plan.models))
        yield Measured(of_all_models, shortest)


def _without_stored(
    model: ModelSpec,
    parts: Sequence[Measured],
    count: CountStored | None,
) -> Estimate:
    """What is left to be asked: how many answers are stored is known, which ones is not.

    The longest prompts are taken to be open, so that the estimate is not too low.
    """
    prompts: list[int] = []
    shortest: list[int] = []
    stored = 0
    for sizes, least in parts:
        keys = sizes.keys.get(model)
        kept = count(keys) if count and keys else 0
        left = sorted(sizes.tokens)[kept:]
        prompts += left
        shortest += [least] * len(left)
        stored += kept
    return estimate(model, prompts, cached=stored, shortest=shortest)


def _samples_with_response(plan: RunPlan) -> Iterator[tuple[int, Sample]]:
    samples = enumerate(plan.dataset.samples)
    return ((position, sample) for position, sample in samples if sample.response is not None)
