"""The way into a round: its address, as a picture for a camera."""

from __future__ import annotations

import io
import ipaddress
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit

import segno
import streamlit as st


def base() -> str:
    """The address of the page without parameters, by the name under which it was opened."""
    # Coming from another page, the browser has not told the new address yet.
    above = (st.context.url or "").partition("?")[0].rpartition("/")[0]
    return f"{above}/round"


def reachable(address: str) -> str:
    """The same address for others in the network, where this app was started for them."""
    named = str(st.get_option("browser.serverAddress") or "")
    if not is_local(address) or is_local(f"//{named}"):
        return address
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{named}{port}").geturl()


def is_local(address: str) -> bool:
    """Whether only this machine gets anywhere with it."""
    host = urlsplit(address).hostname or ""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


# The wall is drawn every second, and its picture stays.
@lru_cache(maxsize=100)
def picture(address: str) -> str:
    """The QR code as SVG: black on white in both themes, as many cameras read no other."""
    # Level M mends 15 %, enough on a wall; higher ones have smaller squares to see from afar.
    code = segno.make(address, error="m")
    file = io.BytesIO()
    code.save(file, kind="svg", border=3, dark="#000", light="#fff", xmldecl=False, omitsize=True)
    return file.getvalue().decode()
