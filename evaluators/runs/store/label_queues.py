"""Queues of answers that people label, each with its run."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any

from evaluators.errors import ParameterError
from evaluators.people.queues import MOST_PEOPLE, MOST_QUEUES, LabelQueue, QueuePerson
from evaluators.people.records import YOU, folded_name
from evaluators.runs.store.bodies import from_body, to_body
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.workspaces import check_not_shared
from evaluators.text.language import mark, say

_PEOPLE = "select queue_id, token, name, seen from queue_people"


class LabelQueueTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, queue: LabelQueue) -> None:
        """Keeps a new queue.

        Raises `ParameterError` for an example, which all share, where its run is not there (any
        more), and where that has as many as it keeps.
        """
        query = """insert into label_queues select ?1, id, ?2, ?3 from runs where id = ?4"""
        values = (queue.id, queue.created, to_body(queue), queue.run_id)
        with self._database.transaction() as db:
            if not db.execute(query, values).rowcount:
                raise ParameterError(say("This run was deleted meanwhile, so nothing was drawn."))
            check_not_shared(db, queue.run_id, mark("queues"))
            # In the same transaction: of two that come at once only one is the last.
            count = "select count(*) from label_queues where run_id = ?"
            if db.execute(count, (queue.run_id,)).fetchone()[0] > MOST_QUEUES:
                raise ParameterError(
                    say(
                        "This run has {most} queues, the most it keeps. Go on with one of them, or "
                        "label a copy of the run: save it as a file, and open that.",
                        most=MOST_QUEUES,
                    )
                )

    def get(self, queue_id: str) -> LabelQueue | None:
        """The queue of that id; one that cannot be read is as good as none."""
        query = "select body from label_queues where id = ?"
        return next(iter(self._read(query, queue_id)), None)

    def of_run(self, run_id: str) -> list[LabelQueue]:
        """The run's queues that can be read, newest first."""
        query = "select body from label_queues where run_id = ? order by rowid desc"
        return self._read(query, run_id)

    # Who labels

    def join(self, queue: LabelQueue, name: str, *, is_owner: bool = False) -> QueuePerson:
        """Lets somebody label under this name.

        Whoever has the run itself goes on under any name that is there. For all others this raises
        `ParameterError` where somebody labels the run under it, or where the queue is full.
        """
        # One transaction: two who come at once must not get one name, nor the last place both.
        with self._database.transaction() as db:
            query = f"{_PEOPLE} where queue_id = ? and folded = ?"
            own = _people(db.execute(query, (queue.id, folded_name(name))))
            if own and is_owner:
                return own[0]
            query = "select distinct person from person_labels where run_id = ?"
            labelling = {folded_name(person) for (person,) in db.execute(query, (queue.run_id,))}
            query = """select folded from queue_people join label_queues on id = queue_id
                       where run_id = ?"""
            waiting = {folded for (folded,) in db.execute(query, (queue.run_id,))}
            # "you" is whoever has the run and gave no name.
            if not is_owner and folded_name(name) in labelling | waiting | {folded_name(YOU)}:
                raise ParameterError(
                    say(
                        "Somebody labels here under this name. Choose another one, or go on by the "
                        "address at which you began."
                    )
                )
            self._make_room(db, queue)
            token = secrets.token_urlsafe(16)
            db.execute(
                "insert into queue_people (queue_id, token, name, folded) values (?, ?, ?, ?)",
                (queue.id, token, name, folded_name(name)),
            )
            return QueuePerson(queue_id=queue.id, token=token, name=name)

    def person(self, token: str) -> QueuePerson | None:
        return next(iter(_people(self._database.rows(f"{_PEOPLE} where token = ?", token))), None)

    def show_labels_to(self, person: QueuePerson, places: Collection[int]) -> None:
        """Keeps that the labeller's labels of the answers at these places are shown to somebody."""
        if person.seen.issuperset(places):
            return
        seen = json.dumps(sorted({*person.seen, *places}))
        with self._database.transaction() as db:
            query = "update queue_people set seen = ? where token = ?"
            db.execute(query, (seen, person.token))

    def _make_room(self, db: Connection, queue: LabelQueue) -> None:
        """Who has said nothing yet makes room, else names alone would fill a queue."""
        query = "select number, name from queue_people where queue_id = ? order by number"
        there = db.execute(query, (queue.id,)).fetchall()
        if len(there) < MOST_PEOPLE:
            return
        query = "select distinct person from person_labels where run_id = ? and queue = ?"
        labelling = {person for (person,) in db.execute(query, (queue.run_id, queue.id))}
        silent = [number for number, name in there if name not in labelling]
        if not silent:
            raise ParameterError(
                say(
                    "{most} people label here, the most a queue takes. Ask for another one.",
                    most=MOST_PEOPLE,
                )
            )
        db.execute("delete from queue_people where number = ?", (silent[0],))

    def _read(self, query: str, value: str) -> list[LabelQueue]:
        queues = []
        for (body,) in self._database.rows(query, value):
            # A person can draw another queue; the labels given in this one are kept with the run.
            with suppress(ValueError):
                queues.append(from_body(LabelQueue, body))
        return queues


def _people(rows: Iterable[Any]) -> list[QueuePerson]:
    people = []
    for queue_id, token, name, seen in rows:
        with suppress(ValueError):
            own = {"queue_id": queue_id, "token": token, "name": name, "seen": json.loads(seen)}
            people.append(QueuePerson.model_validate(own))
    return people
