"""GPT labelling: one question to an LLM labels all sentences of a sample, and the TRACE values
follow.

The six fields are those of RAGBench's annotation (Friel et al., arXiv 2407.11005). One call labels
a sample; only one that the judge cannot take at once is labelled in windows of document sentences.
Several judges are a jury.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, SkipValidation

from evaluators.base import evaluator, require
from evaluators.config import config
from evaluators.llm import LLMClient
from evaluators.llm.structured import Answered, ask, unreadable
from evaluators.prompts import Prompt, fenced, load
from evaluators.records import (
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
from evaluators.text.sentences import DocumentSentencizer, cut
from evaluators.text.similarity import terms
from evaluators.text.size import tokens
from evaluators.trace.batch import Case, entries, means, metrics, summary
from evaluators.trace.jury import counted, names
from evaluators.trace.labelling import (
    STRICTEST_FIRST,
    Judgement,
    Labelling,
    labelled_score,
    sentences_of,
)
from evaluators.trace.method import TRACEMethod
from evaluators.trace.metrics import TRACEScores, trace_scores
from evaluators.trace.windows import Extent, merge_windows, part, windows_within

__all__ = [
    "AdvancedRAGEvaluator",
    "DocumentSentencizer",
    "GPTLabelingOutput",
    "GPTLabelingPromptGenerator",
    "GPTLabelingScores",
    "SentenceSupportInformation",
]

TEMPLATE = "trace_labels_en"
COUNTS = ("fully_supported_sentences", "partially_supported_sentences", "unsupported_sentences")
_AROUND_KEYS = " .:,;()[]'\"`"
_MOST_TOLD = 20


class Window(NamedTuple):
    """What is labelled in one call: the whole sample or some of its document sentences, and the
    prompt for it.
    """

    sentences: Sentences
    prompt: Prompt


class SentenceSupportInformation(BaseModel):
    """What a judge says of one response sentence; fields can also be read by `get`, as from a
    dictionary.
    """

    model_config = ConfigDict(frozen=True)

    response_sentence_key: str
    explanation: str = ""
    supporting_sentence_keys: tuple[str, ...]
    fully_supported: bool

    def get(self, field: str, default: Any = None) -> Any:
        return getattr(self, field, default)


class GPTLabelingOutput(BaseModel):
    """What a judge answers: the six fields that the prompt asks for; reasons may be missing, labels
    may not.
    """

    model_config = ConfigDict(frozen=True)

    relevance_explanation: str = ""
    all_relevant_sentence_keys: tuple[str, ...]
    overall_supported_explanation: str = ""
    overall_supported: bool
    sentence_support_information: tuple[SentenceSupportInformation, ...]
    all_utilized_sentence_keys: tuple[str, ...]

    def labels(self, sentences: Sentences) -> Labels:
        """The labels as the judge gave them, repeated keys too; keys that do not exist are dropped
        and counted.

        Of two verdicts on the same response sentence the stricter one counts.
        """
        documents, response = (
            frozenset(sentences.document_keys),
            [sentence.key for sentence in sentences.response],
        )
        supports = [
            _support(each, documents, frozenset(response))
            for each in self.sentence_support_information
        ]
        return Labels(
            relevant_keys=_known(self.all_relevant_sentence_keys, documents),
            utilized_keys=_known(self.all_utilized_sentence_keys, documents),
            sentence_support=_strictest(supports, response),
            dropped_keys=len(self.invented(sentences)),
        )

    def invented(self, sentences: Sentences) -> set[str]:
        """The keys that the judge names and that no sentence has."""
        documents, response = (
            frozenset(sentences.document_keys),
            frozenset(each.key for each in sentences.response),
        )
        said = self.sentence_support_information
        named = [*self.all_relevant_sentence_keys, *self.all_utilized_sentence_keys]
        named += [key for each in said for key in each.supporting_sentence_keys]
        judged = _read_keys([each.response_sentence_key for each in said], response)
        return {*_read_keys(named, documents)} - documents | {*judged} - response

    def missing(self, response: Sequence[Sentence]) -> list[str]:
        """The keys of the response sentences that have no verdict."""
        keys = frozenset(sentence.key for sentence in response)
        judged = set(
            _read_keys(
                [each.response_sentence_key for each in self.sentence_support_information], keys
            )
        )
        return [sentence.key for sentence in response if sentence.key not in judged]


class GPTLabelingPromptGenerator:
    """Writes the prompt of a sample: the template file with keyed sentences, one to a line, between
    marks.
    """

    @staticmethod
    def generate_labeling_prompt(
        question: str,
        response: str | Sequence[Sentence],
        documents: Sequence[str] | Sequence[Sequence[Sentence]],
    ) -> str:
        """The prompt; texts are cut into sentences, sentences are taken with the keys they have."""
        answer = (
            DocumentSentencizer().sentencize_response(response)
            if isinstance(response, str)
            else response
        )
        return fenced(
            load(TEMPLATE),
            documents="\n\n".join(_lines(document) for document in _keyed(documents) if document),
            question=question,
            response=_lines(answer),
        )


class GPTLabelingScores(TRACEScores):
    """The TRACE values of one answer, with how many of its sentences are supported, and who
    labelled what.

    `overall_supported` is the judge's own word on the whole response; of a jury, that of more than
    half.
    """

    overall_supported: bool
    labellings: tuple[Labelling, ...] = ()

    @property
    def num_fully_supported_sentences(self) -> int:
        return self._count(Support.FULL)

    @property
    def num_partially_supported_sentences(self) -> int:
        return self._count(Support.PARTIAL)

    @property
    def num_unsupported_sentences(self) -> int:
        return self._count(Support.NONE)

    def to_dict(self) -> dict[str, float | None]:
        """Values and counts under the documented names."""
        numbers = (
            self.num_fully_supported_sentences,
            self.num_partially_supported_sentences,
            self.num_unsupported_sentences,
        )
        counts = dict(zip(COUNTS, numbers, strict=True))
        return {**super().to_dict(), "overall_supported": self.overall_supported, **counts}

    def values(self) -> dict[str, float | None]:
        return {**super().to_dict(), "supported_share": self.supported_share}

    def _count(self, support: Support) -> int:
        return sum(each.support is support for each in self.labels.sentence_support)


@evaluator(
    "gpt_labeling",
    title="TRACE (GPT labelling)",
    needs=("question", "response", "retrieved_documents"),
    judges="jury",
    leads="trace",
)
class AdvancedRAGEvaluator(TRACEMethod):
    """TRACE by an LLM: a judge, or a jury of several,
    labels every sentence in one call a sample.
    """

    unused = ("chunking_strategy", "embedding_model")
    """A judge reads whole sentences, and compares their meaning itself."""

    llm_client: SkipValidation[LLMClient | tuple[LLMClient, ...] | None] = None
    """The judge; several are a jury."""

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Sequence[str],
        ground_truth: Any = None,
    ) -> GPTLabelingScores:
        """The TRACE values of one answer under the definition `sentence`; the ground truth is not
        looked at.

        Raises `AccessError` without a judge, `LLMError` where a judge gives no usable answer.
        """
        sentences = cut(response, retrieved_documents)
        return scores_of(self.label(sentences, question), sentences)

    def evaluate_batch(self, test_cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The means over all cases and each one's values, in the documented JSON shape.

        A case has `query`, `response` and `retrieved_documents`. One that fails has an `error` in
        place of `metrics` and enters no mean: `num_scored` of `num_samples` do.
        """
        self._judges()
        found = entries(test_cases, self._entry, config().workers)
        scored = [entry["metrics"] for entry in found if "metrics" in entry]
        supported = all(each["overall_supported"] for each in scored) if scored else None
        counts = {name: sum(each[name] for each in scored) for name in COUNTS}
        return {**means(scored), "overall_supported": supported, **counts, **summary(found)}

    def label(self, sentences: Sentences, question: str) -> list[Labelling]:
        """Each judge's labels; raises `AccessError` without a judge, `LLMError` where one gives no
        usable answer.
        """
        return [
            self._labelled(judge, by, sentences, question) for by, judge in self._judges().items()
        ]

    def prompts(
        self, sentences: Sentences, question: str, prompt_budget: int | None = None
    ) -> list[Prompt]:
        """The exact prompts for one sample: one, or one for each window where it takes more tokens
        than `prompt_budget`.
        """
        return [window.prompt for window in self._windows(sentences, question, prompt_budget)]

    def score(self, sample: Sample) -> Score:
        """Judges the sample on its published sentences, where it has some, else on its text cut
        into sentences.
        """
        require(self.needs, sample, self.title)
        sentences = sentences_of(sample)
        labellings = self.label(sentences, sample.question)
        return labelled_score(sample, sentences, labellings, counted(labellings, sentences))

    def _judges(self) -> dict[str, LLMClient]:
        """The judges by name; the same model at another address gets a number."""
        judges = self.jury()
        return dict(zip(names([judge.model for judge in judges]), judges, strict=True))

    def _labelled(
        self, judge: LLMClient, by: str, sentences: Sentences, question: str
    ) -> Labelling:
        windows = self._windows(sentences, question, getattr(judge, "prompt_budget", None))
        answers = [_asked(judge, window) for window in windows]
        found = [
            answer.value.labels(window.sentences)
            for answer, window in zip(answers, windows, strict=True)
        ]
        if sentences.response and not any(labels.sentence_support for labels in found):
            raise unreadable(judge.model, [text for answer in answers for text in answer.texts])
        invented = {key for answer in answers for key in answer.value.invented(sentences)}
        labels = merge_windows(found, [window.sentences for window in windows])
        labels = labels.model_copy(update={"dropped_keys": len(invented)})
        told = warnings(sentences, question)[:_MOST_TOLD]
        return Labelling(by=by, labels=labels, judgement=_judgement(answers, labels, told))

    def _windows(
        self, sentences: Sentences, question: str, prompt_budget: int | None
    ) -> list[Window]:
        """The sample whole, or in parts where it is too long; also whole where even without
        documents it is.
        """
        whole = _window(sentences, question)
        if prompt_budget is None or tokens(whole.prompt.text) <= prompt_budget:
            return [whole]
        left = 4 * (prompt_budget - tokens(_window(part(sentences, (0, 0)), question).prompt.text))
        if left <= 0:
            return [whole]
        extents = [_extent(sentence) for document in sentences.documents for sentence in document]
        parts = windows_within(extents, Extent(self.chunk_size, left), self.chunk_overlap)
        return [_window(part(sentences, span), question) for span in parts]

    def _entry(self, case: Case) -> dict[str, Any]:
        return {
            "metrics": metrics(self.evaluate(case.query, case.response, case.retrieved_documents))
        }


