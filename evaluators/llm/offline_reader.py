"""The offline reader: a deterministic baseline without an LLM, which quotes documents.

It quotes the best supported sentences. A sentence scores by how much of the question it covers, by
whether it holds the kind of answer asked for (date, number, name), and by how many other documents
hold the same answer. Nothing in it is trained, and it knows nothing but the documents: where all of
them carry the same error, it repeats the error.
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
"""The part of the coverage that is the whole document's: sentences say "it" and "there"."""

VALUE_BONUS = 0.1
"""What two values of the kind that is asked for add to a score; one adds half of it."""

AGREEMENT_BONUS = 0.3
"""What it adds that all other documents hold the sentence's two commonest values as well."""

SAME_STATEMENT = 0.6
"""The share of common words from which two sentences are taken to make the same statement."""

LONGEST_VALUE = 6
"""Words; a longer difference between two sentences is more than another value."""

LONGEST_SENTENCE = 400
"""Characters; what is longer is a page without full stops, and is cut."""

MOST_PARTS = 4
"""Things that a question may ask for; each takes a look at every sentence."""

# Cut before white space or a Chinese stop where one is near enough, else in the middle of a word.
_PIECE = re.compile(
    rf"\S.{{0,{LONGEST_SENTENCE - 1}}}(?=[\s，。、；]|$)|\S.{{0,{LONGEST_SENTENCE - 1}}}", re.DOTALL
)

# Words that ask: no sentence of a document repeats the "what date" that it answers.
_ASKING = re.compile(
    r"\b(?:date|year|month|day|time|location|name|place|(?<=how )(?:many|much))\b"
    "|是?什么(?:时候)?|是?多少[个人]?|何时|时间|日期|地点|哪[一几]?[个些年天月日号家部里座位颗]?|几[个年月日号位]"
    "|是?谁|叫|分别|都?有|[的了是在吗呢请]",
    re.IGNORECASE,
)
# Where a question goes on to a second thing. Not the comma in 1,000, nor 和 within 《a title》.
_SEPARATOR = re.compile(
    r"\band\b|,(?!\s?\d)|[;，、；？]|[和与及](?![^《》]{0,40}》)", re.IGNORECASE
)

# Tried in this order: "what year" asks for a date, and only what is none of the others for a thing.
_KINDS = {
    "date": re.compile(
        r"\b(?:when|date|time|(?:which|what) (?:year|month|day))\b"
        r"|时间|日期|哪.?[年天]|何时|什么时候|几[月号日]",
        re.IGNORECASE,
    ),
    # "How many", "how high" and the like, but not "how did".
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
# May 3, 3 May, May, 1889 (a year from 1000 to 2099), 14:30; 1889年, 5月3日, 五月.
_DATE = re.compile(
    rf"{_MONTH} \d{{1,2}}\b|\b\d{{1,2}} {_MONTH}|{_MONTH}|\b(?:1\d|20)\d\d\b|\d{{1,2}}:\d\d"
    rf"|\d{{2,4}}年|\d{{1,2}}月\d{{1,2}}[日号]|\d{{1,2}}月|(?<![{_NUMERALS}])[{_NUMERALS}]+[年月日]",
    re.IGNORECASE,
)
# 1,000 and 3.5; 一百, but not 一 alone, which is a part of many words; "one" is mostly a pronoun.
_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)*|[一二三四五六七八九十百千万两]{2,}"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
# A capitalised word. One that begins a sentence is taken for a name too, which does little harm:
# values count for more where other documents hold them as well.
_NAME = re.compile(r"\b[A-Z][\w'’-]+")


class Line(NamedTuple):
    """A sentence of a document, and the words in it."""

    text: str
    document: int
    words: tuple[str, ...]


Pages = Sequence[Sequence[Line]]
"""The sentences of every document."""


class QuestionPart(NamedTuple):
    """One thing that a question asks for.

    It is the kind of answer, what each word of the question weighs, and the sum of the weights.
    """

    kind: str
    weights: dict[str, float]
    total: float

    def coverage(self, words: Iterable[str]) -> float:
        """The share of the question's weight that the words hold, from 0 to 1."""
        # Asked of every sentence: the intersection takes no longer for a longer question.
        held = self.weights.keys() & set(words)
        return math.fsum(self.weights[word] for word in held) / self.total


