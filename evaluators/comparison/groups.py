"""The groups of one run, such as its versions of a prompt: another way to make sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from evaluators.comparison.sides import Side, values_of
from evaluators.comparison.words import NEITHER_BETTER
from evaluators.datasets.versions import FEWEST, MOST
from evaluators.errors import ParameterError
from evaluators.records import Run
from evaluators.runs import aggregate
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.normalise import one_line
from evaluators.text.words import counted, in_a_line
from evaluators.trace.labelling import has_heuristic

GROUP = "group"
"""What the column is called in files of results, whatever its name in the data."""
MOST_NAMED = 6
NAME_SHOWN = 40


def column_of(run: Run) -> str:
    """The column of the data that named the groups of a run."""
    chosen = run.origin.get("columns", {}).get(GROUP)
    return str(run.origin.get(GROUP) or chosen or GROUP)


def names_of(view: RunView, model: int = 0) -> list[str]:
    """The groups of a run, in the order of their names."""
    return sorted({row.situation for row in aggregate.of_model(view.rows, model)} - {""})


def can_be_compared(view: RunView) -> bool:
    """Whether a run has groups of which two were asked the same question: versions, not topics."""

    def have_common_questions() -> bool:
        if not FEWEST <= len(names_of(view)) <= MOST:
            return False
        first: dict[str, str] = {}
        for row in view.rows:
            question = one_line(row.question)
            if row.situation and first.setdefault(question, row.situation) != row.situation:
                return True
        return False

    return view.kept("groups have common questions", bool, have_common_questions)


def sides(whole: Side, by: str, only: Sequence[str] = ()) -> list[Side]:
    """A side for each group of a run by this column, or for these `only`, the best one first.

    By labels of the heuristic, which choose no system, they stay in the order of their names.
    Raises `ParameterError` where there are no groups by it, or not as many as can be compared.
    """
    column, names = column_of(whole.run), names_of(whole.view, whole.model)
    if by not in (column, GROUP) or not names:
        words = mark("There are no groups by {by}. Those of this run are by {column}: {names}.")
        if not names:
            words = mark(
                "There are no groups by {by}: the data of this run name none. Read them with {by} "
                "as their group."
            )
        shown = {"by": by[:NAME_SHOWN], "column": column[:NAME_SHOWN], "names": _named(names)}
        raise ParameterError(say(words, **shown))
    chosen = [name for name in names if name in only] if only else names
    if not FEWEST <= len(chosen) <= MOST:
        raise ParameterError(
            say(
                "{column} has {groups}: {names}. From {fewest} to {most} can be compared.",
                column=column[:NAME_SHOWN],
                groups=counted(len(chosen), "group"),
                names=_named(chosen),
                fewest=FEWEST,
                most=MOST,
            )
        )
    return _best_first([replace(whole, group=name) for name in chosen])


def without_group(side: Side) -> str:
    """How many answers of the run are in none of its groups, in a sentence; empty for none."""
    if side.group is None:
        return ""
    rows = replace(side, group="").rows()
    samples = len({row.prompt for row in rows})
    if not samples:
        return ""
    return say("{samples} without a group are left out.", samples=counted(samples, "sample"))


def _best_first(groups: Sequence[Side]) -> list[Side]:
    def mean(side: Side) -> float:
        values = [value for name, value in values_of(side).items() if name not in NEITHER_BETTER]
        # The value that leads a table of the run
        leading = min(values, key=lambda value: value.record.rank, default=None)
        if leading is None or has_heuristic([row.by for row in leading.rows if row.by]):
            return math.inf
        return -math.inf if leading.mean.mean is None else leading.mean.mean

    # Sorting keeps the order of what is equal.
    return sorted(groups, key=mean, reverse=True)


def _named(names: Sequence[str]) -> str:
    shown = [name[:NAME_SHOWN] for name in names[:MOST_NAMED]]
    return in_a_line([*shown, "…"] if len(names) > MOST_NAMED else shown)
