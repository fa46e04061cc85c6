"""Context recall: the share of the true answer's sentences that the documents support.

Source: RAGAS, "Context Recall" (attributed statements / all statements, each with a reason). Here
the statements are the true answer's own sentences, so that a judge can leave none out and add
none. Without a judge, a sentence counts by the words that one document shares with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from pydantic import SkipValidation

from evaluators import arguments
from evaluators.arguments import Documents
from evaluators.base import Evaluator, evaluator, require
from evaluators.llm import LLMClient
from evaluators.records import Accepted, JudgeEvidence, Record, Sample, Score
from evaluators.statements import (
    NO_TRUTH,
    Classifications,
    by_key,
    classify,
    keyed,
    statements,
)
from evaluators.surrogates import without_surrogates
from evaluators.text.accepted import Spellings
from evaluators.text.language import mark
from evaluators.text.similarity import STOP, terms

TEMPLATE = "context_recall_en"
ATTRIBUTED_FROM = 0.7
"""On 1,488 labelled sentences of RAGBench it finds 70 % of the supported, 76 % of the others."""

NO_CONTENT = mark("The true answer has no content word that could be looked for.")
NO_DOCUMENTS = mark("No document was retrieved.")
_WORDS_HELD = mark("One document holds {held} of its {all} content words.")
_WORD_HELD = mark("One document holds {held} of its {all} content word.")


class Statement(Record):
    """One statement of the ground truth, and whether it can be attributed to the documents."""

    statement: str
    reason: str = ""
    attributed: bool


@evaluator(
    "context_recall",
    title=mark("Context recall"),
    needs=("question", "retrieved_documents", "ground_truth"),
)
class ContextRecall(Evaluator):
    """How much of the true answer the documents support: attributed / all sentences, by a judge.

    Reads the question, the documents and the true answer, not the answer. One call a sample.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge."""

    def score(self, sample: Sample) -> Score:
        """The share of attributed statements; without documents it is 0.

        A ground truth without a sentence is not applicable. Raises `AccessError` without a judge,
        `LLMError` where it does not classify every statement.
        """
        require((), sample, self.title)
        truths = statements(sample.ground_truth)
        if not truths:
            return Score(values={self.name: None}, reason=NO_TRUTH)
        if not any(map(str.strip, sample.retrieved_documents)):
            unsupported = [_classified_statement(truth, NO_DOCUMENTS, False) for truth in truths]
            return _recall_score(self.name, unsupported)
        statement_of = keyed(truths)
        answer = classify(self.judge(), TEMPLATE, sample, statement_of, Classifications)
        classified = by_key(answer.value.classification, statement_of)
        judged = []
        for key, truth in statement_of.items():
            verdict = classified[key]
            judged.append(_classified_statement(truth, verdict.reason, verdict.attributed))
        return _recall_score(self.name, judged, answer.evidence)

    def evaluate(
        self,
        question: str,
        contexts: Documents,
        ground_truth: Accepted,
    ) -> Score:
        """The score of one row under RAGAS's names; `contexts` may be one text or several."""
        return self.score(_row(question, contexts, ground_truth))


@evaluator(
    "context_recall_lexical",
    title=mark("Context recall (lexical)"),
    needs=("retrieved_documents", "ground_truth"),
)
class LexicalContextRecall(Evaluator):
    """Context recall without a judge: attributed sentences / all sentences, by shared words.

    A sentence counts as attributed if one document holds at least 70 % of its content words.
    Sentences without a content word are left out. The value is an estimate: words tell neither a
    negation nor who did what.
    """

    def score(self, sample: Sample) -> Score:
        """Judges the sample; a ground truth without a content word is not applicable."""
        require((), sample, self.title)
        truths = statements(sample.ground_truth)
        documents = [frozenset(terms(document)) for document in sample.retrieved_documents]
        judged = []
        for truth in truths:
            best = _most_words_held(truth, documents)
            if best:
                text = _WORDS_HELD if best.words > 1 else _WORD_HELD
                reason = text.format(held=best.held, all=best.words)
                is_attributed = best.share >= ATTRIBUTED_FROM
                judged.append(_classified_statement(truth, reason, is_attributed))
        if not judged:
            reason = NO_CONTENT if truths else NO_TRUTH
            return Score(values={self.name: None}, reason=reason)
        return _recall_score(self.name, judged)

    def evaluate(
        self,
        question: str,
        contexts: Documents,
        ground_truth: Accepted,
    ) -> Score:
        """The score of one row under RAGAS's names; the question is not looked at."""
        return self.score(_row(question, contexts, ground_truth))


def _row(question: object, contexts: object, ground_truth: object) -> Sample:
    return Sample(
        id="item",
        question=arguments.text(question, "question"),
        retrieved_documents=arguments.retrieved(contexts, "contexts"),
        ground_truth=arguments.accepted(ground_truth, "ground_truth"),
    )


def _recall_score(
    name: str,
    judged: Sequence[Statement],
    evidence: JudgeEvidence | None = None,
) -> Score:
    attributed = sum(statement.attributed for statement in judged)
    listed = [statement.model_dump() for statement in judged]
    return Score(
        values={name: attributed / len(judged)},
        evidence=evidence,
        details={"statements": listed},
    )


def _classified_statement(
    spellings: Spellings,
    reason: str,
    is_attributed: bool,
) -> Statement:
    return Statement(
        statement=" / ".join(spellings),
        reason=without_surrogates(reason),
        attributed=is_attributed,
    )


class _WordsHeld(NamedTuple):
    """How many of a spelling's content words one document holds."""

    held: int
    words: int

    @property
    def share(self) -> float:
        return self.held / self.words


def _most_words_held(
    spellings: Spellings, documents: Sequence[frozenset[str]]
) -> _WordsHeld | None:
    """What the best document holds of the spelling of which it holds most.

    `None` where no spelling has a content word.
    """
    contents = [frozenset(terms(spelling)) - {STOP} for spelling in spellings]
    contents = [content for content in contents if content]
    if not contents:
        return None
    # Where no document holds a word, the first spelling stands for all.
    best = _WordsHeld(0, len(contents[0]))
    for words, document in product(contents, documents):
        count = _WordsHeld(len(words & document), len(words))
        if count.share > best.share:
            best = count
    return best
