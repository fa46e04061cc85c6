"""Batch: what a batch over files came to, and rows of it."""

import streamlit as st

from evaluators.text.language import say
from ui.batch import one_row, view
from ui.parts import head, problems

batch = view.chosen()
with head.row(say("Batch")):
    st.caption(say("Files judged by a command, row by row: what they came to, and the rows."))
with problems.caught():
    if batch is None:
        view.nothing_shown()
    elif "row" in st.query_params:
        one_row.show(batch)
    else:
        view.show(batch)
