"""Where a data set is from, in words: the Hugging Face hub, the benchmark's own files, or a retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ui.words import counted


def words(origin: Mapping[str, Any]) -> str:
    """One line, not escaped; empty for data that were uploaded or pasted."""
    known = {"hub": _hub, "official": _official, "retrieval": _retrieval}
    return " · ".join(told(origin[key]) for key, told in known.items() if origin.get(key))


def license_of(name: str) -> str:
    """The licence, as the card of the data set names it."""
    return f"licence {name}" if name else "no licence stated"


def _hub(found: Mapping[str, Any]) -> str:
    rows = f"first {counted(found['rows'], 'row')}" if found.get("rows") else "all rows"
    place = f"huggingface.co/datasets/{found['id']}"
    return " · ".join([place, found["config"], found["split"], rows, license_of(found["license"])])
