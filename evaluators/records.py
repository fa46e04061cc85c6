"""The nouns of Plumbline: frozen records that every layer passes on and none of them changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from evaluators.abilities import Ability as Ability
from evaluators.messages import Text

Accepted = str | tuple[str | tuple[str, ...], ...]
"""Accepted answers: one string, several (all required), or groups of spellings.

Of groups each is required, in any of its spellings.
"""


Name = Annotated[str, StringConstraints(max_length=2_000)]
"""What tells a sample, a group or a system from others: pages show all of them, whole."""


class Record(BaseModel):
    """A value: immutable, without unknown fields, never NaN or infinite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DocumentRole(StrEnum):
    """What a document is for in an RGB prompt."""

    ANSWER = "holds_answer"
    BESIDE = "beside_point"
    PLANTED = "planted_error"


class Support(StrEnum):
    """How far the documents carry one response sentence."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


class Fault(StrEnum):
    """What is wrong with a response sentence that is not fully supported."""

    CONTRADICTS = "contradicts"
    ADDS = "adds"
    WRONG_DETAIL = "wrong_number_or_name"
    ELSEWHERE = "true_elsewhere"
    UNKNOWN = "unknown"

    @classmethod
    def _missing_(cls, value: object) -> Fault:  # any other word, in answers and in files
        return cls.UNKNOWN


class Sentence(Record):
    """A sentence with its key: `0a`, `1b` in documents, `a`, `b` in the response."""

    key: str
    text: str


class Sentences(Record):
    """The documents and the response of one sample, cut into keyed sentences.

    The last `turns` of the documents are earlier turns of a conversation: they carry claims, but
    nobody retrieved them, so that they do not count in what is said of the documents.
    """

    documents: tuple[tuple[Sentence, ...], ...]
    response: tuple[Sentence, ...]
    turns: int = Field(0, ge=0, exclude_if=lambda turns: not turns)

    @cached_property
    def document_keys(self) -> tuple[str, ...]:
        return tuple(sentence.key for document in self.documents for sentence in document)

    @cached_property
    def retrieved_keys(self) -> tuple[str, ...]:
        retrieved = self.documents[: len(self.documents) - self.turns]
        return tuple(sentence.key for document in retrieved for sentence in document)


class SentenceSupport(Record):
    """What carries one response sentence: supporting document keys, and how far they do.

    `kind` is what is wrong with one that they do not fully carry; no label and value goes by it.
    """

    key: str
    support: Support
    supporting_keys: tuple[str, ...] = ()
    explanation: Text = ""
    kind: Fault = Field(Fault.UNKNOWN, exclude_if=lambda kind: kind is Fault.UNKNOWN)


class ExpectedShares(Record):
    """What a labeller that only knows how likely its labels are expects of the shares, 0 to 1.

    `utilized` is of all document sentences; `utilized_of_relevant` and `completeness` are of the
    relevant ones.
    """

    utilized: float
    utilized_of_relevant: float
    completeness: float


class Probabilities(Record):
    """How likely a labeller holds its labels to be, 0 to 1, by the keys of the sentences.

    A document sentence is relevant, and used; a response sentence is fully supported.
    """

    relevant: dict[str, float] = {}
    utilized: dict[str, float] = {}
    supported: dict[str, float] = {}


class Labels(Record):
    """Sentence labels of one sample, as every labeller (heuristic, judge, gold, person) gives them.

    `relevant_keys` and `utilized_keys` name document sentences. Published labels are kept as
    published, with repeated or unknown keys; `dropped_keys` counts keys that a judge invented and
    that were removed. Where there are `expected` shares, they count in place of what the keys would
    give. `relevance_unknown` says that nothing was found relevant by a labeller that only compares
    words: whether the answer is complete is then not known. Of a labeller that judges the response
    alone `of_support_alone` says that nothing is known of document sentences.
    """

    relevant_keys: tuple[str, ...] = ()
    utilized_keys: tuple[str, ...] = ()
    sentence_support: tuple[SentenceSupport, ...] = ()
    dropped_keys: int = 0
    expected: ExpectedShares | None = None
    relevance_unknown: bool = False
    of_support_alone: bool = Field(False, exclude_if=lambda own: not own)
    probabilities: Probabilities | None = Field(None, exclude_if=lambda own: own is None)
    """Of a labeller that gives them, as it gave them, whatever a person changed since."""


class RGBTask(Record):
    """What one RGB prompt tests, with the noise it was to hold and really holds (0 to 1)."""

    ability: Ability
    noise: float | None = Field(default=None, ge=0, le=1)
    effective_noise: float | None = Field(default=None, ge=0, le=1)
    counterfactual: Accepted | None = None


class Nugget(Record):
    """A fact of a true answer; one that is not vital is good to have, and may be missing."""

    text: str
    vital: bool = Field(True, exclude_if=lambda vital: vital)


class Sample(Record):
    """One question with its documents, the answer to judge, and what is known to be true.

    `generator` names the model that answered, where the data tells; `labels` are published (gold)
    labels; `gold_documents` are the contexts that a retriever should have found; `sources` say
    where each of the `retrieved_documents` was taken from, and `roles` what it is for in an RGB
    prompt, where that is known. `nuggets` are the facts of the true answer, where these are not its
    sentences. Of a turn `conversation` names those that it belongs with, and `earlier_turns` are
    what was said before it; `scores` are what others said of it where it was made, by name. A run
    that asks everything several times has the sample as often, `repeat` counts them from 1.
    """

    id: Name
    question: str
    response: str | None = None
    retrieved_documents: tuple[str, ...] = ()
    ground_truth: Accepted | None = None
    rgb: RGBTask | None = None
    situation: Name = ""
    generator: Name = ""
    sentences: Sentences | None = None
    labels: Labels | None = None
    gold_documents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    roles: tuple[DocumentRole, ...] = ()
    repeat: int = Field(default=1, ge=1)
    conversation: Name = ""
    earlier_turns: tuple[str, ...] = ()
    scores: dict[Name, float | str] = {}
    nuggets: tuple[Nugget, ...] = ()

    @property
    def evidence(self) -> tuple[str, ...]:
        """What the answer may rest on: what was retrieved, and what was said before."""
        return self.retrieved_documents + self.earlier_turns


_LATER_FIELDS = (
    "gold_documents", "sources", "roles", "conversation", "earlier_turns", "scores", "nuggets",
)  # fmt: skip

REPEATED = "*"
"""What stands between the fingerprint of samples that are asked once and that of all repeats."""


def with_documents(sample: Sample, documents: tuple[str, ...] | None) -> Sample:
    """The sample with what a system retrieved for it; `None` where it got those of the sample."""
    if documents is None:
        return sample
    # What is known of the sample's own documents is not known of these.
    unknown = {"sources": (), "roles": (), "sentences": None, "labels": None}
    return sample.model_copy(update={"retrieved_documents": documents, **unknown})


class Dataset(Record):
    """Samples under a name; the fingerprint tells whether two data sets are the same.

    `origin` says how the samples were made from their source, where they were made from one.
    """

    name: str
    samples: tuple[Sample, ...]
    origin: dict[str, Any] = Field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the samples in order, 64 hex digits.

        All of a sample counts, name and origin of the data set do not. Samples are stored once for
        each fingerprint: what it left out, one visitor could see of another. Where samples are
        repeated, that of the samples without their repeats comes first.
        """
        return fingerprint_of(self.samples)

    @property
    def repeats(self) -> int:
        """How many times each sample is there."""
        return max((sample.repeat for sample in self.samples), default=1)

    def repeated(self, times: int) -> Dataset:
        """The same with each sample so many times, its repeats one after the other."""
        samples = []
        for sample in self.samples:
            # Repeats that are there already are not repeated themselves.
            if sample.repeat > 1:
                continue
            samples.append(sample)
            for repeat in range(2, times + 1):
                samples.append(repeated(sample, repeat))
        return self.model_copy(update={"samples": tuple(samples)})


