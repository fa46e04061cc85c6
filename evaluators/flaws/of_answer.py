"""Every kind of flaw of one answer, read from the labels that its sentences have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from evaluators.fact_recall import Fact, Stands, that_count
from evaluators.flaws import declined, kinds
from evaluators.flaws.citations import Carries, Cited, citations
from evaluators.flaws.declined import Evidence, Outcome
from evaluators.flaws.facts import facts_of
from evaluators.flaws.kinds import KINDS, Kind
from evaluators.flaws.mismatches import Mismatch, mismatches
from evaluators.records import Fault, Labels, Sample, Sentences, SentenceSupport, Support
from evaluators.text.language import say
from evaluators.text.normalise import remove_reasoning
from evaluators.text.sentences import split_sentences
from evaluators.text.words import name_and_text

Declines = Callable[[str], bool]
"""Whether an answer gives none, by rules of a run's own."""


class LabelledAnswer(NamedTuple):
    """The sentences of an answer with the labels that count.

    A labeller that only compares words finds something relevant in any document.
    """

    sentences: Sentences
    labels: Labels
    compares_words: bool = False


class AnswerFlaws(NamedTuple):
    """What is wrong with an answer; of what cannot be judged there is nothing."""

    has: dict[Kind, bool]
    """Whether it has each kind of flaw, of those that apply to it."""
    declines: bool | None = None
    """`None` of an empty answer."""
    evidence: Evidence | None = None
    cited: Cited | None = None
    mismatches: tuple[Mismatch, ...] = ()
    facts: tuple[Fact, ...] = ()
    unsupported: tuple[SentenceSupport, ...] = ()
    """Of its sentences those that are not fully supported."""

    @property
    def outcome(self) -> Outcome | None:
        if self.declines is None or self.evidence is None:
            return None
        return Outcome.of(holds=self.evidence.is_there, declines=self.declines)

    def by_sentence(self) -> dict[str, list[str]]:
        """What is wrong with single sentences in words, by their keys."""
        said: dict[str, list[str]] = {}
        for citation in self.cited.citations if self.cited else ():
            if citation.carries is not Carries.RIGHT:
                words = name_and_text(citation.words, say(citation.carries.value))
                said.setdefault(citation.key, []).append(words)
        for key in self.cited.uncited if self.cited else ():
            said.setdefault(key, []).append(say("no citation"))
        for mismatch in self.mismatches:
            said.setdefault(mismatch.key, []).append(mismatch.in_words)
        for support in self.unsupported:
            if support.kind is not Fault.UNKNOWN:
                said.setdefault(support.key, []).append(say(kinds.IN_WORDS[support.kind]))
        return said

    def share_given(self, *, vital: bool) -> float | None:
        """How many of the vital facts, or of all, the answer gives; `None` where there is none."""
        facts = that_count(self.facts) if vital else self.facts
        return sum(fact.in_answer for fact in facts) / len(facts) if facts else None

    @property
    def kinds(self) -> list[Kind]:
        """Those that it has, in the order of `KINDS`."""
        return [kind for kind in KINDS.values() if self.has.get(kind)]


def flaws_of(
    sample: Sample,
    labelled: LabelledAnswer | None,
    first_document: int = 1,
    declines: Declines | None = None,
    judged_facts: Iterable[Fact] = (),
) -> AnswerFlaws:
    """The flaws of the sample's answer, with labels or without; citations count as `citations` do.

    By default `declined.declines` tells whether it was declined.
    """
    response = remove_reasoning(sample.response or "").strip()
    if not response:
        return AnswerFlaws({kinds.EMPTY: True})
    has = {kinds.EMPTY: False}
    texts = split_sentences(response)
    if labelled:
        texts = [sentence.text for sentence in labelled.sentences.response]
    is_declined = declines(response) if declines else declined.declines(texts)
    labels = labelled.labels if labelled and not labelled.compares_words else None
    supports = _supports(labelled) if labelled else []
    carried = " ".join(
        text
        for text, own in zip(texts, supports, strict=False)
        if own and own.support is Support.FULL and own.supporting_keys
    )
    facts = tuple(facts_of(sample, judged_facts, carried))
    evidence = declined.evidence_for(sample, labels, facts)
    if evidence:
        has[kinds.DECLINED_WRONGLY] = is_declined and evidence.is_there
        has[kinds.ANSWERED_WITHOUT] = not (is_declined or evidence.is_there)
    # A test bed has rules of its own for what is right.
    if not (is_declined or sample.rgb):
        has |= _of_facts(facts)
    if labelled is None:
        return AnswerFlaws(has, is_declined, evidence, facts=facts)
    cited = citations(labelled.sentences, labelled.labels, sample.sources, first_document)
    found = tuple(mismatches(labelled.sentences, labelled.labels, sample.question))
    has |= _of_citations(cited)
    labelled_ones = [own for own in supports if own]
    unsupported = tuple(own for own in labelled_ones if own.support is not Support.FULL)
    if labelled_ones and not is_declined:
        of_kinds = {mismatch.kind for mismatch in found}
        has |= {kind: kind in of_kinds for kind in kinds.SUSPECTED}
        has[kinds.UNSUPPORTED] = bool(unsupported)
    return AnswerFlaws(has, is_declined, evidence, cited, found, facts, unsupported)


def _supports(labelled: LabelledAnswer) -> list[SentenceSupport | None]:
    by_key = {own.key: own for own in labelled.labels.sentence_support}
    return [by_key.get(sentence.key) for sentence in labelled.sentences.response]


def _of_facts(facts: Sequence[Fact]) -> dict[Kind, bool]:
    stands = {fact.stands for fact in that_count(facts)}
    if not stands:
        return {}
    return {
        kinds.LEFT_OUT: Stands.DOCUMENTS in stands,
        kinds.NOT_RETRIEVED: Stands.NOWHERE in stands,
    }


def _of_citations(cited: Cited) -> dict[Kind, bool]:
    said = {citation.carries for citation in cited.citations}
    if not said:
        return {}
    return {
        kinds.CITES_NOTHING: Carries.FABRICATED in said,
        kinds.CITES_OTHER: Carries.OTHER in said,
        kinds.UNCITED: bool(cited.uncited),
    }
