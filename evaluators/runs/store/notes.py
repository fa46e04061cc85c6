"""Notes: what persons wrote down about answers, one for each answer, the last word of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, TypeAdapter

from evaluators.runs.notes import Note, counted_tags
from evaluators.runs.store.database import Database
from evaluators.runs.store.documents import RunDocuments
from evaluators.runs.store.runs import check_own_run
from evaluators.runs.store.selection import Answer
from evaluators.text.language import mark


def _with_moment(note: Note) -> Note:
    # Pages show the moment: one that is none spoils the note.
    datetime.fromisoformat(note.created)
    return note


_NOTE: TypeAdapter[Note] = TypeAdapter(Annotated[Note, AfterValidator(_with_moment)])


class Notes:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._documents = RunDocuments(database, "note", _NOTE)

    def save(self, run_id: str, answer: Answer, note: Note) -> None:
        """Keeps the note in place of an earlier one on that answer; see `save_all`."""
        self.save_all(run_id, {answer: note})

    def save_all(self, run_id: str, notes: Mapping[Answer, Note]) -> None:
        """Keeps notes in place of earlier ones on these answers; an empty one takes it away.

        A tag is spelled as elsewhere in the run. Raises `ParameterError` for an example, which all
        share, and for a run that is not there (any more).
        """
        others = self.by_answer(run_id)
        facts = {answer: note.facts for answer, note in others.items()}
        # Its own spelling can be changed, where nobody else uses the tag.
        for answer in notes:
            others.pop(answer, None)
        spelled = {tag.casefold(): tag for tag in counted_tags(others.values())}
        gone = mark("This run was deleted meanwhile: the note was not kept.")
        with self._database.transaction() as db:
            check_own_run(db, run_id, mark("notes"), gone)
            for answer, note in notes.items():
                # What is wrong with answers goes by them, unlike by anything else of a note.
                if note.facts != facts.get(answer, ""):
                    query = "update revisions set revision = revision + 1 where run_id = ?"
                    db.execute(query, (run_id,))
                if note.is_empty:
                    self._documents.drop(db, run_id, _key(answer))
                    continue
                tags = tuple(spelled.setdefault(tag.casefold(), tag) for tag in note.tags)
                spelled_note = note.model_copy(update={"tags": tags})
                self._documents.put(db, run_id, _key(answer), spelled_note)

    def get(self, run_id: str, answer: Answer) -> Note | None:
        return self._documents.get(run_id, _key(answer))

    def by_answer(self, run_id: str) -> dict[Answer, Note]:
        """The notes of a run in the order of its answers; one that cannot be read is left out."""
        notes: dict[Answer, Note] = {}
        for key, note in self._documents.newest(run_id).items():
            with suppress(ValueError, TypeError):
                notes[Answer(*map(int, key.split()))] = note
        return dict(sorted(notes.items()))


def _key(answer: Answer) -> str:
    return f"{answer.position} {answer.model}"
