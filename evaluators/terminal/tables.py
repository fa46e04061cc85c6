"""Tables for people and JSON for programs; text of strangers is shown as text, on one line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from rich.console import Console, RenderableType
from rich.table import Table as RichTable

from evaluators.api.results import Results
from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.comparison.repeated import Repeated
from evaluators.document.blocks import Table
from evaluators.document.terminal import print_parts, rendered, rich_table
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import Choice
from evaluators.llm.estimate import (
    NamedEstimate,
    bases,
    by_tomorrow,
    cut_short,
    impossible,
    lengthy,
    row_in_words,
)
from evaluators.own_command import own_command
from evaluators.params import parameters
from evaluators.records import Cap, EvaluatorSpec, Reason, Run
from evaluators.report.run_report import (
    brief_document,
    facts_of_run,
    found_in_run,
    how_of_run,
)
from evaluators.retrieval.bed import MadeBed
from evaluators.runs.counts import checked_and_failed
from evaluators.runs.engine import registry
from evaluators.runs.inputs import WORKSPACE
from evaluators.runs.overnight import state_of_batches
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.terminal.command import command
from evaluators.terminal.files import escaped_for_terminal
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.text.normalise import slug
from evaluators.text.printable import printable

WIDE = 200
"""Columns where the output is not a terminal: wide enough that no line of a table is broken."""

SHORT = 8
"""Characters of a run's id that a list shows; `resume` and `show` take them."""

CELL = 24
"""Characters of a default that a list shows; a longer one, such as a question, is cut."""


MOST_OF_A_BED = 200
"""Rows of a bed that are listed."""


def echo(*parts: RenderableType) -> None:
    """Prints to the standard output, in colour only on a terminal."""
    # Rich would colour numbers and quotes in texts of strangers as if they meant something.
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDE)
    print_parts(console, parts)


