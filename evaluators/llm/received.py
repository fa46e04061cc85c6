"""What a provider sent: however odd it is, an answer that can be read is not thrown away.

It is paid for by then.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from datetime import date
from itertools import islice
from typing import Any, NamedTuple

from pydantic_core import from_json

from evaluators.surrogates import without_lone_escapes

MOST_TOKENS = 10_000_000
"""No model reads or writes more in one call; a greater count cannot be right."""

MOST_NAME = 200
"""Characters of a model's name or of a reason to end."""

MOST_MODELS = 5_000
"""Models that are taken from a list; the longest ones have some hundreds."""

DEEPEST = 100
"""Brackets within brackets.

An answer stands in the fifth. What is deeper is left out, as a parser would give up on the whole.
"""

_TOKEN = re.compile(r"\\.|[\"\[\]{}]", re.DOTALL)
"""What tells strings and brackets apart; an escaped quotation mark does not end a string."""

_THINKING_PARTS = ("thinking", "reasoning")
"""Kinds of parts of a message that are not the answer."""


class ReceivedAnswer(NamedTuple):
    """An answer in a provider's words; a count is `None` where it gives none that makes sense."""

    text: str
    refusal: str = ""
    finish_reason: str = ""
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


def parsed_body(content: bytes) -> Any:
    """The JSON of a body; raises `ValueError` where it is not JSON.

    Also with half an emoji, in another encoding, with bytes that are not text, with line breaks
    inside of strings, and with what is nested too deeply, which becomes `None`.
    """
    with suppress(ValueError):
        return from_json(content)
    text = without_lone_escapes(content.decode(json.detect_encoding(content), "replace"))
    return json.loads(_without_depths(text), strict=False, parse_int=_integer_or_infinity)


def answer(body: Any) -> ReceivedAnswer:
    """The first choice that is one; raises `ValueError` where there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list):
        raise ValueError("There are no choices.")
    choice = next((choice for choice in choices if isinstance(choice, dict)), {})
    # `delta` is that of a stream, `text` that of the older completions.
    older = {"content": choice.get("text")}
    messages = (choice.get("message"), choice.get("delta"), older)
    message = next(message for message in messages if isinstance(message, dict))
    if message == {"content": None}:
        raise ValueError("The first choice has no message.")
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return ReceivedAnswer(
        text=_message_text(message.get("content")),
        refusal=_string(message.get("refusal")),
        finish_reason=_string(choice.get("finish_reason")),
        model=_string(body.get("model")),
        prompt_tokens=plausible_count(counts.get("prompt_tokens")),
        answer_tokens=plausible_count(counts.get("completion_tokens")),
    )


def model_ids(body: Any) -> dict[str, str]:
    """The ids in a list of models, each once, without the entries that have none.

    Each has the day on which the model is shut down, where the provider tells one. Raises
    `ValueError` where none is left.
    """
    entries = body.get("data") if isinstance(body, dict) else body
    if not isinstance(entries, list):
        raise ValueError("There is no list of models.")
    ids: dict[str, str] = {}
    for entry in entries:
        # OpenAI lists records, some local servers bare names.
        name = entry.get("id") if isinstance(entry, dict) else entry
        if not isinstance(name, str) or not name.isprintable():
            continue
        if 0 < len(name) <= MOST_NAME:
            ids[name] = _day(entry.get("shutdown_date")) if isinstance(entry, dict) else ""
    if entries and not ids:
        raise ValueError("No model in the list has an id.")
    return dict(islice(ids.items(), MOST_MODELS))


def _day(value: Any) -> str:
    """A day as 2026-11-28, also of a moment; "" where it is none."""
    try:
        return date.fromisoformat(_string(value)[:10]).isoformat()
    except ValueError:
        return ""


def _without_depths(text: str) -> str:
    """The JSON with null in the place of whatever is nested too deeply to be read."""
    kept: list[str] = []
    at, depth, in_string = 0, 0, False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == '"':
            in_string = not in_string
        elif not in_string and mark in "[{":
            depth += 1
            if depth == DEEPEST + 1:
                kept += [text[at : token.start()], "null"]
        elif not in_string and mark in "]}":
            if depth == DEEPEST + 1:
                at = token.end()
            depth -= 1
    # Cut off inside of what is too deep: nothing of it can be read.
    if depth > DEEPEST:
        return ""
    return "".join([*kept, text[at:]])


def _message_text(content: Any) -> str:
    """The text of a message: as it is, or from its parts.

    Where a server has parsed the model's JSON already, that JSON as text.
    """
    if content is None or isinstance(content, str):
        return content or ""
    parts = []
    for part in content if isinstance(content, list) else [content]:
        is_thought = isinstance(part, dict) and part.get("type") in _THINKING_PARTS
        if not is_thought:
            parts.append(_part_text(part))
    texts = [part for part in parts if isinstance(part, str)]
    is_data = not texts and any(part is not None for part in parts)
    if is_data:
        return json.dumps(content, ensure_ascii=False)
    return "".join(texts)


def _part_text(part: Any) -> Any:
    """The text of one part, else what it is."""
    # OpenAI has had `text` as a text and as a record with a `value`.
    for name in ("text", "value"):
        if isinstance(part, dict):
            part = part.get(name, part)
    return part


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def plausible_count(value: Any) -> int | None:
    """A number of tokens: whole, not negative, not more than there can be; also as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = _integer_or_infinity(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # `True` is an `int` for Python.
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def _integer_or_infinity(digits: str) -> int | float:
    # Python refuses to read numbers of thousands of digits.
    return int(digits) if len(digits) < 100 else math.inf
