"""What was asked, answered and found, as programs write it: text, JSON in a text, messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import thread_time
from typing import Any, NamedTuple

from evaluators.datasets.cells import object_in, unpack
from evaluators.datasets.conversations import ASSISTANT, USER
from evaluators.datasets.document_texts import documents
from evaluators.datasets.names import TEXT_KEYS
from evaluators.datasets.traces import TEXTS
from evaluators.errors import DatasetError
from evaluators.text.strangers_json import strangers_json

MOST_LEVELS = 8
"""How deep a text is looked for in objects and lists."""
MOST_MESSAGES = 1000
"""Messages of one input or output that are read, the last ones."""

SECONDS = 20
"""Of the processor that the texts of one file may take, each of which may hold others."""
_ends: ContextVar[float] = ContextVar("ends", default=inf)

_PRINTED = re.compile(r"\Apage_content='|' metadata=\{[^{}]*\}\Z")


_REDACTED = re.compile(r"[\W_]*redacted[\W_]*", re.IGNORECASE)
"""What stands in the place of a text that was not captured."""


class Message(NamedTuple):
    """What somebody said; `role` is "user", "assistant" or another word."""

    role: str
    text: str


@contextmanager
def in_time(seconds: float = SECONDS) -> Iterator[None]:
    """Raises `TimeoutError` where what is read within takes longer than one file may."""
    before = _ends.set(thread_time() + seconds)
    try:
        yield
    finally:
        _ends.reset(before)


def unpacked(value: Any) -> Any:
    """What a text holds that is JSON, or an object or list in Python's writing, at most thrice."""
    if thread_time() > _ends.get():
        raise TimeoutError
    for _ in range(3):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            inside = strangers_json(value)
        except ValueError:
            inside = object_in(value)
            if inside is None:
                try:
                    inside = unpack(value)
                except DatasetError:
                    break
        if inside is None or inside == value:
            break
        value = inside
    return value


def messages_in(value: Any) -> list[Message]:
    """The messages of a list of them; empty where it is something else."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        return []
    messages: list[Message] = []
    for entry in value[-MOST_MESSAGES:]:
        message = _message(entry, MOST_LEVELS)
        if message is None:
            return []
        messages.append(message)
    return messages


def _message(entry: Any, levels: int) -> Message | None:
    entry = unpacked(entry)
    # Pairs, as LangChain takes them
    if isinstance(entry, list) and len(entry) == 2 and all(isinstance(x, str) for x in entry):
        return Message(_role(entry[0]), entry[1])
    if not isinstance(entry, Mapping) or not levels:
        return None
    # LangChain's constructors, OpenAI's choices, OpenInference's objects
    for wrapper in ("kwargs", "message", "data"):
        inside = entry.get(wrapper)
        if isinstance(inside, Mapping) and "role" not in entry:
            ids = entry.get("id")
            kind = ids[-1] if isinstance(ids, list) and ids else entry.get("type")
            return _message({"type": kind, **inside}, levels - 1)
    role = next((entry[key] for key in TEXTS["roles"] if isinstance(entry.get(key), str)), "")
    contents = [entry[key] for key in TEXTS["contents"] if key in entry]
    if not role or (not contents and "tool_calls" not in entry):
        return None
    return Message(_role(role), next(filter(None, map(text_of, contents)), ""))


def _role(word: str) -> str:
    role = word.casefold().removesuffix("chunk").removesuffix("message")
    if role in USER:
        return "user"
    return "assistant" if role in ASSISTANT else role


def text_of(content: Any, levels: int = MOST_LEVELS) -> str:
    """The text of a message's content, which may be cut into parts; empty where it has none."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and levels:
        return "\n".join(filter(None, (text_of(part, levels - 1) for part in content)))
    if isinstance(content, Mapping) and levels:
        # Calls and results of tools are parts too
        kind = str(content.get("type", content.get("message_content.type", "text")))
        if not kind.endswith("text"):
            return ""
        for key in ("text", "content", "parts", "value", "message_content.text"):
            if text := text_of(content.get(key), levels - 1):
                return text
    return ""


def conversation_of(value: Any, levels: int = MOST_LEVELS) -> list[Message]:
    """The messages in an input, however deep they lie; empty where it has none."""
    value = unpacked(value)
    messages = messages_in(value)
    if messages or not levels or not isinstance(value, Mapping):
        return messages
    for key in TEXTS["asked"]:
        if key in value and (messages := conversation_of(value[key], levels - 1)):
            return messages
    return []


