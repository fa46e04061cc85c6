"""The names of labellers on the screen: the heuristic, judges, their jury, published labels, a
person.
"""

from __future__ import annotations

import re

from evaluators.llm import catalogue
from evaluators.llm.providers import PROVIDERS
from evaluators.trace.labelling import CORRECTED, GOLD, HEURISTIC, JURY

TITLES = {HEURISTIC: "Heuristic", JURY: "Jury", GOLD: "Gold", CORRECTED: "Corrected"}
_AGAIN = re.compile(r" \(\d+\)$")
"""What tells apart two judges of a jury that are the same model."""


def title(by: str) -> str:
    """The labeller's name, as text: of a model, that of the catalogue, else what its provider calls
    it.
    """
    if by in TITLES:
        return TITLES[by]
    again = _AGAIN.search(by)
    model_id = by[: again.start()] if again else by
    found = catalogue.find(model_id)
    name = found.title if found else _unknown(model_id)
    return f"{name}{again[0]}" if again else name


def _unknown(model_id: str) -> str:
    """With the provider's name, where there is one: several may serve a model of the same name."""
    name, _, model = model_id.partition("/")
    provider = PROVIDERS.get(name)
    if provider is None or provider.is_custom:
        return model or model_id
    return f"{model} ({provider.title})"
