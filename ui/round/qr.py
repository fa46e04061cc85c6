"""The way into a round: its address, as a picture for a camera."""

from __future__ import annotations

import io
import ipaddress
import socket
from functools import lru_cache
from urllib.parse import urlsplit

import segno
import streamlit as st
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

LOCAL = ("localhost", "127.0.0.1", "[::1]")


def base() -> str:
    """The address of the page without parameters, by the name under which it was opened."""
    # Coming from another page, the browser has not told the new address yet.
    above = (st.context.url or "").partition("?")[0].rpartition("/")[0]
    return f"{above}/round"


def reachable(address: str) -> str:
    """The same address for others in the network, where this machine answers to its own there."""
    parts = urlsplit(address)
    own = network_address()
    if parts.hostname in LOCAL and own and is_host_allowed(own) and _listens():
        port = f":{parts.port}" if parts.port else ""
        return parts._replace(netloc=f"{own}{port}").geturl()
    return address


def is_local(address: str) -> bool:
    """Whether only this machine gets anywhere with it."""
    return urlsplit(address).hostname in LOCAL


def network_address() -> str:
    """This machine's address in its own network; empty where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Of a datagram only the way is looked up: nothing is sent.
            # 192.0.2.1 is kept for examples (RFC 5737): nobody has it, so the way out is found.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        own = str(probe.getsockname()[0])
    return own if ipaddress.ip_address(own).is_private else ""


# The wall is drawn every second, and its picture stays.
@lru_cache(maxsize=100)
def picture(address: str) -> str:
    """The QR code as SVG: black on white in both themes, as many cameras read no other."""
    # Level M mends 15 %, enough on a wall; higher ones have smaller squares to see from afar.
    code = segno.make(address, error="m")
    file = io.BytesIO()
    code.save(file, kind="svg", border=3, dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return file.getvalue().decode()


def _listens() -> bool:
    """Whether others in the network get through to this server."""
    return st.get_option("server.address") not in ("localhost", "127.0.0.1", "::1")
