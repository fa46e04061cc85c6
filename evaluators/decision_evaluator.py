"""TRACE by a decision model: a question for each sentence, answered with probabilities.

One request asks of each response sentence how likely it is supported and which document sentence
carries it, of each document sentence how likely it is relevant and used. Labels are what is at
least as likely as the threshold; the probabilities stay with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean

from pydantic import Field, SkipValidation

from evaluators.base import evaluator, require
from evaluators.errors import ParameterError
from evaluators.llm import LLMClient, tokens_of
from evaluators.llm.decisions import MODE, MOST_OPTIONS, MOST_QUESTIONS, decide, requests_of
from evaluators.prompts import Prompt, Question, fenced, filled, load
from evaluators.records import (
    Judgement,
    Labelling,
    Labels,
    Probabilities,
    Sample,
    Sentences,
    SentenceSupport,
    Support,
    prompt_hash,
)
from evaluators.text.injection import warnings
from evaluators.text.language import mark, say
from evaluators.trace.jury import majority, names
from evaluators.trace.labelling import sentences_of
from evaluators.trace.labelling_prompt import keyed_text
from evaluators.trace.single_labeller import SingleLabeller
from evaluators.trace.windows import parts_within

MOST_PAIRS = 50_000
"""Sentences of a response times those of its documents: each may carry each."""
MOST_REPEATED = 1_000_000
"""Characters of a sample's texts in all its requests together: each request has all of them."""
NONE = "none"
"""The option for a response sentence that no document sentence carries."""

_TEMPLATE, _QUESTIONS = "trace_decisions_en", "trace_decision_questions_en"
_MOST_WARNINGS = 20


