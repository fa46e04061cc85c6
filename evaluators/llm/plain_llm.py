"""An object of a person's own that answers prompts, as a client."""

from __future__ import annotations

import inspect
from typing import Any

from evaluators.errors import ParameterError
from evaluators.llm import LLMClient
from evaluators.llm.asking import llm_errors
from evaluators.prompts import Prompt
from evaluators.records import Completion


class PlainLLM(LLMClient):
    """An object of one's own whose `complete(prompt)` returns text or a `Completion`.

    Whatever it raises is an `LLMError`: one sample fails, and what others were paid for is kept.
    """

    def __init__(self, llm: Any) -> None:
        name = getattr(llm, "model", None)
        self.model = name if isinstance(name, str) else type(llm).__name__
        self._llm = llm
        if inspect.iscoroutinefunction(llm.complete):
            raise ParameterError(
                f"{self.model}: complete is an async function. Give one that returns text."
            )

    @property
    def prompt_budget(self) -> int | None:
        # `room` is what version 0.1.0 called it.
        limit = getattr(self._llm, "prompt_budget", getattr(self._llm, "room", None))
        return limit if isinstance(limit, int) else None

    def complete(self, prompt: Prompt) -> Completion:
        is_client = LLMClient in type(self._llm).__mro__
        with llm_errors(self.model):
            answer = self._llm.complete(prompt if is_client else _PromptText.of(prompt))
        if isinstance(answer, Completion):
            return answer
        if not isinstance(answer, str):
            kind = type(answer).__name__
            raise ParameterError(f"{self.model}: complete(prompt) returned a {kind}, not text.")
        return Completion(text=answer)


class _PromptText(str):
    """A prompt as the text that a stranger's object expects, with the fields of a `Prompt`."""

    @classmethod
    def of(cls, prompt: Prompt) -> _PromptText:
        text = cls(prompt.text)
        vars(text).update(prompt)
        return text
