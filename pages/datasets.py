"""Datasets: bring data in or choose some, look at it, see which evaluators it serves."""

import streamlit as st

from ui import dataset_view, session, sources_form, upload_form

st.title("Datasets")
upload, paste, hub, official, documents = st.tabs(["Upload", "Paste", "Hugging Face", "RGB files", "From documents"])
with upload:
    upload_form.upload()
with paste:
    upload_form.paste()
with hub:
    sources_form.hub()
with official:
    sources_form.official()
with documents:
    sources_form.documents()
upload_form.question()
names = session.sources()
name = st.selectbox(
    "Data set", list(names), format_func=lambda n: f"{n} ({names[n]})", key="dataset", persist_state="session"
)
if (data := session.source(name)) is not None:
    upload_form.report(name)
    dataset_view.show(data)
    if names[name] == "uploaded":
        dataset_view.delete_button(name)
