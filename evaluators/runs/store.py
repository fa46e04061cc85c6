"""The run store: one SQLite file that holds samples, uploads, runs, and every result and call the
moment it exists.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from evaluators.datasets.rgb import TestBed
from evaluators.errors import StoreError, UnreadableRowError, UnstorableError
from evaluators.records import (
    Ability,
    Call,
    Cap,
    Cell,
    Completion,
    Dataset,
    EvaluatorSpec,
    Reason,
    Record,
    Remedy,
    Run,
    Sample,
    SampleResult,
    Score,
)
from evaluators.runs.lock import RunLock
from evaluators.runs.store_file import LOOK, StoreFile
from evaluators.trace.labelling import Correction

MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST = len(list(MIGRATIONS.glob("*.sql")))
"""The version of a store that this version makes, in SQLite's `user_version`."""

QUESTION_SHOWN = 120
MOST_MAPPINGS = 100
JOURNAL = 4 * 2**20
"""Bytes of the write-ahead log that stay after a large write."""
PAGES_AT_ONCE = 1000
"""Pages that are given back to the disk in one go, while nobody else reads or writes."""
PATIENCE = 30
"""Seconds to wait for another process that writes."""
MOST_COUNTED = 10**15
"""Tokens that are shown at most. Version 0.1.0 stored whatever a server told, up to 2^63 - 1: its
sums overflow.
"""

APPLICATION = 1347179853
"""What SQLite's `application_id` says of a run store, "PLUM";
0 in those of the first six versions.
"""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
RESTORE = (
    "Stop Plumbline and put a backup in its place (README, “Backup”), or move it away to "
    "begin a new one."
)
NEWER = (
    "Install the newer version, or set PLUMBLINE_DATA_DIR to another folder. Nothing in it "
    "was changed."
)

_R = TypeVar("_R", bound=Record)

Upload = TestBed | Dataset
_UPLOAD: TypeAdapter[Upload] = TypeAdapter(Upload)
_MAPPING: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
_REASONS: TypeAdapter[tuple[Reason, ...]] = TypeAdapter(tuple[Reason, ...])


class Counts(Record):
    """How far a run is: cells (samples, once for each model and metric) asked, scored, failed."""

    asked: int
    scored: int
    failed: int

    @property
    def open(self) -> int:
        return self.asked - self.scored - self.failed


class Spent(Record):
    """What one model cost a run: answered requests, tokens, and US dollars (`None` where a price is
    unknown).
    """

    calls: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None


class Outline(Record):
    """A cell of a run without its texts; `status` is `None` until there is a result.

    `by` names who gave the labels that count, where the score tells; `corrected` is how many a
    person has set.
    """

    position: int
    model: int = 0
    metric: int = 0
    sample_id: str
    question: str
    ability: str | None = None
    noise: float | None = None
    effective_noise: float | None = None
    situation: str = ""
    status: Literal["scored", "failed"] | None = None
    values: dict[str, float | None] = {}
    by: str = ""
    corrected: int = 0


class Unreadable(Record):
    """A row that cannot be read, by its name (a run's id, a metric's title), and why."""

    name: str
    reason: str


