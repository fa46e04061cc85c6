"""Batches of Google, whose door for OpenAI's API takes and shows them but has no files.

Files, the list of batches and the cancelling are those of Google's own API beside that door. From
ai.google.dev/gemini-api/docs/openai ("upload and download is currently not supported"), api/files
and api/batch-api; nothing was tried with a key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from evaluators.llm.batches import FILE_SECONDS, MARK, PAGE, Batches, BatchFile, BatchState, id_of
from evaluators.llm.provider_errors import unusable_response

_LINES = "application/jsonl"
_ADDRESS = re.compile("[!-~]{1,4000}")
MOST_TOKEN = 2000
"""Characters of what leads to the next page of a list."""


class GoogleBatches(Batches):
    """A batch carries no mark of its own here: it is found by its file, of which that is the name.

    A file that is gone is refused as one of others.
    """

    gone = (403, 404)

    async def upload(self, file: BatchFile, mark: str) -> str:
        """The name of the file at Google; nothing in it is asked yet."""
        url = f"{self._api('upload')}/files"
        head = {"Header-Content-Length": str(len(file.content)), "Header-Content-Type": _LINES}
        begin = self._headers({"Protocol": "resumable", "Command": "start"} | head)
        body = {"file": {"name": f"files/{mark}", "displayName": f"{MARK}-{mark}"}}
        call = self._call(0.0)
        begun = await self._connection.ask(lambda sdk: sdk.post(url, body, headers=begin), call)
        # The key and the file go nowhere else.
        place = begun.headers.get("x-goog-upload-url", "")
        if not (place.startswith(f"{url}?") and _ADDRESS.fullmatch(place)):
            raise unusable_response(begun, call)
        end = self._headers({"Command": "upload, finalize", "Offset": "0"})
        end["Content-Type"] = _LINES
        return await self._ask(
            lambda sdk: sdk.post(place, content=file.content, headers=end),
            lambda body: id_of(_field(body, "file"), "name"),
            FILE_SECONDS,
        )

    async def cancel(self, batch_id: str) -> BatchState:
        """Has Google stop; what is answered by then is kept and paid for."""
        url = f"{self._api()}/batches/{batch_id.removeprefix('batches/')}:cancel"
        await self._ask(lambda sdk: sdk.post(url, {}, headers=self._headers()), bool)
        return BatchState(id=batch_id, is_cancelled=True)

    def _order(self, file_id: str, mark: str) -> dict[str, Any]:
        order = super()._order(file_id, mark)
        del order["metadata"]
        return order

    def _place(self, file_id: str) -> tuple[str, Mapping[str, str]]:
        name = quote(file_id.removeprefix("files/"), safe="")
        return f"{self._api('download')}/files/{name}:download?alt=media", self._headers()

    async def _find_on_page(self, mark: str, after: str) -> tuple[BatchState | None, str]:
        url = f"{self._api()}/batches?pageSize={PAGE}" + (f"&pageToken={after}" if after else "")

        def read(body: Any) -> tuple[str, str]:
            # Of an empty list nothing is said.
            batches = _field(body, "operations") or []
            token = str(_field(body, "nextPageToken") or "")
            if not isinstance(batches, list) or len(token) > MOST_TOKEN:
                raise ValueError("It is no list of batches.")
            for batch in batches:
                source = _field(_field(batch, "metadata"), "inputConfig")
                if _field(source, "fileName") == f"files/{mark}":
                    return id_of(batch, "name"), ""
            return "", quote(token, safe="")

        name, more = await self._ask(lambda sdk: sdk.get(url, self._headers()), read)
        return (await self.look(name) if name else None), more

    def _api(self, service: str = "") -> str:
        """The address of Google's own API; files go up and down at services of their own."""
        scheme, host, path, *_ = urlsplit(self._access.base_url.rstrip("/"))
        root, _, version = path.removesuffix("/openai").rpartition("/")
        parts = (f"{scheme}://{host}{root}", service, version)
        return "/".join(filter(None, parts))

    def _headers(self, upload: Mapping[str, str] | None = None) -> dict[str, str]:
        steps = {f"X-Goog-Upload-{name}": value for name, value in (upload or {}).items()}
        # It takes a bearer for a token of OAuth.
        return {"X-Goog-Api-Key": self._access.key.get_secret_value()} | steps


def _field(body: Any, name: str) -> Any:
    return body.get(name) if isinstance(body, dict) else None
