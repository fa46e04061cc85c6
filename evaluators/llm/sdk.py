"""The SDKs of Groq and OpenAI, reduced to what is used: one request out, one whole body back.

What they would do besides is done elsewhere: retries and limits in the layers, reading in
`transport`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from threading import Lock
from typing import Any

from evaluators.llm import Access
from evaluators.llm.providers import PROVIDERS
from evaluators.llm.transport import PackedError, TooBigError, Transport

NO_HEADERS: Mapping[str, str] = {}

_importing = Lock()


class Sdk:
    """The client of a provider's SDK with this key; imports it, which takes a second at first.

    groq and openai are made by one generator, so that the names are the same in both. A response is
    asked for as it came: their own `create` and `list` walk through every value of request and
    answer, for a third of the time.
    """

    problems: tuple[type[Exception], ...]
    """Whatever may be raised instead of an answer."""

    refusal: type[Exception]
    """Among them, an answer with a status that is an error."""

    def __init__(self, access: Access) -> None:
        provider = PROVIDERS[access.provider]
        is_groq = provider.sdk == "groq"
        with _importing:  # one thread must not find what another has imported by half
            # The SDK of OpenAI looks at each call whether httpx is loaded, and breaks where that of
            # Groq has it by half.
            import_module("httpx")
            api = import_module(provider.sdk)
            http = import_module("httpx" if is_groq else "httpx2")
        client_class = api.AsyncGroq if is_groq else api.AsyncOpenAI
        # An empty key is an error for the SDKs, but a local server needs none.
        key = access.key.get_secret_value() or "none"
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {key}",
            "User-Agent": f"{client_class.__name__}/Python {api.__version__}",
        }
        self._client = client_class(
            api_key=key,
            base_url=access.base_url,
            # The layers try again: a retry of the SDK would wait twice, and go past limits and cap.
            max_retries=0,
            http_client=api.DefaultAsyncHttpxClient(
                transport=Transport(http, headers, provider.models_headers.keys()),
                trust_env=False,
                follow_redirects=False,
            ),
        )
        self._address = access.base_url.rstrip("/") + provider.path
        self._models_path = provider.models_path
        self._models_headers = {
            name: value.format(key) for name, value in provider.models_headers.items()
        }
        self._response = http.Response
        self.refusal = api.APIStatusError
        self.problems = (api.APIError, TooBigError, PackedError, TimeoutError, ValueError)

    async def create(self, body: Any, path: str = "/chat/completions") -> Any:
        """A chat completion, or what else is answered at once."""
        return await self.post(path, body)

    async def models(self) -> Any:
        return await self.get(self._models_path, self._models_headers)

    async def get(self, path: str, headers: Mapping[str, str] = NO_HEADERS) -> Any:
        """What lies at a path behind the address, or at an address beside it.

        The headers take the place of a bearer key.
        """
        options = {"headers": headers}
        return await self._client.get(self._url(path), cast_to=self._response, options=options)

    async def post(
        self,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] = NO_HEADERS,
        **more: Any,
    ) -> Any:
        """What comes back for a body, or for the bytes of `content`."""
        return await self._client.post(
            self._url(path),
            body=body,
            cast_to=self._response,
            options={"headers": headers},
            **more,
        )

    async def upload(self, name: str, content: bytes) -> Any:
        """A file for a batch, by a name and its content."""
        return await self.post(
            "/files",
            {"purpose": "batch"},
            {"Content-Type": "multipart/form-data"},
            files=[("file", (name, content, "application/jsonl"))],
        )

    async def close(self) -> None:
        await self._client.close()

    def _url(self, path: str) -> str:
        return f"{self._address}{path}" if path.startswith("/") else path