def repeated(sample: Sample, repeat: int) -> Sample:
    """The same sample, asked about once more."""
    return sample.model_copy(update={"repeat": repeat})


def fingerprint_of(samples: Iterable[Sample]) -> str:
    """See `Dataset.fingerprint`; of samples that need not be in memory together."""
    whole, without_repeats = hashlib.sha256(), hashlib.sha256()
    for sample in samples:
        # Samples are the same whether or not these fields were known when they were stored.
        empty = {name for name in _LATER_FIELDS if not getattr(sample, name)}
        if sample.repeat == 1:
            empty.add("repeat")
        line = sample.model_dump_json(exclude=empty).encode() + b"\n"
        whole.update(line)
        if sample.repeat == 1:
            without_repeats.update(line)
    if whole.digest() == without_repeats.digest():
        return whole.hexdigest()
    return f"{without_repeats.hexdigest()}{REPEATED}{whole.hexdigest()}"


class Judgement(Record):
    """What a judge said beside its labels, and how it was asked.

    `outputs` are its raw answers in order, one for each window and one more where it was asked
    again; `mode` is how JSON was asked for; `template` is the hash of the prompt file; `warnings`
    name patterns in the material that look like instructions to the judge.
    """

    relevance_explanation: str = ""
    overall_supported: bool
    overall_supported_explanation: str = ""
    outputs: tuple[str, ...] = ()
    mode: str = ""
    repaired: bool = False
    asked_again: bool = False
    template: str = ""
    warnings: tuple[Text, ...] = ()


