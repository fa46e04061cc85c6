"""The command of this Plumbline, as it works where it is read."""

from __future__ import annotations

import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

from evaluators.config import IS_INSTALLED, ROOT


@cache
def own_command() -> str:
    """What begins every command that is printed: "plumbline", or how else to reach it here."""
    return command_of(Path(sys.executable), None if IS_INSTALLED else ROOT)


def command_of(python: Path, checkout: Path | None) -> str:
    """The command of the Plumbline that this Python has; that of a checkout is given in it."""
    script = python.with_name(f"plumbline{python.suffix if python.suffix == '.exe' else ''}")
    if checkout is None and script.is_file():
        return _as_typed(script, ["plumbline"])
    typed = _as_typed(python, ["python", "python3", python.name], checkout)
    return f"{typed} -m evaluators"


def _as_typed(file: Path, names: list[str], checkout: Path | None = None) -> str:
    """The name alone where a shell finds this very file by it, else where the file lies."""
    for name in names:
        on_path = shutil.which(name)
        # Not by what it links to: the Python of a virtual environment is a link to another's.
        if on_path and Path(on_path).parent == file.parent:
            return name
    if checkout and file.is_relative_to(checkout):
        file = file.relative_to(checkout)
    return shlex.quote(str(file))
