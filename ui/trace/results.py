"""What a TRACE run shows: its metrics by the chosen labeller and formula, and every sample."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from evaluators.catalogue import catalogue
from evaluators.params import parameters
from evaluators.people import labellers
from evaluators.records import Run
from evaluators.runs import run_facts
from evaluators.runs.aggregate import Figures, Mean, View
from evaluators.runs.engine import registry
from evaluators.runs.run_view import Content, RunView
from evaluators.runs.store import Answer, Outline, Selection, ValueName
from evaluators.text.words import counted
from evaluators.trace.definitions import DEFINITIONS, METRICS, SENTENCE
from evaluators.trace.labelling import HEURISTIC
from evaluators.trace.patterns import pattern
from ui.metrics import results as metric_results
from ui.parts import chosen_view, corrected, dots, samples
from ui.parts.chosen_view import DEFINITION, labels_key
from ui.parts.dots import Dot, Group
from ui.parts.present import Block
from ui.parts.samples import Verdict
from ui.parts.untrusted import plain
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
GROUPS = (
    (
        "Retrieval",
        "Does what was retrieved help to answer?",
        {"context_relevance": "Share of the retrieved text that helps"},
    ),
    (
        "Use",
        "Does the answer use it, and all of it?",
        {
            "context_utilization": "Share of the relevant text that was used",
            "completeness": "Share of the relevant text that the answer covers",
        },
    ),
    (
        "Truth",
        "Does the answer say only what the documents say?",
        {
            "adherence": "Share of answers in which every sentence is supported",
            "supported_share": "Mean share of supported sentences in an answer",
        },
    ),
)
"""The values by what they are about, each with its meaning."""
AVERAGE = "Mean of the four values that apply, over all samples"

OF_THE_HEURISTIC = (
    "Heuristic labels, an estimate made without an LLM. Against 2,981 published labels: AUROC "
    "0.73, 82 % right (always “yes”: 85 %). Use it to find suspects, not to count them."
)
"""Adherence in docs/heuristic.md."""
EXPECTED = (
    "Expected share of the relevant text that the answer covers; little better than a constant, "
    "so mostly 0.55 to 0.85"
)
"""Completeness of the heuristic, as well."""

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
        *metric_results.params(run.evaluator, left_out),
        *metric_results.also(run),
        *run_facts.facts(run),
        *metric_results.how_answered(run),
    ]
    st.caption(plain(" · ".join(facts)))


def show(view: RunView) -> None:
    """The answer in a sentence, the values, who labelled, and the samples, as far as the run is."""
    run = view.run
    moves = registry.is_live(run.id) or registry.is_waiting(run.id)
    answer = st.container()
    # Of a run at work nobody is offered labellers: every sample would be read at each drawing.
    labelled_by = [] if moves else view.labellers()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = _model_switch(run)
        definition = definition_switch()
        by = _labels_switch(run, labelled_by)
    chosen = View(definition, by)
    figures = view.figures(0, model, chosen)
    # By whose labels the run goes, and what people changed, whatever is looked at.
    usual = view.figures(0, model)
    if moves and not figures.scored:
        answer.caption("Nothing is checked yet.")
        return
    with answer:
        _say_the_answer(run, figures, model, by)
        dots.show(_groups(view, chosen))
        if not moves:
            corrected.say(view, model=model)
        _say_who_labelled(run, usual)
    if not moves:
        # Always by the usual definition: another one is another view of the same labels.
        _say_what_it_means(view.figures(0, model, View(by=by)))
    if len(labelled_by) > 1:
        comparison.show(view, model, definition, VALUES)
    metric_results.further(view)
    samples.heading()
    samples.show(_table(view, chosen, model, usual, moves))


def _say_the_answer(run: Run, figures: Figures, model: int, by: str | None) -> None:
    """The finding as a sentence that can be read out."""
    mean = figures.means.get("adherence")
    if mean is None or mean.mean is None:
        return
    wrong = round(mean.scored * (1 - mean.mean))
    verb = "contains" if mean.scored == 1 else "contain"
    answers = counted(mean.scored, "answer")
    interval = ""
    if mean.low is not None and mean.high is not None:
        interval = f", {100 - 100 * mean.high:.0f} to {100 - 100 * mean.low:.0f}"
    whose = f"{run_facts.titles(run)[model]}: " if len(run.models) > 1 else ""
    labels = f" by the labels of {labellers.title(by)}" if by else ""
    sentence = (
        f"{whose}{wrong:,} of {answers} {verb} something the documents do not say{labels}: "
        f"{100 - 100 * mean.mean:.0f} %{interval}."
    )
    st.header(plain(sentence), anchor=False)


def blocks(view: RunView) -> list[Block]:
    """The answer in a sentence and the groups of values, each for a screen of its own."""
    run = view.run
    names = run_facts.titles(run)
    model = st.session_state.get(f"model_{run.id}")
    number = names.index(model) if model in names else 0
    chosen = chosen_view.of(run)
    figures = view.figures(0, number, chosen)
    shown = [Block(run.title, partial(_say_the_answer, run, figures, number, chosen.by))]
    for group in _groups(view, chosen):
        shown += dots.blocks(group)
    return shown + metric_results.blocks(view, first=1)


def _groups(view: RunView, chosen: View) -> list[Group]:
    """All values by what they are about, those of several models below one another."""
    names = run_facts.titles(view.run) or [""]
    by_model = [view.figures(0, number, chosen) for number in range(len(names))]
    is_estimate = not _is_judged(view.run) and chosen.by in (None, HEURISTIC)
    groups = []
    for title, question, meanings in GROUPS:
        shown = []
        for name, meaning in meanings.items():
            if is_estimate and name == "completeness":
                meaning = EXPECTED
            for number, figures in enumerate(by_model):
                dot = _dot(name, meaning, figures)
                shown.append(metric_results.of_series(dot, names, number))
        groups.append(Group(title, question, shown))
    average = [
        metric_results.of_series(_dot("average", AVERAGE, figures), names, number)
        for number, figures in enumerate(by_model)
    ]
    return [*groups, Group("Together", "", average)]


def _dot(name: str, meaning: str, figures: Figures) -> Dot:
    nothing = Mean(
        mean=None,
        asked=figures.asked,
        scored=0,
        not_applicable=figures.scored,
        failed=figures.failed,
    )
    mean, spread = figures.means.get(name, nothing), figures.spread.get(name, ())
    return Dot(VALUES[name], mean, spread, meaning)


def _table(
    view: RunView,
    chosen: View,
    model: int,
    figures: Figures,
    moves: bool,
) -> samples.Table:
    filters = {"Unsupported": Selection(values=(ValueName(0, "adherence"),), high=0)}
    if not moves:
        filters["Labellers differ"] = Selection(among=view.labelled().differ)
    filters["Corrected"] = Selection(is_corrected=True)
    filters["Failed"] = Selection(is_failed=True)

    def verdict(answer: Answer, row: Outline, content: Content | None) -> Verdict:
        support = view.support_counts(answer, content, chosen) if content else None
        if support is None:
            return Verdict("no labels")
        count = support.sentences
        if support.unsupported:
            return Verdict(f"{support.unsupported} of {_sentences(count)} not supported", "bad")
        if support.partly:
            return Verdict(f"{support.partly} of {_sentences(count)} partly supported", "part")
        if support.unlabelled:
            return Verdict(f"{support.unlabelled} of {_sentences(count)} without a label")
        return Verdict(f"{_sentences(count)} supported" if count else "no sentence", "good")

    return samples.Table(
        view,
        metric_results.column_titles(view, VALUES),
        filters,
        verdict,
        counts_by=chosen,
        model=model if len(view.run.models) > 1 else None,
        facets=_facets_of(figures),
    )


def _sentences(count: int) -> str:
    return counted(count, "sentence")


def _is_judged(run: Run) -> bool:
    return bool(run.judges and catalogue()[run.evaluator.name].most_judges())


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


def definition_switch() -> str:
    """The choice of formula, the same on every page; it changes the view, not the run."""
    meanings = [
        f"**{definition.title}**: {definition.meaning}" for definition in DEFINITIONS.values()
    ]
    return st.segmented_control(
        "Formula",
        list(DEFINITIONS),
        default=SENTENCE,
        format_func=lambda name: DEFINITIONS[name].title,
        required=True,
        # Two spaces before a line break make it one in Markdown.
        help="  \n".join(meanings),
        key=DEFINITION,
        persist_state="session",
    )


def _labels_switch(run: Run, names: Sequence[str]) -> str | None:
    """The choice of labeller, where there are several; `None` is what counts."""
    if len(names) < 2:
        return None
    name: str = st.selectbox(
        "Labeller",
        ["", *names],
        format_func=lambda by: labellers.title(by) if by else "The run's own",
        help=(
            "Whose labels the values are based on. The run's own are corrected where a person "
            "did so."
        ),
        key=labels_key(run),
        width=320,
        persist_state="session",
    )
    return name or None


def _say_who_labelled(run: Run, figures: Figures) -> None:
    """Whose labels these are, and how far they can be believed."""
    if not _is_judged(run):
        sentence = OF_THE_HEURISTIC
    elif run.evaluator.name == "hybrid":
        sentence = _partly_judged(run, figures)
    else:
        sentence = (
            f"Labeller: {_name_judges(run)} An LLM makes mistakes: open a sample to check its "
            "labels, and correct them."
        )
    st.info(plain(sentence), icon=":material/info:")
    if figures.corrected:
        st.caption(
            f"{counted(figures.corrected, 'sample')} corrected by a person; the run's own values "
            "include that."
        )


def _partly_judged(run: Run, figures: Figures) -> str:
    judged = sum(count for by, count in figures.by.items() if by not in ("", HEURISTIC))
    doubtful = ""
    if run.evaluator.params.get("doubt_from"):
        doubtful = ", those that the heuristic was least sure of,"
    others = ""
    if judged < figures.scored:
        others = " All other values are the heuristic's estimates."
    return (
        f"{judged:,} of {counted(figures.scored, 'sample')}{doubtful} have labels by "
        f"{_name_judges(run)}{others}"
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


def _say_what_it_means(figures: Figures) -> None:
    means = {name: figures.means[name] for name in METRICS if name in figures.means}
    if len(means) < len(METRICS):
        return
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


def _facets_of(figures: Figures) -> dict[str, str]:
    """The titles of further columns by field; a column that would say nothing is left out."""
    facets = {}
    if figures.situations:
        facets["situation"] = "Group"
    if len(figures.by) > 1:
        facets["by"] = "Labeller"
    if figures.corrected:
        facets["corrected"] = "Corrected"
    return facets
