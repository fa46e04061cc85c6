"""Conversations: lists of messages, of which the last question and its answer are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from evaluators.datasets.cells import unpack
from evaluators.datasets.columns import first_rows, inner
from evaluators.datasets.names import field_of
from evaluators.datasets.table import Table
from evaluators.errors import DatasetError

_ROLES = ("role", "from", "type", "speaker", "sender", "author")
_TEXTS = ("content", "value", "text", "message")
_USER = frozenset({"user", "human", "customer", "question"})
_ASSISTANT = frozenset({"assistant", "ai", "gpt", "bot", "model", "chatbot", "agent", "answer"})
_OBJECTS = ("input", "inputs")
"""Objects in which programs keep the messages that were sent."""


class Turn(NamedTuple):
    """The last question of a conversation, its answer, and how many messages stand before."""

    question: str
    response: str | None
    earlier: int


def with_last_turns(table: Table) -> Table:
    """The table with the last question and its answer as two more columns, where its rows hold
    conversations and no other column holds questions.
    """
    rows = first_rows(table)
    column = next((name for name in _candidates(rows) if _holds_conversations(name, rows)), None)
    if column is None:
        return table
    earlier = 0
    joined = []
    for number, row in table.rows:
        turn = last_turn(row.get(column, inner(row, column)))
        if turn is None:
            joined.append((number, row))
            continue
        earlier += turn.earlier
        answer = {} if turn.response is None else {f"{column}.response": turn.response}
        joined.append((number, row | {f"{column}.question": turn.question} | answer))
    note = f"{column[:40]} holds conversations: the last question and its answer are read."
    if earlier:
        note += f" {earlier:,} messages before them are not."
    return replace(table, rows=joined, note=" ".join(filter(None, [table.note, note])))


def last_turn(cell: Any) -> Turn | None:
    """The last question in a list of messages; `None` where the cell is no such list."""
    try:
        messages = unpack(cell) if isinstance(cell, str) else cell
    except DatasetError:
        return None
    if not isinstance(messages, list) or not all(isinstance(item, dict) for item in messages):
        return None
    parts = [part for message in messages for part in _parts_of(message)]
    questions = [at for at, (role, _) in enumerate(parts) if role in _USER]
    if not questions:
        return None
    last = questions[-1]
    answers = (text for role, text in parts[last + 1 :] if role in _ASSISTANT and text)
    return Turn(parts[last][1], next(answers, None), last)


def _candidates(rows: list[dict[str, Any]]) -> list[str]:
    """The columns that may hold conversations; none beside a column of questions."""
    names = dict.fromkeys(name for row in rows for name in row)
    for name in names:
        texts = [row[name] for row in rows if isinstance(row.get(name), str)]
        if field_of(name) == "question" and texts and not any(map(last_turn, texts)):
            return []
    wrapped = [
        f"{name}.{key}"
        for name in names
        if name in _OBJECTS
        for key in dict.fromkeys(
            key for row in rows if isinstance(row.get(name), dict) for key in row[name]
        )
    ]
    return [*names, *wrapped]


def _holds_conversations(column: str, rows: list[dict[str, Any]]) -> bool:
    cells = [cell for row in rows if (cell := row.get(column, inner(row, column))) is not None]
    return bool(cells) and 2 * sum(last_turn(cell) is not None for cell in cells) > len(cells)


def _parts_of(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Who says what in a message; one object may hold a question and its answer."""
    role = next((str(message[key]).casefold() for key in _ROLES if key in message), "")
    text = next((_message_text(message[key]) for key in _TEXTS if key in message), "")
    if role and text:
        return [(role, text)]
    return [
        (str(key).casefold(), str(value))
        for key, value in message.items()
        if str(key).casefold() in _USER | _ASSISTANT and isinstance(value, str)
    ]


def _message_text(content: Any) -> str:
    """The text of a message, which OpenAI may cut into parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
