"""What of a run cannot be read any more, counted against what was stored."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from evaluators.records import Cell, Run
from evaluators.runs.store.bodies import is_as_stored
from evaluators.runs.store.database import Database
from evaluators.runs.store.results import RESULT_ROW
from evaluators.runs.store.samples import SAMPLE_ROW
from evaluators.runs.store.selection import Answer
from evaluators.text.language import say
from evaluators.text.words import counted, joined_by_and

MOST_COUNTED = 200_000
"""Samples that a run may have had, each asked ten times; more is a count that cannot be."""
READ_TOGETHER = 1000
"""Samples whose whole rows are in memory at a time."""


class StoredRows(NamedTuple):
    """How many rows were stored of a run, whatever can be read of them now."""

    samples: int = 0
    results: int = 0
    labels: int = 0


class Damage(NamedTuple):
    """How many rows of a run cannot be read: not there any more, or not as they were stored.

    `reasons` are, in English for files, of the answers that are known to be concerned.
    """

    samples: int = 0
    results: int = 0
    labels: int = 0
    reasons: Mapping[Answer, str] = {}

    @property
    def counts(self) -> dict[str, int]:
        return {"samples": self.samples, "results": self.results, "labels": self.labels}

    def sentence(self) -> str:
        """What is lost and what can be done; empty where nothing is."""
        rows = [counted(number, noun[:-1]) for noun, number in self.counts.items() if number]
        if not rows:
            return ""
        return say(
            "The store is damaged: {rows} of this run cannot be read, so its numbers and files may "
            "be incomplete. Go back to a backup, or start a new run.",
            rows=joined_by_and(rows),
        )


class DamageTable:
    """Holds what was stored of runs against what is there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stored(self, run: Run) -> StoredRows:
        query = """select stored_samples, stored_results, stored_labels from revisions
                   where run_id = ?"""
        for samples, results, labels in self._database.rows(query, run.id):
            # The count may be damaged as well.
            samples = min(samples, MOST_COUNTED)
            # A result that was lost and is made anew was stored twice, and is one.
            asked = samples * max(1, len(run.models)) * len(run.evaluators)
            return StoredRows(samples, min(results, asked), labels)
        return StoredRows()

    def counted(self, run: Run, stored: StoredRows, labels: int) -> Damage:
        """By counts alone, for a page of a large run; `labels` are those that hold and are read."""
        query = """select (select count(*) from samples where fingerprint = ?),
                          (select count(*) from results where run_id = ?)"""
        samples, results = self._database.rows(query, run.fingerprint, run.id)[0]
        return Damage(
            # More than were stored are of work that goes on.
            samples=max(0, stored.samples - samples),
            results=max(0, stored.results - results),
            labels=self._lost_labels(run.id, stored, labels),
        )

    def of(self, run: Run, stored: StoredRows, labels: int) -> Damage:
        """With every row read and known again by its digest; `labels` as in `counted`."""
        models, metrics = range(max(1, len(run.models))), range(len(run.evaluators))
        of_samples = f"""select {SAMPLE_ROW} from samples s
                         where fingerprint = ? and position between ? and ?"""
        of_results = f"""select {RESULT_ROW} from results r
                         where run_id = ? and position between ? and ?"""
        # Of a run that was finished a result that is not there is lost, else it may be to come.
        is_finished = stored.results >= stored.samples * len(models) * len(metrics)
        lost_samples: set[int] = set()
        reasons: dict[Answer, str] = {}
        results = 0
        for first in range(0, stored.samples, READ_TOGETHER):
            positions = range(first, min(first + READ_TOGETHER, stored.samples))
            ends = positions[0], positions[-1]
            rows = self._database.rows(of_samples, run.fingerprint, *ends)
            lost = set(positions) - {row[1] for row in rows if is_as_stored(row)}
            rows = self._database.rows(of_results, run.id, *ends)
            cells = {Cell(*row[1:4]) for row in rows if is_as_stored(row)}
            results += len(cells)
            there = {Cell(*row[1:4]) for row in rows}
            asked = set(product(positions, models, metrics)) if is_finished else there
            for position, model, _ in asked - cells:
                reasons[Answer(position, model)] = "A result cannot be read."
            for answer in product(lost, models):
                reasons[Answer(*answer)] = "The sample cannot be read."
            lost_samples |= lost
        return Damage(
            samples=len(lost_samples),
            results=max(0, stored.results - results),
            labels=self._lost_labels(run.id, stored, labels),
            reasons=reasons,
        )

    def _lost_labels(self, run_id: str, stored: StoredRows, labels: int) -> int:
        query = "select count(*) from person_labels where run_id = ? and withdrawn is not null"
        withdrawn = int(self._database.rows(query, run_id)[0][0])
        return max(0, stored.labels - labels - withdrawn)
