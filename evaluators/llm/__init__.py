"""Generators and judges behind one small protocol."""

from __future__ import annotations

from typing import Protocol

from evaluators.prompts import Prompt
from evaluators.types import Completion


class LLMClient(Protocol):
    """Whatever answers a prompt: an LLM, a layer around one, or the offline reader."""

    model: str

    def complete(self, prompt: Prompt) -> Completion:
        """Answers the prompt; raises `GeneratorError` where no usable answer came."""
        ...
