"""What results are grouped by: a column of the files, or the day, week or month of its times."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from evaluators.datasets.columns import inner
from evaluators.datasets.table import Cells
from evaluators.errors import ParameterError
from evaluators.surrogates import without_surrogates
from evaluators.text.printable import printable

PERIODS = ("day", "week", "month")

DIGITS_OF_A_DATE = 8

NOT_A_TIME = "not a time"
"""The group of rows whose cell is not empty and no time."""

# The year 5138: what is larger counts milliseconds, as JavaScript does, or even smaller parts.
MOST_SECONDS = 10**11


class Group(NamedTuple):
    """A column, and the period that its times are taken together by; empty for a column as it is.

    `text` is how a person wrote it, such as `created:week`.
    """

    text: str
    column: str
    period: str = ""

    @property
    def name(self) -> str:
        """Its column in the files of results."""
        column = without_surrogates(self.column)
        return f"by_{column}_{self.period}" if self.period else f"by_{column}"

    def value(self, cells: Cells) -> str | None:
        """The group that a row is in; `None` where its cell is empty."""
        cell = cells.get(self.column)
        if cell is None and "." in self.column:
            cell = inner(cells, self.column)
        # What is not equal to itself is no number, as pandas writes an empty cell.
        if cell is None or cell == "" or cell != cell:
            return None
        if not self.period:
            return str(cell)
        moment = _moment(cell)
        return _period_of(moment, self.period) if moment else NOT_A_TIME


def group_named(text: str) -> Group:
    """The group that a person means by `model` or `created:week`; raises `ParameterError`."""
    column, colon, period = text.rpartition(":")
    if not colon:
        column, period = text, ""
    # A column may have a colon in its name: then what follows is not a period.
    elif period not in PERIODS:
        # Rather a period that does not exist than a column of that name.
        if period in ("hour", "quarter", "year"):
            known = ", ".join(PERIODS)
            raise ParameterError(f"There is no period {period!r}. There are: {known}.")
        column, period = text, ""
    if not column:
        raise ParameterError(
            f"{printable(text)[:60]!r} names no column. Write COLUMN, or COLUMN:week for times."
        )
    return Group(text, column, period)


def _moment(cell: Any) -> date | None:
    """The time in a cell: ISO 8601, or seconds or smaller parts since 1970 (UTC)."""
    text = str(cell).strip()
    try:
        # In CSV a number is a text as well; one of eight digits is a date, such as 20260105.
        if not text.replace(".", "", 1).isdecimal() or len(text) == DIGITS_OF_A_DATE:
            moment = datetime.fromisoformat(text)
            return moment.astimezone(UTC) if moment.tzinfo else moment
        seconds = float(text)
        while MOST_SECONDS < seconds < math.inf:
            seconds /= 1000
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def _period_of(moment: date, period: str) -> str:
    if period == "week":
        # The year of the week: 1 January may lie in the last one of the year before.
        year, week, _ = moment.isocalendar()
        return f"{year:04}-W{week:02}"
    day = moment.isoformat()[: len("2026-01-31")]
    return day.rpartition("-")[0] if period == "month" else day


def first_day(name: str, period: str) -> date | None:
    """The day that a period began, by the name that it has as a group; `None` for another name."""
    try:
        if period == "week":
            year, _, week = name.partition("-W")
            return date.fromisocalendar(int(year), int(week), 1)
        return date.fromisoformat(f"{name}-01" if period == "month" else name)
    except ValueError:
        return None
