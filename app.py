"""Starts Plumbline: `streamlit run app.py`."""

import streamlit as st

from ui.middleware import MIDDLEWARE

# The router lies away from `pages/`: beside it Streamlit would run a page without the router.
app = st.App("ui/main.py", middleware=MIDDLEWARE)

if __name__ == "__main__":
    app.run()
