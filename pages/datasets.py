"""Datasets: bring data in or choose some, look at it, see which evaluators it serves."""

import streamlit as st

from ui import dataset_view, hub_form, official_form, problems, retrieval_form, session, upload_form

st.title("Datasets")
upload, paste, hub, official, documents = st.tabs(["Upload", "Paste", "Hugging Face", "RGB files", "From documents"])
with upload:
    upload_form.upload()
with paste:
    upload_form.paste()
with hub:
    hub_form.show()
with official:
    official_form.show()
with documents:
    retrieval_form.show()
if dataset_view.question():
    st.stop()
st.divider()
name = dataset_view.choice()
if name is not None:
    with problems.told():
        if (data := session.source(name)) is not None:
            dataset_view.show(data)
    if session.sources().get(name) == "uploaded":
        dataset_view.delete_button(name)
