"""The two systems of a comparison, and which of their answers belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluators.llm.catalogue import model_title
from evaluators.records import Run
from evaluators.runs import aggregate
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Outline
from evaluators.text.normalise import slug

NOISE = "noise_robustness"
"""The rate of RGB that is asked at several noise levels."""


@dataclass(frozen=True)
class Side:
    """One of two systems: a model's answers in a run, as the view counts them."""

    view: RunView
    model: int = 0
    counted: View = WHAT_COUNTS

    @property
    def run(self) -> Run:
        return self.view.run

    def rows(self) -> list[Outline]:
        """Every result of the model, without texts."""
        return aggregate.of_model(self.view.counted(self.counted), self.model)


class Value(NamedTuple):
    """One value of a run: the rows that it is counted over, and what it is called in these."""

    rows: Sequence[Outline]
    name: str


def values_of(side: Side) -> dict[str, Value]:
    """Each value of a system under the name that it has in `Results.summary`."""
    rows = side.rows()
    values: dict[str, Value] = {}
    for number, spec in enumerate(side.run.evaluators):
        own_rows = aggregate.of_metric(rows, number)
        own = _rates(own_rows) if spec.name == "rgb" else _plain_values(own_rows)
        for name, value in own.items():
            # As in the results: a name that an earlier metric has gets the metric's number.
            unique = f"{name} ({number + 1})" if name in values else name
            values[unique] = value
    return values


def _rates(rows: Sequence[Outline]) -> dict[str, Value]:
    """The values of RGB: each is a rate over the samples of one ability."""
    values: dict[str, Value] = {}
    for title, ability, name in aggregate.RATES:
        own = aggregate.of_ability(rows, ability)
        if any(name in row.values for row in own):
            values[slug(title)] = Value(own, name)
    return values


def _plain_values(rows: Sequence[Outline]) -> dict[str, Value]:
    names = dict.fromkeys(name for row in rows for name in row.values)
    return {name: Value(rows, name) for name in names}


def at_each_noise(value: Value) -> dict[str, Value]:
    """The same value over the samples of each noise level alone, lowest first."""
    levels: dict[float, list[Outline]] = {}
    for row in value.rows:
        if row.noise is not None:
            levels.setdefault(row.noise, []).append(row)
    return {f"{level:g}": Value(levels[level], value.name) for level in sorted(levels)}


def titles(first: Side, second: Side) -> tuple[str, str]:
    """A name for each side that tells it from the other: by run, else model, else labeller."""
    if first.run.id != second.run.id:
        if first.run.title != second.run.title:
            return first.run.title, second.run.title
        names = [f"{side.run.title} ({side.run.created[:16]})" for side in (first, second)]
    elif first.model != second.model:
        names = [model_title(side.run.models[side.model]) for side in (first, second)]
    else:
        names = [side.counted.by or "what counts" for side in (first, second)]
    first_name, second_name = names
    if first_name == second_name:
        return f"{first_name} (1)", f"{second_name} (2)"
    return first_name, second_name


class Matched(NamedTuple):
    """Which answers of two systems belong together, by where they stand in their data.

    `alone` are the samples that only one of them has: first the first's, then the second's.
    """

    pairs: Mapping[int, int]
    alone: tuple[tuple[int, ...], tuple[int, ...]]
    is_same_data: bool


def matched(
    first: Sequence[Outline],
    second: Sequence[Outline],
    is_same_data: bool,
) -> Matched:
    """Answers to the same sample where the data are the same, else to the same question.

    Of RGB the ability and the noise must be the same too. A question that stands several times is
    matched in order.
    """
    key_positions = _by_position if is_same_data else _by_question
    ours = key_positions(first)
    theirs = key_positions(second)
    pairs = {}
    for key, position in ours.items():
        if key in theirs:
            pairs[position] = theirs[key]
    return Matched(
        pairs=pairs,
        alone=(_without_partner(ours, theirs), _without_partner(theirs, ours)),
        is_same_data=is_same_data,
    )


def _by_position(rows: Iterable[Outline]) -> dict[Hashable, int]:
    return {row.position: row.position for row in rows}


def _by_question(rows: Iterable[Outline]) -> dict[Hashable, int]:
    seen: Counter[Hashable] = Counter()
    positions: dict[Hashable, int] = {}
    done = set()
    for row in rows:
        # A sample has a row for each metric.
        if row.position in done:
            continue
        done.add(row.position)
        # White space does not matter: files are written by many programs.
        question = " ".join(row.question.split())
        asked = (question, row.ability, row.noise)
        positions[asked, seen[asked]] = row.position
        seen[asked] += 1
    return positions


def _without_partner(
    ours: Mapping[Hashable, int], theirs: Mapping[Hashable, int]
) -> tuple[int, ...]:
    return tuple(position for key, position in ours.items() if key not in theirs)
