"""Datasets: bring data in or choose some, look at it, see which evaluators it serves."""

import streamlit as st

from evaluators.text.language import say
from ui import session
from ui.datasets import hub, official, retrieval, upload
from ui.datasets import view as dataset_view
from ui.parts import head, problems

head.show(
    say("Datasets"),
    say("What is evaluated: your own files, public data sets, and the bundled samples."),
)
tabs = st.tabs(
    [say("Upload"), say("Paste"), "Hugging Face", say("RGB files"), say("From documents")]
)
for tab, show in zip(
    tabs, (upload.upload, upload.paste, hub.show, official.show, retrieval.show), strict=True
):
    with tab:
        show()
if dataset_view.question():
    st.stop()
st.divider()
name = dataset_view.choice()
if name is not None:
    with problems.caught():
        if (data := session.source(name)) is not None:
            dataset_view.show(data)
    if session.sources().get(name) == "uploaded":
        dataset_view.manage(name)
