"""What is odd about data that can be read: told before a run, with the rows, and never mended in
silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Ability, Accepted, Dataset, Sample
from evaluators.text.accepted import groups
from evaluators.text.normalise import IDEOGRAPHS, is_chinese, nfkc
from evaluators.text.size import tokens

LONG_DOCUMENT = 2000
"""Tokens from which a document is long; five of them fill a small model's context."""

LOOKED_AT = 500
"""Characters of a text that tell its language."""


@dataclass(frozen=True)
class Finding:
    """Something odd, the numbers of the rows that show it, and what it means."""

    title: str
    rows: tuple[int, ...]
    words: str


def checks(data: Dataset | TestBed, numbers: Sequence[int] = ()) -> tuple[Finding, ...]:
    """What is odd about the data; rows are named by `numbers`, those of the file, or counted from
    1.
    """
    found = (
        _bed_findings(data.rows) if isinstance(data, TestBed) else _sample_findings(data.samples)
    )
    return tuple(
        Finding(title, tuple(numbers[at] if numbers else at + 1 for at in places), words)
        for title, places, words in found
        if places
    )


_Found = tuple[str, list[int], str]


def _sample_findings(samples: Sequence[Sample]) -> Iterable[_Found]:
    yield _duplicates(
        [
            (each.question, each.response, each.retrieved_documents, each.generator)
            for each in samples
        ]
    )
    yield from _empty(samples)
    yield _where(
        "Several documents in one text",
        [_is_joined(each.retrieved_documents) for each in samples],
        _JOINED,
    )
    yield _languages(
        [f"{each.question[:LOOKED_AT]} {(each.response or '')[:LOOKED_AT]}" for each in samples]
    )
    yield _long([each.retrieved_documents for each in samples])


def _bed_findings(rows: Sequence[BedRow]) -> Iterable[_Found]:
    yield _duplicates([(row.query, row.positive, row.positive_wrong) for row in rows])
    yield _where(
        "No positive documents",
        [not documents for documents in map(_all_positives, rows)],
        _NO_POSITIVES,
    )
    yield _where("No negative documents", [not row.negative for row in rows], _NO_NEGATIVES)
    yield _where(
        "Answer in no positive document", [_is_unanswered(row) for row in rows], _UNANSWERED
    )
    yield _where("Answer in a negative document", [_is_leaked(row) for row in rows], _LEAKED)
    yield _where("Planted error in no document", [_is_unplanted(row) for row in rows], _UNPLANTED)
    yield _languages([row.query[:LOOKED_AT] for row in rows])
    yield _long([(*_all_positives(row), *row.negative, *row.positive_wrong) for row in rows])


_NO_POSITIVES = (
    "Noise robustness cannot be tested with them: every prompt holds negative documents only."
)
_NO_NEGATIVES = "They cannot be filled with noise: every prompt holds positive documents only."
_UNANSWERED = (
    "No positive document, or for several sub-questions not all of them together, holds "
    "the words of the answer. "
    "A right answer is then knowledge of the model, or a reworded one."
)
_LEAKED = (
    "A document meant as noise holds the whole answer, so the prompt has less noise than it says, "
    "and a right answer counts against rejection."
)
_UNPLANTED = "No document holds the planted wrong answer, so there is no error to detect."


def _where(title: str, is_so: Sequence[bool], words: str) -> _Found:
    return title, [at for at, so in enumerate(is_so) if so], words


def _duplicates(keys: Sequence[object]) -> _Found:
    seen: set[int] = set()
    again = []
    for at, key in enumerate(keys):
        known = hash(key)
        if known in seen:
            again.append(at)
        seen.add(known)
    return (
        "Repeated rows",
        again,
        "They say the same as an earlier row, and count once more in every mean.",
    )


def _empty(samples: Sequence[Sample]) -> Iterable[_Found]:
    """Fields that some or all samples lack; that no sample has gold documents or a ground truth is
    nothing odd.
    """
    lacking = {
        "question": [not each.question.strip() for each in samples],
        "response": [each.response is None for each in samples],
        "documents": [
            not any(text.strip() for text in each.retrieved_documents) for each in samples
        ],
        "ground truth": [each.ground_truth in (None, "", ()) for each in samples],
    }
    for field, lacks in lacking.items():
        if field != "ground truth" or not all(lacks):
            yield _where(f"No {field}", lacks, _LACKING[field])
    said = [each.response is not None and not each.response.strip() for each in samples]
    yield _where(
        "Empty responses",
        said,
        "The model said nothing. That counts as an answer, and is judged as one.",
    )
    filled = [[bool(text.strip()) for text in each.retrieved_documents] for each in samples]
    blank = [any(each) and not all(each) for each in filled]
    yield _where(
        "Empty documents", blank, "A document without text among others counts as retrieved."
    )


