"""A note on an answer and tags of one's own: fields that stay open from sample to sample."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.people.records import YOU
from evaluators.records import Run
from evaluators.runs.notes import MOST_TAGS, MOST_TEXT, Note, counted_tags, written
from evaluators.runs.store import Answer
from evaluators.runs.store.bodies import timestamp
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say
from ui import session
from ui.parts import people, problems
from ui.parts.untrusted import plain

MOST_ON_BUTTON = 30
"""Characters of tags and note that the button shows."""
LINES = 68
"""Pixels of the text's field: two lines, the least that Streamlit takes."""
OPEN = "notes_are_open"
"""Where the session keeps that the fields are open, from one sample to the next."""
LOCKED = mark("Everybody sees the same example. Press “Make it yours” to write notes in a copy.")


class RunAnswer(NamedTuple):
    """An answer of a run, where a note belongs; its fields have names of their own."""

    run_id: str
    answer: Answer

    @property
    def name(self) -> str:
        return f"note_{self.run_id}_{self.answer.position}_{self.answer.model}"

    @property
    def tags_key(self) -> str:
        return f"{self.name}_tags"

    @property
    def text_key(self) -> str:
        return f"{self.name}_text"


def button(run: Run, answer: Answer) -> None:
    """Opens and closes the fields; while they are closed it says what is written."""
    is_open = st.session_state.get(OPEN, False)
    label = say("Close the note") if is_open else say("Add a note")
    note = session.store().notes.get(run.id, answer)
    if note and not is_open:
        label = plain(note.in_a_line(MOST_ON_BUTTON))

    def turn() -> None:
        st.session_state[OPEN] = not is_open

    st.button(label, icon=":material/sticky_note_2:", key="note", on_click=turn)


# What somebody writes is drawn without the rest of the page.
@st.fragment
def show(run: Run, answer: Answer) -> None:
    """Tags and text, where they are open; they are kept as soon as they are entered."""
    if not st.session_state.get(OPEN):
        return
    if run.workspace == EXAMPLES:
        st.caption(say(LOCKED))
        return
    with problems.caught():
        notes = session.store().notes.by_answer(run.id)
        note = notes.get(answer)
        place = RunAnswer(run.id, answer)
        # What could not be kept stays in its field, for another try.
        if not problems.show(place.name):
            _set_as_stored(place, note)
        left, right = st.columns(2)
        _tags_field(left, place, list(counted_tags(notes.values())))
        _text_field(right, place)
        if note:
            created = datetime.fromisoformat(note.created)
            person = say(YOU) if note.person == YOU else note.person
            words = say("{person}, {time:%d %b %Y, %H:%M UTC}", person=person, time=created)
            left.caption(plain(words))


def _set_as_stored(place: RunAnswer, note: Note | None) -> None:
    """Somebody else may have written meanwhile, and what was typed is tidied up."""
    note = note or written("", (), "")
    stored = {place.tags_key: list(note.tags), place.text_key: note.text}
    for key, value in stored.items():
        # Only what differs, so that a field nobody else changed is left alone.
        if st.session_state.get(key) != value:
            st.session_state[key] = value


def _tags_field(
    column: DeltaGenerator,
    place: RunAnswer,
    known_tags: Sequence[str],
) -> None:
    def keep() -> None:
        _keep_note(place, tags=st.session_state[place.tags_key])

    column.multiselect(
        say("Tags"),
        known_tags,
        key=place.tags_key,
        placeholder=say("Choose, or type and press Enter"),
        max_selections=MOST_TAGS,
        filter_mode="contains",
        select_all=False,
        accept_new_options=True,
        on_change=problems.guarded(keep, place.name),
    )


def _text_field(column: DeltaGenerator, place: RunAnswer) -> None:
    def keep() -> None:
        _keep_note(place, text=st.session_state[place.text_key])

    column.text_area(
        say("Note"),
        key=place.text_key,
        height=LINES,
        max_chars=MOST_TEXT,
        on_change=problems.guarded(keep, place.name),
    )


def _keep_note(
    place: RunAnswer,
    tags: Sequence[str] | None = None,
    text: str | None = None,
) -> None:
    """Keeps what was entered; the other part stays as it is stored, perhaps by somebody else."""
    table = session.store().notes
    stored = table.get(*place) or written("", (), "")
    note = written(
        stored.text if text is None else text,
        stored.tags if tags is None else tags,
        timestamp(),
        people.me(),
    ).model_copy(update={"facts": stored.facts})
    # Each note is small, but on a public host anybody may write many.
    session.check_room(len(note.text))
    table.save(*place, note)
