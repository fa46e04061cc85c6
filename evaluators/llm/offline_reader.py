"""The offline reader: a deterministic baseline that quotes the best supported sentences, without an
LLM.

A sentence scores by how much of the question it covers, by whether it holds the kind of answer
asked for (date, number, name), and by how many other documents hold the same answer. Nothing in it
is trained, and it knows nothing but the documents: where all of them carry the same error, it
repeats the error.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import chain
from typing import NamedTuple

from evaluators.prompts import MARKERS, Prompt
from evaluators.records import Completion
from evaluators.text.normalise import is_chinese
from evaluators.text.sentences import split_sentences
from evaluators.text.similarity import STOP, rarity, terms

MIN_SCORE = 0.7
"""Below this the reader declines."""

RELATED = 0.3
"""The coverage from which a sentence may answer, and has a say in what the documents agree on."""

CONTEXT = 0.3
"""The part of the coverage that is the whole document's,
for sentences that say "it" and "there".
"""

VALUE_BONUS = 0.1
AGREEMENT_BONUS = 0.3

SAME_STATEMENT = 0.6
"""The share of common words from which two sentences are taken to make the same statement."""

LONGEST_VALUE = 6
"""Words; a longer difference between two sentences is more than another value."""

LONGEST_SENTENCE = 400
"""Characters; what is longer is a page without full stops, and is cut."""

MOST_PARTS = 4

_PIECE = re.compile(
    rf"\S.{{0,{LONGEST_SENTENCE - 1}}}(?=[\s，。、；]|$)|\S.{{0,{LONGEST_SENTENCE - 1}}}", re.DOTALL
)

_ASKING = re.compile(
    r"\b(?:date|year|month|day|time|location|name|place|(?<=how )(?:many|much))\b"
    "|是?什么(?:时候)?|是?多少[个人]?|何时|时间|日期|地点|哪[一几]?[个些年天月日号家部里座位颗]?|几[个年月日号位]"
    "|是?谁|叫|分别|都?有|[的了是在吗呢请]",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"\band\b|,(?!\s?\d)|[;，、；？]|[和与及](?![^《》]{0,40}》)", re.IGNORECASE
)

_KINDS = {
    "date": re.compile(
        r"\b(?:when|date|time|(?:which|what) (?:year|month|day))\b"
        r"|时间|日期|哪.?[年天]|何时|什么时候|几[月号日]",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\bhow "
        r"(?!do|does|did|is|are|was|were|has|have|can|could|to\b)\w+|\b(?:number|percentage|price|revenue)\b"
        "|多[少高长大远]|几|数量|人数|[率量额]",
        re.IGNORECASE,
    ),
    "name": re.compile(r"\b(?:who|whom|whose|where)\b", re.IGNORECASE),
    "thing": re.compile(r"\b(?:which|what)\b|什么|哪|谁", re.IGNORECASE),
}
_NUMERALS = "〇零一二三四五六七八九十"
_MONTH = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?"
_DATE = re.compile(
    rf"{_MONTH} \d{{1,2}}\b|\b\d{{1,2}} {_MONTH}|{_MONTH}|\b(?:1\d|20)\d\d\b|\d{{1,2}}:\d\d"
    rf"|\d{{2,4}}年|\d{{1,2}}月\d{{1,2}}[日号]|\d{{1,2}}月|(?<![{_NUMERALS}])[{_NUMERALS}]+[年月日]",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)*|[一二三四五六七八九十百千万两]{2,}"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-Z][\w'’-]+")


class Line(NamedTuple):
    """A sentence of a document, and the words in it."""

    text: str
    document: int
    words: tuple[str, ...]


Pages = Sequence[Sequence[Line]]
"""The sentences of every document."""


class Part(NamedTuple):
    """One thing that a question asks for: the kind of answer, what each word of the question
    weighs, and all of them.

    It is asked of every sentence, so it takes the time of the sentence, however long the question
    is.
    """

    kind: str
    weights: dict[str, float]
    total: float

    def coverage(self, words: Iterable[str]) -> float:
        """The share of the question's weight that the words hold, from 0 to 1."""
        return (
            math.fsum(self.weights[word] for word in self.weights.keys() & set(words)) / self.total
        )


class Claim(NamedTuple):
    """A sentence as the answer to one part: how far it covers the question, and the values that it
    offers.
    """

    line: Line
    coverage: float
    values: frozenset[str]


class OfflineReader:
    """Answers from the documents alone: quotes, declines, or says that the documents contradict
    each other.
    """

    model = "offline-reader"
    prompt_budget: int | None = None
    title = "Offline reader (baseline, no key)"

    def complete(self, prompt: Prompt) -> Completion:
        """Reads the question and the documents of the prompt, never the rest; costs no tokens and
        never fails.
        """
        language = "zh" if is_chinese(prompt.question) else "en"
        pages = [_read(document, number) for number, document in enumerate(prompt.documents)]
        asked = frozenset(_asked_words(prompt.question))
        best = [(part, _best(part, asked, pages)) for part in _parts(prompt.question, pages)]
        found = [(part, line) for part, line in best if line]
        if not found:
            return Completion(text=MARKERS[language].rejection)
        rivals = [_rival(line, part, asked, pages) for part, line in found]
        opening = [MARKERS[language].errors] if any(rivals) else []
        quotes = [
            _better(line, rival, pages).text for (_, line), rival in zip(found, rivals, strict=True)
        ]
        return Completion(
            text=("" if language == "zh" else " ").join([*opening, *dict.fromkeys(quotes)])
        )


