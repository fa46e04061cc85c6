"""A stand-in for an LLM, for tests of metrics: its answers are set, and it keeps its prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from pydantic import BaseModel

from evaluators.errors import ParameterError
from evaluators.llm import LLMClient
from evaluators.llm.asking import llm_errors
from evaluators.prompts import Prompt
from evaluators.records import Completion

Answer = str | Mapping[str, Any] | BaseModel | Completion | Exception
"""Text; what is sent as JSON; a whole completion; or an error, which is raised as an `LLMError`."""


class FakeLLM(LLMClient):
    """Answers without a provider, and keeps its prompts.

        FakeLLM("yes")                                    # the same answer to all
        FakeLLM(['{"verdict": "yes"}', LLMError("...")])  # one after the other
        FakeLLM({"Paris": "yes", "": "no"})               # by the first key in the prompt
        FakeLLM(lambda text: text.upper())                # what a function makes of the prompt

    Raises `ParameterError` where it has no answer. May be asked from several threads.
    """

    def __init__(
        self,
        answers: Answer | Sequence[Answer] | Mapping[str, Answer] | Callable[[str], Answer] = "",
        *,
        model: str = "fake/llm",
        prompt_budget: int | None = None,
    ) -> None:
        self.model = model
        self.prompts: list[Prompt] = []
        self._prompt_budget = prompt_budget
        self._answers = answers
        self._lock = Lock()

    @property
    def prompt_budget(self) -> int | None:
        return self._prompt_budget

    @property
    def asked(self) -> list[str]:
        """The texts of the prompts, in the order in which they came."""
        return [prompt.text for prompt in self.prompts]

    @property
    def calls(self) -> int:
        return len(self.prompts)

    def complete(self, prompt: Prompt) -> Completion:
        # Counted under the lock: two threads must not be given the same answer of a list.
        with self._lock:
            self.prompts.append(prompt)
            number = len(self.prompts)
        with llm_errors(self.model):
            answer = self._answer(prompt.text, number)
            if isinstance(answer, Exception):
                raise answer
        if isinstance(answer, Completion):
            return answer
        if isinstance(answer, BaseModel):
            answer = answer.model_dump(mode="json")
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Completion(text=text)

    def _answer(self, text: str, number: int) -> Any:
        answers: Any = self._answers
        if isinstance(answers, Mapping):
            # The first that fits: an empty key at the end is in every prompt, and so a default.
            for words, answer in answers.items():
                if words in text:
                    return answer
            raise ParameterError(
                f"FakeLLM: none of {list(answers)} is in the prompt {text[:200]!r}. Add a key."
            )
        if isinstance(answers, list | tuple):
            if number > len(answers):
                raise ParameterError(
                    f"FakeLLM has {len(answers)} answers and was asked {number} times. Give more."
                )
            return answers[number - 1]
        is_answer = isinstance(answers, str | BaseModel | Exception)
        return answers if is_answer else answers(text)
