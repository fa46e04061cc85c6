"""A person's word on an answer: who said it, when, how the answer came before that person."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from evaluators.records import Cell, Record
from evaluators.text.language import mark

YOU = mark("you")
"""Who labels where nobody gave a name."""
LONGEST_NAME = 40

PersonLabelKind = Literal["relevant", "utilized", "support", "supported_by", "verdict", "sample"]
QueueDrawn = Literal["by verdict", "by doubt", "by filter"]
"""The ways in which a queue is drawn."""
Drawn = Literal["by hand", "at random", "in class"] | QueueDrawn
"""How a sample came before a person; at random and by verdict (at random inside each of the
labeller's verdicts) are those that figures may be drawn from. What a class said is a labeller's
word beside the others, and corrects nothing.
"""
Stratum = Literal["yes", "no", "mixed"]
RANDOM: tuple[Drawn, ...] = ("at random", "by verdict")
"""How labels that a mean may rest on were drawn."""

DONE, CANNOT_TELL, SKIPPED = mark("done"), mark("cannot tell"), mark("skipped")
ALLOWED: Mapping[str, tuple[str, ...]] = {
    "relevant": ("yes", "no"),
    "utilized": ("yes", "no"),
    "support": ("full", "partial", "none"),
    "verdict": ("yes", "no"),
    "sample": (DONE, CANNOT_TELL, SKIPPED),
}
"""The values that a label may have; one of "supported_by" is the key of a document sentence."""


def _a_name(name: str) -> str:
    # What cannot be seen would make two people look like one.
    visible = name.replace(" ", "")
    is_hidden = any(unicodedata.category(character)[0] in "CZ" for character in visible)
    if is_hidden or name != name.strip():
        raise ValueError("a name has no hidden characters, and no spaces around it")
    return name


def _a_time(text: str) -> str:
    datetime.fromisoformat(text)
    return text


Short = Annotated[str, Field(max_length=200)]
"""Keys, hashes and names of values: all that a label holds beside a person's name."""
PersonName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_a_name)]


def folded_name(name: str) -> str:
    """By which two names are the same: look-alikes in width or case are."""
    return unicodedata.normalize("NFKC", name).casefold()


class PersonLabel(Record):
    """One label that a person gave, and when (UTC, ISO).

    `key` is that of the sentence: of a document for "relevant" and "utilized" (yes, no), of the
    answer for "support" (full, partial, none) and "supported_by" (the key of the document sentence
    that carries it); `sentence` is the hash of its text, empty where none was kept. Of a "verdict"
    it names a value of the metric, and yes or no is what that value is in the person's eyes. Of
    the whole "sample" (done, cannot tell, skipped) it is empty.

    `blind` tells that no labeller's labels were in sight; `probability` is that of the sample being
    drawn within its stratum, `None` where it was not drawn at random; `queue` is the id of the
    queue that it stood in.
    """

    person: PersonName = YOU
    label: PersonLabelKind
    key: Short = ""
    value: Short
    sentence: Short = ""
    created: Annotated[Short, AfterValidator(_a_time)]
    blind: bool = False
    drawn: Drawn = "by hand"
    probability: float | None = Field(None, gt=0, le=1)
    queue: Short = ""

    @model_validator(mode="after")
    def _value_fits_label(self) -> Self:
        if self.value not in ALLOWED.get(self.label, (self.value,)):
            raise ValueError(f"{self.label} cannot be set to {self.value!r:.40}")
        return self


class LabelledSample(Record):
    """One metric's values of an answer beside what people, or published labels, say of it.

    `judged` is what the run's own labeller gave; `people` holds only values that people's labels
    determine (of several people by the rule of `people.labels`). `stratum` is the labeller's
    verdict, see `stratum_of`. `by` names who labelled: people, or "gold".
    """

    cell: Cell
    judged: dict[str, float | None]
    people: dict[str, float]
    stratum: Stratum
    drawn: Drawn | Literal["not known"] = "by hand"
    probability: float | None = None
    blind: bool = False
    by: tuple[str, ...]


def stratum_of(values: Mapping[str, float | None]) -> Stratum:
    """The verdict by which an answer is drawn and counted: of TRACE whether it is all supported.

    Of other metrics "yes" where every value that applies is 1, "no" where each is 0; all else is
    "mixed".
    """
    verdicts = [values["adherence"]] if "adherence" in values else list(values.values())
    different = set(verdicts) - {None}
    if different == {1.0}:
        return "yes"
    return "no" if different == {0.0} else "mixed"