class Claim(NamedTuple):
    """A sentence as the answer to one part.

    How far it covers the question, and the values that it offers.
    """

    line: Line
    coverage: float
    values: frozenset[str]


class OfflineReader:
    """Answers from the documents alone.

    It quotes them, declines, or says that they contradict each other.
    """

    model = "offline-reader"
    prompt_budget: int | None = None
    title = "Offline reader (baseline, no key)"

    def complete(self, prompt: Prompt) -> Completion:
        """Reads the question and the documents of the prompt, never the rest.

        Costs no tokens and never fails.
        """
        language = "zh" if is_chinese(prompt.question) else "en"
        pages = []
        for number, document in enumerate(prompt.documents):
            pages.append(_document_lines(document, number))
        question_words = frozenset(_asked_words(prompt.question))
        quotes: list[str] = []
        is_contradicted = False
        for part in _question_parts(prompt.question, pages):
            line = _best_line(part, question_words, pages)
            if line is None:
                continue
            rival = _rival(line, part, question_words, pages)
            if rival is not None:
                is_contradicted = True
                line = _better_supported(line, rival, pages)
            if line.text not in quotes:
                quotes.append(line.text)
        if not quotes:
            return Completion(text=MARKERS[language].rejection)
        if is_contradicted:
            quotes.insert(0, MARKERS[language].errors)
        # Chinese has no space between sentences.
        return Completion(text=("" if language == "zh" else " ").join(quotes))


def _document_lines(document: str, number: int) -> list[Line]:
    """The sentences of a document."""
    lines = []
    # "..." stands for a gap in a search result, and ends a sentence as well.
    for stretch in re.split(r"\.{3,}|…+", document):
        for sentence in map(str.strip, split_sentences(stretch)):
            is_long = len(sentence) > LONGEST_SENTENCE
            for piece in _PIECE.findall(sentence) if is_long else [sentence]:
                if piece:
                    lines.append(Line(piece, number, _content_words(piece)))
    return lines


def _content_words(text: str) -> tuple[str, ...]:
    """The stems of the content words; in Chinese, pairs of characters."""
    content = [term for term in terms(text) if term != STOP]
    # A single Chinese character says too little: nearly every sentence shares some.
    return tuple(term for term in content if len(term) > 1 or term.isascii())


def _asked_words(question: str) -> list[str]:
    """The words that an answer would repeat, without those that only ask ("what date")."""
    words: list[str] = []
    for piece in _SEPARATOR.split(question):
        for stretch in _ASKING.split(piece):
            words += _content_words(stretch)
    return words


def _answer_kind(question: str) -> str:
    """The kind of answer asked for: date, number, name or thing; empty where no word tells."""
    for kind, pattern in _KINDS.items():
        if pattern.search(question):
            return kind
    return ""


def _question_parts(question: str, pages: Pages) -> list[QuestionPart]:
    """Cuts "who ... and when ..." in two.

    Each part keeps the words of the other that most documents hold: what both are about.
    """
    question_words = _asked_words(question)
    words_of_pages = _words_of_pages(pages)
    pages_with = Counter(chain.from_iterable(words_of_pages))
    topic = set()
    for word in question_words:
        # A year that all documents hold is still something that one part asks about.
        if pages_with[word] > len(pages) / 2 and not word.isdigit():
            topic.add(word)
    parts: list[QuestionPart] = []
    for piece in _SEPARATOR.split(question):
        own = set(_asked_words(piece))
        if not own or not pages or len(parts) == MOST_PARTS:
            continue
        weights = {}
        for word in question_words:
            if word in own or word in topic:
                weights[word] = rarity(len(pages), pages_with[word])
        kind = _answer_kind(piece) or _answer_kind(question)
        total = math.fsum(weights.values())
        parts.append(QuestionPart(kind, weights, total))
    return parts


def _words_of_pages(pages: Pages) -> list[set[str]]:
    words_of_pages = []
    for page in pages:
        words: set[str] = set()
        for line in page:
            words.update(line.words)
        words_of_pages.append(words)
    return words_of_pages


