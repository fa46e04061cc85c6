"""What was worked out of a run, kept with it until a result or a person's label changes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, NamedTuple

from evaluators.records import Cell
from evaluators.runs.store.database import Database


class StoredView(NamedTuple):
    """A name under which the TRACE values of answers are kept, by their labels and formulas.

    `is_usual` where answers without a row of their own have the values that they were stored with;
    else they have none.
    """

    name: str
    is_usual: bool


class ViewedValues(NamedTuple):
    """A cell's values in a view, and how many labels or verdicts people changed in it."""

    values: Mapping[str, float | None]
    changed: int = 0


Counter = Literal["revision", "results"]
"""What a figure is worked out of: results with people's labels of them, or results alone."""

USUAL = StoredView("own", is_usual=True)
"""The values as the results were stored with them."""


class FigureTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def revision(self, run_id: str, counter: Counter = "revision") -> int:
        """Another number after every result, and by default after every person's label."""
        rows = self._database.rows(f"select {counter} from revisions where run_id = ?", run_id)
        return int(rows[0][0]) if rows else 0

    def get(self, run_id: str, name: str, revision: int) -> str | None:
        """What was kept under the name at this revision."""
        query = "select body from figures where run_id = ? and name = ? and revision = ?"
        rows = self._database.rows(query, run_id, name, revision)
        return str(rows[0][0]) if rows else None

    def of_workspace(self, workspace: str, name: str) -> dict[str, str]:
        """What is kept under the name of all runs of a workspace, where it still holds."""
        query = """select f.run_id, f.body from runs r
                   join revisions v on v.run_id = r.id
                   join figures f on f.run_id = r.id and f.name = ? and f.revision = v.revision
                   where r.workspace = ?"""
        return dict(self._database.rows(query, name, workspace))

    def save(
        self,
        run_id: str,
        name: str,
        revision: int,
        body: str,
        counter: Counter = "revision",
    ) -> None:
        """Keeps it, unless the run has another revision by now."""
        self.save_for_runs(name, {run_id: (revision, body)}, counter)

    def save_for_runs(
        self,
        name: str,
        bodies: Mapping[str, tuple[int, str]],
        counter: Counter = "revision",
    ) -> None:
        """Keeps one figure of several runs, each at its revision, in one write to the disk."""
        query = f"""insert into figures select run_id, ?2, {counter}, ?4 from revisions
                    where run_id = ?1 and {counter} = ?3
                    on conflict (run_id, name)
                    do update set revision = excluded.revision, body = excluded.body"""
        with self._database.transaction() as db:
            for run_id, (revision, body) in bodies.items():
                db.execute(query, (run_id, name, revision, body))

    def labels_state(self, run_id: str) -> tuple[int, int]:
        """Another pair after every person's label of the run that is given or taken back."""
        query = """select count(*) filter (where withdrawn is null), coalesce(max(id), 0)
                   from person_labels where run_id = ?"""
        count, newest = self._database.rows(query, run_id)[0]
        return count, newest

    def save_view(
        self,
        run_id: str,
        view: StoredView,
        values: Mapping[Cell, ViewedValues],
        labels_state: tuple[int, int],
    ) -> bool:
        """Keeps the values of these answers; `False` where a person labelled meanwhile."""
        rows = [
            (run_id, view.name, *cell, json.dumps(own.values), own.changed)
            for cell, own in values.items()
        ]
        with self._database.transaction() as db:
            if self.labels_state(run_id) != labels_state:
                return False
            # Only of runs that are still there: another process may have deleted this one.
            query = """insert into viewed select ?1, ?2, ?3, ?4, ?5, ?6, ?7
                       where exists (select 1 from runs where id = ?1)
                       on conflict (run_id, view, position, model, metric) do update
                       set "values" = excluded."values", changed = excluded.changed"""
            db.executemany(query, rows)
        return True
