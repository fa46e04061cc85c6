"""How far probabilities can be trusted: what becomes of each tenth, and what a threshold costs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from evaluators.records import Record
from evaluators.statistics import auroc, auroc_interval, in_clusters, independent_count, interval

BINS = 10
"""Tenths from 0 to 1."""
STEPS = 20
"""Thresholds that are tried lie so many steps between 0 and 1."""


class Likely(NamedTuple):
    """How likely a labeller held one label to be, whether it is true, and what it resembles."""

    probability: float
    is_true: bool
    question: Hashable


class Tenth(Record):
    """Labels with probabilities of one tenth: their mean, and how many are true."""

    count: int
    probability: float
    share: float
    interval: tuple[float, float] | None


class Outcome(NamedTuple):
    """What a threshold gives: true and false labels that are at least so likely, and the others."""

    hits: int
    false_alarms: int
    misses: int
    rightly_left: int

    @property
    def share(self) -> float:
        """Of all, those that are labelled."""
        return (self.hits + self.false_alarms) / max(1, sum(self))

    def cost(self, of_miss: float, of_alarm: float) -> float:
        return self.misses * of_miss + self.false_alarms * of_alarm


class Reliability(Record):
    """Probabilities of one kind of label beside what people, or the data, say.

    `expected` is their mean, which labels counted by a threshold need not have; `true` is the share
    that is so. `error` is how far the tenths lie off in the mean, each by its number of labels
    (expected calibration error). The interval of `auroc` counts labels of a question that resemble
    each other as fewer.
    """

    count: int
    expected: float
    true: float
    error: float
    auroc: float | None
    auroc_interval: tuple[float, float] | None
    tenths: tuple[Tenth, ...]
    said: tuple[tuple[float, bool], ...]

    def at(self, threshold: float) -> Outcome:
        """What labels come of probabilities from this one on."""
        yes = [is_true for probability, is_true in self.said if probability >= threshold]
        no = [is_true for probability, is_true in self.said if probability < threshold]
        return Outcome(sum(yes), len(yes) - sum(yes), sum(no), len(no) - sum(no))

    def cheapest(self, of_miss: float = 1, of_alarm: float = 1) -> float:
        """The threshold whose errors cost least, in steps of 0.05; the lowest of several."""
        thresholds = [number / STEPS for number in range(STEPS + 1)]
        return min(thresholds, key=lambda threshold: self.at(threshold).cost(of_miss, of_alarm))


def reliability(labels: Sequence[Likely]) -> Reliability | None:
    """How far these probabilities can be trusted; `None` without any."""
    if not labels:
        return None
    tenths = []
    for number in range(BINS):
        # The last one holds 1 as well.
        own = [each for each in labels if min(BINS - 1, int(each.probability * BINS)) == number]
        if own:
            truths = [float(each.is_true) for each in own]
            tenths.append(
                Tenth(
                    count=len(own),
                    probability=sum(each.probability for each in own) / len(own),
                    share=sum(truths) / len(own),
                    interval=interval(truths, [each.question for each in own]),
                )
            )
    truths = [float(each.is_true) for each in labels]
    area = auroc([each.probability for each in labels], [each.is_true for each in labels])
    clusters = in_clusters(truths, [each.question for each in labels])
    independent = 1.0 if clusters.are_single else independent_count(clusters) / len(labels)
    yes = sum(truths)
    return Reliability(
        count=len(labels),
        expected=sum(each.probability for each in labels) / len(labels),
        true=yes / len(labels),
        error=sum(own.count * abs(own.probability - own.share) for own in tenths) / len(labels),
        auroc=area,
        auroc_interval=auroc_interval(area, yes * independent, (len(labels) - yes) * independent),
        tenths=tuple(tenths),
        said=tuple((each.probability, each.is_true) for each in labels),
    )
