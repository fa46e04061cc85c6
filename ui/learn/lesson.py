"""What a lesson is: its words on the list, what one plays, and where it ends in the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class AppPlace(NamedTuple):
    """A page of the app with what it opens there: an example, or one of its samples."""

    label: str
    page: str
    parameters: dict[str, str]


class Lesson(NamedTuple):
    """One lesson; `name` stands in the address, `promise` says what one can do afterwards."""

    name: str
    title: str
    promise: str
    icon: str
    draw: Callable[[], None]
    takeaway: str
    place: AppPlace
