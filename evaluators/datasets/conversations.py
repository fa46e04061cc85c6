"""Conversations: lists of messages, of which the last question and its answer are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluators.datasets.cells import object_in, unpack
from evaluators.datasets.columns import first_rows, inner
from evaluators.datasets.names import field_of
from evaluators.datasets.table import Row, Table
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say

# OpenAI writes role and content, ShareGPT from and value, ragas type and content, MT-RAG speaker
# and text
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
    """The table with the last question and its answer of each conversation as two more columns.

    The same table where its rows hold no conversations, or another column holds questions.
    """
    rows = first_rows(table)
    columns = (name for name in _candidates(rows) if _holds_conversations(name, rows))
    column = next(columns, None)
    if column is None:
        return table
    earlier = 0
    joined: list[Row] = []
    for number, row in table.rows:
        cell = row.get(column, inner(row, column))
        turn = last_turn(cell)
        if turn is None:
            joined.append((number, row))
            continue
        earlier += turn.earlier
        added = {f"{column}.question": turn.question}
        if turn.response is not None:
            added[f"{column}.response"] = turn.response
        joined.append((number, row | added))
    words = mark("{column} holds conversations: the last question and its answer are read.")
    if earlier:
        words = mark(
            "{column} holds conversations: the last question and its answer are read. "
            "{earlier:,} messages before them are not."
        )
    return table.with_rows(joined, say(words, column=column[:40], earlier=earlier))


def last_turn(cell: Any) -> Turn | None:
    """The last question in a list of messages; `None` where the cell is something else."""
    try:
        messages = unpack(cell) if isinstance(cell, str) else cell
    except DatasetError:
        return None
    if not isinstance(messages, list):
        return None
    if not all(isinstance(message, dict) for message in messages):
        return None
    parts: list[tuple[str, str]] = []
    for message in messages:
        parts += _parts_of(message)
    questions = [at for at, (role, _) in enumerate(parts) if role in _USER]
    if not questions:
        return None
    last = questions[-1]
    _, question = parts[last]
    # Calls of tools stand between a question and its answer, in messages without a text
    after = parts[last + 1 :]
    answers = (text for role, text in after if role in _ASSISTANT and text)
    return Turn(question, next(answers, None), earlier=last)


def _candidates(rows: list[dict[str, Any]]) -> list[str]:
    """The columns that may hold conversations; none beside a column of questions."""
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    for name in names:
        texts = [row[name] for row in rows if isinstance(row.get(name), str)]
        are_plain = bool(texts) and not any(map(last_turn, texts))
        # Such a row says itself what was asked; its messages are the prompt that was sent
        if field_of(name) == "question" and are_plain:
            return []
    wrapped: dict[str, None] = {}
    for name in names:
        if name not in _OBJECTS:
            continue
        for row in rows:
            cell = object_in(row.get(name))
            if cell is not None:
                wrapped |= dict.fromkeys(f"{name}.{key}" for key in cell)
    return [*names, *wrapped]


def _holds_conversations(column: str, rows: list[dict[str, Any]]) -> bool:
    """Whether most cells of a column are conversations."""
    filled: list[Any] = []
    for row in rows:
        cell = row.get(column, inner(row, column))
        if cell is not None:
            filled.append(cell)
    conversations = [cell for cell in filled if last_turn(cell) is not None]
    return 2 * len(conversations) > len(filled)


def _parts_of(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Who says what in a message; one object may hold a question and its answer."""
    role = text = ""
    if role_key := next(filter(message.__contains__, _ROLES), ""):
        role = str(message[role_key]).casefold()
    if text_key := next(filter(message.__contains__, _TEXTS), ""):
        text = _text_of_message(message[text_key])
    if role and text:
        return [(role, text)]
    parts: list[tuple[str, str]] = []
    for key, value in message.items():
        speaker = str(key).casefold()
        if speaker in _USER | _ASSISTANT and isinstance(value, str):
            parts.append((speaker, value))
    return parts


def _text_of_message(content: Any) -> str:
    """The text of a message, which OpenAI may cut into parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
