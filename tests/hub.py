"""A hub of data sets and models on this computer, as the hub's own library expects it, and a host of plain files
beside it.

    with Hub({"owner/name": Repo({"train.csv": b"question,response\\nq,a\\n"})}) as hub:
        os.environ["HF_ENDPOINT"] = hub.address

`writers` are the owners by their tokens, and `pushed` what they put into which data set. Files are sent by way of a redirect to `/cdn/`, as the hub does. `pages` are files by their paths.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from tests.served import Answering, Served

REVISION = "5f0a" * 10
PIECE = 2**16
ENDLESS = 64 * 2**20
"""Bytes of an answer that nobody should read to its end."""
FAULTS = (
    "401",
    "403",
    "404",
    "429",
    "500",
    "elsewhere",
    "html",
    "no id",
    "hang",
    "cut",
    "drip",
    "unannounced",
    "endless",
    "endless 500",
)


class Repo(NamedTuple):
    """A data set, or a model: its files, what the head of its card says, and whether it asks for conditions."""

    files: Mapping[str, bytes]
    card: Mapping[str, Any] = {}
    gated: str | bool = False


class Asked(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]


class _Handler(Answering, BaseHTTPRequestHandler):
    served: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        size = int(self.headers["content-length"])
        self.served.large[self.path.removeprefix("/large/")] = self.rfile.read(size)
        self.send(200)

    def do_POST(self) -> None:
        """What is written: as the hub's library does it, large and binary files apart."""
        path = unquote(urlsplit(self.path).path)
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        self.served.asked.append(Asked(path, dict(self.headers)))
        owner = self.served.writers.get(
            self.headers.get("authorization", "").removeprefix("Bearer ")
        )
        fault = self.served.fault(path)
        if path == "/api/validate-yaml":
            self._json(200, {"errors": [], "warnings": []})
        elif fault:
            self.send(int(fault), b'{"error": "told"}')
        elif owner is None:
            self.send(401, b'{"error": "Invalid username or password."}')
        elif path == "/api/repos/create":
            self._create(json.loads(text), owner)
        elif path.endswith("/preupload/main"):
            named = [file["path"] for file in json.loads(text)["files"]]
            self._json(200, {"files": list(map(_how_to_upload, named))})
        elif path.endswith(".git/info/lfs/objects/batch"):
            objects = json.loads(text)["objects"]
            for thing in objects:
                upload = {"href": f"{self.served.address}/large/{thing['oid']}"}
                thing["actions"] = {"upload": upload}
            self._json(200, {"transfer": "basic", "objects": objects})
        else:
            self._commit(path.split("/")[3:5], [json.loads(line) for line in text.splitlines()])

    def _commit(self, name: list[str], lines: list[dict[str, Any]]) -> None:
        data_set = "/".join(name)
        pushed = self.served.pushed[data_set]
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                pushed[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                pushed[value["path"]] = self.served.large[value["oid"]]
        address = f"{self.served.address}/datasets/{data_set}/commit/{REVISION}"
        self._json(200, {"commitOid": REVISION, "commitUrl": address, "hookOutput": ""})

    def _create(self, wanted: dict[str, Any], owner: str) -> None:
        name = f"{wanted.get('organization') or owner}/{wanted['name']}"
        if not name.startswith(f"{owner}/"):
            self.send(403, b'{"error": "You have no rights there."}')
        elif name in self.served.pushed:
            self._json(409, {"url": f"{self.served.address}/datasets/{name}"})
        else:
            self.served.pushed[name] = {}
            self.served.private[name] = (
                wanted.get("private") or wanted.get("visibility") == "private"
            )
            self._json(200, {"url": f"{self.served.address}/datasets/{name}"})

    def _json(self, status: int, value: dict[str, Any]) -> None:
        self.send(status, json.dumps(value).encode())

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.served.asked.append(
            Asked(path, {name.lower(): value for name, value in self.headers.items()})
        )
        fault = self.served.fault(path)
        if fault and fault not in FAULTS:
            raise ValueError(f"There is no fault {fault!r}. FAULTS has their names.")
        if fault.isdecimal():
            self.send(int(fault), b'{"error": "told"}')
        elif fault == "no id":
            self._json(200, {"siblings": 3})
        elif fault == "elsewhere":
            self.send(302, location=f"http://localhost:{self.server.server_address[1]}{path}")
        elif fault == "html":
            self.send(200, b"<h1>Welcome</h1>", **{"content-type": "text/html"})
        elif fault == "hang":
            self.served.ends.wait()
        elif fault.startswith("endless"):
            self._stream(
                b'{"description": "' + b"x" * ENDLESS, "unannounced", int(fault[8:] or 200)
            )
        else:
            self._answer(path, fault)

    def _answer(self, path: str, fault: str) -> None:
        if path in self.served.pages:
            self._stream(self.served.pages[path], fault)
        elif info := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)", path):
            self._describe(info[1])
        elif file := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._find(file[1], file[3], file[2] in (REVISION, "main"))
        elif info := re.fullmatch(r"/api/models/([^/]+/[^/]+)/revision/[^/]+", path):
            self._describe(info[1])
        elif file := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._model_file(file[1], file[2], file[3], fault)
        elif file := re.fullmatch(r"/cdn/([^/]+/[^/]+)/(.+)", path):
            self._stream(self.served.repos[file[1]].files[file[2]], fault)
        else:
            self.send(404)

    def _describe(self, name: str) -> None:
        repo = self.served.repos.get(name)
        if name in self.served.pushed:
            repo = Repo(self.served.pushed[name])
        if repo is None:
            told = {"x-error-code": "RepoNotFound"}
            self.send(401, b'{"error": "Invalid username or password."}', **told)
            return
        siblings = [
            {"rfilename": path, "size": len(data)}
            for path, data in {"README.md": b"#", **repo.files}.items()
        ]
        described = {
            "id": name,
            "sha": REVISION,
            "gated": repo.gated,
            "private": self.served.private.get(name, False),
            "siblings": siblings,
        }
        self.send(200, json.dumps(described | {"cardData": dict(repo.card), "tags": []}).encode())

    def _model_file(self, name: str, revision: str, path: str, fault: str) -> None:
        repo = self.served.repos.get(name)
        if repo is None:
            self.send(401, **{"x-error-code": "RepoNotFound"})
        elif repo.gated:
            self.send(403, **{"x-error-code": "GatedRepo"})
        elif revision not in (REVISION, "main"):
            self.send(404, **{"x-error-code": "RevisionNotFound"})
        elif path not in repo.files:
            self.send(404, **{"x-error-code": "EntryNotFound"})
        else:
            data = repo.files[path]
            tag = f'"{hashlib.sha256(data).hexdigest()}"'
            if self.command == "HEAD":
                size = {"content-length": str(len(data))}
                self.send(200, **size, etag=tag, **{"x-repo-commit": REVISION})
            else:
                self._stream(data, fault)

    def _find(self, name: str, path: str, is_known: bool) -> None:
        repo = self.served.repos.get(name, Repo({}))
        if repo.gated:
            self.send(401, **{"x-error-code": "GatedRepo"})
        elif not is_known or path not in repo.files:
            self.send(404, **{"x-error-code": "EntryNotFound"})
        else:
            self.send(302, location=f"{self.served.address}/cdn/{name}/{path}")

    def _stream(self, data: bytes, fault: str, status: int = 200) -> None:
        """The bytes in pieces; with a fault they break off, come slowly, or their number is not
        announced.
        """
        self.send_response(status)
        if fault == "unannounced":
            self.send_header("connection", "close")
            self.close_connection = True
        else:
            self.send_header("content-length", str(len(data)))
        self.end_headers()
        size = 1 if fault == "drip" else PIECE
        sent = data[: len(data) // 2] if fault == "cut" else data
        try:
            for start in range(0, len(sent), size):
                self.wfile.write(sent[start : start + size])
                self.served.sent += size
                time.sleep(0.1 if fault == "drip" else 0)
        except OSError:
            self.close_connection = True
        self.close_connection = self.close_connection or fault == "cut"


class Hub(Served):
    """A server on threads of its own; `asked` holds the requests, `fault` names one of `FAULTS` for
    a path.
    """

    answering = _Handler

    def __init__(
        self,
        repos: Mapping[str, Repo] | None = None,
        pages: Mapping[str, bytes] | None = None,
        fault: Callable[[str], str] = lambda path: "",
    ) -> None:
        self.repos = repos or {}
        self.pages = pages or {}
        self.fault = fault
        self.asked: list[Asked] = []
        self.writers: dict[str, str] = {}
        self.pushed: dict[str, dict[str, bytes]] = {}
        self.private: dict[str, bool] = {}
        self.large: dict[str, bytes] = {}
        self.sent = 0
        super().__init__()

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.path for asked in self.asked]


