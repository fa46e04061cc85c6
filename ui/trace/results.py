"""What a TRACE run shows: the four metrics by the chosen labels and definition, what they mean,
every sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from evaluators.catalogue import catalogue
from evaluators.params import parameters
from evaluators.records import Run
from evaluators.runs import aggregate, export
from evaluators.runs.aggregate import View
from evaluators.runs.engine import registry
from evaluators.runs.store import Outline, Store
from evaluators.trace.definitions import DEFINITIONS, METRICS, SENTENCE
from evaluators.trace.labelling import CORRECTED, HEURISTIC
from evaluators.trace.patterns import pattern
from ui import session
from ui.metrics import results as metric_results
from ui.parts import cards, charts, command, labellers, run_facts, tables
from ui.parts.untrusted import plain
from ui.parts.words import counted
from ui.session import Version
from ui.trace import comparison
from ui.trace.form import unused

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
    "adherence": (
        "Share of answers in which every sentence is supported; an empty answer counts as 1"
    ),
    "supported_share": "Mean share of supported sentences in an answer",
    "average": "Mean of the four metrics that apply",
}
LEAST_FOR_ADVICE = 10
"""Samples from which means are worth an advice."""


def card(run: Run) -> None:
    """What this run was, without parameters that are as usual."""
    name, values = run.evaluator.name, run.evaluator.params
    usual = [
        each.name for each in parameters(catalogue()[name]) if values.get(each.name) == each.default
    ]
    params = metric_results.params(run.evaluator, (*unused(name), *usual))
    told = [f"Data: {run.dataset_name}", *params, *metric_results.also(run), *run_facts.facts(run)]
    told += metric_results.answered(run)
    st.caption(plain(" · ".join(told)))
    command.show(run)


def show(run: Run) -> None:
    """Cards, distributions and samples of one model's answers, as far as the run is; several models
    side by side.
    """
    key = session.store(), run.id, session.version(run)
    is_moving = registry.is_live(run.id) or registry.is_waiting(run.id)
    names = [] if is_moving else _labellers(*key)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = _model_switch(run)
        definition = definition_switch()
        by = _labels_switch(run, names)
    view = View(definition, by)
    rows = aggregate.of_model(_rows(*key, view), model)
    _say_who_labelled(run, rows)
    _models_side_by_side(run, _rows(*key, view))
    if is_moving and not any(row.values for row in rows):
        st.caption("No score yet.")
        return
    cards.means(rows, VALUES, HELP)
    if not is_moving:
        _say_what_it_means(aggregate.of_model(_rows(*key, View(by=by)), model))
    if len(names) > 1:
        comparison.show(run, model, definition, names, VALUES)
    _distributions(rows, run)
    metric_results.further(run)
    st.subheader("Samples")
    merged, values = _merged(*key, view), metric_results.columns(run, VALUES)
    shown = metric_results.ordered(run, aggregate.of_model(merged, model), values)
    tables.samples(run, shown, values, _facets(rows))
    if not is_moving:
        _downloads(run, merged)


def _model_switch(run: Run) -> int:
    """The number of the model whose answers are looked at; of one model, or of given answers, there
    is no choice.
    """
    names = run_facts.titles(run)
    if len(names) < 2:
        return 0
    chosen = st.segmented_control(
        "Answers by",
        names,
        default=names[0],
        format_func=plain,
        required=True,
        key=f"model_{run.id}",
        persist_state="session",
    )
    return names.index(chosen)


def _models_side_by_side(run: Run, rows: Sequence[Outline]) -> None:
    if len(run.models) > 1:
        by_model = run_facts.rows(run, rows)
        means = {
            model: {name: aggregate.summarise(own, name) for name in VALUES}
            for model, own in by_model.items()
        }
        tables.by_model(means, VALUES)


def _downloads(run: Run, rows: Sequence[Outline]) -> None:
    """Files of what is shown, made when somebody asks for one."""
    store, file = session.store(), f"{run.evaluator.name}-{run.id[:6]}.jsonl"

    def labels() -> bytes:
        return b"".join(
            export.labels(
                store.results.scored(run), store.corrections.by_cell(run.id), run_facts.titles(run)
            )
        )

    with st.container(horizontal=True):
        metric_results.download(run, rows)
        st.download_button(
            "Labels (JSON lines)",
            labels,
            file,
            key=file,
            icon=":material/download:",
            on_click="ignore",
        )


def definition_switch() -> str:
    """The choice of definition, the same on every page; it changes the view, not the run."""
    return st.segmented_control(
        "Definition",
        list(DEFINITIONS),
        default=SENTENCE,
        format_func=lambda name: DEFINITIONS[name].title,
        required=True,
        help="  \n".join(
            f"**{definition.title}**: {definition.meaning}" for definition in DEFINITIONS.values()
        ),
        key="definition",
        persist_state="session",
    )


def _labels_switch(run: Run, names: Sequence[str]) -> str | None:
    """The choice of labeller, where there are several; None is what counts."""
    if len(names) < 2:
        return None
    chosen = st.selectbox(
        "Labels",
        ["", *names],
        format_func=lambda by: labellers.title(by) if by else "What counts",
        help=(
            "Whose labels the values stand on. What counts: the run's own labels, corrected "
            "where a person did so."
        ),
        key=f"labels_{run.id}",
        width=320,
        persist_state="session",
    )
    return chosen or None


@lru_cache(maxsize=8)
def _labellers(runs: Store, run_id: str, version: Version) -> list[str]:
    """Whose labels can be looked at; of a run at work nobody asks, as every sample has to be read
    for it.
    """
    run = runs.runs.get(run_id)
    found = aggregate.labellers(run, runs.results.scored(run)) if run else []
    return [*found, CORRECTED] if version.corrections else found


@lru_cache(maxsize=8)
def _rows(runs: Store, run_id: str, version: Version, view: View) -> Sequence[Outline]:
    """The samples as the view counts them; worked out again only when there are new results or
    corrections.
    """
    run = runs.runs.get(run_id)
    if run is None:
        return []
    rows = session.outlines(run)
    if view == View() and not version.corrections:
        return rows
    return aggregate.viewed(rows, runs.results.scored(run), view, session.made(version))


@lru_cache(maxsize=8)
def _merged(runs: Store, run_id: str, version: Version, view: View) -> Sequence[Outline]:
    """The same with the values of the run's other metrics."""
    rows, run = _rows(runs, run_id, version, view), runs.runs.get(run_id)
    return aggregate.merged([*rows, *session.further(run)]) if run else rows