def question_of(value: Any) -> str:
    """What was asked: a text, the last message of a user, or what an object calls the question."""
    return _text_in(value, TEXTS["asked"], "user", MOST_LEVELS)


def answer_of(value: Any) -> str:
    """What was answered; the text itself where it is JSON of which nothing is called an answer."""
    text = _text_in(value, TEXTS["answered"], "assistant", MOST_LEVELS)
    return text or (value if isinstance(value, str) and isinstance(unpacked(value), dict) else "")


def _text_in(value: Any, names: Sequence[str], role: str, levels: int) -> str:
    value = unpacked(value)
    if isinstance(value, str):
        return "" if _REDACTED.fullmatch(value[:40]) else value.strip()
    if not levels or not isinstance(value, list | Mapping):
        return ""
    if messages := messages_in(value):
        own = [message.text for message in messages if message.role == role]
        own = [text for text in own if text and not _REDACTED.fullmatch(text[:40])]
        # An output may be the last message alone, in whatever role
        is_output = role == "assistant" and len(messages) == 1
        return own[-1].strip() if own else messages[0].text.strip() if is_output else ""
    if isinstance(value, list):
        inside = (_text_in(item, names, role, levels - 1) for item in value[:MOST_LEVELS])
        return next(filter(None, inside), "")
    by_name = {str(name).casefold(): item for name, item in value.items()}
    for name in names:
        if name in by_name and (text := _text_in(by_name[name], names, role, levels - 1)):
            return text
    # A function has one argument of whatever name; Haystack names what its components gave
    passed_over = ("self", "metadata", "config", *names)
    others = [item for name, item in by_name.items() if name not in passed_over]
    if len(others) == 1 and isinstance(others[0], str):
        return others[0].strip()
    objects = (item for item in others if isinstance(item, Mapping))
    return next(filter(None, (_text_in(item, names, role, levels - 1) for item in objects)), "")


def found_in(value: Any, levels: int = MOST_LEVELS) -> list[str] | None:
    """The texts of what was found; `None` where there are none to read, such as ids alone."""
    value = unpacked(value)
    if value in (None, "", {}):
        return None
    if isinstance(value, Mapping) and levels:
        by_name = {str(name).casefold(): item for name, item in value.items()}
        for name in TEXTS["found"]:
            item = unpacked(by_name.get(name))
            if isinstance(item, list | Mapping):
                return found_in(item, levels - 1)
        if inside := value.get("kwargs"):
            return found_in([inside])
    if isinstance(value, list):
        value = [_bare(item) for item in value]
    try:
        texts = [text for text in documents(value) if isinstance(text, str)]
    except DatasetError:
        return None
    # As Python prints a document of LangChain
    texts = [_PRINTED.sub("", text).removesuffix("'") for text in texts]
    filled = [text for text in texts if text.strip() and not _REDACTED.fullmatch(text[:40])]
    return filled if filled or value == [] else None


def given_by_tool(value: Any, levels: int = MOST_LEVELS) -> list[str] | None:
    """What a tool gave, as texts, or else as the JSON that a model was shown."""
    value = unpacked(value)
    if value in (None, "", {}, []):
        return None
    if isinstance(value, str):
        return None if _REDACTED.fullmatch(value[:40]) else [value]
    if isinstance(value, Mapping) and levels:
        for name in ("kwargs", "output", "outputs", "result", "response", "content", "return"):
            if value.get(name) not in (None, "", {}, []):
                return given_by_tool(value[name], levels - 1)
    if isinstance(value, list) and all(isinstance(_named_text(item), str) for item in value):
        return found_in(value)
    try:
        return [json.dumps(value, ensure_ascii=False, default=str)]
    except (ValueError, TypeError, RecursionError):
        return None


def _named_text(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    return next((item[key] for key in TEXT_KEYS if isinstance(item.get(key), str)), None)


def _bare(item: Any) -> Any:
    """A document without what LangChain and OpenInference put around it."""
    item = unpacked(item)
    if isinstance(item, Mapping):
        for wrapper in ("kwargs", "payload", "entity"):
            if isinstance(item.get(wrapper), Mapping):
                return dict(item[wrapper])
    return item
