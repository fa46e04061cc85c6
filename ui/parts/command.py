"""A run as the command that does the same in a terminal."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Run
from evaluators.terminal.command import command
from evaluators.text.language import say


def show(run: Run) -> None:
    """The command, to be copied."""
    st.markdown(f"**{say('As a command')}**")
    st.code(command(run), language="bash", wrap_lines=True)
    st.caption(
        say(
            "Run it in Plumbline's folder. The data are named as they are here: uploaded there "
            "too, or a file."
        )
    )
