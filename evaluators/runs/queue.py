"""The queue of a public host that is full: whose turn comes next, and about when."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

from evaluators.llm import Keys
from evaluators.records import Record, Run
from evaluators.runs.store import Store

ONE_VISITOR = 64
"""Leading bits of an IPv6 address that tell visitors apart: the rest is a visitor's to choose."""


@dataclass(eq=False)
class Ticket:
    """A run that is at work or waits for a place, with what starts it; in memory only."""

    run: Run
    store: Store
    keys: Keys | None = None
    """Only while it waits: a job keeps its own."""
    address: str = ""
    """Where the visitor comes from; empty where that is not known."""
    last_seen: float = field(default_factory=time.monotonic)
    returns: bool = False
    """Whether the run gave its place up to others and waits again once its calls have ended."""
    withdraws: bool = False
    """Whether it is only to have providers cancel its batches."""


class Place(Record):
    """A place in the queue: 1 is the next; the seconds until its turn, where recent runs tell."""

    number: int
    seconds: float | None


def in_turn(waiting: Iterable[Ticket], at_work: Iterable[str]) -> list[Ticket]:
    """The tickets in the order of their turns; `at_work` are the addresses of the runs at work.

    A second run of an address comes after the first ones of all others. Where a proxy gives
    everybody one address, this is the order in which they came.
    """
    so_far = Counter(at_work)
    ranked = []
    for ticket in waiting:
        ranked.append((so_far[ticket.address], ticket))
        so_far[ticket.address] += 1
    # The sort keeps the order in which equals came.
    ranked.sort(key=lambda pair: pair[0])
    return [ticket for _, ticket in ranked]


def expected(number: int, places: int, recent: Sequence[float]) -> float | None:
    """Seconds until the turn of a place in the queue, if runs take as long as the recent ones."""
    if not recent:
        return None
    usual = sum(recent) / len(recent)
    # So many runs are at work side by side, and each that ends frees a place.
    return number * usual / places


def visitor_address(peer: str, forwarded: str) -> str:
    """The address of one visitor: of the connection, or the last public one a proxy forwards.

    The last, because whatever stands before it may have been made up by the visitor. Empty where
    there is none.
    """
    for text in (*reversed(forwarded.split(",")), peer):
        try:
            address = ip_address(text.strip())
        except ValueError:
            continue
        if address.is_global or text is peer:
            # An IPv4 address that is written as IPv6 belongs to one visitor as it is.
            if isinstance(address, IPv6Address) and not address.ipv4_mapped:
                return str(ip_network((address, ONE_VISITOR), strict=False))
            return str(address)
    return ""
