"""Numbers as they are shown: one rounding for each kind, and one way to say an interval."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from evaluators.text.language import say
from evaluators.text.words import in_brackets

NO_VALUE = "–"


class Estimate(Protocol):
    """A mean with its interval; each may be missing."""

    @property
    def mean(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Scale(NamedTuple):
    """A kind of number: it is shown `factor` times as large, with so many `digits` and a `unit`."""

    factor: int
    digits: int
    unit: str = ""

    def number(self, value: float) -> str:
        """The number without its unit; what is neither none nor all is not shown as 0 or 100 %."""
        shown = f"{self.factor * value:z.{self.digits}f}"
        if self.unit and shown in ("0", "100"):
            return f"{self.factor * value:z.1f}".removesuffix(".0")
        return shown

    def shown(self, value: float | None) -> str:
        """ "0.92", "75 %"; "–" where there is none."""
        return NO_VALUE if value is None else f"{self.number(value)}{self.unit}"

    def interval(self, low: float | None, high: float | None) -> str:
        """ "0.85 to 0.97", "60 to 86 %"; empty where nothing is known of how far others differ."""
        ends = self.ends(low, high)
        return f"{ends}{self.unit}" if ends else ""

    def with_interval(
        self,
        value: float | None,
        low: float | None = None,
        high: float | None = None,
        beside: str = "",
    ) -> str:
        """ "0.92 (0.85 to 0.97)", "75 % (60 to 86)", and `beside` in the same brackets.

        The value alone where there is no interval and nothing beside it.
        """
        in_them = say("; ").join(filter(None, [self.ends(low, high), beside]))
        return in_brackets(self.shown(value), in_them) if in_them else self.shown(value)

    def estimate(self, estimate: Estimate, beside: str = "") -> str:
        """The same of a mean that has its interval with it."""
        return self.with_interval(estimate.mean, estimate.low, estimate.high, beside)

    def ends(self, low: float | None, high: float | None) -> str:
        """The interval without the unit, as it stands behind a number that has it."""
        if low is None or high is None:
            return ""
        return say("{low} to {high}", low=self.number(low), high=self.number(high))


SCORE = Scale(1, 2)
"""Values from 0 to 1, and those of one's own metrics, with two digits."""
RATE = Scale(100, 0, " %")
"""How often something is so, in whole percent."""
POINTS = Scale(100, 1)
"""By how much two values differ, in points of a hundred."""
BY_KIND = {"share": SCORE, "rate": RATE}
"""How a value is written, by the kind that its metric declares."""
