"""A small RAG service on this computer: BM25 over a few documents, answers as JSON or as a stream.

    with RagService() as service:
        requests.post(f"{service.address}/ask", json={"question": "When was the tower built?"})

It answers with the sentence of the best document that shares most words with the question.
`/ask` is JSON, `/stream` server-sent events, `/moved` a redirect on the same host, `/elsewhere`
one to another host; `/page` is HTML, `/hang` never answers, `/changed` answers under other names.
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from evaluators.retrieval.index import BM25Index
from evaluators.text.sentences import split_sentences
from evaluators.text.similarity import terms

DOCUMENTS = (
    "The tower was built in 1889. Gustave Eiffel's company designed it.",
    "The tower is 330 metres tall. It was the tallest building of the world for 41 years.",
    "The bridge was opened in 1932. It carries eight lanes of cars and two of trains.",
    "The museum holds 380,000 objects. Its glass pyramid was finished in 1989.",
    "The river is 777 kilometres long. It flows into the Channel.",
)
UNKNOWN = "I can not answer the question because of the insufficient information in documents."


class RagService:
    """The service, while the block lasts; `asked` holds each request with its path and headers."""

    def __init__(self, *, latency: float = 0.0, elsewhere: str = "", key: str = "") -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.latency, self.elsewhere, self.key = latency, elsewhere, key
        self.kept_waiting = False
        """Whether who read a stream waited for more behind its end."""
        self.index = BM25Index(DOCUMENTS, lambda share: None)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, question: str, given: list[str] | None = None) -> dict[str, Any]:
        """The reply: the answer, and what was retrieved, with scores as such services have them."""
        documents = given or [DOCUMENTS[number] for number in self.index.best(question, 2)]
        asked = set(terms(question))
        sentences = [line for document in documents for line in split_sentences(document)]
        best = max(sentences, key=lambda line: len(asked & set(terms(line))), default=UNKNOWN)
        sources = [{"id": f"d{number}", "text": text} for number, text in enumerate(documents)]
        return {"result": {"answer": best, "sources": sources}, "took_ms": 3}

    def _handler(service: RagService) -> type[BaseHTTPRequestHandler]:  # noqa: N805, C901
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                self.reply(json.loads(self.rfile.read(size) or b"{}"))

            def do_GET(self) -> None:
                fields = parse_qs(urlsplit(self.path).query)
                self.reply({name: values[0] for name, values in fields.items()})

            def reply(self, body: dict[str, Any]) -> None:
                path = urlsplit(self.path).path
                service.asked.append((path, dict(self.headers), body))
                time.sleep(service.latency)
                with suppress(OSError):
                    self.reply_at(path, body)

            def reply_at(self, path: str, body: dict[str, Any]) -> None:  # noqa: C901
                if service.key and self.headers.get("Authorization") != f"Bearer {service.key}":
                    self.send(401, "application/json", b'{"detail": "who are you?"}')
                elif path == "/hang":
                    time.sleep(60)
                elif path == "/moved":
                    self.send(307, "text/plain", b"", location="/ask")
                elif path == "/elsewhere":
                    self.send(307, "text/plain", b"", location=f"{service.elsewhere}/ask")
                elif path == "/page":
                    self.send(200, "text/html", b"<!doctype html><p>Log in</p>")
                elif path == "/broken":
                    self.send(500, "application/json", b'{"detail": "out of memory"}')
                elif path == "/busy":
                    self.send(429, "application/json", b"{}", retry_after=str(body["wait"]))
                elif path == "/changed":
                    self.send(200, "application/json", b'{"data": {"reply": "1889"}}')
                elif path == "/echo":
                    key = self.headers.get("Authorization")
                    whole = {"answer": key, f"k {key}": [key], "texts": ["d"] * body.get("many", 0)}
                    self.send(200, "application/json", json.dumps(whole).encode())
                elif path == "/raw":
                    self.send(200, body["kind"], body["raw"].encode())
                elif path == "/stream":
                    self.stream(service.answer(body["question"]))
                else:
                    whole = service.answer(body["question"], body.get("documents"))
                    self.send(200, "application/json", json.dumps(whole).encode())

            def stream(self, whole: dict[str, Any]) -> None:
                """The sources first, then the answer word by word."""
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                events: list[Any] = [{"sources": whole["result"]["sources"]}]
                events += [{"delta": f"{word} "} for word in whole["result"]["answer"].split()]
                for event in [*map(json.dumps, events), "[DONE]"]:
                    self.wfile.write(f"data: {event}\r\n\r\n".encode())
                    self.wfile.flush()
                    time.sleep(0.001)
                # As some do, it keeps the connection until the other side lets it go.
                self.connection.settimeout(30)
                try:
                    self.rfile.read(1)
                except TimeoutError:
                    service.kept_waiting = True

            def send(self, status: int, kind: str, body: bytes, **headers: str) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        return Handler
