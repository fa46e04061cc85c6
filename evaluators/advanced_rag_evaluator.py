"""GPT labelling: an LLM labels all sentences of a sample, and the TRACE values follow.

The six fields are those of RAGBench's annotation (Friel et al., arXiv 2407.11005). One call labels
a sample; only one that the judge cannot take at once is labelled in windows of document sentences.
Several judges are a jury.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, model_validator

from evaluators.arguments import Documents
from evaluators.base import evaluator, require
from evaluators.config import config
from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask, schema, unreadable
from evaluators.prompts import Prompt
from evaluators.records import (
    Fault,
    Judgement,
    Labelling,
    Labels,
    Sample,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
    prompt_hash,
)
from evaluators.text.injection import warnings
from evaluators.text.language import mark
from evaluators.text.sentences import cut
from evaluators.text.size import tokens
from evaluators.trace.batch import (
    Case,
    Cases,
    batch_summary,
    entries,
    judged_entry,
    read_cases,
    read_texts,
)
from evaluators.trace.definitions import SENTENCE
from evaluators.trace.jury import counted_labelling, names
from evaluators.trace.labelling import STRICTEST_FIRST, labelled_score, sentences_of
from evaluators.trace.labelling_prompt import (
    PLUMBLINE,
    SPECIAL_KEYS,
    GPTLabelingPromptGenerator,
    labelling_template,
)
from evaluators.trace.method import LabellingMethod
from evaluators.trace.metrics import TRACEScores, trace_scores
from evaluators.trace.sentencizer import DocumentSentencizer
from evaluators.trace.windows import merge_windows, parts_within

__all__ = [
    "AdvancedRAGEvaluator",
    "DocumentSentencizer",
    "GPTLabelingOutput",
    "GPTLabelingPromptGenerator",
    "GPTLabelingScores",
    "SentenceSupportInformation",
]

COUNTS = ("fully_supported_sentences", "partially_supported_sentences", "unsupported_sentences")
_AROUND_KEYS = " .:,;()[]'\"`"
# A judge reads the keys when it is asked again; more would only be noise.
_MOST_LISTED = 20
"""Keys and warnings that are named at most."""


class LabellingCall(NamedTuple):
    """What is labelled in one call, the whole sample or some of its documents, and the prompt."""

    sentences: Sentences
    prompt: Prompt


class SentenceSupportInformation(BaseModel):
    """What a judge says of one response sentence; `get` reads a field, as from a dictionary."""

    model_config = ConfigDict(frozen=True)

    response_sentence_key: str
    explanation: str = ""
    supporting_sentence_keys: tuple[str, ...]
    fully_supported: bool

    def get(self, field: str, default: Any = None) -> Any:
        return getattr(self, field, default)


class GPTLabelingOutput(BaseModel):
    """What a judge answers: the six fields that the prompt asks for.

    Explanations may be missing, and `overall_supported`, which follows from the sentences; the
    labels may not.
    """

    model_config = ConfigDict(frozen=True)

    relevance_explanation: str = ""
    all_relevant_sentence_keys: tuple[str, ...]
    overall_supported_explanation: str = ""
    overall_supported: bool
    sentence_support_information: tuple[SentenceSupportInformation, ...]
    all_utilized_sentence_keys: tuple[str, ...]

    @model_validator(mode="before")
    @classmethod
    def _supported_as_its_sentences_are(cls, answer: Any) -> Any:
        """The documented answer of the complete example does not say it of the whole response."""
        if not isinstance(answer, dict) or "overall_supported" in answer:
            return answer
        supports = answer.get("sentence_support_information")
        if not isinstance(supports, list) or not all(
            isinstance(support, dict) for support in supports
        ):
            return answer  # is refused for that
        verdicts = [support.get("fully_supported") for support in supports]
        return {**answer, "overall_supported": all(verdict is True for verdict in verdicts)}

    def labels(self, sentences: Sentences) -> Labels:
        """The labels as the judge gave them, repeated keys too; unknown keys dropped and counted.

        Of two verdicts on the same response sentence the stricter one counts.
        """
        documents, retrieved = map(frozenset, (sentences.document_keys, sentences.retrieved_keys))
        response = [sentence.key for sentence in sentences.response]
        supports = [
            _as_sentence_support(verdict, documents, frozenset(response))
            for verdict in self.sentence_support_information
        ]
        return Labels(
            relevant_keys=_existing_keys(self.all_relevant_sentence_keys, retrieved),
            utilized_keys=_existing_keys(self.all_utilized_sentence_keys, retrieved),
            sentence_support=_strictest(supports, response),
            dropped_keys=len(self.invented(sentences)),
        )

    def invented(self, sentences: Sentences) -> set[str]:
        """The keys that the judge names and that no sentence has."""
        documents = frozenset(sentences.document_keys)
        response = frozenset(sentence.key for sentence in sentences.response)
        used = [*self.all_relevant_sentence_keys, *self.all_utilized_sentence_keys]
        supporting = [
            key
            for verdict in self.sentence_support_information
            for key in verdict.supporting_sentence_keys
        ]
        invented_documents = {*_read_keys(used, documents)} - documents
        may_support = documents | SPECIAL_KEYS
        invented_documents |= {*_read_keys(supporting, may_support)} - may_support
        return invented_documents | (self._judged_keys(response) - response)

    def missing(self, response: Sequence[Sentence]) -> list[str]:
        """The keys of the response sentences that have no verdict."""
        keys = [sentence.key for sentence in response]
        judged = self._judged_keys(frozenset(keys))
        return [key for key in keys if key not in judged]

    def _judged_keys(self, response: frozenset[str]) -> set[str]:
        named = [verdict.response_sentence_key for verdict in self.sentence_support_information]
        return set(_read_keys(named, response))


class _SupportWithKind(SentenceSupportInformation):
    """What a judge says of one response sentence, and what is wrong with it."""

    # Left out it is dumped nowhere, so that no answer is asked for again for want of it.
    kind: Fault | None = Field(None, exclude_if=lambda kind: kind is None)


class _OutputWithKinds(GPTLabelingOutput):
    """What a judge answers to Plumbline's own prompt."""

    sentence_support_information: tuple[_SupportWithKind, ...]


