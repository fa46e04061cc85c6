"""A test bed that was made of documents: each row before it is used, the doubtful ones first."""

from __future__ import annotations

from secrets import token_hex

import streamlit as st

from evaluators.retrieval.bed import MadeBed, counts_in_words
from evaluators.text.language import say
from evaluators.text.words import counted, joined_sentences
from ui.datasets import preview
from ui.datasets import view as dataset_view
from ui.held import held, weight
from ui.parts import problems, tables
from ui.parts.untrusted import plain

HELD = "made_bed"
"""Where a session keeps under which key what it made last is held."""
MOST_SHOWN = 200
TEXT_SHOWN = 200


def hold(made: MadeBed) -> None:
    """Keeps it for the next drawing, in the memory that all visitors share."""
    held.drop(st.session_state.get(HELD))
    st.session_state[HELD] = f"{HELD}_{token_hex(4)}"
    rows = [tuple(own.row.model_dump().values()) for own in made.rows]
    held.keep(st.session_state[HELD], made, weight(rows))


def show() -> None:
    """Why rows are doubtful, each row in full at a click, and what is left out by hand."""
    key = st.session_state.get(HELD)
    made: MadeBed | None = held.find(key)
    if made is None:
        return
    with st.container(border=True):
        st.caption(plain(counts_in_words(made)))
        if made.left_out:
            label = say("{questions} left out", questions=counted(len(made.left_out), "question"))
            with st.expander(label, icon=":material/rule:", key=f"{key}_left_out"):
                lines = [
                    {say("Question"): own.question[:TEXT_SHOWN], say("Why"): say(own.reason)}
                    for own in made.left_out[:MOST_SHOWN]
                ]
                tables.plain_rows(lines, label)
        if not made.rows:
            return
        ids = [own.row.id for own in made.doubtful_first]
        dropped = st.multiselect(
            say("Leave out"), ids, key=f"{key}_drop", placeholder=say("None"), max_selections=200
        )
        kept = made.without(dropped)
        doubts = {own.row.id: joined_sentences(map(say, own.doubts)) for own in kept.rows}
        in_doubt = tuple(own.row for own in kept.doubtful_first)
        # Another name than the data will have, whose own preview stands below
        shown = kept.bed.model_copy(update={"name": str(key), "rows": in_doubt})
        preview.show(shown, MOST_SHOWN, doubts)
        use = st.button(
            say("Use this test bed"),
            type="primary",
            icon=":material/check:",
            disabled=not kept.rows,
            key="use_bed",
        )
        if use:
            with problems.caught():
                dataset_view.forget()
                dataset_view.keep(kept.bed)
                held.drop(key)
                st.rerun()