def as_json(value: object) -> str:
    """JSON for a program or a screen: what a terminal would obey is escaped, which JSON allows."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return escaped_for_terminal(text.encode(errors="replace")).decode()


def text_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    numbers: Collection[str] = (),
) -> RichTable:
    return rich_table(Table(headings, [list(map(str, row)) for row in rows], numbers))


def bed_in_parts(made: MadeBed) -> list[RenderableType]:
    """The rows that a person should look at and why, then the questions that made none."""
    rows = [(own.row.id, own.row.query, " ".join(own.doubts)) for own in made.doubtful]
    left_out = [(own.id, own.question, own.reason) for own in made.left_out]
    return [
        text_table([head, "question", "why"], lines[:MOST_OF_A_BED])
        for head, lines in (("to look at", rows), ("left out", left_out))
        if lines
    ]


# Lists


def metrics_table(
    by_name: Mapping[str, type[Evaluator]],
    saved: Mapping[str, EvaluatorSpec],
) -> RichTable:
    """The metrics of the catalogue with their parameters, and those that were saved in the app."""
    rows = []
    for name, cls in by_name.items():
        needs = "as its fields say" if cls.name == "prompt" else ", ".join(cls.needs)
        judges = _judges_in_words(cls)
        rows.append((name, cls.title, needs, judges, _parameters_with_defaults(cls)))
    for title, spec in saved.items():
        try:
            metric = from_spec(spec)
        except ParameterError as error:
            # Its file may be gone, or the metric have other parameters now: the list goes on.
            rows.append((slug(title), title, "", "", [f"cannot be used: {error}"]))
        else:
            needs = ", ".join(metric.needed)
            judges = _judges_in_words(type(metric))
            rows.append((slug(title), title, needs, judges, ["saved in the app"]))
    lines = []
    for *row, several in rows:
        first, *further = several or [""]
        lines.append((*row, first))
        # A metric's further parameters stand on lines of their own.
        lines += [("", "", "", "", parameter) for parameter in further]
    return text_table(["name", "title", "needs", "judges", "parameters"], lines)


def _judges_in_words(cls: type[Evaluator]) -> str:
    most = cls.most_judges()
    if most > 1:
        return f"1 to {most}"
    return str(most or "")


def _parameters_with_defaults(cls: type[Evaluator]) -> list[str]:
    """Each parameter with its default, where that is short."""
    required = {name for name, field in cls.model_fields.items() if field.is_required()}
    words = []
    for parameter in parameters(cls):
        if parameter.name in required:
            words.append(parameter.name)
        else:
            words.append(f"{parameter.name}={_short_default(parameter.default)}")
    return words


def _short_default(value: object) -> str:
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    if len(text) <= CELL:
        return text
    return f"{text[:CELL]}…"


def models_table(by_id: Mapping[str, Choice]) -> RichTable:
    """The models that can be asked, with what keeps one from it; retired ones are left out."""
    rows = [
        (
            name,
            choice.model.title,
            _number_or_unknown(choice.model.price_in),
            _number_or_unknown(choice.model.price_out),
            "unknown" if choice.model.context is None else f"{choice.model.context:,}",
            choice.problem or choice.model.status,
        )
        for name, choice in by_id.items()
        # Decided today, not when the catalogue was written: a model retires on its day.
        if not choice.model.is_retired(date.today())
    ]
    headings = ["id", "title", "$ / million in", "$ / million out", "context", "state"]
    return text_table(headings, rows, headings[2:5])


def _number_or_unknown(price: float | None) -> str:
    return "unknown" if price is None else f"{price:g}"


def runs_in_parts(store: Store) -> tuple[list[RenderableType], list[str]]:
    """The runs, newest first, and what cannot be read of them."""
    readable = store.runs.newest(WORKSPACE)
    lost = [
        f"{run.name[:SHORT]} cannot be read ({run.reason}). See: show {run.name[:SHORT]}"
        for run in store.runs.unreadable(WORKSPACE)
    ]
    for run in readable:
        if damage := RunView.read(store, run).damage_in_sight(most=0).sentence():
            lost.append(f"{run.id[:SHORT]}: {damage}")
    return [_runs_table(readable, store) if readable or lost else "No run yet."], lost


def _runs_table(runs: Sequence[Run], store: Store) -> RichTable:
    rows = [
        (
            run.id[:SHORT],
            _begun(run),
            run.title,
            ", ".join(spec.name for spec in run.evaluators),
            state(run, store),
        )
        for run in runs
    ]
    return text_table(["run", "begun", "title", "metrics", "state"], rows)


def state(run: Run, store: Store) -> str:
    """How far the run is, and whether any process works on it."""
    return f"{_activity(run, store)}, {checked_and_failed(run, store.results.counts(run))}"


def _activity(run: Run, store: Store) -> str:
    if registry.is_at_work(run.id, store):
        return "running"
    of_batches = state_of_batches(store, run.id).lower()
    return of_batches or ("stopped" if store.results.counts(run).open else "finished")


def _begun(run: Run) -> str:
    created = datetime.fromisoformat(run.created)
    return created.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


# One run


def run_in_parts(results: Results) -> list[RenderableType]:
    """All that the run has to say, how to go on, and how to begin it again."""
    run = results.run
    view = results.read()
    facts = [run.title, *facts_of_run(view, results.view)]
    found = found_in_run(view, results.view, in_terminal, by_name=True)
    blocks = [*found, *how_of_run(view, results.view, in_terminal)]
    # Titles of runs may be alike: the id tells them apart, and is what commands take.
    lines = [f"{run.id}: {_activity(run, results.store)}", printable(" · ".join(facts)), ""]
    parts = [*lines, *rendered(blocks), ""]
    counts = results.counts
    if counts.scored < counts.asked and not registry.is_at_work(run.id, results.store):
        parts.append(go_on(run))
    return [*parts, f"The same again:\n{command(run)}"]


def means_in_parts(results: Results) -> list[RenderableType]:
    """The run and how far it is, what it found, its means, and why samples failed."""
    blocks = brief_document(results.read(), results.view, in_terminal)
    return [results.headline(), *rendered(blocks)]


def in_terminal(reason: Reason) -> str:
    return reason.worded(IN_TERMINAL)


def go_on(run: Run) -> str:
    return f"Go on with: {own_command()} resume {run.id[:SHORT]}"


def run_summary(results: Results) -> dict[str, object]:
    """The run and its means for a program."""
    run = results.run
    counts = results.counts
    # Without a model the answers are the data set's own.
    models: Sequence[str | None] = [spec.id for spec in run.models] or [None]
    values = []
    for number, model in enumerate(models):
        for name, mean in results.summary(number).items():
            values.append({"model": model, "name": name, **mean.model_dump()})
    spent = {}
    for model, bill in results.store.calls.spent(run.id).items():
        spent[model] = bill.model_dump()
    reasons = results.stop_reasons
    tried = results.tried_examples()
    return {
        "run": run.id,
        "title": run.title,
        "data": run.dataset_name,
        "metrics": [spec.model_dump(mode="json") for spec in run.evaluators],
        "labels": results.labels,
        "labelled_by": results.labelled_by,
        "definition": results.definition if results.has_labels else None,
        "policy": results.counted_policy,
        "asked": counts.asked,
        "scored": counts.scored,
        "failed": counts.failed,
        "open": counts.open,
        "unreadable": results.damage().counts,
        "stopped": " ".join(reason.worded(IN_TERMINAL) for reason in reasons),
        "stop_kinds": [reason.kind for reason in reasons],
        "findings": results.findings(),
        "values": values,
        "groups": {
            group: {name: mean.model_dump() for name, mean in means.items()}
            for group, means in results.read().by_group(view=results.view).items()
        },
        "planted_errors": [found.model_dump(mode="json") for found in results.found_errors()],
        "changed_minds": [one.model_dump(mode="json") for one in results.changed_minds()],
        "tried_examples": tried.model_dump(mode="json") if tried else None,
        "flaws": [
            {"model": model, **results.flaws(number).model_dump(mode="json")}
            for number, model in enumerate(models)
        ],
        "failures": results.failures_in(IN_TERMINAL),
        "spent": spent,
    }


# Estimates


def estimates_in_parts(named: Sequence[NamedEstimate], cap: Cap) -> list[RenderableType]:
    """The numbers, and in words what they rest on and what will not go well, as in the app."""
    rows = [row_in_words(name, estimate) for name, estimate in named]
    headings = list(rows[0])
    cells = [list(row.values()) for row in rows]
    numbers = text_table(headings, cells, numbers=headings[1:])
    warnings = [cut_short(cap, named)]
    # Calls that cannot be answered take no time: of the two warnings only one holds.
    for name, estimate in named:
        warnings.append(impossible(name, estimate) or lengthy(name, estimate))
    return [numbers, *bases(named), *filter(None, [by_tomorrow(named), *warnings])]


def estimate_summary(named: Sequence[NamedEstimate]) -> list[dict[str, object]]:
    return [{"name": name, **estimate.model_dump()} for name, estimate in named]


def repeat_in_parts(found: Repeated) -> list[RenderableType]:
    """What became of a run that was done again: the answers that differ, and what may be why."""
    lines = []
    for answer in found.differing:
        changes = [f"{each.setting} {each.first} → {each.second}" for each in answer.changes]
        models = found.first.models
        model = models[answer.model].id if models else ""
        lines.append((str(answer.position + 1), model, "; ".join(changes) or "other labels"))
    differing = [text_table(["sample", "model", "changed"], lines)] if lines else []
    reused = f"{found.reused:,} answers came from the store." if found.reused else ""
    words = [found.sentence(), *found.reasons, reused]
    return [*differing, *map(printable, filter(None, words))]
