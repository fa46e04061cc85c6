"""The form of a new RGB run: a test bed and a model, or answers that already exist."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets.rgb import NOISE_LEVELS, PASSAGES, TestBed, compose, with_ability
from evaluators.errors import PlumblineError, PromptError
from evaluators.llm import catalogue
from evaluators.prompts import check, load
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs.engine import create_run
from evaluators.text.normalise import is_chinese
from evaluators.types import Ability, Dataset, GeneratorSpec, Run
from ui import forms, session
from ui.untrusted import plain

ASK, SCORE = "Ask a model", "Score existing answers"
AS_IN_FILE = "As in the file"
LEVELS = [round(step / 10, 1) for step in range(10)]


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    way = st.segmented_control(
        "What to do", [ASK, SCORE], default=ASK, required=True, key="rgb_way", label_visibility="collapsed"
    )
    if way == ASK:
        _ask()
    else:
        _score()


def _ask() -> None:
    beds = {name: bed for name in session.sources() if isinstance(bed := session.source(name), TestBed)}
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    name = left.selectbox("Test bed", list(beds), key="rgb_bed")
    titles = catalogue.titles()
    model = middle.selectbox("Model", list(titles), format_func=titles.__getitem__, key="rgb_model")
    right.page_link("../pages/datasets.py", label="Upload a test bed", icon=":material/upload_file:")
    bed = beds[name]
    asked = _composition(bed, name)
    params = forms.parameter_widgets(RGBEvaluator, "rgb")
    prompt, problem = _prompt(bed)
    dataset = compose(bed, **asked)
    count = f"{len(dataset.samples):,} prompts will be asked."
    st.caption(count if dataset.samples else "Choose at least one ability and one noise level.")
    idle = bool(problem) or not dataset.samples
    if st.button("Start", type="primary", icon=":material/play_arrow:", disabled=idle, key="rgb_start"):
        _start(dataset, params, GeneratorSpec(model=model, prompt=prompt), asked["seed"])


def _composition(bed: TestBed, name: str) -> dict:
    """What to ask of the bed; the choices are kept for each bed, as beds differ in their abilities."""
    abilities = st.pills(
        "Abilities",
        bed.abilities,
        selection_mode="multi",
        default=bed.abilities,
        format_func=lambda ability: ability.label,
        key=f"rgb_abilities_{name}",
    )
    levels, passages, limit, seed = st.columns([4, 1, 1, 1])
    most = max((sum(ability in row.abilities for row in bed.rows) for ability in bed.abilities), default=1)
    return {
        "abilities": [ability for ability in Ability if ability in abilities],
        "noise_levels": sorted(
            levels.multiselect(
                "Noise levels",
                LEVELS,
                default=NOISE_LEVELS,
                format_func=lambda noise: f"{100 * noise:.0f} %",
                help="Share of documents beside the point; for noise robustness and integration.",
                key="rgb_noise",
            )
        ),
        "passages": passages.number_input("Passages", 1, 50, PASSAGES, help="Documents per prompt", key="rgb_passages"),
        "limit": limit.number_input(
            "Samples", 1, most, most, help="Rows of the bed for each ability", key=f"rgb_limit_{name}"
        ),
        "seed": seed.number_input("Seed", 0, 2**31, 0, help="Same seed, same documents, same order", key="rgb_seed"),
    }


def _prompt(bed: TestBed) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    language = "zh" if bed.rows and is_chinese(bed.rows[0].query) else "en"
    with st.expander("Prompt", icon=":material/edit_note:"):
        prompt = st.text_area(
            "Prompt template",
            load(f"rgb_{language}"),
            height=380,
            key=f"rgb_prompt_{language}",
            label_visibility="collapsed",
        )
        st.caption(
            "Wording moves RGB results by tens of points, so the run keeps the prompt's hash "
            f"({GeneratorSpec(model='', prompt=prompt).prompt_hash}) and only runs with equal prompts compare. "
            "\\$question and \\$documents are filled in. The offline reader reads only what these two hold."
        )
    problem = _problem(prompt)
    if problem:
        st.error(plain(problem), icon=":material/error:")
    return prompt, problem


def _problem(prompt: str) -> str:
    try:
        check(prompt)
    except PromptError as error:
        return str(error)
    return ""


def _score() -> None:
    answered = {
        name: data
        for name in session.sources()
        if isinstance(data := session.source(name), Dataset) and any(s.response is not None for s in data.samples)
    }
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    name = left.selectbox("Answers", list(answered), key="rgb_answers")
    right.page_link("../pages/datasets.py", label="Upload answers (RGB prediction file)", icon=":material/upload_file:")
    if name is None:
        return
    dataset = answered[name]
    known = any(sample.rgb for sample in dataset.samples)
    choices = [AS_IN_FILE, *Ability] if known else list(Ability)
    ability = st.segmented_control(
        "Ability",
        choices,
        format_func=lambda choice: choice.label if isinstance(choice, Ability) else choice,
        default=choices[0],
        required=True,
        help=f"“{AS_IN_FILE}” goes by noise rate, number of answers and planted answer of each row.",
        key=f"rgb_ability_{name}",
    )
    params = forms.parameter_widgets(RGBEvaluator, "rgb_score")
    if st.button("Start", type="primary", icon=":material/play_arrow:", key="rgb_score_start"):
        if isinstance(ability, Ability):
            samples = tuple(with_ability(sample, ability) for sample in dataset.samples)
            dataset = dataset.model_copy(update={"samples": samples})
        _start(dataset, params, None, None)


def _start(dataset: Dataset, params: dict, generator: GeneratorSpec | None, seed: int | None) -> None:
    try:
        run = _created(dataset, params, generator, seed)
    except PlumblineError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    session.start(run)


def _created(dataset: Dataset, params: dict, generator: GeneratorSpec | None, seed: int | None) -> Run:
    return create_run(
        session.store(),
        dataset,
        RGBEvaluator.build(**params).spec(),
        workspace=session.workspace(),
        title=dataset.name,
        generator=generator,
        seed=seed,
    )
