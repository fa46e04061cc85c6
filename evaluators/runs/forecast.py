"""What a run will ask and take, for forms, terminal and Python alike: nothing is sent, no key is
needed.

A run asks the same thing once, so the judgement of a response that several models keep counts once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from evaluators.base import Evaluator
from evaluators.config import config
from evaluators.dry_run import answered, prompts_of
from evaluators.errors import ParameterError
from evaluators.evaluation_pipeline import threshold
from evaluators.llm import Keys, ModelRequest, request_for, tokens_of
from evaluators.llm.budget import Amount
from evaluators.llm.call_log import CallLog
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.clients import ModelSession, prompt_budget
from evaluators.llm.estimate import SHORT_ANSWER, SHORT_LABELS, Estimate, estimate, in_batch
from evaluators.llm.layers import most_cost
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt, fill
from evaluators.records import ModelSpec, Sample, Sentence
from evaluators.runs.plan import RunPlan
from evaluators.text.language import mark, say

T = TypeVar("T")

CountStored = Callable[[Sequence[str]], int]
"""How many of the requests with these keys have an answer in the store."""

MOST_SECONDS = 20
"""Of the processor for the doubts of all samples, where others wait for the same one."""

MOST_COMPARED = 500_000_000
"""Characters of a response times those of its documents there: of more, one sample takes longer."""

PROMPTS, DOUBTS = mark("Measuring the prompts"), mark("Looking for doubtful samples")


# One sample


def requests_of(
    sample: Sample,
    evaluators: Sequence[Evaluator],
    judges: Sequence[ModelSession],
    generator: ModelSession | None,
    template: str,
) -> list[ModelRequest]:
    """The request to the generator, if one is to answer, and those of all metrics to all judges.

    As far as answers do not matter: what is asked again because of one is left out, and all are
    taken to ask their judges.
    """
    requests = []
    if generator and generator.is_remote:
        prompt = fill(template, sample.question, sample.evidence)
        requests.append(generator.request(prompt, sample.repeat))
    for evaluator in evaluators:
        for judge in judges[: evaluator.most_judges()]:
            budget = judge.client(CallLog()).prompt_budget
            prompts = prompts_of(evaluator, answered(sample), budget)
            requests += [judge.request(prompt, sample.repeat) for prompt in prompts]
    return requests


def most_of(
    requests: Sequence[ModelRequest],
    further_tokens: int = 0,
    *,
    in_batch: bool = False,
) -> Amount:
    """What the requests take of a budget at most.

    `further_tokens` are those of an answer that the prompts will hold and do not hold yet.
    """
    costs = [most_cost(request, further_tokens, in_batch=in_batch) for request in requests]
    return Amount(len(costs), sum(costs))


# A whole run


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


class PromptSizes(NamedTuple):
    """Tokens of the prompts, and by model the keys under which their answers may be stored."""

    tokens: tuple[int, ...]
    keys: Mapping[ModelSpec, Sequence[str]]

    @classmethod
    def of(cls, prompts: Iterable[tuple[Prompt, int]], models: Sequence[ModelSpec]) -> PromptSizes:
        """What is sent to each of the models alike: prompts, each with its repeat."""
        sizes: list[int] = []
        # The offline reader costs nothing, stored or not.
        keys: dict[ModelSpec, list[str]] = {model: [] for model in models if model != OFFLINE}
        # Prompt by prompt: those of a large data set would fill the memory.
        for prompt, repeat in prompts:
            sizes.append(tokens_of(prompt.text, prompt.questions))
            for model, own in keys.items():
                # As the request will have it: with another address it would have another key.
                provider = PROVIDERS.get(model.provider)
                address = model.base_url or (provider.address if provider else "")
                own.append(request_for(model, prompt, address, repeat).key)
        return cls(tuple(sizes), keys)


class Measured(NamedTuple):
    """Prompts to one model, and how long their answers are at least."""

    sizes: PromptSizes
    shortest: int


class Measures:
    """Measures the prompts of a plan, and how doubtful its samples are."""

    def once(self, words: str, key: Hashable, measure: Callable[[], T]) -> T:
        """What is measured; a form, drawn again at every click, remembers it by the key.

        The key has all that it hangs on beside the samples, the words are shown meanwhile.
        """
        return measure()

    def answers(self, plan: RunPlan) -> PromptSizes:
        """What the models are sent about the samples that have no response."""

        def measure() -> PromptSizes:
            prompts = (
                (fill(plan.prompt, sample.question, sample.evidence), sample.repeat)
                for sample in _to_come(plan)
            )
            return PromptSizes.of(prompts, plan.models)

        key = ("answers", plan.prompt, plan.models, plan.repeats)
        return self.once(PROMPTS, key, measure)

    def judgements(
        self,
        plan: RunPlan,
        evaluator: Evaluator,
        judge: ModelSpec,
        budget: int | None,
        positions: Sequence[int] | None = None,
    ) -> PromptSizes:
        """What a judge is sent about the responses that are there: all, or those at positions."""

        def measure() -> PromptSizes:
            samples = plan.dataset.samples
            if positions is not None:
                samples = tuple(samples[position] for position in positions)
            if "response" in evaluator.needed:
                samples = tuple(sample for sample in samples if sample.response is not None)
            return PromptSizes.of(_judge_prompts(evaluator, samples, budget), [judge])

        key = ("judgements", _kind(evaluator), judge, budget, positions, plan.repeats)
        return self.once(PROMPTS, key, measure)

    def judgements_to_come(
        self,
        plan: RunPlan,
        evaluator: Evaluator,
        budget: int | None,
    ) -> PromptSizes:
        """What a judge is sent about the answers of one model, each taken to be a short one.

        As nobody knows them, no stored judgement of them can be found.
        """

        def measure() -> PromptSizes:
            samples = map(answered, _to_come(plan))
            sizes = PromptSizes.of(_judge_prompts(evaluator, samples, budget), ())
            return sizes._replace(tokens=tuple(size + SHORT_ANSWER for size in sizes.tokens))

        key = ("to come", _kind(evaluator), budget, plan.repeats)
        return self.once(PROMPTS, key, measure)

    def doubts(self, plan: RunPlan, evaluator: Evaluator) -> Mapping[int, float]:
        """How doubtful an evaluator is of each response that is there, by position.

        Raises `ParameterError` on a public host where that takes too long.
        """

        def measure() -> Mapping[int, float]:
            doubts: dict[int, float] = {}
            doubt = 0.0
            is_bounded, begun = config().public, time.thread_time()
            for position, sample in enumerate(plan.dataset.samples):
                if sample.response is None:
                    continue
                # Repeats follow their sample, and say the same.
                if sample.repeat == 1:
                    is_late = time.thread_time() - begun > MOST_SECONDS
                    if is_bounded and (is_late or _compared(sample) > MOST_COMPARED):
                        text = mark(
                            "To find the samples that the heuristic is least sure of takes too "
                            "long here. Evaluate fewer samples, or choose another labeller."
                        )
                        raise ParameterError(say(text))
                    doubt = evaluator.doubt(sample)
                doubts[position] = doubt
            return doubts

        return self.once(DOUBTS, ("doubts", _kind(evaluator), plan.repeats), measure)


def _compared(sample: Sample) -> int:
    """Characters of the answer times those of the documents, where the heuristic looks at them."""
    if own := sample.sentences:
        documents = chain.from_iterable(own.documents)
        return _length(own.response) * _length(documents)
    return len(sample.response or "") * sum(map(len, sample.evidence))


def _length(sentences: Iterable[Sentence]) -> int:
    # A published sentence may be empty: its key is there all the same.
    return sum(len(sentence.key) + len(sentence.text) for sentence in sentences)


def forecast(
    plan: RunPlan,
    keys: Keys,
    stored: CountStored,
    measures: Measures | None = None,
) -> Forecast:
    """What the run will take; `keys` tell the plan of a judge, and nothing is sent with them.

    Of answers to come it is not known how doubtful they are: all are taken to be judged.
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
    evaluator: Evaluator,
    measures: Measures,
) -> tuple[int, ...] | None:
    """The positions of the responses about which it asks its judges; `None` where about all."""
    least = evaluator.least_doubt
    if not least:
        return None
    doubts = measures.doubts(plan, evaluator)
    return tuple(position for position, doubt in doubts.items() if doubt >= least)


