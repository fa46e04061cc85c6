"""How far labellers agree: each two of them, on each label, over all that both labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from evaluators.records import Cell, Labels, Record, Sentences, Support
from evaluators.statistics import kappa, krippendorff
from evaluators.trace.labelling import CORRECTED, GOLD

LABELS = ("relevant", "utilized", "support")

_NO, _YES = 1, 2
_SUPPORTS = {Support.NONE: 1, Support.PARTIAL: 2, Support.FULL: 3}
_CODES = 4
"""A verdict is one byte, 0 where there is none: thousands of sentences are compared at once."""

_Verdicts = dict[Cell, bytes]
"""One labeller's verdicts on one label, sample by sample, in the order of the sentences."""


class Agreement(Record):
    """How far two labellers agree on one label, with Cohen's kappa.

    `equal` is the share of sentences with the same verdict; `sentences` counts those that both
    labelled: document sentences, for "support" those of responses. `kappa` is `None` where both
    gave all of them one and the same verdict.
    """

    first: str
    second: str
    label: str
    sentences: int
    equal: float
    kappa: float | None


class GroupAgreement(Record):
    """How far several labellers of one kind agree on one label, with Krippendorff's alpha.

    `sentences` counts those that at least two of them labelled. `alpha` is `None` where all of them
    got one and the same verdict.
    """

    labellers: tuple[str, ...]
    label: str
    sentences: int
    alpha: float | None


Group = Sequence[str]
"""Labellers of one kind, by name: people, or the judges of a jury."""

Votes = Mapping[tuple[str, str], str]
"""Labels in which a sentence may be missing: a value by the kind of label and the key."""

LabelsOfAll = tuple[Cell, Sentences, Mapping[str, "Labels | Votes"]]
"""An answer with everybody's labels of its sentences."""


def agreement(
    labelled: Iterable[LabelsOfAll],
) -> list[Agreement]:
    """Every two labellers that labelled a sentence in common, from each one's labels by name."""
    verdicts = _verdicts(labelled)
    # Published and corrected labels come last, so that others are compared with them.
    names = sorted(verdicts, key=(GOLD, CORRECTED).__contains__)
    agreements = []
    for pair, label in product(combinations(names, 2), LABELS):
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
        counts = _counts_of_values(members)
        if len(members) > 1 and len(counts):
            agreements.append(
                GroupAgreement(
                    labellers=tuple(group),
                    label=label,
                    sentences=len(counts),
                    alpha=krippendorff(counts),
                )
            )
    return agreements


def _counts_of_values(members: Sequence[_Verdicts]) -> NDArray[np.int64]:
    """How many members gave each sentence each value; of sentences that two or more labelled."""
    cells = {cell: len(codes) for own in members for cell, codes in own.items()}
    counts = np.zeros((sum(cells.values()), _CODES), dtype=np.int64)
    for own in members:
        codes = b"".join(own.get(cell, bytes(length)) for cell, length in cells.items())
        values = np.frombuffer(codes, np.uint8)
        counts[np.arange(len(values)), values] += 1
    # Without column 0: labellers that did not label the sentence.
    given: NDArray[np.int64] = counts[:, 1:]
    labelled_twice: NDArray[np.int64] = given[given.sum(axis=1) > 1]
    return labelled_twice


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
    return {
        "relevant": bytes(_YES if key in relevant else _NO for key in keys),
        "utilized": bytes(_YES if key in utilized else _NO for key in keys),
        "support": bytes(supports.get(key, 0) for key in response_keys),
    }


def _agreement(
    pair: tuple[str, str],
    label: str,
    verdicts: dict[str, dict[str, _Verdicts]],
) -> Agreement | None:
    first, second = pair
    table = _verdict_counts(verdicts[first][label], verdicts[second][label])
    total = int(table.sum())
    if not total:
        return None
    return Agreement(
        first=first,
        second=second,
        label=label,
        sentences=total,
        equal=float(table.trace()) / total,
        kappa=kappa(table.tolist()),
    )


def _verdict_counts(first: _Verdicts, second: _Verdicts) -> NDArray[np.int64]:
    """How often each verdict of one met each verdict of the other."""
    common = [cell for cell in first if cell in second]
    ones = np.frombuffer(b"".join(first[cell] for cell in common), np.uint8)
    others = np.frombuffer(b"".join(second[cell] for cell in common), np.uint8)
    # Each pair of verdicts is one number: its row and column in the table.
    pairs = ones.astype(np.int64) * _CODES + others
    counts = np.bincount(pairs, minlength=_CODES**2)
    # Without row and column 0: sentences that one of the two did not label.
    return counts.reshape(_CODES, _CODES)[1:, 1:]
