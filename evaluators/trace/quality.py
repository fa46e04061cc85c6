"""How good the heuristic's labels are on published data, by kind of data.

The figures stand in data/heuristic.csv, which `make heuristic` measures; nothing repeats them.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from evaluators.config import ROOT
from evaluators.text.language import say
from evaluators.text.scale import RATE
from evaluators.trace.values import METRICS

FILE = ROOT / "data" / "heuristic.csv"
SHARES = METRICS[:3]
"""Values that are a number between 0 and 1; adherence is yes or no."""


class Quality(NamedTuple):
    """The values of one kind of data by one formula, beside those of the published labels.

    `right` is the share of its adherence verdicts that are those of the published labels,
    `always_yes` that of a labeller that only says yes. `rmse` is the distance of each of `SHARES`,
    and that of a constant, the published mean.
    """

    kind: str
    formula: str
    answers: int
    right: float
    always_yes: float
    says: float
    kappa: float
    auroc: float
    rmse: dict[str, tuple[float, float]]


COLUMNS = (
    *Quality._fields[:-1],
    *(f"{name}_{of}" for name in SHARES for of in ("rmse", "constant")),
)
"""The columns of the file, in their order."""


# The file comes with the app and never changes while it runs.
@cache
def by_kind(formula: str) -> Sequence[Quality]:
    """The figures by a formula, kind by kind; none for a formula that was not measured."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(_read(row) for row in csv.DictReader(file) if row["formula"] == formula)


def _read(row: dict[str, str]) -> Quality:
    return Quality(
        kind=row["kind"],
        formula=row["formula"],
        answers=int(row["answers"]),
        right=float(row["right"]),
        always_yes=float(row["always_yes"]),
        says=float(row["says"]),
        kappa=float(row["kappa"]),
        auroc=float(row["auroc"]),
        rmse={
            name: (float(row[f"{name}_rmse"]), float(row[f"{name}_constant"])) for name in SHARES
        },
    )


def verdicts_in_words(kinds: Sequence[Quality]) -> str:
    """How often verdicts on adherence are right in the worst and the best kind of data."""
    if not kinds:
        return ""
    right = [kind.right for kind in kinds]
    always_yes = [kind.always_yes for kind in kinds]
    return say(
        "Against published labels its verdicts are right in {right} of answers, by kind of data; "
        "always saying yes is right in {yes}.",
        right=RATE.interval(min(right), max(right)),
        yes=RATE.interval(min(always_yes), max(always_yes)),
    )


def share_in_words(name: str, kinds: Sequence[Quality]) -> str:
    """In how many kinds of data one of `SHARES` says no more than a constant; empty if in none."""
    no_closer = [kind for kind in kinds if kind.rmse[name][0] >= kind.rmse[name][1]]
    if not no_closer:
        return ""
    return say(
        "by the heuristic no closer to published labels than a constant in {some} of {all} kinds "
        "of data",
        some=len(no_closer),
        all=len(kinds),
    )
