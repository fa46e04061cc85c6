"""Notes: what persons wrote down about answers, one for each answer, the last word of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from evaluators.errors import ParameterError
from evaluators.runs.notes import Note, counted_tags
from evaluators.runs.store.database import Database
from evaluators.runs.store.selection import Answer
from evaluators.runs.store.workspaces import check_not_shared
from evaluators.text.language import mark, say


class NoteTable:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, run_id: str, answer: Answer, note: Note) -> None:
        """Keeps the note in place of an earlier one on that answer; see `save_all`."""
        self.save_all(run_id, {answer: note})

    def save_all(self, run_id: str, notes: Mapping[Answer, Note]) -> None:
        """Keeps notes in place of earlier ones on these answers; an empty one takes it away.

        A tag is spelled as elsewhere in the run. Raises `ParameterError` for an example, which all
        share, and for a run that is not there (any more).
        """
        others = self.by_answer(run_id)
        # Its own spelling can be changed, where nobody else uses the tag.
        for answer in notes:
            others.pop(answer, None)
        spelled = {tag.casefold(): tag for tag in counted_tags(others.values())}
        with self._database.transaction() as db:
            if not db.execute("select 1 from runs where id = ?", (run_id,)).fetchone():
                raise ParameterError(say("This run was deleted meanwhile: the note was not kept."))
            check_not_shared(db, run_id, mark("notes"))
            query = "delete from notes where run_id = ? and position = ? and model = ?"
            for answer, note in notes.items():
                db.execute(query, (run_id, *answer))
                if note.is_empty:
                    continue
                tags = [spelled.setdefault(tag.casefold(), tag) for tag in note.tags]
                row = (note.created, note.person, note.text, json.dumps(tags, ensure_ascii=False))
                values = (run_id, *answer, *row)
                db.execute("insert into notes values (?, ?, ?, ?, ?, ?, ?)", values)

    def get(self, run_id: str, answer: Answer) -> Note | None:
        return self.by_answer(run_id, answer).get(answer)

    def by_answer(
        self,
        run_id: str,
        answer: Answer | None = None,
    ) -> dict[Answer, Note]:
        """The notes of a run, or the one on that answer; one that cannot be read is left out."""
        query = """select position, model, text, tags, created, person from notes
                   where run_id = ? and position = coalesce(?, position)
                         and model = coalesce(?, model) order by position, model"""
        notes: dict[Answer, Note] = {}
        rows = self._database.rows(query, run_id, *(answer or (None, None)))
        for position, model, text, tags, created, person in rows:
            with suppress(ValueError):
                # Pages show the moment: one that is none spoils the note.
                datetime.fromisoformat(created)
                note = Note(text=text, tags=json.loads(tags), created=created, person=person)
                notes[Answer(position, model)] = note
        return notes
