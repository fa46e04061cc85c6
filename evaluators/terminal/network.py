"""This machine's place in its network, for an app that phones may open."""

from __future__ import annotations

import ipaddress
import socket

from evaluators.errors import ParameterError


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


def options_for_phones(own: str) -> list[str]:
    """What Streamlit is told so that phones open the app under this machine's address `own`.

    Raises `ParameterError` where it has none.
    """
    if not own:
        raise ParameterError(
            "This machine has no address in a local network, so phones cannot come. Connect it "
            "to the network of the phones and start it again."
        )
    options = ["--server.address", "0.0.0.0", "--browser.serverAddress", own]
    # By other names nothing is answered, so that no page elsewhere reaches the app under its own.
    for name in (own, "localhost", "127.0.0.1"):
        options += ["--server.allowedHosts", name]
    return options
