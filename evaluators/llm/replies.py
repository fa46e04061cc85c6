"""What a RAG system replies over HTTP: JSON, or a stream of events, and where in it things stand.

A place is a path such as `choices[0].message.content` or `documents[].text`, where `[]` stands for
every entry of a list; an empty path is the whole. Of a stream it is looked for in each event, so
that pieces of an answer come together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from evaluators.errors import ParameterError
from evaluators.surrogates import without_lone_escapes
from evaluators.text.strangers_json import strangers_json

END_OF_STREAM = b"[DONE]"
"""What OpenAI's streams, and many after them, send last."""

MOST_EVENTS = 20_000
"""Of a stream, which may send each token in one; while they are read, all other requests wait."""

MOST_PLACES = 100
MOST_LEVELS = 20
"""Of a reply as it is shown; what is deeper or comes later can still be named by its path."""
MOST_KEY = 200
MOST_LOOKED_AT = 20_000
MOST_SHOWN = 300
"""Characters of what stands at one place."""

_STEP = re.compile(r'\.?([\w$@-]+)|\[(\d{0,6})\]|\.?\["((?:[^"\\]|\\.)*)"\]')

Step = str | int | None
"""A key, the number of an entry, or `None` for every entry."""


def events_of(body: bytes, kind: str) -> list[Any]:
    """The events of a stream, or a reply as the one event; raises `ValueError` for neither.

    Of a stream with more than `MOST_EVENTS` it gives one more, and leaves the others unread.
    """
    # Half a character in a key or a text could neither be shown nor stored.
    text = without_lone_escapes(body.decode("utf-8-sig", "replace"))
    if "event-stream" in kind:
        return [*islice(_stream(text), MOST_EVENTS + 1)]
    if "ndjson" in kind or "jsonl" in kind:
        lines = (line for line in text.splitlines() if line.strip())
        return [strangers_json(line) for line in islice(lines, MOST_EVENTS + 1)]
    return [text] if "text/plain" in kind else [strangers_json(text)]


def _stream(text: str) -> Iterator[Any]:
    data: list[str] = []
    # The empty line at the end closes an event that was cut off.
    for line in [*re.split(r"\r\n|\r|\n", text), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            event, data = "\n".join(data), []
            if event.strip() == END_OF_STREAM.decode():
                return
            try:
                yield strangers_json(event)
            except ValueError:
                yield event


def steps_of(path: str) -> list[Step]:
    """The steps of a path; raises `ParameterError` where it cannot be one."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise ParameterError(
                f"“{path[:60]}” is not a place in a reply. Write it as documents[].text."
            )
        key, number, quoted = step.groups()
        if number is not None:
            steps.append(int(number) if number else None)
        else:
            steps.append(key if key is not None else re.sub(r"\\(.)", r"\1", quoted))
        at = step.end()
    return steps


def values_at(events: Sequence[Any], path: str) -> list[Any] | None:
    """What stands at the place, in all events; `None` where no event has it.

    A list without entries is there, and holds nothing.
    """
    here, is_there = list(events), bool(events)
    for step in steps_of(path):
        further: list[Any] = []
        is_there = False
        for value in here:
            if step is None and isinstance(value, list):
                further += value
                is_there = True
            elif (isinstance(step, str) and isinstance(value, dict) and step in value) or (
                isinstance(step, int) and isinstance(value, list) and step < len(value)
            ):
                further.append(value[step])  # type: ignore[index]
                is_there = True
        if not further:
            return [] if is_there else None
        here = further
    return here if is_there else None


def answer_at(events: Sequence[Any], path: str) -> str | None:
    """The text at the place, its pieces together; `None` where there is none, or no text."""
    texts = values_at(events, path)
    if texts is None or any(isinstance(text, dict | list) for text in texts):
        return None
    # null stands in the last event of some streams.
    written = [text for text in texts if text is not None]
    return "".join(text if isinstance(text, str) else json.dumps(text) for text in written)


def places(events: Sequence[Any]) -> dict[str, str]:
    """The places of a reply that hold texts, numbers or nothing, each with how these begin."""
    shown: dict[str, str] = {}
    for path, value in _leaves(events):
        if path in shown or len(shown) < MOST_PLACES:
            text = value if isinstance(value, str) else json.dumps(value)
            between = " · " if shown.get(path) and "[]" in path else ""
            shown[path] = f"{shown.get(path, '')}{between}{text[:MOST_SHOWN]}"[:MOST_SHOWN]
    return shown


def _leaves(events: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    # Not by recursion, and a part of it only: a stranger says how deep and how wide a reply is.
    waiting: list[tuple[str, Any, int]] = [("", event, 0) for event in reversed(events)]
    for _ in range(MOST_LOOKED_AT):
        if not waiting:
            return
        path, value, level = waiting.pop()
        if isinstance(value, dict) and value and level < MOST_LEVELS:
            keys = [key for key in islice(value, MOST_PLACES) if len(key) <= MOST_KEY]
            waiting += [(_joined(path, key), value[key], level + 1) for key in reversed(keys)]
        elif isinstance(value, list) and value and level < MOST_LEVELS:
            entries = value[: 10 * MOST_PLACES]
            waiting += [(f"{path}[]", entry, level + 1) for entry in reversed(entries)]
        elif not isinstance(value, dict | list):
            yield path, value


def _joined(path: str, key: str) -> str:
    if re.fullmatch(r"[\w$@-]+", key):
        return f"{path}.{key}" if path else key
    escaped = re.sub(r'(["\\])', r"\\\1", key)
    return f'{path}["{escaped}"]'