class Labelling(Record):
    """One labeller's labels of one sample; `judgement` is there where an LLM gave them."""

    by: str
    labels: Labels
    judgement: Judgement | None = None


@dataclass(frozen=True)
class Verdict:
    """A yes or no with the rule that decided and the words of the answer that it decided on."""

    passed: bool
    rule: Text
    evidence: tuple[str, ...] = ()


class JudgedRate(Record):
    """Whether a judge says yes, beside the rules of RGB, and in which words."""

    passed: bool
    words: Text
    probability: float | None = Field(None, ge=0, le=1, exclude_if=lambda own: own is None)
    """How likely a yes is, by a decision model."""


class ResultFacets(Record):
    """What lists and charts show of a result beside its values, without reading all of it.

    `by` names who gave the labels that count; `flips` are the options that changed a verdict;
    `by_rules` and `is_empty` are those of `RuleEvidence`.
    """

    by: str = ""
    flips: tuple[str, ...] = ()
    by_rules: dict[str, dict[str, float | None]] = {}
    is_empty: bool = False


class LabelEvidence(Record):
    """What TRACE values were counted from: the labelling that counts first, then all others.

    `sentences` are kept where they are not the sample's own.
    """

    labellings: tuple[Labelling, ...] = Field(min_length=1)
    sentences: Sentences | None = None

    @property
    def counted(self) -> Labelling:
        return self.labellings[0]

    @property
    def facets(self) -> ResultFacets:
        return ResultFacets(by=self.counted.by)


class RuleEvidence(Record):
    """What the values of RGB were decided by, each under the name of the rate that it enters.

    `judged` stands beside the verdicts where a judge was asked; `flips` are the options, such as
    `nfkc`, without which a verdict would be another. `by_rules` are the values that differ between
    the sets of rules, under the name of each set; `is_empty` where the answer says nothing.
    """

    verdicts: dict[str, Verdict]
    judged: dict[str, JudgedRate] = {}
    flips: tuple[str, ...] = ()
    by_rules: dict[str, dict[str, float | None]] = {}
    is_empty: bool = False

    @property
    def facets(self) -> ResultFacets:
        return ResultFacets(flips=self.flips, by_rules=self.by_rules, is_empty=self.is_empty)


class JudgeEvidence(Record):
    """What a judge said of a sample: its reason, its raw answers, and how JSON was asked for."""

    reason: str = ""
    outputs: tuple[str, ...] = Field(min_length=1)
    mode: str = ""
    probability: float | None = Field(None, ge=0, le=1, exclude_if=lambda own: own is None)
    """How likely a yes is, by a decision model."""

    @property
    def facets(self) -> ResultFacets:
        return ResultFacets()


class Score(Record):
    """What an evaluator says of one sample: a value, or `None` where it does not apply.

    `reason` says why a value is `None`. `evidence` is what the pages, charts and exports read;
    `details` is whatever else a metric wants to show.
    """

    values: dict[str, float | None]
    reason: Text = ""
    # From left to right: each kind needs a field that no other has, and this is read the fastest.
    evidence: LabelEvidence | RuleEvidence | JudgeEvidence | None = Field(
        default=None, union_mode="left_to_right"
    )
    details: dict[str, Any] = Field(default_factory=dict)

    @property
    def facets(self) -> ResultFacets:
        return self.evidence.facets if self.evidence else ResultFacets()


class Usage(Record):
    """Tokens that were paid for; 0 for the offline reader and for answers from the cache."""

    prompt_tokens: int = 0
    answer_tokens: int = 0


