"""What a TRACE run shows: its metrics by the chosen labeller and formula, and every sample."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evaluators.catalogue import catalogue
from evaluators.document.better_judge import tried_examples
from evaluators.document.planted import planted_errors
from evaluators.params import parameters
from evaluators.records import Run
from evaluators.runs import findings, run_facts
from evaluators.runs.aggregate import Figures, SupportCounts, View
from evaluators.runs.engine import registry
from evaluators.runs.formulas import formula_gone, formula_of
from evaluators.runs.run_view import Content, RunView
from evaluators.runs.shown_values import column_titles, groups_of
from evaluators.runs.store import Answer, Outline, Selection, ValueName
from evaluators.text.language import mark, say
from evaluators.text.words import counted, name_and_text
from evaluators.trace.definitions import DEFINITIONS, SENTENCE
from evaluators.trace.patterns import pattern
from evaluators.trace.values import METRICS, TRACE_VALUES
from ui.metrics import results as metric_results
from ui.parts import chosen_view, corrected, dots, explained, flaw_cards, samples, tables
from ui.parts.chosen_view import definition_key
from ui.parts.present import Block
from ui.parts.samples import Verdict
from ui.parts.untrusted import plain
from ui.trace import comparison
from ui.trace.form import unused

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
    moves = registry.moves(run.id, view.store)
    answer = st.container()
    # Of a run at work nobody is offered labellers: every sample would be read at each drawing.
    labelled_by = [] if moves else view.labellers()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = chosen_view.model_switch(run, say("Answers by"), f"model_{run.id}")
        definition = definition_switch(run)
        by = chosen_view.labels_switch(view, labelled_by)
    chosen = View(definition, by)
    figures = view.figures(0, model, chosen)
    # By whose labels the run goes, whatever is looked at.
    usual = view.figures(0, model)
    if moves and not figures.scored:
        answer.caption(say("Nothing is checked yet."))
        return
    with answer:
        _say_the_answer(view, chosen, model, moves)
        if not moves:
            _say_what_is_wrong(view, chosen, model)
        chosen_view.say_whose(view, chosen)
        groups = groups_of(view, 0, chosen)
        dots.show(groups, is_at_work=moves)
        if not moves:
            dots.say_what_marks_mean(groups)
        if whose := findings.who_labelled(run, usual):
            st.info(plain(whose), icon=":material/info:")
        if relabelled := 0 if moves else len(view.relabelled(model)):
            st.caption(
                say(
                    "{answers} relabelled by people. The run's own values stay its labeller's: "
                    "choose another labeller to see what people make of them.",
                    answers=counted(relabelled, "answer"),
                )
            )
    if not moves:
        # Always by the usual definition: another one is another view of the same labels.
        _say_what_it_means(view.figures(0, model, View(SENTENCE, by)))
    if gone := formula_gone(run):
        st.warning(plain(gone), icon=":material/warning:")
    if len(labelled_by) > 1:
        comparison.show(view, model, definition)
    metric_results.further(view, chosen)
    samples.heading()
    samples.show(_trace_table(view, chosen, model, usual, moves))


def _say_what_is_wrong(view: RunView, chosen: View, model: int) -> None:
    for section in (*planted_errors(view, chosen), *tried_examples(view)):
        st.header(section.title, anchor=False)
        tables.show(section.blocks, section.title)
    flaw_cards.show(view, chosen, model)


def _say_the_answer(view: RunView, chosen: View, model: int, moves: bool = False) -> None:
    """The mean that people's labels correct, from enough of a random draw on; then the labeller's.

    Of another labeller than the run's own it is what that labeller says.
    """
    finding = findings.of_trace(view, chosen, model, is_at_work=moves)
    # How often the heuristic is right is for those who ask.
    more = plain(finding.caution) if finding.caution else None
    if not moves and corrected.say_headlines(view, model=model):
        st.markdown(plain(finding.sentence), help=more)
    elif finding.sentence:
        st.header(plain(finding.sentence), anchor=False, help=more)
    if finding.caution:
        st.warning(say(findings.OF_THE_HEURISTIC), icon=":material/search:")


def blocks(view: RunView) -> list[Block]:
    """The answer in a sentence and the groups of values, each for a screen of its own."""
    run = view.run
    names = run_facts.titles(run)
    model = st.session_state.get(f"model_{run.id}")
    # Chosen on the run's page, which this session may not have seen.
    number = names.index(model) if model in names else 0
    chosen = chosen_view.of(run)
    shown = [Block(run.title, partial(_say_the_answer, view, chosen, number))]
    for group in groups_of(view, 0, chosen):
        shown += dots.blocks(group)
    return shown + metric_results.blocks(view, chosen, first=1)


def _trace_table(
    view: RunView,
    chosen: View,
    model: int,
    figures: Figures,
    moves: bool,
) -> samples.Table:
    filters = {mark("Unsupported"): Selection(values=(ValueName(0, "adherence"),), high=0)}
    if not moves:
        filters["Labellers differ"] = Selection(among=view.labelled().differ)
    filters["Changed by people"] = Selection(is_corrected=True)
    filters["Failed"] = Selection(is_failed=True)
    if not moves:
        filters |= flaw_cards.filters(view, chosen)

    def verdict(answer: Answer, row: Outline, content: Content | None) -> Verdict:
        support = view.support_counts(answer, content, chosen) if content else None
        if support is None:
            return Verdict(say("no labels"))
        return _verdict_on(support)

    return samples.Table(
        view,
        column_titles(view, TRACE_VALUES),
        filters,
        verdict,
        counts_by=chosen,
        model=model if len(view.run.models) > 1 else None,
        worst="supported_share",
        facets=_trace_facets(figures, is_relabelled=bool(not moves and view.relabelled(model))),
    )


def _verdict_on(support: SupportCounts) -> Verdict:
    """The worst that is known of the sentences of an answer."""
    sentences = counted(support.sentences, "sentence")
    if support.unsupported and support.partly:
        words = say(
            "{unsupported} not, {partly} partly, of {sentences}",
            unsupported=support.unsupported,
            partly=support.partly,
            sentences=sentences,
        )
        return Verdict(words, "bad")
    if support.unsupported:
        words = say(
            "{unsupported} of {sentences} not supported",
            unsupported=support.unsupported,
            sentences=sentences,
        )
        return Verdict(words, "bad")
    if support.partly:
        words = say(
            "{partly} of {sentences} partly supported",
            partly=support.partly,
            sentences=sentences,
        )
        return Verdict(words, "part")
    if support.unlabelled:
        words = say(
            "{unlabelled} of {sentences} without a label",
            unlabelled=support.unlabelled,
            sentences=sentences,
        )
        return Verdict(words)
    if not support.sentences:
        return Verdict(say("no sentence"), "good")
    return Verdict(say("{sentences} supported", sentences=sentences), "good")


def definition_switch(run: Run) -> str:
    """The choice of formula, the same on all pages of a run; it changes the view, not the run."""
    meanings = [
        name_and_text(f"**{say(definition.title)}**", say(definition.meaning))
        for definition in DEFINITIONS.values()
    ]
    usual = formula_of(run)
    chosen: str = st.segmented_control(
        say("Formula"),
        list(DEFINITIONS),
        default=usual,
        format_func=lambda name: say(DEFINITIONS[name].title),
        required=True,
        # Two spaces before a line break make it one in Markdown.
        help="  \n".join([*meanings, explained.more(SENTENCE)]),
        key=definition_key(run),
        persist_state="session",
    )
    return chosen


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
            say(
                "**{pattern}.** {meaning}  \nWhat helps: {remedy}",
                pattern=say(fitting.name),
                meaning=say(fitting.meaning),
                remedy=say(fitting.remedy),
            ),
            icon=":material/lightbulb:",
        )


def _trace_facets(figures: Figures, *, is_relabelled: bool) -> dict[str, str]:
    """The titles of further columns by field; a column that would say nothing is left out."""
    facets = {}
    if figures.situations:
        facets["situation"] = mark("Group")
    if len(figures.by) > 1:
        facets["by"] = mark("Labeller")
    if is_relabelled:
        facets["corrected"] = mark("Changed by people")
    return facets
