"""Answers that came with a lesson, with the labels of their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.records import Labels, SentenceSupport, Support
from evaluators.text.sentences import cut
from evaluators.trace.metrics import TRACEScores, trace_scores


def lesson_scores(lesson: Mapping[str, Any], answer: Mapping[str, Any]) -> TRACEScores:
    """The TRACE values of an answer by its labels in the lesson's file.

    The lesson has `documents` and `relevant` keys; the answer has its `text`, a word of `support`
    for each of its sentences, and the keys it `used`.
    """
    sentences = cut(answer["text"], lesson["documents"])
    # Strict: should sentences be cut otherwise one day, the labels would slip by one unseen.
    supports = [
        SentenceSupport(key=sentence.key, support=Support(word))
        for sentence, word in zip(sentences.response, answer["support"], strict=True)
    ]
    labels = Labels(
        relevant_keys=tuple(lesson["relevant"]),
        utilized_keys=tuple(answer["used"]),
        sentence_support=tuple(supports),
    )
    return trace_scores(sentences, labels)
