"""The generators that can be chosen, by model id."""

from __future__ import annotations

from evaluators.errors import GeneratorError
from evaluators.llm import LLMClient
from evaluators.llm.offline_reader import OfflineReader

_MODELS = {OfflineReader.model: OfflineReader}


def titles() -> dict[str, str]:
    """The names to show, by model id."""
    return {model: cls.title for model, cls in _MODELS.items()}


def client(model: str) -> LLMClient:
    """The client of a model; raises `GeneratorError` where there is none."""
    if model not in _MODELS:
        raise GeneratorError(f"No generator is called {model!r}. Choose one of: {', '.join(_MODELS)}.")
    return _MODELS[model]()
