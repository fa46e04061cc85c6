"""Whether an answer was given or declined, and whether the documents hold one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from evaluators.fact_recall import Fact, that_count
from evaluators.records import Ability, DocumentRole, Labels, Sample
from evaluators.rgb_rules import (
    NO_REJECTION,
    PRIMARY_REJECTION_PHRASES,
    REJECTION_KEYWORDS,
    AnswerReading,
    first_verdict,
    rejection_rules,
)
from evaluators.text.claimed import claimed
from evaluators.text.language import mark
from evaluators.trace.claims import is_refusal

ENOUGH = 0.5
"""The share of a true answer's facts that stands in documents which hold it."""
# "The cause is unknown" answers what the cause is, "the body is unable to store sugar" what it is.
ANSWERS_AS_WELL = frozenset(
    (
        *("unclear", "unknown", "unable to", "not able to", "cannot find"),
        *("not mentioned", "not provided", "not specified", "no relevant"),
    )
)
"""Words of the rules of RGB that a sentence may answer with."""

_READING = AnswerReading("documented", nfkc=True, remove_reasoning=True)
_TURN = re.compile(
    r"\W*(?:but|however|nevertheless|nonetheless|still|that said|yet|instead|though)\b"
    r"|\W*(?:但|然而|不过|可是)",
    re.IGNORECASE,
)
_TURNS_WITHIN = re.compile(r"\b(?:but|however|although)\b|但|然而|不过", re.IGNORECASE)


class Outcome(StrEnum):
    """What became of a question whose documents hold its answer or not."""

    ANSWERED = mark("answered with evidence")
    ANSWERED_WITHOUT = mark("answered without evidence")
    DECLINED = mark("declined rightly")
    DECLINED_WRONGLY = mark("declined although there was evidence")

    @classmethod
    def of(cls, *, holds: bool, declines: bool) -> Outcome:
        if declines:
            return cls.DECLINED_WRONGLY if holds else cls.DECLINED
        return cls.ANSWERED if holds else cls.ANSWERED_WITHOUT


class Basis(StrEnum):
    """By what it is known whether documents hold the answer."""

    ROLES = mark("the test bed")
    TRUTH = mark("the true answers")
    LABELS = mark("the labels")


class Evidence(NamedTuple):
    """Whether the documents of a sample hold the answer, and by what that is known."""

    is_there: bool
    basis: Basis


def declines(sentences: Sequence[str]) -> bool:
    """Whether an answer in sentences gives none: what it claims first says that it is not known.

    Where a later sentence turns back ("However, ...") and does not decline, it answers after all.
    """
    said = [claim.text for claim in claimed(sentences) if not claim.why_nothing]
    if not said or not sentence_declines(said[0]):
        return False
    return not any(_TURN.match(text) and not sentence_declines(text) for text in said[1:])


def sentence_declines(text: str) -> bool:
    """Whether a sentence says that the answer is not known, or cannot be given."""
    if is_refusal(text):
        return True
    rules = rejection_rules(_READING, text, PRIMARY_REJECTION_PHRASES, REJECTION_KEYWORDS)
    verdict = first_verdict(rules, NO_REJECTION)
    if not verdict.passed or ANSWERS_AS_WELL.issuperset(verdict.evidence):
        return False
    return not _TURNS_WITHIN.search(text)


def evidence_for(sample: Sample, labels: Labels | None, facts: Sequence[Fact]) -> Evidence | None:
    """Whether the documents hold the answer; `None` where nothing tells, or there are none.

    A test bed knows it of each document. Else it is the true answer, of whose vital `facts` at
    least half must stand there; and without one whether the labels (`None` of a labeller that only
    compares words) call a sentence relevant, where they say so.
    """
    if not any(map(str.strip, sample.retrieved_documents)):
        return None
    if sample.roles:
        # Of planted errors the answer is there, and wrong on purpose.
        if sample.rgb and sample.rgb.ability is Ability.COUNTERFACTUAL:
            return None
        return Evidence(DocumentRole.ANSWER in sample.roles, Basis.ROLES)
    if facts:
        asked = that_count(facts)
        held = sum(fact.in_documents for fact in asked)
        return Evidence(held >= ENOUGH * len(asked), Basis.TRUTH)
    if labels is None or labels.of_support_alone:
        return None
    return Evidence(bool(labels.relevant_keys), Basis.LABELS)
