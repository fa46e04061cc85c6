"""The texts of a sample, as every view of one shows them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from evaluators.fact_recall import facts_said
from evaluators.flaws.facts import facts_of
from evaluators.prompts import fill
from evaluators.records import Sample, SampleResult
from evaluators.text.language import say
from evaluators.text.words import accepted, in_brackets
from ui.parts.untrusted import plain

MOST_LOST = 20
"""Facts that are listed; more would be a wall of text."""


def question(sample: Sample) -> None:
    """The question under its heading."""
    st.header(say("Question"))
    st.text(sample.question)


def generator_prompt(label: str, template: str, sample: Sample) -> None:
    """What a model was asked about the sample."""
    with st.expander(plain(label), icon=":material/edit_note:", key="generator_prompt"):
        prompt = fill(template, sample.question, sample.evidence)
        st.code(prompt.text, language=None, wrap_lines=True)


def lost_facts(sample: Sample, results: Iterable[SampleResult] = ()) -> None:
    """The facts of the true answer that the answer does not give, and where they stand.

    As a judge has told them in one of the results, else by words.
    """
    if sample.response is None or sample.rgb:
        return
    said = facts_said(results)
    facts = facts_of(sample) if said is None else said
    lost = [one for one in facts if not one.in_answer]
    if not lost:
        return
    shown = [in_brackets(one.text, say(one.stands.value)) for one in lost[:MOST_LOST]]
    if more := len(lost) - len(shown):
        shown.append(say("{more:,} more", more=more))
    st.caption(plain(say("Not in the answer: {facts}", facts=" · ".join(shown))))


def expected_answer(sample: Sample) -> None:
    """The true answer and the planted error, where the sample has them."""
    if sample.ground_truth is not None:
        st.text(say("True answer: {answer}", answer=accepted(sample.ground_truth)))
    if sample.rgb and sample.rgb.counterfactual is not None:
        st.text(say("Planted error: {answer}", answer=accepted(sample.rgb.counterfactual)))
