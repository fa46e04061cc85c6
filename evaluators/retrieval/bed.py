"""An RGB test bed from documents and questions with their answers, without an LLM.

Positive documents are chunks that hold the answer, negatives those that rank high by BM25 and do
not. An answer of several parts that no chunk holds whole makes a row of integration. For planted
errors the answer is replaced in its chunks by another of its kind that the documents hold.
"""

from __future__ import annotations

import json
import re
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from evaluators.config import config
from evaluators.datasets.rgb import PASSAGES, BedRow, TestBed
from evaluators.declared import checks_types
from evaluators.errors import DatasetError
from evaluators.flaws.facts import SAYS_LITTLE
from evaluators.flaws.mismatches import NUMBER as NUMBERS
from evaluators.flaws.planting import NUMBER, Source, planted
from evaluators.named_files import write_file
from evaluators.records import Sample
from evaluators.retrieval.dataset import (
    Chunk,
    Settings,
    check_amounts,
    check_retrieved_text,
    chunks,
    facts_of_search,
    name_after,
)
from evaluators.retrieval.documents import Document
from evaluators.retrieval.index import Index, index
from evaluators.text.accepted import groups
from evaluators.text.language import mark, say
from evaluators.text.normalise import is_chinese, nfkc, one_line, without_spaces
from evaluators.text.printable import printable
from evaluators.text.similarity import STOP, terms
from evaluators.text.words import counted

