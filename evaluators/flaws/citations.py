"""Citations in an answer, held against the labels: which document carries what they stand behind.

`[1]`, `[1, 2]`, `[1-3]`, `[^1]`, `(Doc 3)`, `【1】`, superscripts, and names of files where the
sources of the documents are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from evaluators.records import Labels, Sentence, Sentences, Support
from evaluators.text import marks
from evaluators.text.claimed import claimed
from evaluators.text.language import mark
from evaluators.text.normalise import nfkc

MOST_IN_A_RANGE = 10
"""Documents of "[1-3]"; what names more is no range."""
MOST_READ = 300
"""Citations of one answer that are read."""
MOST_OF_A_MARK = 60
"""Characters of a citation as it is written."""

_NUMBER = re.compile(r"(\d{1,3})(?:\s?[-–]\s?(\d{1,3}))?")
_FILE = re.compile(r"[\w%+-][\w%+. -]{0,80}\.[a-z0-9]{2,5}\b", re.IGNORECASE)


class Carries(StrEnum):
    """What the labels say of a citation."""

    RIGHT = mark("correct")
    OTHER = mark("another document carries it")
    NOTHING = mark("no document carries it")
    FABRICATED = mark("there is no such document")


class Citation(NamedTuple):
    """A document that an answer names, with the sentence that it stands behind."""

    key: str
    words: str
    """As it is written."""
    document: int | None
    """Counted from 0; `None` where there is none."""
    carries: Carries


class Cited(NamedTuple):
    """The citations of an answer, and which of its supported claims have a right one."""

    citations: tuple[Citation, ...]
    claims: tuple[str, ...]
    """Keys of the sentences that claim something and are supported."""
    cited_claims: tuple[str, ...]

    @property
    def precision(self) -> float | None:
        """Right citations / all; `None` of an answer that cites nothing."""
        if not self.citations:
            return None
        right = sum(citation.carries is Carries.RIGHT for citation in self.citations)
        return right / len(self.citations)

    @property
    def recall(self) -> float | None:
        """Supported claims with a right citation / supported claims, of an answer that cites."""
        if not (self.citations and self.claims):
            return None
        return len(self.cited_claims) / len(self.claims)

    @property
    def uncited(self) -> tuple[str, ...]:
        """The supported claims of an answer that cites which have no citation at all."""
        if not self.citations:
            return ()
        behind = {citation.key for citation in self.citations}
        return tuple(key for key in self.claims if key not in behind)


class _Mark(NamedTuple):
    """A citation as it is written: numbers of documents, or names of files."""

    words: str
    numbers: tuple[int, ...]
    files: tuple[str, ...]


def numbers_cited(answer: str) -> frozenset[int]:
    """The numbers by which a text names documents."""
    return frozenset(number for _, one in _citation_marks(answer) for number in one.numbers)


def first_number(cited: Iterable[tuple[frozenset[int], int]]) -> int:
    """From which number answers count documents, 0 or 1.

    Of each answer the numbers that it cites are given, and how many documents it has. It is 0 where
    one cites document 0, and none a number as high as it has documents.
    """
    cites_zero = False
    for numbers, documents in cited:
        if documents in numbers:
            return 1
        cites_zero |= 0 in numbers
    return 0 if cites_zero else 1


def citations(
    sentences: Sentences,
    labels: Labels,
    sources: Sequence[str] = (),
    first: int = 1,
) -> Cited:
    """What the labels say of each citation; documents count from `first`, files by `sources`."""
    supports = {item.key: item for item in labels.sentence_support}
    document_of = {
        item.key: number for number, own in enumerate(sentences.documents) for item in own
    }
    # Of two documents from one file the first.
    names = {_file_name(source): place for place, source in reversed([*enumerate(sources)])}
    documents = len(sentences.documents) - sentences.turns
    found: list[Citation] = []
    claims: list[str] = []
    for claim, every in _behind_claims(sentences.response):
        support = supports.get(claim.key)
        is_supported = support is not None and support.support is not Support.NONE
        keys = support.supporting_keys if support and is_supported else ()
        carriers = {document_of[key] for key in keys if key in document_of}
        if carriers:
            claims.append(claim.key)
        named = ((one, to) for one in every for to in _documents_named(one, names, first))
        for one, document in islice(named, MOST_READ - len(found)):
            carries = _carries(document, carriers, documents)
            there = None if carries is Carries.FABRICATED else document
            found.append(Citation(claim.key, one.words, there, carries))
    right = {item.key for item in found if item.carries is Carries.RIGHT}
    return Cited(tuple(found), tuple(claims), tuple(key for key in claims if key in right))


def _carries(document: int | None, carriers: set[int], documents: int) -> Carries:
    if document is None or not 0 <= document < documents:
        return Carries.FABRICATED
    if document in carriers:
        return Carries.RIGHT
    return Carries.OTHER if carriers else Carries.NOTHING


def _documents_named(one: _Mark, names: Mapping[str, int], first: int) -> Iterator[int | None]:
    yield from (number - first for number in one.numbers)
    # Without names of documents nobody knows which one a file is.
    for file in one.files if any(names) else ():
        yield names.get(_file_name(file))


def _file_name(source: str) -> str:
    """The name of a file without its folders and what says where in it: "report.pdf, page 3"."""
    found = _FILE.search(nfkc(source).replace("\\", "/").rpartition("/")[2])
    return PurePosixPath(found[0].strip()).name.lower() if found else ""


def _behind_claims(response: Sequence[Sentence]) -> Iterator[tuple[Sentence, list[_Mark]]]:
    """Each sentence that claims something, with the citations in it or alone behind it."""
    behind: list[tuple[Sentence, list[_Mark]]] = []
    left = MOST_READ
    every = claimed([sentence.text for sentence in response])
    for sentence, claim in zip(response, every, strict=True):
        text = sentence.text
        says_something = marks.has_word(marks.without_citations(text))
        opening: list[_Mark] = []
        own: list[_Mark] = []
        read = 0
        for start, one in islice(_citation_marks(text), left):
            left -= 1
            # "It is Paris. [1] It has ...": what opens a sentence stands behind the one before.
            opens = not own and not marks.has_word(marks.without_citations(text[read:start]))
            (opening if opens and behind else own).append(one)
            read = start
        if opening:
            behind[-1][1].extend(opening)
        if says_something and not claim.why_nothing:
            behind.append((sentence, own))
        elif own and behind and not says_something:
            behind[-1][1].extend(own)
    yield from behind


def _citation_marks(text: str) -> Iterator[tuple[int, _Mark]]:
    """The citations in a text with the places where they begin."""
    for start, words in marks.citations(text):
        plain = nfkc(words)
        files = tuple(name.strip() for name in _FILE.findall(plain))
        numbers = () if files else tuple(islice(_numbers(plain), MOST_READ))
        if numbers or files:
            # One mark may be a run of superscripts as long as the answer, and each number says it.
            yield start, _Mark(words.strip()[:MOST_OF_A_MARK], numbers, files)


def _numbers(words: str) -> Iterator[int]:
    # "【4:0†source】" counts the files by its first number.
    for begin, end in _NUMBER.findall(words.partition(":")[0] if "†" in words else words):
        last = int(end or begin)
        if int(begin) <= last < int(begin) + MOST_IN_A_RANGE:
            yield from range(int(begin), last + 1)
        else:
            yield from (int(begin), last)
