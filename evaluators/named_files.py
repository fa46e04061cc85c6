"""Files that a person names, read and written so that what fails says why, and what to give."""

from __future__ import annotations

import errno
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from evaluators.errors import ParameterError, PlumblineError
from evaluators.text.printable import printable


@contextmanager
def named_file(
    path: str | os.PathLike[str],
    done: Literal["read", "written"],
    error: type[PlumblineError],
) -> Iterator[None]:
    """Raises this error where what is done with the file, or folder, fails."""
    try:
        yield
    # A name with a null or with half a character is a ValueError.
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or type(problem).__name__
        name = printable(os.fspath(path))
        # Of a name that is too long the beginning tells which one is meant.
        short = name if len(name) <= 300 else f"{name[:300]}..."
        message = f"{short} cannot be {done} ({why}). Mend that, or name another."
        raise error(message) from problem


def read_file(path: str | os.PathLike[str], error: type[PlumblineError]) -> bytes:
    """What the file holds; a pipe or a device, which may never end, is none."""
    with named_file(path, "read", error):
        file = Path(path)
        if file.is_fifo() or file.is_char_device():
            raise OSError(errno.EINVAL, "no file")
        return file.read_bytes()


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the file of TOML says; raises `ParameterError`."""
    try:
        return tomllib.loads(read_file(path, ParameterError).decode())
    # Brackets within brackets a thousand deep end the parser by its own recursion.
    except (ValueError, RecursionError) as error:
        name, why = printable(os.fspath(path)), printable(str(error))[:120]
        raise ParameterError(f"{name} cannot be read as TOML ({why}). Correct it.") from error


def write_file(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Writes the file, text as UTF-8; raises `ParameterError` where that cannot be."""
    data = content.encode() if isinstance(content, str) else content
    with named_file(path, "written", ParameterError):
        Path(path).write_bytes(data)
    return Path(path)