LOOKED_AT = 100
"""Chunks of each search that are looked at for the answer."""
NEAR = 20
"""Chunks that are near a question: one with the answer that is not among them may be by chance."""
MOST_NEGATIVE = 20
MOST_PARTS = 20
"""Required answers, and spellings of each; of more each chunk would be read for each of them."""
MOST_READ = 1_000_000_000
"""Characters of chunks that are read for all answers of a bed: some ten to thirty seconds."""
LOOK = 100
"""Characters that are read in the time that it takes to look into a chunk at all."""
SHORT, MANY = 2, 10
"""Signs of an answer, and chunks that hold it, from which on it may stand there by chance."""
ENOUGH = 0.8
"""The share of an answer's words by which a document may hold it otherwise spelled."""
MOST_NAMES = 5
"""The names that stand most often are drawn from: others are mostly no names."""
_NAMES = re.compile(r"(?<=[a-z0-9,;)] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_DATES = {word.lower() for word in (*month_name, *day_name) if word}
PLANTED_ID = "{} planted"

_SHORT = mark("The answer is short and may stand there by chance.")
_MANY = mark("Many chunks hold the answer; some may not answer the question.")
_FAR = mark("No chunk with the answer is among the best for the question.")
_FEW = mark("There are fewer negative documents than a prompt has places.")
_WORDS = mark("A negative document has most words of the answer.")
_NAME = mark("Another name took the answer's place; it may be of another kind.")
_NO_ANSWER = mark("It has no true answer.")
_SAYS_LITTLE = mark("Yes and no stand in texts by chance.")
_MANY_PARTS = mark("Its true answer has too many parts or spellings.")
_NOT_HELD = mark("No chunk near the question holds its answer.")
_NO_NEGATIVE = mark("No other chunk shares a word with it.")


class MadeRow(NamedTuple):
    """A row with where its positive documents stand, and why a person should look at it.

    Doubts are English, to be said where they are shown.
    """

    row: BedRow
    sources: tuple[str, ...]
    doubts: tuple[str, ...] = ()


class LeftOut(NamedTuple):
    """A question that became no row; the reason is English, to be said where it is shown."""

    id: str
    question: str
    reason: str


@dataclass(frozen=True, repr=False)
class MadeBed:
    """A test bed before it is used: its rows with their doubts, and the questions left out."""

    name: str
    rows: tuple[MadeRow, ...]
    left_out: tuple[LeftOut, ...] = ()
    origin: dict[str, Any] = field(default_factory=dict)

    @property
    def bed(self) -> TestBed:
        rows = tuple(made.row for made in self.rows)
        return TestBed(name=self.name, rows=rows, origin=self.origin)

    @property
    def doubtful_first(self) -> list[MadeRow]:
        # Sorting keeps the order of what is equal.
        return sorted(self.rows, key=lambda made: -len(made.doubts))

    def without(self, ids: Iterable[str]) -> MadeBed:
        """The same without the rows of these ids."""
        dropped = set(ids)
        kept = tuple(made for made in self.rows if made.row.id not in dropped)
        return replace(self, rows=kept)

    @checks_types()
    def save(self, path: str | Path) -> Path:
        """Writes the rows as an official test bed: JSON lines that `load_data` reads.

        Raises `DatasetError` where there is no row.
        """
        if not self.rows:
            reasons = " ".join(dict.fromkeys(say(own.reason) for own in self.left_out))
            raise DatasetError(say("No question makes a row. {reasons}", reasons=reasons))
        return write_file(path, "".join(f"{line}\n" for line in self.lines()))

    def __repr__(self) -> str:
        return printable(counts_in_words(self))

    def lines(self) -> Iterator[str]:
        """The rows as the official files have them, in JSON."""
        for made in self.rows:
            yield json.dumps(made.row.model_dump(exclude_defaults=True), ensure_ascii=False)


def make_bed(
    documents: Sequence[Document],
    questions: Sequence[Sample],
    settings: Settings | None = None,
    seed: int = 0,
    name: str = "",
) -> MadeBed:
    """The rows that these questions and their true answers make with the documents.

    The same seed plants the same errors. Raises `DatasetError` beyond a limit.
    """
    settings = settings or Settings()
    limits = config()
    check_amounts(documents, questions, limits)
    pool = chunks(documents, settings)
    texts = [chunk.text for chunk in pool]
    maker = _Maker(pool, index(texts, settings.embedding_model, lambda share: None), seed)
    rows: list[MadeRow] = []
    left_out: list[LeftOut] = []
    size = 0
    for question in questions:
        made = maker.rows(question)
        if isinstance(made, str):
            left_out.append(LeftOut(question.id, question.question, made))
            continue
        rows += made
        size += sum(len(row.model_dump_json()) for row, *_ in made)
        check_retrieved_text(size, limits)
    origin = {"retrieval": facts_of_search(documents, pool, settings)}
    return MadeBed(name or name_after(documents), tuple(rows), tuple(left_out), origin)


class _Text:
    """A chunk made comparable with answers."""

    def __init__(self, text: str) -> None:
        self.is_chinese = is_chinese(text)
        self.text = _comparable(text, is_chinese=self.is_chinese)


def _comparable(text: str, *, is_chinese: bool) -> str:
    lower = nfkc(text).lower()
    return without_spaces(lower) if is_chinese else one_line(lower)


def _whole(spelling: str) -> re.Pattern[str]:
    escaped = r"\s+".join(map(re.escape, spelling.split()))
    if not spelling.isascii():
        return re.compile(escaped, re.IGNORECASE)
    return re.compile(rf"(?<!\w){escaped}(?!\w)", re.IGNORECASE)


class _Maker:
    """Makes rows of one pool of chunks; each chunk, and each spelling of a question, is made
    comparable once.
    """

    def __init__(self, pool: Sequence[Chunk], searchable: Index, seed: int) -> None:
        self._pool = pool
        self._index = searchable
        self._seed = seed
        self._texts: dict[int, _Text] = {}
        self._wanted: dict[tuple[str, bool], str] = {}
        self._left = MOST_READ

    def rows(self, question: Sample) -> list[MadeRow] | str:
        """The rows of a question, or why there are none."""
        parts = [[one for one in group if one.strip()] for group in groups(question.ground_truth)]
        if not parts or not all(parts):
            return _NO_ANSWER
        if len(parts) > MOST_PARTS or max(map(len, parts)) > MOST_PARTS:
            return _MANY_PARTS
        if any(one.strip(" .。").lower() in SAYS_LITTLE for part in parts for one in part):
            return _SAYS_LITTLE
        self._wanted.clear()
        near = self._index.best(question.question, LOOKED_AT)
        answer = " ".join(part[0] for part in parts)
        likely = self._index.best(f"{question.question} {answer}", LOOKED_AT)
        holding = {place: self._held(place, parts) for place in dict.fromkeys([*likely, *near])}
        of_parts = [
            [place for place, held in holding.items() if number in held]
            for number in range(len(parts))
        ]
        if not all(of_parts):
            return _NOT_HELD
        negative = [place for place in near if not holding[place]][:MOST_NEGATIVE]
        if not negative:
            return _NO_NEGATIVE
        whole = [place for place, held in holding.items() if len(held) == len(parts)]
        doubts = self._doubts(parts, of_parts, near, negative)
        # Where no chunk holds the whole answer, each of its parts has chunks of its own.
        chosen = [places[:PASSAGES] for places in ([whole] if whole else of_parts)]
        positive = tuple(map(self._chunks, chosen))
        named = [self._pool[place].source for place in chain.from_iterable(chosen)]
        sources = tuple(dict.fromkeys(named))
        row = BedRow(
            id=question.id,
            query=question.question,
            answer=question.ground_truth or "",
            positive=positive[0] if whole else positive,
            negative=self._chunks(negative),
        )
        made = [MadeRow(row, sources, doubts)]
        wrong = self._planted(question, parts, chosen[0], negative) if len(parts) == 1 else None
        if wrong:
            if not NUMBERS.search(wrong["fakeanswer"]):
                doubts = (*doubts, _NAME)
            made.append(MadeRow(row.model_copy(update=wrong), sources, doubts))
        return made

    def _held(self, place: int, parts: Sequence[Sequence[str]]) -> set[int]:
        """The required answers that a chunk holds."""
        text = self._texts.setdefault(place, _Text(self._pool[place].text))
        return {number for number, spellings in enumerate(parts) if self._holds(text, spellings)}

    def _holds(self, text: _Text, spellings: Iterable[str]) -> bool:
        """Whether one of these stands in it, as words of its own where words have ends."""
        for spelling in spellings:
            key = spelling, text.is_chinese
            if key not in self._wanted:
                self._wanted[key] = _comparable(spelling, is_chinese=text.is_chinese)
            wanted = self._wanted[key]
            # Most texts do not hold it at all, which is found much faster.
            self._read(LOOK + len(text.text) // 10)
            if wanted in text.text:
                found = _whole(wanted).search(text.text)
                self._read(found.end() if found else len(text.text))
                if found:
                    return True
        return False

    def _read(self, characters: int) -> None:
        """Counts what is read; raises `DatasetError` beyond the limit."""
        self._left -= characters
        if self._left < 0:
            raise DatasetError(
                say(
                    "To look for all answers in all documents takes too long. Split the questions "
                    "or leave out documents."
                )
            )

    def _chunks(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._pool[place].text for place in places)

    def _doubts(
        self,
        parts: Sequence[Sequence[str]],
        of_parts: Sequence[Sequence[int]],
        near: Sequence[int],
        negative: Sequence[int],
    ) -> tuple[str, ...]:
        """Why a person should look at the row."""
        words = [frozenset(terms(spelling)) - {STOP} for part in parts for spelling in part]
        nearest = self._chunks(negative[:PASSAGES])
        # To take a text apart takes longer than to search it.
        self._read(5 * sum(map(len, nearest)))
        texts = [frozenset(terms(text)) for text in nearest]
        holds_words = any(
            len(own) > 1 and len(own & text) >= ENOUGH * len(own) for own in words for text in texts
        )
        doubts = {
            _SHORT: any(len(spelling.strip()) <= SHORT for part in parts for spelling in part),
            _MANY: any(len(places) > MANY for places in of_parts),
            _FAR: not all({*places} & {*near[:NEAR]} for places in of_parts),
            _FEW: len(negative) < PASSAGES,
            _WORDS: holds_words,
        }
        return tuple(words for words, is_so in doubts.items() if is_so)

    def _planted(
        self,
        question: Sample,
        parts: Sequence[Sequence[str]],
        whole: Sequence[int],
        negative: Sequence[int],
    ) -> dict[str, Any] | None:
        """What a row of planted errors has beside that of the question; `None` where no other
        answer of its kind is found.
        """
        [spellings] = parts
        # The first of them that stands in its chunks is the one that is replaced.
        texts = self._chunks(whole)
        own = next((one for one in spellings if self._holds(_Text(texts[0]), [one])), "")
        around = "\n".join(self._chunks([*whole, *negative]))
        self._read(2 * len(around))
        rng = Random(f"{self._seed} {question.id} {question.question}")
        fake = own and _of_its_kind(question.question, own, around, rng)
        if not fake or self._holds(_Text(fake), spellings):
            return None
        wrong = []
        for text in texts:
            for spelling in sorted(spellings, key=len, reverse=True):
                text = _whole(spelling.strip()).sub(lambda _: fake, text)
            # One that is written in another form cannot be replaced.
            if not self._holds(_Text(text), spellings):
                wrong.append(text)
        if not wrong:
            return None
        return {
            "id": PLANTED_ID.format(question.id),
            "positive_wrong": tuple(wrong),
            "fakeanswer": fake,
        }


def _of_its_kind(question: str, answer: str, documents: str, rng: Random) -> str:
    """The answer with its longest number replaced by one of the same form, or another name for it;
    empty where the documents hold none.
    """
    if numbers := NUMBERS.findall(answer):
        longest = max(numbers, key=len)
        alike = [one for one in NUMBERS.findall(documents) if _form(one) == _form(longest)]
        other = dict(planted(Source(longest, longest, " ".join(alike), ()), rng)).get(NUMBER)
        return answer.replace(longest, other, 1) if other else ""
    words = answer.split()
    if not all(word[0].isupper() for word in words):
        return ""
    known = {word.strip(",.?") for word in f"{question} {answer}".lower().split()} | _DATES
    others = [
        name
        for name, _ in Counter(_NAMES.findall(documents)).most_common()
        if len(name.split()) == len(words) and known.isdisjoint(name.lower().split())
    ]
    return rng.choice(others[:MOST_NAMES]) if others else ""


def _form(number: str) -> str:
    return re.sub(r"\d", "0", number)


def counts_in_words(made: MadeBed) -> str:
    """How many rows test what, how many are doubtful, how many questions were left out."""
    counts = []
    for ability in made.bed.abilities:
        rows = sum(ability in own.row.abilities for own in made.rows)
        counts.append(f"{say(ability.label)}: {rows:,}")
    doubtful = sum(bool(own.doubts) for own in made.rows)
    return say(
        "{counts}. To look at: {doubtful:,} of {rows}. Left out: {left}.",
        counts=say(", ").join(counts),
        doubtful=doubtful,
        rows=counted(len(made.rows), "row"),
        left=counted(len(made.left_out), "question"),
    )
