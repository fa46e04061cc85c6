"""What a provider sent, read with care: whatever is odd about it, an answer that can be read is not
thrown away.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic_core import from_json

from evaluators.surrogates import without_lone_escapes

MOST_TOKENS = 10_000_000
"""No model reads or writes more in one call; a greater count is no count."""

MOST_NAME = 200
"""Characters of a model's name or of a reason to end."""

MOST_MODELS = 5_000
"""Models that are taken from a list; the longest ones have some hundreds."""

DEEPEST = 100
"""Brackets within brackets; an answer stands in the fifth."""

_TOKEN = re.compile(r"\\.|[\"\[\]{}]", re.DOTALL)
"""What tells strings and brackets apart; an escaped quotation mark ends no string."""

_THOUGHTS = ("thinking", "reasoning")
"""Kinds of parts that are not the answer."""


class ReceivedAnswer(NamedTuple):
    """An answer in a provider's words; a count is `None` where it tells none that makes sense."""

    text: str
    refusal: str = ""
    finish_reason: str = ""
    model: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


def parsed_body(content: bytes) -> Any:
    """The JSON of a body; raises `ValueError` where it is none.

    Also with half an emoji, in another encoding, with bytes that are no text, with line breaks
    inside of strings, and with what is nested too deeply, which becomes `None`.
    """
    with suppress(ValueError):
        return from_json(content)
    text = without_lone_escapes(content.decode(json.detect_encoding(content), "replace"))
    return json.loads(_shallow(text), strict=False, parse_int=_whole)


def answer(body: Any) -> ReceivedAnswer:
    """The first choice that is one; raises `ValueError` where there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list):
        raise ValueError("There are no choices.")
    choice = next((each for each in choices if isinstance(each, dict)), {})
    # `delta` is that of a stream, `text` that of the older completions.
    messages = (choice.get("message"), choice.get("delta"), {"content": choice.get("text")})
    message = next((each for each in messages if isinstance(each, dict)), {})
    if message == {"content": None}:
        raise ValueError("The first choice has no message.")
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return ReceivedAnswer(
        text=_text(message.get("content")),
        refusal=_word(message.get("refusal")),
        finish_reason=_word(choice.get("finish_reason")),
        model=_word(body.get("model")),
        prompt_tokens=_count(counts.get("prompt_tokens")),
        answer_tokens=_count(counts.get("completion_tokens")),
    )


def model_ids(body: Any) -> list[str]:
    """The ids in a list of models, without the entries that are none; raises `ValueError` where
    none is left.
    """
    entries = body.get("data") if isinstance(body, dict) else body
    if not isinstance(entries, list):
        raise ValueError("There is no list of models.")
    found = [each.get("id") if isinstance(each, dict) else each for each in entries]
    usable = [
        each
        for each in found
        if isinstance(each, str) and 0 < len(each) <= MOST_NAME and each.isprintable()
    ]
    if entries and not usable:
        raise ValueError("No model in the list has an id.")
    return list(dict.fromkeys(usable))[:MOST_MODELS]


def _shallow(text: str) -> str:
    """The JSON with null in the place of whatever is nested too deeply to be read."""
    kept, at, depth, in_string = [], 0, 0, False
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
    return "".join([*kept, text[at:]]) if depth <= DEEPEST else ""


def _text(content: Any) -> str:
    """The text of a message: as it is, from its parts, or the JSON that a server has parsed
    already.
    """
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    said = [
        _part(each)
        for each in parts
        if not (isinstance(each, dict) and each.get("type") in _THOUGHTS)
    ]
    texts = [each for each in said if isinstance(each, str)]
    is_data = not texts and any(each is not None for each in said)
    return json.dumps(content, ensure_ascii=False) if is_data else "".join(texts)


def _part(part: Any) -> Any:
    """The text of one part, else what it is; OpenAI has had `text` as a text and as a record with a
    `value`.
    """
    for name in ("text", "value"):
        if isinstance(part, dict):
            part = part.get(name, part)
    return part


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    """A number of tokens: whole, not negative, not more than there can be; also as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = _whole(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if is_count else None


def _whole(digits: str) -> int | float:
    """Python refuses to read numbers of thousands of digits."""
    return int(digits) if len(digits) < 100 else math.inf
