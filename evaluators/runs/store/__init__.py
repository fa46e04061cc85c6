"""The run store: one SQLite file that holds uploads, samples, runs, and every result and call.

A `Store` is its database with a table for each noun: `store.runs.save(run, dataset)`,
`store.results.of_answer(run.id, 0)`. Every result is there the moment it exists.

A row that cannot be read never keeps others from being read: alone it raises `UnreadableRowError`,
among others it is left out and reported by a method of its own.
"""

from __future__ import annotations

from pathlib import Path

from evaluators.runs.store.baselines import BaselineTable
from evaluators.runs.store.batches import BatchTable
from evaluators.runs.store.bodies import Unreadable
from evaluators.runs.store.calls import CallTable, Spent
from evaluators.runs.store.database import NEWEST, Database
from evaluators.runs.store.environments import EnvironmentTable
from evaluators.runs.store.figures import USUAL, Counter, FigureTable, StoredView, ViewedValues
from evaluators.runs.store.file_batches import FileBatch, FileBatchTable
from evaluators.runs.store.label_queues import LabelQueueTable
from evaluators.runs.store.notes import NoteTable
from evaluators.runs.store.person_labels import PersonLabelTable
from evaluators.runs.store.results import Counts, Outline, ResultTable
from evaluators.runs.store.rounds import RoundTable
from evaluators.runs.store.runs import RunTable
from evaluators.runs.store.samples import SampleTable
from evaluators.runs.store.saved_mappings import SavedMappingTable
from evaluators.runs.store.saved_metrics import SavedMetricTable
from evaluators.runs.store.selection import USUAL_VIEW, Answer, Selection, ValueName
from evaluators.runs.store.titles import TitleTable
from evaluators.runs.store.uploads import Upload, UploadTable
from evaluators.runs.store.workspaces import WorkspaceTable
from evaluators.runs.store.writer import Writer

__all__ = [
    "NEWEST",
    "USUAL",
    "USUAL_VIEW",
    "Answer",
    "Counter",
    "Counts",
    "FileBatch",
    "Outline",
    "Selection",
    "Spent",
    "Store",
    "StoredView",
    "Unreadable",
    "Upload",
    "ValueName",
    "ViewedValues",
]


class Store(Database):
    """The database of runs with its tables; safe to share between threads."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.uploads = UploadTable(self)
        self.metrics = SavedMetricTable(self)
        self.mappings = SavedMappingTable(self)
        self.samples = SampleTable(self)
        self.runs = RunTable(self)
        self.titles = TitleTable(self, self.runs)
        self.baselines = BaselineTable(self)
        self.results = ResultTable(self)
        self.notes = NoteTable(self)
        self.person_labels = PersonLabelTable(self)
        self.label_queues = LabelQueueTable(self)
        self.rounds = RoundTable(self)
        self.figures = FigureTable(self)
        self.calls = CallTable(self)
        self.batches = BatchTable(self)
        self.file_batches = FileBatchTable(self)
        self.environments = EnvironmentTable(self, self.calls)
        self.workspaces = WorkspaceTable(self, self.uploads, self.runs)
        self.writer = Writer(self)

    def close(self) -> None:
        self.writer.close()
        super().close()
