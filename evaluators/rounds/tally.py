"""What comes of a round's labels: spread, majority, agreement, and who is right by other labels.

Every function is pure, and counts the labels as they are at one moment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from evaluators.records import Record, Support
from evaluators.rounds.records import AskedPlace, Participant, RoundLabel
from evaluators.statistics import (
    interval,
    kappa,
    kappa_interval,
    krippendorff,
    krippendorff_interval,
)
from evaluators.trace.labelling import STRICTEST_FIRST
from evaluators.votes import most_frequent

Supports = Mapping[AskedPlace, Support]
"""One labeller's labels: of a participant, the class, a judge, or the published ones."""


class Spread(Record):
    """How many participants gave a sentence each label."""

    full: int = 0
    partial: int = 0
    none: int = 0

    @property
    def total(self) -> int:
        return self.full + self.partial + self.none

    @property
    def counts(self) -> tuple[int, ...]:
        """In the order none, partial, full."""
        return tuple(getattr(self, support.value) for support in STRICTEST_FIRST)

    @property
    def quarrel(self) -> float:
        """The share of pairs of participants who say different things; 0 where there is no pair."""
        pairs = self.total * (self.total - 1)
        if not pairs:
            return 0.0
        alike = sum(count * (count - 1) for count in self.counts)
        return 1 - alike / pairs

    @property
    def majority(self) -> Support | None:
        """The most frequent label, of a tie the strictest; `None` without any."""
        leading = self._leading()
        return leading[0] if leading else None

    @property
    def favoured(self) -> Support | None:
        """The side that more prefer, else the middle; `None` without any vote."""
        if not self.total:
            return None
        if self.full == self.none:
            return Support.PARTIAL
        return Support.FULL if self.full > self.none else Support.NONE

    @property
    def share_of_full(self) -> float:
        """The share of the votes that the first side gets; one for the middle counts half."""
        return (self.full + self.partial / 2) / self.total

    @property
    def is_tied(self) -> bool:
        """Whether two labels have the most votes, so that strictness had to decide."""
        return len(self._leading()) > 1

    def _leading(self) -> list[Support]:
        votes = dict(zip(STRICTEST_FIRST, self.counts, strict=True))
        return most_frequent(votes, STRICTEST_FIRST)


class ClassAgreement(NamedTuple):
    """How far participants agree beyond chance, over the sentences that two or more labelled.

    Cohen's kappa of two participants, else Krippendorff's alpha; `value` is `None` where everybody
    gave one and the same label. Its 95 % interval is over answers.
    """

    measure: Literal["kappa", "alpha"]
    value: float | None
    sentences: int
    interval: tuple[float, float] | None = None


class Right(NamedTuple):
    """On how many sentences two labellers give the same label, of those that both labelled."""

    equal: int
    both: int

    @property
    def share(self) -> float:
        return self.equal / self.both


def answer_support(supports: Collection[Support]) -> Support:
    """How much of an answer is supported, from its sentences: all, some or none of it."""
    if all(support is Support.FULL for support in supports):
        return Support.FULL
    has_some = any(support is not Support.NONE for support in supports)
    return Support.PARTIAL if has_some else Support.NONE


def by_participant(labels: Iterable[RoundLabel]) -> dict[int, dict[AskedPlace, Support]]:
    """Each participant's labels, by number."""
    supports: dict[int, dict[AskedPlace, Support]] = {}
    for label in labels:
        supports.setdefault(label.participant, {})[label.place] = label.support
    return supports


def spreads(labels: Iterable[RoundLabel], places: Sequence[AskedPlace]) -> dict[AskedPlace, Spread]:
    """The spread of each of these sentences, in their order; of an unlabelled one it is empty."""
    counts = {place: dict.fromkeys(STRICTEST_FIRST, 0) for place in places}
    for label in labels:
        # Some are of answers that cannot be read any more, so nothing is shown of these.
        if label.place in counts:
            counts[label.place][label.support] += 1
    found = {}
    for place, own in counts.items():
        full, partial = own[Support.FULL], own[Support.PARTIAL]
        found[place] = Spread(full=full, partial=partial, none=own[Support.NONE])
    return found


def by_quarrel(spread: Mapping[AskedPlace, Spread]) -> list[AskedPlace]:
    """The sentences, the most disputed first, those without a label last; alike ones in order."""
    # Sorting keeps the order of what is equal.
    return sorted(spread, key=lambda place: (not spread[place].total, -spread[place].quarrel))


