"""Decision models: typed questions about one text, answered with probabilities and no words.

Two shapes go over the wire: OpenAI's (`input` and a list of questions) and that of *System One*
(`state` and a map), which servers of one's own speak. The documents read are those of openai 3.54.0
(types/decision.py) and docs.litellm.ai/docs/decisions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeGuard

from evaluators.errors import UnreadableAnswerError
from evaluators.llm import LLMClient, ModelRequest
from evaluators.llm.catalogue import title_of_id
from evaluators.llm.received import ReceivedAnswer, plausible_count
from evaluators.prompts import Prompt, Question
from evaluators.text.language import say
from evaluators.text.strangers_json import strangers_json

MOST_QUESTIONS = 400
"""In one request, by OpenAI's rules."""

MOST_OPTIONS = 255
"""Of one question, likewise."""

MODE = "decisions"
"""How such an answer was asked for; see `Completion.mode`."""

_MOST_UNASKED = 20
"""Names of answers to what was not asked that are kept, to be counted."""

Probabilities = dict[str, float | dict[str, float]]
"""By the question: how likely its statement is true, or each of its options."""


class Decided(NamedTuple):
    """The probabilities, the raw answers in order, and how many names nobody asked for."""

    probabilities: Probabilities
    texts: tuple[str, ...]
    unknown: int


def body_of(request: ModelRequest, shape: str) -> dict[str, Any]:
    """What is sent for the request."""
    if shape == "openai":
        questions: Any = [_openai_question(question) for question in request.questions]
        return {"model": request.spec.model, "input": request.text, "questions": questions}
    questions = {question.name: _system_one(question) for question in request.questions}
    return {"model": request.spec.model, "state": request.text, "questions": questions}


def _openai_question(question: Question) -> dict[str, Any]:
    asked: dict[str, Any] = {"name": question.name, "instructions": question.text}
    if not question.options:
        return {"type": "predicate", **asked}
    return {"type": "choice", **asked, "choices": [{"value": own} for own in question.options]}


def _system_one(question: Question) -> dict[str, Any]:
    if not question.options:
        return {"type": "noul", "instructions": question.text}
    criteria = dict.fromkeys(question.options)
    return {"type": "choice", "instructions": question.text, "criteria": criteria}


def received(body: Any, questions: Sequence[Question]) -> ReceivedAnswer:
    """The answers in either shape; raises `ValueError` where there are none.

    What a server gives in place of a probability stays as it is, for `decide` to see.
    """
    answers = body.get("answers") if isinstance(body, dict) else None
    if isinstance(answers, list):
        # In the order of the questions; a name may be missing.
        names = [question.name for question in questions]
        names += [""] * max(0, len(answers) - len(names))
        answers = {_name(each) or name: each for name, each in zip(names, answers, strict=False)}
    if not isinstance(answers, dict):
        raise ValueError("There are no answers.")
    said = {own.name: _said(answers[own.name]) for own in questions if own.name in answers}
    unasked = (str(name)[:100] for name in answers if name not in said)
    said |= dict.fromkeys(islice(unasked, _MOST_UNASKED))
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return ReceivedAnswer(
        text=json.dumps(said),
        model=model if isinstance(model := body.get("model"), str) else "",
        prompt_tokens=plausible_count(counts.get("input_tokens")),
        # No price is asked for what such a model gives out.
        answer_tokens=0,
    )


def _name(answer: Any) -> str:
    name = answer.get("name") if isinstance(answer, dict) else None
    return name if isinstance(name, str) else ""


def _said(answer: Any) -> Any:
    """The number or the map of an answer, in either shape; `None` of a refusal."""
    if not isinstance(answer, dict):
        return None
    options = answer.get("probabilities")
    if isinstance(options, list):
        entries = [own for own in options[:MOST_OPTIONS] if isinstance(own, dict)]
        return {str(own.get("value")): own.get("probability") for own in entries}
    if isinstance(options, dict):
        return dict(islice(options.items(), MOST_OPTIONS))
    return answer.get("probability", answer.get("noul"))


def requests_of(prompt: Prompt) -> list[Prompt]:
    """The prompt, or several with the same text where it has more than `MOST_QUESTIONS`."""
    questions = prompt.questions
    return [
        prompt.model_copy(update={"questions": questions[start : start + MOST_QUESTIONS]})
        for start in range(0, len(questions), MOST_QUESTIONS)
    ]


def decide(llm: LLMClient, prompt: Prompt) -> Decided:
    """Asks all questions of the prompt, and those without a probability once more.

    Raises `UnreadableAnswerError` where one is left without.
    """
    found: Probabilities = {}
    texts: list[str] = []
    unknown: set[str] = set()
    for attempt in (1, 2):
        left = tuple(question for question in prompt.questions if question.name not in found)
        # With a line break more it is another request, which no stored answer serves.
        again = {
            "questions": left,
            "attempt": attempt,
            "text": prompt.text + "\n" * (attempt - 1),
        }
        for request in requests_of(prompt.model_copy(update=again)):
            completion = llm.complete(request)
            texts.append(completion.text)
            probabilities, unasked = _read(completion.text, request.questions)
            found |= probabilities
            unknown |= unasked
        if len(found) == len(prompt.questions):
            return Decided(found, tuple(texts), len(unknown))
    message = say(
        "{model} gave no probability to {missing} of {all} questions, also when asked again. "
        "Retry, or start a run with another judge.",
        model=title_of_id(llm.model),
        missing=len(prompt.questions) - len(found),
        all=len(prompt.questions),
    )
    raise UnreadableAnswerError(message, "\n\n---\n\n".join(texts)[:8000], texts=tuple(texts))


def _read(text: str, questions: Sequence[Question]) -> tuple[Probabilities, set[str]]:
    """The probabilities of an answer by question, and the names that nobody asked for."""
    try:
        said = strangers_json(text)
    except ValueError:
        said = None
    answers: Mapping[str, Any] = said if isinstance(said, dict) else {}
    found: Probabilities = {}
    unknown = set(answers) - {question.name for question in questions}
    for question in questions:
        answer = answers.get(question.name)
        if not question.options and _is_probability(answer):
            found[question.name] = answer
        elif question.options and isinstance(answer, dict):
            unknown |= set(answer).difference(question.options)
            offered = {own: answer[own] for own in question.options if own in answer}
            if offered and all(map(_is_probability, offered.values())):
                found[question.name] = offered
    return found, unknown


def _is_probability(value: Any) -> TypeGuard[float]:
    # `True` is an `int` for Python.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
