"""Label: answers of a run for people to label, one at a time."""

import streamlit as st

from ui.label import form, queue_page

if "queue" in st.query_params:
    queue_page.show()
else:
    form.show()
