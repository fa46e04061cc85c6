"""What is odd about data that can be read: shown before a run, and never mended in silence."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from evaluators.config import ROOT
from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Ability, Accepted, Dataset, Sample
from evaluators.text.accepted import groups
from evaluators.text.language import ENGLISH, say, speaking
from evaluators.text.normalise import IDEOGRAPHS, is_chinese, nfkc
from evaluators.text.size import tokens

LONG_DOCUMENT = 2000
"""Tokens from which a document is long; five of them fill a small model's context."""

LOOKED_AT = 500
"""Characters of a text that tell its language."""


_FILE = ROOT / "data" / "findings.toml"
_FINDINGS = tomllib.loads(_FILE.read_text(encoding="utf-8"))["findings"]


@dataclass(frozen=True)
class Finding:
    """Something odd, the numbers of the rows that show it, and what it means."""

    title: str
    rows: tuple[int, ...]
    words: str


# What is found is kept, and translated where it is shown.
@speaking(ENGLISH)
def checks(data: Dataset | TestBed, numbers: Sequence[int] = ()) -> tuple[Finding, ...]:
    """What is odd about the data.

    Rows are named by `numbers`, those of the file, or counted from 1.
    """
    if isinstance(data, TestBed):
        oddities = _bed_oddities(data.rows)
    else:
        oddities = _sample_oddities(data.samples)
    findings: list[Finding] = []
    for title, places, words in oddities:
        if places:
            rows = tuple(numbers[at] if numbers else at + 1 for at in places)
            findings.append(Finding(title, rows, words))
    return tuple(findings)


_Oddity = tuple[str, list[int], str]
"""A finding whose rows are still places in the data, counted from 0; there may be none."""


def _sample_oddities(samples: Sequence[Sample]) -> Iterable[_Oddity]:
    # Several models may answer the same question with the same words
    keys = [
        (sample.question, sample.response, sample.retrieved_documents, sample.generator)
        for sample in samples
    ]
    yield _duplicates(keys)
    yield from _empty(samples)
    joined = [_is_joined(sample.retrieved_documents) for sample in samples]
    yield _where("joined", joined)
    texts: list[str] = []
    for sample in samples:
        response = sample.response or ""
        texts.append(f"{sample.question[:LOOKED_AT]} {response[:LOOKED_AT]}")
    yield _languages(texts)
    yield _long([sample.retrieved_documents for sample in samples])


def _bed_oddities(rows: Sequence[BedRow]) -> Iterable[_Oddity]:
    yield _duplicates([(row.query, row.positive, row.positive_wrong) for row in rows])
    positives = [_all_positives(row) for row in rows]
    without_positives = [not texts for texts in positives]
    yield _where("no_positives", without_positives)
    without_negatives = [not row.negative for row in rows]
    yield _where("no_negatives", without_negatives)
    unanswered: list[bool] = []
    for row, texts in zip(rows, positives, strict=True):
        comparable = [_comparable_text(text) for text in texts]
        # A row without positive documents has its own finding
        unanswered.append(bool(texts) and not _mention_all(comparable, row.answer))
    yield _where("unanswered", unanswered)
    leaked = [_is_leaked(row) for row in rows]
    yield _where("leaked", leaked)
    unplanted = [_is_unplanted(row) for row in rows]
    yield _where("unplanted", unplanted)
    yield _languages([row.query[:LOOKED_AT] for row in rows])
    documents: list[tuple[str, ...]] = []
    for row, texts in zip(rows, positives, strict=True):
        documents.append((*texts, *row.negative, *row.positive_wrong))
    yield _long(documents)


def _where(name: str, is_so: Sequence[bool]) -> _Oddity:
    finding = _FINDINGS[name]
    return say(finding["title"]), [at for at, so in enumerate(is_so) if so], say(finding["words"])


def _duplicates(keys: Sequence[object]) -> _Oddity:
    seen: set[int] = set()
    is_again: list[bool] = []
    for key in keys:
        # The hashes alone: the keys would hold all texts of the data a second time
        key_hash = hash(key)
        is_again.append(key_hash in seen)
        seen.add(key_hash)
    return _where("repeated", is_again)


def _empty(samples: Sequence[Sample]) -> Iterable[_Oddity]:
    """Fields that some or all samples lack.

    That no sample has gold documents or a true answer is nothing odd.
    """
    filled: list[list[bool]] = []
    for sample in samples:
        documents = sample.retrieved_documents
        filled.append([bool(text.strip()) for text in documents])
    lacking = {
        "no_question": [not sample.question.strip() for sample in samples],
        "no_answer": [sample.response is None for sample in samples],
        "no_documents": [not any(texts) for texts in filled],
        "no_true_answer": [sample.ground_truth in (None, "", ()) for sample in samples],
    }
    for name, lacks in lacking.items():
        if name != "no_true_answer" or not all(lacks):
            yield _where(name, lacks)
    blank_responses: list[bool] = []
    for sample in samples:
        # No response at all is the finding above
        is_blank = sample.response is not None and not sample.response.strip()
        blank_responses.append(is_blank)
    yield _where("empty_answers", blank_responses)
    yield _where("empty_documents", [any(texts) and not all(texts) for texts in filled])