def scores_of(labellings: Sequence[Labelling], sentences: Sentences) -> GPTLabelingScores:
    """The values of what counts among judges' labels, under the definition `sentence`."""
    scores = trace_scores(sentences, counted(labellings, sentences).labels)
    words = [
        labelling.judgement.overall_supported for labelling in labellings if labelling.judgement
    ]
    return GPTLabelingScores(
        **dict(scores), overall_supported=sum(words) > len(words) / 2, labellings=tuple(labellings)
    )


# The prompt


def _keyed(documents: Sequence[str] | Sequence[Sequence[Sentence]]) -> Sequence[Sequence[Sentence]]:
    texts = [document for document in documents if isinstance(document, str)]
    keyed = [document for document in documents if not isinstance(document, str)]
    return keyed or DocumentSentencizer().sentencize_documents(texts)


def _lines(sentences: Sequence[Sentence]) -> str:
    return "\n".join(map(_line, sentences))


def _line(sentence: Sentence) -> str:
    """One line, whatever the sentence holds: no line of it may pass for another sentence or for a
    mark.
    """
    return f"{sentence.key}: {' '.join(sentence.text.split())}"


def _window(sentences: Sentences, question: str) -> Window:
    text = GPTLabelingPromptGenerator.generate_labeling_prompt(
        question, sentences.response, sentences.documents
    )
    return Window(sentences, Prompt(text=text, question=question))


