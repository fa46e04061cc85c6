"""How far a labeller's probabilities can be trusted, as blocks for every door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluators.document.blocks import Blocks, Table
from evaluators.people.reliability import Reliability
from evaluators.runs.probabilities import KINDS
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE, SCORE

KIND, LABELS, TRUE = mark("Label"), mark("Labels"), mark("True")
PROBABILITIES, PROBABILITY = mark("Probabilities"), mark("Probability")
OF_ALL = (
    LABELS,
    mark("Expected"),
    mark("Yes from 0.5"),
    TRUE,
    mark("Calibration error"),
    "AUROC",
)
OF_TENTHS = (PROBABILITY, LABELS, TRUE)
OF_THRESHOLDS = (
    mark("Threshold"),
    mark("True ones found"),
    mark("Missed"),
    mark("False alarms"),
    mark("Cost"),
    mark("Least cost"),
)
THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Those of a text; a page has one to move."""


def probabilities(found: Mapping[str, Reliability]) -> Blocks:
    """All that there is to say of each kind of label: the whole, the curve, and thresholds."""
    return [overview(found), _tenths(found), outcomes(found, THRESHOLDS)]


def overview(found: Mapping[str, Reliability]) -> Table:
    """The shares that are expected, counted and true, and how far the probabilities lie off."""
    rows = [
        [
            say(KINDS[kind]),
            f"{own.count:,}",
            RATE.shown(own.expected),
            RATE.shown(own.at(0.5).share),
            RATE.shown(own.true),
            RATE.shown(own.error),
            SCORE.with_interval(own.auroc, *own.auroc_interval or ()),
        ]
        for kind, own in found.items()
    ]
    return Table((KIND, *OF_ALL), rows, OF_ALL)


def _tenths(found: Mapping[str, Reliability]) -> Table:
    """The reliability curve as numbers."""
    rows = [
        [
            say(KINDS[kind]),
            SCORE.shown(tenth.probability),
            f"{tenth.count:,}",
            RATE.with_interval(tenth.share, *tenth.interval or ()),
        ]
        for kind, own in found.items()
        for tenth in own.tenths
    ]
    return Table((KIND, *OF_TENTHS), rows, OF_TENTHS)


def outcomes(
    found: Mapping[str, Reliability],
    thresholds: Sequence[float],
    of_miss: float = 1,
    of_alarm: float = 1,
) -> Table:
    """What each threshold finds and misses, and what its errors cost at these prices."""
    rows = []
    for kind, own in found.items():
        cheapest = own.cheapest(of_miss, of_alarm)
        least = own.at(cheapest).cost(of_miss, of_alarm)
        for threshold in thresholds:
            outcome = own.at(threshold)
            hits, alarms, misses, left = outcome
            rows.append(
                [
                    say(KINDS[kind]),
                    f"{threshold:.2f}",
                    say("{done:,} of {all:,}", done=hits, all=hits + misses),
                    f"{misses:,}",
                    say("{done:,} of {all:,}", done=alarms, all=alarms + left),
                    f"{outcome.cost(of_miss, of_alarm):,.0f}",
                    say("{least} from {best}", least=f"{least:,.0f}", best=f"{cheapest:.2f}"),
                ]
            )
    return Table((KIND, *OF_THRESHOLDS), rows, OF_THRESHOLDS)