class Completion(Record):
    """What a model answered.

    `note` says what of the request the provider would not accept and was left out. `mode` is how a
    JSON schema was asked for: strict, schema, object or none; empty where none was. `documents` are
    what a system retrieved for its answer; `None` of a model, which retrieves nothing.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage()
    cached: bool = False
    served_model: str = ""
    note: Text = ""
    mode: str = ""
    documents: tuple[str, ...] | None = Field(None, exclude_if=lambda documents: documents is None)


class SystemSpec(Record):
    """How a RAG system of a person's own is asked, without anything secret.

    A function of Python goes by its name, `module:function`. Over HTTP there are the method, the
    body as a template of JSON, and where in the reply the answer and the documents stand (see
    `llm.replies`); `headers` are the names alone. One that `takes_documents` answers from those of
    the sample. Answers of other runs serve again where it has a `cache`; `at_once` questions go
    side by side.
    """

    function: str = ""
    method: Literal["POST", "PUT", "GET"] = "POST"
    body: str = ""
    answer: str = ""
    documents: str = ""
    headers: tuple[str, ...] = ()
    takes_documents: bool = False
    cache: bool = False
    at_once: int = Field(4, ge=1, le=64)


SYSTEM, OWN_JUDGE = "system", "own"
"""What stands in the place of a provider for RAG systems and judges of a person's own."""


class ModelSpec(Record):
    """A model and how it is asked: everything that can change its answer, and no key.

    `base_url` is empty for a provider's own address; `temperature` None and `effort` "" leave the
    choice to the model; `answer_tokens` is the most it may write, hidden reasoning included.
    `system` is there where it is no model but a RAG system of a person's own.
    """

    provider: str
    model: str
    base_url: str = ""
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    answer_tokens: int = Field(default=1024, ge=16)
    effort: str = ""
    system: SystemSpec | None = Field(None, exclude_if=lambda system: system is None)

    @property
    def id(self) -> str:
        """The name under which the catalogue knows it, e.g. `groq/openai/gpt-oss-20b`."""
        return f"{self.provider}/{self.model}"

    @property
    def is_own(self) -> bool:
        """Whether it is a person's own system or judge, and no provider's model."""
        return self.provider in (SYSTEM, OWN_JUDGE)

    @property
    def retrieves_itself(self) -> bool:
        """Whether it is a system that looks for its documents itself."""
        return self.system is not None and not self.system.takes_documents


class Call(Record):
    """One request that was answered and paid for.

    It is `reusable` where the answer is whole and may serve again.
    """

    key: str
    model: str
    completion: Completion
    cost: float | None = None
    seconds: float = 0.0
    reusable: bool = True


class Cap(Record):
    """What a run may spend before it stops by itself, `cost` in US dollars; `None` for no cap."""

    calls: int | None = Field(default=None, ge=1, le=1_000_000_000)
    cost: float | None = Field(default=None, gt=0, le=1_000_000)


class EvaluatorSpec(Record):
    """An evaluator by name, with the parameters it ran with."""

    name: str
    params: dict[str, Any] = Field(default_factory=dict)


class Run(Record):
    """Everything that makes a run reproducible.

    Every model answers every sample; without models the answers are given. All `evaluators` judge
    the same answers. Several `judges` are a jury. `prompt` is the generators' template; `origin`
    says how the samples were made from their source. Each sample is there `repeats` times, one
    after the other, and asked about anew each time. `title`, `note` and `tags` are a person's to
    change; nobody gave a title that `is_title_suggested`. `again_of` is the id of the run that this
    one does once more. `overnight` has its models answer by tomorrow, for less money. `options`
    holds the settings that have no field here (see `runs.run_options`).
    """

    id: str
    workspace: str
    created: str
    title: str
    dataset_name: str
    fingerprint: str
    evaluators: tuple[EvaluatorSpec, ...] = Field(min_length=1)
    origin: dict[str, Any] = Field(default_factory=dict)
    models: tuple[ModelSpec, ...] = ()
    prompt: str = ""
    judges: tuple[ModelSpec, ...] = ()
    seed: int | None = None
    cap: Cap = Cap()
    use_cache: bool = True
    overnight: bool = False
    again_of: str = ""
    is_title_suggested: bool = False
    note: str = ""
    tags: tuple[str, ...] = ()
    repeats: int = Field(default=1, ge=1)
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def data_fingerprint(self) -> str:
        """That of the samples without their repeats: runs over the same data have the same."""
        return self.fingerprint.partition(REPEATED)[0]

    def repeat_of(self, position: int) -> int:
        """Which repeat of its sample stands at this position, from 1."""
        return position % self.repeats + 1

    @property
    def evaluator(self) -> EvaluatorSpec:
        """The first evaluator: the one that leads the run."""
        return self.evaluators[0]

    @property
    def judge(self) -> ModelSpec | None:
        """The first judge, for evaluators that ask only one."""
        return self.judges[0] if self.judges else None

    @property
    def prompt_hash(self) -> str:
        """The first 12 hex digits of the template's SHA-256; only equal ones can be compared."""
        return prompt_hash(self.prompt)


