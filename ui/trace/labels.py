"""One TRACE sample by its labels: the evidence view, and below it how the numbers came about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from evaluators.flaws.of_answer import LabelledAnswer, flaws_of
from evaluators.people.labellers import labeller_title
from evaluators.people.labels import (
    PERSON,
    as_labels,
    corrected,
    fitting,
    scores_of_votes,
    who_is_done,
)
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Labelling, Run, Sample, SampleResult, Score
from evaluators.report import coloured
from evaluators.runs.engine import registry
from evaluators.runs.formulas import formula_of
from evaluators.runs.shown_values import title
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say, translated
from evaluators.text.scale import SCORE
from evaluators.text.words import counted
from evaluators.trace.definitions import SENTENCE
from evaluators.trace.labelling import CORRECTED, HEURISTIC, labellings
from evaluators.trace.metrics import arithmetic, from_score, trace_scores
from evaluators.trace.values import HIGH, TRACE_VALUES
from ui import run_views, script, session
from ui.parts import chosen_view, facts, people, problems, tables, texts
from ui.parts.untrusted import plain
from ui.trace import correction, evidence, judge
from ui.trace.correction import Origin, RunCell
from ui.trace.evidence import ShownLabels
from ui.trace.results import definition_switch


def show(
    run: Run,
    cell: Cell,
    sample: Sample,
    score: Score | None,
    origin: Origin | None = None,
    results: Iterable[SampleResult] = (),
) -> None:
    """The texts with their labels; where nothing was labelled the texts alone.

    Without an `origin` whoever looks labels by hand, under a name that can be changed here. One of
    the `results` may tell the facts of the true answer.
    """
    if score is None:
        texts.question(sample)
        st.html(coloured.uncoloured(sample.response or ""))
        st.html(coloured.passages(sample.evidence, sample))
    else:
        _labels_with_evidence(run, cell, sample, score, origin, results)


# A label that somebody changes is drawn without the rest of the page.
@st.fragment
def _labels_with_evidence(
    run: Run,
    cell: Cell,
    sample: Sample,
    score: Score,
    origin: Origin | None,
    results: Iterable[SampleResult],
) -> None:
    place = RunCell(run.id, cell)
    with problems.caught():
        problems.show(place.name)
        given = session.store().person_labels.by_cell(run.id, cell).get(cell, [])
        can_rename = origin is None and run.workspace != EXAMPLES
        shown = _labels_to_show(run, place, sample, score, given)
        judge.warn(shown.judges)

        def keep() -> None:
            changes = script.event(evidence.KEY, "changed")
            original = shown.labellings[shown.original].labels
            # Read at the change: the name may have been entered after the page was drawn.
            now = origin or Origin(person=people.me())
            correction.keep_changes(place, changes, shown.sentences, original, now)

        evidence.show(
            shown,
            sample,
            notes=_provenance(run, shown),
            flaws=_flaws(run, shown, sample),
            locked=_why_locked(run, shown),
            on_change=problems.guarded(keep, place.name),
            is_shared=run.workspace == EXAMPLES,
        )
        if can_rename:
            people.choose("label_name")
        facts.of_run(run, cell.position, sample, results, is_locked=not can_rename)
        _below(run, shown, sample.question)


def _labels_to_show(
    run: Run,
    place: RunCell,
    sample: Sample,
    score: Score,
    given: Sequence[PersonLabel],
) -> ShownLabels:
    by_labeller = labellings(score, sample)
    sentences = from_score(score, sample).sentences
    original = next(iter(by_labeller.values())).labels
    given, left_over = fitting(sentences, given)
    labels = corrected(original, sentences, given)
    if labels is not original:
        by_labeller[CORRECTED] = Labelling(by=CORRECTED, labels=labels)
    # The choice stands below the texts, beside the formulas that it changes.
    definition = formula_of(run, chosen_view.of(run).definition)
    scores = {
        name: trace_scores(sentences, labelling.labels, definition)
        for name, labelling in by_labeller.items()
    }
    votes = {}
    for person, said in who_is_done(original, sentences, given).items():
        name = f"{PERSON}{person}"
        votes[name] = said
        by_labeller[name] = Labelling(by=name, labels=as_labels(said))
        scores[name] = scores_of_votes(said, sentences, definition)
    by = _choose_labeller(list(by_labeller), place)
    return ShownLabels(
        place=place,
        sentences=sentences,
        labellings=by_labeller,
        by=by,
        scores=scores,
        given=given,
        votes=votes,
        left_over=len(left_over),
    )


def _choose_labeller(names: list[str], place: RunCell) -> str:
    """Whose labels are shown: those chosen last if this sample has them, else the run's own."""
    if len(names) == 1:
        return names[0]
    last = st.session_state.get(correction.SHOWN)
    by = last if last in names else names[0]
    key = f"labels_{place.name}"

    def change() -> None:
        st.session_state[correction.SHOWN] = st.session_state[key]

    with st.container(horizontal=True, vertical_alignment="center", key="labels_by"):
        # The choice is one for all samples, so that the next sample begins with it.
        st.session_state[key] = by
        st.markdown(say("Labeller"), width="content")
        st.segmented_control(
            say("Labeller"),
            names,
            format_func=lambda by: plain(labeller_title(by)),
            required=True,
            key=key,
            on_change=change,
            wrap=True,
            label_visibility="collapsed",
        )
    return by


