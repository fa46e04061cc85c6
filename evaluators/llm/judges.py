"""From whatever is named as a judge to a client: a model id, an object of one's own, a jury."""

from __future__ import annotations

import os

from evaluators.errors import ParameterError
from evaluators.llm import LLMClient
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.connect import WHAT_WORKS, connect, sdk_name, usual_model
from evaluators.llm.keys import keys_from_environment
from evaluators.llm.offline_reader import OfflineReader
from evaluators.llm.plain_llm import PlainLLM
from evaluators.llm.providers import PROVIDERS
from evaluators.records import ModelSpec


def as_judges(
    llms: object,
    most: int,
    who: str,
) -> LLMClient | tuple[LLMClient, ...] | None:
    """The judge that is meant, or the jury where `most` is more than one; `None` for none.

    Raises `ParameterError` with the remedy for what cannot be asked, and for too many.
    """
    if not isinstance(llms, list | tuple):
        return None if llms is None else as_client(llms)
    judges = tuple(as_client(llm) for llm in llms if llm is not None)
    if len(judges) > most:
        number = "one judge" if most == 1 else f"at most {most} judges"
        raise ParameterError(f"{who} asks {number}, and {len(judges)} are given. Leave some out.")
    if most > 1:
        return judges
    return judges[0] if judges else None


def as_client(llm: object) -> LLMClient:
    """The client that is meant; raises `ParameterError` with the remedy where there is none."""
    if isinstance(llm, type):
        raise ParameterError(f"{llm.__name__} is a class. Give an object: {llm.__name__}(...).")
    if isinstance(llm, str | ModelSpec):
        llm = connect(llm)
    if isinstance(llm, OfflineReader) or getattr(llm, "spec", None) == OFFLINE:
        raise ParameterError(
            "The offline reader only quotes documents and cannot judge. Name an LLM as the judge."
        )
    # By its bases: `isinstance` does not work with a plain protocol.
    is_client = LLMClient in type(llm).__mro__
    if is_client and type(llm).__module__.startswith("evaluators."):
        return llm  # type: ignore[return-value]
    if callable(getattr(llm, "complete", None)):
        return PlainLLM(llm)
    if sdk_name(llm):
        return connect(llm)
    raise ParameterError(f"An object of type {type(llm).__name__} cannot be asked. {WHAT_WORKS}.")


def judge_of_environment() -> LLMClient | None:
    """The usual model of the first provider whose key is in the environment, if there is one."""
    keys = keys_from_environment(os.environ)
    for provider in PROVIDERS:
        model = usual_model(provider) if provider in keys else None
        if model:
            return connect(model.id)
    return None


def key_variables() -> list[str]:
    """The variables of the environment that name the keys by which `judge_of_environment` asks."""
    return [record.key_variable for name, record in PROVIDERS.items() if usual_model(name)]
