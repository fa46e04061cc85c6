"""What a run will send: measured before anything is paid for, without keeping the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.llm import Request
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.estimate import SHORT_ANSWER, Estimate, estimate
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt
from evaluators.records import ModelSpec
from evaluators.text.size import tokens


class Sent(NamedTuple):
    """What a run will send, without the texts: tokens of the prompts, and the keys of answers that
    may be stored.
    """

    prompt_tokens: tuple[int, ...]
    keys: Mapping[ModelSpec, Sequence[str]]
    judge_tokens: tuple[int, ...] = ()
    """Of what the judge is sent about the answers of one model."""


def sent(
    prompts: Iterable[str],
    models: Sequence[ModelSpec],
    judge_prompts: Iterable[str] = (),
    schema_text: str = "",
) -> Sent:
    """Measures what is sent to each of the models, and to the judge (there without the answer to be
    judged).
    """
    sizes: list[int] = []
    keys: dict[ModelSpec, list[str]] = {model: [] for model in models if model != OFFLINE}
    for text in prompts:
        sizes.append(tokens(text))
        for model, own in keys.items():
            own.append(_key(model, text, schema_text))
    return Sent(tuple(sizes), keys, tuple(tokens(text) + SHORT_ANSWER for text in judge_prompts))


def sent_to(judge: ModelSpec, prompts: Iterable[Prompt]) -> Sent:
    """Measures what is sent to one judge, each prompt with the schema of its answer."""
    found = [
        (tokens(prompt.text), _key(judge, prompt.text, prompt.schema_text)) for prompt in prompts
    ]
    return Sent(tuple(size for size, _ in found), {judge: [key for _, key in found]})


def together(parts: Iterable[Sent], model: ModelSpec) -> Sent:
    """What one model is sent, from what it is sent in parts."""
    found = list(parts)
    sizes = tuple(size for part in found for size in part.prompt_tokens)
    return Sent(sizes, {model: [key for part in found for key in part.keys.get(model, ())]})


def to_come(part: Sent, times: int) -> Sent:
    """What a judge is sent about answers that do not exist yet, each a short one, of so many
    models.
    """
    return Sent(tuple(size + SHORT_ANSWER for size in part.prompt_tokens) * times, {})


def what_is_left(
    model: ModelSpec, what: Sent, stored: int, shortest: int = SHORT_ANSWER
) -> Estimate:
    """How many answers are stored is known, which ones is not: the longest prompts are taken to be
    open.
    """
    return estimate(model, sorted(what.prompt_tokens)[stored:], cached=stored, shortest=shortest)


def _key(model: ModelSpec, text: str, schema_text: str) -> str:
    address = model.base_url or PROVIDERS[model.provider].address
    return Request(spec=model, text=text, base_url=address, schema_text=schema_text).key
