"""Batches over files in the list of runs."""

from __future__ import annotations

import streamlit as st

from evaluators.runs.store import FileBatch, Unreadable
from evaluators.text.language import say, translated
from ui import session
from ui.batch import state
from ui.parts import problems
from ui.parts.moments import local_time
from ui.parts.untrusted import plain

MOST = 100


def show() -> None:
    """The batches of this workspace, each a card that opens; nothing where there is none."""
    stored, workspace = session.store().file_batches, session.workspace()
    batches = stored.newest(workspace, MOST).values()
    lost = stored.unreadable(workspace, MOST)
    if not batches and not lost:
        return
    st.header(say("Batches of files"))
    for batch in batches:
        _card(batch)
    for unreadable in lost:
        _unreadable_card(unreadable)


def _card(batch: FileBatch) -> None:
    with st.container(border=True):
        what, now, buttons = st.columns([5, 3, 3], vertical_alignment="center")
        facts = [*state.method(batch), local_time(batch.created)]
        what.markdown(f"**{plain(batch.title)}**  \n{plain(' · '.join(facts))}")
        now.caption(plain(state.in_words(batch)))
        with buttons.container(horizontal=True, horizontal_alignment="right"):
            if st.button(say("Open"), icon=":material/open_in_new:", key=f"open_{batch.id}"):
                st.switch_page("../pages/batch.py", query_params=session.address(batch=batch.id))
            delete_button(batch.id, batch.folder)
        problems.show(batch.id)


def _unreadable_card(lost: Unreadable) -> None:
    with st.container(border=True):
        what, buttons = st.columns([8, 3], vertical_alignment="center")
        title = say("This batch cannot be read.")
        why = say("Give its command again, or delete it here.")
        what.markdown(f"**{title}**  \n{plain(translated(lost.reason))}. {why}")
        with buttons.container(horizontal=True, horizontal_alignment="right"):
            delete_button(lost.name)
        problems.show(lost.name)


def delete_button(batch_id: str, folder: str = "") -> None:
    """Takes the batch out of the list, after a question that says what stays."""
    with st.popover(say("Delete"), icon=":material/delete:", key=f"ask_{batch_id}"):
        st.write(say("Take this batch out of the list?"))
        st.caption(say("Its files stay where they are; giving its command again lists it anew."))
        if folder:
            st.code(folder, language=None, wrap_lines=True)
        st.button(
            say("Take it out"),
            type="primary",
            key=f"delete_{batch_id}",
            on_click=problems.guarded(session.store().file_batches.delete, batch_id),
            args=(session.workspace(), batch_id),
        )
