"""TRACE by a classifier of one's own: which sentences of the answer the documents carry.

It runs on this computer's processor, costs nothing, and says of no document sentence whether it is
relevant or used: of the values there are adherence and the supported share.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pydantic import Field

from evaluators.arguments import Documents
from evaluators.base import evaluator, require
from evaluators.config import config
from evaluators.errors import ParameterError, PlumblineError
from evaluators.records import (
    EvaluatorSpec,
    Labelling,
    Labels,
    Probabilities,
    Sample,
    Score,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.text.language import mark, say
from evaluators.text.sentences import cut
from evaluators.trace.batch import read_texts
from evaluators.trace.claims import claiming, is_refusal, without_claim
from evaluators.trace.labelling import labelled_score, sentences_of
from evaluators.trace.local_models import (
    KNOWN,
    check_installed,
    fetch,
    name_of,
    place,
)
from evaluators.trace.local_reader import Claim, reader
from evaluators.trace.method import TRACEMethod
from evaluators.trace.metrics import TRACEScores, trace_scores


@evaluator(
    "local",
    title=mark("TRACE (local model)"),
    needs=("question", "response", "retrieved_documents"),
    judges="none",
    evidence="sentences",
)
class LocalEvaluator(TRACEMethod):
    """Adherence by a classifier on this computer's processor, with a probability a sentence."""

    unused = ("chunking_strategy", "embedding_model")
    gives_probabilities = True

    llm_client: Any = Field(default=None, description="Not used: this metric asks no LLM.")
    model: str = Field(
        default=next(iter(KNOWN)),
        max_length=1000,
        title=mark("Model"),
        description=mark(
            "A classifier of the Hugging Face hub (owner/name), or a folder that holds one."
        ),
    )
    revision: str = Field(
        default="",
        max_length=100,
        title=mark("Revision"),
        description=mark(
            "The commit of the model; without one that is kept which is here, or else the newest."
        ),
    )
    threshold: float = Field(
        default=0.5,
        ge=0,
        le=1,
        title=mark("Threshold"),
        description=mark("A sentence is labelled supported where that is at least so likely."),
    )

    @property
    def loads_model(self) -> bool:
        return True

    def check_ready(self) -> None:
        if config().public:
            raise ParameterError(
                say(
                    "A public host runs no local model, which would take its memory from all. Run "
                    "Plumbline on your own computer, or let the heuristic or a judge label."
                )
            )
        check_installed()
        place(self.model, self.revision)

    def prepare(self) -> None:
        fetch(self.model, self.revision)

    def spec(self) -> EvaluatorSpec:
        """With the commit of the model that is here, so that a run can be had again as it was."""
        spec = super().spec()
        with suppress(PlumblineError):
            if here := place(self.model, self.revision):
                pinned = spec.params | {"revision": here.revision}
                return spec.model_copy(update={"params": pinned})
        return spec

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Documents,
        ground_truth: Any = None,
        definition: str | None = None,
    ) -> TRACEScores:
        """The TRACE values of one answer; the ground truth is not looked at.

        Raises `ParameterError` where the model is not there or cannot be loaded.
        """
        definition = self.formula(definition)
        case = read_texts(question, response, retrieved_documents)
        sentences = cut(case.response, case.retrieved_documents)
        return trace_scores(sentences, self.label(sentences, case.query), definition)

    def score(self, sample: Sample) -> Score:
        """Judges the sample on its published sentences, or else on its text cut into sentences."""
        require(self.needs, sample, self.title)
        sentences = sentences_of(sample)
        labelling = Labelling(by=name_of(self.model), labels=self.label(sentences, sample.question))
        return labelled_score(sample, sentences, [], labelling, self.definition)

    def label(self, sentences: Sentences, question: str) -> Labels:
        """Which sentences of the answer are supported; what makes no claim is, and is not read.

        Raises `ParameterError` where the model cannot be loaded, `DatasetError` for a sample that
        would take it too long.
        """
        self.check_ready()
        claims, supports = [], {}
        compared = claiming(sentences)
        for sentence in compared.sentences.response:
            if is_refusal(sentence.text):
                why = mark("it says that the answer is not known")
                supports[sentence.key] = without_claim(sentence.key, why)
            else:
                claims.append(Claim(sentence.key, sentence.text))
        likely = {}
        if claims:
            documents = [[own.text for own in document] for document in sentences.documents]
            chunks = self.chunk_size, self.chunk_overlap
            model = reader(self.model, self.revision)
            likely = model.support(question, documents, claims, chunks)
        for key, probability in likely.items():
            support = Support.FULL if probability >= self.threshold else Support.NONE
            supports[key] = SentenceSupport(key=key, support=support)
        in_order = [supports[sentence.key] for sentence in compared.sentences.response]
        return Labels(
            sentence_support=compared.all_supports(sentences, in_order),
            probabilities=Probabilities(supported=likely),
            of_support_alone=True,
        )
