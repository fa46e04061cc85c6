"""`plumbline check`: a run's labellers beside people's labels: a table, JSON, an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evaluators.api.gate import Demand, Measured, Ruling, ruled_value, unknown_value
from evaluators.api.results import Results
from evaluators.api.shown import ProbabilityChecks
from evaluators.document.blocks import Blocks, Section
from evaluators.document.checked import CheckedLine, checked_labeller
from evaluators.document.probabilities import PROBABILITIES
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.people.checked import Against
from evaluators.terminal.exit_codes import ExitOutcome, outcome_of
from evaluators.text.language import say
from evaluators.text.printable import printable


def checked_lines(
    results: Results, against: Against, scores: Sequence[str] = (), **how: Any
) -> list[CheckedLine]:
    """Every value of the run, or of these columns of `scores` of its data, which are read `how`.

    Raises `ParameterError` where none of its answers is labelled.
    """
    found: list[CheckedLine] = []
    labelled = 0
    for name in scores:
        check = results.correct(against=against, scores=name, **how)
        labelled += check.labelled
        found += [CheckedLine(None, value.name, name, value) for value in check.values]
    for number, model in enumerate(() if scores else _models(results)):
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


def _models(results: Results) -> list[str | None]:
    return [model_title(spec) for spec in results.run.models] or [None]


def checked_probabilities(
    results: Results, against: Against
) -> list[tuple[str | None, ProbabilityChecks]]:
    """How far the probabilities of each model's labels can be trusted, where it has some."""
    found = [
        (model, results.probabilities(number, against=against))
        for number, model in enumerate(_models(results))
    ]
    return [(model, own) for model, own in found if own.by_kind]


def document(
    checked: Sequence[CheckedLine], likely: Iterable[tuple[str | None, ProbabilityChecks]]
) -> Blocks:
    """Every value beside people's, and below it the probabilities of each model's labels."""
    sections = []
    for model, own in likely:
        title = say(PROBABILITIES)
        sections.append(Section(f"{title} · {model}" if model else title, own.document()))
    return [*checked_labeller(checked), *sections]


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


def check_summary(
    results: Results,
    against: Against,
    checked: Sequence[CheckedLine],
    likely: Iterable[tuple[str | None, ProbabilityChecks]],
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
        "probabilities": [
            {"model": model, "kind": kind, **reliability}
            for model, own in likely
            for kind, reliability in own.summary().items()
        ],
    }
