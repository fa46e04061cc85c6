"""Features of the TRACE heuristic: what speaks for each sentence, and the sums that weigh it.

Three logistic sums turn them into probabilities: that a document sentence is relevant, that it is
utilized, and that a response sentence is supported. Two further ones lead from the probabilities of
all document sentences to the shares that the metrics tell. Their weights were fitted on the
published labels of RAGBench (Friel et al., arXiv 2407.11005; CC BY 4.0), 2,981 rows, and checked by
cross-validation, see docs/heuristic.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from evaluators.records import ExpectedShares
from evaluators.text.similarity import Matrix, ratio
from evaluators.trace.comparison import Likeness, Words

Weights = Mapping[str, float]
Features = Mapping[str, Matrix | float]
"""By the names of the weights; one number, or one for each sentence."""

# Fitted coefficients, rounded to two decimals. The counts (as logarithms) hold no evidence for one
# sentence rather than another: they let the share that is expected fall with the sample's length.
RELEVANT: Weights = {
    "constant": -5.90,
    "question_cosine_to_best": 0.52,
    "response_cosine": 1.32,
    "response_cosine_to_best": 1.07,
    "response_cosine_nearby": 1.25,
    "response_share_to_best": 1.76,
    "response_in_unit": 0.84,
    "shared_pairs": 0.27,
    "document_sentences": -0.40,
    "documents": 1.00,
    "response_sentences": -0.56,
    "response_terms": 1.00,
}
RELEVANT_BY_QUESTION: Weights = {
    "constant": -1.36,
    "question_cosine_to_best": 1.65,
    "question_cosine_nearby": 1.24,
    "question_in_unit": 0.34,
    "document_sentences": -0.31,
    "documents": 0.44,
}
"""Used where the response has no content word; on RAGBench not better than a constant."""
UTILIZED: Weights = {
    "constant": -7.33,
    "question_cosine_to_best": 0.08,
    "response_cosine": 2.51,
    "response_cosine_to_best": 1.87,
    "response_cosine_nearby": 1.28,
    "response_share_to_best": 2.27,
    "response_in_unit": 0.85,
    "shared_pairs": 0.29,
    "document_sentences": -0.42,
    "documents": 0.69,
    "response_sentences": -0.52,
    "response_terms": 1.09,
}
# Beside the shares that sentences add up to, the number of documents counts, and whether any
# sentence stands out: of an answer that surely uses something, something could also be left out.
COMPLETE: Weights = {
    "constant": -0.31,
    "expected_overlap": 2.71,
    "documents": -0.46,
    "likeliest_relevant": 2.46,
    "likeliest_utilized": -2.31,
}
UTILIZED_OF_RELEVANT: Weights = {
    "constant": -1.79,
    "expected_overlap": 3.20,
    "documents": -0.34,
    "likeliest_relevant": 2.93,
    "likeliest_utilized": -1.58,
}
SUPPORTED: Weights = {
    "constant": -0.71,
    "best_sentence": 2.46,
    "whole_response_in_unit": 3.81,
    "is_short": 2.03,
}
# Below it one word is half of the sentence or more, so that the share found says little.
_SHORT = 3
"""A response sentence with fewer content words is short."""


def document_features(words: Words, likeness: Likeness) -> Features:
    """What speaks for each document sentence: its likeness to question and response."""
    cosines = np.array([likeness.question_cosine, likeness.response_cosine])
    question_to_best, response_to_best = _to_best(cosines)
    question_nearby, response_nearby = _nearby(cosines, words)
    return {
        "constant": 1.0,
        "question_cosine_to_best": question_to_best,
        "question_cosine_nearby": question_nearby,
        "question_in_unit": likeness.question_in_unit,
        "response_cosine": likeness.response_cosine,
        "response_cosine_to_best": response_to_best,
        "response_cosine_nearby": response_nearby,
        "response_share_to_best": _to_best(likeness.response_share),
        "response_in_unit": likeness.response_in_unit,
        "shared_pairs": np.log1p(likeness.shared_pairs.astype(np.float32)),
        "document_sentences": math.log(max(len(words.documents), 1)),
        "documents": math.log(max(len(words.places), 1)),
        "response_sentences": math.log(len(words.response) + 0.5),
        "response_terms": math.log1p(likeness.response_terms),
    }


def support_features(likeness: Likeness) -> Features:
    """What speaks for each response sentence: how much of it, and of all the rest, is found."""
    return {
        "constant": 1.0,
        "best_sentence": likeness.claims.best_sentence,
        "whole_response_in_unit": likeness.whole_response_in_unit,
        "is_short": (likeness.claims.words < _SHORT).astype(np.float32),
    }


def _to_best(values: Matrix) -> Matrix:
    """The values of all sentences as shares of the highest one, row by row."""
    return ratio(values, values.max(axis=-1, keepdims=True, initial=0))


def _nearby(values: Matrix, words: Words) -> Matrix:
    """The higher of the two neighbours' values in the same document, row by row."""
    lengths = [len(places) for places in words.places if places]
    ends = list(accumulate(lengths))
    before = np.zeros_like(values)
    before[:, 1:] = values[:, :-1]
    after = np.zeros_like(values)
    after[:, :-1] = values[:, 1:]
    # The first sentence of a document has nothing before it, the last one nothing after it.
    before[:, [0, *ends][: len(ends)]] = 0
    after[:, [end - 1 for end in ends]] = 0
    return np.maximum(before, after)


