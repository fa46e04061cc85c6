"""Numbers as people give them: a share from 0 to 1, and a whole one."""

from __future__ import annotations

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


def whole_number(value: Any, name: str, least: int | None = 0) -> int:
    """The whole number; raises `ParameterError` for text, fractions, and what is below `least`."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if least is None or number >= least:
            return number
    hint = "" if least is None else f", {least} or more"
    raise ParameterError(f"{name} is {shown(value)}. Give a whole number{hint}.")
