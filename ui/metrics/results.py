"""What metrics show: their values, how these are spread, how each works, and every sample."""

from __future__ import annotations

import inspect
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import streamlit as st

from evaluators import prompts
from evaluators.api.evaluation import Results
from evaluators.base import Evaluator
from evaluators.catalogue import catalogue, from_spec
from evaluators.errors import ParameterError
from evaluators.params import Parameter, parameters
from evaluators.records import EvaluatorSpec, Run
from evaluators.runs import export
from evaluators.runs.engine import registry
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Outline, Store
from evaluators.trace.definitions import SENTENCE
from ui import session
from ui.parts import cards, charts, command, forms, run_facts, tables
from ui.parts.untrusted import plain
from ui.parts.words import counted, readable

MOST_OF_A_VALUE = 60
"""Characters of a parameter's value that the card shows."""


def title(name: str) -> str:
    """The name of a value or a field as people write it: "Recall at k"; of a metric its title."""
    cls = catalogue().get(name)
    return cls.title if cls else readable(name)


def card(run: Run) -> None:
    """What this run was."""
    label = "Metrics" if len(run.evaluators) > 1 else "Metric"
    facts = [
        f"{label}: {', '.join(_with_params(run))}",
        f"Data: {run.dataset_name}",
        *run_facts.facts(run),
        *how_answered(run),
    ]
    st.caption(plain(" · ".join(facts)))
    command.show(run)


def how_answered(run: Run) -> list[str]:
    """By which prompt a run's models answered, and how many responses were there before.

    Nothing without models.
    """
    if not run.models:
        return []
    facts = [f"Prompt: {run.prompt_hash}"]
    count = _responses_in_data(session.store(), run.fingerprint)
    if count:
        facts.append(f"{counted(count, 'response')} from the data, the same for every model")
    return facts


# The data of a run never change, and every sample is read to count this.
@lru_cache(maxsize=32)
def _responses_in_data(store: Store, fingerprint: str) -> int:
    return store.samples.with_response(fingerprint)


def also(run: Run) -> list[str]:
    """The metrics of a run beside the first, for its card."""
    others = _with_params(run)[1:]
    return [f"Also: {', '.join(others)}"] if others else []


def _with_params(run: Run) -> list[str]:
    """The metrics of the run, each with its parameters."""
    metrics = []
    for name, spec in zip(run_facts.metric_titles(run), run.evaluators, strict=True):
        stated = params(spec)
        metrics.append(f"{name} ({'; '.join(stated)})" if stated else name)
    return metrics


def params(spec: EvaluatorSpec, leave_out: Collection[str] = ("title",)) -> list[str]:
    """Its parameters in words, without those that are empty or left out.

    By default that is the title of a metric from a prompt, which stands before the parameters.
    """
    cls = catalogue().get(spec.name)
    declared = {parameter.name: parameter for parameter in parameters(cls)} if cls else {}
    words = []
    for name, value in spec.params.items():
        if name not in leave_out and value not in ("", None):
            words.append(_param_in_words(declared.get(name), name, value))
    return words


def _param_in_words(declared: Parameter | None, name: str, value: Any) -> str:
    if declared is None:
        return f"{title(name)}: {_shortened(value)}"
    return f"{declared.title}: {_shortened(forms.as_in_widget(declared, value))}"


def _shortened(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_shortened, value))
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    if len(text) <= MOST_OF_A_VALUE:
        return text
    return f"{text[:MOST_OF_A_VALUE]}…"


def show(view: RunView) -> None:
    """Each metric with cards and distributions, and the samples, as far as the run is."""
    for number in range(len(view.run.evaluators)):
        _one_metric(view, number)
    rows = view.merged()
    values = column_titles(view)
    st.header("Samples")
    facets = {"situation": "Situation"} if any(row.situation for row in rows) else {}
    tables.samples(view, ordered(view.run, rows, values), values, facets)
    if not registry.is_live(view.run.id):
        download(view, rows)


def further(view: RunView) -> None:
    """The metrics of a run beside the one whose page shows it."""
    for number in range(1, len(view.run.evaluators)):
        _one_metric(view, number)


