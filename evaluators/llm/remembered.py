"""Answers kept in memory: the same prompt is sent to a judge once."""

from __future__ import annotations

from threading import Lock

from evaluators.llm import LLMClient
from evaluators.llm.layers import NOT_WHOLE
from evaluators.prompts import Prompt
from evaluators.records import Completion


class RememberedAnswers(LLMClient):
    """A client whose whole answers serve again for as long as it lives.

    May be asked from several threads; where two of them ask the same at once, both are answered.
    """

    def __init__(self, client: LLMClient) -> None:
        self.model = client.model
        self._client = client
        self._answers: dict[Prompt, Completion] = {}
        self._lock = Lock()

    @property
    def prompt_budget(self) -> int | None:
        return self._client.prompt_budget

    def complete(self, prompt: Prompt) -> Completion:
        with self._lock:
            known = self._answers.get(prompt)
        if known is not None:
            return known
        # Outside of the lock: others need not wait for a model.
        answer = self._client.complete(prompt)
        if answer.finish_reason not in NOT_WHOLE:
            with self._lock:
                self._answers[prompt] = answer
        return answer
