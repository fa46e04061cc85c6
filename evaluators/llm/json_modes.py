"""How JSON is asked for: by a schema where model and provider take one, else the next best way."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from evaluators.llm.catalogue import find
from evaluators.llm.provider_errors import refused_form
from evaluators.llm.providers import PROVIDERS
from evaluators.records import ModelSpec

MODES = ("strict", "schema", "object", "none")
"""The schema is enforced; it is a wish; only JSON is asked for; only the prompt asks."""


class JsonModes:
    """Which of `MODES` are left for each model of one provider, after all that it has refused."""

    def __init__(self) -> None:
        self._lowest: dict[str, int] = {}

    def best(self, spec: ModelSpec) -> str:
        """The first that may work."""
        listed = find(spec.id)
        # A model that nobody knows is mostly thought to take a schema until it refuses.
        unlisted = PROVIDERS[spec.provider].unlisted_json
        start = MODES.index(listed.json_mode if listed else unlisted)
        lowest = self._lowest.get(spec.model, 0)
        return MODES[max(start, lowest)]

    def lower(self, spec: ModelSpec, mode: str, error: Any) -> str:
        """The next one to try after this refusal.

        Empty where it is about something else, or none is left. What the provider does not take is
        not tried again; where only the model failed, just this request goes without.
        """
        complaint = refused_form(error) if mode in MODES[:-1] else ""
        if not complaint:
            return ""
        if complaint == "this time":
            return "none"
        next_mode = MODES.index(mode) + 1
        # Requests that went out earlier may be refused later: they do not bring a better one back.
        lowest = self._lowest.get(spec.model, 0)
        self._lowest[spec.model] = max(next_mode, lowest)
        return MODES[next_mode]


# A run has one or two schemas, and each of its requests would parse them.
@lru_cache(maxsize=16)
def response_format(mode: str, schema_text: str) -> dict[str, Any]:
    """What is sent for it besides the prompt."""
    if mode == "object":
        return {"response_format": {"type": "json_object"}}
    if mode not in ("strict", "schema"):
        return {}
    form = {"name": "answer", "strict": mode == "strict", "schema": json.loads(schema_text)}
    return {"response_format": {"type": "json_schema", "json_schema": form}}
