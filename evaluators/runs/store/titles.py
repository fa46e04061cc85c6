"""What a person calls a run, and writes of it; all of it is a part of the run."""

from __future__ import annotations

from collections.abc import Iterable

from evaluators.errors import ParameterError
from evaluators.records import Run
from evaluators.runs.naming import described
from evaluators.runs.store.bodies import to_body
from evaluators.runs.store.database import Database
from evaluators.runs.store.runs import RunTable
from evaluators.runs.store.workspaces import check_own_run
from evaluators.text.language import mark, say


class TitleTable:
    def __init__(self, database: Database, runs: RunTable) -> None:
        self._database = database
        self._runs = runs

    def save(
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
            run = self._runs.get(run_id)
            if run is None:
                raise ParameterError(say(gone))
            changed = described(run, title, note, tags, self._runs.newest(run.workspace))
            db.execute("update runs set body = ? where id = ?", (to_body(changed), run_id))
        return changed
