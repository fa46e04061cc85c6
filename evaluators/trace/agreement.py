"""How far labellers agree: each two of them, on each label, over all that both labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from evaluators.records import Cell, Labels, Record, Sentences, Support
from evaluators.statistics import (
    interval,
    kappa,
    kappa_interval,
    krippendorff,
    krippendorff_interval,
)
from evaluators.trace.labelling import CORRECTED, GOLD, JURY

LABELS = ("relevant", "utilized", "support")

_NO, _YES = 1, 2
_SUPPORTS = {Support.NONE: 1, Support.PARTIAL: 2, Support.FULL: 3}
_CODES = 4
"""A verdict is one byte, 0 where there is none: thousands of sentences are compared at once."""

_Verdicts = dict[Cell, bytes]
"""One labeller's verdicts on one label, sample by sample, in the order of the sentences."""


Interval = tuple[float, float]


class Agreement(Record):
    """How far two labellers agree on one label, with Cohen's kappa.

    `equal` is the share of sentences with the same verdict; `sentences` counts those that both
    labelled: document sentences, for "support" those of responses. `kappa` is `None` where both
    gave all of them one and the same verdict. The 95 % intervals are over the `answers` that the
    sentences are of, as those of one answer resemble each other.
    """

    first: str
    second: str
    label: str
    sentences: int
    equal: float
    kappa: float | None
    answers: int = 0
    equal_interval: Interval | None = None
    kappa_interval: Interval | None = None


class GroupAgreement(Record):
    """How far several labellers of one kind agree on one label, with Krippendorff's alpha.

    `sentences` counts those that at least two of them labelled. `alpha` is `None` where all of them
    got one and the same verdict. Its 95 % interval is over the `answers`.
    """

    labellers: tuple[str, ...]
    label: str
    sentences: int
    alpha: float | None
    answers: int = 0
    alpha_interval: Interval | None = None


Group = Sequence[str]
"""Labellers of one kind, by name: people, or the judges of a jury."""

Votes = Mapping[tuple[str, str], str]
"""Labels in which a sentence may be missing: a value by the kind of label and the key."""

LabelsOfAll = tuple[Cell, Sentences, Mapping[str, "Labels | Votes"]]
"""An answer with everybody's labels of its sentences."""


def agreement(
    labelled: Iterable[LabelsOfAll],
    jury: Group = (),
) -> list[Agreement]:
    """Every two labellers that labelled a sentence in common, from each one's labels by name.

    The `jury` is not compared with the judges that sit in it: it is made of their votes.
    """
    verdicts = _verdicts(labelled)
    # Published and corrected labels come last, so that others are compared with them.
    names = sorted(verdicts, key=(GOLD, CORRECTED).__contains__)
    agreements = []
    for pair, label in product(combinations(names, 2), LABELS):
        if JURY in pair and not set(jury).isdisjoint(pair):
            continue
        compared = _agreement(pair, label, verdicts)
        if compared is not None:
            agreements.append(compared)
    return agreements


def group_agreement(
    labelled: Iterable[LabelsOfAll], groups: Iterable[Group]
) -> list[GroupAgreement]:
    """How far all labellers of each group agree, of those of which at least two labelled."""
    verdicts = _verdicts(labelled)
    agreements = []
    for group, label in product(groups, LABELS):
        members = [verdicts[name][label] for name in group if name in verdicts]
        counts, answers = _counts_of_values(members)
        if len(members) > 1 and len(counts):
            agreements.append(
                GroupAgreement(
                    labellers=tuple(group),
                    label=label,
                    sentences=len(counts),
                    alpha=krippendorff(counts),
                    answers=len(np.unique(answers)),
                    alpha_interval=krippendorff_interval(counts, answers),
                )
            )
    return agreements