def relevant_probability(likeness: Likeness, features: Features) -> Matrix:
    """How likely each document sentence is relevant, 0 to 1.

    The response helps, because likeness to the question alone tells little.
    """
    weights = RELEVANT if likeness.response_terms else RELEVANT_BY_QUESTION
    is_alike = likeness.response_cosine + likeness.question_cosine > 0
    probability: Matrix = _logistic(weights, features) * is_alike
    return probability


def utilized_probability(likeness: Likeness, features: Features) -> Matrix:
    """How likely the response draws on each document sentence, 0 to 1."""
    is_alike = likeness.response_cosine > 0
    probability: Matrix = _logistic(UTILIZED, features) * is_alike
    return probability


def expected_shares(
    relevant: Matrix,
    utilized: Matrix,
    features: Features,
) -> ExpectedShares | None:
    """What the probabilities of the document sentences lead to; `None` where none is relevant.

    To count the labels instead is worse than a constant, for utilization and for completeness:
    rounding takes away what is known of how sure they are.
    """
    if not relevant.any():
        return None
    # The more likely relevant sentence is not the less likely used one, so that the chance of both
    # is near the smaller of the two.
    both = np.minimum(relevant, utilized).sum()
    of_sample: Features = {
        "constant": 1.0,
        "expected_overlap": both / relevant.sum(),
        "documents": features["documents"],
        "likeliest_relevant": relevant.max(),
        "likeliest_utilized": utilized.max(),
    }
    utilized_of_relevant = float(_logistic(UTILIZED_OF_RELEVANT, of_sample))
    return ExpectedShares(
        utilized=round(float(utilized.mean()), 4),
        utilized_of_relevant=round(utilized_of_relevant, 4) if utilized.any() else 0.0,
        completeness=round(float(_logistic(COMPLETE, of_sample)), 4),
    )


def support_probability(likeness: Likeness) -> list[float]:
    """How likely each response sentence is supported, 0 to 1."""
    probability = _logistic(SUPPORTED, support_features(likeness))
    return list(map(float, probability))


def _logistic(weights: Weights, features: Features) -> Matrix:
    terms = [weight * features[name] for name, weight in weights.items()]
    total: Matrix = np.asarray(sum(terms))
    return np.asarray(1 / (1 + np.exp(-total)))


def rows_expected(probability: Matrix, at_least: int = 0) -> set[int]:
    """As many sentences as the probabilities add up to: the likeliest, and of equals the first."""
    # The sum is the number that is expected, and it is that number that the metrics divide.
    count = int(probability.sum() + 0.5)
    if count < at_least and probability.any():
        count = at_least
    likeliest_first = np.argsort(-probability, kind="stable")
    return set(likeliest_first[:count].tolist())