def _best_line(
    part: QuestionPart,
    question_words: frozenset[str],
    pages: Pages,
) -> Line | None:
    """The sentence with the highest score, the first of equals.

    `None` where all stay below `MIN_SCORE`.
    """
    claims: list[Claim] = []
    for page in pages:
        claims += _claims(page, part, question_words)
    # A set: a document that says a value twice counts once.
    offered = {(value, claim.line.document) for claim in claims for value in claim.values}
    documents_with = Counter(value for value, _ in offered)
    others = max(1, len(pages) - 1)

    def score(claim: Claim) -> float:
        # Without the document that makes the claim.
        agreeing = [documents_with[value] - 1 for value in claim.values]
        agreeing.sort(reverse=True)
        # At most two values count, or long sentences full of numbers would win.
        for_values = VALUE_BONUS * min(2, len(claim.values)) / 2
        for_agreement = AGREEMENT_BONUS * (sum(agreeing[:2]) / 2) / others
        return claim.coverage + (for_values + for_agreement)

    top = max(claims, key=score, default=None)
    return top.line if top and score(top) >= MIN_SCORE else None


def _claims(
    page: Sequence[Line],
    part: QuestionPart,
    question_words: frozenset[str],
) -> list[Claim]:
    """The sentences of one document that are related and hold the kind of answer asked for."""
    context = CONTEXT * part.coverage(word for line in page for word in line.words)
    claims = []
    for line in page:
        coverage = context + (1 - CONTEXT) * part.coverage(line.words)
        if coverage < RELATED:
            continue
        values = _values_in(line, part.kind, question_words)
        if values:
            claims.append(Claim(line, coverage, values))
    return claims


def _values_in(line: Line, kind: str, question_words: frozenset[str]) -> frozenset[str]:
    """The dates, numbers or names in a sentence that the question does not hold itself.

    Of any other kind its words, without those of the question.
    """
    if kind == "date":
        values = _DATE.findall(line.text)
    elif kind == "number":
        values = _NUMBER.findall(_DATE.sub(" ", line.text))
    elif kind == "name":
        values = _NAME.findall(line.text)
    else:
        return frozenset(line.words) - question_words
    # What the question says itself is not what it asks for.
    new = [value for value in values if not question_words.issuperset(_content_words(value))]
    return frozenset(value.lower() for value in new)


def _rival(
    line: Line,
    part: QuestionPart,
    question_words: frozenset[str],
    pages: Pages,
) -> Line | None:
    """A sentence of another document that makes the same statement with another value."""
    for page in pages:
        for other in page:
            if other.document == line.document:
                continue
            if _contradicts(line, other, part.kind, question_words):
                return other
    return None


def _contradicts(
    line: Line,
    other: Line,
    kind: str,
    question_words: frozenset[str],
) -> bool:
    """Whether two sentences share most words and differ in a short stretch.

    They must agree on the words of the question: else they are about two things.
    """
    here = set(line.words)
    there = set(other.words)
    longer = max(len(here), len(there))
    if len(here & there) < SAME_STATEMENT * longer:
        return False
    # Without `autojunk`, which takes the commonest words of a long sentence for noise.
    matcher = SequenceMatcher(None, line.words, other.words, autojunk=False)
    changes = []
    for step, start, end, other_start, other_end in matcher.get_opcodes():
        if step == "replace":
            changes.append((line.words[start:end], other.words[other_start:other_end]))
    for before, after in changes:
        if not question_words.isdisjoint(before + after):
            return False
    for before, after in changes:
        if _can_be_value(before, kind) and _can_be_value(after, kind):
            return True
    return False


def _can_be_value(words: tuple[str, ...], kind: str) -> bool:
    if len(words) > LONGEST_VALUE:
        return False
    text = " ".join(words)
    has_number = bool(_NUMBER.search(text) or _DATE.search(text))
    return has_number or kind not in {"date", "number"}


def _better_supported(line: Line, rival: Line, pages: Pages) -> Line:
    """The side whose own words more documents hold; the first one where both have as many."""
    only_here = set(line.words) - set(rival.words)
    only_there = set(rival.words) - set(line.words)
    words_of_pages = _words_of_pages(pages)
    for_rival = sum(only_there <= words for words in words_of_pages)
    for_line = sum(only_here <= words for words in words_of_pages)
    return rival if for_rival > for_line else line
