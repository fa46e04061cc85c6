"""Conversations: lists of messages, of which the last question and its answer are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluators.datasets.cells import text_of_parts, unpack
from evaluators.datasets.columns import first_rows, inner, inner_cells
from evaluators.datasets.document_texts import document_text
from evaluators.datasets.names import field_of, is_called_documents
from evaluators.datasets.table import Row, Table
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say

# OpenAI writes role and content, ShareGPT from and value, ragas type and content, MT-RAG speaker
# and text
_ROLES = ("role", "from", "type", "speaker", "sender", "author")
_TEXTS = ("content", "value", "text", "message")
USER = ("user", "human", "customer", "question", "usermessage")
ASSISTANT = (
    "assistant", "ai", "gpt", "bot", "model", "chatbot", "agent", "answer", "apimessage",
)  # fmt: skip


class Turn(NamedTuple):
    """The last question of a conversation, its answer, what was retrieved for it, and how many
    messages stand before.
    """

    question: str
    response: str | None
    documents: list[str]
    earlier: int


class _Message(NamedTuple):
    """What somebody said, and the documents beside it, as a chat on documents keeps them."""

    role: str
    text: str
    documents: list[str]


def conversation_in(table: Table) -> str:
    """The column of conversations; empty without one, and where another one holds questions."""
    rows = first_rows(table)
    columns = (name for name in _candidates(rows) if _holds_conversations(name, rows))
    return next(columns, "")


def with_last_turns(table: Table, column: str) -> Table:
    """The table with the last question and its answer of each conversation in this column as two
    more columns.
    """
    if not column:
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
        added: dict[str, Any] = {f"{column}.question": _own_question(row, turn.question)}
        if turn.response is not None:
            added[f"{column}.response"] = turn.response
        if turn.documents:
            added[f"{column}.documents"] = turn.documents
        joined.append((number, row | added))
    words = mark("{column} holds conversations: the last question and its answer are read.")
    if earlier:
        words = mark(
            "{column} holds conversations: the last question and its answer are read. "
            "{earlier:,} messages before them are not."
        )
    return table.with_rows(joined, say(words, column=column[:40], earlier=earlier))


def _own_question(row: Mapping[str, Any], asked: str) -> str:
    """The row's own question, where the message is the prompt that was written with it."""
    for name, value in inner_cells(row):
        own = value.strip() if isinstance(value, str) and field_of(name) == "question" else ""
        if own and own in asked:
            return own
    return asked


def last_turn(cell: Any) -> Turn | None:
    """The last question in a list of messages; `None` where the cell is something else."""
    try:
        messages = unpack(cell) if isinstance(cell, str) else cell
    except DatasetError:
        return None
    if isinstance(messages, dict):
        messages = _branch_of(messages)
    if not isinstance(messages, list):
        return None
    if not all(isinstance(message, dict) for message in messages):
        return None
    parts: list[_Message] = []
    for message in messages:
        parts += _parts_of(message)
    questions = [at for at, part in enumerate(parts) if part.role in USER]
    if not questions:
        return None
    last = questions[-1]
    # Calls of tools stand between a question and its answer, in messages without a text
    answers = (part for part in parts[last + 1 :] if part.role in ASSISTANT and part.text)
    answer = next(answers, None)
    if answer is None:
        return Turn(parts[last].text, None, parts[last].documents, earlier=last)
    return Turn(parts[last].text, answer.text, answer.documents, earlier=last)


def _branch_of(nodes: Mapping[str, Any]) -> list[Any] | None:
    """The messages from the first to the last of a tree, as ChatGPT exports it; `None` of another
    object.
    """
    if not nodes or not all(isinstance(node, dict) and "parent" in node for node in nodes.values()):
        return None
    branch: list[Any] = []
    key: Any = list(nodes)[-1]
    # Nodes of a broken file may be each other's parents
    while isinstance(nodes.get(key), dict) and len(branch) <= len(nodes):
        branch.append(nodes[key].get("message") or {})
        key = str(nodes[key]["parent"])
    return branch[::-1]


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
    for row in rows:
        lists = [name for name, cell in inner_cells(row) if isinstance(cell, list)]
        wrapped |= dict.fromkeys(lists)
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


def _parts_of(message: Mapping[str, Any]) -> list[_Message]:
    """Who says what in a message; one object may hold a question and its answer."""
    role = text = ""
    documents = _documents_of(message)
    if role_key := next(filter(message.__contains__, _ROLES), ""):
        speaker = message[role_key]
        # ChatGPT has an object there
        role = str(speaker.get("role") if isinstance(speaker, dict) else speaker).casefold()
    if text_key := next(filter(message.__contains__, _TEXTS), ""):
        text = text_of_parts(message[text_key])
    if role and text:
        return [_Message(role, text, documents)]
    parts: list[_Message] = []
    for key, value in message.items():
        speaker = str(key).casefold()
        if speaker in USER + ASSISTANT and isinstance(value, str):
            parts.append(_Message(speaker, value, documents))
    return parts


def _documents_of(message: Mapping[str, Any]) -> list[str]:
    """The documents that a message names as its sources; none where they are not texts."""
    for key, value in message.items():
        if not value or not is_called_documents(str(key)):
            continue
        entries = value if isinstance(value, list) else [value]
        texts: list[Any] = []
        for entry in entries:
            # Open WebUI keeps all passages of a file in one entry
            inside = entry.get("document") if isinstance(entry, dict) else None
            texts += inside if isinstance(inside, list) else [document_text(entry)]
        if all(isinstance(text, str) for text in texts):
            return texts
    return []