def _counts_of_values(
    members: Sequence[_Verdicts],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many members gave each sentence each value, and the number of its answer.

    Of sentences that two or more labelled.
    """
    cells = {cell: len(codes) for own in members for cell, codes in own.items()}
    counts = np.zeros((sum(cells.values()), _CODES), dtype=np.int64)
    for own in members:
        codes = b"".join(own.get(cell, bytes(length)) for cell, length in cells.items())
        values = np.frombuffer(codes, np.uint8)
        counts[np.arange(len(values)), values] += 1
    # Without column 0: labellers that did not label the sentence.
    given: NDArray[np.int64] = counts[:, 1:]
    is_labelled_twice = given.sum(axis=1) > 1
    answers = np.repeat(np.arange(len(cells)), [*cells.values()])
    return given[is_labelled_twice], answers[is_labelled_twice]


def _verdicts(labelled: Iterable[LabelsOfAll]) -> dict[str, dict[str, _Verdicts]]:
    verdicts: dict[str, dict[str, _Verdicts]] = {}
    for cell, sentences, by_labeller in labelled:
        for by, labels in by_labeller.items():
            if by not in verdicts:
                verdicts[by] = {label: {} for label in LABELS}
            if isinstance(labels, Labels):
                by_label = _codes(sentences, labels)
            else:
                by_label = _codes_of_votes(sentences, labels)
            for label, codes in by_label.items():
                verdicts[by][label][cell] = codes
    return verdicts


def _codes_of_votes(sentences: Sentences, votes: Votes) -> dict[str, bytes]:
    """The same from votes, in which a sentence may be missing."""
    said = {"no": _NO, "yes": _YES}
    said |= {support.value: code for support, code in _SUPPORTS.items()}
    keys = {"support": [sentence.key for sentence in sentences.response]}
    codes = {}
    for label in LABELS:
        own = keys.get(label, sentences.document_keys)
        codes[label] = bytes(said.get(votes.get((label, key), ""), 0) for key in own)
    return codes


def _codes(sentences: Sentences, labels: Labels) -> dict[str, bytes]:
    """One labeller's verdicts on one sample, by label."""
    keys = sentences.document_keys
    relevant = set(labels.relevant_keys)
    utilized = set(labels.utilized_keys)
    supports = {}
    for verdict in labels.sentence_support:
        supports[verdict.key] = _SUPPORTS[verdict.support]
    response_keys = [sentence.key for sentence in sentences.response]
    other = 0 if labels.of_support_alone else _NO
    return {
        "relevant": bytes(_YES if key in relevant else other for key in keys),
        "utilized": bytes(_YES if key in utilized else other for key in keys),
        "support": bytes(supports.get(key, 0) for key in response_keys),
    }


def _agreement(
    pair: tuple[str, str],
    label: str,
    verdicts: dict[str, dict[str, _Verdicts]],
) -> Agreement | None:
    first, second = pair
    tables = _tables_by_answer(verdicts[first][label], verdicts[second][label])
    table = tables.sum(axis=0)
    sentences = tables.sum(axis=(1, 2)).astype(int)
    if not len(tables):
        return None
    # Each sentence is a yes where both gave the same verdict.
    equal = np.trace(tables, axis1=1, axis2=2).astype(int)
    counts = np.column_stack([equal, sentences - equal]).ravel()
    verdict = np.repeat(np.tile([1.0, 0.0], len(tables)), counts)
    return Agreement(
        first=first,
        second=second,
        label=label,
        sentences=int(sentences.sum()),
        equal=float(equal.sum() / sentences.sum()),
        kappa=kappa(table),
        answers=len(tables),
        equal_interval=interval(verdict, np.repeat(np.arange(len(tables)), sentences)),
        kappa_interval=kappa_interval(tables),
    )


def _tables_by_answer(first: _Verdicts, second: _Verdicts) -> NDArray[np.float64]:
    """How often each verdict of one met each verdict of the other, in each answer."""
    common = [cell for cell in first if cell in second]
    ones = np.frombuffer(b"".join(first[cell] for cell in common), np.uint8)
    others = np.frombuffer(b"".join(second[cell] for cell in common), np.uint8)
    answers = np.repeat(np.arange(len(common)), [len(first[cell]) for cell in common])
    # Each pair of verdicts is one number: its answer, row and column in the tables.
    pairs = (answers * _CODES + ones) * _CODES + others
    counts = np.bincount(pairs, minlength=len(common) * _CODES**2)
    # Without row and column 0: sentences that one of the two did not label.
    tables = counts.reshape(-1, _CODES, _CODES)[:, 1:, 1:].astype(float)
    return tables[tables.any(axis=(1, 2))]
