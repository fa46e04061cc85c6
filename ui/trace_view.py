"""What a TRACE run shows: the four metrics under the chosen definition, their distribution, every sample."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from evaluators.params import parameters
from evaluators.runs import aggregate
from evaluators.runs.store import Counts, Outline, Store
from evaluators.trace_evaluator import TRACEEvaluator
from evaluators.trace_metrics import METRICS, Definition
from evaluators.types import Run
from ui import charts, run_models, session, tables
from ui.untrusted import plain

DEFINITIONS = {
    Definition.SENTENCE: "Sentence",
    Definition.FIXED_20: "Fixed 20",
    Definition.RAGBENCH: "RAGBench",
}
MEANINGS = {
    Definition.SENTENCE: "Relevance = relevant / all sentences; utilization = used / relevant sentences, at most 1.",
    Definition.FIXED_20: "As Sentence, but relevance = relevant sentences / 20.",
    Definition.RAGBENCH: "As published with RAGBench: utilization = used / all sentences; partly supported passes.",
}
VALUES = {
    "context_relevance": "Relevance",
    "context_utilization": "Utilization",
    "completeness": "Completeness",
    "adherence": "Adherence",
    "supported_share": "Supported",
    "average": "Average",
}
HELP = {
    "context_relevance": "How much of the retrieved text helps to answer",
    "context_utilization": "How much of it the answer used",
    "completeness": "How much of the relevant text the answer covers",
    "adherence": "Share of answers in which every sentence is supported; an empty answer counts as 1",
    "supported_share": "Mean share of supported sentences in an answer",
    "average": "Mean of the four metrics that apply",
}
ORDERS = {"As in the data": None} | {f"{title}, lowest first": name for name, title in VALUES.items()}


def card(run: Run) -> None:
    """What this run was: enough to run it again."""
    values = run.evaluator.params
    params = [f"{p.title}: {values[p.name]}" for p in parameters(TRACEEvaluator) if p.name in values]
    st.caption(plain(" · ".join([f"Data: {run.dataset_name}", *params, *run_models.facts(run)])))


def show(run: Run) -> None:
    """Cards, distributions and samples, as far as the run is."""
    st.info("Heuristic labels: every score here is an estimate made without an LLM.", icon=":material/info:")
    definition = definition_switch()
    rows = _rows(session.store(), run.id, session.store().counts(run), definition)
    _cards(rows)
    _distributions(rows, run)
    st.subheader("Samples")
    facets = {"situation": "Situation"} if any(row.situation for row in rows) else {}
    tables.samples(run, _sorted(rows, run), VALUES, facets)


def definition_switch() -> Definition:
    """The choice of definition, the same on every page; it changes the view, not the run."""
    return st.segmented_control(
        "Definition",
        list(DEFINITIONS),
        default=Definition.SENTENCE,
        format_func=DEFINITIONS.__getitem__,
        required=True,
        help="  \n".join(f"**{DEFINITIONS[name]}**: {meaning}" for name, meaning in MEANINGS.items()),
        key="definition",
        persist_state="session",
    )


@lru_cache(maxsize=8)
def _rows(runs: Store, run_id: str, _: Counts, definition: Definition) -> Sequence[Outline]:
    """The samples under the definition; worked out again only when there are new results."""
    run = runs.run(run_id)
    if run is None:
        return []
    rows = session.outlines(run)
    return rows if definition is Definition.SENTENCE else aggregate.under(rows, runs.scored(run), definition)


def _cards(rows: Sequence[Outline]) -> None:
    grid = st.grid(3, min_column_width=150)
    for name, title in VALUES.items():
        mean = aggregate.summarise(rows, name)
        with grid.container(border=True, height="stretch"):
            st.metric(title, "–" if mean.mean is None else f"{mean.mean:.2f}", help=HELP[name])
            interval = "" if mean.low is None else f"95 %: {mean.low:.2f} to {mean.high:.2f}  \n"
            st.caption(f"{interval}{mean.coverage} scored{_left_out(mean)}")


def _left_out(mean: aggregate.Mean) -> str:
    parts = [(mean.not_applicable, "not applicable"), (mean.failed, "failed")]
    return "".join(f"  \n{count} {words}" for count, words in parts if count)


def _distributions(rows: Sequence[Outline], run: Run) -> None:
    with st.expander("Distributions", icon=":material/bar_chart:", expanded=True):
        grid = st.grid(4, min_column_width=150)
        for name in METRICS:
            values = [value for row in rows if (value := row.values.get(name)) is not None]
            title = f"Distribution of {VALUES[name].lower()}"
            with grid.container():
                st.caption(f"{VALUES[name]} · {len(values):,} samples")
                figure = charts.distribution(values)
                st.plotly_chart(figure, config=charts.BARE, key=f"dist_{name}_{run.id}", alt=title)


def _sorted(rows: Sequence[Outline], run: Run) -> Sequence[Outline]:
    order = ORDERS[st.selectbox("Order", list(ORDERS), key=f"order_{run.id}", width=320, persist_state="session")]
    if order is None:
        return rows
    return sorted(rows, key=lambda row: (row.values.get(order) is None, row.values.get(order) or 0))
