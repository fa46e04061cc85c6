"""What persons changed in the labels of answers, whatever the metric of the cell."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from evaluators.records import Cell
from evaluators.runs.store.database import Database
from evaluators.runs.store.workspaces import check_not_shared
from evaluators.trace.labelling import Correction

_OF_AN_ANSWER = "run_id = ? and position = ? and model = ?"


class CorrectionTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, cell: Cell, correction: Correction) -> None:
        """Keeps what a person changed in the labels of one cell, after what was changed before.

        Raises `ParameterError` for an example, which all share.
        """
        values = (correction.created, correction.label, correction.key, correction.value)
        with self._database.transaction() as db:
            check_not_shared(db, run_id, "labels")
            db.execute(
                "insert into corrections values (null, ?, ?, ?, ?, ?, ?, ?)",
                (*_answer_key(run_id, cell), *values),
            )

    def by_cell(self, run_id: str, cell: Cell | None = None) -> dict[Cell, list[Correction]]:
        """The corrections of one cell or of the whole run, in the order in which they were made.

        One that cannot be read is left out; it goes with `reset`.
        """
        query = """select position, model, label, key, value, created from corrections
                   where run_id = ?1 and (?2 is null or (position, model) = (?2, ?3)) order by id"""
        corrections: dict[Cell, list[Correction]] = {}
        only = cell[:2] if cell else (None, None)
        for position, model, label, key, value, created in self._database.rows(
            query, run_id, *only
        ):
            with suppress(ValueError):
                datetime.fromisoformat(created)
                correction = Correction(label=label, key=key, value=value, created=created)
                corrections.setdefault(Cell(position, model), []).append(correction)
        return corrections

    def undo(self, run_id: str, cell: Cell) -> bool:
        """Takes the newest correction of the cell back; `False` where there was none."""
        newest = f"select max(id) from corrections where {_OF_AN_ANSWER}"
        with self._database.transaction() as db:
            deleted = db.execute(
                f"delete from corrections where id = ({newest})", _answer_key(run_id, cell)
            )
            return deleted.rowcount > 0

    def drop(self, run_id: str, cell: Cell, label: str, key: str) -> None:
        """Takes back what was changed in one label of one sentence.

        The label is again as the labeller gave it.
        """
        query = f"delete from corrections where {_OF_AN_ANSWER} and label = ? and key = ?"
        with self._database.transaction() as db:
            db.execute(query, (*_answer_key(run_id, cell), label, key))

    def reset(self, run_id: str, cell: Cell) -> None:
        """Takes all corrections of the cell back."""
        query = f"delete from corrections where {_OF_AN_ANSWER}"
        with self._database.transaction() as db:
            db.execute(query, _answer_key(run_id, cell))


def _answer_key(run_id: str, cell: Cell) -> tuple[str, int, int]:
    return run_id, cell.position, cell.model
