"""Money in words: US dollars. What is not known reads "unknown", never 0."""

from __future__ import annotations

import math
from collections.abc import Iterable

from evaluators.text.language import mark, say

UNKNOWN = mark("unknown")

CENT = 0.01

LEAST_SHOWN = 1e-6
"""A bill of less is not spelled out: a single call of the cheapest model costs more."""


def dollars(amount: float | None) -> str:
    """A sum that was paid or a price: $1,234.50, $0.05; below a cent to two digits, $0.00042."""
    if amount is None or not math.isfinite(amount):
        return say(UNKNOWN)
    if amount < 0:
        return f"-{dollars(-amount)}"
    if amount == 0:
        return "$0"
    if amount < LEAST_SHOWN:
        return say("under {amount}", amount=f"${LEAST_SHOWN:f}")
    # Two digits that are not zero: 0.00042 has its first in the fourth place.
    decimals = max(2, 1 - math.floor(math.log10(amount)))
    whole, fraction = f"{amount:,.{decimals}f}".split(".")
    # Cents always stand with two digits, and nothing smaller ends in zeros.
    fraction = fraction.rstrip("0").ljust(2, "0")
    return f"${whole}.{fraction}"


def dollar_range(low: float | None, high: float | None) -> str:
    """What may have to be paid: "$0.03 to $0.05", "up to $0.02", "under $0.01", "free"."""
    if low is None or high is None or not math.isfinite(low + high):
        return say(UNKNOWN)
    # An estimate: more digits than cents would look more exact than it is.
    if high < CENT:
        return say("under {amount}", amount=f"${CENT}") if high else say("free")
    most = f"${high:,.2f}"
    if low < CENT:
        return say("up to {amount}", amount=most)
    least = f"${low:,.2f}"
    return most if least == most else say("{low} to {high}", low=least, high=most)


def dollars_together(amounts: Iterable[float | None]) -> str:
    """The sum of several bills; "over" where only some of them are known."""
    bills = list(amounts)
    known = [amount for amount in bills if amount is not None and math.isfinite(amount)]
    if len(known) == len(bills):
        return dollars(sum(known))
    return say("over {amount}", amount=dollars(sum(known))) if known else say(UNKNOWN)
