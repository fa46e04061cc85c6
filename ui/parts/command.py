"""A run as the command that does the same in a terminal."""

from __future__ import annotations

import streamlit as st

from evaluators.config import config
from evaluators.own_command import own_command
from evaluators.records import Run
from evaluators.terminal.command import command
from evaluators.text.language import say
from evaluators.text.words import joined_sentences


def show(run: Run) -> None:
    """The command, to be copied."""
    st.markdown(f"**{say('As a command')}**")
    # Visitors of a public host give it on their own machine.
    plumbline = "plumbline" if config().public else own_command()
    st.code(command(run, plumbline), language="bash", wrap_lines=True)
    notes = [say("The data are named as they are here: uploaded there too, or a file.")]
    if plumbline.endswith("-m evaluators"):
        notes.insert(0, say("Run it in Plumbline's folder."))
    st.caption(joined_sentences(notes))
