"""What is odd about data that can be read: shown before a run, and never mended in silence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Ability, Accepted, Dataset, Sample
from evaluators.text.accepted import groups
from evaluators.text.language import ENGLISH, mark, say, speaking
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
    yield _where(mark("Several documents in one text"), joined, _JOINED)
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
    yield _where(mark("No positive documents"), without_positives, _NO_POSITIVES)
    without_negatives = [not row.negative for row in rows]
    yield _where(mark("No negative documents"), without_negatives, _NO_NEGATIVES)
    unanswered: list[bool] = []
    for row, texts in zip(rows, positives, strict=True):
        comparable = [_comparable_text(text) for text in texts]
        # A row without positive documents has its own finding
        unanswered.append(bool(texts) and not _mention_all(comparable, row.answer))
    yield _where(mark("Answer in no positive document"), unanswered, _UNANSWERED)
    leaked = [_is_leaked(row) for row in rows]
    yield _where(mark("Answer in a negative document"), leaked, _LEAKED)
    unplanted = [_is_unplanted(row) for row in rows]
    yield _where(mark("Planted error in no document"), unplanted, _UNPLANTED)
    yield _languages([row.query[:LOOKED_AT] for row in rows])
    documents: list[tuple[str, ...]] = []
    for row, texts in zip(rows, positives, strict=True):
        documents.append((*texts, *row.negative, *row.positive_wrong))
    yield _long(documents)


_NO_POSITIVES = mark(
    "Noise robustness cannot be tested with them: every prompt holds negative documents only."
)
_NO_NEGATIVES = mark(
    "They cannot be filled with noise: every prompt holds positive documents only."
)
_UNANSWERED = mark(
    "No positive document, or for several sub-questions not all of them together, holds "
    "the words of the answer. "
    "A right answer is then knowledge of the model, or a reworded one."
)
_LEAKED = mark(
    "A document meant as noise holds the whole answer, so the prompt has less noise than it says, "
    "and a right answer counts against rejection."
)
_UNPLANTED = mark("No document holds the planted error, so there is nothing to detect.")


def _where(title: str, is_so: Sequence[bool], words: str) -> _Oddity:
    return title, [at for at, so in enumerate(is_so) if so], words


def _duplicates(keys: Sequence[object]) -> _Oddity:
    seen: set[int] = set()
    again: list[int] = []
    for at, key in enumerate(keys):
        # The hashes alone: the keys would hold all texts of the data a second time
        key_hash = hash(key)
        if key_hash in seen:
            again.append(at)
        seen.add(key_hash)
    words = mark("They say the same as an earlier row, and count once more in every mean.")
    return mark("Repeated rows"), again, words


def _empty(samples: Sequence[Sample]) -> Iterable[_Oddity]:
    """Fields that some or all samples lack.

    That no sample has gold documents or a true answer is nothing odd.
    """
    filled: list[list[bool]] = []
    for sample in samples:
        documents = sample.retrieved_documents
        filled.append([bool(text.strip()) for text in documents])
    lacking = {
        "question": [not sample.question.strip() for sample in samples],
        "answer": [sample.response is None for sample in samples],
        "documents": [not any(texts) for texts in filled],
        "true answer": [sample.ground_truth in (None, "", ()) for sample in samples],
    }
    for field, lacks in lacking.items():
        if field != "true answer" or not all(lacks):
            title, words = _LACKING[field]
            yield _where(title, lacks, words)
    blank_responses: list[bool] = []
    for sample in samples:
        # No response at all is the finding above
        is_blank = sample.response is not None and not sample.response.strip()
        blank_responses.append(is_blank)
    words = mark("The model said nothing. That counts as an answer, and is judged as one.")
    yield _where(mark("Empty answers"), blank_responses, words)
    blank_documents = [any(texts) and not all(texts) for texts in filled]
    words = mark("A document without text among others counts as retrieved.")
    yield _where(mark("Empty documents"), blank_documents, words)


_LACKING = {
    "question": (
        mark("No question"),
        mark("Metrics that look at the question cannot judge them."),
    ),
    "answer": (
        mark("No answer"),
        mark("There is no answer to judge. A model can be asked to answer them."),
    ),
    "documents": (
        mark("No documents"),
        mark("Metrics that compare with the retrieved documents cannot judge them."),
    ),
    "true answer": (
        mark("No true answer"),
        mark(
            "Metrics that compare with a true answer cannot judge them, although others of the "
            "data have one."
        ),
    ),
}


_RULE = re.compile(r"\n-{3,}\s*\n")
_JOINED = mark(
    "Lines of dashes or <doc> tags part a text that counts as one document. Give a list, or "
    "put ||| between them."
)


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
    words = mark(
        "They are in Chinese, the others in another language. Phrases of rejection and judges' "
        "prompts differ by language."
    )
    if not is_rare:
        words = mark(
            "They are in another language, the others in Chinese. Phrases of rejection and "
            "judges' prompts differ by language."
        )
    # Without this, rows that are all in another language would be the rarer ones
    odd = [is_it is is_rare for is_it in chinese] if any(chinese) else []
    return _where(mark("Mixed languages"), odd, words)


def _long(documents: Sequence[Sequence[str]]) -> _Oddity:
    """Documents that make a run dear, with their share of all tokens."""
    sizes_by_row = [[tokens(text) for text in texts] for texts in documents]
    sizes = [size for row in sizes_by_row for size in row]
    long = [size for size in sizes if size > LONG_DOCUMENT]
    total = sum(sizes)
    usual = median(sizes) if total else 0
    share = sum(long) / max(1, total)
    words = mark(
        "{number:,} documents have more than {limit:,} tokens (the longest {longest:,}, half of "
        "all have {usual:,.0f} or fewer). That is {share:.0%} of all documents' tokens, and so of "
        "what a model that reads them costs."
    )
    if len(long) == 1:
        words = mark(
            "{number:,} document has more than {limit:,} tokens (the longest {longest:,}, half of "
            "all have {usual:,.0f} or fewer). That is {share:.0%} of all documents' tokens, and "
            "so of what a model that reads them costs."
        )
    words = say(
        words,
        number=len(long),
        limit=LONG_DOCUMENT,
        longest=max(long, default=0),
        usual=usual,
        share=share,
    )
    is_long = [any(size > LONG_DOCUMENT for size in row) for row in sizes_by_row]
    return _where(mark("Long documents"), is_long, words)


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