_OUTPUTS: dict[str, type[GPTLabelingOutput]] = {PLUMBLINE: _OutputWithKinds}
"""What is asked for beside the six fields, by the name of the prompt."""


class GPTLabelingScores(TRACEScores):
    """The TRACE values of one answer, how many sentences are supported, and who labelled what.

    `overall_supported` is the judge's own word on the whole response; of a jury, that of more than
    half.
    """

    overall_supported: bool
    labellings: tuple[Labelling, ...] = ()

    @property
    def gpt_labels(self) -> GPTLabelingOutput:
        """The labels that count, in the six documented fields.

        Keys that no sentence has are left out; of a jury, whose judges each have their own words in
        `labellings`, the explanations are empty.
        """
        judgements = [labelling.judgement for labelling in self.labellings]
        judgement = judgements[0] if len(judgements) == 1 else None
        return GPTLabelingOutput(
            relevance_explanation=judgement.relevance_explanation if judgement else "",
            all_relevant_sentence_keys=self.labels.relevant_keys,
            overall_supported_explanation=(
                judgement.overall_supported_explanation if judgement else ""
            ),
            overall_supported=self.overall_supported,
            sentence_support_information=tuple(
                SentenceSupportInformation(
                    response_sentence_key=sentence.key,
                    explanation=sentence.explanation,
                    supporting_sentence_keys=sentence.supporting_keys,
                    fully_supported=sentence.support is Support.FULL,
                )
                for sentence in self.labels.sentence_support
            ),
            all_utilized_sentence_keys=self.labels.utilized_keys,
        )

    def to_dict(self) -> dict[str, Any]:
        """Values and counts under the documented names."""
        return {
            **self.values(),
            "overall_supported": self.overall_supported,
            "fully_supported_sentences": self.num_fully_supported_sentences,
            "partially_supported_sentences": self.num_partially_supported_sentences,
            "unsupported_sentences": self.num_unsupported_sentences,
        }