ReasonKind = Literal[
    "",  # of a version that kept none
    "unexpected",  # not ours: a bug, or a library's
    "own_code",  # raised in a file of a person's own
    "data",
    "prompt",
    "parameter",
    "input",  # the sample lacks something
    "access",  # no key, a refused one, no rights, no credit
    "address",  # nothing useful answers at the base URL
    "host",  # a public host allows no more for now
    "elsewhere",  # another process works on the run
    "store",
    "worker",
    "row",  # one row of the store cannot be read
    "model",  # no usable answer
    "unreadable",  # an answer, but not in the form that was asked for
    "outage",  # no answer now; perhaps in a moment
    "limits",  # the provider asks to wait
    "unreachable",
    "cap",
    "unwatched",  # on a public host nobody looked at the run
    "batch",  # it waits for a provider that answers by tomorrow, or one that took no batch
]
"""Why a run stopped or a result failed: code decides by this, never by the words of a message."""

RemedyCode = Literal[
    "enter_key",
    "enter_address",
    "restore_address",
    "check_key",
    "reenter_key",
    "check_address",
    "correct_address",
    "check_network",
    "raise_cap",
    "name_judge",
    "name_ability",
    "name_system",
    "delete_a_run",
    "delete_upload",
    "save_run",
    "replace_file",
    "name_columns",
    "choose_table",
    "name_encoding",
    "skip_broken",
    "collect",
    "compare_groups",
]
Words = Mapping[RemedyCode, str]
"""How one door (the app, the terminal, Python) words each remedy; `{name}` is what it is about."""


@dataclass(frozen=True)
class Remedy:
    """What a person can do; `name` is what it is about: an environment variable, or a run's id."""

    code: RemedyCode
    name: str = ""

    def worded(self, words: Words) -> str:
        return words[self.code].format(name=self.name)


class Reason(Record):
    """Why a run stopped, or a result failed; the message does not name the `remedy`."""

    kind: ReasonKind = ""
    message: Text
    remedy: Remedy | None = None

    def worded(self, words: Words) -> str:
        """The message with the remedy in the words of one door."""
        return f"{self.message} {self.remedy.worded(words)}" if self.remedy else self.message


class Cell(NamedTuple):
    """One thing to do in a run: a sample, answered by a model, judged by a metric.

    All three by their numbers in the run, from 0.
    """

    position: int
    model: int = 0
    metric: int = 0


class SampleResult(Record):
    """The outcome for one cell: scored (a score) or failed (an error with its kind and remedy).

    `usage` and `cost` (US dollars, `None` where a price is unknown) count what was paid, over
    `calls` answered requests; `cached` counts answers that were there already. `details` is for the
    curious: status, code, request id. `note` says what of the requests the provider would not
    accept. `retrieved_documents` are those that a system found for its response.
    """

    position: int
    model: int = 0
    metric: int = 0
    status: Literal["scored", "failed"]
    score: Score | None = None
    response: str | None = None
    retrieved_documents: tuple[str, ...] | None = Field(
        None, exclude_if=lambda documents: documents is None
    )
    error: Text = ""
    error_kind: ReasonKind = ""
    remedy: Remedy | None = None
    details: str = ""
    usage: Usage = Usage()
    calls: int = 0
    cached: int = 0
    cost: float | None = 0.0
    note: Text = ""
    seconds: float = 0.0

    @property
    def reason(self) -> Reason:
        """Why it failed."""
        return Reason(kind=self.error_kind, message=self.error, remedy=self.remedy)


def prompt_hash(template: str) -> str:
    return hashlib.sha256(template.encode()).hexdigest()[:12]
