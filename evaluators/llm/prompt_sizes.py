"""What a run will send: measured before anything is paid for, without keeping the texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.llm import request_for
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


def prompt_sizes(
    prompts: Iterable[tuple[Prompt, int]],
    models: Sequence[ModelSpec],
) -> PromptSizes:
    """Measures what is sent to each of the models alike: prompts, each with its repeat."""
    sizes: list[int] = []
    # The offline reader costs nothing, stored or not.
    llms = [model for model in models if model != OFFLINE]
    keys: dict[ModelSpec, list[str]] = {llm: [] for llm in llms}
    # Prompt by prompt: those of a large data set would fill the memory.
    for prompt, repeat in prompts:
        sizes.append(tokens(prompt.text))
        for model, own in keys.items():
            # As the request will have it: with another address it would have another key.
            address = model.base_url or PROVIDERS[model.provider].address
            own.append(request_for(model, prompt, address, repeat).key)
    return PromptSizes(tuple(sizes), keys)


def sizes_to_come(prompts: Iterable[Prompt]) -> PromptSizes:
    """Measures what a judge is sent about answers that do not exist yet, each a short one.

    As nobody knows them, no stored judgement of them can be found.
    """
    sizes = [tokens(prompt.text) + SHORT_ANSWER for prompt in prompts]
    return PromptSizes(tuple(sizes), {})
