"""Answers in a given shape: asked for by a JSON schema, read with care, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from evaluators.errors import LLMError, RunStoppedError, TransientError, UnreadableAnswerError
from evaluators.llm import LLMClient
from evaluators.llm.catalogue import find
from evaluators.prompts import Prompt, filled, load
from evaluators.records import Completion, JudgeEvidence
from evaluators.sandbox.child import child, for_text
from evaluators.surrogates import without_lone_escapes, without_surrogates
from evaluators.text.language import say
from evaluators.text.strangers_json import strangers_json

T = TypeVar("T", bound=BaseModel)

MOST_ANSWERS = 3
"""How often one thing is asked at most."""

MENDED_HERE = 8_000
"""Characters of broken JSON that are mended in this process.

The time for the worst grows with the square, and 8,000 take a second. More are mended in a process
of their own, which can be ended.
"""

MOST_MENDED = 500_000
"""Characters that are mended at all; a long judgement has some 50,000."""

MENDING_SECONDS = 5
"""Usual faults take a tenth of a second in 100,000 characters."""

MOST_WORDS = 8_000
"""Characters of unreadable answers that are kept for the curious."""

_THOUGHTS = re.compile(r"(?:\s*<think>.*?|[^{]*?)</think>", re.DOTALL | re.IGNORECASE)
"""What comes before the answer; some servers swallow the tag that opens it."""

_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\[\s\S]?)*+(?:"|\Z)|//[^\n]*')
"""A whole string, so that no address in it is cut, or a comment to the end of its line."""

# These stand in the prompt that asks once more, after "Your last answer could not be used:".
_NOT_JSON = "it is not one complete JSON object."
_TWICE = "the object says two things under the name {name!r:.60}."
_TOO_LONG = "it is not valid JSON, and too long to be repaired."


class Answered(NamedTuple, Generic[T]):
    """A value that a model gave, with its raw answers in order.

    `mode` is how JSON was asked for (see `Completion`), `repaired` whether the JSON had to be
    mended, and `asked_again` whether it took a second answer.
    """

    value: T
    texts: tuple[str, ...]
    mode: str
    repaired: bool
    asked_again: bool

    @property
    def evidence(self) -> JudgeEvidence:
        """What a score keeps of it; the reason is that of the value, where it has one."""
        reason = without_surrogates(getattr(self.value, "reason", ""))
        return JudgeEvidence(reason=reason, outputs=self.texts, mode=self.mode)


class _Reading(NamedTuple, Generic[T]):
    """What became of one answer: a value, or `None`, and what is wrong with it, if anything."""

    completion: Completion
    value: T | None
    repaired: bool
    complaint: str


def ask(
    llm: LLMClient,
    prompt: Prompt,
    kind: type[T],
    check: Callable[[T], str] = lambda value: "",
) -> Answered[T]:
    """Asks for a `kind`, and once more where the answer cannot be read or has something wrong.

    Where neither can be read it is asked for a third time: one answer in twenty of some judges is
    broken by chance, which is two in a row in every 400. `check` says what is wrong with a value
    that could be used all the same, else "". Of answers that can be read the one with the least to
    complain of counts; raises `UnreadableAnswerError` where none can.
    """
    prompt = prompt.model_copy(update={"schema_text": schema(kind)})
    readings = [_reading_of(llm.complete(prompt), kind, check)]
    if not readings[0].complaint:
        return _answer_of(readings[0])
    while len(readings) < 2 or (len(readings) < MOST_ANSWERS and not _readable(readings)):
        request = filled(load("again_en"), trouble=readings[-1].complaint)
        again = {"text": prompt.text + request, "attempt": prompt.attempt + 1}
        prompt = prompt.model_copy(update=again)
        try:
            readings.append(_reading_of(llm.complete(prompt), kind, check))
        except (TransientError, RunStoppedError):
            # No further answer came, which says nothing about those that did.
            raise
        except LLMError as error:
            if not _readable(readings):
                raise unreadable(llm.model, _texts(readings), str(error)) from error
            return _answer_of(readings[0])
    texts = _texts(readings)
    if not _readable(readings):
        is_too_long = readings[-1].complaint == _TOO_LONG
        raise unreadable(llm.model, texts, _TOO_LONG.rstrip(".") if is_too_long else "")
    # Of equally good ones the last: it was written with the complaint in view.
    better = min(_readable(readings)[::-1], key=lambda reading: len(reading.complaint))
    return _answer_of(better, texts)


def _texts(readings: Sequence[_Reading[T]]) -> tuple[str, ...]:
    return tuple(reading.completion.text for reading in readings)


def _readable(readings: Sequence[_Reading[T]]) -> list[_Reading[T]]:
    return [reading for reading in readings if reading.value is not None]


def parse(text: str, kind: type[T]) -> tuple[T, bool]:
    """The one JSON object of an answer as a `kind`, and whether it had to be mended.

    Raises `ValueError` where there is none. Thoughts before it, a code fence and words around it
    do not matter. Several objects are refused: which of them is meant, and whether one is quoted
    from the documents, nobody can know.
    """
    text = without_lone_escapes(without_surrogates(text))
    with suppress(ValueError):
        # A kind that can be said in a word is read from it.
        return kind.model_validate(_after_thoughts(text).strip()), False
    try:
        data, repaired = _json_in(text)
    except _ContradictedError as error:
        raise ValueError(str(error)) from None
    value = kind.model_validate(data)
    # A name that was lost in mending must not be hidden by a default.
    if repaired and not _same_fields(data, value.model_dump(mode="json")):
        raise ValueError(_NOT_JSON)
    return value, repaired


@cache
def schema(kind: type[BaseModel]) -> str:
    """The JSON schema as the strict mode of providers wants it.

    Every field is required, there are no others, and nothing is referred to by name.
    """
    whole = kind.model_json_schema()
    strict = _strict_schema(whole, whole.get("$defs", {}))
    return json.dumps(strict, ensure_ascii=False)


# Reading


def _json_in(text: str) -> tuple[Any, bool]:
    """The JSON of an answer, and whether it had to be mended."""
    with suppress(ValueError):
        return _read(text), False
    body = _object_in(text)
    with suppress(ValueError):
        return _read(body), False
    # Without `// ...`, which some models write behind a value; nothing is guessed by that.
    without_comments = _STRING_OR_COMMENT.sub(_string_alone, body) if "//" in body else body
    with suppress(ValueError):
        return _read(without_comments), False
    return _mended(body), True


class _ContradictedError(Exception):
    """An object says two things under one name."""


def _read(text: str) -> Any:
    # NaN and Infinity are not JSON, and no score.
    value = from_json(text, allow_inf_nan=False)
    json.loads(text, object_pairs_hook=_said_once)
    return value


def _said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of an object; raises `_ContradictedError` where a name has two values."""
    said: dict[str, Any] = {}
    for name, value in pairs:
        if name in said and said[name] != value:
            raise _ContradictedError(_TWICE.format(name=name))
        said[name] = value
    return said


