"""Fact recall: which facts of the true answer (nuggets) the answer gives, and who lost the others.

A fact that the documents hold and the answer does not give was lost by the generator, one that
stands in neither by the retriever. Source: nugget recall as in TREC's tracks on RAG (Pradeep et
al., arXiv 2504.15068): its nuggets, or the true answer's own sentences, all of them vital.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum

from pydantic import Field, SkipValidation, TypeAdapter, ValidationError

from evaluators.base import Evaluator, evaluator, require
from evaluators.llm import LLMClient
from evaluators.messages import Text
from evaluators.records import Record, Sample, SampleResult, Score
from evaluators.statements import (
    NO_TRUTH,
    Classification,
    Classifications,
    by_key,
    classify,
    keyed,
    statements,
)
from evaluators.surrogates import without_surrogates
from evaluators.text.accepted import Spellings
from evaluators.text.language import mark
from evaluators.text.normalise import remove_reasoning
from evaluators.values import Value

NAME = "fact_recall"
MOST_FACTS = 200
"""Facts of one answer by which its flaws go."""
TEMPLATE = "fact_recall_en"


class Stands(StrEnum):
    """Where a fact stands."""

    ANSWER = mark("in the answer")
    DOCUMENTS = mark("only in the documents")
    NOWHERE = mark("nowhere")


class Fact(Record):
    """A fact of a true answer, as its first spelling; a judge says why."""

    text: Text
    in_answer: bool
    in_documents: bool
    reason: Text = ""
    vital: bool = Field(True, exclude_if=lambda vital: vital)

    @property
    def stands(self) -> Stands:
        if self.in_answer:
            return Stands.ANSWER
        return Stands.DOCUMENTS if self.in_documents else Stands.NOWHERE


def true_facts(sample: Sample) -> list[tuple[Spellings, bool]]:
    """The facts of the true answer, each in its spellings, and whether it is vital."""
    if sample.nuggets:
        return [((without_surrogates(own.text),), own.vital) for own in sample.nuggets]
    return [(spellings, True) for spellings in statements(sample.ground_truth)]


def that_count(facts: Sequence[Fact]) -> Sequence[Fact]:
    """The vital ones, or all where none is."""
    return [fact for fact in facts if fact.vital] or facts


class FactVerdict(Classification):
    """What a judge says of the fact with this key: `attributed` is that the documents hold it."""

    given: bool
    """Whether the answer gives it."""


class FactVerdicts(Classifications):
    """What a judge answers: a verdict for each fact."""

    classification: tuple[FactVerdict, ...]


VALUES = {
    Stands.ANSWER: Value(
        NAME,
        meaning=mark("facts of the true answer that the answer gives"),
        formula=mark("facts given / all facts"),
        ideal=mark("high"),
        advice=mark("Low: see who lost them, the generator or the retriever."),
    ),
    Stands.DOCUMENTS: Value(
        "facts_left_out",
        meaning=mark("facts that only the documents hold: the generator lost them"),
        ideal=mark("low"),
        advice=mark("High: ask for a complete answer, or put fewer documents into the prompt."),
    ),
    Stands.NOWHERE: Value(
        "facts_not_retrieved",
        meaning=mark("facts that stand in neither: the retriever lost them"),
        ideal=mark("low"),
        advice=mark("High: retrieve more pieces, or other ones."),
    ),
}


@evaluator(
    NAME,
    title=mark("Fact recall"),
    needs=("question", "response", "ground_truth"),
    values=[*VALUES.values()],
)
class FactRecall(Evaluator):
    """How many facts of the true answer are given, left out or not retrieved, by a judge.

    Each value is such facts / all facts, so that the three make 1. The facts are the sentences of
    the true answer, or its required answers, or the nuggets of the data, of which the vital ones
    count. One call a sample; the run's flaws go by it.
    """

    llm_client: SkipValidation[LLMClient | None] = None
    """The judge."""

    def score(self, sample: Sample) -> Score:
        """The three shares; a true answer without a sentence is not applicable.

        Raises `AccessError` without a judge, `LLMError` where it leaves out a fact.
        """
        require(("response",), sample, self.title)
        truths = true_facts(sample)
        if not truths:
            return Score(values={value.name: None for value in self.values}, reason=NO_TRUTH)
        fact_of = keyed([spellings for spellings, _ in truths])
        response = remove_reasoning(sample.response or "")
        answer = classify(self.judge(), TEMPLATE, sample, fact_of, FactVerdicts, response=response)
        verdicts = by_key(answer.value.classification, fact_of)
        facts = []
        for (key, truth), (_, vital) in zip(fact_of.items(), truths, strict=True):
            verdict = verdicts[key]
            facts.append(
                Fact(
                    text=truth[0],
                    in_answer=verdict.given,
                    in_documents=verdict.attributed,
                    reason=without_surrogates(verdict.reason),
                    vital=vital,
                )
            )
        counted = that_count(facts)
        stand = Counter(fact.stands for fact in counted)
        return Score(
            values={value.name: stand[where] / len(counted) for where, value in VALUES.items()},
            evidence=answer.evidence,
            details={"facts": [fact.model_dump() for fact in facts]},
        )


_FACTS = TypeAdapter(tuple[Fact, ...])


def facts_said(results: Iterable[SampleResult]) -> tuple[Fact, ...]:
    """The facts as a judge has told them in one of an answer's results."""
    for result in results:
        if result.score and NAME in result.score.values:
            facts = result.score.details.get("facts")
            # A file of strangers may hold anything there.
            with suppress(ValidationError):
                return _FACTS.validate_python(facts)[:MOST_FACTS]
    return ()
