"""Requests that a provider answers by tomorrow for less money: a file of them up, answers back.

What is sent is what would be sent at once; each line is named by the key under which its answer is
kept.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from evaluators.errors import AccessError, LLMError
from evaluators.llm import Access, ModelRequest, received
from evaluators.llm.connection import Connection, read_body
from evaluators.llm.provider_errors import CallContext
from evaluators.llm.providers import PROVIDERS, BatchTerms
from evaluators.llm.received import MOST_NAME, ReceivedAnswer
from evaluators.llm.sdk import NO_HEADERS, Sdk
from evaluators.records import Completion, ModelSpec, Record
from evaluators.text.language import mark

T = TypeVar("T")

WINDOW = "24h"
"""Within which a batch is answered; Groq would take up to a week as well."""

FILE_SECONDS = 1800.0
"""The longest that a file may take on its way; 200 MB take a minute at 25 Mbit/s."""

MARK = "plumbline"
"""Under this name a batch carries our own mark, by which it is found again."""

SPARE_LINES = 1000
"""Lines of a file that are looked at beside two for each request, one of them empty."""

PAGE = 100
"""Batches that are listed at once, the most that OpenAI gives."""

MOST_PAGES = 50
"""Pages that are looked through: a batch is looked for soon after it may have been sent."""

NEVER_ASKED = frozenset({"batch_expired", "batch_cancelled"})
"""Codes of lines to which the provider did not come before the batch ended."""

_ID = re.compile(r"((batches|files)/)?[\w-]{1,200}", re.ASCII)
"""One of Google begins with what it is of."""

BatchEnd = Literal["", "completed", "expired", "cancelled", "failed"]


class BatchFile(NamedTuple):
    """The requests of one batch, and the lines that are sent for them."""

    requests: tuple[ModelRequest, ...]
    content: bytes


class BatchState(Record):
    """A batch as its provider tells: `end` is empty while it is at work.

    One that `is_cancelled` may still be at work on its last answers. `problem` says in the
    provider's words why it was not taken.
    """

    id: str
    end: BatchEnd = ""
    is_cancelled: bool = False
    files: tuple[str, ...] = ()
    answered: int = 0
    problem: str = ""


class BatchLine(NamedTuple):
    """What came back for one request: an answer, or else the code of what went wrong."""

    key: str
    answer: ReceivedAnswer | None
    code: str = ""


class Batches:
    """The batches of one endpoint and key; its methods run on the loop of the connection."""

    gone: tuple[int, ...] = (404,)
    """With which a file is refused that is no longer there."""

    def __init__(self, connection: Connection, access: Access) -> None:
        self._connection = connection
        self._access = access

    def files(self, requests: Iterable[ModelRequest]) -> Iterator[BatchFile]:
        """The requests, all to one model, as files that the provider takes."""
        terms = PROVIDERS[self._access.provider].batches
        assert terms, "A plan names only models that are asked in batches."
        return in_files(requests, self.line, terms)

    def line(self, request: ModelRequest) -> bytes:
        """The request as a line of the file."""
        line = {
            "custom_id": request.key,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": self._connection.body(request, self.mode(request)),
        }
        # Escaped to ASCII: no letter of a text can be taken for the end of a line.
        return json.dumps(line).encode() + b"\n"

    def mode(self, request: ModelRequest) -> str:
        """How JSON is asked for."""
        return self._connection.json_mode(request)

    def completion(
        self,
        answer: ReceivedAnswer,
        spec: ModelSpec,
        tokens: int,
        mode: str,
    ) -> Completion:
        """The answer as it is kept; `tokens` of its prompt count where the provider tells none."""
        return self._connection.completion(answer, spec, mode, tokens)

    async def upload(self, file: BatchFile, mark: str) -> str:
        """The id of the file at the provider; nothing in it is asked yet."""
        name = f"{MARK}-{mark}.jsonl"
        return await self._ask(lambda sdk: sdk.upload(name, file.content), id_of, FILE_SECONDS)

    async def send(self, file_id: str, mark: str) -> BatchState:
        """Has an uploaded file answered; the batch carries the mark."""
        body = self._order(file_id, mark)
        return await self._ask(lambda sdk: sdk.post("/batches", body), self._state)

    async def find(self, mark: str) -> BatchState | None:
        """The batch that carries the mark, if the provider has it."""
        after = ""
        for _ in range(MOST_PAGES):
            state, last = await self._find_on_page(mark, after)
            # Groq lists all at once, and may do so on every page.
            if state or last in ("", after):
                return state
            after = last
        return None

    async def look(self, batch_id: str) -> BatchState | None:
        """How far the batch is; `None` where the provider does not know it under this key.

        Raises `AccessError` where it does not show it to this key.
        """
        call = self._call(0.0)
        path = f"/batches/{batch_id}"
        response = await self._connection.ask(lambda sdk: _unless(sdk, (401, 403, 404), path), call)
        if response.status_code == 404:
            return None
        if response.status_code in (401, 403):
            title = PROVIDERS[self._access.provider].title
            message = mark(
                "{provider} does not show the batch {name} to this key. Use the key with which it "
                "was sent; everything is as it was."
            )
            raise AccessError(message.format(provider=title, name=batch_id))
        return read_body(self._state, response, call)

    async def cancel(self, batch_id: str) -> BatchState:
        """Has the provider stop; what is answered by then is kept and paid for."""
        path = f"/batches/{batch_id}/cancel"
        return await self._ask(lambda sdk: sdk.post(path, {}), self._state)

    async def content(self, file_id: str) -> bytes | None:
        """A file of answers or errors; `None` where it is gone: they are kept for some weeks."""
        place = self._place(file_id)
        call = self._call(FILE_SECONDS)
        response = await self._connection.ask(lambda sdk: _unless(sdk, self.gone, *place), call)
        return None if response.status_code in self.gone else bytes(response.content)

    def _order(self, file_id: str, mark: str) -> dict[str, Any]:
        """What is sent to have a file answered."""
        return {
            "input_file_id": file_id,
            "endpoint": "/v1/chat/completions",
            "completion_window": WINDOW,
            "metadata": {MARK: mark},
        }

    def _place(self, file_id: str) -> tuple[str, Mapping[str, str]]:
        """Where a file of answers lies, and the headers to ask for it with."""
        return f"/files/{file_id}/content", NO_HEADERS

    async def _find_on_page(self, mark: str, after: str) -> tuple[BatchState | None, str]:
        """The batch with the mark, and the last id of the page where there may be another one."""
        path = f"/batches?limit={PAGE}" + (f"&after={after}" if after else "")

        def read(body: Any) -> tuple[BatchState | None, str]:
            entries = _entries(body)
            for batch in entries:
                if _mark_of(batch) == mark:
                    return self._state(batch), ""
            return None, id_of(entries[-1]) if len(entries) == PAGE else ""

        return await self._ask(lambda sdk: sdk.get(path), read)

    async def _ask(
        self,
        send: Callable[[Sdk], Awaitable[Any]],
        read: Callable[[Any], T],
        seconds: float = 0.0,
    ) -> T:
        call = self._call(seconds)
        response = await self._connection.ask(send, call)
        return read_body(read, response, call)

    def _call(self, seconds: float) -> CallContext:
        seconds = seconds or self._connection.seconds
        return CallContext(self._access, seconds, subject="batches")

    def _state(self, body: Any) -> BatchState:
        """Raises `ValueError` for what is not a batch."""
        status = body.get("status") if isinstance(body, dict) else None
        if not isinstance(status, str):
            raise ValueError("There is no status.")
        # What failed comes in a file of its own; either may be missing.
        files = [name for name in ("output_file_id", "error_file_id") if body.get(name)]
        counts = body.get("request_counts")
        answered = counts.get("completed") if isinstance(counts, dict) else 0
        # In any other state, such as validating or cancelling, it is at work.
        is_over = status in ("completed", "expired", "cancelled", "failed")
        return BatchState(
            id=id_of(body),
            end=status if is_over else "",
            is_cancelled=status in ("cancelling", "cancelled"),
            files=tuple(id_of(body, name) for name in files),
            answered=answered if isinstance(answered, int) else 0,
            problem=self._access.mask(_problem(body))[:MOST_NAME],
        )


async def _unless(
    sdk: Sdk,
    statuses: Collection[int],
    path: str,
    headers: Mapping[str, str] = NO_HEADERS,
) -> Any:
    """What came back, also where it is a refusal with one of these statuses."""
    try:
        return await sdk.get(path, headers)
    except sdk.refusal as error:
        if getattr(error, "status_code", 0) not in statuses:
            raise
        return error.response  # type: ignore[attr-defined]


def in_files(
    requests: Iterable[ModelRequest],
    line: Callable[[ModelRequest], bytes],
    terms: BatchTerms,
) -> Iterator[BatchFile]:
    """The requests in order, in as few files as the terms allow.

    Raises `LLMError` for one that is too long for any file.
    """
    taken: list[ModelRequest] = []
    content = bytearray()
    for request in requests:
        own = line(request)
        if len(own) > terms.most_bytes:
            message = mark("A prompt of {number:,} bytes is too long for a batch. Shorten it.")
            raise LLMError(message.format(number=len(own)))
        has_most_requests = len(taken) == terms.most_requests
        has_room = len(content) + len(own) <= terms.most_bytes
        if has_most_requests or not has_room:
            yield BatchFile(tuple(taken), bytes(content))
            taken, content = [], bytearray()
        taken.append(request)
        content += own
    if taken:
        yield BatchFile(tuple(taken), bytes(content))


def lines_of(content: bytes, requests: int) -> Iterator[BatchLine]:
    """What a file of answers or errors holds, as far as it can be read; others are left out.

    There is a line for each of so many requests. What goes far beyond that is not looked at: a file
    of line breaks alone would take minutes.
    """
    for row in islice(io.BytesIO(content), 2 * requests + SPARE_LINES):
        # A damaged line costs its own answer alone: that one is asked at once.
        try:
            line = received.parsed_body(row)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict) and isinstance(line.get("custom_id"), str):
            yield _line(line["custom_id"], line)


def _line(key: str, line: dict[str, Any]) -> BatchLine:
    response = line.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    try:
        # Whatever the status says: an answer that is there is paid for.
        return BatchLine(key, received.answer(body))
    except (ValueError, StopIteration):
        pass
    in_body = body.get("error") if isinstance(body, dict) else None
    problem = line.get("error") or in_body
    code = problem.get("code") if isinstance(problem, dict) else None
    return BatchLine(key, None, code if isinstance(code, str) else "")


def id_of(body: Any, field: str = "id") -> str:
    """What is called so there; raises `ValueError` for an id that could not stand in a path."""
    name = body.get(field) if isinstance(body, dict) else None
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise ValueError("There is no id.")
    return name


def _entries(body: Any) -> Sequence[Any]:
    entries = body.get("data") if isinstance(body, dict) else None
    if not isinstance(entries, list):
        raise ValueError("There is no list of batches.")
    return entries


def _mark_of(batch: Any) -> str:
    metadata = batch.get("metadata") if isinstance(batch, dict) else None
    mark = metadata.get(MARK) if isinstance(metadata, dict) else None
    return mark if isinstance(mark, str) else ""


def _problem(body: dict[str, Any]) -> str:
    """Why a batch was refused, in the provider's words."""
    errors = body.get("errors")
    entries = errors.get("data") if isinstance(errors, dict) else None
    messages = []
    for entry in entries if isinstance(entries, list) else []:
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(message, str) and message.isprintable():
            messages.append(message)
    return " ".join(messages)
