"""A server of a test on a thread of its own, on this computer: what several of them share."""

from __future__ import annotations

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self


class Answering(BaseHTTPRequestHandler):
    """One request; `served` is the server it came to."""

    served: Any

    def log_message(self, *_: object) -> None:
        """Keeps the tests' output clean."""

    def send(self, status: int, body: bytes = b"", **headers: str) -> None:
        """A whole answer; who has read enough hangs up."""
        usual = {"content-type": "application/json", "content-length": str(len(body))}
        with suppress(OSError):
            self.send_response(status)
            for name, value in {**usual, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)


class Served:
    """Listens while it is entered; `ends` is set as it goes."""

    answering: ClassVar[type[Answering]]

    def __init__(self) -> None:
        self.ends = threading.Event()
        handler = type("Handler", (self.answering,), {"served": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ends.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"
