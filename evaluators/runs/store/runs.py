"""Runs: what each one is to do, in the order in which they were made, and why one stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from evaluators.catalogue import leads
from evaluators.errors import ParameterError, UnreadableRowError
from evaluators.messages import STORED
from evaluators.records import Cap, Dataset, Reason, Remedy, Run, Sample, SampleResult
from evaluators.runs.naming import described
from evaluators.runs.store.bodies import (
    Unreadable,
    from_body,
    open_workspace,
    readable,
    sql_field,
    to_body,
    why_unreadable,
)
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.results import insert_results, result_row
from evaluators.runs.store.samples import insert_samples
from evaluators.text.language import mark, say

EXAMPLES = "examples"
"""The workspace of the finished runs that come with Plumbline: nobody's, and open to all."""

_REASONS: TypeAdapter[tuple[Reason, ...]] = TypeAdapter(tuple[Reason, ...])


TABLES_OF_A_RUN = ("documents", "results", "person_labels")


class RunTable:
    def __init__(self, database: Database) -> None:
        self._database = database
        # Why runs stopped, where that could not be written, as on a full disk.
        self._unwritten: dict[str, tuple[Reason, ...]] = {}

    def save(self, run: Run, dataset: Dataset) -> None:
        """Stores a run and its samples (those once, whatever the data set's name)."""
        with self._database.transaction() as db:
            _insert(db, run, dataset.samples, self._database.now())

    def put(self, run: Run, samples: Iterable[Sample], results: Iterable[SampleResult]) -> None:
        """Stores a run that is finished with all of it, in place of one of the same id."""
        with self._database.transaction() as db:
            db.execute("delete from runs where id = ?", (run.id,))
            _insert(db, run, samples, self._database.now())
            insert_results(db, (result_row(run.id, result) for result in results))

    def get(self, run_id: str) -> Run | None:
        """The run of that id; raises `UnreadableRowError`."""
        query = "select id, workspace, fingerprint, body from runs where id = ?"
        for row in self._database.rows(query, run_id):
            try:
                return _run_of_row(*row)
            except ValueError as error:
                message = say(
                    "The run {run} cannot be read ({why}).", run=run_id, why=why_unreadable(error)
                )
                raise UnreadableRowError(message, remedy=Remedy("save_run", run_id)) from error
        return None

    def newest(self, workspace: str, limit: int = 100) -> list[Run]:
        """The workspace's runs, newest first, in the order in which they were made.

        Clocks have no part in the order. Without the `unreadable` ones.
        """
        return [*self._read(workspace, limit)[0].values()]

    def save_title(
        self,
        run_id: str,
        title: str,
        note: str = "",
        tags: Iterable[str] = (),
    ) -> Run:
        """Gives the run this title (empty for the suggested one), note and tags.

        Raises `ParameterError` for an example, which all share, for a run that is not there (any
        more), and where one of them is too long.
        """
        gone = mark("This run was deleted meanwhile: its title was not kept.")
        with self._database.transaction() as db:
            check_own_run(db, run_id, mark("titles"), gone)
            # Read here: what it may spend could have been raised since the caller read it.
            run = self.get(run_id)
            if run is None:
                raise ParameterError(say(gone))
            changed = described(run, title, note, tags, self.newest(run.workspace))
            db.execute("update runs set body = ? where id = ?", (to_body(changed), run_id))
        return changed

    def baseline_ids(self, workspace: str) -> dict[str, str]:
        """The workspace's baselines, each under what it is the baseline of."""
        query = "select baseline_of, id from runs where workspace = ? and baseline_of is not null"
        return dict(self._database.rows(query, workspace))

    def baseline_id(self, run: Run) -> str | None:
        """The run that this one is to be compared with: itself where it is the baseline."""
        return self.baseline_ids(run.workspace).get(_baseline_of(run))

    def save_baseline(self, run: Run, is_baseline: bool = True) -> None:
        """Makes the run the baseline in place of the one before, or takes the mark away.

        Raises `ParameterError` for an example, which all share, and for a run that is gone.
        """
        of = _baseline_of(run)
        gone = mark("This run was deleted meanwhile, so it is no baseline.")
        with self._database.transaction() as db:
            check_own_run(db, run.id, mark("baseline"), gone)
            if is_baseline:
                query = "update runs set baseline_of = null where workspace = ? and baseline_of = ?"
                db.execute(query, (run.workspace, of))
            kept = of if is_baseline else None
            db.execute("update runs set baseline_of = ? where id = ?", (kept, run.id))

    def again_of(self, run: Run) -> list[Run]:
        """The runs of the same workspace that did this one again, newest first."""
        query = f"""select id, workspace, fingerprint, body from runs
                    where workspace = ? and {sql_field("again_of")} = ? order by rowid desc"""
        rows = self._database.rows(query, run.workspace, run.id)
        return [*readable(rows, _run_of_row)[0].values()]

    def unreadable(self, workspace: str, limit: int = 100) -> list[Unreadable]:
        """Those among the same rows that cannot be read: damaged, or written by another version."""
        return self._read(workspace, limit)[1]

    def ids(self, workspace: str, start: str = "") -> list[str]:
        """The ids that begin so, newest first, of runs that cannot be read as well."""
        query = (
            "select id from runs where workspace = ? and substr(id, 1, ?) = ? order by rowid desc"
        )
        rows = self._database.rows(query, workspace, len(start), start)
        return [run_id for (run_id,) in rows]

    def raw(self, run_id: str) -> Iterator[bytes]:
        """All that is stored of a run as JSON lines, whether or not it can be read.

        Each row names its table.
        """
        of_samples = "fingerprint = (select fingerprint from runs where id = ?)"
        yield from self._database.raw_rows("runs", "id = ?", run_id)
        yield from self._database.raw_rows("samples", of_samples, run_id)
        for table in TABLES_OF_A_RUN:
            yield from self._database.raw_rows(table, "run_id = ?", run_id)
        yield from self._database.raw_rows("calls", "payer = ?", run_id)

    def set_cap(self, run_id: str, cap: Cap) -> None:
        """Changes what the run may spend."""
        self._change(run_id, cap=cap)

    def set_overnight(self, run_id: str, overnight: bool) -> None:
        """Changes whether the run's models answer by tomorrow, for less money."""
        self._change(run_id, overnight=overnight)

    def stop_reasons(self, run_id: str) -> tuple[Reason, ...]:
        """Why the run stopped by itself, each model perhaps for its own reason; empty where not."""
        if unwritten := self._unwritten.get(run_id):
            return unwritten
        rows = self._database.rows("select stopped from runs where id = ?", run_id)
        if not rows:
            return ()
        body = rows[0][0] or "[]"
        try:
            return _REASONS.validate_json(body)
        except (ValueError, TypeError):
            return (Reason(message=mark("Why the run stopped cannot be read. Resume it.")),)

    def save_stop_reasons(self, run_id: str, *reasons: Reason) -> None:
        """Keeps why the run stopped.

        What cannot be written, as the disk is full, this process knows all the same.
        """
        self._unwritten[run_id] = reasons
        with self._database.transaction() as db:
            body = _REASONS.dump_json(reasons, context=STORED).decode() if reasons else ""
            db.execute("update runs set stopped = ? where id = ?", (body, run_id))
        self._unwritten.pop(run_id, None)

    def delete(self, run_id: str) -> None:
        """Removes a run with its results, and its samples when no other run uses them.

        Its answers stay for the cache.
        """
        delete_unused = """delete from samples where fingerprint = ?1
                           and ?1 not in (select fingerprint from runs)"""
        with self._database.transaction() as db:
            rows = db.execute("select fingerprint from runs where id = ?", (run_id,)).fetchall()
            db.execute("delete from runs where id = ?", (run_id,))
            db.executemany(delete_unused, rows)
        self._database.shrink()
        self._database.run_lock(run_id).remove()

    def _change(self, run_id: str, **fields: Any) -> None:
        with self._database.transaction() as db:
            run = self.get(run_id)
            if run is not None:
                body = to_body(run.model_copy(update=fields))
                db.execute("update runs set body = ? where id = ?", (body, run_id))

    def _read(self, workspace: str, limit: int) -> tuple[dict[str, Run], list[Unreadable]]:
        query = """select id, workspace, fingerprint, body from runs
                   where workspace = ? order by rowid desc limit ?"""
        return readable(self._database.rows(query, workspace, limit), _run_of_row)


