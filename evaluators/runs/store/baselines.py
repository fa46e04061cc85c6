"""Baselines: the run that others over the same data are compared with."""

from __future__ import annotations

from evaluators.catalogue import leads
from evaluators.records import Run
from evaluators.runs.store.database import Database
from evaluators.runs.store.workspaces import check_own_run
from evaluators.text.language import mark


class BaselineTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def ids(self, workspace: str) -> dict[str, str]:
        """The workspace's baselines, each under what it is the baseline of."""
        query = "select baseline_of, id from runs where workspace = ? and baseline_of is not null"
        return dict(self._database.rows(query, workspace))

    def id_for(self, run: Run) -> str | None:
        """The run that this one is to be compared with: itself where it is the baseline."""
        return self.ids(run.workspace).get(baseline_of(run))

    def save(self, run: Run, is_baseline: bool = True) -> None:
        """Makes the run the baseline in place of the one before, or takes the mark away.

        Raises `ParameterError` for an example, which all share, and for a run that is gone.
        """
        of = baseline_of(run)
        gone = mark("This run was deleted meanwhile, so it is no baseline.")
        with self._database.transaction() as db:
            check_own_run(db, run.id, mark("baseline"), gone)
            if is_baseline:
                query = "update runs set baseline_of = null where workspace = ? and baseline_of = ?"
                db.execute(query, (run.workspace, of))
            kept = of if is_baseline else None
            db.execute("update runs set baseline_of = ? where id = ?", (kept, run.id))


def baseline_of(run: Run) -> str:
    """What the run can be the baseline of: all runs of its kind over data of this name.

    A kind is RGB, TRACE whoever labels, or else the first metric. By name and not by content, as
    another part of the same data has another content.
    """
    name = run.evaluator.name
    return f"{leads(name) or name} {run.dataset_name}"
