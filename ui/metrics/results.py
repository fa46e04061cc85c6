"""What metrics show: values with intervals, how they are spread and how each works; every sample of
their run.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import streamlit as st

from evaluators import prompts
from evaluators.base import Evaluator
from evaluators.catalogue import catalogue, from_spec
from evaluators.errors import ParameterError
from evaluators.params import Parameter, parameters
from evaluators.records import EvaluatorSpec, Run
from evaluators.runs import aggregate, export
from evaluators.runs.engine import registry
from evaluators.runs.store import Outline, Store
from ui import session
from ui.parts import cards, charts, command, forms, run_facts, tables
from ui.parts.untrusted import plain
from ui.parts.words import counted, readable
from ui.session import Version

CUT = 60
"""Characters of a parameter's value that the card shows."""


def title(name: str) -> str:
    """The name of a value or a field as people write it: "Recall at k"; of a metric its title."""
    cls = catalogue().get(name)
    return cls.title if cls else readable(name)


def card(run: Run) -> None:
    """What this run was."""
    metrics = f"Metric{'s' if len(run.evaluators) > 1 else ''}: {', '.join(_metrics(run))}"
    st.caption(
        plain(
            " · ".join(
                [metrics, f"Data: {run.dataset_name}", *run_facts.facts(run), *answered(run)]
            )
        )
    )
    command.show(run)


def answered(run: Run) -> list[str]:
    """By which prompt a run's models answered, and how many responses were there before; nothing
    without models.
    """
    if not run.models:
        return []
    there = _given(session.store(), run.fingerprint)
    given = (
        [f"{counted(there, 'response')} from the data, the same for every model"] if there else []
    )
    return [f"Prompt: {run.prompt_hash}", *given]


@lru_cache(maxsize=32)
def _given(runs: Store, fingerprint: str) -> int:
    return runs.samples.with_response(fingerprint)


def also(run: Run) -> list[str]:
    """The metrics of a run beside the first, for its card."""
    further = _metrics(run)[1:]
    return [f"Also: {', '.join(further)}"] if further else []


def _metrics(run: Run) -> list[str]:
    """The metrics of the run, each with its parameters."""
    return [
        f"{name} ({'; '.join(told)})" if (told := params(spec)) else name
        for name, spec in zip(run_facts.metric_titles(run), run.evaluators, strict=True)
    ]


def params(spec: EvaluatorSpec, leave_out: Collection[str] = ("title",)) -> list[str]:
    """Its parameters in words, without those left empty and, unless told otherwise, the name that a
    person gave it.
    """
    cls = catalogue().get(spec.name)
    declared = {each.name: each for each in parameters(cls)} if cls else {}
    told = {
        name: value
        for name, value in spec.params.items()
        if name not in leave_out and value not in ("", None)
    }
    return [_param(declared.get(name), name, value) for name, value in told.items()]


def _param(declared: Parameter | None, name: str, value: Any) -> str:
    if declared is None:
        return f"{title(name)}: {_short(value)}"
    return f"{declared.title}: {_short(forms.shown(declared, value))}"


def show(run: Run) -> None:
    """Each metric with cards and distributions, and the samples, as far as the run is."""
    for number in range(len(run.evaluators)):
        _metric(run, number)
    rows = _merged(session.store(), run.id, session.version(run))
    values = columns(run)
    st.subheader("Samples")
    facets = {"situation": "Situation"} if any(row.situation for row in rows) else {}
    tables.samples(run, ordered(run, rows, values), values, facets)
    if not registry.is_live(run.id):
        download(run, rows)


def further(run: Run) -> None:
    """The metrics of a run beside the one whose page shows it."""
    for number in range(1, len(run.evaluators)):
        _metric(run, number)


def columns(run: Run, first: Mapping[str, str] | None = None) -> dict[str, str]:
    """A title for each value of the merged rows; where two would be alike, with that of its metric.

    `first` are the titles of those values of the first metric that are shown.
    """
    found, metrics = dict(first or {}), run_facts.metric_titles(run)
    for (metric, name), shown in _columns(session.store(), run.id, session.version(run)).items():
        if metric or first is None:
            label = title(name)
            found[shown] = _apart(label, metrics[metric]) if label in found.values() else label
    return found


def labels(metrics: Sequence[str], number: int, names: Iterable[str]) -> dict[str, str]:
    """A title for each of these values of a metric; the only value of one among several also names
    the metric.
    """
    found = {name: title(name) for name in names}
    if len(metrics) > 1 and len(found) == 1:
        return {name: _apart(label, metrics[number]) for name, label in found.items()}
    return found


def _apart(label: str, metric: str) -> str:
    return metric if metric.startswith(label) else f"{label} ({metric})"


def ordered(run: Run, rows: Sequence[Outline], values: Mapping[str, str]) -> Sequence[Outline]:
    """The rows in the order that is chosen."""
    orders = {"As in the data": ""} | {
        f"{label}, lowest first": name for name, label in values.items()
    }
    chosen = st.selectbox(
        "Order", list(orders), key=f"order_{run.id}", width=320, persist_state="session"
    )
    name = orders.get(chosen, "")
    if not name:
        return rows
    return sorted(rows, key=lambda row: (row.values.get(name) is None, row.values.get(name) or 0))


@lru_cache(maxsize=4)
def _merged(runs: Store, run_id: str, _: Version) -> Sequence[Outline]:
    run = runs.runs.get(run_id)
    return aggregate.merged([*session.outlines(run), *session.further(run)]) if run else []


