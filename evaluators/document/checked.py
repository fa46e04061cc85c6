"""A labeller beside people's labels, as blocks for every door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluators.document import tables
from evaluators.document.blocks import Blocks, Passage
from evaluators.people.checked import ValueCheck


class CheckedLine(NamedTuple):
    """One value of one model's answers (`None` where they are the data's own), as checked.

    `name` is that of the value; where an earlier metric has the same, with the metric's number.
    """

    model: str | None
    name: str
    labeller: str
    value: ValueCheck


def checked_labeller(checked: Sequence[CheckedLine]) -> Blocks:
    """What can be read out, all values, and what to beware of."""
    models = dict.fromkeys(line.model for line in checked)
    leading = []
    for model in models:
        own = [line.value for line in checked if line.model == model and line.value.labelled]
        about = f"{model}: " if model and len(models) > 1 else ""
        leading += [Passage(about + value.sentence, "finding") for value in own[:1]]
    labellers = {line.labeller for line in checked}
    lines = []
    for line in checked:
        cells = {tables.MODEL: (line.model or "") if len(models) > 1 else ""}
        cells[tables.SCORES] = line.labeller if len(labellers) > 1 else ""
        lines.append(({**cells, tables.VALUE: line.name}, line.value))
    notes = [f"{line.name}: {warning}" for line in checked for warning in line.value.warnings]
    return [
        *leading,
        tables.agreement(lines),
        *map(Passage, dict.fromkeys(notes)),
    ]
