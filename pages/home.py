"""Home: what this is, one button to a real evaluation, recent runs."""

import streamlit as st

from evaluators.runs import samples
from ui.parts import starting
from ui.runs import overview

st.title("Plumbline")
st.markdown(
    "Shows whether a RAG system's answers are true to their sources.  \n"
    "**RGB** asks: does it answer in spite of noise, decline without evidence, combine "
    "documents, notice errors?  \n"
    "**TRACE** asks, sentence by sentence: what was relevant, what was used, what is supported?"
)
with st.container(horizontal=True, vertical_alignment="center"):
    rgb = starting.button("Run the RGB sample", "home_rgb")
    trace = starting.button("Run the TRACE sample", "home_trace", primary=False)
    st.page_link("../pages/datasets.py", label="Use your own data", icon=":material/upload_file:")
    st.page_link("../pages/settings.py", label="Enter a key for real models", icon=":material/key:")
st.caption("No key, no account, no telemetry: the samples run on this machine in seconds.")
if rgb:
    starting.start(samples.rgb_plan(), "home_rgb")
if trace:
    starting.start(samples.trace_plan(), "home_trace")

st.header("Recent runs")
overview.show(limit=5)
