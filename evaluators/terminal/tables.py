"""Tables for people and JSON for programs; text of strangers is shown as text, on one line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import islice, product
from typing import Literal

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from evaluators.api.evaluation import Results, cells_for_terminal, failure_table
from evaluators.base import Evaluator
from evaluators.catalogue import from_spec
from evaluators.comparison import words
from evaluators.comparison.repeated import Repeated
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import OFFLINE, Choice
from evaluators.llm.estimate import (
    NamedEstimate,
    bases,
    by_tomorrow,
    cut_short,
    impossible,
    lengthy,
    row_in_words,
)
from evaluators.llm.money import dollars
from evaluators.own_command import own_command
from evaluators.params import parameters
from evaluators.prompts import shipped
from evaluators.records import Cap, EvaluatorSpec, ModelSpec, Run
from evaluators.runs.aggregate import MOST_GROUPS, Mean
from evaluators.runs.counts import checked_and_failed
from evaluators.runs.engine import registry
from evaluators.runs.formulas import formula_in_words
from evaluators.runs.overnight import state_of_batches
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from evaluators.terminal.command import command
from evaluators.terminal.files import escaped_for_terminal
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.text.normalise import slug
from evaluators.text.printable import printable
from evaluators.text.scale import SCORE

WIDE = 200
"""Columns where the output is not a terminal: wide enough that no line of a table is broken."""

SHORT = 8
"""Characters of a run's id that a list shows; `resume` and `show` take them."""

CELL = 24
"""Characters of a default that a list shows; a longer one, such as a question, is cut."""


def echo(*parts: RenderableType) -> None:
    """Prints to the standard output, in colour only on a terminal."""
    # Rich would colour numbers and quotes in texts of strangers as if they meant something.
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDE)
    for part in parts:
        if isinstance(part, str):
            # As `Text`, since rich reads a string as markup.
            console.print(Text(part), soft_wrap=True)
        else:
            console.print(part)


