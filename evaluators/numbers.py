"""Numbers as people give them: a share from 0 to 1, a whole one, and True or False."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from evaluators.errors import ParameterError
from evaluators.text.printable import shown


def share(value: Any, name: str) -> float:
    """The share; raises `ParameterError` for percent, text, NaN, and what is outside of 0 to 1."""
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    hint = f": {value / 100:g} is {value:g} %" if is_number(value) and 1 < value <= 100 else ""
    raise ParameterError(f"{name} is {shown(value)}. Give a share from 0 to 1{hint}.")


def whole_number(value: Any, name: str, least: float | None = 0, most: float | None = None) -> int:
    """The whole number; raises `ParameterError` for text, fractions, and what is out of bounds."""
    if is_whole(value) and _is_between(value, least, most):
        return int(value)
    raise ParameterError(
        f"{name} is {shown(value)}. Give a whole number{_bounds_in_words(least, most)}."
    )


def number(value: Any, name: str, least: float | None = None, most: float | None = None) -> float:
    """The number; raises `ParameterError` for text, NaN, and what is out of bounds."""
    if is_number(value) and _is_between(value, least, most):
        return float(value)
    raise ParameterError(f"{name} is {shown(value)}. Give a number{_bounds_in_words(least, most)}.")


def truth(value: Any, name: str) -> bool:
    """True or False; raises `ParameterError` for what is neither, nor 1 or 0."""
    if is_truth(value):
        return bool(value)
    raise ParameterError(f"{name} is {shown(value)}. Give True or False.")


def is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def is_truth(value: Any) -> bool:
    return isinstance(value, Real) and value in (0, 1)


def _is_between(value: float, least: float | None, most: float | None) -> bool:
    try:
        if math.isnan(value):
            return False
    # A whole number beyond all that a float holds
    except OverflowError:
        return False
    return (least is None or value >= least) and (most is None or value <= most)


def _bounds_in_words(least: float | None, most: float | None) -> str:
    if least is None:
        return ""
    return f", {least:g} or more" if most is None else f" from {least:g} to {most:,g}"
