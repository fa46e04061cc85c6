"""What a run will send: measured before anything is paid for, without keeping the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.llm import ModelRequest
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.estimate import SHORT_ANSWER
from evaluators.llm.providers import PROVIDERS
from evaluators.prompts import Prompt
from evaluators.records import ModelSpec
from evaluators.text.size import tokens


class PromptSizes(NamedTuple):
    """Tokens of the prompts, and by model the keys under which their answers may be stored."""

    tokens: tuple[int, ...]
    keys: Mapping[ModelSpec, Sequence[str]]


def sizes_for_models(
    texts: Iterable[tuple[str, int]],
    models: Sequence[ModelSpec],
) -> PromptSizes:
    """Measures what is sent to each of the models alike: texts, each with its repeat."""
    sizes: list[int] = []
    # The offline reader costs nothing, stored or not.
    llms = [model for model in models if model != OFFLINE]
    keys: dict[ModelSpec, list[str]] = {llm: [] for llm in llms}
    # Text by text: those of a large data set would fill the memory.
    for text, repeat in texts:
        sizes.append(tokens(text))
        for model, own in keys.items():
            own.append(_request_key(model, text, repeat))
    return PromptSizes(tuple(sizes), keys)


def sizes_for_judge(
    judge: ModelSpec,
    prompts: Iterable[tuple[Prompt, int]],
) -> PromptSizes:
    """Measures what is sent to one judge: prompts with their schemas, each with its repeat."""
    sizes: list[int] = []
    keys: list[str] = []
    for prompt, repeat in prompts:
        sizes.append(tokens(prompt.text))
        keys.append(_request_key(judge, prompt.text, repeat, prompt.schema_text))
    return PromptSizes(tuple(sizes), {judge: keys})


def sizes_to_come(prompts: Iterable[Prompt]) -> PromptSizes:
    """Measures what a judge is sent about answers that do not exist yet, each a short one.

    As nobody knows them, no stored judgement of them can be found.
    """
    sizes = [tokens(prompt.text) + SHORT_ANSWER for prompt in prompts]
    return PromptSizes(tuple(sizes), {})


def _request_key(
    model: ModelSpec,
    text: str,
    repeat: int,
    schema_text: str = "",
) -> str:
    # As the request will have it: with another address it would have another key.
    address = model.base_url or PROVIDERS[model.provider].address
    request = ModelRequest(
        spec=model,
        text=text,
        base_url=address,
        schema_text=schema_text,
        repeat=repeat,
    )
    return request.key
