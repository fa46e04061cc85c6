"""`plumbline check`: a run's labellers beside people's labels: a table, JSON, an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import RenderableType

from evaluators.api.results import Results
from evaluators.document import tables
from evaluators.document.terminal import rich_table
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.people.checked import Against, ValueCheck
from evaluators.terminal.exit_codes import BELOW, FINE, ROUNDING, Demand, ExitOutcome, unknown_value
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
    """Whether every demanded mean is high enough as far as it is known: the interval's lower end.

    Raises `ParameterError` for a name that no value has.
    """
    unmet: list[str] = []
    for demand in demanded:
        meant = [line for line in checked if line.name == demand.name]
        if not meant:
            raise unknown_value(demand.name, dict.fromkeys(line.name for line in checked))
        unmet += _unmet_by_check(demand, meant)
    return ExitOutcome(BELOW, tuple(unmet)) if unmet else ExitOutcome(FINE)


def _unmet_by_check(demand: Demand, meant: Iterable[CheckedLine]) -> Iterator[str]:
    for line in meant:
        whose = f" of {printable(line.model)}" if line.model else ""
        best = line.value.best
        if best is None:
            yield f"{line.name}{whose}: not labelled, and at least {demand.least:g} is asked for."
        # The lower end: a mean of few labels may be high by luck.
        elif best.low < demand.least - ROUNDING:
            yield (
                f"{line.name}{whose} may be {best.low:.4g}, below the {demand.least:g} asked for."
            )


def as_tables(checked: Sequence[CheckedLine]) -> list[RenderableType]:
    """What can be read out, all values, and what to beware of."""
    models = dict.fromkeys(line.model for line in checked)
    leading = []
    for model in models:
        own = [line.value for line in checked if line.model == model and line.value.labelled]
        about = f"{model}: " if model and len(models) > 1 else ""
        leading += [printable(about + value.sentence) for value in own[:1]]
    labellers = {line.labeller for line in checked}
    lines = []
    for line in checked:
        cells = {tables.MODEL: (line.model or "") if len(models) > 1 else ""}
        cells[tables.SCORES] = line.labeller if len(labellers) > 1 else ""
        lines.append(({**cells, tables.VALUE: line.name}, line.value))
    notes = [f"{line.name}: {warning}" for line in checked for warning in line.value.warnings]
    return [
        *leading,
        rich_table(tables.agreement(lines)),
        *map(printable, dict.fromkeys(notes)),
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
