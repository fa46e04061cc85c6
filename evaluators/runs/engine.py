"""The engine: creates runs, starts and stops them, and lets anybody find the ones at work."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from evaluators.config import config
from evaluators.errors import HostLimitError, PlumblineError, StoreError
from evaluators.llm import Keys
from evaluators.records import Reason, Run
from evaluators.runs import workspaces
from evaluators.runs.job import Job
from evaluators.runs.naming import suggested_title
from evaluators.runs.pace import Progress
from evaluators.runs.plan import RunPlan
from evaluators.runs.queue import Place, Ticket, expected, in_turn
from evaluators.runs.store import Store
from evaluators.text.language import mark, say

LOOK = 0.5
"""Seconds between two looks at the queue."""

RECENT_RUNS = 20
"""Runs from whose length the time of waiting is estimated."""

SHARE_SECONDS = 60.0
"""Seconds that a further run of an address keeps its place while somebody else has none."""

TWIN_SECONDS = 60.0
"""A second start of the same run within this time is taken for an impatient click."""

TWINS_LOOKED_AT = 20
"""Newest runs among which the same one is looked for."""

BUSY = mark(
    "This host is busy, and its queue is full. This run is kept: resume it in a few minutes."
)

log = logging.getLogger(__name__)

_creating = threading.Lock()

_created_by: dict[str, str] = {}
"""Who created the newest runs of this process, by their ids, in the order of their creation."""


def create_run(store: Store, plan: RunPlan, *, workspace: str) -> Run:
    """Stores a new run as it is planned.

    Raises `PlumblineError` before anything is stored where it could not be run.
    """
    plan.check()
    for metric in plan.evaluators:
        metric.prepare()
    run = _planned_run(plan, workspace)
    if run.is_title_suggested:
        title = suggested_title(run, store.runs.newest(workspace))
        run = run.model_copy(update={"title": title})
    if config().public:
        bodies = [sample.model_dump_json(exclude_defaults=True) for sample in plan.dataset.samples]
        workspaces.of(store).check_run(run, len(bodies), sum(map(len, bodies)))
    store.runs.save(run, plan.dataset)
    return run


def create_once(
    store: Store,
    plan: RunPlan,
    *,
    workspace: str,
    by: str = "",
) -> Run:
    """The run that `by` created from an equal plan within the last `TWIN_SECONDS`, else a new one.

    `by` tells sessions apart: two people who share a machine each have their own run. Raises as
    `create_run` does.
    """
    # Each click is drawn in a thread of its own: two that look at once would both find nothing.
    with _creating:
        twin = _twin(store, plan, workspace, by)
        if twin is not None:
            return twin
        created = create_run(store, plan, workspace=workspace)
        _created_by[created.id] = by
        if len(_created_by) > TWINS_LOOKED_AT * 10:
            _created_by.pop(next(iter(_created_by)))
        return created


def _twin(
    store: Store,
    plan: RunPlan,
    workspace: str,
    by: str,
) -> Run | None:
    planned = _planned_run(plan, workspace)
    now, window = datetime.now(UTC), timedelta(seconds=TWIN_SECONDS)
    for run in store.runs.newest(workspace, TWINS_LOOKED_AT):
        its_own = {"id": run.id, "created": run.created}
        if run.is_title_suggested:
            its_own["title"] = run.title
        # One of the future was made before the clock was set back.
        is_recent = abs(now - datetime.fromisoformat(run.created)) < window
        is_own = _created_by.get(run.id) == by
        if is_recent and is_own and run == planned.model_copy(update=its_own):
            return run
    return None


def _planned_run(plan: RunPlan, workspace: str) -> Run:
    """A new run as it is planned, not stored yet."""
    data = plan.dataset
    return plan.as_run(
        data.name,
        data.origin,
        id=secrets.token_hex(16),
        workspace=workspace,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        fingerprint=data.fingerprint,
        repeats=data.repeats,
    )


class RunRegistry:
    """The runs of this process, at work or waiting for a place; whoever knows an id can attach.

    Where a public host is full, a run waits in a queue. `share_seconds` is how long a further run
    of an address may keep its place there while somebody else has none.
    """

    def __init__(self, share_seconds: float = SHARE_SECONDS) -> None:
        self._share_seconds = share_seconds
        self._jobs: dict[str, Job] = {}
        # Of each job; a second run of an address is found by them.
        self._tickets: dict[str, Ticket] = {}
        # As they came; never changed in place, so that readers need no lock.
        self._waiting: list[Ticket] = []
        self._recent: deque[float] = deque(maxlen=RECENT_RUNS)
        self._keeper: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self, run: Run, store: Store, keys: Keys | None = None) -> Job:
        """Starts or resumes a run; a run that is live already goes on as it is.

        Raises `AccessError` where a model has no key, `HostLimitError` where a public host is full,
        `RunElsewhereError` where another process works on the run.
        """
        with self._lock:
            job = self._jobs.get(run.id)
            if job is None or not job.is_live:
                self._check_visitor(run)
                if not self._has_room():
                    raise HostLimitError(say(BUSY))
                job = self._begin(Ticket(run, store, keys))
            return job

    def start_or_wait(
        self,
        run: Run,
        store: Store,
        keys: Keys | None = None,
        address: str = "",
        *,
        withdraws: bool = False,
    ) -> None:
        """The same, but where a public host is full, the run waits and then starts by itself.

        `address` is where the visitor comes from, empty where that is not known; addresses take
        turns. Where it `withdraws`, providers only cancel the run's batches. Raises
        `HostLimitError` only where the visitor has a run already, or the queue is full.
        """
        with self._lock:
            if self.is_live(run.id):
                return
            ticket = Ticket(run, store, keys, address, withdraws=withdraws)
            if self.is_waiting(run.id):
                # Perhaps with another key or cap; it keeps its place.
                self._waiting = [
                    ticket if waiting.run.id == run.id else waiting for waiting in self._waiting
                ]
                return
            self._check_visitor(run)
            if self._has_room():
                self._begin(ticket)
            else:
                self._queue(ticket)

    def is_live(self, run_id: str) -> bool:
        job = self._jobs.get(run_id)
        return job is not None and job.is_live

    @property
    def at_work(self) -> int:
        """How many runs this process works on."""
        return sum(job.is_live for job in list(self._jobs.values()))

    def moves(self, run_id: str, store: Store) -> bool:
        """Whether the run is at work, here or elsewhere, or waits for a place."""
        return self.is_waiting(run_id) or self.is_at_work(run_id, store)

    def is_waiting(self, run_id: str) -> bool:
        """Whether the run waits for a place on a public host that is full."""
        return any(ticket.run.id == run_id for ticket in self._waiting)

    def is_at_work(self, run_id: str, store: Store) -> bool:
        """Whether this process or another one (a terminal, a notebook) works on the run."""
        return self.is_live(run_id) or store.run_lock(run_id).is_held

    def watch(self, run_id: str) -> None:
        """Somebody looks at the run; on a public host one that nobody looks at is paused."""
        now = time.monotonic()
        if job := self._jobs.get(run_id):
            job.control.last_seen = now
        for ticket in self._waiting:
            if ticket.run.id == run_id:
                ticket.last_seen = now

    def progress(self, run_id: str) -> Progress | None:
        """How fast the run is, while it is live."""
        job = self._jobs.get(run_id)
        if job is None or not job.is_live:
            return None
        return job.progress()

    def place(self, run_id: str) -> Place | None:
        """Where in the queue the run is, while it waits."""
        order = [ticket.run.id for ticket in self._in_turn()]
        if run_id not in order:
            return None
        number = order.index(run_id) + 1
        # A copy: another thread may note the length of a run meanwhile.
        lengths = tuple(self._recent)
        seconds = expected(number, config().runs_in_all, lengths)
        return Place(number=number, seconds=seconds)

    def live(self, workspace: str) -> list[Run]:
        """The workspace's runs that are at work or wait."""
        # Copied first: another thread may start a run meanwhile.
        at_work = [job.run for job in list(self._jobs.values()) if job.is_live]
        waiting = [ticket.run for ticket in self._waiting]
        return [run for run in (*at_work, *waiting) if run.workspace == workspace]

    def cancel(self, run_id: str) -> None:
        """Stops the run, or takes it out of the queue; nothing is written afterwards."""
        with self._lock:
            self._waiting = [ticket for ticket in self._waiting if ticket.run.id != run_id]
            if ticket := self._tickets.get(run_id):
                # It may just be making room for others, to wait again afterwards.
                ticket.returns, ticket.keys = False, None
        job = self._jobs.get(run_id)
        if job:
            job.cancel()
            job.wait()

    def move_workspace(self, workspace: str, store: Store) -> str:
        """Moves all of a workspace to a new token, which it returns.

        Raises `HostLimitError` while a run is at work.
        """
        with self._lock:
            if self.live(workspace):
                raise HostLimitError(
                    say(
                        "A run of yours is at work or waiting. Cancel it or wait for its end, then "
                        "make the new link."
                    )
                )
            return workspaces.of(store).move(workspace)

    # Places; whoever calls these holds the lock

    def _begin(self, ticket: Ticket) -> Job:
        job = Job(ticket.run, ticket.store, ticket.keys, withdraws=ticket.withdraws)
        # The job has them now, and lets them go at its end.
        ticket.keys = None
        job.start()
        self._jobs[ticket.run.id] = job
        self._tickets[ticket.run.id] = ticket
        return job

    def _forget_ended(self) -> None:
        """Lets go of the jobs that have ended; a run that made room for others waits again."""
        for run_id, job in [*self._jobs.items()]:
            if job.is_live:
                continue
            ticket = self._tickets.pop(run_id)
            self._jobs = {key: other for key, other in self._jobs.items() if key != run_id}
            if ticket.returns:
                again = Ticket(
                    job.run,
                    ticket.store,
                    ticket.keys,
                    ticket.address,
                    withdraws=ticket.withdraws,
                )
                self._waiting = [*self._waiting, again]
            else:
                self._recent.append(job.seconds)

    def _check_visitor(self, run: Run) -> None:
        """Raises `HostLimitError` where a visitor of a public host has as many runs as allowed."""
        most = config().runs_per_visitor
        if config().public and len(self.live(run.workspace)) >= most:
            raise HostLimitError(
                say(
                    "Another run of yours is at work or waiting, and this host allows a "
                    "visitor {most} at a time. This one is kept: resume it when the other is "
                    "done.",
                    most=most,
                )
            )

    def _has_room(self) -> bool:
        self._forget_ended()
        if not config().public:
            return True
        # Who comes now must not overtake who waits.
        return not self._waiting and len(self._jobs) < config().runs_in_all

    def _in_turn(self) -> list[Ticket]:
        # Copied first: another thread may start a run meanwhile.
        tickets = [*self._tickets.values()]
        return in_turn(self._waiting, [ticket.address for ticket in tickets])

    def _queue(self, ticket: Ticket) -> None:
        """Lets the run wait; from a full queue whoever comes last leaves, perhaps this one."""
        self._waiting = [*self._waiting, ticket]
        if len(self._waiting) > config().runs_waiting:
            last = self._in_turn()[-1]
            self._waiting = [waiting for waiting in self._waiting if waiting is not last]
            if last is ticket:
                raise HostLimitError(say(BUSY))
            _keep_reason(last, Reason(kind="host", message=BUSY))
        with suppress(StoreError):
            ticket.store.runs.save_stop_reasons(ticket.run.id)
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._keep, daemon=True, name="plumbline queue")
            self._keeper.start()

    def _keep(self) -> None:
        """Looks after the queue until nobody waits."""
        while True:
            time.sleep(LOOK)
            with self._lock:
                self._forget_ended()
                self._drop_unwatched()
                self._start_next()
                self._make_room()
                will_wait = any(ticket.returns for ticket in self._tickets.values())
                if not self._waiting and not will_wait:
                    self._keeper = None
                    return

    def _drop_unwatched(self) -> None:
        """A run that nobody looks at neither waits nor keeps a place for which others wait."""
        since = time.monotonic() - config().unwatched_seconds_when_full
        for ticket in self._waiting:
            if ticket.last_seen < since:
                self._waiting = [waiting for waiting in self._waiting if waiting is not ticket]
                message = mark(
                    "Nobody watched this run while it waited, so it gave its turn up. Resume it."
                )
                _keep_reason(ticket, Reason(kind="unwatched", message=message))
        if not self._waiting:
            return
        for job in self._jobs.values():
            if job.control.last_seen < since and not job.is_pausing:
                message = mark(
                    "Others waited and nobody watched this run, so it was paused. Resume it."
                )
                job.pause(Reason(kind="unwatched", message=message))

    def _start_next(self) -> None:
        while self._waiting and len(self._jobs) < config().runs_in_all:
            ticket = self._in_turn()[0]
            self._waiting = [waiting for waiting in self._waiting if waiting is not ticket]
            try:
                self._begin(ticket).control.last_seen = ticket.last_seen
            except PlumblineError as error:
                _keep_reason(ticket, error.reason)
            except Exception as error:
                # Whatever it is, the others in the queue must get their turn.
                log.exception("A run that waited could not be started")
                message = mark(
                    "It could not be started ({kind}). Resume it; if it happens again, report it."
                ).format(kind=type(error).__name__)
                _keep_reason(ticket, Reason(kind="unexpected", message=message))

    def _make_room(self) -> None:
        """For who waits without a place, an address with several gives its newest one up."""
        staying = [ticket for ticket in self._tickets.values() if not ticket.returns]
        at_work = Counter(ticket.address for ticket in staying)
        leaving = sum(job.is_pausing for job in self._jobs.values())
        with_a_place = {ticket.address for ticket in self._tickets.values()}
        without = {ticket.address for ticket in self._waiting} - with_a_place
        if leaving >= len(without):
            return
        most = max(at_work.values(), default=0)
        if most < 2:
            return
        for run_id, ticket in reversed(self._tickets.items()):
            job = self._jobs[run_id]
            has_had_its_share = job.seconds > self._share_seconds
            if job.is_pausing or not has_had_its_share:
                continue
            if at_work[ticket.address] == most:
                ticket.returns, ticket.keys = True, job.keys
                job.pause()
                return


def _keep_reason(ticket: Ticket, reason: Reason) -> None:
    """Says at the run why it no longer waits."""
    with suppress(StoreError):
        ticket.store.runs.save_stop_reasons(ticket.run.id, reason)


registry = RunRegistry()