def _extent(sentence: Sentence) -> Extent:
    """Its words, and its line's bytes with the breaks around it."""
    return Extent(len(terms(sentence.text)), len(_line(sentence).encode(errors="replace")) + 2)


# The answer


def _asked(judge: LLMClient, window: Window) -> Answered[GPTLabelingOutput]:
    def check(output: GPTLabelingOutput) -> str:
        missing = output.missing(window.sentences.response)
        return (
            f"sentence_support_information lacks {', '.join(missing[:_MOST_TOLD])}."
            if missing
            else ""
        )

    return ask(judge, window.prompt, GPTLabelingOutput, check)


def _read_keys(named: Sequence[str], keys: frozenset[str]) -> tuple[str, ...]:
    """The keys as named, without the signs that some judges write around them ("0a.", "[0a]")."""
    bare = ((key, key.strip(_AROUND_KEYS).lower()) for key in named)
    return tuple(plain if key not in keys and plain in keys else key for key, plain in bare)


def _known(named: Sequence[str], keys: frozenset[str]) -> tuple[str, ...]:
    return tuple(filter(keys.__contains__, _read_keys(named, keys)))


def _support(
    said: SentenceSupportInformation, documents: frozenset[str], response: frozenset[str]
) -> SentenceSupport:
    carrying = _known(said.supporting_sentence_keys, documents)
    return SentenceSupport(
        key=_read_keys([said.response_sentence_key], response)[0],
        support=Support.FULL
        if said.fully_supported
        else Support.PARTIAL
        if carrying
        else Support.NONE,
        supporting_keys=carrying,
        explanation=said.explanation,
    )


def _strictest(
    supports: Sequence[SentenceSupport], response: Sequence[str]
) -> tuple[SentenceSupport, ...]:
    strictest_last = sorted(
        supports, key=lambda each: STRICTEST_FIRST.index(each.support), reverse=True
    )
    by_key = {support.key: support for support in strictest_last}
    return tuple(by_key[key] for key in response if key in by_key)


def _judgement(
    answers: Sequence[Answered[GPTLabelingOutput]], labels: Labels, suspicions: tuple[str, ...]
) -> Judgement:
    """What the judge said in all windows; of several, no one answer speaks for the whole response,
    but the labels.
    """
    values = [answer.value for answer in answers]
    is_supported = all(each.support is Support.FULL for each in labels.sentence_support)
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
        template=prompt_hash(load(TEMPLATE)),
        warnings=suspicions,
    )
