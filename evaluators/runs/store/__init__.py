"""The run store: one database that holds uploads, samples, runs, and every result and call.

A `Store` is its database with a table, or a kind of documents, for each noun:
`store.runs.save(run, dataset)`, `store.results.of_answer(run.id, 0)`. Every result is there the
moment it exists.

A row that cannot be read never keeps others from being read: alone it raises `UnreadableRowError`,
among others it is left out and reported by a method of its own, those of a run by `store.damage`.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from pydantic import TypeAdapter

from evaluators.errors import StoreError
from evaluators.extras import install_line
from evaluators.records import EvaluatorSpec
from evaluators.runs.lock import RunLock
from evaluators.runs.store.batches import Batches
from evaluators.runs.store.bodies import Unreadable
from evaluators.runs.store.calls import CallTable, Spent
from evaluators.runs.store.damage import Damage, DamageTable, StoredRows
from evaluators.runs.store.database import NEWEST, Database
from evaluators.runs.store.documents import WorkspaceDocuments
from evaluators.runs.store.environments import Environments
from evaluators.runs.store.figures import USUAL, Counter, FigureTable, StoredView, ViewedValues
from evaluators.runs.store.file_batches import FileBatch
from evaluators.runs.store.label_queues import LabelQueues
from evaluators.runs.store.notes import Notes
from evaluators.runs.store.person_labels import PersonLabelTable
from evaluators.runs.store.results import CellStatus, Counts, Outline, ResultTable
from evaluators.runs.store.rounds import RoundTable
from evaluators.runs.store.runs import RunTable
from evaluators.runs.store.samples import SampleTable
from evaluators.runs.store.saved_mappings import SavedMappings
from evaluators.runs.store.selection import CORRECTED_VIEW, Answer, Selection, ValueName
from evaluators.runs.store.sqlite import SqliteDatabase
from evaluators.runs.store.uploads import Upload, Uploads
from evaluators.runs.store.workspaces import WorkspaceTable
from evaluators.runs.store.writer import Writer
from evaluators.text.language import say

__all__ = [
    "CORRECTED_VIEW",
    "NEWEST",
    "USUAL",
    "Answer",
    "CellStatus",
    "Counter",
    "Counts",
    "Damage",
    "FileBatch",
    "Outline",
    "Selection",
    "Spent",
    "Store",
    "StoredRows",
    "StoredView",
    "Unreadable",
    "Upload",
    "ValueName",
    "ViewedValues",
]


class Store:
    """The database of runs with its tables; safe to share between threads.

    `where` is the path of a SQLite file, ":memory:", or the address of a PostgreSQL database.
    """

    def __init__(self, where: Path | str) -> None:
        database = _opened(where)
        self.database = database
        self.uploads = Uploads(database)
        self.metrics = WorkspaceDocuments(database, "metric", TypeAdapter(EvaluatorSpec))
        self.mappings = SavedMappings(database)
        self.samples = SampleTable(database)
        self.runs = RunTable(database)
        self.results = ResultTable(database)
        self.notes = Notes(database)
        self.person_labels = PersonLabelTable(database)
        self.label_queues = LabelQueues(database)
        self.rounds = RoundTable(database)
        self.figures = FigureTable(database)
        self.damage = DamageTable(database)
        self.calls = CallTable(database)
        self.batches = Batches(database)
        self.file_batches = WorkspaceDocuments(database, "file batch", TypeAdapter(FileBatch))
        self.environments = Environments(database, self.calls)
        self.workspaces = WorkspaceTable(database, self.uploads, self.runs)
        self.writer = Writer(database)

    @property
    def path(self) -> Path | None:
        """Where its file is; `None` where there is none."""
        return self.database.path

    def check(self) -> None:
        """Raises `StoreError` where nothing could be stored now."""
        self.database.check()

    def bytes_used(self) -> int:
        """Bytes that are in use."""
        return self.database.bytes_used()

    def copy_into(self, copy: sqlite3.Connection) -> None:
        """Copies everything, as it is at one moment, into an empty SQLite database."""
        self.database.copy_into(copy)

    def run_lock(self, run_id: str) -> RunLock:
        """The right to work on one run, which one process has at a time."""
        return self.database.run_lock(run_id)

    def close(self) -> None:
        self.writer.close()
        self.database.close()


def _opened(where: Path | str) -> Database:
    # Whatever else it may be the address of, it is no path: a file's name would show its password.
    if "://" not in str(where):
        return SqliteDatabase(where)
    try:
        # Only here: most have SQLite, and nothing else installed.
        from evaluators.runs.store.postgres import PostgresDatabase
    except ImportError as error:
        raise StoreError(
            say(
                "PLUMBLINE_DATABASE needs psycopg ({why}). Install it: {command}",
                why=error,
                command=install_line("postgres"),
            )
        ) from error
    return PostgresDatabase(str(where))
