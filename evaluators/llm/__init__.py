"""Generators and judges behind one small protocol, and the layers that make paid calls safe.

A call passes, from the outside in: `Cached` (is the answer there already?), `Retried` (is it worth
another try?), `Metered` (may the run spend it, and what did it cost?), `Limited` (does the plan
allow it now?), and `Connection` (one attempt with the SDK). `Cached` is synchronous, for
evaluators, and reads the store on their threads; the others run on one event loop.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

from pydantic import SecretStr

from evaluators.llm.masking import Masker, secrets_in
from evaluators.prompts import Prompt, Question
from evaluators.records import Completion, ModelSpec, Record
from evaluators.text.size import tokens

CACHE_SCHEMA = 1
"""Goes into the key of every stored answer: a greater number would leave all of them unused."""


class LLMClient(Protocol):
    """Whatever answers a prompt: an LLM, a layer around one, or the offline reader.

    A class that derives from it gets the `Prompt` itself; `llm.judges` makes one of any other
    object.
    """

    model: str

    @property
    def prompt_budget(self) -> int | None:
        """How many tokens (see `text.size.tokens`) a prompt may have; `None` for no known limit."""
        # Version 0.1.0 called it `room`: a client that was written for it keeps its limit.
        limit: int | None = getattr(self, "room", None)
        return limit

    def complete(self, prompt: Prompt) -> Completion:
        """Answers the prompt; raises `LLMError` where no usable answer came."""
        ...


class Access(Record):
    """The right to use an endpoint: the key is bound to the address, and neither is ever stored.

    While it lives, its secrets are masked in every log of this process (see `keys.mask`).
    """

    provider: str
    base_url: str
    key: SecretStr
    models: tuple[str, ...] = ()
    """What may be asked there, where its user has named it."""

    def model_post_init(self, context: Any) -> None:
        _living[id(self)] = self

    @cached_property
    def mask(self) -> Masker:
        """Masks the key, and what of the address is secret, in whatever came from there."""
        return Masker(self.key.get_secret_value(), *secrets_in(self.base_url))


_living: WeakValueDictionary[int, Access] = WeakValueDictionary()
"""By identity, as of two equal ones either may go first; an entry keeps none alive."""


def living() -> set[Access]:
    """All accesses of this process, of every visitor; equal ones once. For masking only."""
    accesses = {reference() for reference in _living.valuerefs()}
    # One that has gone since the list was made leaves `None`.
    return {access for access in accesses if access is not None}


Keys = Mapping[str, Access]
"""What a visitor may use, by the provider's name."""


class ModelRequest(Record):
    """One request on its way to a provider's address.

    `schema_text` is the JSON schema that the answer shall follow. `json_mode` is how it is asked
    for (see `json_modes`) after a refusal; empty for the best way that is known. `repeat` tells
    requests apart that send the same again on purpose. `questions` are those to a decision model.
    """

    spec: ModelSpec
    text: str
    base_url: str = ""
    schema_text: str = ""
    json_mode: str = ""
    repeat: int = 1
    questions: tuple[Question, ...] = ()

    @property
    def prompt_tokens(self) -> int:
        """An estimate of what the provider counts before the answer."""
        # Four characters a token, as in `text.size`.
        return tokens_of(self.text, self.questions) + len(self.schema_text) // 4

    @property
    def most_answer_tokens(self) -> int:
        """What an answer may take; a decision model writes nothing."""
        return 0 if self.questions else self.spec.answer_tokens

    @cached_property
    def key(self) -> str:
        """SHA-256 over all that can change the answer, and nothing else.

        So without the key, time-outs and limits: another key gets the same stored answers.
        """
        digest = hashlib.sha256(_model_facts(self.spec, self.base_url))
        # Half characters as they are: replaced, two different prompts would share one answer.
        digest.update(self.text.encode(errors="surrogatepass"))
        if self.schema_text:
            # A byte that no text holds keeps prompt and schema apart.
            digest.update(b"\0" + self.schema_text.encode())
        for question in self.questions:
            digest.update(b"\0\0\0" + question.model_dump_json().encode())
        # The first one has the key that it had before there were repeats: stored answers serve on.
        if self.repeat > 1:
            digest.update(b"\0\0%d" % self.repeat)
        return digest.hexdigest()


def request_for(spec: ModelSpec, prompt: Prompt, base_url: str, repeat: int) -> ModelRequest:
    """What is sent to ask a model at an address a prompt; a system gets what it is filled with."""
    text = prompt.text
    if spec.system:
        documents = prompt.documents if spec.system.takes_documents else ()
        text = json.dumps([prompt.question, *documents], ensure_ascii=False)
    return ModelRequest(
        spec=spec,
        text=text,
        base_url=base_url,
        schema_text=prompt.schema_text,
        repeat=repeat,
        questions=prompt.questions,
    )


def tokens_of(text: str, questions: Sequence[Question] = ()) -> int:
    """An estimate of the tokens of a text and of the questions about it."""
    whole = [text]
    for question in questions:
        whole += [question.name, question.text, *question.options]
    return tokens(" ".join(whole))


@lru_cache
def _model_facts(spec: ModelSpec, base_url: str) -> bytes:
    """What of a request is the same for a whole run."""
    facts = {
        "schema": CACHE_SCHEMA,
        **spec.model_dump(mode="json"),
        "base_url": base_url.rstrip("/").lower(),
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


class ModelReply(NamedTuple):
    """A provider's answer, and what its headers say of the limits (names in lower case)."""

    completion: Completion
    headers: Mapping[str, str]


class Layer(Protocol):
    """A step on the way to the provider; each wraps the next one."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answers the request; raises `LLMError` or one of its kinds."""
        ...
