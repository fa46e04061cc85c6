"""Settings: keys and what they open, stored answers, a backup, on a public host the way back."""

import streamlit as st

from evaluators.config import config
from ui.parts import head
from ui.settings import backup
from ui.settings import view as settings_view

head.show("Settings", "Keys for models, stored answers, and what is kept.")
provider = settings_view.access()
st.header("Models")
settings_view.list_models(provider)
st.header("Stored answers")
settings_view.stored_answers()
if config().public:
    st.header("Your link")
    settings_view.link()
else:
    st.header("Backup")
    backup.show()
