"""Sentences and their keys: 0a, 0b, 1a for documents; a, b, c for the response.

The cuts are those of the published RAGBench sentences, found by comparison: lines, then the Punkt
algorithm (Kiss & Strunk 2006) on each line, then pieces too short to stand alone glued to a
neighbour.

Three rules go beyond the published cuts. The end of a line is not the end of a sentence where the
next one begins in lower case, and a subject with its verb ("Birds fly.") is a sentence: each
changes 4 of the 7,868 published documents and none of their 2,980 responses. And the number of a
list item opens the item, where there it ends the sentence before ("... include: 1."); an item, a
heading, a row of a table and a source line stay apart, however short, and citation marks are no
words. That changes 82 of the documents and 678 of the responses, those with lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from pydantic import TypeAdapter

from evaluators.records import Sentence, Sentences
from evaluators.surrogates import without_surrogates
from evaluators.text import marks, punkt, reader
from evaluators.text.normalise import IDEOGRAPHS, remove_reasoning
from evaluators.text.remembered import remembered
from evaluators.text.word_lists import words_in

MIN_WORDS = 3
"""A piece with fewer words, counted at single spaces, is a sentence only with a verb of its own."""

MOST_SPACES_IF_SHORT = 20
"""With more, a piece is a sentence, whatever citation marks and rules of tables it holds."""

# A line of a list is rarely as long, and a column of a PDF rarely narrower.
WRAPPED_FROM = 40
"""Characters from which on a line is one of a paragraph even where all begin in lower case."""

UNFINISHED = frozenset({"al.", "e.g.", "et.", "etc.", "i.e."})
"""A sentence that ends with one of these words goes on in the next piece."""

PRONOUNS = frozenset(["i", "you", "he", "she", "it", "we", "they", "who", "nobody", "everybody"])
"""What follows one of them, alone or as in "it's", can be taken for a verb without knowing it."""

LONGEST_COURTESY = 500
"""Characters of what may be words to the reader."""

_SENTENCES = TypeAdapter(tuple[Sentence, ...])
# "b)", "iv."
_LIST_LETTER = re.compile(r"(?:[a-z]|[ivx]{2,4})[.)]")
# A question claims nothing, and "Need help?" has no subject; "Anonymous said..." is not whole.
_TWO_WORDS = re.compile(r"""([A-Z][\w-]*+)(?:['’][a-z]+)? ([a-z]++)[.!]["')\]]*""")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
# A full stop of Chinese, or ! and ? after a Chinese character, with the quotes that close after it.
_CHINESE_STOP = re.compile(rf"(?:[。！？；]|(?<=[{IDEOGRAPHS}])[!?])[。！？；!?]*[”’」』）》]*\s*")


def split_sentences(text: str) -> list[str]:
    """Cut a text into sentences.

    White space between sentences is dropped, at the start of a line it is kept. A line break
    within a sentence becomes a space.
    """
    return list(_cut_into_sentences(text))


# A passage comes again: retrieved for other questions, measured in a form and then judged, shown on
# a page. All 2,048 texts that are remembered take some 20 MB at most.
@remembered(most=2048, longest=4_000)
def _cut_into_sentences(text: str) -> list[str]:
    pieces: list[str] = []
    for line in _unbroken_lines(text):
        for part in _chinese_parts(line):
            cut_part = filter(str.strip, punkt.sentences_of(part))
            pieces += marks.with_item_numbers(cut_part)
    return _continue_unfinished(_glue_short(pieces))


@lru_cache(maxsize=1024)
def letters(index: int) -> str:
    """Name a position as a spreadsheet names its columns: 0 is a, 25 is z, 26 is aa."""
    name = ""
    while index >= 0:
        index, letter = divmod(index, 26)
        name = chr(ord("a") + letter) + name
        index -= 1
    return name


def document_sentences(documents: Sequence[str]) -> tuple[tuple[Sentence, ...], ...]:
    """The sentences of each document, keyed by its number and letters: 0a, 0b, 1a, 1z, 1aa."""
    return tuple(_with_keys(document, str(number)) for number, document in enumerate(documents))


def response_sentences(response: str) -> tuple[Sentence, ...]:
    """The sentences of the response, keyed by letters: a, b, ..., z, aa."""
    return _with_keys(response, "")


def cut(response: str, documents: Sequence[str], turns: Sequence[str] = ()) -> Sentences:
    """Documents, earlier turns behind them, and response in keyed sentences.

    A model's reasoning is not a part of its response.
    """
    return Sentences(
        documents=document_sentences([*documents, *turns]),
        response=response_sentences(remove_reasoning(response)),
        turns=len(turns),
    )


def _with_keys(text: str, prefix: str) -> tuple[Sentence, ...]:
    sentences = []
    for index, sentence in enumerate(split_sentences(without_surrogates(text))):
        sentences.append({"key": prefix + letters(index), "text": sentence})
    # All at once: a third of the time that their constructors take.
    return _SENTENCES.validate_python(sentences)


def _unbroken_lines(text: str) -> Iterator[str]:
    """The lines of a text, those put together that were broken in the middle of a sentence.

    That is where the next line begins in lower case. Whether a full stop ends the line before is
    left to Punkt, which knows abbreviations.
    """
    parts = [""]
    may_be_a_list = False
    for line in text.split("\n"):
        before, is_lower = parts[-1], _begins_in_lower_case(line)
        # A colon or a semicolon ends a line of a list rather than one of a paragraph.
        may_be_broken = bool(before) and not before.endswith((":", ";"))
        may_be_broken = may_be_broken and not marks.is_heading_line(before)
        # The lines of a list may all begin in lower case, but so may a chunk of a wrapped text.
        is_wide = len(before) >= WRAPPED_FROM or not may_be_a_list
        if is_lower and may_be_broken and is_wide:
            parts.append(line.strip())
        else:
            yield " ".join(parts)
            parts, may_be_a_list = [line.rstrip()], is_lower
    yield " ".join(parts)


def _begins_in_lower_case(line: str) -> bool:
    """Whether the first word is in lower case, and not the letter of a list item such as "b)"."""
    first_word = "".join(line.split(maxsplit=1)[:1])
    # All of the word, as a line that begins with "iPhone" may be a heading.
    is_lower = first_word[:1].islower() and first_word.islower()
    return is_lower and not _LIST_LETTER.fullmatch(first_word)


def _chinese_parts(line: str) -> Iterator[str]:
    """Cut after Chinese stops, and after `!` and `?` that follow a Chinese character."""
    if line.isascii():
        return iter((line,))
    stops = [stop.end() for stop in _CHINESE_STOP.finditer(line)]
    cuts = [0, *stops, len(line)]
    return (line[start:end] for start, end in pairwise(cuts))


def _glue_short(pieces: Iterable[str]) -> list[str]:
    """Join a short piece to the sentence before it; at the start of the text, to the next one.

    An item of a numbered list, a heading, a row of a table and a source line stay apart.
    """
    sentences: list[list[str]] = []
    has_opening = False
    is_after_heading = False
    for piece in pieces:
        opens = marks.opens_sentence(piece)
        if sentences and sentences[-1][-1].endswith("!") and piece.startswith("["):
            # Punkt cuts a Markdown image, "![title](address)", behind its first character.
            opens = False
        if sentences and not has_opening and not opens:
            # "Paris\nHappy to help!" claims something, but not in its second line.
            # Joined for such a piece only: of ten thousand stops it took time by their square.
            opens = reader.speaks_to_reader(piece) and not _speaks(sentences[-1])
        is_short = not opens and _is_short(piece)
        is_part = (is_short or not has_opening) and not opens and not is_after_heading
        if sentences and is_part:
            sentences[-1].append(piece)
        else:
            sentences.append([piece])
        has_opening = has_opening or not is_short
        is_after_heading = opens and marks.is_heading_line(piece)
    return [" ".join(parts) for parts in sentences]


def _speaks(parts: Sequence[str]) -> bool:
    """Whether the sentence so far speaks to the reader; a long one, which would be read again for
    each piece that does, counts as none.
    """
    return sum(map(len, parts)) <= LONGEST_COURTESY and reader.speaks_to_reader(" ".join(parts))


def _is_short(piece: str) -> bool:
    """Whether a piece is too short to be a sentence.

    Chinese has no spaces between words, so a piece with a Chinese character never is.
    """
    spaces = piece.count(" ")
    if spaces > MOST_SPACES_IF_SHORT or _IDEOGRAPH.search(piece):
        return False
    # Citation marks are no words, nor is the rule of a table.
    words = marks.without_citations(piece) if spaces else piece
    if words.rstrip().count(" ") >= MIN_WORDS - 1 and marks.has_word(words):
        return False
    return not _is_clause(words)


def _is_clause(piece: str) -> bool:
    """Whether a piece is a subject and a verb: "Birds fly.", "Prices doubled.", "It's free."."""
    words = _TWO_WORDS.fullmatch(piece.strip())
    if not words:
        return False
    subject, verb = words.groups()
    return subject.lower() in PRONOUNS or verb.endswith("ed") or verb in words_in("verbs.txt")


def _continue_unfinished(sentences: Iterable[str]) -> list[str]:
    """Join a sentence to the one before it where that one ends in "e.g." or its like."""
    joined: list[list[str]] = []
    is_unfinished = False
    for sentence in sentences:
        if is_unfinished:
            joined[-1].append(sentence)
        else:
            joined.append([sentence])
        is_unfinished = sentence.rpartition(" ")[2] in UNFINISHED
    return [" ".join(parts) for parts in joined]
