"""What a person writes down about an answer while reading: free text, tags of their own, and what
facts its true answer has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from evaluators.errors import ParameterError
from evaluators.fact_recall import MOST_FACTS
from evaluators.people.records import YOU, PersonName
from evaluators.records import Nugget, Record
from evaluators.surrogates import without_surrogates
from evaluators.text.accepted import Spellings
from evaluators.text.language import say
from evaluators.text.normalise import one_line
from evaluators.text.printable import printable
from evaluators.text.words import counted

MOST_TEXT = 4_000
MOST_TAGS = 20
MOST_OF_A_TAG = 60
MOST_OF_FACTS = 20_000
"""Characters of all facts of an answer."""
OKAY = "[okay]"
"""Begins the line of a fact that is not vital."""

# A cell of a table holds all tags of an answer: what separates them there stands in none.
_SEPARATORS = re.compile("[,;\n]")


class Note(Record):
    """A note on one answer; `created` is UTC, as ISO.

    `facts` are those of the true answer in the person's eyes, as `lines_of` writes them; empty
    where they are those of the data.
    """

    text: Annotated[str, Field(max_length=MOST_TEXT)]
    tags: Annotated[
        tuple[Annotated[str, Field(max_length=MOST_OF_A_TAG)], ...], Field(max_length=MOST_TAGS)
    ]
    created: str
    person: PersonName = YOU
    facts: Annotated[str, Field(max_length=MOST_OF_FACTS)] = ""

    @property
    def nuggets(self) -> tuple[Nugget, ...]:
        nuggets = []
        for line in self.facts.splitlines():
            text = line.strip().removeprefix(OKAY).strip()
            if text:
                nuggets.append(Nugget(text=text, vital=not line.strip().startswith(OKAY)))
        return tuple(nuggets[:MOST_FACTS])

    @property
    def joined_tags(self) -> str:
        """The tags as one text, which `tags_in` takes apart again."""
        return ", ".join(self.tags)

    def in_a_line(self, most: int) -> str:
        """Tags and text, cut to this number of characters."""
        facts = counted(len(self.nuggets), "fact") if self.facts else ""
        parts = [self.joined_tags, " ".join(self.text.split()), facts]
        words = " · ".join(filter(None, parts))
        return words if len(words) <= most else f"{words[:most]}…"

    @property
    def is_empty(self) -> bool:
        return not (self.text or self.tags or self.facts)


def lines_of(facts: Iterable[tuple[Spellings, bool]]) -> str:
    """Facts a line each, in their first spelling; one that is not vital behind a mark."""
    return "\n".join(
        one_line(spellings[0] if vital else f"{OKAY} {spellings[0]}") for spellings, vital in facts
    )


def written(text: str, tags: Iterable[str], created: str, person: str = YOU) -> Note:
    """The note that somebody typed, tidied up.

    Raises `ParameterError` where it is longer than a note may be.
    """
    text = without_surrogates(text).replace("\r\n", "\n").strip()
    if len(text) > MOST_TEXT:
        raise ParameterError(
            say(
                "The note has {count:,} characters. Shorten it to {most:,}.",
                count=len(text),
                most=MOST_TEXT,
            )
        )
    own = tags_in(tags)
    if len(own) > MOST_TAGS:
        raise ParameterError(
            say("There are {count:,} tags. Keep {most} at most.", count=len(own), most=MOST_TAGS)
        )
    for tag in own:
        if len(tag) > MOST_OF_A_TAG:
            raise ParameterError(
                say(
                    "The tag “{start}…” has {count:,} characters. Shorten it to {most}, and "
                    "write the rest as a note.",
                    start=tag[:MOST_OF_A_TAG],
                    count=len(tag),
                    most=MOST_OF_A_TAG,
                )
            )
    return Note(text=text, tags=own, created=created, person=person)


def tags_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The tags in these texts, each once, whichever its case; a comma or semicolon separates."""
    tags: dict[str, str] = {}
    for text in texts:
        for part in _SEPARATORS.split(without_surrogates(text)):
            tag = " ".join(printable(part).split())
            if tag:
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())


def counted_tags(notes: Iterable[Note]) -> dict[str, int]:
    """The tags of these notes with how many of them have each, the most frequent first."""
    return dict(Counter(tag for note in notes for tag in note.tags).most_common())