def column_titles(view: RunView, first: Mapping[str, str] | None = None) -> dict[str, str]:
    """A title for each value of the merged rows; where two would be alike, with that of its metric.

    `first` are the titles of those values of the first metric that are shown.
    """
    titles = dict(first or {})
    metrics = run_facts.metric_titles(view.run)
    for (metric, name), column in view.columns().items():
        if metric == 0 and first is not None:
            continue
        label = title(name)
        is_taken = label in titles.values()
        titles[column] = _with_metric(label, metrics[metric]) if is_taken else label
    return titles


def value_titles(metrics: Sequence[str], number: int, names: Iterable[str]) -> dict[str, str]:
    """A title for each of these values of a metric.

    The only value of one among several metrics also names the metric.
    """
    titles = {name: title(name) for name in names}
    if len(metrics) > 1 and len(titles) == 1:
        return {name: _with_metric(label, metrics[number]) for name, label in titles.items()}
    return titles


def _with_metric(label: str, metric: str) -> str:
    if metric.startswith(label):
        return metric
    return f"{label} ({metric})"


def ordered(run: Run, rows: Sequence[Outline], values: Mapping[str, str]) -> Sequence[Outline]:
    """The rows in the order that is chosen."""
    orders = {"As in the data": ""}
    for name, label in values.items():
        orders[f"{label}, lowest first"] = name
    choice = st.selectbox(
        "Order",
        list(orders),
        key=f"order_{run.id}",
        width=320,
        persist_state="session",
    )
    # A choice of an earlier drawing may name a value that this one does not have.
    chosen = orders.get(choice, "")
    if not chosen:
        return rows

    def rank(row: Outline) -> tuple[bool, float]:
        value = row.values.get(chosen)
        return value is None, value or 0

    return sorted(rows, key=rank)


def _one_metric(view: RunView, number: int) -> None:
    """One metric of the run; where there are several, its heading or its only card says which."""
    run = view.run
    rows = view.of_metric(number)
    spec = run.evaluators[number]
    titles = run_facts.metric_titles(run)
    names = dict.fromkeys(name for row in rows for name in row.values)
    values = value_titles(titles, number, names)
    has_only_card = len(values) == 1 and len(run.models) <= 1
    if len(titles) > 1 and not has_only_card:
        st.header(plain(titles[number]))
    if values:
        for model, own in run_facts.rows(run, rows).items():
            if len(run.models) > 1:
                st.markdown(f"**{plain(model)}**")
            _cards_and_spread(f"{run.id}_{number}_{own[0].model}", own, values)
    else:
        failed = sum(row.status == "failed" for row in rows)
        of_all = f"; {failed:,} of {counted(len(rows), 'sample')} failed" if failed else ""
        st.caption(f"No score yet{of_all}.")
    if spec.name not in catalogue():
        gone = (
            f"There is no metric {spec.name} here any more. Its results stay, but the run "
            "cannot go on."
        )
        st.warning(plain(gone), icon=":material/extension_off:")
    # Metrics of one's own change: one that no longer takes these parameters is not explained.
    with suppress(ParameterError):
        metric = from_spec(spec)
        about(type(metric), f"{run.id}_{number}", metric.needed)


def _cards_and_spread(place: str, rows: Sequence[Outline], values: Mapping[str, str]) -> None:
    """Cards, and how their values are spread: beside it where it is one."""
    left, right = st.columns([1, 2]) if len(values) == 1 else (st.container(), st.container())
    with left:
        cards.means(rows, values)
    with right:
        _histograms(place, rows, values)


def _histograms(place: str, rows: Sequence[Outline], values: Mapping[str, str]) -> None:
    key = f"distributions_{place}"
    with st.expander("Distributions", icon=":material/bar_chart:", expanded=True, key=key):
        grid = st.grid(min(4, len(values)), min_column_width=150)
        for name, label in values.items():
            all_values = [row.values.get(name) for row in rows]
            judged = [value for value in all_values if value is not None]
            with grid.container():
                st.caption(plain(f"{label} · {counted(len(judged), 'sample')}"))
                if any(not 0 <= value <= 1 for value in judged):
                    st.caption("Not a share from 0 to 1: read its values in the table.")
                    continue
                st.plotly_chart(
                    charts.distribution(judged),
                    config=charts.BARE,
                    key=f"dist_{name}_{place}",
                    alt=charts.distribution_in_words(judged, label),
                )