@evaluator(
    "decisions",
    title=mark("TRACE (decision model)"),
    needs=("question", "response", "retrieved_documents"),
    judges="jury",
    evidence="sentences",
)
class DecisionEvaluator(SingleLabeller):
    """TRACE by a decision model: probabilities for all sentences in a call a sample, no reasons."""

    llm_client: SkipValidation[LLMClient | tuple[LLMClient, ...] | None] = None
    """The decision model; several are a jury."""
    threshold: float = Field(
        default=0.5,
        ge=0,
        le=1,
        title=mark("Threshold"),
        description=mark(
            "A sentence is labelled relevant, used or supported where that is at least so likely."
        ),
    )

    @property
    def asks_decisions(self) -> bool:
        return True

    def labellings(self, sentences: Sentences, question: str) -> list[Labelling]:
        """Each model's labels with their probabilities; of several first those of the jury.

        Raises `AccessError` without a judge, `LLMError` where one gives no usable answer.
        """
        judges = self.jury()
        by_name = zip(names([judge.model for judge in judges]), judges, strict=True)
        every = [self._labelling(judge, by, sentences, question) for by, judge in by_name]
        if len(every) == 1:
            return every
        jury = majority(every, sentences)
        likely = {"probabilities": _mean([own.labels.probabilities for own in every])}
        return [jury.model_copy(update={"labels": jury.labels.model_copy(update=likely)}), *every]

    def _labelling(
        self, judge: LLMClient, by: str, sentences: Sentences, question: str
    ) -> Labelling:
        likely: dict[str, dict[str, float]] = {}
        texts: list[str] = []
        unknown = 0
        for prompt in self._windows(sentences, question, judge.prompt_budget):
            decided = decide(judge, prompt)
            texts += decided.texts
            unknown += decided.unknown
            for name, probability in decided.probabilities.items():
                kind, key = name.split("_")[:2]
                if isinstance(probability, dict):
                    _keep_likelier(likely.setdefault(f"{kind}_{key}", {}), probability)
                else:
                    _keep_likelier(likely.setdefault(kind, {}), {key: probability})
        labels = self._labels(sentences, likely).model_copy(update={"dropped_keys": unknown})
        return Labelling(
            by=by,
            labels=labels,
            judgement=Judgement(
                overall_supported=all(
                    item.support is Support.FULL for item in labels.sentence_support
                ),
                outputs=tuple(texts),
                mode=MODE,
                template=prompt_hash(self.template),
                warnings=warnings(sentences, question)[:_MOST_WARNINGS],
            ),
        )

    @property
    def template(self) -> str:
        """What its requests are made from."""
        return load(_TEMPLATE) + load(_QUESTIONS)

    def prompts(
        self,
        sentences: Sentences,
        question: str,
        prompt_budget: int | None = None,
    ) -> list[Prompt]:
        """The exact requests for one sample, in windows where it is too long for the judge."""
        windows = self._windows(sentences, question, prompt_budget)
        return [request for window in windows for request in requests_of(window)]

    def judge_prompts(
        self,
        sample: Sample,
        prompt_budget: int | None = None,
    ) -> list[Prompt]:
        """What the judge is asked about the sample."""
        require(self.needs, sample, self.title)
        return self.prompts(sentences_of(sample), sample.question, prompt_budget)

    def _windows(
        self, sentences: Sentences, question: str, prompt_budget: int | None
    ) -> list[Prompt]:
        if _asks_too_much(sentences):
            raise ParameterError(
                say(
                    "{answer} sentences of the answer beside {documents} of the documents are more "
                    "than a decision model is asked about. Shorten the texts, or choose another "
                    "labeller.",
                    answer=len(sentences.response),
                    documents=len(sentences.document_keys),
                )
            )

        def window(own: Sentences) -> Prompt:
            text = fenced(
                load(_TEMPLATE),
                documents="\n\n".join(filter(None, map(keyed_text, own.documents))),
                question=question,
                response=keyed_text(own.response),
            )
            return Prompt(text=text, question=question, questions=_questions(own))

        def size(own: Sentences) -> int:
            requests = requests_of(window(own))
            return max((tokens_of(part.text, part.questions) for part in requests), default=0)

        parts = parts_within(sentences, size, prompt_budget, (self.chunk_size, self.chunk_overlap))
        return list(map(window, parts))

    def _labels(self, sentences: Sentences, likely: Mapping[str, Mapping[str, float]]) -> Labels:
        found = Probabilities(
            relevant=likely.get("relevant", {}),
            utilized=likely.get("used", {}),
            supported=likely.get("supported", {}),
        )
        supports = []
        for sentence in sentences.response:
            keys = _carrying(likely.get(f"carried_{sentence.key}", {}))
            support = Support.PARTIAL if keys else Support.NONE
            if found.supported[sentence.key] >= self.threshold:
                support = Support.FULL
            supports.append(
                SentenceSupport(key=sentence.key, support=support, supporting_keys=keys)
            )
        return Labels(
            relevant_keys=self._likely(found.relevant, sentences.retrieved_keys),
            utilized_keys=self._likely(found.utilized, sentences.retrieved_keys),
            sentence_support=tuple(supports),
            probabilities=found,
        )

    def _likely(self, probabilities: Mapping[str, float], keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(key for key in keys if probabilities[key] >= self.threshold)


def _asks_too_much(sentences: Sentences) -> bool:
    """Whether there are too many pairs, or so many questions that the texts are sent too often."""
    keys = len(sentences.document_keys)
    of_one = 1 + -(-keys // (MOST_OPTIONS - 1))
    questions = of_one * len(sentences.response) + 2 * len(sentences.retrieved_keys)
    # A published sentence may be empty: its key is sent all the same.
    texts = [each.key + each.text for each in chain(sentences.response, *sentences.documents)]
    repeated = -(-questions // MOST_QUESTIONS) * sum(map(len, texts))
    return len(sentences.response) * keys > MOST_PAIRS or repeated > MOST_REPEATED


def _questions(sentences: Sentences) -> tuple[Question, ...]:
    """The questions about these sentences: earlier turns may carry, but nobody retrieved them."""
    wording = dict(line.split(": ", 1) for line in load(_QUESTIONS).splitlines())

    def asked(kind: str, key: str, number: str = "", options: Sequence[str] = ()) -> Question:
        text = filled(wording[kind], key=key)
        return Question(name=f"{kind}_{key}{number}", text=text, options=tuple(options))

    keys = sentences.document_keys
    questions = []
    for sentence in sentences.response:
        questions.append(asked("supported", sentence.key))
        # Of more sentences than a question has options, each part has a question of its own.
        for start in range(0, len(keys), MOST_OPTIONS - 1):
            options = [*keys[start : start + MOST_OPTIONS - 1], NONE]
            questions.append(asked("carried", sentence.key, f"_{start}" * bool(start), options))
    for key in sentences.retrieved_keys:
        questions += [asked("relevant", key), asked("used", key)]
    return tuple(questions)


def _mean(every: Sequence[Probabilities | None]) -> Probabilities:
    """Of each sentence the mean of what is said of it."""
    given = [own.model_dump() for own in every if own is not None]
    means = {}
    for kind, first in given[0].items():
        means[kind] = {key: fmean(own[kind][key] for own in given) for key in first}
    return Probabilities(**means)


def _keep_likelier(kept: dict[str, float], further: Mapping[str, float]) -> None:
    """Of what several windows say of a key the highest counts: what carries it may be in one."""
    for key, likely in further.items():
        kept[key] = max(likely, kept.get(key, 0.0))


def _carrying(options: Mapping[str, float]) -> tuple[str, ...]:
    """The likeliest sentence and those at least half as likely; none where that is likelier."""
    keys = {key: likely for key, likely in options.items() if key != NONE}
    best = max(keys.values(), default=0.0)
    if best <= options.get(NONE, 0.0):
        return ()
    return tuple(key for key, likely in keys.items() if likely >= best / 2)