def _flaws(run: Run, shown: ShownLabels, sample: Sample) -> dict[str, list[str]]:
    """What is wrong with sentences beside the labels that are shown, by their keys."""
    first, model = 1, shown.place.cell.model
    # Of a run at work every answer would be read anew at each look.
    if not registry.moves(run.id, session.store()):
        first = run_views.latest(run).flaws(model).first_document
    labelled = LabelledAnswer(shown.sentences, shown.labels)
    # Facts are of no sentence, and take a while.
    without_facts = sample.model_copy(update={"ground_truth": None, "nuggets": ()})
    return flaws_of(without_facts, labelled, first).by_sentence()


def _provenance(run: Run, shown: ShownLabels) -> list[str]:
    """Whose labels these are, and which ones count."""
    notes = []
    if len(shown.labellings) == 1:
        notes.append(say("Labels: {labeller}", labeller=labeller_title(shown.by)))
    if shown.by == HEURISTIC:
        notes.append(say("an estimate made without an LLM"))
    if shown.labels.expected:
        notes.append(
            say("utilization and completeness are expected shares, not counts of the labels")
        )
    if shown.original != shown.by:
        notes.append(
            say("in the run's scores {labeller} counts", labeller=labeller_title(shown.original))
        )
    was_judged = any(labelling.judgement for labelling in shown.labellings.values())
    if run.evaluator.name == "hybrid" and not was_judged:
        notes.append(say("the heuristic was sure enough, no judge was asked"))
    if shown.left_over:
        notes.append(
            say(
                "{labels} of people kept and not counted: of sentences that are not there",
                labels=counted(shown.left_over, "label"),
            )
        )
    if dropped := shown.labels.dropped_keys:
        one = mark("ignored {keys} that does not exist")
        several = mark("ignored {keys} that do not exist")
        notes.append(say(one if dropped == 1 else several, keys=counted(dropped, "key")))
    if reason := shown.scores[shown.by].reason:
        notes.append(translated(reason))
    return notes


def _why_locked(run: Run, shown: ShownLabels) -> str:
    """Why nothing can be corrected here; empty where it can: of other labellers nothing is."""
    if run.workspace == EXAMPLES:
        return say("Everybody sees the same example. Press “Make it yours” to label a copy.")
    if shown.by not in (shown.original, CORRECTED):
        return say(
            "To correct a label, choose the labels of {labeller}.",
            labeller=labeller_title(shown.original),
        )
    return ""


# Below the texts


def _below(run: Run, shown: ShownLabels, question: str) -> None:
    with st.expander(
        say("How each number was worked out"),
        icon=":material/calculate:",
        key="how_each_number_was_worked_out",
    ):
        definition_switch(run)
        scores = shown.scores[shown.by]
        for line in arithmetic(scores).values():
            st.text(line)
        # By the usual definition, as the ranges and patterns of a run are.
        usual = scores.under(SENTENCE)
        ideals = usual.ideals()
        # `None` is a value that does not apply: it is neither ideal nor outside.
        outside = [title(name) for name in ideals if ideals[name] is False]
        st.text(
            say(
                "Ideal are {high:g} or more, and an adherence of 1. Outside: {values}.",
                high=HIGH,
                values=say(", ").join(outside) or say("none"),
            )
        )
        if pattern := usual.pattern():
            st.text(
                say(
                    "{pattern}. {meaning} {remedy}",
                    pattern=say(pattern.name),
                    meaning=say(pattern.meaning),
                    remedy=say(pattern.remedy),
                )
            )
    if len(shown.labellings) > 1:
        _labellers_side_by_side(shown)
    if shown.given:
        correction.list_all(shown.given)
    if shown.judges:
        judge.show(run, shown.judges, shown.sentences, question)


def _labellers_side_by_side(shown: ShownLabels) -> None:
    names = [labeller_title(by) for by in shown.labellings]
    text_of: dict[str, str] = {}
    for part in (*shown.sentences.documents, shown.sentences.response):
        for sentence in part:
            text_of[sentence.key] = sentence.text
    disputed = evidence.disputes(shown)
    with st.expander(
        say("Labellers side by side"),
        icon=":material/compare:",
        key="labellers_side_by_side",
    ):
        rows = []
        for by, scores in shown.scores.items():
            values = scores.values()
            cells = {say(each.heading): SCORE.shown(values[each.name]) for each in TRACE_VALUES}
            rows.append({say("Labels"): labeller_title(by)} | cells)
        tables.plain_rows(rows, say("Scores of each labeller"))
        if not disputed:
            st.caption(say("All agree on every sentence."))
            return
        st.caption(
            say(
                "They differ on {sentences} of {total:,}.",
                sentences=counted(len(disputed), "sentence"),
                total=len(text_of),
            )
        )
        differing = []
        for key, verdicts in disputed.items():
            words = [say(verdict) if verdict else say("neither") for verdict in verdicts]
            cells = dict(zip(names, words, strict=True))
            differing.append({say("Sentence"): key, **cells, say("Text"): text_of[key]})
        tables.plain_rows(differing, say("Sentences on which labellers differ"))