class Store:
    """All reading and writing of runs; safe to share between threads. `path` may be ":memory:".

    A row that cannot be read never keeps others from being read: alone it raises
    `UnreadableRowError`, among others it is left out and told by a method of its own.

    Reads have a connection of their own: a page does not wait until the results of runs are on the
    disk.
    """

    def __init__(self, path: Path | str) -> None:
        self._lock = threading.RLock()  # of whoever writes
        self._reading = self._lock if path == ":memory:" else threading.RLock()
        self._unwritten: dict[str, tuple[Reason, ...]] = {}  # why runs stopped
        self._file = None if path == ":memory:" else StoreFile(Path(path))
        self._looked = -math.inf
        try:
            if self._file:
                self._file.create()
            self._db = self._reader = _connected(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(_not_opened(path, error)) from error
        try:
            self._check_ours(path)
            self._db.execute(
                "pragma auto_vacuum = incremental"
            )  # of a new file: what is deleted makes it smaller
            _write_ahead(self._db)
            self._db.executescript("pragma synchronous = full; pragma foreign_keys = on;")
            self._db.execute(f"pragma journal_size_limit = {JOURNAL}")
            self._migrate()
            if self._file:
                self._reader = _connected(path)
                self._reader.execute("pragma query_only = on")
                self._file.opened(self._data_version())
        except BaseException as error:
            self._close()
            if isinstance(error, sqlite3.Error | OSError):
                raise StoreError(_not_opened(path, error)) from error
            raise

    @property
    def path(self) -> Path | None:
        """Where the file is; `None` for a store in memory."""
        return self._file.path if self._file else None

    @property
    def locks(self) -> Path | None:
        """Where processes say which runs they work on."""
        return self._file.locks if self._file else None

    def check(self) -> None:
        """Raises `StoreError` where the file is gone, was replaced, or was changed by another
        program.
        """
        if self._file is None:
            return
        with self._lock:
            self._looked = -math.inf  # where this raises, the next reader looks again at once
            self._file.check(self._data_version)
            self._looked = time.monotonic()

    # Samples and uploads

    def sample(self, fingerprint: str, position: int) -> Sample:
        found = self.samples(fingerprint, [position])[position]
        if isinstance(found, UnreadableRowError):
            raise found
        return found

    def samples(
        self, fingerprint: str, positions: Collection[int]
    ) -> dict[int, Sample | UnreadableRowError]:
        """Some samples of a data set by position, or why one cannot be read; raises `StoreError`
        for a missing one.
        """
        query = """select position, body from samples
                   where fingerprint = ? and position in (select value from json_each(?))"""
        rows = dict(self._all(query, fingerprint, json.dumps(list(positions))))
        if missing := [position for position in positions if position not in rows]:
            raise StoreError(f"The data set has no sample {missing[0] + 1}. Choose another one.")
        found: dict[int, Sample | UnreadableRowError] = {}
        for position, body in rows.items():
            try:
                found[position] = _record(Sample, body)
            except ValueError as error:
                words = (
                    f"Sample {position + 1} cannot be read ({_why(error)}). The others of its "
                    "data set can."
                )
                found[position] = UnreadableRowError(words)
        return found

    def save_upload(self, workspace: str, upload: Upload, created: str) -> None:
        """Keeps an uploaded file for the workspace; a file of the same name replaces it."""
        with self._transaction() as db:
            values = (workspace, upload.name, created, _json(upload))
            _open_workspace(db, workspace)
            db.execute("insert or replace into uploads values (?, ?, ?, ?)", values)

    def uploads(self, workspace: str) -> dict[str, str]:
        """The names of the workspace's uploads, each with the time it was made."""
        return dict(
            self._all(
                "select name, created from uploads where workspace = ? order by name", workspace
            )
        )

    def upload(self, workspace: str, name: str) -> Upload | None:
        """The data of that name; raises `UnreadableRowError`."""
        rows = self._all(
            "select body from uploads where workspace = ? and name = ?", workspace, name
        )
        try:
            return _UPLOAD.validate_json(rows[0][0]) if rows else None
        except (ValueError, TypeError) as error:
            words = f"The upload “{name}” cannot be read ({_why(error)})."
            raise UnreadableRowError(words, remedy=Remedy("delete_upload")) from error

    def raw_upload(self, workspace: str, name: str) -> bytes:
        """The upload as it is stored, as a JSON line, whether or not it can be read."""
        return b"".join(self._raw("uploads", "workspace = ? and name = ?", workspace, name))

    def delete_upload(self, workspace: str, name: str) -> None:
        with self._transaction() as db:
            db.execute("delete from uploads where workspace = ? and name = ?", (workspace, name))
        self._give_back()

    # Saved metrics

    def save_metric(self, workspace: str, title: str, spec: EvaluatorSpec) -> None:
        """Keeps a metric for the workspace; one of the same title is replaced."""
        with self._transaction() as db:
            _open_workspace(db, workspace)
            db.execute(
                "insert or replace into saved_metrics values (?, ?, ?)",
                (workspace, title, _json(spec)),
            )

    def saved_metrics(self, workspace: str) -> dict[str, EvaluatorSpec]:
        """The workspace's metrics by title; without those of `unreadable_metrics`."""
        return self._metrics(workspace)[0]

    def unreadable_metrics(self, workspace: str) -> list[Unreadable]:
        return self._metrics(workspace)[1]

    def _metrics(self, workspace: str) -> tuple[dict[str, EvaluatorSpec], list[Unreadable]]:
        rows = self._all(
            "select title, body from saved_metrics where workspace = ? order by title", workspace
        )
        found: dict[str, EvaluatorSpec] = {}
        unreadable = []
        for title, body in rows:
            try:
                found[title] = _record(EvaluatorSpec, body)
            except ValueError as error:
                unreadable.append(Unreadable(name=title, reason=_why(error)))
        return found, unreadable

    def raw_metric(self, workspace: str, title: str) -> bytes:
        """The metric as it is stored, as a JSON line, whether or not it can be read."""
        return b"".join(self._raw("saved_metrics", "workspace = ? and title = ?", workspace, title))

    def delete_metric(self, workspace: str, title: str) -> None:
        with self._transaction() as db:
            db.execute(
                "delete from saved_metrics where workspace = ? and title = ?", (workspace, title)
            )

    # Saved mappings

    def save_mapping(
        self, workspace: str, columns: Iterable[str], mapping: Mapping[str, str]
    ) -> None:
        """Keeps which column means what in files with these columns; of many mappings the oldest is
        forgotten.
        """
        values = (
            workspace,
            _hash(columns),
            datetime.now(UTC).isoformat(),
            json.dumps(dict(mapping)),
        )
        oldest = """delete from saved_mappings where workspace = ?1 and columns not in
                    (select columns from saved_mappings where workspace = ?1 order by rowid desc
                      limit ?2)"""
        with self._transaction() as db:
            _open_workspace(db, workspace)
            db.execute("insert or replace into saved_mappings values (?, ?, ?, ?)", values)
            db.execute(oldest, (workspace, MOST_MAPPINGS))

    def mapping(self, workspace: str, columns: Iterable[str]) -> dict[str, str] | None:
        """The column for each field as a person last said for files with these columns, in whatever
        order.

        One that cannot be read is as if nothing had been said: it is asked for again.
        """
        query = "select body from saved_mappings where workspace = ? and columns = ?"
        for (body,) in self._all(query, workspace, _hash(columns)):
            with suppress(ValueError, TypeError):
                return _MAPPING.validate_json(body)
        return None

    def delete_mapping(self, workspace: str, columns: Iterable[str]) -> None:
        with self._transaction() as db:
            db.execute(
                "delete from saved_mappings where workspace = ? and columns = ?",
                (workspace, _hash(columns)),
            )

    # Workspaces

    def knows(self, workspace: str) -> bool:
        """Whether anything is, or was, kept for the workspace."""
        return bool(self._all("select 1 from workspaces where token = ?", workspace))

    def visit(self, workspace: str) -> None:
        """Notes that somebody came to the workspace now; nothing where nothing is kept for it."""
        with self._transaction() as db:
            db.execute(
                "update workspaces set last_visit = ? where token = ?", (_moment(), workspace)
            )

    def workspaces_since(self, moment: datetime) -> int:
        """How many workspaces there are that were new after that moment."""
        return int(
            self._all("select count(*) from workspaces where created > ?", _moment(moment))[0][0]
        )

    def unvisited_since(self, moment: datetime) -> list[str]:
        """The workspaces that nobody came to after that moment; that of a person's own machine is
        none of them.
        """
        query = (
            "select token from workspaces where last_visit < ? and token <> 'local' order by "
            "last_visit"
        )
        return [token for (token,) in self._all(query, _moment(moment))]

    def move_workspace(self, workspace: str, new: str) -> None:
        """Gives the workspace another name, with all that is in it."""
        with self._transaction() as db:
            db.execute("update workspaces set token = ? where token = ?", (new, workspace))
            for table in ("uploads", "runs", "saved_metrics", "saved_mappings", "calls"):
                db.execute(
                    f"update {table} set workspace = ? where workspace = ?", (new, workspace)
                )
            # A body that cannot be read stays as it is: it must not keep the others back.
            moved = """update runs set body = json_set(body, '$.workspace', workspace)
                       where workspace = ? and json_valid(body)"""
            db.execute(moved, (new,))

    def delete_workspace(self, workspace: str) -> None:
        """Removes all that is in the workspace, a part at a time, so that others read and write in
        between.
        """
        for name in self.uploads(workspace):
            self.delete_upload(workspace, name)
        for run_id in self.run_ids(workspace):
            self.delete_run(run_id)
        with self._transaction() as db:
            for table in ("calls", "saved_metrics", "saved_mappings"):
                db.execute(f"delete from {table} where workspace = ?", (workspace,))
            db.execute("delete from workspaces where token = ?", (workspace,))

    def bytes_of(self, workspace: str) -> int:
        """Bytes that the workspace's uploads, samples, results and answers take up; names and the
        like not counted.
        """
        query = """select coalesce(sum(size), 0) from (
                   select length(cast(body as blob)) size from uploads where workspace = ?1
                     union all
                   select length(cast(body as blob)) from samples
                   where fingerprint in (select fingerprint from runs where workspace = ?1)
                     union all
                   select length(cast(body as blob)) from results
                   where run_id in (select id from runs where workspace = ?1) union all
                   select length(cast(answer as blob)) from calls where workspace = ?1)"""
        return int(self._all(query, workspace)[0][0])

    def bytes_used(self) -> int:
        """Bytes of the file that are in use."""
        pages, free, size = (
            self._all(f"pragma {name}")[0][0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    # Runs

    def save_run(self, run: Run, dataset: Dataset) -> None:
        """Stores a run and its samples (those once, whatever the data set's name)."""
        rows = (
            (
                run.fingerprint,
                position,
                sample.id,
                sample.question[:QUESTION_SHOWN],
                _facets(sample),
                _json(sample),
            )
            for position, sample in enumerate(dataset.samples)
        )
        with self._transaction() as db:
            _open_workspace(db, run.workspace)
            db.executemany("insert or ignore into samples values (?, ?, ?, ?, ?, ?)", rows)
            values = (run.id, run.workspace, run.created, run.fingerprint, _json(run))
            db.execute(
                "insert into runs (id, workspace, created, fingerprint, body) values (?, "
                "?, ?, ?, ?)",
                values,
            )

    def run(self, run_id: str) -> Run | None:
        """The run of that id; raises `UnreadableRowError`."""
        for row in self._all(
            "select id, workspace, fingerprint, body from runs where id = ?", run_id
        ):
            try:
                return _run(*row)
            except ValueError as error:
                words = f"The run {run_id} cannot be read ({_why(error)})."
                raise UnreadableRowError(words, remedy=Remedy("save_run", run_id)) from error
        return None

    def runs(self, workspace: str, limit: int = 100) -> list[Run]:
        """The workspace's runs, newest first, in the order in which they were made whatever a clock
        said then.

        Without those of `unreadable_runs`.
        """
        return self._runs(workspace, limit)[0]

    def unreadable_runs(self, workspace: str, limit: int = 100) -> list[Unreadable]:
        """Those among the same rows that cannot be read: damaged, or written by another version."""
        return self._runs(workspace, limit)[1]

    def _runs(self, workspace: str, limit: int) -> tuple[list[Run], list[Unreadable]]:
        query = """select id, workspace, fingerprint, body from runs
                   where workspace = ? order by rowid desc limit ?"""
        found, unreadable = [], []
        for row in self._all(query, workspace, limit):
            try:
                found.append(_run(*row))
            except ValueError as error:
                unreadable.append(Unreadable(name=str(row[0]), reason=_why(error)))
        return found, unreadable

    def run_ids(self, workspace: str, start: str = "") -> list[str]:
        """The ids that begin so, newest first, of runs that cannot be read as well."""
        query = (
            "select id from runs where workspace = ? and substr(id, 1, ?) = ? order by rowid desc"
        )
        return [run_id for (run_id,) in self._all(query, workspace, len(start), start)]

    def raw_run(self, run_id: str) -> Iterator[bytes]:
        """All that is stored of a run as JSON lines, a row each with its table, whether or not it
        can be read.
        """
        yield from self._raw("runs", "id = ?", run_id)
        yield from self._raw(
            "samples", "fingerprint = (select fingerprint from runs where id = ?)", run_id
        )
        for table in ("results", "corrections", "calls"):
            yield from self._raw(table, "run_id = ?", run_id)

    def _raw(self, table: str, where: str, *values: Any) -> Iterator[bytes]:
        names = [name for _, name, *_ in self._all(f"pragma table_info({table})")]
        rows = self._all(f"select rowid, * from {table} where {where} order by rowid", *values)
        for _, *row in rows:
            cells = {
                name: _text(cell) if isinstance(cell, bytes) else cell
                for name, cell in zip(names, row, strict=True)
            }
            yield (
                json.dumps({"table": table, **cells}, ensure_ascii=False).encode(errors="replace")
                + b"\n"
            )

    def set_cap(self, run_id: str, cap: Cap) -> None:
        """Changes what the run may spend."""
        with self._transaction() as db:
            run = self.run(run_id)
            if run is not None:
                db.execute(
                    "update runs set body = ? where id = ?",
                    (_json(run.model_copy(update={"cap": cap})), run_id),
                )

    def stop_reasons(self, run_id: str) -> tuple[Reason, ...]:
        """Why the run stopped by itself, each model perhaps for its own reason; empty where not."""
        if unwritten := self._unwritten.get(run_id):
            return unwritten
        rows = self._all("select stopped from runs where id = ?", run_id)
        try:
            return _REASONS.validate_json(rows[0][0] or "[]") if rows else ()
        except (ValueError, TypeError):
            return (Reason(message="Why the run stopped cannot be read. Resume it."),)

    def save_stop_reasons(self, run_id: str, *reasons: Reason) -> None:
        """Keeps why the run stopped; what cannot be written, as the disk is full, this process
        knows all the same.
        """
        self._unwritten[run_id] = reasons
        with self._transaction() as db:
            body = _REASONS.dump_json(reasons).decode() if reasons else ""
            db.execute("update runs set stopped = ? where id = ?", (body, run_id))
        self._unwritten.pop(run_id, None)

    def delete_run(self, run_id: str) -> None:
        """Removes a run with its results, and its samples when no other run uses them; answers stay
        for the cache.
        """
        with self._transaction() as db:
            rows = db.execute("select fingerprint from runs where id = ?", (run_id,)).fetchall()
            db.execute("delete from runs where id = ?", (run_id,))
            unused = (
                "delete from samples where fingerprint = ?1 and ?1 not in (select "
                "fingerprint from runs)"
            )
            db.executemany(unused, rows)
        self._give_back()
        RunLock(self.locks, run_id).remove()

    # Results

    def save_result(self, run_id: str, result: SampleResult, calls: Sequence[Call] = ()) -> None:
        """Stores one result with the calls it took, in one transaction; it replaces an earlier
        failure.

        Raises `UnstorableError` where the result is of a kind that cannot be stored, and nothing
        is.
        """
        values = json.dumps(result.score.values) if result.score else None
        by = result.score.details.get("by") if result.score else ""
        with self._transaction() as db:
            cell = result.position, result.model, result.metric
            labeller = (
                by if isinstance(by, str) else ""
            )  # a metric of one's own may mean something else by it
            row = (run_id, *cell, result.status, values, labeller, _json(result))
            db.execute("insert or replace into results values (?, ?, ?, ?, ?, ?, ?, ?)", row)
            _insert_calls(db, run_id, calls)

    def save_calls(self, run_id: str, calls: Sequence[Call]) -> None:
        """Stores calls that were paid for before their cell could be finished."""
        if calls:
            with self._transaction() as db:
                _insert_calls(db, run_id, calls)

    def result(
        self, run_id: str, position: int, model: int = 0, metric: int = 0
    ) -> SampleResult | None:
        return self.results(run_id, position, model).get(metric)

    def results(self, run_id: str, position: int, model: int = 0) -> dict[int, SampleResult]:
        """What the metrics say of one answer, as far as they are, by their numbers; one that cannot
        be read failed.
        """
        query = (
            "select metric, body from results where run_id = ? and position = ? and model = "
            "? order by metric"
        )
        found: dict[int, SampleResult] = {}
        for metric, body in self._all(query, run_id, position, model):
            try:
                found[metric] = _record(SampleResult, body)
            except ValueError as error:
                words = (
                    f"This result cannot be read ({_why(error)}). Start a new run to have it again."
                )
                cell = {"position": position, "model": model, "metric": metric}
                found[metric] = SampleResult(**cell, status="failed", error=words)
        return found

    def counts(self, run: Run) -> Counts:
        samples = self._all("select count(*) from samples where fingerprint = ?", run.fingerprint)[
            0
        ][0]
        by_status = dict(
            self._all("select status, count(*) from results where run_id = ? group by 1", run.id)
        )
        asked = samples * len(_models(run)) * len(run.evaluators)
        return Counts(
            asked=asked, scored=by_status.get("scored", 0), failed=by_status.get("failed", 0)
        )

    def open_cells(self, run: Run) -> list[Cell]:
        """What has no score yet: the cells never tried and those that failed, sample by sample."""
        query = """select s.position, m.value, e.value
                   from samples s cross join json_each(?) m cross join json_each(?) e
                   left join results r on r.run_id = ? and r.position = s.position and r.model =
                     m.value
                        and r.metric = e.value and r.status = 'scored'
                   where s.fingerprint = ? and r.run_id is null order by 1, 2, 3"""
        return [Cell(*row) for row in self._all(query, *_numbers(run), run.id, run.fingerprint)]

    def outlines(self, run: Run) -> list[Outline]:
        """Every cell of the run with its values, without texts, sample by sample.

        A person's corrections count for the first metric only.
        """
        query = """select s.position, m.value, e.value, s.sample_id, s.question, s.facets,
                   r.status, r."values",
                          r.labeller,
                          (select count(*) from corrections c where r.metric = 0
                           and c.run_id = r.run_id and c.position = r.position and c.model =
                             r.model)
                   from samples s cross join json_each(?) m cross join json_each(?) e
                   left join results r on r.run_id = ? and r.position = s.position and r.model =
                     m.value
                        and r.metric = e.value
                   where s.fingerprint = ? order by 1, 2, 3"""
        return [_outline(*row) for row in self._all(query, *_numbers(run), run.id, run.fingerprint)]

    def scored(self, run: Run, metric: int = 0) -> Iterator[tuple[Cell, Sample, Score]]:
        """Every cell that the metric scored with its sample and score, in order, a few hundred in
        memory at a time.

        Those whose sample or result cannot be read are left out.
        """
        query = """select r.position, r.model, s.body, r.body from results r
                   join samples s on s.position = r.position and s.fingerprint = ?
                   where r.run_id = ? and r.metric = ? and r.status = 'scored' and (r.position,
                     r.model) > (?, ?)
                   order by r.position, r.model limit 256"""
        last = Cell(-1)
        while rows := self._all(query, run.fingerprint, run.id, metric, *last[:2]):
            found = []
            for position, model, sample, result in rows:
                last = Cell(position, model, metric)
                with suppress(ValueError):
                    if score := _record(SampleResult, result).score:
                        found.append((last, _record(Sample, sample), score))
            yield from found

    def responses(self, run: Run) -> dict[tuple[int, int], str]:
        """What was judged, by position and model: the samples' own responses, and those that the
        models gave.
        """
        given = f"""select position, m.value, {_field("response")} response
                   from samples cross join json_each(?) m where fingerprint = ? and response is
                     not null"""
        generated = f"""select position, model, {_field("response")} response
                       from results where run_id = ? and response is not null"""
        rows = [*self._all(given, _numbers(run)[0], run.fingerprint), *self._all(generated, run.id)]
        return {(position, model): response for position, model, response in rows}

    def answered(self, fingerprint: str) -> int:
        """How many of the samples came with a response."""
        query = f"select count({_field('response')}) from samples where fingerprint = ?"
        return int(self._all(query, fingerprint)[0][0])

    def notes(self, run_id: str) -> list[str]:
        """What providers would not accept in this run, each once."""
        query = f"select distinct {_field('note')} from results where run_id = ? order by 1"
        return [note for (note,) in self._all(query, run_id) if note]

    def failures(self, run_id: str) -> list[tuple[Reason, int]]:
        """Why cells failed, each reason with how often it occurs, the most frequent first."""
        query = f"""select {_field("error")}, {_field("error_kind")}, {_field("remedy")}, count(*)
                   from results where run_id = ? and status = 'failed'
                   group by 1, 2, 3 order by 4 desc, 1"""
        return [(_reason(*row), count) for *row, count in self._all(query, run_id)]

    def flips(self, run: Run) -> dict[str, int]:
        """How many verdicts each option changed, by option;
        options that changed none are absent.
        """
        query = """select option.value, count(*)
                   from results, json_each(case when json_valid(results.body) then results.body
                     else '{}' end,
                                           '$.score.details.flips') as option
                   where run_id = ? group by 1 order by 1"""
        return dict(self._all(query, run.id))

    # Corrections: of the labels of an answer, whatever the metric of the cell

    def save_correction(self, run_id: str, cell: Cell, correction: Correction) -> None:
        """Keeps what a person changed in the labels of one cell, after what was changed before."""
        values = (correction.created, correction.label, correction.key, correction.value)
        with self._transaction() as db:
            db.execute(
                "insert into corrections values (null, ?, ?, ?, ?, ?, ?, ?)",
                (run_id, *cell[:2], *values),
            )

    def corrections(self, run_id: str, cell: Cell | None = None) -> dict[Cell, list[Correction]]:
        """The corrections by cell, of one cell or of the whole run, in the order in which they were
        made.

        One that cannot be read is left out; it goes with `reset_corrections`.
        """
        query = """select position, model, label, key, value, created from corrections
                   where run_id = ?1 and (?2 is null or (position, model) = (?2, ?3)) order by id"""
        found: dict[Cell, list[Correction]] = {}
        for position, model, label, key, value, created in self._all(
            query, run_id, *(cell or (None, None))[:2]
        ):
            with suppress(ValueError):
                datetime.fromisoformat(created)
                correction = Correction(label=label, key=key, value=value, created=created)
                found.setdefault(Cell(position, model), []).append(correction)
        return found

    def undo_correction(self, run_id: str, cell: Cell) -> bool:
        """Takes the newest correction of the cell back; tells whether there was one."""
        query = """delete from corrections where id =
                   (select max(id) from corrections where run_id = ? and position = ? and model
                     = ?)"""
        with self._transaction() as db:
            return db.execute(query, (run_id, *cell[:2])).rowcount > 0

    def drop_corrections(self, run_id: str, cell: Cell, label: str, key: str) -> None:
        """Takes back what was changed in one label of one sentence: it is again as the labeller
        said.
        """
        query = (
            "delete from corrections where run_id = ? and position = ? and model = ? and "
            "label = ? and key = ?"
        )
        with self._transaction() as db:
            db.execute(query, (run_id, *cell[:2], label, key))

    def reset_corrections(self, run_id: str, cell: Cell) -> None:
        """Takes all corrections of the cell back."""
        with self._transaction() as db:
            db.execute(
                "delete from corrections where run_id = ? and position = ? and model = ?",
                (run_id, *cell[:2]),
            )

    # Calls

    def spent(self, run_id: str) -> dict[str, Spent]:
        """What the run paid for, by model id (generators and judge)."""
        query = """select model, count(*),
                          cast(min(total(prompt_tokens), ?2) as integer),
                          cast(min(total(answer_tokens), ?2) as integer),
                          case when count(cost) = count(*) then sum(cost) end
                   from calls where run_id = ?1 group by 1 order by 1"""
        rows = self._all(query, run_id, MOST_COUNTED)
        return {
            model: Spent(**dict(zip(Spent.model_fields, row, strict=True))) for model, *row in rows
        }

    def reused(self, run_id: str) -> int:
        """How many answers the run took from the store instead of paying for them."""
        query = f"select coalesce(sum({_field('cached')}), 0) from results where run_id = ?"
        return int(self._all(query, run_id)[0][0])

    def answer(self, workspace: str, key: str, run_id: str | None = None) -> Completion | None:
        """The newest whole answer to the same request, asked by anyone in this workspace, or by
        that run alone.

        One that cannot be read is as if it were not there.
        """
        query = """select answer from calls where workspace = ?1 and key = ?2 and answer is not null
                   and (?3 is null or run_id = ?3) order by id desc"""
        for (body,) in self._all(query, workspace, key, run_id):
            with suppress(ValueError):
                return _record(Completion, body)
        return None

    def cached(self, workspace: str, keys: Iterable[str]) -> int:
        """How many of these requests have an answer already."""
        wanted = list(keys)
        query = """select distinct key from calls
                   where workspace = ? and answer is not null and key in (select value from
                     json_each(?))"""
        found = {key for (key,) in self._all(query, workspace, json.dumps(wanted))}
        return sum(key in found for key in wanted)

    def cached_answers(self, workspace: str) -> int:
        """How many answers the workspace keeps."""
        query = "select count(distinct key) from calls where workspace = ? and answer is not null"
        return int(self._all(query, workspace)[0][0])

    def clear_cache(self, workspace: str) -> None:
        """Forgets all answers of the workspace; results and the bills of runs stay."""
        with self._transaction() as db:
            db.execute("update calls set answer = null where workspace = ?", (workspace,))

    # The whole

    def copy_into(self, copy: sqlite3.Connection) -> None:
        """Copies everything, as it is at one moment, into an empty database.

        Others may write meanwhile; not where the file is gone and only this connection still holds
        what was in it.
        """
        try:
            self.check()
            is_there = self._file is not None
        except StoreError:
            is_there = False
        if is_there:
            with closing(sqlite3.connect(str(self.path), timeout=PATIENCE)) as reader:
                reader.backup(copy)
        else:
            with self._lock:
                self._db.backup(copy)

    def close(self) -> None:
        with self._lock, self._reading:
            if self._file:
                self._file.closed()
            self._close()

    def _close(self) -> None:
        self._reader.close()
        self._db.close()

    # SQL

    def _give_back(self) -> None:
        """Makes the file and its write-ahead log smaller by what was deleted, a part at a time.

        A file of an early version cannot become smaller: what is free in it is used again.
        """
        if not self._all("pragma auto_vacuum")[0][0]:
            return
        steps = [f"incremental_vacuum({PAGES_AT_ONCE})"] * -(-self._free_pages() // PAGES_AT_ONCE)
        for step in [*steps, "wal_checkpoint(truncate)"]:
            with self._lock:
                self.check()
                with suppress(sqlite3.Error):  # somebody else writes: the next deletion does it
                    self._db.executescript(f"pragma {step}")  # `execute` frees one page only
                self._wrote()

    def _free_pages(self) -> int:
        return int(self._all("pragma freelist_count")[0][0])

    def _migrate(self) -> None:
        for number, path in enumerate(sorted(MIGRATIONS.glob("*.sql")), start=1):
            if number > self._version():
                with self._transaction() as db:
                    if (
                        number > self._version()
                    ):  # asked again: another process may have been faster
                        for statement in _statements(path.read_text(encoding="utf-8")):
                            db.execute(statement)
                        db.execute(f"pragma user_version = {number}")

    def _version(self) -> int:
        return int(self._all("pragma user_version")[0][0])

    def _check_ours(self, path: Path | str) -> None:
        """Raises `StoreError` for a store of a newer version and for any other database, before
        anything is written.
        """
        self._db.execute("begin")  # one look: another process may just be making this store
        application, version = (
            self._db.execute(f"pragma {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        tables = {
            name
            for (name,) in self._db.execute("select name from sqlite_master where type = 'table'")
        }
        self._db.execute("commit")
        is_empty = not (application or version or tables)
        is_old = (
            application == 0 and version > 0 and tables >= {"samples", "uploads", "runs", "results"}
        )
        if not is_empty and not is_old and application != APPLICATION:
            raise StoreError(
                f"{path} is a database, but not a run store of Plumbline. Move it away, "
                "or set PLUMBLINE_DATA_DIR to "
                "another folder. Nothing in it was changed."
            )
        if version > NEWEST:
            raise StoreError(
                f"The run store {path} is of a newer version of Plumbline (format "
                f"{version}; this one knows {NEWEST}). "
                f"{NEWER}"
            )

    def _data_version(self) -> int | None:
        """Another number whenever another connection wrote; `None` where the file is damaged."""
        with suppress(sqlite3.Error):
            return int(self._db.execute("pragma data_version").fetchone()[0])
        return None

    def _all(self, query: str, *values: Any) -> list[Any]:
        if time.monotonic() - self._looked > LOOK:
            self.check()
        try:
            with self._reading:
                return self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self.check()  # why the file cannot be read, where that can be told
            raise StoreError(_not_read(error)) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self.check()
            try:
                self._db.execute("begin immediate")
                yield self._db
                self._db.execute("commit")
            except _UNSTORABLE as error:
                self._rollback()
                kind = type(error).__name__  # its text may hold what was to be stored
                raise UnstorableError(
                    f"This cannot be stored ({kind}). Try again; if it happens again, report it."
                ) from None
            except sqlite3.Error as error:
                self._rollback()
                self.check()  # why the file cannot be written, where that can be told
                raise StoreError(_not_written(error)) from error
            except BaseException:
                self._rollback()
                raise
            self._wrote()

    def _wrote(self) -> None:
        """To be called, with the lock, after whatever may change the file:
        it was no other program.
        """
        if self._file:
            self._looked = -math.inf
            self._file.written()
            self._looked = time.monotonic()

    def _rollback(self) -> None:
        with suppress(
            sqlite3.Error
        ):  # closed, or the disk is gone: what is not committed is not there anyway
            if self._db.in_transaction:
                self._db.execute("rollback")


_UNSTORABLE = (
    OverflowError,
    RecursionError,
    UnicodeError,
    PydanticSerializationError,
    sqlite3.DataError,
)
"""Raised for one value: a number beyond 64 bits, a text too long or with half a character, a record
in a knot.
"""


def _connected(path: Path | str) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
    db.text_factory = _text
    return db


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switches to WAL. SQLite itself does not wait for others here, so processes that start at once
    wait in turns.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _is_damaged(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _not_opened(path: Path | str, error: Exception) -> str:
    if _is_damaged(error):
        return f"The run store {path} is damaged or not a run store ({error}). {RESTORE}"
    return f"Cannot open {path} ({error}). Set PLUMBLINE_DATA_DIR to a writable folder."


def _not_read(error: sqlite3.Error) -> str:
    if _is_damaged(error):
        return f"The run store is damaged ({error}). {RESTORE}"
    return f"The run store cannot be read ({error}). Check the disk, then reload."


def _not_written(error: sqlite3.Error) -> str:
    if _is_damaged(error):
        return f"The run store is damaged ({error}). {RESTORE}"
    return f"The run store cannot be written ({error}). Free disk space, then resume."


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _models(run: Run) -> range:
    """The numbers of the run's models; 0 stands for answers that are given."""
    return range(max(1, len(run.models)))


def _numbers(run: Run) -> tuple[str, str]:
    """The numbers of the run's models and of its metrics, as JSON."""
    return json.dumps(list(_models(run))), json.dumps(list(range(len(run.evaluators))))


def _open_workspace(db: sqlite3.Connection, workspace: str) -> None:
    """From now on the workspace is known: something is kept for it."""
    db.execute("insert or ignore into workspaces values (?1, ?2, ?2)", (workspace, _moment()))


def _moment(moment: datetime | None = None) -> str:
    """A moment, now by default, as text that sorts by time."""
    return (moment or datetime.now(UTC)).isoformat(timespec="seconds")


def _insert_calls(db: sqlite3.Connection, run_id: str, calls: Sequence[Call]) -> None:
    query = (
        "insert into calls select null, workspace, id, ?, ?, ?, ?, ?, ?, ? from runs where id = ?"
    )
    db.executemany(query, [(*_call_values(call), run_id) for call in calls])


def _call_values(call: Call) -> tuple[Any, ...]:
    usage, answer = call.completion.usage, _json(call.completion) if call.reusable else None
    now = datetime.now(UTC).isoformat()
    prompt_tokens, answer_tokens = (
        min(count, MOST_COUNTED) for count in (usage.prompt_tokens, usage.answer_tokens)
    )
    return call.key, call.model, now, call.cost, prompt_tokens, answer_tokens, answer


def _record(kind: type[_R], body: Any) -> _R:
    """The record that a row holds; raises `ValueError` where it holds none."""
    if not isinstance(body, str):
        raise ValueError("not text")
    return kind.model_validate_json(body)


def _run(run_id: str, workspace: str, fingerprint: str, body: Any) -> Run:
    """The run that a row holds; raises `ValueError` where it holds none, or another one."""
    run = _record(Run, body)
    datetime.fromisoformat(run.created)
    if (run.id, run.workspace, run.fingerprint) != (run_id, workspace, fingerprint):
        raise ValueError("it is another run's")
    return run


def _reason(message: Any, kind: Any, remedy: Any) -> Reason:
    """Why a cell failed, from the parts of its result; versions before 9 kept the message alone."""
    try:
        fields = {"kind": kind or "", "message": message, "remedy": remedy and json.loads(remedy)}
        return Reason.model_validate(fields)
    except (ValueError, TypeError):
        return Reason(message="The reason cannot be read. Try again.")


def _why(error: Exception) -> str:
    """Why a row cannot be read, in some words, without what stands in it."""
    if not isinstance(error, ValidationError):
        return str(error)[:100]
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}"[:160] if place else first["msg"][:160]


def _field(name: str) -> str:
    """A field of a body in SQL; `null` where the body is damaged,
    which would end the whole query.
    """
    return f"case when json_valid(body) then json_extract(body, '$.{name}') end"


def _text(data: bytes) -> str:
    """Damaged characters are shown as such; SQLite's module would end the whole query."""
    return data.decode("utf-8", errors="replace")


def _json(record: Record) -> str:
    return record.model_dump_json(exclude_defaults=True)


def _hash(columns: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(sorted(set(columns))).encode()).hexdigest()


def _facets(sample: Sample) -> str:
    facets: dict[str, Any] = {"situation": sample.situation} if sample.situation else {}
    if sample.rgb:
        facets |= sample.rgb.model_dump(
            mode="json", include={"ability", "noise", "effective_noise"}
        )
    return json.dumps(facets)


def _outline(
    position: int,
    model: int,
    metric: int,
    sample_id: str,
    question: str,
    facets: str,
    status: Any,
    *result: Any,
) -> Outline:
    values, by, corrected = result
    found = {} if values is None else _read_object(values, _is_value)
    return Outline.model_construct(
        **(_EMPTY | (_read_object(facets, _is_facet) or {})),
        position=position,
        model=model,
        metric=metric,
        sample_id=sample_id,
        question=question,
        status="failed" if found is None else status,
        values=found or {},
        by=by or "",
        corrected=corrected,
    )


_EMPTY: dict[str, Any] = {"ability": None, "noise": None, "effective_noise": None, "situation": ""}


def _read_object(text: Any, is_good: Callable[[str, Any], bool]) -> dict[str, Any] | None:
    """A JSON object with good entries; `None` for anything else."""
    with suppress(ValueError, TypeError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict) and all(is_good(name, value) for name, value in found.items()):
            return found
    return None


def _is_value(_: str, value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and math.isfinite(value))


def _is_facet(name: str, value: Any) -> bool:
    if name in ("noise", "effective_noise"):
        return _is_value(name, value)
    return (name == "situation" and isinstance(value, str)) or (
        name == "ability" and value in _ABILITIES
    )


_ABILITIES = (None, *Ability)
