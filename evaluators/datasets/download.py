"""Files from the net, read in pieces.

How far it is, limits of size and time, and what is wrong in words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluators.datasets.table import Table
from evaluators.errors import DatasetError
from evaluators.text.language import mark, say

if TYPE_CHECKING:
    from httpx2 import Response

SECONDS = 10
"""How long a host may say nothing."""
MOST_SECONDS = 600
"""How long one file may take."""
REMEDY = mark("Download the file elsewhere and upload it.")

Progress = Callable[[int, int], None]
"""Is told how many bytes are here, and how many there are in all (0 where nobody knows)."""


class Fetched(NamedTuple):
    """A table from the net; `origin` says where it is from, for the data set that is made of it."""

    name: str
    table: Table
    origin: dict[str, Any]


@contextmanager
def in_words(host: str) -> Iterator[None]:
    """Turns what goes wrong on the way to a host into a `DatasetError` with the remedy."""
    import httpx2

    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        words = mark("The connection to {host} broke off. Try again. {remedy}")
        if isinstance(error, httpx2.TimeoutException):
            words = mark("{host} said nothing for {seconds} seconds. Try again. {remedy}")
        elif isinstance(error, httpx2.ConnectError | httpx2.ProxyError | ConnectionError):
            words = mark("No connection to {host}: this computer seems to be offline. {remedy}")
        message = say(words, host=host, seconds=SECONDS, remedy=say(REMEDY))
        raise DatasetError(message) from error


def received(
    name: str,
    response: Response,
    limit: int,
    on_progress: Progress | None = None,
    is_enough: Callable[[bytes], bool] | None = None,
    seconds: float = MOST_SECONDS,
) -> bytes:
    """The bytes of a file, or of its beginning where `is_enough` says of a piece that no other is
    needed.

    Raises `DatasetError` where it has more bytes than the limit or takes longer than `seconds`.
    """
    # What the host says is shown and not believed: the limit holds for what arrives
    in_all = int(response.headers.get("content-length", 0))
    data = bytearray()
    ends = time.monotonic() + seconds
    # Raw, so that what counts against the limit is what came: nothing is unpacked on the way
    for piece in response.iter_raw():
        data += piece
        check_size(name, len(data), limit)
        if on_progress:
            on_progress(len(data), in_all)
        if is_enough and is_enough(piece):
            break
        if time.monotonic() > ends:
            raise DatasetError(
                say(
                    "{name} takes longer than {seconds:,.0f} seconds. {remedy}",
                    name=name,
                    seconds=seconds,
                    remedy=say(REMEDY),
                )
            )
    return bytes(data)


def check_size(name: str, size: int, limit: int) -> None:
    """Raises `DatasetError` for a file that is too large."""
    if size > limit:
        most = f"{limit / 2**20:,.0f} MB"
        raise DatasetError(
            say(
                "{name} has more than {most}, the limit. Take fewer rows, or upload a part of it.",
                name=name,
                most=most,
            )
        )
