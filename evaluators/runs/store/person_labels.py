"""What people say of answers: their labels, of which none is overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from evaluators.config import config
from evaluators.errors import ParameterError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.runs import check_own_run
from evaluators.text.language import mark, say

_OF_A_CELL = "run_id = ? and position = ? and model = ? and metric = ?"
_OF_A_PERSON = f"{_OF_A_CELL} and person = ? and (? = '' or queue = ?) and withdrawn is null"
_FIELDS = tuple(PersonLabel.model_fields)
_SENTENCES = ("relevant", "utilized", "support", "supported_by")


MOST_OF_A_PERSON = 1000
"""Labels that one person gives one answer, those taken back as well: two for each sentence of long
documents, and room to change one's mind.
"""


class KeptLabel(NamedTuple):
    """A label with its cell, and when it was taken back; `None` where it holds."""

    cell: Cell
    label: PersonLabel
    withdrawn: str | None


class PersonLabelTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, cell: Cell, *labels: PersonLabel) -> None:
        """Keeps what a person said of one cell, after what was said before; see `save_all`."""
        self.save_all(run_id, ((cell, label) for label in labels))

    def save_all(self, run_id: str, labels: Iterable[tuple[Cell, PersonLabel]]) -> None:
        """Keeps what people said, after what was said before; all or nothing.

        Labels of sentences belong to the first metric. Raises `ParameterError` for an example,
        which all share, for a run that is not there (any more), and where it would have more
        labels than a person gives an answer, or than a run keeps.
        """
        columns = ", ".join(("run_id", "position", "model", "metric", *_FIELDS))
        marks = ", ".join("?" * (4 + len(_FIELDS)))
        gone = mark("This run was deleted meanwhile: the label was not kept.")
        with self._database.transaction() as db:
            # In the same transaction: a run that is deleted just now must not keep a label.
            check_own_run(db, run_id, mark("labels"), gone)
            places = set()
            for cell, label in labels:
                metric = 0 if label.label in _SENTENCES else cell.metric
                place = (run_id, cell.position, cell.model, metric)
                values = (*place, *(getattr(label, field) for field in _FIELDS))
                db.execute(f"insert into person_labels ({columns}) values ({marks})", values)
                places.add(place)
            _check_counts(db, run_id, places)

    def by_cell(
        self,
        run_id: str,
        cell: Cell | None = None,
        person: str | None = None,
    ) -> dict[Cell, list[PersonLabel]]:
        """The labels that hold, of one cell or of the whole run, in the order they were given in.

        With a name those of that person alone.

        Of one person's several labels of the same thing the last counts. One that cannot be read
        is left out; it goes with `withdraw_all`.
        """
        labels: dict[Cell, list[PersonLabel]] = {}
        for kept in self._read(run_id, cell, "withdrawn is null", person):
            labels.setdefault(kept.cell, []).append(kept.label)
        return labels

    def history(self, run_id: str, cell: Cell | None = None) -> list[KeptLabel]:
        """All labels, those taken back as well, in the order they were given in."""
        return list(self._read(run_id, cell, "true"))

    def undo(self, run_id: str, cell: Cell, person: str, queue: str = "") -> bool:
        """Takes back what the person said last of the cell; `False` where there was nothing.

        With the id of a queue, here and below, only what was said in it.
        """
        newest = f"id = (select max(id) from person_labels where {_OF_A_PERSON})"
        return self._withdraw(newest, (run_id, *cell, person, queue, queue))

    def withdraw(
        self,
        run_id: str,
        cell: Cell,
        person: str,
        label: str,
        key: str,
        queue: str = "",
    ) -> None:
        """Takes back what the person said of one label of one sentence, or of one value."""
        where = f"{_OF_A_PERSON} and label = ? and key = ?"
        self._withdraw(where, (run_id, *cell, person, queue, queue, label, key))

    def withdraw_all(self, run_id: str, cell: Cell, person: str, queue: str = "") -> None:
        """Takes back all that the person said of the cell."""
        self._withdraw(_OF_A_PERSON, (run_id, *cell, person, queue, queue))

    def _withdraw(self, where: str, values: tuple[Any, ...]) -> bool:
        # Kept with the moment, not deleted: what was said belongs to the history.
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.transaction() as db:
            changed = db.execute(
                f"update person_labels set withdrawn = ? where {where}", (now, *values)
            )
            return changed.rowcount > 0

    def _read(
        self,
        run_id: str,
        cell: Cell | None,
        condition: str,
        person: str | None = None,
    ) -> Iterator[KeptLabel]:
        where = "run_id = ?"
        values: tuple[Any, ...] = (run_id,)
        if cell is not None:
            where, values = _OF_A_CELL, (run_id, *cell)
        if person is not None:
            where, values = f"{where} and person = ?", (*values, person)
        query = f"""select position, model, metric, withdrawn, {", ".join(_FIELDS)}
                    from person_labels where {where} and {condition} order by id"""
        for row in self._database.rows(query, *values):
            fields = dict(zip(_FIELDS, row[4:], strict=True))
            with suppress(ValueError):
                label = PersonLabel.model_validate(fields)
                yield KeptLabel(Cell(*map(int, row[:3])), label, row[3])


def _check_counts(db: Connection, run_id: str, places: Iterable[tuple[Any, ...]]) -> None:
    """Raises `ParameterError` where the run has more labels now than it may: every page reads them.

    `places` are the cells that have new ones.
    """
    most = config().labels_per_run
    count = db.execute("select count(*) from person_labels where run_id = ?", (run_id,))
    if count.fetchone()[0] > most:
        raise ParameterError(
            say("A run keeps {most:,} labels by people, and this one would have more.", most=most)
        )
    # Of all people of a cell at once: a file may bring labels by thousands.
    too_many = f"""select 1 from person_labels where {_OF_A_CELL}
                   group by person having count(*) > {MOST_OF_A_PERSON}"""
    for place in places:
        if db.execute(too_many, place).fetchone():
            raise ParameterError(
                say(
                    "One person gives an answer {most:,} labels at most, and this would be more.",
                    most=MOST_OF_A_PERSON,
                )
            )
