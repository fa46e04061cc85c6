"""JSON that a stranger may have written, or a process that read something of theirs."""

from __future__ import annotations

import json
from typing import Any


def strangers_json(text: str | bytes) -> Any:
    """What the text says; raises `ValueError` where it is no JSON or is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