def _read(document: str, number: int) -> list[Line]:
    """Cuts a document into sentences; "..." stands for a gap in a search result and ends one as
    well.
    """
    return [
        Line(piece, number, _words(piece))
        for stretch in re.split(r"\.{3,}|…+", document)
        for sentence in split_sentences(stretch)
        for piece in _pieces(sentence.strip())
    ]


def _pieces(sentence: str) -> list[str]:
    if len(sentence) <= LONGEST_SENTENCE:
        return [sentence] if sentence else []
    return _PIECE.findall(sentence)


def _words(text: str) -> tuple[str, ...]:
    """The stems of the content words; in Chinese, pairs of characters."""
    return tuple(term for term in terms(text) if term != STOP and (len(term) > 1 or term.isascii()))


def _asked_words(question: str) -> list[str]:
    """The words that an answer would repeat, without those that only ask ("what date")."""
    return [
        word
        for piece in _SEPARATOR.split(question)
        for stretch in _ASKING.split(piece)
        for word in _words(stretch)
    ]


def _kind(question: str) -> str:
    """The kind of answer asked for: date, number, name or thing; nothing where no word tells."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(question)), "")


def _parts(question: str, pages: Pages) -> list[Part]:
    """Cuts "who ... and when ..." in two; each part keeps the words of the other that most
    documents hold.
    """
    asked = _asked_words(question)
    held = [{word for line in page for word in line.words} for page in pages]
    weight = rarity(held)
    in_pages = Counter(chain.from_iterable(held))
    topic = {word for word in asked if in_pages[word] > len(pages) / 2 and not word.isdigit()}
    pieces = [
        (piece, own)
        for piece in _SEPARATOR.split(question)
        if pages and (own := set(_asked_words(piece)))
    ]
    parts = []
    for piece, own in pieces[:MOST_PARTS]:
        kept = own | topic
        weights = {word: weight(word) for word in asked if word in kept}
        parts.append(Part(_kind(piece) or _kind(question), weights, math.fsum(weights.values())))
    return parts


def _best(part: Part, asked: frozenset[str], pages: Pages) -> Line | None:
    """The sentence with the highest score, the first of equals; nothing where all stay below
    `MIN_SCORE`.
    """
    claims = [claim for page in pages for claim in _claims(page, part, asked)]
    holders = Counter(
        value
        for value, _ in {(value, claim.line.document) for claim in claims for value in claim.values}
    )

    def score(claim: Claim) -> float:
        agreeing = sum(sorted((holders[value] - 1 for value in claim.values), reverse=True)[:2]) / 2
        bonus = VALUE_BONUS * min(2, len(claim.values)) / 2 + AGREEMENT_BONUS * agreeing / max(
            1, len(pages) - 1
        )
        return claim.coverage + bonus

    top = max(claims, key=score, default=None)
    return top.line if top and score(top) >= MIN_SCORE else None


def _claims(page: Sequence[Line], part: Part, asked: frozenset[str]) -> list[Claim]:
    """The sentences of one document that are related to the question and hold the kind of answer
    asked for.
    """
    context = CONTEXT * part.coverage(word for line in page for word in line.words)
    covered = [(line, context + (1 - CONTEXT) * part.coverage(line.words)) for line in page]
    claims = [
        Claim(line, coverage, _values(part.kind, line, asked))
        for line, coverage in covered
        if coverage >= RELATED
    ]
    return [claim for claim in claims if claim.values]


def _values(kind: str, line: Line, asked: frozenset[str]) -> frozenset[str]:
    """The dates, numbers or names in a sentence that the question does not hold itself; else its
    other words.
    """
    if kind == "date":
        found = _DATE.findall(line.text)
    elif kind == "number":
        found = _NUMBER.findall(_DATE.sub(" ", line.text))
    elif kind == "name":
        found = _NAME.findall(line.text)
    else:
        return frozenset(line.words) - asked
    return frozenset(value.lower() for value in found if not asked.issuperset(_words(value)))


def _rival(line: Line, part: Part, asked: frozenset[str], pages: Pages) -> Line | None:
    """A sentence of another document that makes the same statement with another value."""
    others = (other for page in pages for other in page if other.document != line.document)
    return next((other for other in others if _contradicts(line, other, part.kind, asked)), None)


def _contradicts(line: Line, other: Line, kind: str, asked: frozenset[str]) -> bool:
    """Whether two sentences share most words, agree on those of the question, and differ in a short
    stretch.
    """
    here, there = set(line.words), set(other.words)
    if len(here & there) < SAME_STATEMENT * max(len(here), len(there)):
        return False
    steps = SequenceMatcher(None, line.words, other.words, autojunk=False).get_opcodes()
    changes = [
        (line.words[a:b], other.words[c:d]) for step, a, b, c, d in steps if step == "replace"
    ]
    if any(not asked.isdisjoint(one + two) for one, two in changes):
        return False
    return any(_can_be_value(one, kind) and _can_be_value(two, kind) for one, two in changes)


def _can_be_value(words: tuple[str, ...], kind: str) -> bool:
    text = " ".join(words)
    has_number = bool(_NUMBER.search(text) or _DATE.search(text))
    return len(words) <= LONGEST_VALUE and (has_number or kind not in {"date", "number"})


def _better(line: Line, rival: Line | None, pages: Pages) -> Line:
    """The side whose own words more documents hold; the first one where both have as many, or there
    is no other.
    """
    if rival is None:
        return line
    only_here, only_there = set(line.words) - set(rival.words), set(rival.words) - set(line.words)
    held = [{word for other in page for word in other.words} for page in pages]
    return (
        rival
        if sum(only_there <= words for words in held) > sum(only_here <= words for words in held)
        else line
    )
