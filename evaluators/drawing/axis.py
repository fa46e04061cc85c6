"""Round numbers along an axis, and where on it a value lies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LARGEST = 1e15
"""What is beyond it is not drawn: so far out floats tell no two neighbours apart."""


Ticks = Sequence[tuple[float, str]]
"""Where an axis has its marks, from its start to its end, and what stands there."""


class Axis(NamedTuple):
    """Values from `low` to `high` on the way from `start` to `end`, in points."""

    ticks: Ticks
    start: float
    end: float

    def place(self, value: float) -> float:
        low, high = self.ticks[0][0], self.ticks[-1][0]
        return self.start + (self.end - self.start) * (value - low) / (high - low)


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """At most so many steps of 1, 2, 2.5 or 5 times a power of ten, that reach both ends."""
    if not low < high:
        low, high = low - 0.5, high + 0.5
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    # Ten would do for the width alone; 20 is for what rounding outwards adds at both ends.
    for factor in (1, 2, 2.5, 5, 10, 20):
        step = factor * power
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= most:
            break
    # Without rounding a tick would read 0.30000000000000004.
    digits = max(0, 2 - math.floor(math.log10(step)))
    return tuple(round(number * step, digits) for number in range(first, last + 1))


def finite(values: Iterable[float | None]) -> list[float]:
    """Those that can be drawn: a metric of one's own may give any number."""
    # NaN is not smaller than anything.
    return [value for value in values if value is not None and abs(value) <= LARGEST]


def number(value: float, *, signed: bool = False) -> str:
    """A tick in words, with a real minus: "0.25", "+5", "−5"."""
    shown = f"{value:+g}" if signed and value else f"{value:g}"
    return shown.replace("-", "−")
