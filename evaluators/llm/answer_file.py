"""Whole answers kept in a file, a line of JSON each; what `connect(..., cache=...)` looks into."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from evaluators.errors import ParameterError
from evaluators.messages import STORED
from evaluators.records import Call, Completion, Record


class _Line(Record):
    """An answer as it stands in a line of the file, with the key of its request."""

    key: str
    completion: Completion


class AnswerFile:
    """The answers by the keys of their requests; several processes may append to the file.

    Raises `ParameterError` where the file cannot be written or holds something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: dict[str, Completion] = {}
        self._append(b"")  # creates the file, or says at once that it cannot be written
        lines = path.read_bytes().splitlines(keepends=True)
        for line in lines:
            # Whoever wrote the last one may have been killed.
            with suppress(ValueError):
                kept = _Line.model_validate_json(line)
                self._answers[kept.key] = kept.completion
        if lines and not self._answers:
            raise ParameterError(f"cache: {path} does not contain kept answers. Name another file.")
        # The next answer must not go on in a line that was broken off.
        if lines and not lines[-1].endswith(b"\n"):
            self._append(b"\n")

    def find(self, key: str) -> Completion | None:
        return self._answers.get(key)

    def add(self, calls: Sequence[Call]) -> None:
        lines = []
        for call in calls:
            self._answers[call.key] = call.completion
            line = _Line(key=call.key, completion=call.completion)
            lines.append(line.model_dump_json(context=STORED).encode() + b"\n")
        self._append(b"".join(lines))

    def _append(self, lines: bytes) -> None:
        """Writes all at once, so that lines of several processes do not mix."""
        try:
            # Answers may quote private documents: only their owner can read the file.
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(file, "ab", buffering=0) as appended:
                appended.write(lines)
        except OSError as error:
            raise ParameterError(
                f"cache: {self._path} cannot be written ({error.strerror}). Name a file that can."
            ) from error
