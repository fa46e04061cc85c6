"""How phones reach a round on a machine that answers to itself alone."""

from __future__ import annotations

import streamlit as st

from evaluators.text.language import say
from ui.round import qr

USUAL_PORT = 8501
"""Streamlit's own, which a command need not name."""


def say_how(address: str) -> None:
    """What to start anew, where the address means this machine alone; else nothing."""
    if not qr.is_local(address):
        return
    own = qr.network_address() or say("YOUR-ADDRESS")
    port = int(st.get_option("server.port"))
    with st.popover(say("Phones cannot open this"), icon=":material/wifi_off:"):
        st.markdown(say("This address means this machine alone. Stop Plumbline and start it so:"))
        st.code(command(own, port), language=None, wrap_lines=True)
        st.markdown(say("Then open this page under:"))
        st.code(f"http://{own}:{port}", language=None)
        st.caption(say("Runs and rounds outlast it: a round that was started goes on."))
        st.caption(say("Whoever is in the same network can then open all of this Plumbline."))


def command(own: str, port: int) -> str:
    """The command after which this machine answers to its address `own` in its network, too."""
    line = f"streamlit run app.py --server.address 0.0.0.0 --server.allowedHosts {own}"
    return line if port == USUAL_PORT else f"{line} --server.port {port}"
