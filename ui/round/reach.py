"""Whether phones reach a round, and how they do on a machine that answers to itself alone."""

from __future__ import annotations

import streamlit as st

from evaluators.own_command import own_command
from evaluators.text.language import say
from ui.round import qr

USUAL_PORT = 8501
"""Streamlit's own, which a command need not name."""


def warn(address: str) -> None:
    """A red line where the address means this machine alone, with what to do; else nothing."""
    if not qr.is_local(address):
        return
    st.error(
        say("Phones cannot open this: the address means this machine alone."),
        icon=":material/wifi_off:",
    )
    port = int(st.get_option("server.port"))
    with st.popover(say("Let phones in"), icon=":material/wifi:"):
        if qr.is_local(f"//{st.get_option('server.address')}"):
            st.markdown(say("Stop Plumbline, start it so, and open this page there again:"))
            st.code(command(port), language=None, wrap_lines=True)
            st.caption(say("Runs and rounds outlast it: a round that was started goes on."))
        else:
            st.markdown(say("Open this page under the address that this machine has for phones:"))
            st.code(f"http://{say('YOUR-ADDRESS')}:{port}", language=None)
        st.caption(say("Whoever is in the same network can then open all of this Plumbline."))


def command(port: int) -> str:
    """The command after which this machine answers to phones in its network, too."""
    line = f"{own_command()} app --class"
    return line if port == USUAL_PORT else f"{line} --port {port}"
