"""`plumbline check`: a run's labellers beside people's labels: a table, JSON, an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from evaluators.api.gate import Demand, Measured, Ruling, ruled_value, unknown_value
from evaluators.api.results import Results
from evaluators.document import tables
from evaluators.document.blocks import Blocks, Passage
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.people.checked import Against, ValueCheck
from evaluators.terminal.exit_codes import ExitOutcome, outcome_of
from evaluators.text.printable import printable


class CheckedLine(NamedTuple):
    """One value of one model's answers (`None` where they are the data's own), as checked.

    `name` is that of the value; where an earlier metric has the same, with the metric's number.
    """

    model: str | None
    name: str
    labeller: str
    value: ValueCheck


def checked_lines(
    results: Results, against: Against, scores: Sequence[str] = (), **how: Any
) -> list[CheckedLine]:
    """Every value of the run, or of these columns of `scores` of its data, which are read `how`.

    Raises `ParameterError` where none of its answers is labelled.
    """
    models: Sequence[str | None] = [model_title(spec) for spec in results.run.models] or [None]
    found: list[CheckedLine] = []
    labelled = 0
    for name in scores:
        check = results.correct(against=against, scores=name, **how)
        labelled += check.labelled
        found += [CheckedLine(None, value.name, name, value) for value in check.values]
    for number, model in enumerate(models if not scores else ()):
        taken: set[str] = set()
        for metric in range(len(results.run.evaluators)):
            check = results.correct(against=against, metric=metric, model=number)
            labelled += check.labelled
            for value in check.values:
                name = f"{value.name} ({metric + 1})" if value.name in taken else value.name
                found.append(CheckedLine(model, name, check.labeller, value))
            # Only behind the metric: its own values have different names.
            taken |= {value.name for value in check.values}
    if labelled:
        return found
    if against == "gold":
        raise ParameterError("The data of this run have no labels. Label some answers in the app.")
    raise ParameterError(
        "Nobody has labelled an answer of this run. Label some in the app, or check it against "
        "labels that the data have: --against gold."
    )


def check_outcome(checked: Sequence[CheckedLine], demanded: Iterable[Demand]) -> ExitOutcome:
    """Whether every demanded mean is high enough, as far as labels of so many answers tell.

    Raises `ParameterError` for a name that no value has.
    """
    rulings: list[Ruling] = []
    for demand in demanded:
        meant = [line for line in checked if line.name == demand.name]
        if not meant:
            raise unknown_value(demand.name, dict.fromkeys(line.name for line in checked))
        rulings += [_ruling(line, demand.least) for line in meant]
    return outcome_of(rulings)


def _ruling(line: CheckedLine, least: float) -> Ruling:
    name = f"{line.name} of {printable(line.model)}" if line.model else line.name
    best = line.value.best
    if best is None:
        return Ruling(name, "fail", f"{name}: not labelled, and at least {least:g} is asked for.")
    return ruled_value(name, Measured(best.mean, best.low, best.high, line.value.labelled), least)


def document(checked: Sequence[CheckedLine]) -> Blocks:
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


def check_summary(
    results: Results,
    against: Against,
    checked: Sequence[CheckedLine],
) -> dict[str, object]:
    """The same for a program, with the answers in each field of a table."""
    return {
        "run": results.run.id,
        "title": results.run.title,
        "definition": results.definition if results.has_labels else None,
        "against": against,
        "values": [
            {
                "model": line.model,
                "labeller": line.labeller,
                **line.value.model_dump(mode="json"),
                # Behind the dump, whose name two metrics may share.
                "name": line.name,
            }
            for line in checked
        ],
    }
