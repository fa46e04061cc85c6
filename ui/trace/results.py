"""What a TRACE run shows: its metrics by the chosen labels and definition, and every sample."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.catalogue import catalogue
from evaluators.params import parameters
from evaluators.records import Run
from evaluators.runs import aggregate, export
from evaluators.runs.aggregate import View
from evaluators.runs.engine import registry
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Outline
from evaluators.trace.definitions import DEFINITIONS, METRICS, SENTENCE
from evaluators.trace.labelling import HEURISTIC
from evaluators.trace.patterns import pattern
from ui.metrics import results as metric_results
from ui.parts import cards, charts, command, labellers, run_facts, tables
from ui.parts.untrusted import plain
from ui.parts.words import counted
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
    name = run.evaluator.name
    values = run.evaluator.params
    usual = []
    for field in parameters(catalogue()[name]):
        if values.get(field.name) == field.default:
            usual.append(field.name)
    left_out = (*unused(name), *usual)
    facts = [
        f"Data: {run.dataset_name}",
        *metric_results.params(run.evaluator, left_out),
        *metric_results.also(run),
        *run_facts.facts(run),
        *metric_results.how_answered(run),
    ]
    st.caption(plain(" · ".join(facts)))
    command.show(run)


def show(view: RunView) -> None:
    """Cards, distributions and samples of one model's answers, as far as the run is.

    Several models stand side by side.
    """
    run = view.run
    moves = registry.is_live(run.id) or registry.is_waiting(run.id)
    # Of a run at work nobody is offered labellers: every sample would be read at each drawing.
    labelled_by = [] if moves else view.labellers()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = _model_switch(run)
        definition = definition_switch()
        by = _labels_switch(run, labelled_by)
    chosen = View(definition, by)
    every_model = aggregate.of_metric(view.counted(chosen), 0)
    rows = aggregate.of_model(every_model, model)
    _say_who_labelled(run, rows)
    _models_side_by_side(run, every_model)
    if moves and not any(row.values for row in rows):
        st.caption("No score yet.")
        return
    cards.means(rows, VALUES, HELP)
    if not moves:
        # Always by the usual definition: another one is another view of the same labels.
        usual = aggregate.of_metric(view.counted(View(by=by)), 0)
        _say_what_it_means(aggregate.of_model(usual, model))
    if len(labelled_by) > 1:
        comparison.show(view, model, definition, VALUES)
    _histograms_of_metrics(rows, run)
    metric_results.further(view)
    st.header("Samples")
    merged = view.merged(chosen)
    values = metric_results.column_titles(view, VALUES)
    of_model = aggregate.of_model(merged, model)
    in_order = metric_results.ordered(run, of_model, values)
    tables.samples(view, in_order, values, _facets_of(rows))
    if not moves:
        _downloads(view, merged, definition)


def _model_switch(run: Run) -> int:
    """The number of the model whose answers are looked at, to be chosen where there are several."""
    names = run_facts.titles(run)
    if len(names) < 2:
        return 0
    name = st.segmented_control(
        "Answers by",
        names,
        default=names[0],
        format_func=plain,
        required=True,
        key=f"model_{run.id}",
        persist_state="session",
    )
    return names.index(name)


def _models_side_by_side(run: Run, rows: Sequence[Outline]) -> None:
    if len(run.models) < 2:
        return
    means = {}
    for model, own in run_facts.rows(run, rows).items():
        means[model] = {name: aggregate.summarise(own, name) for name in VALUES}
    tables.by_model(means, VALUES)


def _downloads(view: RunView, rows: Sequence[Outline], definition: str) -> None:
    """Files of what is shown, made when somebody asks for one."""
    file = f"{view.run.evaluator.name}-{view.run.id[:6]}.jsonl"

    def labels() -> bytes:
        models = run_facts.titles(view.run)
        prompt = export.labelling_prompt(view.run)
        return b"".join(export.label_lines(view.scored(), view.corrections, models, prompt))

    with st.container(horizontal=True):
        metric_results.download(view, rows, definition)
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
    meanings = [
        f"**{definition.title}**: {definition.meaning}" for definition in DEFINITIONS.values()
    ]
    return st.segmented_control(
        "Definition",
        list(DEFINITIONS),
        default=SENTENCE,
        format_func=lambda name: DEFINITIONS[name].title,
        required=True,
        # Two spaces before a line break make it one in Markdown.
        help="  \n".join(meanings),
        key="definition",
        persist_state="session",
    )


def _labels_switch(run: Run, names: Sequence[str]) -> str | None:
    """The choice of labeller, where there are several; `None` is what counts."""
    if len(names) < 2:
        return None
    name: str = st.selectbox(
        "Labels",
        ["", *names],
        format_func=lambda by: labellers.title(by) if by else "What counts",
        help=(
            "Whose labels the values are based on. What counts: the run's own labels, corrected "
            "where a person did so."
        ),
        key=f"labels_{run.id}",
        width=320,
        persist_state="session",
    )
    return name or None


def _say_who_labelled(run: Run, rows: Sequence[Outline]) -> None:
    is_judged = run.judges and catalogue()[run.evaluator.name].most_judges()
    if not is_judged:
        sentence = "Heuristic labels: every score here is an estimate made without an LLM."
    elif run.evaluator.name == "hybrid":
        sentence = _partly_judged(run, rows)
    else:
        sentence = (
            f"Labels by {_name_judges(run)} An LLM makes mistakes: open a sample to check its "
            "labels, and correct them."
        )
    st.info(plain(sentence), icon=":material/info:")
    if corrected := sum(row.corrected > 0 for row in rows):
        st.caption(
            f"{counted(corrected, 'sample')} corrected by a person; what counts includes that."
        )


def _partly_judged(run: Run, rows: Sequence[Outline]) -> str:
    scored = [row for row in rows if row.status == "scored"]
    judged = sum(row.by not in ("", HEURISTIC) for row in scored)
    least = run.evaluator.params.get("doubt_from", 0)
    rule = f"doubt ≥ {least:.4g}" if least else "all samples"
    return (
        f"{judged:,} of {len(scored):,} samples judged; rule: {rule}. Their labels are by "
        f"{_name_judges(run)} All other values are the heuristic's estimates."
    )


def _name_judges(run: Run) -> str:
    """The judge or the jury as the end of a sentence."""
    names = run_facts.judge_titles(run)
    if len(names) == 1:
        return f"{names[0]}."
    return (
        f"a jury of {', '.join(names)}: the majority decides each sentence, a tie goes to the "
        "stricter verdict."
    )


def _say_what_it_means(rows: Sequence[Outline]) -> None:
    means = {name: aggregate.summarise(rows, name) for name in METRICS}
    fitting = pattern({name: mean.mean for name, mean in means.items()})
    if not fitting:
        return
    # Values that do not apply leave each metric with another number of samples.
    fewest = min(mean.scored for mean in means.values())
    if fewest >= LEAST_FOR_ADVICE:
        st.info(
            f"**{fitting.name}.** {fitting.meaning}  \nWhat helps: {fitting.remedy}",
            icon=":material/lightbulb:",
        )


def _facets_of(rows: Sequence[Outline]) -> dict[str, str]:
    """The titles of further columns by field; a column that would say nothing is left out."""
    facets = {}
    if any(row.situation for row in rows):
        facets["situation"] = "Situation"
    labellers_used = {row.by for row in rows if row.status == "scored"}
    if len(labellers_used) > 1:
        facets["by"] = "Labels by"
    if any(row.corrected for row in rows):
        facets["corrected"] = "Corrected"
    return facets


def _histograms_of_metrics(rows: Sequence[Outline], run: Run) -> None:
    with st.expander("Distributions", icon=":material/bar_chart:", expanded=True):
        grid = st.grid(4, min_column_width=150)
        for name in METRICS:
            values = [value for row in rows if (value := row.values.get(name)) is not None]
            with grid.container():
                st.caption(f"{VALUES[name]} · {len(values):,} samples")
                figure = charts.distribution(values)
                st.plotly_chart(
                    figure,
                    config=charts.BARE,
                    key=f"dist_{name}_{run.id}",
                    alt=charts.distribution_in_words(values, VALUES[name]),
                )
