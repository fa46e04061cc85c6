"""The values of a lesson in a line that stays in sight while one taps below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from evaluators.text.markup import html
from evaluators.text.scale import SCORE


class StripValue(NamedTuple):
    """A value with what it asks and how it was worked out; `None` where it is not known yet."""

    title: str
    question: str
    value: float | None
    formula: str


def show(cells: Sequence[StripValue]) -> None:
    body = "".join(map(_value_cell, cells))
    st.html(f'<div class="pl-strip-of-values">{body}</div>')


def _value_cell(cell: StripValue) -> str:
    return (
        f"<div><b>{html(cell.title)}</b> <strong>{SCORE.shown(cell.value)}</strong>"
        f"<small>{html(cell.question)}</small><span>{html(cell.formula)}</span></div>"
    )
