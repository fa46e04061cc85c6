"""Spans of time as providers write them, in headers and in messages: `7m12s`."""

from __future__ import annotations

import math
import re

# More digits are not a time, and float() would make infinity of them.
_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,12})?"
WITH_UNITS = f"(?:{_NUMBER}(?:ms|[dhms]))+"
"""The pattern of a span whose numbers all have a unit."""
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "": 1, "ms": 0.001}


def parse_duration(text: str) -> float | None:
    """Seconds of `7.66s`, `2m59.56s`, `1h2m3s`, `150ms` or plain seconds; else `None`."""
    if re.fullmatch(f"{_NUMBER}|{WITH_UNITS}", text) is None:
        return None
    parts = re.findall(f"({_NUMBER})(ms|[dhms]?)", text)
    return math.fsum(float(number) * _SECONDS[unit] for number, unit in parts)
