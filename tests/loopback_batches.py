"""The files and batches of the provider on this computer: answered when a test says so.

    server.batches.finish("expired")

ends all batches that are at work, with some of `FAULTS` or, without one, as they should.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

MET = {"partial": 1, "error file": 2, "no json": 3, "cut off": 4}
"""Faults of one request in ten, by its last digit."""

WITHOUT_ANSWERS = ("no files", "empty file")
"""Faults of a batch that is completed although nothing came of it."""

FAULTS = (*MET, *WITHOUT_ANSWERS, "order", "duplicates", "unknown ids", "expired", "failed")
"""What may be wrong with what comes back."""


class Batches:
    """What was uploaded, and the batches made of it; `answered` counts the answers to each request.

    `complete` makes the body of an answer from the body of a request. A response is held back for
    ever at the `holds`: "upload", "batch", "content", the second one at "batch 2", or "". Whoever
    asks for a batch is refused with the status `refuses`, where there is one: 404 as if it were
    gone, 401 or 403 as with a stranger's key; who makes one with `refuses_new`. What stands in
    `listed` is sent in the place of their list, which Google then has empty. Files for Google are
    to be sent to `uploads_to`, where there is one.
    """

    def __init__(self, complete: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self.files: dict[str, bytes] = {}
        self.made: list[dict[str, Any]] = []
        self.answered: Counter[str] = Counter()
        self.holds = ""
        self._steps: Counter[str] = Counter()
        self.refuses = 0
        self.refuses_new = 0
        self.listed: Any = None
        self.uploads_to = ""
        self.held = threading.Event()
        self._complete = complete

    def respond(self, method: str, path: str, body: bytes) -> tuple[int, Any] | None:
        """Status and body, JSON or bytes; `None` where the response is held back."""
        path, _, query = path.partition("?")
        # Google has its ids with what they are of.
        path = path.replace("/batches/batches/", "/batches/")
        if self.refuses and path.startswith("/batches/"):
            return self.refuses, {"error": {"message": "Not for you.", "code": None}}
        match method, path.strip("/").split("/"):
            case "POST", ["files"]:
                return self._unless_held("upload", self._upload(body))
            case "GET", ["files", file_id, "content"] if file_id in self.files:
                return self._unless_held("content", self.files[file_id])
            case "POST", ["batches"] if self.refuses_new:
                return self.refuses_new, {"error": {"message": "Not now.", "code": None}}
            case "POST", ["batches"]:
                return self._unless_held("batch", self._make(json.loads(body)))
            case "GET", ["batches"]:
                return 200, self._page(query) if self.listed is None else self.listed
            case "GET", ["batches", batch_id] if batch := self._find(batch_id):
                return 200, batch
            case "POST", ["batches", batch_id, "cancel"] if batch := self._find(batch_id):
                batch["status"] = "cancelling"
                return 200, batch
        return 404, {"error": {"message": "No such object.", "code": None}}

    def respond_as_google(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, Any, dict[str, str]] | None:
        """Status, body and headers of Google's own API, beside its door; `None` as in `respond`."""
        path, _, query = path.partition("?")
        step = {name: value for name, value in headers.items() if name.startswith("x-goog-upload")}
        command = step.get("x-goog-upload-command")
        if found := re.fullmatch("/v1beta/batches/(.+):cancel", path):
            batch = self._find(found[1])
            assert batch
            batch["status"] = "cancelling"
            return 200, {}, {}
        if found := re.fullmatch("/download/v1beta/(.+):download", path):
            if found[1] not in self.files:
                refusal = {"code": 403, "message": "You may not, or it is not there."}
                return 403, [{"error": refusal}], {}
            answer = self._unless_held("content", self.files[found[1]])
            return answer and (*answer, {})
        if (method, path) == ("GET", "/v1beta/batches"):
            return 200, self._google_page(query), {}
        assert (method, path) == ("POST", "/upload/v1beta/files")
        if command == "start":
            assert step["x-goog-upload-protocol"] == "resumable"
            name = json.loads(body)["file"]["name"]
            size = step["x-goog-upload-header-content-length"]
            place = f"http://{headers['host']}{path}?upload_id={name}:{size}"
            return 200, {}, {"x-goog-upload-url": self.uploads_to or place}
        assert command == "upload, finalize"
        name, _, size = query.removeprefix("upload_id=").partition(":")
        assert len(body) == int(size)
        self.files[name] = body
        answer = self._unless_held("upload", {"file": {"name": name, "state": "ACTIVE"}})
        return answer and (*answer, {})

    def _google_page(self, query: str) -> dict[str, Any]:
        if self.listed is not None:
            return {}
        page = self._page(query.replace("pageSize", "limit").replace("pageToken", "after"))["data"]
        operations = []
        for batch in page:
            source = {"fileName": batch["input_file_id"]}
            operations.append({"name": batch["id"], "metadata": {"inputConfig": source}})
        more = (
            {"nextPageToken": page[-1]["id"].removeprefix("batches/")} if len(page) == 100 else {}
        )
        return {"operations": operations} | more

    def finish(self, *faults: str) -> None:
        """Ends all batches that are at work; those that are being cancelled half done."""
        assert set(faults) <= set(FAULTS)
        for batch in self.made:
            if batch["status"] == "cancelling":
                self._end(batch, {"cancelled"})
            elif batch["status"] == "in_progress":
                self._end(batch, set(faults))

    def requests(self) -> Iterator[dict[str, Any]]:
        """The requests of all batches, in order."""
        for batch in self.made:
            for line in self.files[batch["input_file_id"]].splitlines():
                yield json.loads(line)

    def _unless_held(self, step: str, response: Any) -> tuple[int, Any] | None:
        self._steps[step] += 1
        if self.holds in (step, f"{step} {self._steps[step]}"):
            self.held.set()
            return None
        return 200, response

    def _upload(self, body: bytes) -> dict[str, Any]:
        mark = body.partition(b"\r\n")[0]
        parts = [part.partition(b"\r\n\r\n") for part in body.split(mark)]
        content = next(text for head, _, text in parts if b"filename=" in head)
        return {"id": self._keep(content.removesuffix(b"\r\n")), "object": "file"}

    def _keep(self, content: bytes) -> str:
        is_google = any(name.startswith("files/") for name in self.files)
        file_id = f"{'files/batch' if is_google else 'file'}-{len(self.files) + 1}"
        self.files[file_id] = content
        return file_id

    def _make(self, wanted: dict[str, Any]) -> dict[str, Any]:
        assert wanted["endpoint"] == "/v1/chat/completions"
        assert wanted["completion_window"] == "24h"
        is_google = wanted["input_file_id"].startswith("files/")
        assert is_google is ("metadata" not in wanted)
        batch = {
            "id": f"{'batches/' if is_google else ''}batch_{len(self.made) + 1}",
            "object": "batch",
            "status": "in_progress",
            "input_file_id": wanted["input_file_id"],
            "metadata": wanted.get("metadata"),
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        self.made.append(batch)
        return batch

    def _find(self, batch_id: str) -> dict[str, Any] | None:
        ids = (batch_id, f"batches/{batch_id}")
        return next((batch for batch in self.made if batch["id"] in ids), None)

    def _page(self, query: str) -> dict[str, Any]:
        options = dict(part.split("=") for part in query.split("&") if part)
        newest_first = self.made[::-1]
        ids = [batch["id"].removeprefix("batches/") for batch in newest_first]
        start = ids.index(options["after"]) + 1 if "after" in options else 0
        page = newest_first[start : start + int(options.get("limit", 20))]
        return {"object": "list", "data": page}

    def _end(self, batch: dict[str, Any], faults: set[str]) -> None:
        if "failed" in faults:
            problem = {"code": "invalid_model", "message": "The model takes no batches."}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [problem]}}
            return
        if faults & {*WITHOUT_ANSWERS}:
            output_file = self._keep(b"") if "empty file" in faults else None
            batch |= {"status": "completed", "output_file_id": output_file}
            return
        lines = self.files[batch["input_file_id"]].splitlines()
        early = "".join(faults & {"expired", "cancelled"})
        half = len(lines) // 2 if early else len(lines)
        requests = [json.loads(line) for line in lines]
        output, errors = self._results(requests[:half], faults)
        for request in requests[half:]:
            errors.append(_line(request, None, {"code": f"batch_{early}", "message": "Over."}))
        batch["status"] = early or "completed"
        batch["request_counts"]["completed"] = len(output)
        # Without a line there is no file.
        batch["output_file_id"] = self._keep(b"".join(output)) if output else None
        batch["error_file_id"] = self._keep(b"".join(errors)) if errors else None

    def _results(
        self, requests: list[dict[str, Any]], faults: set[str]
    ) -> tuple[list[bytes], list[bytes]]:
        output, errors = [], []
        for number, request in enumerate(requests):
            met = {fault for fault in faults if MET.get(fault) == number % 10}
            if "error file" in met:
                refusal = {"error": {"message": "Overloaded.", "code": "server_error"}}
                errors.append(_line(request, {"status_code": 500, "body": refusal}, None))
                continue
            if "partial" in met:
                continue
            self.answered[request["custom_id"]] += 1
            whole = self._complete(request["body"])
            if "cut off" in met:
                whole["choices"][0]["finish_reason"] = "length"
            line = _line(request, {"status_code": 200, "body": whole}, None)
            output.append(b"{broken\n" if "no json" in met else line)
        return _disturbed(output, faults), errors


def _disturbed(output: list[bytes], faults: set[str]) -> list[bytes]:
    if "unknown ids" in faults:
        strange = [line.replace(b'"custom_id": "', b'"custom_id": "no') for line in output[:5]]
        output = [*strange, *output]
    if "duplicates" in faults:
        output = [*output, *output[::3]]
    return output[::-1] if "order" in faults else output


def _line(request: dict[str, Any], response: Any, error: Any) -> bytes:
    line = {"id": "req", "custom_id": request["custom_id"], "response": response, "error": error}
    return json.dumps(line).encode() + b"\n"
