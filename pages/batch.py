"""Batch: what a batch over files came to."""

import streamlit as st

from evaluators.text.language import say
from ui.batch import view
from ui.parts import head, problems

batch = view.chosen()
with head.row(say("Batch")):
    st.caption(say("Files judged by a command, row by row: what they came to."))
with problems.caught():
    if batch is None:
        view.nothing_shown()
    else:
        view.show(batch)
