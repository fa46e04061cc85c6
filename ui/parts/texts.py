"""The texts of a sample, as every view of one shows them."""

from __future__ import annotations

import streamlit as st

from evaluators.prompts import fill
from evaluators.records import Sample
from evaluators.text.language import say
from evaluators.text.words import accepted
from ui.parts.untrusted import plain


def question(sample: Sample) -> None:
    """The question under its heading."""
    st.header(say("Question"))
    st.text(sample.question)


def generator_prompt(label: str, template: str, sample: Sample) -> None:
    """What a model was asked about the sample."""
    with st.expander(plain(label), icon=":material/edit_note:", key="generator_prompt"):
        prompt = fill(template, sample.question, sample.evidence)
        st.code(prompt.text, language=None, wrap_lines=True)


def expected_answer(sample: Sample) -> None:
    """The true answer and the planted error, where the sample has them."""
    if sample.ground_truth is not None:
        st.text(say("True answer: {answer}", answer=accepted(sample.ground_truth)))
    if sample.rgb and sample.rgb.counterfactual is not None:
        st.text(say("Planted error: {answer}", answer=accepted(sample.rgb.counterfactual)))