def _after_thoughts(text: str) -> str:
    thoughts = _THOUGHTS.match(text)
    return text[thoughts.end() if thoughts else 0 :]


def _object_in(text: str) -> str:
    """From the first brace after the thoughts to the last one."""
    answer = _after_thoughts(text)
    start, end = answer.find("{"), answer.rfind("}")
    # Thoughts that never end: a brace in them is not the answer's.
    is_thinking = answer.lstrip().lower().startswith("<think>")
    if is_thinking or not 0 <= start < end:
        raise ValueError(_NOT_JSON)
    return answer[start : end + 1]


def _string_alone(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith('"') else ""


def _mended(body: str) -> Any:
    """What the broken JSON stands for; raises `ValueError` where mending would be guessing."""
    # Of an answer that was cut off, mending would make a shorter list that looks whole.
    is_object_open = body.count("{") > body.count("}")
    is_list_open = body.count("[") > body.count("]")
    if is_object_open or is_list_open:
        raise ValueError(_NOT_JSON)
    mended = _mended_here(body) if len(body) <= MENDED_HERE else _mended_apart(body)
    try:
        # What is mended passes the same parser: no NaN, no half characters.
        return from_json(json.dumps(mended, allow_nan=False))
    except (ValueError, RecursionError):
        raise ValueError(_NOT_JSON) from None


def _mended_here(body: str) -> Any:
    from json_repair import loads  # rarely needed, and takes a while

    try:
        # Strict refuses several objects: which one is meant, nobody can know.
        return loads(body, skip_json_loads=True, strict=True)
    except (ValueError, RecursionError):
        raise ValueError(_NOT_JSON) from None


def _mended_apart(body: str) -> Any:
    """The same in a process that is ended after some seconds."""
    if len(body) > MOST_MENDED:
        raise ValueError(_TOO_LONG)
    limits = for_text(MENDING_SECONDS, MOST_MENDED)
    with child("json", body.encode(errors="replace"), limits) as lines:
        # JSON writes a control character with six bytes, any other with at most four.
        message = lines.readline(8 * MOST_MENDED)
    try:
        answer = strangers_json(message)
    except ValueError:  # it was ended, perhaps in the middle of a line
        raise ValueError(_TOO_LONG) from None
    if "value" not in answer:
        raise ValueError(_NOT_JSON)
    return answer["value"]


def _same_fields(data: Any, value: Any) -> bool:
    """Whether both have the same names all the way down."""
    if isinstance(data, dict) and isinstance(value, dict):
        if data.keys() != value.keys():
            return False
        return all(_same_fields(data[name], value[name]) for name in data)
    if isinstance(data, list) and isinstance(value, list):
        return all(map(_same_fields, data, value))
    return True


def _reading_of(
    completion: Completion,
    kind: type[T],
    check: Callable[[T], str],
) -> _Reading[T]:
    try:
        value, repaired = parse(completion.text, kind)
    except ValidationError as error:
        return _Reading(completion, None, False, _complaint(error))
    except ValueError as error:
        return _Reading(completion, None, False, str(error))
    return _Reading(completion, value, repaired, check(value))


def _complaint(error: ValidationError) -> str:
    """What does not fit, without what the model had written there."""
    problems = []
    unfit = error.errors(include_url=False, include_context=False, include_input=False)
    for problem in unfit:
        # A field that was not asked for is named by the model, and may be named anything.
        if problem["type"] != "extra_forbidden":
            field = ".".join(map(str, problem["loc"]))
            problems.append(f"{field}: {problem['msg']}")
    if not problems:
        return "it has fields that were not asked for."
    # Three are enough to write the answer anew.
    return "; ".join(problems[:3]) + "."


def unreadable(
    model: str,
    texts: Sequence[str],
    why: str = "",
) -> UnreadableAnswerError:
    """The error that keeps the model's words.

    `why` says what came of asking again, where that was not an answer.
    """
    listed = find(model)
    name = listed.title if listed else model
    message = say(
        "The answer of {model} could not be read, and asking again did not help. Retry, or start "
        "a run with another judge.",
        model=name,
    )
    if why:
        message = say(
            "The answer of {model} could not be read, and asking again did not help ({why}). "
            "Retry, or start a run with another judge.",
            model=name,
            why=why,
        )
    # Each gets its part of what is kept, less the rule between them.
    most = MOST_WORDS // max(1, len(texts)) - 10
    words = "\n\n---\n\n".join(text[:most] for text in texts)
    return UnreadableAnswerError(message, words, texts=texts)


def _answer_of(reading: _Reading[T], texts: tuple[str, ...] = ()) -> Answered[T]:
    assert reading.value is not None
    texts = texts or (reading.completion.text,)
    return Answered(
        value=reading.value,
        texts=texts,
        mode=reading.completion.mode,
        repaired=reading.repaired,
        asked_again=len(texts) > 1,
    )


# The schema


def _strict_schema(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_strict_schema(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return _strict_schema(definitions[name], definitions)
    if "properties" not in node:
        strict = {}
        for key, value in node.items():
            if key not in _SCHEMA_NOISE:
                strict[key] = _strict_schema(value, definitions)
        return strict
    fields = {}
    for name, value in node["properties"].items():
        fields[name] = _strict_schema(value, definitions)
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


_SCHEMA_NOISE = frozenset({"$defs", "default", "title"})
"""What pydantic adds to a schema, and what does not bind a model that has to give every field."""
