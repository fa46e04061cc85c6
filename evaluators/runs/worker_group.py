"""One model's part of a run: the threads that take its open answers in turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError

from evaluators.errors import (
    PlumblineError,
    RunStoppedError,
    TransientError,
    UnreadableAnswerError,
)
from evaluators.llm.clients import ModelSession
from evaluators.records import Reason
from evaluators.runs.answer_scorer import AnswerScorer, Failure, OpenAnswer
from evaluators.runs.pace import Pace
from evaluators.runs.run_control import RunControl
from evaluators.runs.tasks import SamplePrefetch, Task

# One or two in a row happen; ten, each after a further try, show an outage or an unfit judge.
MOST_IN_A_ROW = 10
"""Answers in a row that could not be used, after which a model's part of the run stops."""


class WorkerGroup:
    """The tasks of one model, by its number in the run, and the threads that work on them.

    `asked` names those who answer: the generator and the judges. `generator` is `None` where the
    answers are given.
    """

    def __init__(
        self,
        model: int,
        tasks: Sequence[Task],
        samples: SamplePrefetch,
        scorer: AnswerScorer,
        control: RunControl,
        pace: Pace,
        *,
        generator: ModelSession | None,
        asked: Sequence[str],
        size: int,
    ) -> None:
        self._model = model
        self._samples = samples
        self._scorer = scorer
        self._control = control
        self._pace = pace
        self._generator = generator
        self._asked = " or ".join(asked)
        self._cells_left = sum(len(task.metrics) for task in tasks)
        self._outages = 0
        self._unreadable = 0
        self._tasks = iter(tasks)
        self._turn = threading.Lock()
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, daemon=True, name="plumbline")
            for _ in range(min(size, len(tasks)))
        ]

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set() or self._control.is_cancelled

    @property
    def cells_left(self) -> int:
        return 0 if self.is_stopped else max(0, self._cells_left)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def stop(self, *reasons: Reason) -> None:
        """Takes up nothing more; the answers on their way are still stored."""
        self._stopped.set()
        self._control.save_stop_reason(self._model, *reasons)

    def _work(self) -> None:
        """One thread: takes answers until there is none left or somebody stops the group."""
        try:
            for answer in self._next_answers():
                self._score(answer)
        except CancelledError:
            pass
        except RunStoppedError as error:
            self.stop(error.reason)
        except PlumblineError as error:
            self.stop(error.reason)
            # Others of the run would meet the same: the store, for one, is shared by all groups.
            self._control.cancel()
        # The last resort: a thread that ends in silence leaves a run that nobody can mend.
        except Exception as error:
            self._control.log_foreign(error)
            what = f"Unexpected {type(error).__name__}, which stopped the run."
            remedy = "Everything so far is kept. Resume it; if it happens again, report it."
            self.stop(Reason(kind="unexpected", message=f"{what} {remedy}"))
            self._control.cancel()

    def _next_answers(self) -> Iterator[OpenAnswer]:
        while not self.is_stopped:
            self._control.check()
            # An iterator must not be moved on by two threads at once.
            with self._turn:
                task = next(self._tasks, None)
                if task is None:
                    return
                answer = self._scorer.open(task, self._samples, self._generator)
            yield answer

    def _score(self, answer: OpenAnswer) -> None:
        """Judges one answer by each of its metrics, one stored before the next is asked for."""
        failures = []
        try:
            for metric in answer.task.metrics:
                # A sample that was begun is finished: where it asks, its calls are set aside.
                if self._control.is_cancelled:
                    return
                failures.append(self._scorer.score(answer, metric))
                self._pace.count_cell()
                self._cells_left -= 1
        finally:
            self._scorer.close(answer)
        self._count_failures(failures)

    def _count_failures(self, failures: Sequence[Failure]) -> None:
        """Raises `RunStoppedError` where too many answers in a row failed for the same reason.

        An answer counts once, and metrics that ask nobody do not make up for one that was not
        answered.
        """
        self._outages = _in_a_row(self._outages, TransientError, failures)
        self._unreadable = _in_a_row(self._unreadable, UnreadableAnswerError, failures)
        failed = f"{MOST_IN_A_ROW} samples in a row failed because"
        if self._outages >= MOST_IN_A_ROW:
            message = f"{failed} {self._asked} gave no answer. Resume when it answers again."
            raise RunStoppedError(message, kind="outage")
        if self._unreadable >= MOST_IN_A_ROW:
            remedy = "Start a run with another judge, or with a metric that asks less of it."
            message = f"{failed} the judge's answers could not be read. {remedy}"
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
