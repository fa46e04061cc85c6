"""Numbers as people give them: a share from 0 to 1, and a whole one."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from evaluators.errors import ParameterError
from evaluators.text.printable import shown


def share(value: Any, name: str) -> float:
    """The share; raises `ParameterError` for percent, text, NaN, and what is outside of 0 to 1."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and 0 <= value <= 1:
        return float(value)
    hint = f": {value / 100:g} is {value:g} %" if is_number and 1 < value <= 100 else ""
    raise ParameterError(f"{name} is {shown(value)}. Give a share from 0 to 1{hint}.")


def whole_number(value: Any, name: str, least: float | None = 0, most: float | None = None) -> int:
    """The whole number; raises `ParameterError` for text, fractions, and what is out of bounds."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if is_whole and _is_between(value, least, most):
        return int(value)
    raise ParameterError(
        f"{name} is {shown(value)}. Give a whole number{_bounds_in_words(least, most)}."
    )


def number(value: Any, name: str, least: float | None = None, most: float | None = None) -> float:
    """The number; raises `ParameterError` for text, NaN, and what is out of bounds."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and _is_between(value, least, most):
        return float(value)
    raise ParameterError(f"{name} is {shown(value)}. Give a number{_bounds_in_words(least, most)}.")


def _is_between(value: float, least: float | None, most: float | None) -> bool:
    if math.isnan(value):
        return False
    return (least is None or value >= least) and (most is None or value <= most)


def _bounds_in_words(least: float | None, most: float | None) -> str:
    if least is None:
        return ""
    return f", {least:g} or more" if most is None else f" from {least:g} to {most:,g}"
