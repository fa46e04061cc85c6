"""TRACE by a labeller that gives probabilities: its values are counted from what it labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from evaluators.arguments import Documents
from evaluators.base import require
from evaluators.records import Labelling, Sample, Score, Sentences
from evaluators.text.sentences import cut
from evaluators.trace.batch import read_texts
from evaluators.trace.labelling import labelled_score, sentences_of
from evaluators.trace.method import TRACEMethod
from evaluators.trace.metrics import TRACEScores, trace_scores


class SingleLabeller(TRACEMethod):
    """What those methods do alike whose labels have probabilities; one says how it labels."""

    unused = ("chunking_strategy", "embedding_model")
    gives_probabilities = True

    @abstractmethod
    def labellings(self, sentences: Sentences, question: str) -> list[Labelling]:
        """The labels of the sentences with their probabilities, first those that count."""

    def label(self, sentences: Sentences, question: str) -> Labelling:
        """The labels that count."""
        return self.labellings(sentences, question)[0]

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Documents,
        ground_truth: Any = None,
        definition: str | None = None,
    ) -> TRACEScores:
        """The TRACE values of one answer; the ground truth is not looked at.

        Raises what `label` raises.
        """
        # An unknown definition is refused before anybody is asked.
        definition = self.formula(definition)
        case = read_texts(question, response, retrieved_documents)
        sentences = cut(case.response, case.retrieved_documents)
        return trace_scores(sentences, self.label(sentences, case.query).labels, definition)

    def score(self, sample: Sample) -> Score:
        """Judges the sample on its published sentences, or else on its text cut into sentences."""
        require(self.needs, sample, self.title)
        sentences = sentences_of(sample)
        every = self.labellings(sentences, sample.question)
        return labelled_score(sample, sentences, every, every[0], self.definition)
