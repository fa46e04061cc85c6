"""How often two systems differed in past runs over the same data: what a new run can expect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple

from evaluators.comparison.compare import compared
from evaluators.comparison.sides import Side
from evaluators.errors import ParameterError
from evaluators.records import Run
from evaluators.runs.run_view import RunView

MOST_RUNS = 4
"""Past runs that are looked at, newest first: each takes reading all of its results."""


class Differing(NamedTuple):
    """The share of samples, from 0 to 1, on which two systems differed in a yes-or-no value."""

    share: float
    value: str
    first: str
    second: str


def differing(
    runs: Iterable[Run],
    data: str,
    view_of: Callable[[Run], RunView],
) -> Differing | None:
    """The newest two models or runs over the data of this name that can be compared.

    `runs` are the newest first. `None` where no two had a yes-or-no value in common.
    """
    past = [run for run in runs if run.dataset_name == data][:MOST_RUNS]
    sides = []
    for run in past:
        view = view_of(run)
        sides += [Side(view, model) for model in range(max(1, len(run.models)))]
    for first, second in combinations(sides, 2):
        try:
            comparison = compared(first, second, with_outcomes=False)
        except ParameterError:
            # These two have nothing in common, the next two may.
            continue
        for value in comparison.values:
            difference = value.difference
            # Two copies of a run do not differ anywhere, which says nothing of a new one.
            if difference and difference.discordant:
                share = difference.discordant
                return Differing(share, value.name, comparison.first, comparison.second)
    return None