def as_json(value: object) -> str:
    """JSON for a program or a screen: what a terminal would obey is escaped, which JSON allows."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return escaped_for_terminal(text.encode(errors="replace")).decode()


def text_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    right: Sequence[str] = (),
) -> Table:
    """A plain table; the columns named in `right` hold numbers."""
    plain_table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in headings:
        justify: Literal["left", "right"] = "right" if heading in right else "left"
        plain_table.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        # As `Text`, since rich reads a string as markup.
        texts = [Text(printable(str(cell))) for cell in row]
        plain_table.add_row(*texts)
    return plain_table


# Lists


def metrics_table(
    by_name: Mapping[str, type[Evaluator]],
    saved: Mapping[str, EvaluatorSpec],
) -> Table:
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


def models_table(by_id: Mapping[str, Choice]) -> Table:
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


def runs_table(runs: Sequence[Run], store: Store) -> Table:
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
    counts = store.results.counts(run)
    if registry.is_at_work(run.id, store):
        activity = "running"
    else:
        of_batches = state_of_batches(store, run.id).lower()
        activity = of_batches or ("stopped" if counts.open else "finished")
    return f"{activity}, {checked_and_failed(run, counts)}"


def _begun(run: Run) -> str:
    created = datetime.fromisoformat(run.created)
    return created.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


# One run


def run_in_parts(results: Results) -> list[RenderableType]:
    """What the run is, its means and cost, what failed, how to go on, how to begin it again."""
    run, store = results.run, results.store
    parts: list[RenderableType] = [facts_table(results), "", *means_in_parts(results), ""]
    if groups := _groups(results):
        parts += [_groups_table(groups), ""]
    if cost := spent(run, store):
        parts += [cost, ""]
    parts += why_stopped(results)
    counts = results.counts
    if counts.scored < counts.asked and not registry.is_at_work(run.id, store):
        parts.append(go_on(run))
    return [*parts, equivalent(run)]


def means_in_parts(results: Results) -> list[RenderableType]:
    """What the run found, what to beware of, its means, and why samples failed."""
    parts: list[RenderableType] = [*map(printable, results.findings()), results.table()]
    if by_reason := results.failures_in(IN_TERMINAL):
        parts += ["", failure_table(by_reason)]
    return parts


def _groups(results: Results) -> Mapping[str, Mapping[str, Mean]]:
    """The means of each group of samples, over all models; empty where no sample has one."""
    return RunView.read(results.store, results.run).by_group(view=results.view)


def _groups_table(groups: Mapping[str, Mapping[str, Mean]]) -> Table:
    lines = []
    for group, means in islice(groups.items(), MOST_GROUPS):
        lines += [(group, name, *cells_for_terminal(mean)) for name, mean in means.items()]
    numbers = ("mean", "95 % interval", "checked")
    return text_table(("group", "value", *numbers), lines, right=numbers)


def go_on(run: Run) -> str:
    return f"Go on with: {own_command()} resume {run.id[:SHORT]}"


def facts_table(results: Results) -> Table:
    """What the run is, a line for each fact."""
    fact_table = text_table(["", ""], _named_facts(results))
    # The headings are empty, and a header would still take a line and a rule.
    fact_table.show_header = False
    return fact_table


def _named_facts(results: Results) -> list[tuple[str, str]]:
    run = results.run
    lines = [
        ("run", run.id),
        ("title", run.title),
        ("data set", run.dataset_name),
        *([("read", str(run.origin["read_as"]))] if run.origin.get("read_as") else []),
        ("begun", _begun(run)),
        ("state", state(run, results.store)),
    ]
    for spec in run.evaluators:
        params = ", ".join(f"{name}={value}" for name, value in spec.params.items())
        lines.append(("metric", f"{spec.name}  {params}"))
    if results.has_labels or results.labels:
        lines.append(("labels", results.labelled_by))
    if results.has_labels:
        lines.append(("formula", formula_in_words(run, results.definition)))
    lines += [("model", _model_in_words(model)) for model in run.models]
    lines += [("judge", _model_in_words(judge)) for judge in run.judges]
    if run.models:
        origin = "that ships" if run.prompt in shipped() else "of your own"
        lines.append(("prompt", f"one {origin}, {run.prompt_hash}"))
    return lines


def _model_in_words(spec: ModelSpec) -> str:
    if spec == OFFLINE:
        return spec.id
    temperature = "" if spec.temperature is None else f", temperature {spec.temperature:g}"
    return f"{spec.id}  up to {spec.answer_tokens:,} answer tokens{temperature}"


def spent(run: Run, store: Store) -> Table | None:
    """What each model cost; nothing where no LLM was asked."""
    bills = store.calls.spent(run.id)
    if not bills:
        return None
    rows = []
    for model, bill in bills.items():
        rows.append(
            (
                model,
                bill.calls,
                bill.prompt_tokens,
                bill.answer_tokens,
                dollars(bill.cost),
            )
        )
    headings = ["model", "calls", "prompt tokens", "answer tokens", "spent"]
    return text_table(headings, rows, headings[1:])


def why_stopped(results: Results) -> list[str]:
    return [printable(reason.worded(IN_TERMINAL)) for reason in results.stop_reasons]


def equivalent(run: Run) -> str:
    return f"The same again:\n{command(run)}"


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
            for group, means in _groups(results).items()
        },
        "failures": results.failures_in(IN_TERMINAL),
        "spent": spent,
    }


# Estimates


def estimates_in_parts(named: Sequence[NamedEstimate], cap: Cap) -> list[RenderableType]:
    """The numbers, and in words what they rest on and what will not go well, as in the app."""
    rows = [row_in_words(name, estimate) for name, estimate in named]
    headings = list(rows[0])
    cells = [list(row.values()) for row in rows]
    numbers = text_table(headings, cells, right=headings[1:])
    warnings = [cut_short(cap, named)]
    # Calls that cannot be answered take no time: of the two warnings only one holds.
    for name, estimate in named:
        warnings.append(impossible(name, estimate) or lengthy(name, estimate))
    return [numbers, *bases(named), *filter(None, [by_tomorrow(named), *warnings])]


def estimate_summary(named: Sequence[NamedEstimate]) -> list[dict[str, object]]:
    return [{"name": name, **estimate.model_dump()} for name, estimate in named]


def several_in_parts(several: Several) -> list[RenderableType]:
    """Each system's means, how they differ from the reference's, and the sentences."""
    figures = ["mean", "interval", "checked", "difference in points", "p (Holm)"]
    headings = ["system", "value", *figures]
    lines = []
    for system, name in product(several.systems, several.values):
        mean = system.means.get(name)
        if mean is None:
            continue
        compared = system.against_reference(name)
        difference = compared.difference if compared else None
        lines.append(
            (
                system.title,
                name,
                SCORE.shown(mean.mean),
                SCORE.interval(mean.low, mean.high),
                mean.coverage,
                words.in_points(difference) if compared else "",
                words.p_value(difference.adjusted) if difference else "",
            )
        )
    return [
        *map(printable, several.warnings),
        text_table(headings, lines, right=figures),
        printable(f"Against {several.reference.title}:"),
        *map(printable, several.sentences()),
    ]


def comparison_in_parts(comparison: Comparison) -> list[RenderableType]:
    """What differs, every value with both means and the difference, and the sentence."""
    lines = [
        (value.name, *words.cells(value.difference), value.coverage) for value in comparison.values
    ]
    names = [comparison.first, comparison.second, "difference in points", "p (Holm)"]
    headings = ["value", *names, "higher · equal · lower", "checked for both"]
    changed = [f"{each.setting}: {each.first} → {each.second}" for each in comparison.changes]
    without = [f"{len(alone):,}" for alone in comparison.alone]
    partners = []
    if any(comparison.alone):
        partners.append(f"Without a partner: {without[0]} samples, and {without[1]}.")
    return [
        *map(printable, [*changed, *comparison.warnings, *partners]),
        text_table(headings, lines, right=headings[1:]),
        printable(comparison.sentence()),
    ]


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