def _insert(db: Connection, run: Run, samples: Iterable[Sample], moment: datetime) -> None:
    open_workspace(db, run.workspace, moment)
    insert_samples(db, run.fingerprint, samples)
    db.execute(
        "insert into runs (id, workspace, created, fingerprint, body) values (?, ?, ?, ?, ?)",
        (run.id, run.workspace, run.created, run.fingerprint, to_body(run)),
    )


def _run_of_row(run_id: str, workspace: str, fingerprint: str, body: Any) -> Run:
    """The run that a row holds; raises `ValueError` where it holds none, or another one."""
    run = from_body(Run, body)
    datetime.fromisoformat(run.created)
    if (run.id, run.workspace, run.fingerprint) != (run_id, workspace, fingerprint):
        raise ValueError("it is another run's")
    return run


def _baseline_of(run: Run) -> str:
    """What the run can be the baseline of: all runs of its kind over data of this name.

    A kind is RGB, TRACE whoever labels, or else the first metric. By name and not by content, as
    another part of the same data has another content.
    """
    name = run.evaluator.name
    return f"{leads(name) or name} {run.dataset_name}"


def check_own_run(db: Connection, run_id: str, what: str, gone: str) -> None:
    """Raises `ParameterError` where a person would write into a run that is `gone`, in these words,
    or into an example, naming what.
    """
    # Asked by the tables, so that no door can forget it: whoever opens an example sees the same.
    row = db.execute("select workspace from runs where id = ?", (run_id,)).fetchone()
    if row is None:
        raise ParameterError(say(gone))
    if row[0] == EXAMPLES:
        raise ParameterError(
            say(
                "Everybody who opens this example sees the same {what}. Press “Make it "
                "yours” and change your own copy.",
                what=say(what),
            )
        )
