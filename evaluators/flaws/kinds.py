"""The kinds of flaws: how each is called, where it comes from, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from evaluators.records import Fault
from evaluators.text.language import mark


class Kind(NamedTuple):
    """A kind of flaw that an answer has or has not."""

    name: str
    """In files and for programs."""
    title: str
    meaning: str
    remedy: str
    place: str
    """Where it comes from: the retriever, the prompt, the model."""
    is_suspicion: bool = False
    """Whether an answer that has it must be read before it is called wrong."""
    is_of_labels: bool = False
    """Whether it is read from labels of sentences, so that it is as good as their labeller."""


RETRIEVER, PROMPT, MODEL = mark("Retriever"), mark("Prompt"), mark("Model")

DECLINED_WRONGLY = Kind(
    "declined_wrongly",
    title=mark("Declined although there was evidence"),
    meaning=mark("The answer says that it is not known, and the documents hold it."),
    remedy=mark(
        "Look where the evidence stands: far down or in the middle it is overlooked. Put fewer "
        "documents into the prompt, soften its words about declining, or take a stronger model."
    ),
    place=PROMPT,
    is_suspicion=True,
)
ANSWERED_WITHOUT = Kind(
    "answered_without_evidence",
    title=mark("Answered without evidence"),
    meaning=mark(
        "The documents do not hold the true answer, and one was given all the same. What it says "
        "may be supported: by something else than what was asked for."
    ),
    remedy=mark(
        "Mend the retrieval first: other pieces, more of them, hybrid search. Then tell the model "
        "to decline where the documents do not say."
    ),
    place=RETRIEVER,
)
UNSUPPORTED = Kind(
    "unsupported",
    title=mark("Says what no document says"),
    meaning=mark("A sentence of the answer has no support, or is only partly supported."),
    remedy=mark(
        "Tell the model to answer from the documents alone, lower its temperature, or take "
        "another model. Read three of them first: a judge may be wrong."
    ),
    place=MODEL,
    is_of_labels=True,
)
LEFT_OUT = Kind(
    "fact_left_out",
    title=mark("Leaves out what the documents hold"),
    meaning=mark("A fact of the true answer stands in the documents and not in the answer."),
    remedy=mark(
        "The model lost it: ask for a complete answer, allow a longer one, or put fewer documents "
        "into the prompt."
    ),
    place=MODEL,
    is_suspicion=True,
)
NOT_RETRIEVED = Kind(
    "fact_not_retrieved",
    title=mark("A fact was not retrieved"),
    meaning=mark("A fact of the true answer stands neither in the answer nor in the documents."),
    remedy=mark("Retrieve more pieces or other ones; look whether the source is indexed at all."),
    place=RETRIEVER,
    is_suspicion=True,
)
EMPTY = Kind(
    "empty",
    title=mark("The answer is empty"),
    meaning=mark("Nothing was answered."),
    remedy=mark("Allow the model more tokens: hidden reasoning may use them up."),
    place=MODEL,
)
CITES_OTHER = Kind(
    "cites_other_document",
    title=mark("Cites the wrong document"),
    meaning=mark("What a citation stands behind is carried by another document."),
    remedy=mark("Number the documents clearly in the prompt, and ask for a citation a sentence."),
    place=PROMPT,
    is_suspicion=True,
    is_of_labels=True,
)
CITES_NOTHING = Kind(
    "cites_missing_document",
    title=mark("Cites a document that is not there"),
    meaning=mark("A citation names a document that was not retrieved."),
    remedy=mark("Say in the prompt which numbers there are, and strike out what no document has."),
    place=MODEL,
)
UNCITED = Kind(
    "uncited",
    title=mark("Claims without a citation"),
    meaning=mark("The answer cites, but not behind every sentence that a document carries."),
    remedy=mark("Ask in the prompt for a citation behind every sentence."),
    place=PROMPT,
    is_of_labels=True,
)
OTHER_NUMBER = Kind(
    "other_number",
    title=mark("The evidence has another number"),
    meaning=mark("A supported sentence has a number that its evidence has not."),
    remedy=mark("Read them: labellers overlook swapped numbers more often than anything else."),
    place=MODEL,
    is_suspicion=True,
    is_of_labels=True,
)
OTHER_NAME = Kind(
    "other_name",
    title=mark("The evidence has another name"),
    meaning=mark("A supported sentence has a name that its evidence has not."),
    remedy=mark("Read them: the name may stand in another document, or belong to somebody else."),
    place=MODEL,
    is_suspicion=True,
    is_of_labels=True,
)
NEGATED = Kind(
    "negation",
    title=mark("A negation on one side only"),
    meaning=mark(
        "A supported sentence says “not” and its evidence does not, or the other way round."
    ),
    remedy=mark("Read them: one “not” turns the sense, and labellers pass over it."),
    place=MODEL,
    is_suspicion=True,
    is_of_labels=True,
)

SUSPECTED = (OTHER_NUMBER, OTHER_NAME, NEGATED)

IN_WORDS = {
    Fault.CONTRADICTS: mark("contradicts the documents"),
    Fault.WRONG_DETAIL: mark("wrong number or name"),
    Fault.ADDS: mark("adds to the documents"),
    Fault.ELSEWHERE: mark("true, but not in the documents"),
    Fault.UNKNOWN: mark("unknown kind"),
}
"""What is wrong with a sentence that is not fully supported, as its labeller says."""

KINDS = {
    kind.name: kind
    for kind in (
        ANSWERED_WITHOUT,
        DECLINED_WRONGLY,
        UNSUPPORTED,
        LEFT_OUT,
        NOT_RETRIEVED,
        EMPTY,
        CITES_NOTHING,
        CITES_OTHER,
        UNCITED,
        OTHER_NUMBER,
        OTHER_NAME,
        NEGATED,
    )
}
"""All kinds by their names; of as many answers the first is shown first."""