def doubt_of(
    plan: RunPlan,
    evaluator: Evaluator,
    most: int,
    measures: Measures,
) -> float:
    """The lowest `doubt_from` by which judges are asked about `most` of the samples at most."""
    doubts = measures.doubts(plan, evaluator)
    return threshold(doubts.values(), most)


def _judgements_of(
    evaluator: Evaluator,
    plan: RunPlan,
    judge: ModelSpec,
    budget: int | None,
    measures: Measures,
) -> Iterator[Measured]:
    """What one evaluator asks a judge: about what is there, and about each model's answers."""
    if evaluator.least_doubt > 1:
        return
    # Doubts are measured apart from prompts: they take far longer, and stay the same while a person
    # tries how many calls to allow.
    positions = doubtful(plan, evaluator, measures)
    shortest = SHORT_LABELS if evaluator.evidence == "sentences" else SHORT_ANSWER
    if evaluator.asks_decisions:
        shortest = 0
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


def _to_come(plan: RunPlan) -> Iterator[Sample]:
    """The samples that a model is to answer."""
    return (sample for sample in plan.dataset.samples if sample.response is None)


def _judge_prompts(
    evaluator: Evaluator,
    samples: Iterable[Sample],
    budget: int | None,
) -> Iterator[tuple[Prompt, int]]:
    """One after the other: the prompts of a large data set would fill the memory."""
    for sample in samples:
        for prompt in prompts_of(evaluator, sample, budget):
            yield prompt, sample.repeat


def _kind(evaluator: Evaluator) -> Hashable:
    """By its class, so that a changed file of one's own is measured anew, and by its parameters.

    Without the doubt from which it asks: neither prompts nor doubts hang on that.
    """
    return type(evaluator), evaluator.model_dump_json(exclude={"llm_client", "doubt_from"})
