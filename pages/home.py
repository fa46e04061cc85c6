"""Home: finished examples to see, one's own data and models to try, recent runs."""

import streamlit as st

from ui.home import tiles
from ui.parts import head
from ui.runs import overview

head.show("Plumbline", "Shows whether a RAG system's answers are true to their sources.")
tiles.see_it()
tiles.do_it()
st.header("Recent runs")
overview.show(limit=5)
