"""A job is a run at work: threads take the open cells in turn; every result is stored the moment it exists."""

from __future__ import annotations

import logging
import math
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from evaluators.base import Evaluator, from_spec
from evaluators.config import config
from evaluators.errors import PlumblineError, RunStoppedError, StoreError, TransientError
from evaluators.llm import Keys, LLMClient
from evaluators.llm.clients import Account, Ledger, Seat
from evaluators.llm.layers import Meter, Shelf
from evaluators.llm.loop import Scope
from evaluators.prompts import fill
from evaluators.runs.store import Store
from evaluators.text.normalise import without_surrogates
from evaluators.types import Cell, Completion, ModelSpec, Record, Run, Sample, SampleResult

CPU_WORKERS = 2
MOST_OUTAGES = 10
"""Failures of a provider in a row after which its part of the run stops, rather than fail every sample."""

RECENT = 60.0
"""Seconds over which the rate is measured."""

WORTH_TELLING = 2.0
"""Seconds of waiting from which it is said."""

log = logging.getLogger(__name__)


class Progress(Record):
    """How fast a live run is: cells a minute, seconds left at that rate, and what it waits for, if anything."""

    rate: float | None
    seconds_left: float | None
    waiting: str = ""


class Job:
    """One run at work, a lane for each model, until no cell is open or somebody cancels.

    Raises `AccessError` where a model or the judge has no key.
    """

    def __init__(self, run: Run, store: Store, keys: Keys | None = None) -> None:
        self.run = run
        self.last_seen = time.monotonic()
        self._store = store
        self._evaluator = from_spec(run.evaluator)
        self._patience = config().unwatched_seconds if config().public else math.inf
        self._scope = Scope()
        self._shelf = _shelf(store, run.workspace) if run.use_cache else None
        self._seats: list[Seat] = []
        self._started = time.monotonic()
        self._done: deque[float] = deque(maxlen=20_000)
        self._lock = threading.Lock()
        try:
            self._judges, self._lanes = self._opened(keys or {})
        except PlumblineError:
            self._close()
            raise
        self._threads = [thread for lane in self._lanes for thread in lane.threads]
        self._at_work = len(self._threads)

    def start(self) -> None:
        try:
            self._store.save_stop_reason(self.run.id, "")
            for thread in self._threads:
                thread.start()
        except BaseException:
            self.cancel()
            self._close()
            raise
        if not self._threads:
            self._close()

    def cancel(self) -> None:
        """Stops at once: calls in flight are cut off, what is done stays."""
        for lane in self._lanes:
            lane.stop()
        self._scope.cancel()

    @property
    def is_live(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float | None = None) -> None:
        for thread in self._threads:
            thread.join(seconds)

    def progress(self) -> Progress:
        now = time.monotonic()
        recent = sum(now - moment < RECENT for moment in tuple(self._done))
        rate = 60 * recent / min(RECENT, now - self._started) if recent else None
        left = sum(max(0, lane.left) for lane in self._lanes)
        return Progress(rate=rate, seconds_left=60 * left / rate if rate else None, waiting=self._waiting())

    # Opening and closing

    def _opened(self, keys: Keys) -> tuple[list[Seat], list[Lane]]:
        spent = self._store.spent(self.run.id).values()
        meter = Meter(self.run.cap, sum(model.calls for model in spent), sum(model.cost or 0.0 for model in spent))
        account = Account(self._scope, meter, self._shelf)

        def seat(spec: ModelSpec) -> Seat:
            self._seats.append(Seat(spec, keys, account))
            return self._seats[-1]

        judges = [seat(spec) for spec in self.run.judges]
        seats: list[Seat | None] = [seat(spec) for spec in self.run.models]
        cells = self._store.open_cells(self.run)
        self._failed = self._store.failed_cells(self.run.id)
        if seats:
            cells.sort(key=_scattered)
        workers = max(1, _workers([*seats, *judges]) // max(1, len(seats)))
        return judges, [
            Lane(self._work, [cell for cell in cells if cell.model == number], each, workers)
            for number, each in enumerate(seats or [None])
        ]

    def _close(self) -> None:
        for seat in self._seats:
            seat.close()

    # Working

    def _work(self, lane: Lane) -> None:
        try:
            for cell in lane.cells():
                self._do(cell, lane)
        except CancelledError:
            pass
        except RunStoppedError as error:
            self._tell(lane, error)
        except PlumblineError as error:
            self._tell(lane, error)
            self.cancel()
        finally:
            self._leave()

    def _tell(self, lane: Lane, error: PlumblineError) -> None:
        """Stops the lane and writes down why, once."""
        lane.stop(str(error))
        reasons = dict.fromkeys(each.reason for each in self._lanes if each.reason)
        with suppress(StoreError):
            self._store.save_stop_reason(self.run.id, " ".join(reasons))

    def _do(self, cell: Cell, lane: Lane) -> None:
        if time.monotonic() - self.last_seen > self._patience:
            raise RunStoppedError("Nobody watched this run, so it was paused. Resume it when you are back.")
        ledger = Ledger(self._shelf)
        try:
            result = self._result(cell, lane, ledger)
        except BaseException:
            self._store.save_calls(self.run.id, ledger.calls)
            raise
        else:
            self._store.save_result(self.run.id, result, ledger.calls)
        finally:
            ledger.stored()
        self._done.append(time.monotonic())
        lane.left -= 1
        lane.check()

    def _result(self, cell: Cell, lane: Lane, ledger: Ledger) -> SampleResult:
        """The result for one cell; the one place where an exception becomes a failed result."""
        started = time.perf_counter()
        earlier = self._store.result(self.run.id, *cell) if cell in self._failed else None
        response = earlier.response if earlier else None
        outcome: dict[str, object]
        try:
            sample = self._store.sample(self.run.fingerprint, cell.position)
            if sample.response is None and lane.seat:
                response = response or _answer(sample, self.run.prompt, lane.seat.client(ledger)).text
                sample = sample.model_copy(update={"response": response})
            score = self._evaluator_for(ledger).score(sample)
            score.model_dump_json()  # what cannot be stored fails this sample, not the run
            outcome = {"status": "scored", "score": score}
            lane.outages = 0
        except (RunStoppedError, StoreError, CancelledError):
            raise
        except Exception as error:
            lane.outages += isinstance(error, TransientError)
            ledger.spoil(getattr(error, "texts", ()))  # asked again, the model may say it better
            outcome = {"status": "failed", "error": _message(error), "details": getattr(error, "details", "")}
        outcome |= {"response": response, "seconds": time.perf_counter() - started}
        return SampleResult.model_validate({**cell._asdict(), **outcome, **ledger.bill(earlier)})

    def _evaluator_for(self, ledger: Ledger) -> Evaluator:
        """The evaluator with its judge, or with a tuple of judges where they are a jury."""
        if not self._judges:
            return self._evaluator
        clients = tuple(judge.client(ledger) for judge in self._judges)
        return self._evaluator.model_copy(update={"llm_client": clients if len(clients) > 1 else clients[0]})

    def _leave(self) -> None:
        """The last thread lets the connections go; a run that came to its end has not stopped."""
        with self._lock:
            self._at_work -= 1
            if self._at_work:
                return
        self._close()
        with suppress(StoreError):
            if not self._store.counts(self.run).open:  # it came to its end all the same
                self._store.save_stop_reason(self.run.id, "")

    def _waiting(self) -> str:
        longest = max((seat.waiting for seat in self._seats), default=0.0)
        return f"waiting {longest:.0f} s for the provider's limit" if longest > WORTH_TELLING else ""


class Lane:
    """One model's part of a run: its open cells, and the threads that work on them."""

    def __init__(self, work: Callable[[Lane], None], cells: Sequence[Cell], seat: Seat | None, workers: int) -> None:
        self.seat = seat
        self.outages = 0
        self.left = len(cells)
        self.reason = ""
        self.threads = [
            threading.Thread(target=work, args=(self,), daemon=True, name="plumbline")
            for _ in range(min(workers, len(cells)))
        ]
        self._cells = iter(cells)
        self._turn = threading.Lock()
        self._stopped = threading.Event()

    def cells(self) -> Iterator[Cell]:
        """The next open cell, as long as there is one and nobody stopped the lane."""
        while not self._stopped.is_set():
            with self._turn:
                cell = next(self._cells, None)
            if cell is None:
                return
            yield cell

    def stop(self, reason: str = "") -> None:
        """Gives no cell out any more; the first reason counts."""
        with self._turn:
            self.reason = self.reason or reason
            self.left = 0
        self._stopped.set()

    def check(self) -> None:
        """Raises `RunStoppedError` when the provider failed too often in a row."""
        if self.outages >= MOST_OUTAGES:
            who = self.seat.name if self.seat else "the provider"
            raise RunStoppedError(
                f"{MOST_OUTAGES} samples in a row failed because {who} gave no answer. Resume when it is well."
            )


_shelves: WeakValueDictionary[tuple[Store, str], Shelf] = WeakValueDictionary()


def _shelf(store: Store, workspace: str) -> Shelf:
    """The answers of a workspace, one shelf for all its jobs, so that they share what is on its way."""
    return _shelves.setdefault((store, workspace), Shelf(partial(store.answer, workspace)))


def _scattered(cell: Cell) -> tuple[int, Cell]:
    """Every model goes through the samples in the same mixed order, so that a part of a run is a fair part."""
    return zlib.crc32(str(cell.position).encode()), cell


def _workers(seats: Sequence[Seat | None]) -> int:
    """Where a provider answers, threads only wait; else they compete for the processor."""
    waits = any(each.is_remote for each in seats if each)
    return config().workers if waits else CPU_WORKERS


def _answer(sample: Sample, prompt: str, llm: LLMClient) -> Completion:
    completion = llm.complete(fill(prompt, sample.question, sample.retrieved_documents))
    return completion.model_copy(update={"text": without_surrogates(completion.text)})


def _message(error: Exception) -> str:
    """Our own errors speak for themselves; of any other only the kind is told, its text may hold anything."""
    if isinstance(error, PlumblineError):
        return str(error)
    log.error("A sample failed with %s", type(error).__name__)
    return f"Unexpected {type(error).__name__}. Try again with “Retry failed”; if it stays, report it."
