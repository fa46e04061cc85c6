"""What of an answer claims something: its sentences as they are compared with the documents.

Citation marks, list numbers and emphasis are taken out; a heading, the head of a table, a source
line and a word to the reader claim nothing. What is shown, labelled and stored keeps them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from evaluators.text import marks, reader
from evaluators.text.language import mark

NO_CLAIM = mark(
    "A sentence that claims nothing counts as supported: a remark that the documents do not give "
    "the answer, a heading, a table head, a source line, a word to the reader. Citation marks, "
    "list numbers and emphasis claim nothing either."
)
"""The rule as everybody is told it who labels, judges or reads: screens, prompt, lesson, docs."""

_SOURCE = mark("it names a source")
_HEADING = mark("it is a heading")
_HEAD = mark("it is the head of a table")
_TO_READER = mark("it speaks to the reader")

# Most answers hold none of these, and are compared as they stand.
_MARKS = (
    *"[【［⟦*_`|#(（<^\u20e3¹²³⁰⁴⁵⁶⁷⁸⁹",
    *(
        "source",
        "reference",
        "citation",
        "for more",
        "for further",
        "informationen",
        "quelle",
        "documents:",
        "document:",
        "来源",
        "出处",
        "参考",
        "资料",
        "文献",
    ),
)

# Behind a stop, or before what opens an aside where the stop is missing.
_OPENS_ASIDE = (
    r"(?:Let (?:me|us)|I hope|Hope|Feel free|Please|If you|Is there|Do you|Don't|Would you|Thank"
    r"|I'm|I am|Should you|Happy|Glad|Always|Have|You're|You are|Good|Best|Kind|Enjoy|Cheers"
    r"|Take|Just|Any|Anything|Want|Does|Shall|It was|Gern|Gerne|Viele?|Kann|Möchte[nst]*"
    r"|Melden?|Sagen?|Mit|Für|Schöne[nrs]?|Vielen|(?:Sources?|References?|Quellen?)(?=:)|Ich hoffe"
    r"|Hoffentlich|Bei|Falls|Wenn|Lassen?|Haben|Hast)\b"
)
_BETWEEN = rf"\s(?:(?<=[.!?]\s)\s*+|(?<=\w[\w)\"'”’%*]\s)\s*+(?={_OPENS_ASIDE}))"
_BETWEEN_PARTS = re.compile(rf"{_BETWEEN}|(?<=[。！？])")
_BETWEEN_IN_ASCII = re.compile(_BETWEEN)


class Claimed(NamedTuple):
    """What a sentence claims, or why it claims nothing."""

    text: str
    why_nothing: str = ""


def claimed(sentences: Sequence[str]) -> list[Claimed]:
    """What each sentence of an answer claims, marks apart."""
    whole = "\n".join(sentences).lower()
    of_layout = [sign for sign in _MARKS if sign in whole]
    to_reader = reader.may_speak(whole)
    has_numbers = marks.may_hold_item_numbers(whole)
    if not (of_layout or to_reader or has_numbers):
        return [Claimed(text) for text in sentences]
    numbers = marks.ItemNumbers()
    lists_sources = False
    result = []
    for index, text in enumerate(sentences):
        lower = text.lower()
        is_marked = any(sign in lower for sign in of_layout)
        may_speak = to_reader and reader.may_speak(lower)
        said = text
        if is_marked or lists_sources:
            is_listed = lists_sources and marks.names_a_source(text, is_listed=True)
            lists_sources = is_listed or marks.opens_sources(text)
            why_nothing = _SOURCE if lists_sources else _why_nothing(sentences, index)
            if why_nothing:
                result.append(Claimed(text, why_nothing))
                continue
            said = marks.without_emphasis(marks.without_citations(text))
            if index and marks.has_word(text) and not marks.has_word(said):
                result.append(Claimed(text, _SOURCE))
                continue
        if not marks.has_word(said):
            result.append(Claimed(text))
            continue
        if is_marked or may_speak:
            said = _without_asides(said, may_speak)
        if has_numbers and marks.may_hold_item_numbers(said):
            said = numbers.removed_from(said, is_last=index == len(sentences) - 1)
        result.append(Claimed(said, "" if marks.has_word(said) else _TO_READER))
    return result


def _why_nothing(sentences: Sequence[str], index: int) -> str:
    text = sentences[index]
    following = sentences[index + 1] if index + 1 < len(sentences) else ""
    before = sentences[index - 1] if index else ""
    if marks.is_source_line(text):
        return _SOURCE
    if marks.is_head(text, following):
        return _HEAD
    if marks.is_heading(text, before, following):
        return _HEADING
    return ""


def _without_asides(text: str, may_speak: bool) -> str:
    """The text without its parts that name a source or speak to the reader."""
    kept = []
    between = _BETWEEN_IN_ASCII if text.isascii() else _BETWEEN_PARTS
    for part in between.split(text):
        is_aside = may_speak and reader.speaks_to_reader(part)
        if not is_aside and not marks.is_source_line(part):
            kept.append(part)
    said = " ".join(kept)
    return reader.without_opening(said) if may_speak else said
