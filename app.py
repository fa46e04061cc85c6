"""Starts Plumbline: `streamlit run app.py`."""

import gc
import sys

import streamlit as st

from ui.middleware import MIDDLEWARE
from ui.routes import ROUTES

# Seconds after which a thread that computes lets the next one go on. A page lets go some hundred
# times, and beside the threads of eight runs waited for five milliseconds each time.
sys.setswitchinterval(0.0005)

# The collector looks through all that is held, half a second beside eight large runs, in which no
# page goes on: not every five seconds, as by its own measure, but every minute. A reading of a file
# and a refused upload ask for it themselves.
gc.set_threshold(2000, 10, 100)

# The router lies away from `pages/`: beside it Streamlit would run a page without the router.
app = st.App("ui/main.py", routes=ROUTES, middleware=MIDDLEWARE)

if __name__ == "__main__":
    app.run()
