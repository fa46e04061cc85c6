"""What a run of one metric shows: its values with intervals, how they are spread, every sample, how it works."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping, Sequence

import streamlit as st

from evaluators import prompts
from evaluators.base import Evaluator, catalogue
from evaluators.params import parameters
from evaluators.runs import export
from evaluators.runs.engine import registry
from evaluators.runs.store import Outline
from evaluators.types import Run
from ui import cards, charts, run_models, session, tables
from ui.untrusted import plain

CUT = 60
"""Characters of a parameter's value that the card shows."""


def title(name: str) -> str:
    """The name of a value or a field as people write it: "Recall at k"; of a metric its title."""
    cls = catalogue().get(name)
    return cls.title if cls else name.replace("_", " ").capitalize()


def asks_a_judge(cls: type[Evaluator]) -> bool:
    return "llm_client" in cls.model_fields


def card(run: Run) -> None:
    """What this run was, and how its metric works."""
    cls = catalogue().get(run.evaluator.name)
    titles = {each.name: each.title for each in parameters(cls)} if cls else {}
    params = [f"{titles.get(name, title(name))}: {_short(value)}" for name, value in run.evaluator.params.items()]
    metric = f"Metric: {cls.title if cls else run.evaluator.name}"
    st.caption(plain(" · ".join([metric, f"Data: {run.dataset_name}", *params, *run_models.facts(run)])))
    if cls is None:
        st.warning(
            plain(f"There is no metric {run.evaluator.name} here any more. Its results stay, but it cannot go on."),
            icon=":material/extension_off:",
        )
    else:
        about(cls, run.id)


def show(run: Run) -> None:
    """Cards, distributions and samples, as far as the run is."""
    rows = session.outlines(run)
    values = {name: title(name) for name in dict.fromkeys(name for row in rows for name in row.values)}
    if values:
        cards.means(rows, values)
        _distributions(run, rows, values)
    else:
        st.caption("No score yet.")
    st.subheader("Samples")
    facets = {"situation": "Situation"} if any(row.situation for row in rows) else {}
    tables.samples(run, _sorted(run, rows, values), values, facets)
    if not registry.is_live(run.id):
        _download(run, rows)


def _distributions(run: Run, rows: Sequence[Outline], values: Mapping[str, str]) -> None:
    with st.expander("Distributions", icon=":material/bar_chart:", expanded=True):
        grid = st.grid(min(4, len(values)), min_column_width=150)
        for name, label in values.items():
            judged = [value for row in rows if (value := row.values.get(name)) is not None]
            with grid.container():
                st.caption(plain(f"{label} · {len(judged):,} samples"))
                if any(not 0 <= value <= 1 for value in judged):
                    st.caption("Not a share from 0 to 1: read its values in the table.")
                    continue
                figure, alt = charts.distribution(judged), f"Distribution of {label.lower()}"
                st.plotly_chart(figure, config=charts.BARE, key=f"dist_{name}_{run.id}", alt=alt)


def _sorted(run: Run, rows: Sequence[Outline], values: Mapping[str, str]) -> Sequence[Outline]:
    orders = {"As in the data": ""} | {f"{label}, lowest first": name for name, label in values.items()}
    chosen = st.selectbox("Order", list(orders), key=f"order_{run.id}", width=320, persist_state="session")
    name = orders.get(chosen, "")
    if not name:
        return rows
    return sorted(rows, key=lambda row: (row.values.get(name) is None, row.values.get(name) or 0))


def _download(run: Run, rows: Sequence[Outline]) -> None:
    file = f"{run.evaluator.name}-{run.id[:6]}.csv"

    def data() -> bytes:
        return export.table(rows, run_models.titles(run))

    st.download_button("Results (CSV)", data, file, key=file, icon=":material/download:", on_click="ignore")


def _short(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= CUT else f"{text[:CUT]}…"


# How it works


def about(cls: type[Evaluator], place: str) -> None:
    """How the metric works: what it needs and computes, its prompts, its code."""
    with st.expander("About this metric", icon=":material/menu_book:", key=f"about_{cls.name}_{place}"):
        asked = _prompts(cls)
        tabs = st.tabs(["Meaning", *(["Prompts"] if asked else []), "Source"])
        with tabs[0]:
            _meaning(cls)
        if asked:
            with tabs[1]:
                for name, text in asked.items():
                    st.caption(plain(name))
                    st.code(text, language=None, wrap_lines=True)
        with tabs[-1]:
            _source(cls)


def _meaning(cls: type[Evaluator]) -> None:
    needs = ", ".join(map(title, cls.needs)).lower() or "nothing but the question"
    judge = "one LLM as its judge" if asks_a_judge(cls) else "no LLM"
    st.caption(plain(f"Needs: {needs}. Asks {judge}."))
    for text in (cls.__doc__, sys.modules[cls.__module__].__doc__):
        if text:
            st.text(inspect.cleandoc(text))


def _prompts(cls: type[Evaluator]) -> dict[str, str]:
    """The prompt files of the metric, which bear its name."""
    if not asks_a_judge(cls):
        return {}
    own = re.compile(rf"{re.escape(cls.name)}(_.+)?")
    files = sorted(prompts.FOLDER.glob("*.md"))
    return {file.name: prompts.load(file.stem) for file in files if own.fullmatch(file.stem)}


def _source(cls: type[Evaluator]) -> None:
    """The file in which the metric stands."""
    st.caption(plain(f"{cls.__module__.replace('.', '/')}.py"))
    try:
        st.code(inspect.getsource(sys.modules[cls.__module__]), language="python", wrap_lines=True)
    except (OSError, TypeError):
        st.caption("The code cannot be read here.")