_RULE = re.compile(r"\n-{3,}\s*\n")


def _is_joined(documents: Sequence[str]) -> bool:
    """Whether the only document looks as if it were several."""
    if len(documents) != 1:
        return False
    text = documents[0]
    return text.count("</doc") > 1 or _RULE.search(text) is not None


def _languages(texts: Sequence[str]) -> _Oddity:
    """The rows in the rarer of the two languages that are told apart."""
    chinese = [is_chinese(text) for text in texts]
    is_rare = sum(chinese) * 2 <= len(chinese)
    # Without this, rows that are all in another language would be the rarer ones
    odd = [is_it is is_rare for is_it in chinese] if any(chinese) else []
    return _where("some_chinese" if is_rare else "some_not_chinese", odd)


def _long(documents: Sequence[Sequence[str]]) -> _Oddity:
    """Documents that make a run dear, with their share of all tokens."""
    sizes_by_row = [[tokens(text) for text in texts] for texts in documents]
    sizes = [size for row in sizes_by_row for size in row]
    long = [size for size in sizes if size > LONG_DOCUMENT]
    total = sum(sizes)
    usual = median(sizes) if total else 0
    share = sum(long) / max(1, total)
    is_long = [any(size > LONG_DOCUMENT for size in row) for row in sizes_by_row]
    title, rows, words = _where("one_long" if len(long) == 1 else "long", is_long)
    words = say(
        words,
        number=len(long),
        limit=LONG_DOCUMENT,
        longest=max(long, default=0),
        usual=usual,
        share=share,
    )
    return title, rows, words


# Answers in documents

_BESIDE_IDEOGRAPHS = re.compile(f"(?<=[{IDEOGRAPHS}]) | (?=[{IDEOGRAPHS}])")


def _all_positives(row: BedRow) -> tuple[str, ...]:
    texts: list[str] = []
    for part in row.positive:
        # Beds for information integration have a list for each sub-question
        texts += [part] if isinstance(part, str) else part
    return tuple(texts)


def _is_leaked(row: BedRow) -> bool:
    required = _plain_groups(row.answer)
    # All of nothing would stand in every document
    if not required:
        return False
    for text in map(_comparable_text, row.negative):
        if all(_stands(spellings, text, _LETTERS) for spellings in required):
            return True
    return False


def _is_unplanted(row: BedRow) -> bool:
    if Ability.COUNTERFACTUAL not in row.abilities or row.fakeanswer is None:
        return False
    texts = [_comparable_text(text) for text in row.positive_wrong]
    return not _mention_all(texts, row.fakeanswer)


def _mention_all(texts: Sequence[str], answer: Accepted) -> bool:
    """Whether each required answer stands in one of the texts, other than in a longer number."""
    for spellings in _plain_groups(answer):
        if not any(_stands(spellings, text, _FIGURES) for text in texts):
            return False
    return True


def _plain_groups(answer: Accepted) -> list[list[str]]:
    """The spellings of each required answer, comparable, without empty ones."""
    plain: list[list[str]] = []
    for group in groups(answer):
        spellings = [_comparable_text(spelling) for spelling in group]
        plain.append(list(filter(None, spellings)))
    return list(filter(None, plain))


def _comparable_text(text: str) -> str:
    """Lower case, one form, single spaces, and none beside a Chinese character."""
    words = nfkc(text).casefold().split()
    return _BESIDE_IDEOGRAPHS.sub("", " ".join(words))


_FIGURES = re.compile("[0-9]+")
_LETTERS = re.compile("[a-z0-9]+")


def _stands(spellings: Iterable[str], text: str, runs: re.Pattern[str]) -> bool:
    """Whether one of the spellings stands in the text where no such run at its ends runs on."""
    # Marking a text takes long, and most texts hold none of the spellings
    contained = [spelling for spelling in spellings if spelling in text]
    if not contained:
        return False
    marked = _ended(text, runs)
    return any(_ended(spelling, runs) in marked for spelling in contained)


def _ended(text: str, runs: re.Pattern[str]) -> str:
    """The text with the ends of such runs marked: no piece of a run is found in a longer one.

    A mark is half a character, which no text holds.
    """
    return runs.sub("\ud800\\g<0>\ud800", text)
