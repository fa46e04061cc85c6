"""Settings: keys and what they open, stored answers, a backup, on a public host the way back."""

import streamlit as st

from evaluators.config import config
from evaluators.text.language import say
from ui.parts import head
from ui.settings import backup, sign_in, system
from ui.settings import view as settings_view

head.show(say("Settings"), say("Keys for models, stored answers, and what is kept."))
sign_in.show()
provider = settings_view.access()
st.header(say("Models"))
settings_view.list_models(provider)
st.header(say("My RAG system"))
if config().public:
    st.caption(say("Your own system can be asked where Plumbline runs on your machine."))
else:
    system.show()
st.header(say("Stored answers"))
settings_view.stored_answers()
if config().public:
    st.header(say("Your link"))
    settings_view.link()
else:
    st.header(say("Backup"))
    backup.show()