def disputed(spread: Mapping[AskedPlace, Spread]) -> dict[int, AskedPlace]:
    """Of each answer that the class quarrels about its most disputed sentence, by its number."""
    most: dict[int, AskedPlace] = {}
    for place in by_quarrel(spread):
        if spread[place].quarrel:
            most.setdefault(place.answer, place)
    return most


def class_labels(
    spread: Mapping[AskedPlace, Spread],
    *,
    is_preference: bool = False,
) -> dict[AskedPlace, Support]:
    """What the class says of each place that anybody labelled: its majority, or what it prefers."""
    labels = {}
    for place, own in spread.items():
        label = own.favoured if is_preference else own.majority
        if label:
            labels[place] = label
    return labels


class WinRate(NamedTuple):
    """How often a system is preferred to another one, 0 to 1, over so many samples.

    It is the mean over samples, as votes on one of them are not independent. The interval holds
    95 %; it is `None` below two samples, and where all are voted on alike.
    """

    share: float
    interval: tuple[float, float] | None
    samples: int


def win_rate(
    spread: Mapping[AskedPlace, Spread],
    stands_left: Mapping[AskedPlace, bool],
) -> WinRate | None:
    """The rate of a system, of which it is known where it `stands_left`; `None` without a vote."""
    shares = []
    for place, own in spread.items():
        if own.total:
            share = own.share_of_full
            shares.append(share if stands_left[place] else 1 - share)
    if not shares:
        return None
    return WinRate(sum(shares) / len(shares), interval(shares), len(shares))


def class_agreement(labels: Sequence[RoundLabel]) -> ClassAgreement:
    """How far the participants agree."""
    members = list(by_participant(labels).values())
    # Kappa is of two people; alpha is of any number, and bears that some labelled less.
    if len(members) == 2:
        first, second = members
        common = [place for place in first if place in second]
        answers = 1 + max((place.answer for place in common), default=0)
        tables = np.zeros((answers, len(STRICTEST_FIRST), len(STRICTEST_FIRST)))
        for place in common:
            row, column = (STRICTEST_FIRST.index(own[place]) for own in members)
            tables[place.answer, row, column] += 1
        tables = tables[tables.any(axis=(1, 2))]
        return ClassAgreement(
            "kappa", kappa(tables.sum(axis=0)), len(common), kappa_interval(tables)
        )
    spread = spreads(labels, list(dict.fromkeys(label.place for label in labels)))
    places = [place for place, own in spread.items() if own.total > 1]
    counts = np.array([spread[place].counts for place in places]).reshape(-1, len(STRICTEST_FIRST))
    ends = krippendorff_interval(counts, np.array([place.answer for place in places], dtype=int))
    return ClassAgreement("alpha", krippendorff(counts), len(counts), ends)


def right(labels: Supports, truth: Supports) -> Right | None:
    """How far these labels are the true ones; `None` where no sentence has both."""
    both = [place for place in labels if place in truth]
    if not both:
        return None
    return Right(sum(labels[place] is truth[place] for place in both), len(both))


def right_on_the_same(by_name: Mapping[str, Supports], truth: Supports) -> dict[str, Right]:
    """How far each labeller has the true labels, all counted on the sentences that all labelled.

    The first one sets what there is to compare: another one that labelled none of it is left out.
    """
    common = set(truth)
    compared = {}
    for name, labels in by_name.items():
        if shared := common & labels.keys():
            common = shared
            compared[name] = labels
        elif not compared:
            return {}
    return {
        name: Right(sum(labels[place] is truth[place] for place in common), len(common))
        for name, labels in compared.items()
    }


def board(
    participants: Iterable[Participant],
    labels: Iterable[RoundLabel],
    truth: Supports,
) -> list[tuple[str, Right]]:
    """Who agrees most with the truth, by nickname; of equal ones who labelled more comes first.

    Only those who labelled at least half of it: one sentence is easily right.
    """
    own = by_participant(labels)
    scores = []
    for participant in participants:
        score = right(own.get(participant.number, {}), truth)
        if score and 2 * score.both >= len(truth):
            scores.append((participant.nickname, score))
    # By name at last, so that the wall does not swap equal ones at every look.
    return sorted(scores, key=_place_on_board)


def _place_on_board(entry: tuple[str, Right]) -> tuple[float, int, str]:
    nickname, score = entry
    return -score.share, -score.both, nickname
