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
from evaluators.text.language import ENGLISH, mark, say, speaking

LONGEST = 500
"""Characters of an error that are shown: a few lines on the Metrics page."""

log = logging.getLogger(__name__)

Stamp = tuple[int, int, int]


class Broken(NamedTuple):
    """A file that could not be used: its name, the line in it, and what is wrong there."""

    file: str
    line: int
    message: str


class MetricFile(NamedTuple):
    """A file as it was read: the metrics in it, or what was wrong with it.

    It has neither while it is being read.
    """

    stamp: Stamp
    metrics: tuple[type[Evaluator], ...] = ()
    problem: Broken | None = None


_PACKAGE = "evaluators.custom"
"""The package that the modules of these files are named after, wherever the folder lies."""

_READ: dict[Path, MetricFile] = {}


def known() -> dict[Path, MetricFile]:
    """The files as last read, by name; a copy, as another thread may read the folder again."""
    return dict(sorted(_READ.copy().items()))


def mistake(error: BaseException) -> Broken | None:
    """Where in a file of one's own the error came up, and what it is.

    `None` where no such file was at work.
    """
    own = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.parent == config().custom_dir:
            own.append((path.name, line))
    # The innermost line of the file: what it called further in is a library's.
    return Broken(*own[-1], _shortened(error)) if own else None


def refresh() -> None:
    """Reads what is new or changed in the folder; the catalogue calls it, one thread at a time."""
    stamps = _stamps(config().custom_dir)
    if stamps == {path: file.stamp for path, file in _READ.items()}:
        return
    for path, file in _READ.copy().items():
        # A broken file is read again too: what was in its way may be gone.
        if file.problem or stamps.get(path) != file.stamp:
            _unload(path)
            del _READ[path]
    for path, stamp in stamps.items():
        if path not in _READ:
            # Before it is run: a file that looks into the catalogue comes back to here, and shall
            # not be begun again.
            _READ[path] = MetricFile(stamp)
            problem = _load_file(path)
            _READ[path] = MetricFile(stamp, registered(_module_name(path)), problem)


def _stamps(folder: Path) -> dict[Path, Stamp]:
    """The files of the folder in order, each with what changes when it is written."""
    # Time alone would miss what an editor or a copy writes within one tick of the file system.
    stamps: dict[Path, Stamp] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # Names with _ are for what the files share, and for __init__.py.
            is_metric = entry.name.endswith(".py") and not entry.name.startswith("_")
            if is_metric and entry.is_file():
                stat = entry.stat()
                stamps[Path(entry.path)] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    return dict(sorted(stamps.items()))


def _unload(path: Path) -> None:
    withdraw(_module_name(path))
    sys.modules.pop(_module_name(path), None)


def _module_name(path: Path) -> str:
    return f"{_PACKAGE}.{path.stem}"


def _load_file(path: Path) -> Broken | None:
    """Runs the file and registers what it holds, all or nothing; returns what is wrong with it."""
    _unload(path)
    module = ModuleType(_module_name(path))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    # Kept for all visitors, so it is in the language that the page translates from.
    with speaking(ENGLISH):
        problem = _run_file(module, path) or _why_unfit(module, path)
    if problem:
        _unload(path)
        log.warning("%s, line %d: this metric cannot be used", problem.file, problem.line)
    return problem


def _run_file(module: ModuleType, path: Path) -> Broken | None:
    try:
        exec(compile(path.read_bytes(), path, "exec"), vars(module))
    # Whatever the file does, the rest goes on; `exit()` would end the app.
    except (Exception, SystemExit) as error:
        return Broken(path.name, _line_of(error, path), _shortened(error))
    return None


def _why_unfit(module: ModuleType, path: Path) -> Broken | None:
    """Why a form or a run could not use what the file holds, if so."""
    own = registered(module.__name__)
    if not own:
        unregistered = mark("There is no metric in it. Write @evaluator(...) above its class.")
        return Broken(path.name, 1, unregistered)
    for cls in own:
        try:
            _check_metric(cls)
        # Its checks of parameters are code of its own.
        except Exception as error:
            return Broken(path.name, inspect.getsourcelines(cls)[1], _shortened(error))
    return None


def _check_metric(cls: type[Evaluator]) -> None:
    """Raises `ParameterError` unless the class can be shown, built with defaults, and scored."""
    if not issubclass(cls, Evaluator) or inspect.isabstract(cls):
        raise ParameterError(
            say(
                "{class_name} is not a metric. Derive it from Evaluator and give it a score "
                "method.",
                class_name=cls.__name__,
            )
        )
    if not cls.name.isidentifier() or not cls.title.strip():
        raise ParameterError(
            say(
                "{name} is not a name. Use letters, digits and _, and give it a title.",
                name=f"{cls.name!r:.60}",
            )
        )
    defaults = {}
    for parameter in parameters(cls):
        # What has no default is asked for by the form.
        if not cls.model_fields[parameter.name].is_required():
            defaults[parameter.name] = parameter.default
    cls.build(**defaults)


def _line_of(error: BaseException, path: Path) -> int:
    """The line of the file at which the error came up; 1 where it concerns the file as a whole."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if frame.filename == str(path)]
    return (own[-1] if own else None) or 1


def _shortened(error: BaseException) -> str:
    text = _words_of_error(error)
    if not isinstance(error, ParameterError):
        text = f"{type(error).__name__}: {text}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _words_of_error(error: BaseException) -> str:
    # The text of a SyntaxError names file and line once more.
    if isinstance(error, SyntaxError):
        return error.msg
    if isinstance(error, ValidationError):
        words = []
        # Whoever writes the file mends it step by step: the first three are enough.
        for problem in error.errors()[:3]:
            place = ".".join(map(str, problem["loc"]))
            words.append(f"{place}: {problem['msg']}")
        return "; ".join(words)
    return str(error)
