"""Many answers in a row that failed for the same reason: a sign to stop before more is paid."""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.errors import (
    PlumblineError,
    RunStoppedError,
    TransientError,
    UnreadableAnswerError,
)
from evaluators.text.language import mark

# One or two in a row happen; ten, each after a further try, show an outage or an unfit judge.
MOST_IN_A_ROW = 10
"""Answers in a row that could not be used, after which a model's part of the run stops."""

Failure = type[BaseException] | None
"""The kind of error that a cell failed with; `None` where it was scored."""


class FailureStreaks:
    """How many answers in a row failed; `asked` names those who answer."""

    def __init__(self, asked: Sequence[str]) -> None:
        self._asked = " or ".join(asked)
        self._outages = 0
        self._unreadable = 0

    def count(self, failures: Sequence[Failure]) -> None:
        """Counts an answer by the failures of its metrics.

        An answer counts once, and metrics that ask nobody do not make up for one that was not
        answered. Raises `RunStoppedError` where too many in a row failed for the same reason.
        """
        self._outages = _in_a_row(self._outages, TransientError, failures)
        self._unreadable = _in_a_row(self._unreadable, UnreadableAnswerError, failures)
        if self._outages >= MOST_IN_A_ROW:
            message = mark(
                "{count} samples in a row failed because {asked} gave no answer. Resume when it "
                "answers again."
            ).format(count=MOST_IN_A_ROW, asked=self._asked)
            raise RunStoppedError(message, kind="outage")
        if self._unreadable >= MOST_IN_A_ROW:
            message = mark(
                "{count} samples in a row failed because the judge's answers could not be read. "
                "Start a run with another judge, or with a metric that asks less of it."
            ).format(count=MOST_IN_A_ROW)
            raise RunStoppedError(message, kind="unreadable")


def _in_a_row(
    before: int,
    kind: type[PlumblineError],
    failures: Sequence[Failure],
) -> int:
    """How many answers in a row failed of this kind, with this one.

    Failures of another kind change nothing.
    """
    if any(failure and issubclass(failure, kind) for failure in failures):
        return before + 1
    return before if any(failures) else 0
