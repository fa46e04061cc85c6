"""A question of yes or no by a decision model: how likely a yes is, and no reason."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from string import Template
from typing import Annotated, NamedTuple

from pydantic import Field

from evaluators.llm import LLMClient
from evaluators.llm.decisions import MODE, decide
from evaluators.prompts import Prompt, Question, fenced, load
from evaluators.records import JudgeEvidence, Score
from evaluators.text.language import mark

ByDecision = Annotated[
    bool,
    Field(
        title=mark("Decision model"),
        description=mark(
            "The judge is a decision model: it says how likely a yes is, and no reason."
        ),
        # Stored runs that ask in words are told as ever.
        exclude_if=not_,
    ),
]
"""The field `decides` of an evaluator whose judge may be one."""

_NAME = "yes"


class Decided(NamedTuple):
    """How likely the yes is, and the raw answers."""

    probability: float
    texts: tuple[str, ...]

    @property
    def is_yes(self) -> bool:
        return self.probability >= 0.5

    @property
    def words(self) -> str:
        return mark("The probability of yes is {number}.").format(number=f"{self.probability:.2f}")

    def score(self, value: str) -> Score:
        """1 under this name for a yes, with the probability."""
        evidence = JudgeEvidence(
            reason=self.words,
            outputs=self.texts,
            mode=MODE,
            probability=self.probability,
        )
        return Score(values={value: float(self.is_yes)}, evidence=evidence)


def yes_prompt(question: str, asked_about: str, parts: Mapping[str, str]) -> Prompt:
    """What is asked: the question about a case in parts, each under its name."""
    text = fenced(in_parts(load("decide_yes_no_en"), *parts), **parts)
    questions = (Question(name=_NAME, text=question),)
    return Prompt(text=text, question=asked_about, questions=questions)


def how_likely(judge: LLMClient, prompt: Prompt) -> Decided:
    """Asks; raises `UnreadableAnswerError` where there is no probability."""
    decided = decide(judge, prompt)
    probability = decided.probabilities[_NAME]
    assert isinstance(probability, int | float), "The question has no options."
    return Decided(float(probability), decided.texts)


def in_parts(template: str, *names: str) -> str:
    """The template with a fence around a blank for each part, and what they are called."""
    parts = "\n\n".join(f"<{name} $tag>\n${name}\n</{name} $tag>" for name in names)
    said = ", ".join(name.replace("_", " ") for name in names)
    return Template(template).safe_substitute(parts=parts, names=said)
