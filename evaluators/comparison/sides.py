"""The two systems of a comparison, and which of their answers belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluators.flaws.declined import Outcome
from evaluators.people import labellers
from evaluators.records import Run
from evaluators.runs import aggregate, run_facts
from evaluators.runs.aggregate import Counted, View
from evaluators.runs.flaw_figures import Flaws
from evaluators.runs.formulas import formula_of
from evaluators.runs.naming import PARTS, parts_apart
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Answer, Outline
from evaluators.text.language import say
from evaluators.text.normalise import one_line

NOISE = "noise_robustness"
"""The rate of RGB that is asked at several noise levels."""
WRONG_OUTCOMES = (Outcome.DECLINED_WRONGLY.value, Outcome.ANSWERED_WITHOUT.value)
"""The outcomes that are compared: how often an answer is one of them."""
GROUP_SHOWN = 60


@dataclass(frozen=True)
class Side:
    """One of two systems: a model's answers in a run, as the view counts them.

    Of a `group` only those to its samples. What people changed counts for all prompts, or where
    they are given for those `relabelled`.
    """

    view: RunView
    model: int = 0
    counted: View = WHAT_COUNTS
    relabelled: frozenset[int] | None = None
    group: str | None = None

    @property
    def run(self) -> Run:
        return self.view.run

    @property
    def answers(self) -> tuple[str, int, str | None]:
        """Which answers they are, whoever judged them."""
        return self.run.id, self.model, self.group

    def has_same_data(self, other: Side) -> bool:
        """Whether each sample of the one is one of the other."""
        is_same_group = self.group == other.group
        return is_same_group and self.run.data_fingerprint == other.run.data_fingerprint

    def rows(self) -> list[Outline]:
        """Every result of the model, without texts."""
        rows = self._rows_by(self.counted)
        if self.relabelled is None:
            return rows
        own = self._rows_by(self.counted._replace(by=None))
        return [
            row if row.prompt in self.relabelled else before
            for row, before in zip(rows, own, strict=True)
        ]

    def _rows_by(self, counted: View) -> list[Outline]:
        rows = aggregate.of_model(self.view.counted(counted), self.model)
        return [row for row in rows if self.group in (None, row.situation)]

    def flaws(self) -> Flaws:
        """What is wrong with its answers, as on the run's page; by the labeller of the run where
        people's labels count for some prompts alone.
        """
        is_partly = self.relabelled is not None
        return self.view.flaws(
            self.model, self.counted._replace(by=None) if is_partly else self.counted
        )

    def outcomes(self) -> list[Outline]:
        """A row for each answer with `WRONG_OUTCOMES` as its values, none where it is not known."""
        names = {answer: one.name for one in self.flaws().outcomes for answer in one.answers}
        rows = []
        for row in aggregate.of_metric(self.rows(), 0):
            outcome = names.get(Answer(row.position, row.model))
            values = {name: float(name == outcome) for name in WRONG_OUTCOMES if outcome}
            rows.append(row._replace(values=values))
        return rows


def values_of(side: Side) -> dict[str, Counted]:
    """Each value of a system that any of its answers has, by its name in `Results.summary`."""
    named = aggregate.named_values(side.run.evaluators, side.rows())
    values = {}
    for name, value in named.items():
        if any(value.name in row.values for row in value.rows):
            values[name] = value
    return values


def at_each_noise(value: Counted) -> dict[str, Counted]:
    """The same value over the samples of each noise level alone, lowest first."""
    levels: dict[float, list[Outline]] = {}
    for row in value.rows:
        if row.noise is not None:
            levels.setdefault(row.noise, []).append(row)
    return {f"{level:g}": Counted(levels[level], value.record) for level in sorted(levels)}


def titles(sides: Sequence[Side]) -> tuple[str, ...]:
    """A name for each side that tells it from the others: what its run's title has of its own, its
    model and labeller where these differ; the date too where that is not enough.
    """
    by_run = {side.run.id: side.run.title for side in sides}
    apart = dict(zip(by_run, parts_apart(list(by_run.values())), strict=True))
    names = [_name(side, sides, apart[side.run.id]) for side in sides]
    for further in (_model_title, _date):
        longer = [
            f"{name} ({further(side)})" if names.count(name) > 1 else name
            for name, side in zip(names, sides, strict=True)
        ]
        # Two runs of one name may have one model as well.
        if len(set(longer)) > len(set(names)):
            names = longer
    return tuple(
        f"{name} ({place})" if names.count(name) > 1 else name
        for place, name in enumerate(names, start=1)
    )


def _name(side: Side, sides: Sequence[Side], title: str) -> str:
    of_run = [other for other in sides if other.run.id == side.run.id]
    parts = []
    if len(of_run) < len(sides):
        parts.append(title)
    if len({other.group for other in of_run}) > 1:
        parts.append(one_line(side.group or "")[:GROUP_SHOWN])
    if len({other.model for other in of_run}) > 1:
        parts.append(_model_title(side))
    if len({other.counted.by for other in of_run}) > 1:
        by = side.counted.by
        parts.append(labellers.labeller_title(by) if by else say("Labels of the run"))
    # Formula and rules; the labeller, which stands between them, was named above.
    if len({other.counted[::2] for other in of_run}) > 1:
        definition, _, policy = side.counted
        formula = say("{formula} formula", formula=say(formula_of(side.run, definition)))
        if policy:
            formula = say("{formula}, {policy} rules", formula=formula, policy=say(policy))
        parts.append(formula)
    return PARTS.join(parts) or side.run.title


def _model_title(side: Side) -> str:
    return run_facts.titles(side.run)[side.model] if side.run.models else say("given answers")


def _date(side: Side) -> str:
    return side.run.created[:16].replace("T", " ")


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
    matched in order. Repeats of a prompt stand together under the position of the first.
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
    # The same prompt stands elsewhere where the other run has more repeats: its number counts.
    prompts = dict.fromkeys(row.prompt for row in rows)
    return dict(enumerate(prompts))


def _by_question(rows: Iterable[Outline]) -> dict[Hashable, int]:
    seen: Counter[Hashable] = Counter()
    positions: dict[Hashable, int] = {}
    done = set()
    for row in rows:
        # A sample has a row for each metric and each repeat.
        if row.prompt in done:
            continue
        done.add(row.prompt)
        asked = (one_line(row.question), row.ability, row.noise)
        positions[asked, seen[asked]] = row.prompt
        seen[asked] += 1
    return positions


def _without_partner(
    ours: Mapping[Hashable, int], theirs: Mapping[Hashable, int]
) -> tuple[int, ...]:
    return tuple(position for key, position in ours.items() if key not in theirs)
