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

from pydantic import ValidationError

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
from evaluators.retrieval.doubts import (
    Answer,
    Comparable,
    Reading,
    as_words,
    doubts_of,
    doubts_of_repaired,
)
from evaluators.retrieval.index import Index, index
from evaluators.text.language import mark, say
from evaluators.text.printable import printable, shown
from evaluators.text.words import counted

LOOKED_AT = 100
"""Chunks of each search that are looked at for the answer."""
NEAR = 20
"""Chunks that are near a question: one with the answer that is not among them may be by chance."""
MOST_NEGATIVE = 20
MOST_READ, MOST_READ_ON_A_PUBLIC_HOST = 1_000_000_000, 250_000_000
"""Characters of chunks that are read for all answers of a bed: some thirty seconds; there, where
others wait, some eight.
"""
MOST_SECONDS = 10.0
"""Of processor there, whatever was counted."""
MANY = 10
"""Chunks that hold an answer from which on it may stand there by chance."""
MOST_NAMES = 5
"""The names that stand most often are drawn from: others are mostly no names."""
_NAMES = re.compile(r"(?<=[a-z0-9,;)] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_DATES = {word.lower() for word in (*month_name, *day_name) if word}
PLANTED_ID = "{} planted"

_MANY = mark("Many chunks hold the answer; some may not answer the question.")
_FAR = mark("No chunk with the answer is among the best for the question.")
_NO_ANSWER = mark("It has no true answer.")
_SAYS_LITTLE = mark("Yes and no stand in texts by chance.")
_MANY_PARTS = mark("Its true answer has too many parts or spellings.")
_NOT_HELD = mark("No chunk near the question holds its answer.")
_NO_NEGATIVE = mark("No other chunk shares a word with it.")
_INCOMPLETE = mark(
    "A row needs a question, a true answer, a positive and a negative document, and with a planted "
    "error a document that has it."
)


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

    @property
    def doubtful(self) -> list[MadeRow]:
        """The rows that a person should look at, those with most doubts first."""
        return [made for made in self.doubtful_first if made.doubts]

    def without(self, ids: Iterable[str]) -> MadeBed:
        """The same without the rows of these ids."""
        dropped = set(ids)
        kept = tuple(made for made in self.rows if made.row.id not in dropped)
        return replace(self, rows=kept)

    @checks_types()
    def repaired(self, id: str, **changes: Any) -> MadeBed:
        """The same with other `query`, `answer`, `positive`, `negative`, `positive_wrong` or
        `fakeanswer` in the row of this id, which is doubted anew.

        Raises `DatasetError` where it is no row then.
        """
        rows = list(self.rows)
        for number, (row, sources, doubts) in enumerate(rows):
            if row.id == id:
                changed = _complete({**row.model_dump(), **changes})
                doubts = (*_still(doubts, row, changed), *doubts_of_repaired(changed))
                rows[number] = MadeRow(changed, sources, doubts)
                return replace(self, rows=tuple(rows))
        raise DatasetError(say("There is no row {id}.", id=shown(id)))

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


def _complete(fields: dict[str, Any]) -> BedRow:
    """The row with these fields; raises `DatasetError` where it lacks something."""
    try:
        row = BedRow.model_validate(fields)
    except ValidationError as error:
        raise DatasetError(f"The row cannot be so: {error.errors()[0]['msg']}.") from error
    answer = Answer(row.answer)
    if answer.has_many:
        raise DatasetError(say(_MANY_PARTS))
    lists = [*row.positive_groups, row.negative]
    if row.fakeanswer:
        lists.append(row.positive_wrong)
    is_there = row.query.strip() and answer.is_there and len(lists) > 1 and all(lists)
    if not is_there or not all(map(str.strip, chain.from_iterable(lists))):
        raise DatasetError(say(_INCOMPLETE))
    return row


def _still(doubts: Sequence[str], before: BedRow, now: BedRow) -> tuple[str, ...]:
    """The doubts of the search for a question and its answer that hold for them as they are now."""
    same_answer = before.answer == now.answer
    holds = {_MANY: same_answer, _FAR: same_answer and before.query == now.query}
    return tuple(words for words in doubts if holds.get(words))


class _Maker:
    """Makes rows of one pool of chunks, each of which is made comparable once."""

    def __init__(self, pool: Sequence[Chunk], searchable: Index, seed: int) -> None:
        self._pool = pool
        self._index = searchable
        self._seed = seed
        self._texts: dict[int, Comparable] = {}
        self._read = Reading(MOST_READ)
        if config().public:
            self._read = Reading(MOST_READ_ON_A_PUBLIC_HOST, MOST_SECONDS)

    def rows(self, question: Sample) -> list[MadeRow] | str:
        """The rows of a question, or why there are none."""
        answer = Answer(question.ground_truth, self._read)
        parts = answer.parts
        if not answer.is_there:
            return _NO_ANSWER
        if answer.has_many:
            return _MANY_PARTS
        if any(one.strip(" .。").lower() in SAYS_LITTLE for part in parts for one in part):
            return _SAYS_LITTLE
        near = self._best(question.question)
        likely = self._best(" ".join([question.question, *(part[0] for part in parts)]))
        holding = {
            place: answer.held_in(self._text(place)) for place in dict.fromkeys([*likely, *near])
        }
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
        of_search = {
            _MANY: any(len(places) > MANY for places in of_parts),
            _FAR: not all({*places} & {*near[:NEAR]} for places in of_parts),
        }
        rows = [row]
        if len(parts) == 1 and (wrong := self._planted(row, parts[0])):
            rows.append(row.model_copy(update=wrong))
        # To take a text apart takes longer than to search it.
        self._read(len(rows) * 5 * sum(map(len, row.negative[:PASSAGES])))
        doubts = [words for words, is_so in of_search.items() if is_so]
        return [MadeRow(made, sources, (*doubts, *doubts_of(made))) for made in rows]

    def _best(self, question: str) -> list[int]:
        """The chunks among which an answer is looked for."""
        # Measured: some 80 ns for a chunk, and 6 more for each term of the question.
        self._read((4 + min(len(question), 1000) // 20) * len(self._pool))
        return self._index.best(question, LOOKED_AT)

    def _text(self, place: int) -> Comparable:
        if place not in self._texts:
            self._texts[place] = Comparable.of(self._pool[place].text)
        return self._texts[place]

    def _chunks(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._pool[place].text for place in places)

    def _planted(self, row: BedRow, spellings: Sequence[str]) -> dict[str, Any] | None:
        """What a row of planted errors has beside that of the question; `None` where no other
        answer of its kind is found.
        """
        [texts] = row.positive_groups
        answer = Answer(row.answer, self._read)
        # The first of them that stands in its chunks is the one that is replaced.
        first = Comparable.of(texts[0])
        own = next((one for one in spellings if Answer(one, self._read).held_in(first)), "")
        around = "\n".join([*texts, *row.negative])
        self._read(2 * len(around))
        rng = Random(f"{self._seed} {row.id} {row.query}")
        fake = own and _of_its_kind(row.query, own, around, rng)
        if not fake or answer.held_in(Comparable.of(fake)):
            return None
        wrong = []
        for text in texts:
            for spelling in sorted(spellings, key=len, reverse=True):
                text = as_words(spelling.strip(), text, self._read).sub(lambda _: fake, text)
            # One that is written in another form cannot be replaced.
            if not answer.held_in(Comparable.of(text)):
                wrong.append(text)
        if not wrong:
            return None
        return {
            "id": PLANTED_ID.format(row.id),
            "positive_wrong": tuple(wrong),
            "fakeanswer": fake,
        }


def _of_its_kind(question: str, answer: str, documents: str, rng: Random) -> str:
    """The answer with its longest number replaced by one of the same form, or another name for it;
    empty where the documents hold none.
    """
    if numbers := NUMBERS.findall(answer):
        longest = max(numbers, key=len)
        form = _form(longest)
        alike = [one for one in NUMBERS.findall(documents) if _form(one) == form]
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
    return say(
        "{counts}. To look at: {doubtful:,} of {rows}. Left out: {left}.",
        counts=say(", ").join(counts),
        doubtful=len(made.doubtful),
        rows=counted(len(made.rows), "row"),
        left=counted(len(made.left_out), "question"),
    )
