"""The form of a new RGB run: a test bed and the models to ask, or answers that already exist."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import NamedTuple

import streamlit as st

from evaluators.datasets import official
from evaluators.datasets.rgb import NOISE_LEVELS, PASSAGES, TestBed, all_with_ability, compose
from evaluators.prompts import load
from evaluators.records import Ability, Dataset, prompt_hash
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs.plan import RunPlan
from evaluators.text.normalise import is_chinese
from ui import session
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models.forecast import RememberedMeasures
from ui.models.generators import prompt_problem
from ui.parts import data_choice, forms, problems, starting
from ui.parts.forms import KEPT

WAY = "rgb_way"
ASK, SCORE = "Ask a model", "Score existing answers"
AS_IN_FILE = "As in the file"
PUBLISHED = "the benchmark's published wording"
LEVELS = [round(step / 10, 1) for step in range(10)]
JUDGE = (
    "Decides rejection and error detection as well, beside the phrases (Rej* and ED* of the paper)."
)


class Composition(NamedTuple):
    """What to ask of a test bed; the arguments of `compose`."""

    abilities: tuple[Ability, ...]
    noise_levels: tuple[float, ...]
    passages: int
    sample: int
    seed: int


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    way = st.segmented_control(
        "What to do",
        [ASK, SCORE],
        default=ASK,
        required=True,
        key=WAY,
        label_visibility="collapsed",
        **KEPT,
    )
    if way == ASK:
        _form_to_ask_models()
    else:
        _form_to_score_answers()


def hint() -> str:
    """What can be done without a key, in the way that is chosen."""
    if st.session_state.get(WAY) == SCORE:
        return "No run on this page yet. Choose answers and press Start: scoring them needs no key."
    return "No run on this page yet. Press Start: the offline reader needs no key."


def _form_to_ask_models() -> None:
    name = data_choice.choose_or_upload(
        "Test bed", session.named(TestBed), "rgb_bed", "Upload a test bed"
    )
    if name is None:
        return
    by_id = model_form.choices()
    models = model_form.models(by_id, "rgb_models")
    bed = session.test_bed(name)
    composition = _composition_fields(bed, name)
    params = forms.parameter_widgets(RGBEvaluator, "rgb")
    prompt, problem = _prompt_with_wordings(bed)
    with st.expander("Judge and answer options", icon=":material/balance:", key="rgb_options"):
        judge = model_form.judge_beside_rules(by_id, models, JUDGE, "rgb_judge")
        judges = [judge] if judge else []
        options = model_form.answer_options([*models, *judges], "rgb")
    # Composed at the start of the run only: a form is drawn again at every click.
    drafted = RunPlan(
        partial(_composed_samples, bed, composition, prompt),
        [RGBEvaluator(**params)],
        prompt=prompt,
        seed=composition.seed,
        title=bed.name,
    )
    plan = model_form.with_llms(drafted, models, judges, options, "rgb")
    measures = RememberedMeasures((session.identity(name), composition))
    is_ready = (
        bool(models) and plan is not None and not problem and _is_anything_asked(plan, measures)
    )
    if data_choice.start_button("Start", "rgb_start", name, is_ready=is_ready) and plan:
        starting.start(plan, "rgb_start")


def _is_anything_asked(plan: RunPlan, measures: RememberedMeasures) -> bool:
    """Says what will be asked and what it takes, where there is anything to ask."""
    count = len(measures.answers(plan).tokens)
    if not count:
        st.caption("Choose at least one ability and one noise level.")
        return False
    whom = f" of each of {len(plan.models)} models" if len(plan.models) > 1 else ""
    st.caption(f"{count:,} prompts will be asked{whom}.")
    model_forecast.show(plan, measures)
    return True


def _composed_samples(bed: TestBed, composition: Composition, prompt: str) -> Dataset:
    samples = compose(bed, **composition._asdict())
    if _is_published(prompt):
        samples = samples.model_copy(update={"origin": {**samples.origin, "prompt": PUBLISHED}})
    return samples


def _composition_fields(bed: TestBed, name: str) -> Composition:
    """What to ask of the bed; each bed keeps its choices, as beds differ in their abilities."""
    abilities = st.pills(
        "Abilities",
        bed.abilities,
        selection_mode="multi",
        default=bed.abilities,
        format_func=lambda ability: ability.label,
        key=f"rgb_abilities_{name}",
        **KEPT,
    )
    levels, passages, limit, seed = st.columns([4, 1, 1, 1])
    rows_of_abilities = Counter(ability for row in bed.rows for ability in row.abilities)
    most = max(rows_of_abilities.values(), default=1)
    chosen = levels.multiselect(
        "Noise levels",
        LEVELS,
        default=NOISE_LEVELS,
        format_func=lambda noise: f"{100 * noise:.0f} %",
        help="Share of documents beside the point; for noise robustness and integration.",
        key="rgb_noise",
        **KEPT,
    )
    return Composition(
        abilities=tuple(ability for ability in Ability if ability in abilities),
        noise_levels=tuple(sorted(chosen)),
        passages=passages.number_input(
            "Passages",
            1,
            50,
            PASSAGES,
            help="Documents per prompt",
            key="rgb_passages",
            **KEPT,
        ),
        sample=limit.number_input(
            "Samples",
            1,
            most,
            most,
            help="Rows of the bed for each ability",
            key=f"rgb_limit_{name}",
            **KEPT,
        ),
        seed=seed.number_input(
            "Seed",
            0,
            2**31,
            0,
            help="Same seed, same documents, same order",
            key="rgb_seed",
            **KEPT,
        ),
    )


def _prompt_with_wordings(bed: TestBed) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    language = "zh" if bed.rows and is_chinese(bed.rows[0].query) else "en"
    key = f"rgb_prompt_{language}"
    own = load(f"rgb_{language}")
    with st.expander("Prompt", icon=":material/edit_note:", key="rgb_prompt"):
        _wording_buttons(language, key, st.session_state.get(key, own))
        prompt = st.text_area(
            "Prompt template",
            own,
            height=380,
            key=key,
            label_visibility="collapsed",
            **KEPT,
        )
        st.caption(
            f"Wording moves RGB results by tens of points, so the run keeps the prompt's hash "
            f"({prompt_hash(prompt)}) and only runs with equal prompts compare. "
            "\\$question and \\$documents are filled in. The offline reader reads only "
            "what these two hold."
        )
    return prompt, prompt_problem(prompt)


def _wording_buttons(language: str, key: str, prompt: str) -> None:
    """Whose wording is in use, and buttons for the benchmark's (fetched) and for Plumbline's."""
    with st.container(horizontal=True, vertical_alignment="center"):
        fetch = problems.guarded(_take_published, "rgb_prompt")
        st.button(
            "Benchmark's wording",
            icon=":material/download:",
            key="rgb_published",
            on_click=fetch,
            args=(language, key),
        )
        st.button(
            "Plumbline's wording",
            icon=":material/undo:",
            key="rgb_own",
            on_click=_take_own,
            args=(language, key),
        )
        st.caption(f"In use: {_wording_in_use(prompt, language)}.")
    problems.show("rgb_prompt")


def _wording_in_use(prompt: str, language: str) -> str:
    if _is_published(prompt):
        return f"{PUBLISHED} (config/instruction.yaml)"
    return "Plumbline's wording" if prompt == load(f"rgb_{language}") else "a wording of your own"


def _take_published(language: str, key: str) -> None:
    """Fetches the published wording once in a session; raises `DatasetError` where it fails."""
    fetched = st.session_state.setdefault("rgb_published_wording", {})
    if language not in fetched:
        fetched[language] = official.prompt(language)
    st.session_state[key] = fetched[language]


def _take_own(language: str, key: str) -> None:
    st.session_state[key] = load(f"rgb_{language}")


def _is_published(prompt: str) -> bool:
    return prompt in st.session_state.get("rgb_published_wording", {}).values()


def _form_to_score_answers() -> None:
    name = data_choice.choose_or_upload(
        "Answers", session.answered(), "rgb_answers", "Upload answers (RGB prediction file)"
    )
    if name is None:
        return
    dataset = session.dataset(name)
    says_abilities = any(sample.rgb for sample in dataset.samples)
    choices = [AS_IN_FILE, *Ability] if says_abilities else list(Ability)
    ability = st.segmented_control(
        "Ability",
        choices,
        format_func=lambda choice: choice.label if isinstance(choice, Ability) else choice,
        default=choices[0],
        required=True,
        help=(
            f"“{AS_IN_FILE}” goes by noise rate, number of answers and planted answer of each row."
        ),
        key=f"rgb_ability_{name}",
        **KEPT,
    )
    params = forms.parameter_widgets(RGBEvaluator, "rgb_score")
    if data_choice.start_button("Start", "rgb_score_start", name, is_ready=True):
        if isinstance(ability, Ability):
            dataset = all_with_ability(dataset, ability)
        starting.start(RunPlan(dataset, [RGBEvaluator(**params)]), "rgb_score_start")