_LACKING = {
    "question": "Metrics that look at the question cannot judge them.",
    "response": "There is no answer to judge. A model can be asked to answer them.",
    "documents": "Metrics that compare with the retrieved documents cannot judge them.",
    "ground truth": (
        "Metrics that compare with a true answer cannot judge them, although others of the "
        "data have one."
    ),
}


_RULE = re.compile(r"\n-{3,}\s*\n")
_JOINED = (
    "Lines of dashes or <doc> tags part a text that counts as one document. Give a list, or "
    "put ||| between them."
)


def _is_joined(documents: Sequence[str]) -> bool:
    return len(documents) == 1 and (
        documents[0].count("</doc") > 1 or _RULE.search(documents[0]) is not None
    )


def _languages(texts: Sequence[str]) -> _Found:
    """The rows in the rarer of the two languages that are told apart."""
    chinese = [is_chinese(text) for text in texts]
    rare = sum(chinese) * 2 <= len(chinese)
    name, other = ("Chinese", "another language") if rare else ("another language", "Chinese")
    words = (
        f"They are in {name}, the others in {other}. Phrases of rejection and judges' prompts "
        "differ by language."
    )
    return _where(
        "Mixed languages", [is_it is rare for is_it in chinese] if any(chinese) else [], words
    )


def _long(documents: Sequence[Sequence[str]]) -> _Found:
    sizes = [[tokens(text) for text in texts] for texts in documents]
    total = sum(map(sum, sizes))
    long = [size for each in sizes for size in each if size > LONG_DOCUMENT]
    usual = median(size for each in sizes for size in each) if total else 0
    several = "1 document has" if len(long) == 1 else f"{len(long):,} documents have"
    words = (
        f"{several} more than {LONG_DOCUMENT:,} tokens (the longest {max(long, default=0):,}, "
        f"half of all have {usual:,.0f} or fewer). That is "
        f"{sum(long) / max(1, total):.0%} of all documents' tokens, "
        "and so of what a model that reads them costs."
    )
    return _where(
        "Long documents", [any(size > LONG_DOCUMENT for size in each) for each in sizes], words
    )


# Answers in documents

_BESIDE_IDEOGRAPHS = re.compile(f"(?<=[{IDEOGRAPHS}]) | (?=[{IDEOGRAPHS}])")


def _all_positives(row: BedRow) -> tuple[str, ...]:
    return tuple(
        text for part in row.positive for text in ([part] if isinstance(part, str) else part)
    )


def _is_unanswered(row: BedRow) -> bool:
    texts = [_comparable(text) for text in _all_positives(row)]
    return bool(texts) and not all(
        any(_mentions(text, group) for text in texts) for group in _plain_groups(row.answer)
    )


def _is_leaked(row: BedRow) -> bool:
    required = _plain_groups(row.answer)
    return bool(required) and any(
        all(_holds(text, group) for group in required) for text in map(_comparable, row.negative)
    )


def _is_unplanted(row: BedRow) -> bool:
    if Ability.COUNTERFACTUAL not in row.abilities or row.fakeanswer is None:
        return False
    texts = [_comparable(text) for text in row.positive_wrong]
    return not all(
        any(_mentions(text, group) for text in texts) for group in _plain_groups(row.fakeanswer)
    )


def _plain_groups(answer: Accepted) -> list[list[str]]:
    """The spellings of each required answer, as `_comparable` writes them;
    without what is then empty.
    """
    plain = [list(filter(None, map(_comparable, group))) for group in groups(answer)]
    return list(filter(None, plain))


def _comparable(text: str) -> str:
    """Lower case, one form, single spaces, and none beside a Chinese character."""
    return _BESIDE_IDEOGRAPHS.sub("", " ".join(nfkc(text).casefold().split()))


def _mentions(text: str, spellings: Iterable[str]) -> bool:
    """Whether one of the spellings stands in the text at all, other than inside a longer number."""
    return _stands(spellings, text, _FIGURES)


def _holds(text: str, spellings: Iterable[str]) -> bool:
    """Whether one of the spellings stands in the text as words of its own."""
    return _stands(spellings, text, _LETTERS)


_FIGURES = re.compile("[0-9]+")
_LETTERS = re.compile("[a-z0-9]+")


def _stands(spellings: Iterable[str], text: str, runs: re.Pattern[str]) -> bool:
    """Whether one of the spellings stands in the text,
    where no such run at an end of it runs on.
    """
    there = [each for each in spellings if each in text]
    ended = _ended(text, runs) if there else ""
    return any(_ended(each, runs) in ended for each in there)


def _ended(text: str, runs: re.Pattern[str]) -> str:
    """The text with the ends of such runs marked, so that a piece of a run is not found in a longer
    one.

    A mark is half a character, which no text holds.
    """
    return runs.sub("\ud800\\g<0>\ud800", text)
