"""TRACE by a classifier of one's own: which sentences of the answer the documents carry.

It runs on this computer's processor, costs nothing, and says of no document sentence whether it is
relevant or used: of the values there are adherence and the supported share.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pydantic import Field

from evaluators.base import evaluator
from evaluators.errors import PlumblineError
from evaluators.records import (
    EvaluatorSpec,
    Labelling,
    Labels,
    Probabilities,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.text.language import mark
from evaluators.trace.claims import claiming, is_refusal, without_claim
from evaluators.trace.local_models import (
    KNOWN,
    check_installed,
    fetch,
    name_of,
    place,
)
from evaluators.trace.local_reader import Claim, reader
from evaluators.trace.single_labeller import SingleLabeller


@evaluator(
    "local",
    title=mark("TRACE (local model)"),
    needs=("question", "response", "retrieved_documents"),
    judges="none",
    evidence="sentences",
)
class LocalEvaluator(SingleLabeller):
    """Adherence by a classifier on this computer's processor, with a probability a sentence."""

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

    def labellings(self, sentences: Sentences, question: str) -> list[Labelling]:
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
        labels = Labels(
            sentence_support=compared.all_supports(sentences, in_order),
            probabilities=Probabilities(supported=likely),
            of_support_alone=True,
        )
        return [Labelling(by=name_of(self.model), labels=labels)]