def download(view: RunView, rows: Sequence[Outline], definition: str = "") -> None:
    """The values to take away, made when somebody asks for them; of TRACE by a definition."""
    parts = [view.run.evaluator.name, view.run.id[:6], definition]
    stem = "-".join(filter(None, parts))

    def table() -> bytes:
        return exported(view, rows, definition)

    def lines() -> bytes:
        results = Results(view.run, view.store, definition or SENTENCE)
        return b"".join(json.dumps(line).encode() + b"\n" for line in results.lines())

    place = st.container(horizontal=True, width="content")
    # A callable makes the file at the click only; "ignore" keeps the page from being drawn anew.
    place.download_button(
        "Results (CSV)",
        table,
        f"{stem}.csv",
        key=f"{stem}.csv",
        icon=":material/download:",
        on_click="ignore",
    )
    place.download_button(
        "Results with texts (JSON lines)",
        lines,
        f"{stem}-results.jsonl",
        key=f"{stem}-results.jsonl",
        help="With documents and true answers: as an upload it gets the same scores again.",
        icon=":material/download:",
        on_click="ignore",
    )


def exported(view: RunView, rows: Sequence[Outline], definition: str = "") -> bytes:
    """The rows as CSV; with the responses where models gave them, as they are nowhere else."""
    responses = view.store.results.responses(view.run)
    prompt = export.labelling_prompt(view.run)
    return export.results_csv(rows, run_facts.titles(view.run), responses, definition, prompt)


# How it works


def about(cls: type[Evaluator], place: str, needs: Sequence[str]) -> None:
    """How the metric works: what it needs and computes, its prompts, its code."""
    with st.expander(
        "About this metric", icon=":material/menu_book:", key=f"about_{cls.name}_{place}"
    ):
        files = _prompt_files(cls)
        names = ["Meaning", "Prompts", "Source"] if files else ["Meaning", "Source"]
        tabs = dict(zip(names, st.tabs(names), strict=True))
        with tabs["Meaning"]:
            _meaning(cls, needs)
        if files:
            with tabs["Prompts"]:
                for name, text in files.items():
                    st.caption(plain(name))
                    st.code(text, language=None, wrap_lines=True)
        with tabs["Source"]:
            _source_code(cls)


def needed(fields: Sequence[str]) -> str:
    """What a metric needs, in words."""
    titles = ", ".join(map(title, fields)).lower()
    return f"Needs: {titles or 'nothing but the question'}."


def _meaning(cls: type[Evaluator], needs: Sequence[str]) -> None:
    judge = "one LLM as its judge" if cls.most_judges() else "no LLM"
    st.caption(plain(f"{needed(needs)} Asks {judge}."))
    for text in (cls.__doc__, inspect.getdoc(inspect.getmodule(cls))):
        if text:
            st.text(inspect.cleandoc(text))


def _prompt_files(cls: type[Evaluator]) -> dict[str, str]:
    """The prompts of the metric, which bear its name, by file."""
    if not cls.most_judges():
        return {}
    texts = {}
    for file in sorted(prompts.FOLDER.glob("*.md")):
        if file.stem == cls.name or file.stem.startswith(f"{cls.name}_"):
            texts[file.name] = prompts.load(file.stem)
    return texts


def _source_code(cls: type[Evaluator]) -> None:
    """The file in which the metric stands."""
    st.caption(plain(f"{cls.__module__.replace('.', '/')}.py"))
    module = inspect.getmodule(cls)
    code = ""
    # Its owner may take the file of a metric away at any moment.
    with suppress(OSError, TypeError):
        code = inspect.getsource(module) if module else ""
    if code:
        st.code(code, language="python", wrap_lines=True)
    else:
        st.caption("The code cannot be read here.")
