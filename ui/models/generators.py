"""Who answers the samples that have no response: models, and the prompt that they get."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import streamlit as st

from evaluators.errors import PromptError
from evaluators.llm.catalogue import Choice
from evaluators.llm.prompt_sizes import Sent, sent
from evaluators.prompts import check, fill
from evaluators.records import Dataset, ModelSpec, Sample, prompt_hash
from evaluators.runs.inputs import prompt_for
from evaluators.text.normalise import is_chinese
from ui import session
from ui.models import form as model_form
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain
from ui.parts.words import counted


class Generators(NamedTuple):
    """The models that answer, with their prompt; none where every response is there or is not
    needed.
    """

    models: tuple[Choice, ...] = ()
    prompt: str = ""

    def sent(self, name: str, models: tuple[ModelSpec, ...]) -> Sent:
        """What these models will be sent about the samples that have no response, in the data of
        that name.
        """
        return _sent(session.identity(name), self.prompt, models)


NOBODY = Generators()


def without_response(dataset: Dataset) -> list[Sample]:
    return [sample for sample in dataset.samples if sample.response is None]


@lru_cache(maxsize=8)
def _sent(data: session.Identity, prompt: str, models: tuple[ModelSpec, ...]) -> Sent:
    """Remembered, as the form is drawn again at every click."""
    dataset = session.source(data.name)
    samples = without_response(dataset) if models and isinstance(dataset, Dataset) else []
    return sent(
        (fill(prompt, each.question, each.retrieved_documents).text for each in samples), models
    )


def choose(dataset: Dataset, key: str) -> Generators | None:
    """Lets models be chosen where samples have no response; `None` where the run cannot start with
    what is chosen.
    """
    count, total = len(without_response(dataset)), len(dataset.samples)
    if not count:
        return NOBODY
    with st.container(border=True):
        lacking = (
            f"{count:,} of {counted(total, 'sample')} {'has' if count == 1 else 'have'} no response"
        )
        words = st.empty()
        models = model_form.models(model_form.choices(), f"{key}_models")
        words.markdown(f"**{lacking}: {_who(len(models))}**")
        if not models:
            return _nobody(count, total)
        prompt, problem = _prompt(dataset, key)
    return None if problem else Generators(tuple(models), prompt)


def _who(models: int) -> str:
    """Who answers them, in words."""
    if not models:
        return "nobody answers them."
    return (
        "a generator answers them." if models == 1 else f"each of {models} generators answers them."
    )


def _nobody(count: int, total: int) -> Generators | None:
    """Without a generator only the responses that are there can be judged."""
    if count == total:
        st.caption("Choose a model: without one there is nothing to judge.")
        return None
    st.caption(f"Without a model, {counted(count, 'sample')} without a response will fail.")
    return NOBODY


def _prompt(dataset: Dataset, key: str) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    language = "zh" if is_chinese(dataset.samples[0].question) else "en"
    with st.expander("Prompt", icon=":material/edit_note:", key=f"{key}_prompt"):
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
    return prompt, prompt_problem(prompt)


def prompt_problem(prompt: str) -> str:
    """Says what is wrong with a generator's template; empty where it can be used."""
    try:
        check(prompt)
    except PromptError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return str(error)
    return ""
