"""Start Plumbline: `streamlit run app.py`. The router is `ui/main.py`, away from `pages/` (see
CONTRIBUTING).
"""

import streamlit as st

from ui.middleware import MIDDLEWARE

app = st.App("ui/main.py", middleware=MIDDLEWARE)

if __name__ == "__main__":
    app.run()
