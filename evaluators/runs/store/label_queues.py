"""Queues of answers that people label, each with its run."""

from __future__ import annotations

import secrets
from collections.abc import Collection

from pydantic import TypeAdapter

from evaluators.errors import ParameterError
from evaluators.people.queues import MOST_PEOPLE, MOST_QUEUES, LabelQueue, QueuePerson
from evaluators.people.records import YOU, folded_name
from evaluators.runs.store.database import Connection, Database
from evaluators.runs.store.documents import RunDocuments
from evaluators.runs.store.runs import check_own_run
from evaluators.text.language import mark, say


class LabelQueues:
    """Queues by their ids, and who labels in them by their tokens.

    One that cannot be read is as good as none: a person can draw another queue, and the labels
    given in this one are kept with the run.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queues = RunDocuments(database, "label queue", TypeAdapter(LabelQueue))
        self._people = RunDocuments(database, "queue person", TypeAdapter(QueuePerson))

    def save(self, queue: LabelQueue) -> None:
        """Keeps a new queue.

        Raises `ParameterError` for an example, which all share, where its run is not there (any
        more), and where that has as many as it keeps.
        """
        gone = mark("This run was deleted meanwhile, so nothing was drawn.")
        with self._database.transaction() as db:
            check_own_run(db, queue.run_id, mark("queues"), gone)
            # In the same transaction: of two that come at once only one is the last.
            if self._queues.count(queue.run_id) >= MOST_QUEUES:
                raise ParameterError(
                    say(
                        "This run has {most} queues, the most it keeps. Go on with one of them, or "
                        "label a copy of the run: save it as a file, and open that.",
                        most=MOST_QUEUES,
                    )
                )
            self._queues.put(db, queue.run_id, queue.id, queue)

    def get(self, queue_id: str) -> LabelQueue | None:
        return self._queues.of_any(queue_id)

    def of_run(self, run_id: str) -> list[LabelQueue]:
        """The run's queues that can be read, newest first."""
        return [*self._queues.newest(run_id).values()]

    # Who labels

    def join(self, queue: LabelQueue, name: str, *, is_owner: bool = False) -> QueuePerson:
        """Lets somebody label under this name.

        Whoever has the run itself goes on under any name that is there. For all others this raises
        `ParameterError` where somebody labels the run under it, or where the queue is full.
        """
        folded = folded_name(name)
        # One transaction: two who come at once must not get one name, nor the last place both.
        with self._database.transaction() as db:
            people = self._people.newest(queue.run_id)
            for person in people.values():
                if is_owner and (person.queue_id, folded_name(person.name)) == (queue.id, folded):
                    return person
            query = "select distinct person from person_labels where run_id = ?"
            labelling = {person for (person,) in db.execute(query, (queue.run_id,))}
            # "you" is whoever has the run and gave no name.
            taken = {YOU, *labelling, *(person.name for person in people.values())}
            if not is_owner and folded in map(folded_name, taken):
                raise ParameterError(
                    say(
                        "Somebody labels here under this name. Choose another one, or go on by the "
                        "address at which you began."
                    )
                )
            self._make_room(db, queue)
            token = secrets.token_urlsafe(16)
            person = QueuePerson(queue_id=queue.id, run_id=queue.run_id, token=token, name=name)
            self._people.put(db, queue.run_id, token, person)
            return person

    def person(self, token: str) -> QueuePerson | None:
        return self._people.of_any(token)

    def show_labels_to(self, person: QueuePerson, places: Collection[int]) -> None:
        """Keeps that the labeller's labels of the answers at these places are shown to somebody."""
        if person.seen.issuperset(places):
            return
        now = person.model_copy(update={"seen": person.seen.union(places)})
        with self._database.transaction() as db:
            # Who has made room for another stays out.
            if self.person(person.token):
                self._people.put(db, person.run_id, person.token, now)

    def _make_room(self, db: Connection, queue: LabelQueue) -> None:
        """Who has said nothing yet makes room, else names alone would fill a queue."""
        everybody = self._people.newest(queue.run_id).values()
        there = [person for person in everybody if person.queue_id == queue.id]
        if len(there) < MOST_PEOPLE:
            return
        query = "select distinct person from person_labels where run_id = ? and queue = ?"
        labelling = {person for (person,) in db.execute(query, (queue.run_id, queue.id))}
        silent = [person for person in there if person.name not in labelling]
        if not silent:
            raise ParameterError(
                say(
                    "{most} people label here, the most a queue takes. Ask for another one.",
                    most=MOST_PEOPLE,
                )
            )
        self._people.drop(db, queue.run_id, silent[-1].token)
