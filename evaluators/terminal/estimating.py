"""What a run would take, found out without sending anything, without a key, and without storing a
run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import SecretStr

from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.dry_run import answered, prompts_of
from evaluators.llm import Access, Keys, catalogue, prompt_sizes
from evaluators.llm.clients import prompt_budget
from evaluators.llm.estimate import SHORT_ANSWER, SHORT_LABELS, Estimate, estimate
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt, fill
from evaluators.records import ModelSpec, Sample
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.store import Store
from evaluators.terminal.arguments import Asked

Row = tuple[str, Estimate]


def with_stand_ins(keys: Keys) -> dict[str, Access]:
    """The keys, and an empty one for each provider that has none: nothing is sent with it."""
    nothing = {
        name: Access(provider=name, base_url=provider.address, key=SecretStr(""))
        for name, provider in PROVIDERS.items()
        if not provider.is_custom
    }
    return nothing | dict(keys)


def estimates(asked: Asked, store: Store, keys: Keys) -> list[Row]:
    """An estimate for each model and each judge, with its name."""
    rows = [
        (catalogue.model_title(model), _of_model(model, asked, store)) for model in asked.models
    ]
    for number, judge in enumerate(asked.judges):
        metrics = [
            metric for metric in map(from_spec, asked.evaluators) if number < metric.most_judges()
        ]
        rows.append(
            (
                f"{catalogue.model_title(judge)} (judge)",
                _of_judge(judge, metrics, asked, store, keys),
            )
        )
    return rows


def _of_model(model: ModelSpec, asked: Asked, store: Store) -> Estimate:
    open_samples = (sample for sample in asked.dataset.samples if sample.response is None)
    texts = (
        fill(asked.prompt, each.question, each.retrieved_documents).text for each in open_samples
    )
    return _left(model, prompt_sizes.sent(texts, [model]), asked, store, SHORT_ANSWER)


def _of_judge(
    judge: ModelSpec, metrics: Sequence[Evaluator], asked: Asked, store: Store, keys: Keys
) -> Estimate:
    shortest = SHORT_LABELS if any(metric.leads == "trace" for metric in metrics) else SHORT_ANSWER
    what = prompt_sizes.sent_to(
        judge, _judged(metrics, asked.dataset.samples, prompt_budget(judge, keys))
    )
    if not asked.models:
        return _left(judge, what, asked, store, shortest)
    sizes = [size + SHORT_ANSWER for size in what.prompt_tokens] * len(asked.models)
    return estimate(judge, sizes, shortest=shortest)


def _judged(
    metrics: Sequence[Evaluator], samples: Sequence[Sample], prompt_budget: int | None
) -> Iterator[Prompt]:
    """What a judge is asked by these metrics; of an answer that is not there yet, doubt is taken
    for granted.
    """
    for metric in metrics:
        always = (
            metric.model_copy(update={"doubt_from": 0.0})
            if hasattr(metric, "doubt_from")
            else metric
        )
        for sample in samples:
            if sample.response is None:
                yield from prompts_of(always, answered(sample), prompt_budget)
            else:
                yield from prompts_of(metric, sample, prompt_budget)


def _left(
    model: ModelSpec, what: prompt_sizes.Sent, asked: Asked, store: Store, shortest: int
) -> Estimate:
    """The estimate without the answers that are stored already."""
    keys = what.keys.get(model, ()) if asked.use_cache else ()
    return prompt_sizes.what_is_left(
        model, what, store.calls.answered(WORKSPACE, keys) if keys else 0, shortest
    )
