"""Round: a class labels answers of a run together."""

import streamlit as st

from ui.round import door, form, participant, projector

if door.ME in st.query_params:
    participant.show()
elif projector.LEAD in st.query_params:
    projector.show()
elif "run" in st.query_params:
    form.show()
else:
    door.show()
