"""The options of a run in a TOML file, by their names on the command line, whose options win."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from evaluators.errors import ParameterError
from evaluators.llm.own import with_variables
from evaluators.named_files import read_toml
from evaluators.text.printable import printable


def read_settings(path: Path, several: Mapping[str, bool]) -> dict[str, Any]:
    """The options in the file; `several` says of each known name whether it may be repeated.

    Raises `ParameterError` for a file that is not TOML, an unknown name, and a value of the wrong
    kind.
    """
    options = {}
    for name, value in read_toml(path).items():
        option = _option_named(name, several, path)
        options[option] = _texts_of_option(option, value, several[option], path)
    return options


def _option_named(name: str, names: Collection[str], path: Path) -> str:
    # TOML files are often written with underscores, as Python's own names.
    if (plain := name.replace("_", "-")) in names:
        return plain
    raise ParameterError(
        f"{printable(str(path))}: {printable(name)[:60]} is not an option. Known: "
        f"{', '.join(names)}."
    )


def _texts_of_option(name: str, value: Any, may_be_list: bool, path: Path) -> Any:
    if name == "system" and isinstance(value, dict):
        # A system over HTTP, as a table of the file.
        return [json.dumps(with_variables(value))]
    items = value if isinstance(value, list) and may_be_list else [value]
    # A flag is an `int` too.
    if not all(isinstance(item, str | int | float) for item in items):
        wanted = "a text or number, or a list of them" if may_be_list else "one text or number"
        raise ParameterError(f"{printable(str(path))}: {name} wants {wanted}. Correct it.")
    # Click reads texts, as on the command line; only a flag is true or false.
    texts = [item if isinstance(item, bool) else str(item) for item in items]
    return texts if may_be_list else texts[0]