@evaluator(
    "gpt_labeling",
    title=mark("TRACE (GPT labelling)"),
    needs=("question", "response", "retrieved_documents"),
    judges="jury",
    evidence="sentences",
)
class AdvancedRAGEvaluator(LabellingMethod):
    """TRACE by an LLM: a judge, or a jury of several, labels all sentences in a call a sample."""

    unused = ("chunking_strategy", "embedding_model")
    """A judge reads whole sentences, and compares their meaning itself."""

    llm_client: SkipValidation[LLMClient | tuple[LLMClient, ...] | None] = None
    """The judge; several are a jury."""

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Documents,
        ground_truth: Any = None,
        definition: str | None = None,
    ) -> GPTLabelingScores:
        """The TRACE values of one answer; the ground truth is not looked at.

        Raises `AccessError` without a judge, `LLMError` where a judge gives no usable answer.
        """
        # An unknown definition is refused before a judge is paid.
        definition = self.formula(definition)
        case = read_texts(question, response, retrieved_documents)
        sentences = cut(case.response, case.retrieved_documents)
        return scores_of(self.label(sentences, case.query), sentences, definition)

    def evaluate_batch(
        self,
        test_cases: Cases,
        definition: str | None = None,
    ) -> dict[str, Any]:
        """The means over all cases and each one's values, in the documented JSON shape.

        A case has `query`, `response` and `retrieved_documents`. One that fails has an `error` in
        place of `metrics` and enters no mean: `num_scored` of `num_samples` do.
        """
        definition = self.formula(definition)
        self._judges()

        def judge(case: Case) -> dict[str, Any]:
            scores = self.evaluate(
                case.query, case.response, case.retrieved_documents, definition=definition
            )
            labels = scores.gpt_labels.model_dump(mode="json")
            return {**judged_entry(scores), "gpt_labels": labels}

        case_entries = entries(read_cases(test_cases), judge, config().workers)
        scored = [entry["metrics"] for entry in case_entries if "metrics" in entry]
        supported = all(values["overall_supported"] for values in scored) if scored else None
        return {
            **batch_summary(case_entries, definition),
            "overall_supported": supported,
            **{name: sum(values[name] for values in scored) for name in COUNTS},
        }

    def label(self, sentences: Sentences, question: str) -> list[Labelling]:
        """Each judge's labels.

        Raises `AccessError` without a judge, `LLMError` where one gives no usable answer.
        """
        return [
            self._labelling(judge, by, sentences, question) for by, judge in self._judges().items()
        ]

    @property
    def template(self) -> str:
        """What its prompts are made from."""
        return labelling_template(self.prompt, self.examples)

    def prompts(
        self,
        sentences: Sentences,
        question: str,
        prompt_budget: int | None = None,
    ) -> list[Prompt]:
        """The exact prompts for one sample.

        One, or one for each window where it takes more tokens than `prompt_budget`.
        """
        return [call.prompt for call in self._calls(sentences, question, prompt_budget)]

    def judge_prompts(
        self,
        sample: Sample,
        prompt_budget: int | None = None,
    ) -> list[Prompt]:
        """What each judge is asked, with the schema of its answer."""
        require(self.needs, sample, self.title)
        shape = {"schema_text": schema(_OUTPUTS.get(self.prompt, GPTLabelingOutput))}
        prompts = self.prompts(sentences_of(sample), sample.question, prompt_budget)
        return [prompt.model_copy(update=shape) for prompt in prompts]

    def calls_for(self, sample: Sample, prompt_budgets: Iterable[int | None]) -> int:
        """How many calls it takes judges of these budgets to label the sample, if all goes well."""
        sentences = sentences_of(sample)
        return sum(
            len(self.prompts(sentences, sample.question, budget)) for budget in prompt_budgets
        )

    def score(self, sample: Sample) -> Score:
        """Judges the sample on its published sentences, or else on its text cut into sentences."""
        require(self.needs, sample, self.title)
        sentences = sentences_of(sample)
        labellings = self.label(sentences, sample.question)
        return labelled_score(
            sample,
            sentences,
            labellings,
            counted_labelling(labellings, sentences),
            self.definition,
        )

    def _judges(self) -> dict[str, LLMClient]:
        """The judges by name; the same model at another address gets a number."""
        judges = self.jury()
        return dict(zip(names([judge.model for judge in judges]), judges, strict=True))

    def _labelling(
        self,
        judge: LLMClient,
        by: str,
        sentences: Sentences,
        question: str,
    ) -> Labelling:
        prompt_budget = getattr(judge, "prompt_budget", None)
        calls = self._calls(sentences, question, prompt_budget)
        answers: list[Answered[GPTLabelingOutput]] = []
        texts: list[str] = []
        parts: list[Labels] = []
        invented: set[str] = set()
        for call in calls:
            answer = _judge_answer(judge, call, _OUTPUTS.get(self.prompt, GPTLabelingOutput))
            answers.append(answer)
            texts += answer.texts
            parts.append(answer.value.labels(call.sentences))
            invented.update(answer.value.invented(sentences))
        if sentences.response and not any(labels.sentence_support for labels in parts):
            raise unreadable(judge.model, texts)
        windows = [call.sentences for call in calls]
        labels = merge_windows(parts, windows)
        labels = labels.model_copy(update={"dropped_keys": len(invented)})
        judgement = _judgement(
            answers,
            labels,
            suspicions=warnings(sentences, question)[:_MOST_LISTED],
            template=self.template,
        )
        return Labelling(by=by, labels=labels, judgement=judgement)

    def _calls(
        self,
        sentences: Sentences,
        question: str,
        prompt_budget: int | None,
    ) -> list[LabellingCall]:
        """The sample whole, or in windows where it is too long for the judge."""
        parts = parts_within(
            sentences,
            lambda own: tokens(self._call(own, question).prompt.text),
            prompt_budget,
            (self.chunk_size, self.chunk_overlap),
        )
        return [self._call(own, question) for own in parts]

    def _call(self, sentences: Sentences, question: str) -> LabellingCall:
        text = GPTLabelingPromptGenerator.generate_labeling_prompt(
            question, sentences.response, sentences.documents, self.prompt, self.examples
        )
        return LabellingCall(sentences, Prompt(text=text, question=question))


