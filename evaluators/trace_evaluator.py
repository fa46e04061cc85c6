"""TRACE without an LLM: sentence labels estimated from shared words.

`trace.comparison` compares the sentences, `trace.features` weighs what they share, and
`trace.claims` says which response sentences are supported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from evaluators.arguments import Documents
from evaluators.base import evaluator, require
from evaluators.records import Labelling, Labels, Sample, Score, Sentences, SentenceSupport, Support
from evaluators.text.chunking import units
from evaluators.text.language import mark
from evaluators.text.sentences import cut
from evaluators.text.similarity import check_embedding, embedder
from evaluators.trace.batch import (
    Case,
    Cases,
    batch_summary,
    entries,
    judged_entry,
    read_cases,
    read_texts,
)
from evaluators.trace.claims import claiming, is_claim, sentence_supports, support_estimate
from evaluators.trace.comparison import (
    Likeness,
    Words,
    check_sentence_count,
    check_text_length,
    compare,
    embedded,
    words_of,
)
from evaluators.trace.features import (
    document_features,
    expected_shares,
    relevant_probability,
    rows_expected,
    support_probability,
    utilized_probability,
)
from evaluators.trace.labelling import HEURISTIC, labelled_score, sentences_of
from evaluators.trace.method import TRACEMethod
from evaluators.trace.metrics import TRACEScores, trace_scores


@evaluator(
    "trace",
    title=mark("TRACE (heuristic)"),
    needs=("question", "response", "retrieved_documents"),
    judges="none",
    evidence="sentences",
)
class TRACEEvaluator(TRACEMethod):
    """TRACE estimated without an LLM, in about a millisecond a sample.

    Show its values as estimates.
    """

    # Whoever builds any TRACE method from one set of arguments may name a client for all of them.
    llm_client: Any = Field(default=None, description="Not used: this metric asks no LLM.")

    def check_ready(self) -> None:
        check_embedding(self.embedding_model)

    def evaluate(
        self,
        question: str,
        response: str,
        retrieved_documents: Documents,
        ground_truth: Any = None,
        definition: str | None = None,
    ) -> TRACEScores:
        """The TRACE values of one answer; the ground truth is not looked at.

        The ground truth is accepted because all methods take it, and not looked at. An empty
        response and an empty list of documents are judged as defined, with a reason. Raises
        `ParameterError` where the embedding model is not available, `DatasetError` where the texts
        are too long to be compared.
        """
        definition = self.formula(definition)
        case = read_texts(question, response, retrieved_documents)
        # Before the texts are cut: that alone takes long for what is refused.
        check_text_length([*case.retrieved_documents, case.response])
        sentences = cut(case.response, case.retrieved_documents)
        return trace_scores(sentences, self.label(sentences, case.query), definition)

    def label(self, sentences: Sentences, question: str) -> Labels:
        """Estimated labels: relevant and utilized document sentences, and each support."""
        compared = claiming(sentences)
        words, likeness = self._compare(compared.sentences, question)
        features = document_features(words, likeness)
        claims = sentence_supports(
            compared.sentences, question, words, likeness.claims, support_probability(likeness)
        )
        supports = compared.all_supports(sentences, claims)
        keys = list(enumerate(sentences.retrieved_keys))
        # Earlier turns of the conversation come last: nobody retrieved them
        relevant = relevant_probability(likeness, features)[: len(keys)]
        utilized = utilized_probability(likeness, features)[: len(keys)]
        if not any(map(is_claim, supports)):
            # A response that claims nothing (a refusal) used nothing, whatever words it shares.
            utilized = np.zeros_like(utilized)
        relevant_rows = rows_expected(relevant, at_least=1)
        utilized_rows = rows_expected(utilized)
        # What carries a claim was used, however unlikely by its own words.
        supporting = {key for support in supports for key in support.supporting_keys}
        return Labels(
            relevant_keys=tuple(key for row, key in keys if row in relevant_rows),
            utilized_keys=tuple(
                key for row, key in keys if row in utilized_rows or key in supporting
            ),
            sentence_support=supports,
            # Without a content word there is nothing to expect anything from.
            expected=(
                expected_shares(relevant, utilized, features) if likeness.response_terms else None
            ),
            relevance_unknown=bool(keys) and not relevant_rows,
        )

    def support_estimates(
        self,
        sentences: Sentences,
        question: str,
    ) -> dict[str, float]:
        """How likely each response sentence is supported, 0 to 1."""
        return {support.key: likely for support, likely in self._estimated(sentences, question)}

    def doubt_of_labels(self, sentences: Sentences, question: str) -> float:
        """How likely the adherence that `label` leads to is wrong, 0 to 1 with four decimals.

        With p the estimate of the least supported response sentence: p where the heuristic calls a
        sentence less than fully supported, else 1 - p. On RAGBench the top fifth by this rule holds
        57 % of the wrong verdicts.
        """
        estimated = self._estimated(sentences, question)
        least = min((likely for _, likely in estimated), default=1.0)
        is_adherent = all(support.support is Support.FULL for support, _ in estimated)
        return round(1 - least if is_adherent else least, 4)

    def _estimated(
        self,
        sentences: Sentences,
        question: str,
    ) -> list[tuple[SentenceSupport, float]]:
        compared = claiming(sentences)
        words, likeness = self._compare(compared.sentences, question)
        probability = support_probability(likeness)
        supports = sentence_supports(
            compared.sentences, question, words, likeness.claims, probability
        )
        likely = {support.key: value for support, value in zip(supports, probability, strict=True)}
        return [
            (support, support_estimate(support, likely.get(support.key, 1.0)))
            for support in compared.all_supports(sentences, supports)
        ]

    def score(self, sample: Sample) -> Score:
        """Judges the sample on its published sentences; where it has none, its texts are cut."""
        require(self.needs, sample, self.title)
        check_text_length([*sample.evidence, sample.response or ""])
        sentences = sentences_of(sample)
        labelling = Labelling(by=HEURISTIC, labels=self.label(sentences, sample.question))
        return labelled_score(sample, sentences, [], labelling, self.definition)

    def evaluate_batch(
        self,
        test_cases: Cases,
        definition: str | None = None,
    ) -> dict[str, Any]:
        """The documented result for cases with query, response and retrieved_documents.

        A case that cannot be judged holds "error". Raises `ParameterError` where no case could be:
        for an unknown definition, or an embedding model that is not available.
        """
        definition = self.formula(definition)
        embedder(self.embedding_model)

        def judge(case: Case) -> dict[str, Any]:
            return judged_entry(
                self.evaluate(
                    case.query, case.response, case.retrieved_documents, definition=definition
                )
            )

        return batch_summary(entries(read_cases(test_cases), judge), definition)

    def _compare(self, sentences: Sentences, question: str) -> tuple[Words, Likeness]:
        embed = embedder(self.embedding_model)
        check_sentence_count(sentences, is_embedded=embed is not None)
        words = words_of(sentences, question)
        in_units = []
        for place in words.places:
            in_units += units(self.chunking_strategy, place, self.chunk_size, self.chunk_overlap)
        meaning = embedded(sentences, question, embed) if embed else None
        return words, compare(words, in_units, meaning)
