"""The nouns of Plumbline: frozen records that every layer passes on and none of them changes."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Accepted = str | tuple[str | tuple[str, ...], ...]
"""Accepted answers: one string; several (all required); or groups of spellings (each group required, any spelling)."""


class Record(BaseModel):
    """A value: immutable, without unknown fields, never NaN or infinite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Ability(StrEnum):
    """The four abilities that RGB tests (Chen et al., AAAI 2024)."""

    NOISE = "noise_robustness"
    REJECTION = "negative_rejection"
    INTEGRATION = "information_integration"
    COUNTERFACTUAL = "counterfactual_robustness"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ").capitalize()


class Support(StrEnum):
    """How far the documents carry one response sentence."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


class Sentence(Record):
    """A sentence with its key: `0a`, `1b` in documents, `a`, `b` in the response."""

    key: str
    text: str


class Sentences(Record):
    """The documents and the response of one sample, cut into keyed sentences."""

    documents: tuple[tuple[Sentence, ...], ...]
    response: tuple[Sentence, ...]

    @property
    def document_keys(self) -> tuple[str, ...]:
        return tuple(sentence.key for document in self.documents for sentence in document)


class SentenceSupport(Record):
    """What carries one response sentence: its supporting document keys and how far they carry it."""

    key: str
    support: Support
    supporting_keys: tuple[str, ...] = ()
    explanation: str = ""


class Labels(Record):
    """Sentence labels of one sample; every labeller (heuristic, judge, gold, person) produces these.

    `relevant_keys` and `utilized_keys` name document sentences. Published labels are kept as published,
    with repeated or unknown keys; `dropped_keys` counts keys that a judge invented and that were removed.
    """

    relevant_keys: tuple[str, ...] = ()
    utilized_keys: tuple[str, ...] = ()
    sentence_support: tuple[SentenceSupport, ...] = ()
    dropped_keys: int = 0


class RGBTask(Record):
    """What one RGB prompt tests, and the noise it was asked for and really holds (shares from 0 to 1)."""

    ability: Ability
    noise: float | None = Field(None, ge=0, le=1)
    effective_noise: float | None = Field(None, ge=0, le=1)
    counterfactual: Accepted | None = None


class Sample(Record):
    """One question with its documents, the answer to judge (if there is one yet) and what is known to be true."""

    id: str
    question: str
    response: str | None = None
    retrieved_documents: tuple[str, ...] = ()
    ground_truth: Accepted | None = None
    rgb: RGBTask | None = None
    situation: str = ""
    sentences: Sentences | None = None
    labels: Labels | None = None


class Dataset(Record):
    """Samples under a name; the fingerprint tells whether two data sets are the same."""

    name: str
    samples: tuple[Sample, ...]

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the samples in order, 64 hex digits; the name does not count."""
        digest = hashlib.sha256()
        for sample in self.samples:
            digest.update(sample.model_dump_json().encode())
            digest.update(b"\n")
        return digest.hexdigest()


class Score(Record):
    """What an evaluator says of one sample: a value, or `None` where it does not apply, with the reason."""

    values: dict[str, float | None]
    reason: str = ""
    details: dict[str, Any] = Field(default_factory=dict)


class Usage(Record):
    """Tokens that one sample cost; 0 for the offline reader."""

    prompt_tokens: int = 0
    answer_tokens: int = 0


class Completion(Record):
    """What a generator answered."""

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage()
    cached: bool = False


class EvaluatorSpec(Record):
    """An evaluator by name, with the parameters it ran with."""

    name: str
    params: dict[str, Any] = Field(default_factory=dict)


class GeneratorSpec(Record):
    """A generator by model id, with the prompt template it was given."""

    model: str
    prompt: str

    @property
    def prompt_hash(self) -> str:
        """The first 12 hex digits of the template's SHA-256: runs compare only where it is equal."""
        return hashlib.sha256(self.prompt.encode()).hexdigest()[:12]


class Run(Record):
    """Everything that makes a run reproducible."""

    id: str
    workspace: str
    created: str
    title: str
    dataset_name: str
    fingerprint: str
    evaluator: EvaluatorSpec
    generator: GeneratorSpec | None = None
    seed: int | None = None


class SampleResult(Record):
    """The outcome for one sample: scored (a score) or failed (an error that names the remedy)."""

    position: int
    status: Literal["scored", "failed"]
    score: Score | None = None
    response: str | None = None
    error: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
