"""Metrics of one's own: what a file in `config().custom_dir` registers, until it is removed.

The code of these files runs as part of the app. They are read again when they have changed; a file
that fails is kept with what is wrong with it, and disturbs nothing else.
"""

from __future__ import annotations

import inspect
import logging
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from pydantic import ValidationError

from evaluators.base import Evaluator, registered, withdraw
from evaluators.config import config
from evaluators.errors import ParameterError
from evaluators.params import parameters

LONGEST = 500
"""Characters of an error that are shown."""

log = logging.getLogger(__name__)

Stamp = tuple[int, int, int]


class Broken(NamedTuple):
    """A file that could not be used: its name, the line in it, and what is wrong there."""

    file: str
    line: int
    message: str


class File(NamedTuple):
    """A file as it was read: the metrics in it, or what was wrong with it; neither while it is
    being read.
    """

    stamp: Stamp
    metrics: tuple[type[Evaluator], ...] = ()
    problem: Broken | None = None


_PACKAGE = "evaluators.custom"
"""The package that the modules of these files are named after, wherever the folder lies."""

_READ: dict[Path, File] = {}


def known() -> dict[Path, File]:
    """The files as last read, by name; a copy, as another thread may read the folder again."""
    return dict(sorted(_READ.copy().items()))


def mistake(error: BaseException) -> Broken | None:
    """Where in a file of one's own the error came up, and what it is; `None` where no such file was
    at work.
    """
    places = [
        (Path(frame.f_code.co_filename), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [place for place in places if place[0].parent == config().custom_dir]
    return Broken(own[-1][0].name, own[-1][1], _shortened(error)) if own else None


def refresh() -> None:
    """Reads what is new or changed in the folder; the catalogue calls it, one thread at a time."""
    stamps = _stamps(config().custom_dir)
    if stamps == {path: file.stamp for path, file in _READ.items()}:
        return
    for path, file in _READ.copy().items():
        if file.problem or stamps.get(path) != file.stamp:
            _unload(path)  # a broken file too: what was in its way may be gone
            del _READ[path]
    for path, stamp in stamps.items():
        if path not in _READ:
            _READ[path] = File(stamp)  # a file that looks into the catalogue comes back to here
            problem = _load(path)
            _READ[path] = File(stamp, registered(_module_name(path)), problem)


def _stamps(folder: Path) -> dict[Path, Stamp]:
    """The files of the folder in order, each with what changes when it is written."""
    stamps: dict[Path, Stamp] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py") and not entry.name.startswith("_") and entry.is_file():
                stat = entry.stat()
                stamps[Path(entry.path)] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    return dict(sorted(stamps.items()))


def _unload(path: Path) -> None:
    withdraw(_module_name(path))
    sys.modules.pop(_module_name(path), None)


def _module_name(path: Path) -> str:
    return f"{_PACKAGE}.{path.stem}"


def _load(path: Path) -> Broken | None:
    """Runs the file and registers what it holds, all or nothing; what is wrong with it, if
    anything.
    """
    _unload(path)
    module = ModuleType(_module_name(path))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    problem = _run(module, path) or _unfit(module, path)
    if problem:
        _unload(path)
        log.warning("%s, line %d: this metric cannot be used", problem.file, problem.line)
    return problem


def _run(module: ModuleType, path: Path) -> Broken | None:
    try:
        exec(compile(path.read_bytes(), path, "exec"), vars(module))
    except (Exception, SystemExit) as error:  # whatever the file does, the rest goes on
        return Broken(path.name, _line(error, path), _shortened(error))
    return None


def _unfit(module: ModuleType, path: Path) -> Broken | None:
    """Why a form or a run could not use what the file holds, if so."""
    own = registered(module.__name__)
    if not own:
        return Broken(
            path.name, 1, "There is no metric in it. Write @evaluator(...) above its class."
        )
    for cls in own:
        try:
            _check(cls)
        except Exception as error:  # its checks of parameters are code of its own
            return Broken(path.name, inspect.getsourcelines(cls)[1], _shortened(error))
    return None


def _check(cls: type[Evaluator]) -> None:
    """Raises `ParameterError` unless the class can be shown, built with its defaults, and asked for
    a score.
    """
    if not issubclass(cls, Evaluator) or inspect.isabstract(cls):
        remedy = "Derive it from Evaluator and give it a score method."
        raise ParameterError(f"{cls.__name__} is not a metric. {remedy}")
    if not cls.name.isidentifier() or not cls.title.strip():
        remedy = "Use letters, digits and _, and give it a title."
        raise ParameterError(f"{cls.name!r:.60} is not a name. {remedy}")
    required = {name for name, field in cls.model_fields.items() if field.is_required()}
    cls.build(
        **{field.name: field.default for field in parameters(cls) if field.name not in required}
    )


def _line(error: BaseException, path: Path) -> int:
    """The line of the file at which the error came up; 1 where it concerns the file as a whole."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    own = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return (own[-1] if own else None) or 1


def _shortened(error: BaseException) -> str:
    text = (
        _text_of(error)
        if isinstance(error, ParameterError)
        else f"{type(error).__name__}: {_text_of(error)}"
    )
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _text_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return error.msg  # its text tells file and line again
    if isinstance(error, ValidationError):
        return "; ".join(
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3]
        )
    return str(error)
