"""One model's part of a run: the threads that take its open answers in turn."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager

from evaluators.errors import RunStoppedError
from evaluators.llm.clients import ModelSession
from evaluators.records import Reason
from evaluators.runs.answer_scorer import AnswerScorer, OpenAnswer, Unstored, wait_for
from evaluators.runs.failure_streaks import FailureStreaks
from evaluators.runs.giving_way import give_way
from evaluators.runs.pace import Pace
from evaluators.runs.tasks import Task

MOST_UNSTORED = 500
"""Calls and results that a thread may have put into the store before it waits for the oldest.

It holds as many in memory; fewer would not fill the time of a transaction.
"""


class WorkerGroup:
    """The tasks of one model, by its number in the run, and the threads that work on them.

    `generator` is `None` where the answers are given.
    """

    def __init__(
        self,
        model: int,
        tasks: Sequence[Task],
        scorer: AnswerScorer,
        pace: Pace,
        generator: ModelSession | None,
        size: int,
    ) -> None:
        self._model = model
        self._scorer = scorer
        self._control = scorer.control
        self._pace = pace
        asked = [session.name for session in (generator, *scorer.judges) if session]
        self._streaks = FailureStreaks(asked)
        self._cells_left = sum(len(task.metrics) for task in tasks)
        self._answers = scorer.answers(tasks, generator)
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
        unstored: Unstored = deque()
        with self._stopping_where_it_fails():
            for answer in self._next_answers():
                self._score(answer, unstored)
                # Nobody is asked again before the last answer is on the disk: a process that is
                # killed has paid twice for what was in flight alone.
                wait_for(unstored, 1 if answer.is_paid else MOST_UNSTORED)
        # Whoever waits for the thread finds all of it in the store. The others were told to stop
        # before: they take up nothing more meanwhile.
        self._scorer.hurry()
        with self._stopping_where_it_fails():
            wait_for(unstored)

    @contextmanager
    def _stopping_where_it_fails(self) -> Iterator[None]:
        try:
            yield
        except CancelledError:
            pass
        # The last resort: a thread that ends in silence leaves a run that nobody can mend.
        except Exception as error:
            self.stop(self._control.why_stopped(error))
            # Others of the run would meet the same: the store, for one, is shared by all groups.
            if not isinstance(error, RunStoppedError):
                self._control.cancel()

    def _next_answers(self) -> Iterator[OpenAnswer]:
        while not self.is_stopped:
            self._control.check()
            give_way()
            # An iterator must not be moved on by two threads at once.
            with self._turn:
                answer = next(self._answers, None)
            if answer is None:
                return
            yield answer

    def _score(self, answer: OpenAnswer, unstored: Unstored) -> None:
        """Judges one answer by each of its metrics; a result counts once it is stored."""
        failures = []
        try:
            for metric in answer.task.metrics:
                # A sample that was begun is finished: where it asks, its calls are set aside.
                if self._control.is_cancelled:
                    return
                failures.append(self._scorer.score(answer, metric, unstored))
                unstored[-1].add_done_callback(self._count)
        finally:
            self._scorer.close(answer)
        self._streaks.count(failures)

    def _count(self, stored: Future[None]) -> None:
        if stored.exception() is None:
            self._pace.count_cell()
            self._cells_left -= 1