def scores_of(
    labellings: Sequence[Labelling],
    sentences: Sentences,
    definition: str = SENTENCE,
) -> GPTLabelingScores:
    """The values of what counts among judges' labels."""
    scores = trace_scores(sentences, counted_labelling(labellings, sentences).labels, definition)
    verdicts = [
        labelling.judgement.overall_supported for labelling in labellings if labelling.judgement
    ]
    return GPTLabelingScores(
        **dict(scores),
        overall_supported=sum(verdicts) > len(verdicts) / 2,
        labellings=tuple(labellings),
    )


# The answer


def _judge_answer(
    judge: LLMClient, call: LabellingCall, kind: type[GPTLabelingOutput]
) -> Answered[GPTLabelingOutput]:
    def check(output: GPTLabelingOutput) -> str:
        missing = output.missing(call.sentences.response)
        if not missing:
            return ""
        return f"sentence_support_information lacks {', '.join(missing[:_MOST_LISTED])}."

    return ask(judge, call.prompt, kind, check)


def _read_keys(named: Sequence[str], keys: frozenset[str]) -> tuple[str, ...]:
    """The keys as named, without the signs that some judges write around them ("0a.", "[0a]")."""
    read = []
    for key in named:
        bare = key.strip(_AROUND_KEYS).lower()
        read.append(bare if key not in keys and bare in keys else key)
    return tuple(read)


def _existing_keys(named: Sequence[str], keys: frozenset[str]) -> tuple[str, ...]:
    return tuple(key for key in _read_keys(named, keys) if key in keys)


def _as_sentence_support(
    verdict: SentenceSupportInformation,
    documents: frozenset[str],
    response: frozenset[str],
) -> SentenceSupport:
    # RAGBench's special keys stay, as in its published labels.
    carrying = _existing_keys(verdict.supporting_sentence_keys, documents | SPECIAL_KEYS)
    if verdict.fully_supported:
        support = Support.FULL
    else:
        support = Support.PARTIAL if carrying else Support.NONE
    return SentenceSupport(
        key=_read_keys([verdict.response_sentence_key], response)[0],
        support=support,
        supporting_keys=carrying,
        explanation=verdict.explanation,
        kind=Fault("" if verdict.fully_supported else verdict.get("kind", "")),
    )


def _strictest(
    supports: Sequence[SentenceSupport], response: Sequence[str]
) -> tuple[SentenceSupport, ...]:
    strictest_last = sorted(
        supports,
        key=lambda sentence: STRICTEST_FIRST.index(sentence.support),
        reverse=True,
    )
    by_key = {sentence.key: sentence for sentence in strictest_last}
    return tuple(by_key[key] for key in response if key in by_key)


def _judgement(
    answers: Sequence[Answered[GPTLabelingOutput]],
    labels: Labels,
    suspicions: tuple[str, ...],
    template: str,
) -> Judgement:
    """What the judge said in all windows."""
    values = [answer.value for answer in answers]
    # Of several answers, none speaks for the whole response; the merged labels do.
    is_supported = all(sentence.support is Support.FULL for sentence in labels.sentence_support)
    return Judgement(
        relevance_explanation="\n".join(value.relevance_explanation for value in values),
        overall_supported=values[0].overall_supported if len(values) == 1 else is_supported,
        overall_supported_explanation="\n".join(
            value.overall_supported_explanation for value in values
        ),
        outputs=tuple(text for answer in answers for text in answer.texts),
        mode=answers[-1].mode,
        repaired=any(answer.repaired for answer in answers),
        asked_again=any(answer.asked_again for answer in answers),
        template=prompt_hash(template),
        warnings=suspicions,
    )
