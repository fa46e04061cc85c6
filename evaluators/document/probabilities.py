"""How far a labeller's probabilities can be trusted, as blocks for every door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluators.document.blocks import Blocks, Table
from evaluators.document.tables import filled_columns
from evaluators.people.reliability import Reliability
from evaluators.runs.probabilities import KINDS
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE, SCORE

KIND, LABELS, TRUE = mark("Label"), mark("Labels"), mark("True")
PROBABILITIES, PROBABILITY = mark("Probabilities"), mark("Probability")
THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Those of a text; a page has one to move."""


def probabilities(found: Mapping[str, Reliability]) -> Blocks:
    """All that there is to say of each kind of label: the whole, the curve, and thresholds."""
    return [overview(found), _tenths(found), outcomes(found, THRESHOLDS)]


def overview(found: Mapping[str, Reliability]) -> Table:
    """The shares that are expected, counted and true, and how far the probabilities lie off."""
    return _table(
        {
            KIND: say(KINDS[kind]),
            LABELS: f"{own.count:,}",
            mark("Expected"): RATE.shown(own.expected),
            mark("Yes from 0.5"): RATE.shown(own.at(0.5).share),
            TRUE: RATE.shown(own.true),
            mark("Calibration error"): RATE.shown(own.error),
            "AUROC": SCORE.with_interval(own.auroc, *own.auroc_interval or ()),
        }
        for kind, own in found.items()
    )


def _tenths(found: Mapping[str, Reliability]) -> Table:
    """The reliability curve as numbers."""
    return _table(
        {
            KIND: say(KINDS[kind]),
            PROBABILITY: SCORE.shown(tenth.probability),
            LABELS: f"{tenth.count:,}",
            TRUE: RATE.with_interval(tenth.share, *tenth.interval or ()),
        }
        for kind, own in found.items()
        for tenth in own.tenths
    )


def outcomes(
    found: Mapping[str, Reliability],
    thresholds: Sequence[float],
    of_miss: float = 1,
    of_alarm: float = 1,
) -> Table:
    """What each threshold finds and misses, and what its errors cost at these prices."""
    rows = []
    for kind, own in found.items():
        best = own.cheapest(of_miss, of_alarm)
        least = f"{own.at(best).cost(of_miss, of_alarm):,.0f}"
        for threshold in thresholds:
            hits, alarms, misses, left = outcome = own.at(threshold)
            row = {KIND: say(KINDS[kind]), mark("Threshold"): f"{threshold:.2f}"}
            row |= {
                mark("True ones found"): say("{done:,} of {all:,}", done=hits, all=hits + misses),
                mark("Missed"): f"{misses:,}",
                mark("False alarms"): say("{done:,} of {all:,}", done=alarms, all=alarms + left),
                mark("Cost"): f"{outcome.cost(of_miss, of_alarm):,.0f}",
                mark("Least cost"): say("{least} from {best}", least=least, best=f"{best:.2f}"),
            }
            rows.append(row)
    return _table(rows)


def _table(lines: Iterable[Mapping[str, str]]) -> Table:
    rows = list(lines)
    return filled_columns(rows, [heading for heading in (rows or [{}])[0] if heading != KIND])
