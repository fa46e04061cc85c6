"""The run store: one SQLite file that holds samples, uploads, runs and every result the moment it exists."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from evaluators.datasets.rgb import TestBed
from evaluators.errors import StoreError
from evaluators.types import Dataset, Record, Run, Sample, SampleResult, Score

MIGRATIONS = Path(__file__).parent / "migrations"
QUESTION_SHOWN = 120
PATIENCE = 30
"""Seconds to wait for another process that writes."""

Upload = TestBed | Dataset
_UPLOAD: TypeAdapter[Upload] = TypeAdapter(Upload)


class Counts(Record):
    """How far a run is: samples asked, scored, failed."""

    asked: int
    scored: int
    failed: int

    @property
    def open(self) -> int:
        return self.asked - self.scored - self.failed


class Outline(Record):
    """A sample of a run without its texts; `status` is `None` until there is a result."""

    position: int
    sample_id: str
    question: str
    ability: str | None = None
    noise: float | None = None
    effective_noise: float | None = None
    situation: str = ""
    status: Literal["scored", "failed"] | None = None
    values: dict[str, float | None] = {}


class Store:
    """All reading and writing of runs; safe to share between threads. `path` may be ":memory:"."""

    def __init__(self, path: Path | str) -> None:
        self._lock = threading.RLock()
        try:
            if path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
            _write_ahead(self._db)
            self._db.executescript("pragma synchronous = full; pragma foreign_keys = on;")
            self._migrate()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"Cannot open {path} ({error}). Set PLUMBLINE_DATA_DIR to a writable folder.") from error

    # Samples and uploads

    def sample(self, fingerprint: str, position: int) -> Sample:
        rows = self._all("select body from samples where fingerprint = ? and position = ?", fingerprint, position)
        if not rows:
            raise StoreError(f"The data set has no sample {position + 1}. Choose another one.")
        return Sample.model_validate_json(rows[0][0])

    def save_upload(self, workspace: str, upload: Upload, created: str) -> None:
        """Keeps an uploaded file for the workspace; a file of the same name replaces it."""
        with self._transaction() as db:
            values = (workspace, upload.name, created, _json(upload))
            db.execute("insert or replace into uploads values (?, ?, ?, ?)", values)

    def uploads(self, workspace: str) -> dict[str, str]:
        """The names of the workspace's uploads, each with the time it was made."""
        return dict(self._all("select name, created from uploads where workspace = ? order by name", workspace))

    def upload(self, workspace: str, name: str) -> Upload | None:
        rows = self._all("select body from uploads where workspace = ? and name = ?", workspace, name)
        return _UPLOAD.validate_json(rows[0][0]) if rows else None

    def delete_upload(self, workspace: str, name: str) -> None:
        with self._transaction() as db:
            db.execute("delete from uploads where workspace = ? and name = ?", (workspace, name))

    # Runs

    def save_run(self, run: Run, dataset: Dataset) -> None:
        """Stores a run and its samples (those once, whatever the data set's name)."""
        rows = (
            (run.fingerprint, position, sample.id, sample.question[:QUESTION_SHOWN], _facets(sample), _json(sample))
            for position, sample in enumerate(dataset.samples)
        )
        with self._transaction() as db:
            db.executemany("insert or ignore into samples values (?, ?, ?, ?, ?, ?)", rows)
            values = (run.id, run.workspace, run.created, run.fingerprint, _json(run))
            db.execute("insert into runs values (?, ?, ?, ?, ?)", values)

    def run(self, run_id: str) -> Run | None:
        rows = self._all("select body from runs where id = ?", run_id)
        return Run.model_validate_json(rows[0][0]) if rows else None

    def runs(self, workspace: str, limit: int = 100) -> list[Run]:
        """The workspace's runs, newest first."""
        query = "select body from runs where workspace = ? order by created desc, id limit ?"
        return [Run.model_validate_json(body) for (body,) in self._all(query, workspace, limit)]

    def delete_run(self, run_id: str) -> None:
        """Removes a run with its results, and its samples when no other run uses them."""
        with self._transaction() as db:
            db.execute("delete from runs where id = ?", (run_id,))
            db.execute("delete from samples where fingerprint not in (select fingerprint from runs)")

    # Results

    def save_result(self, run_id: str, result: SampleResult) -> None:
        """Stores one result in a transaction of its own; it replaces an earlier failure."""
        values = json.dumps(result.score.values) if result.score else None
        with self._transaction() as db:
            row = (run_id, result.position, result.status, values, _json(result))
            db.execute("insert or replace into results values (?, ?, ?, ?, ?)", row)

    def result(self, run_id: str, position: int) -> SampleResult | None:
        rows = self._all("select body from results where run_id = ? and position = ?", run_id, position)
        return SampleResult.model_validate_json(rows[0][0]) if rows else None

    def counts(self, run: Run) -> Counts:
        asked = self._all("select count(*) from samples where fingerprint = ?", run.fingerprint)[0][0]
        by_status = dict(self._all("select status, count(*) from results where run_id = ? group by 1", run.id))
        return Counts(asked=asked, scored=by_status.get("scored", 0), failed=by_status.get("failed", 0))

    def open_positions(self, run: Run) -> list[int]:
        """The samples that have no score yet: those never tried and those that failed."""
        query = """select position from samples where fingerprint = ? and position not in
                   (select position from results where run_id = ? and status = 'scored') order by position"""
        return [position for (position,) in self._all(query, run.fingerprint, run.id)]

    def outlines(self, run: Run) -> list[Outline]:
        """Every sample of the run with its values, without texts."""
        query = """select s.position, s.sample_id, s.question, s.facets, r.status, r."values"
                   from samples s left join results r on r.position = s.position and r.run_id = ?
                   where s.fingerprint = ? order by s.position"""
        return [_outline(*row) for row in self._all(query, run.id, run.fingerprint)]

    def scored(self, run: Run) -> Iterator[tuple[int, Sample, Score]]:
        """Every scored sample with its score, in order, a few hundred in memory at a time."""
        query = """select r.position, s.body, r.body from results r
                   join samples s on s.position = r.position and s.fingerprint = ?
                   where r.run_id = ? and r.status = 'scored' and r.position > ? order by r.position limit 256"""
        last = -1
        while rows := self._all(query, run.fingerprint, run.id, last):
            for last, sample, result in rows:
                score = SampleResult.model_validate_json(result).score
                if score is not None:
                    yield last, Sample.model_validate_json(sample), score

    def flips(self, run: Run) -> dict[str, int]:
        """How many verdicts each option changed, by option; options that changed none are absent."""
        query = """select option.value, count(*)
                   from results, json_each(results.body, '$.score.details.flips') as option
                   where run_id = ? group by 1 order by 1"""
        return dict(self._all(query, run.id))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # SQL

    def _migrate(self) -> None:
        for number, path in enumerate(sorted(MIGRATIONS.glob("*.sql")), start=1):
            if number > self._version():
                with self._transaction() as db:
                    if number > self._version():  # asked again: another process may have been faster
                        for statement in _statements(path.read_text(encoding="utf-8")):
                            db.execute(statement)
                        db.execute(f"pragma user_version = {number}")

    def _version(self) -> int:
        return int(self._all("pragma user_version")[0][0])

    def _all(self, query: str, *values: Any) -> list[Any]:
        with self._lock:
            try:
                return self._db.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"The run store cannot be read ({error}). Check the disk, then reload.") from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._db.execute("begin immediate")
                yield self._db
                self._db.execute("commit")
            except sqlite3.Error as error:
                self._rollback()
                raise StoreError(f"The run store cannot be written ({error}). Free disk space, then resume.") from error
            except BaseException:
                self._rollback()
                raise

    def _rollback(self) -> None:
        if self._db.in_transaction:
            self._db.execute("rollback")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switches to WAL. SQLite itself does not wait for others here, so processes that start at once wait in turns."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _json(record: Record) -> str:
    return record.model_dump_json(exclude_defaults=True)


def _facets(sample: Sample) -> str:
    facets: dict[str, Any] = {"situation": sample.situation} if sample.situation else {}
    if sample.rgb:
        facets |= sample.rgb.model_dump(mode="json", include={"ability", "noise", "effective_noise"})
    return json.dumps(facets)


def _outline(position: int, sample_id: str, question: str, facets: str, status: Any, values: str | None) -> Outline:
    return Outline.model_construct(
        **(_EMPTY | json.loads(facets)),
        position=position,
        sample_id=sample_id,
        question=question,
        status=status,
        values=json.loads(values) if values else {},
    )


_EMPTY: dict[str, Any] = {"ability": None, "noise": None, "effective_noise": None, "situation": ""}
