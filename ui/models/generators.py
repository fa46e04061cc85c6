"""Who answers the samples that have no answer: models, and the prompt that they get."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from evaluators.errors import PromptError
from evaluators.llm.catalogue import Choice
from evaluators.prompts import check
from evaluators.records import Dataset, prompt_hash
from evaluators.runs.inputs import prompt_for
from evaluators.text.language import mark, say
from evaluators.text.normalise import is_chinese
from evaluators.text.words import counted
from ui.models import form as model_form
from ui.parts.forms import KEPT, LONG_TEXT
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
        # The headline stands above the choice and says what was chosen.
        headline = st.empty()
        models = model_form.models(model_form.choices(), f"{key}_models")
        headline.markdown(f"**{_who_answers(_without_answer(count, total), len(models))}**")
        if not models:
            return _without_generator(count, total)
        if all(choice.model.is_system for choice in models):
            return Generators(tuple(models))
        prompt, problem = _prompt_area(dataset, key)
    return Generators(tuple(models), prompt, say("Correct the prompt") if problem else "")


def _without_answer(count: int, total: int) -> str:
    samples = counted(total, "sample")
    if count == 1:
        return say("{count:,} of {samples} has no answer", count=count, samples=samples)
    return say("{count:,} of {samples} have no answer", count=count, samples=samples)


def _who_answers(lacking: str, models: int) -> str:
    if not models:
        return say("{lacking}: nobody answers them.", lacking=lacking)
    if models == 1:
        return say("{lacking}: a generator answers them.", lacking=lacking)
    words = mark("{lacking}: each of {models} generators answers them.")
    return say(words, lacking=lacking, models=models)


def _without_generator(count: int, total: int) -> Generators:
    """Only the answers that are there can be judged, if there are any."""
    if count == total:
        st.caption(say("Without one there is nothing to judge."))
        return Generators(missing=say("Choose a model"))
    # A run over the answers that are there is worth something.
    samples = counted(count, "sample")
    st.caption(say("Without a model, {samples} without an answer will fail.", samples=samples))
    return NOBODY


def _prompt_area(dataset: Dataset, key: str) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    language = "zh" if is_chinese(dataset.samples[0].question) else "en"
    with st.expander(say("Prompt"), icon=":material/edit_note:", key=f"{key}_template"):
        # A field of its own for each language: data of the other one want the other template.
        prompt = st.text_area(
            say("Prompt template"),
            prompt_for(dataset),
            height=380,
            max_chars=LONG_TEXT,
            key=f"{key}_prompt_{language}",
            label_visibility="collapsed",
            **KEPT,
        )
        words = say(
            "The run keeps the prompt and its hash ({hash}). $question and $documents are filled "
            "in. The offline reader reads only what these two hold.",
            hash=prompt_hash(prompt),
        )
        st.caption(plain(words))
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
        return error.message
    return ""
