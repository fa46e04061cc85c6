"""Who answers the samples that have no answer: models, and the prompt that they get."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from evaluators.errors import PromptError
from evaluators.llm.catalogue import Choice
from evaluators.prompts import check
from evaluators.records import Dataset, prompt_hash
from evaluators.runs.inputs import prompt_for
from evaluators.text.normalise import is_chinese
from evaluators.text.words import counted
from ui.models import form as model_form
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain


class Generators(NamedTuple):
    """The models that answer, with their prompt; none where no answer is missing or needed."""

    models: tuple[Choice, ...] = ()
    prompt: str = ""
    missing: str = ""
    """What to do before a run can start: "Choose a model"; empty where it can."""


NOBODY = Generators()


def choose(dataset: Dataset, key: str) -> Generators:
    """Lets models be chosen where samples have no answer."""
    total = len(dataset.samples)
    count = sum(sample.response is None for sample in dataset.samples)
    if not count:
        return NOBODY
    with st.container(border=True):
        has = "has" if count == 1 else "have"
        # The headline stands above the choice and says what was chosen.
        headline = st.empty()
        models = model_form.models(model_form.choices(), f"{key}_models")
        lacking = f"{count:,} of {counted(total, 'sample')} {has} no answer"
        headline.markdown(f"**{lacking}: {_who_answers(len(models))}**")
        if not models:
            return _without_generator(count, total)
        prompt, problem = _prompt_area(dataset, key)
    return Generators(tuple(models), prompt, "Correct the prompt" if problem else "")


def _who_answers(models: int) -> str:
    if not models:
        return "nobody answers them."
    if models == 1:
        return "a generator answers them."
    return f"each of {models} generators answers them."


def _without_generator(count: int, total: int) -> Generators:
    """Only the answers that are there can be judged, if there are any."""
    if count == total:
        st.caption("Without one there is nothing to judge.")
        return Generators(missing="Choose a model")
    # A run over the answers that are there is worth something.
    st.caption(f"Without a model, {counted(count, 'sample')} without an answer will fail.")
    return NOBODY


def _prompt_area(dataset: Dataset, key: str) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    language = "zh" if is_chinese(dataset.samples[0].question) else "en"
    with st.expander("Prompt", icon=":material/edit_note:", key=f"{key}_template"):
        # A field of its own for each language: data of the other one want the other template.
        prompt = st.text_area(
            "Prompt template",
            prompt_for(dataset),
            height=380,
            key=f"{key}_prompt_{language}",
            label_visibility="collapsed",
            **KEPT,
        )
        st.caption(
            f"The run keeps the prompt and its hash ({prompt_hash(prompt)}). "
            "\\$question and \\$documents are filled in. The offline reader reads only "
            "what these two hold."
        )
    problem = prompt_problem(prompt)
    if problem:
        # Outside the expander, which may be closed.
        st.error(plain(problem), icon=":material/error:")
    return prompt, problem


def prompt_problem(prompt: str) -> str:
    """Says what is wrong with a generator's template; empty where it can be used."""
    try:
        check(prompt)
    except PromptError as error:
        return str(error)
    return ""