RAGBENCH_CARD = {
    "license": "cc-by-4.0",
    "configs": [
        {
            "config_name": subset,
            "data_files": [
                {"split": split, "path": f"{subset}/{split}-*"}
                for split in ("train", "validation", "test")
            ],
        }
        for subset in ("covidqa", "hotpotqa")
    ],
}
"""How RAGBench's card names the files of its subsets."""


def ragbench_row(number: int) -> dict[str, Any]:
    """A row in the shape of RAGBench, made up."""
    return {
        "dataset_name": "covidqa",
        "id": str(number),
        "generation_model_name": "gpt-3.5-turbo-0125",
        "question": f"Who keeps lamp {number}?",
        "response": f"Mina keeps lamp {number}.",
        "documents": [f"Lamp {number} is kept by Mina. It is green."],
        "documents_sentences": [
            [["0a", f"Lamp {number} is kept by Mina."], ["0b", "It is green."]]
        ],
        "response_sentences": [["a", f"Mina keeps lamp {number}."]],
        "sentence_support_information": [
            {
                "response_sentence_key": "a",
                "explanation": "As the document says.",
                "supporting_sentence_keys": ["0a"],
                "fully_supported": True,
            }
        ],
        "unsupported_response_sentence_keys": [],
        "all_relevant_sentence_keys": ["0a"],
        "all_utilized_sentence_keys": ["0a"],
    }


def _how_to_upload(path: str) -> dict[str, Any]:
    mode = "lfs" if path.endswith(".parquet") else "regular"
    return {"path": path, "uploadMode": mode, "shouldIgnore": False}