@lru_cache(maxsize=4)
def _columns(runs: Store, run_id: str, _: Version) -> Mapping[tuple[int, str], str]:
    run = runs.runs.get(run_id)
    return aggregate.columns([*session.outlines(run), *session.further(run)]) if run else {}


def _names(rows: Sequence[Outline]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.values))


def _metric(run: Run, number: int) -> None:
    """One metric of the run; where there are several, its heading or its only card says which."""
    rows, spec, titles = (
        session.outlines(run, number),
        run.evaluators[number],
        run_facts.metric_titles(run),
    )
    values = labels(titles, number, _names(rows))
    if len(titles) > 1 and (len(values) != 1 or len(run.models) > 1):
        st.subheader(plain(titles[number]))
    if values:
        for model, own in run_facts.rows(run, rows).items():
            if len(run.models) > 1:
                st.markdown(f"**{plain(model)}**")
            _values(f"{run.id}_{number}_{own[0].model}", own, values)
    else:
        st.caption(_without_values(rows))
    if spec.name not in catalogue():
        words = (
            f"There is no metric {spec.name} here any more. Its results stay, but the run "
            "cannot go on."
        )
        st.warning(plain(words), icon=":material/extension_off:")
    with suppress(ParameterError):  # its parameters may be others by now
        metric = from_spec(spec)
        about(type(metric), f"{run.id}_{number}", metric.needed)


def _without_values(rows: Sequence[Outline]) -> str:
    failed = sum(row.status == "failed" for row in rows)
    return (
        f"No score yet; {failed:,} of {counted(len(rows), 'sample')} failed."
        if failed
        else "No score yet."
    )


def _values(place: str, rows: Sequence[Outline], values: Mapping[str, str]) -> None:
    """Cards, and how their values are spread: beside it where it is one."""
    left, right = st.columns([1, 2]) if len(values) == 1 else (st.container(), st.container())
    with left:
        cards.means(rows, values)
    with right:
        _distributions(place, rows, values)


def _distributions(place: str, rows: Sequence[Outline], values: Mapping[str, str]) -> None:
    key = f"distributions_{place}"
    with st.expander("Distributions", icon=":material/bar_chart:", expanded=True, key=key):
        grid = st.grid(min(4, len(values)), min_column_width=150)
        for name, label in values.items():
            judged = [value for row in rows if (value := row.values.get(name)) is not None]
            with grid.container():
                st.caption(plain(f"{label} · {counted(len(judged), 'sample')}"))
                if any(not 0 <= value <= 1 for value in judged):
                    st.caption("Not a share from 0 to 1: read its values in the table.")
                    continue
                figure, alt = charts.distribution(judged), f"Distribution of {label.lower()}"
                st.plotly_chart(figure, config=charts.BARE, key=f"dist_{name}_{place}", alt=alt)


def download(run: Run, rows: Sequence[Outline]) -> None:
    """The values to take away, made when somebody asks for them."""
    file = f"{run.evaluator.name}-{run.id[:6]}.csv"

    def data() -> bytes:
        return exported(run, rows)

    st.download_button(
        "Results (CSV)", data, file, key=file, icon=":material/download:", on_click="ignore"
    )


def exported(run: Run, rows: Sequence[Outline]) -> bytes:
    """The rows as CSV; with the responses where models gave them, as they are nowhere else."""
    return export.table(rows, run_facts.titles(run), session.store().results.responses(run))


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_short, value))
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= CUT else f"{text[:CUT]}…"


# How it works


def about(cls: type[Evaluator], place: str, needs: Sequence[str]) -> None:
    """How the metric works: what it needs and computes, its prompts, its code."""
    with st.expander(
        "About this metric", icon=":material/menu_book:", key=f"about_{cls.name}_{place}"
    ):
        asked = _prompts(cls)
        tabs = st.tabs(["Meaning", *(["Prompts"] if asked else []), "Source"])
        with tabs[0]:
            _meaning(cls, needs)
        if asked:
            with tabs[1]:
                for name, text in asked.items():
                    st.caption(plain(name))
                    st.code(text, language=None, wrap_lines=True)
        with tabs[-1]:
            _source(cls)


def needed(fields: Sequence[str]) -> str:
    """What a metric needs, in words."""
    return f"Needs: {', '.join(map(title, fields)).lower() or 'nothing but the question'}."


def _meaning(cls: type[Evaluator], needs: Sequence[str]) -> None:
    judge = "one LLM as its judge" if cls.most_judges() else "no LLM"
    st.caption(plain(f"{needed(needs)} Asks {judge}."))
    for text in (cls.__doc__, inspect.getdoc(inspect.getmodule(cls))):
        if text:
            st.text(inspect.cleandoc(text))


def _prompts(cls: type[Evaluator]) -> dict[str, str]:
    """The prompt files of the metric, which bear its name."""
    if not cls.most_judges():
        return {}
    files = sorted(prompts.FOLDER.glob("*.md"))
    own = [file for file in files if file.stem == cls.name or file.stem.startswith(f"{cls.name}_")]
    return {file.name: prompts.load(file.stem) for file in own}


def _source(cls: type[Evaluator]) -> None:
    """The file in which the metric stands."""
    st.caption(plain(f"{cls.__module__.replace('.', '/')}.py"))
    module = inspect.getmodule(cls)
    try:
        code = inspect.getsource(module) if module else ""
    except (OSError, TypeError):  # a file of one's own may go at any moment
        code = ""
    if code:
        st.code(code, language="python", wrap_lines=True)
    else:
        st.caption("The code cannot be read here.")
