"""A TRACE answer of a queue: its sentences are labelled in the evidence view."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from evaluators.people.labels import people_values
from evaluators.people.records import PersonLabel
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import say
from evaluators.text.words import counted
from evaluators.trace.metrics import from_score
from ui.label.answer import AnswerToLabel
from ui.parts import problems
from ui.trace import evidence
from ui.trace import labels as trace_labels
from ui.trace.correction import Origin, RunCell


def show(shown: AnswerToLabel, origin: Origin, *, is_blind: bool) -> None:
    """The answer to label; with all labels in sight where it is not blind, as on its own page."""
    if is_blind and shown.score:
        problems.show(RunCell(shown.run.id, shown.cell).name)
        st.caption(say(NO_CLAIM))
        evidence.show_blind(shown.run, shown.cell, shown.sample, shown.score, origin)
    else:
        trace_labels.show(shown.run, shown.cell, shown.sample, shown.score, origin)


def missing_sentences(shown: AnswerToLabel, own: Iterable[PersonLabel]) -> str:
    """How many answer sentences have no label yet, in words; empty where all have one."""
    if shown.score is None:
        return ""
    # “Relevant” and “used” may stay open, but adherence hangs on every sentence of the answer.
    labelled = {label.key for label in own if label.label == "support"}
    response = from_score(shown.score, shown.sample).sentences.response
    left = sum(sentence.key not in labelled for sentence in response)
    if not left:
        return ""
    return say(
        "{sentences} without a label. All supported (A)? Else Cannot tell (C).",
        sentences=counted(left, "sentence"),
    )


def support_of_both(shown: AnswerToLabel, own: list[PersonLabel]) -> str:
    """Whether the answer is fully supported, by the person and by the run."""
    if shown.score is None:
        return ""
    scores = from_score(shown.score, shown.sample)
    person = people_values(scores.labels, scores.sentences, own).get("adherence")
    words = {1.0: say("yes"), 0.0: say("no")}
    run = words.get(scores.adherence or 0.0, "")
    if person is None:
        return say("Fully supported? The run: {run}", run=run)
    return say("Fully supported? The run: {run} · you: {person}", run=run, person=words[person])