def _say_who_labelled(run: Run, rows: Sequence[Outline]) -> None:
    is_judged = run.judges and catalogue()[run.evaluator.name].most_judges()
    by_judges = _partly_judged if run.evaluator.name == "hybrid" else _judged
    words = by_judges(run, rows) if is_judged else _estimated(run, rows)
    st.info(plain(words), icon=":material/info:")
    if corrected := sum(row.corrected > 0 for row in rows):
        st.caption(
            f"{counted(corrected, 'sample')} corrected by a person; what counts includes that."
        )


def _estimated(_: Run, __: Sequence[Outline]) -> str:
    return "Heuristic labels: every score here is an estimate made without an LLM."


def _judged(run: Run, _: Sequence[Outline]) -> str:
    return (
        f"Labels by {_judges(run)} An LLM errs: open a sample to check its labels, and "
        "correct them."
    )


def _partly_judged(run: Run, rows: Sequence[Outline]) -> str:
    scored = [row for row in rows if row.status == "scored"]
    judged = sum(row.by not in ("", HEURISTIC) for row in scored)
    least = run.evaluator.params.get("doubt_from", 0)
    rule = f"doubt ≥ {least:.4g}" if least else "all samples"
    return (
        f"{judged:,} of {len(scored):,} samples judged; rule: {rule}. Their labels are by "
        f"{_judges(run)} "
        "All other values are the heuristic's estimates."
    )


def _judges(run: Run) -> str:
    names = run_facts.judge_titles(run)
    if len(names) == 1:
        return f"{names[0]}."
    return (
        f"a jury of {', '.join(names)}: the majority decides each sentence, a tie goes to the "
        "stricter verdict."
    )


def _say_what_it_means(rows: Sequence[Outline]) -> None:
    means = {name: aggregate.summarise(rows, name) for name in METRICS}
    found = pattern({name: mean.mean for name, mean in means.items()})
    if found and min(mean.scored for mean in means.values()) >= LEAST_FOR_ADVICE:
        st.info(
            f"**{found.name}.** {found.meaning}  \nWhat helps: {found.remedy}",
            icon=":material/lightbulb:",
        )


def _facets(rows: Sequence[Outline]) -> dict[str, str]:
    """The columns that tell something, by field."""
    by = {row.by for row in rows if row.status == "scored"}
    told = {
        "situation": ("Situation", any(row.situation for row in rows)),
        "by": ("Labels by", len(by) > 1),
        "corrected": ("Corrected", any(row.corrected for row in rows)),
    }
    return {name: title for name, (title, tells) in told.items() if tells}


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
