"""The form of a new RGB run: a test bed and the models to ask, or answers that already exist."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from evaluators.datasets import official
from evaluators.datasets.rgb import NOISE_LEVELS, PASSAGES, TestBed, all_with_ability, compose
from evaluators.llm import prompt_sizes
from evaluators.prompts import fenced, fill, load
from evaluators.records import Ability, Dataset, ModelSpec, prompt_hash
from evaluators.rgb_evaluator import JUDGED, RGBEvaluator
from evaluators.runs.engine import create_run
from evaluators.text.normalise import is_chinese
from ui import session
from ui.models import form as model_form
from ui.models.generators import prompt_problem
from ui.parts import data_choice, forms, problems

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
    limit: int
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
    )
    if way == ASK:
        _ask()
    else:
        _score()


def hint() -> str:
    """What can be done without a key, in the way that is chosen."""
    if st.session_state.get(WAY) == SCORE:
        return "No run on this page yet. Choose answers and press Start: scoring them needs no key."
    return "No run on this page yet. Press Start: the offline reader needs no key."


def _ask() -> None:
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    right.page_link(
        "../pages/datasets.py", label="Upload a test bed", icon=":material/upload_file:"
    )
    name = data_choice.choose(left, "Test bed", session.named(TestBed), "rgb_bed")
    if name is None:
        return
    found = model_form.choices()
    chosen = model_form.models(found, "rgb_models")
    bed = session.test_bed(name)
    asked = _composition(bed, name)
    params = forms.parameter_widgets(RGBEvaluator, "rgb")
    prompt, problem = _prompt(bed)
    plan = model_form.plan(found, chosen, JUDGE, "rgb")
    ready = plan is not None and not problem and _estimate(bed, asked, prompt, plan)
    if data_choice.start_button("rgb_start", name, is_ready=ready) and plan:
        samples = compose(bed, **asked._asdict())
        if _is_published(prompt):
            samples = samples.model_copy(update={"origin": {**samples.origin, "prompt": PUBLISHED}})
        _start(samples, params, prompt=prompt, seed=asked.seed, **plan._asdict())


def _estimate(bed: TestBed, asked: Composition, prompt: str, plan: model_form.Plan) -> bool:
    """Says what will be asked and what it takes; tells whether there is anything to ask."""
    sent = _sent(session.identity(bed.name), asked, prompt, plan.models)
    count = len(sent.prompt_tokens)
    if not count:
        st.caption("Choose at least one ability and one noise level.")
        return False
    each = f" of each of {len(plan.models)} models" if len(plan.models) > 1 else ""
    st.caption(f"{count:,} prompts will be asked{each}.")
    model_form.show_estimate(plan, sent)
    return True


@lru_cache(maxsize=8)
def _sent(
    data: session.Identity, asked: Composition, prompt: str, models: Sequence[ModelSpec]
) -> prompt_sizes.Sent:
    """What the run would send; remembered, as the form is drawn again at every click."""
    samples = compose(session.test_bed(data.name), **asked._asdict()).samples
    texts = (fill(prompt, sample.question, sample.retrieved_documents).text for sample in samples)
    judged = (
        _judge_prompt(sample.question, sample.rgb.ability)
        for sample in samples
        if sample.rgb and sample.rgb.ability in JUDGED
    )
    return prompt_sizes.sent(texts, models, judged)


def _judge_prompt(question: str, ability: Ability) -> str:
    """What the judge is sent, without the answer: that one does not exist yet."""
    return fenced(load(f"judge_{JUDGED[ability]}_en"), question=question, answer="")


def _composition(bed: TestBed, name: str) -> Composition:
    """What to ask of the bed; the choices are kept for each bed,
    as beds differ in their abilities.
    """
    abilities = st.pills(
        "Abilities",
        bed.abilities,
        selection_mode="multi",
        default=bed.abilities,
        format_func=lambda ability: ability.label,
        key=f"rgb_abilities_{name}",
    )
    levels, passages, limit, seed = st.columns([4, 1, 1, 1])
    most = max(
        (sum(ability in row.abilities for row in bed.rows) for ability in bed.abilities), default=1
    )
    chosen = levels.multiselect(
        "Noise levels",
        LEVELS,
        default=NOISE_LEVELS,
        format_func=lambda noise: f"{100 * noise:.0f} %",
        help="Share of documents beside the point; for noise robustness and integration.",
        key="rgb_noise",
    )
    return Composition(
        abilities=tuple(ability for ability in Ability if ability in abilities),
        noise_levels=tuple(sorted(chosen)),
        passages=passages.number_input(
            "Passages", 1, 50, PASSAGES, help="Documents per prompt", key="rgb_passages"
        ),
        limit=limit.number_input(
            "Samples",
            1,
            most,
            most,
            help="Rows of the bed for each ability",
            key=f"rgb_limit_{name}",
        ),
        seed=seed.number_input(
            "Seed", 0, 2**31, 0, help="Same seed, same documents, same order", key="rgb_seed"
        ),
    )


def _prompt(bed: TestBed) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    language = "zh" if bed.rows and is_chinese(bed.rows[0].query) else "en"
    key = f"rgb_prompt_{language}"
    own = load(f"rgb_{language}")
    with st.expander("Prompt", icon=":material/edit_note:", key="rgb_prompt"):
        _wordings(language, key, st.session_state.get(key, own))
        prompt = st.text_area(
            "Prompt template", own, height=380, key=key, label_visibility="collapsed"
        )
        st.caption(
            f"Wording moves RGB results by tens of points, so the run keeps the prompt's hash "
            f"({prompt_hash(prompt)}) and only runs with equal prompts compare. "
            "\\$question and \\$documents are filled in. The offline reader reads only "
            "what these two hold."
        )
    return prompt, prompt_problem(prompt)


def _wordings(language: str, key: str, prompt: str) -> None:
    """Whose wording is in use, and buttons for the benchmark's own, which is fetched, and
    Plumbline's.
    """
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
        st.caption(f"In use: {_wording(prompt, language)}.")
    problems.show("rgb_prompt")


def _wording(prompt: str, language: str) -> str:
    if _is_published(prompt):
        return f"{PUBLISHED} (config/instruction.yaml)"
    return "Plumbline's wording" if prompt == load(f"rgb_{language}") else "a wording of your own"


def _take_published(language: str, key: str) -> None:
    """Fetches the published wording once in a session; raises `DatasetError` where it cannot be
    had.
    """
    known = st.session_state.setdefault("rgb_published_wording", {})
    if language not in known:
        known[language] = official.prompt(language)
    st.session_state[key] = known[language]


def _take_own(language: str, key: str) -> None:
    st.session_state[key] = load(f"rgb_{language}")


def _is_published(prompt: str) -> bool:
    return prompt in st.session_state.get("rgb_published_wording", {}).values()


def _score() -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    right.page_link(
        "../pages/datasets.py",
        label="Upload answers (RGB prediction file)",
        icon=":material/upload_file:",
    )
    name = data_choice.choose(left, "Answers", session.answered(), "rgb_answers")
    if name is None:
        return
    dataset = session.dataset(name)
    known = any(sample.rgb for sample in dataset.samples)
    choices = [AS_IN_FILE, *Ability] if known else list(Ability)
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
    )
    params = forms.parameter_widgets(RGBEvaluator, "rgb_score")
    if data_choice.start_button("rgb_score_start", name, is_ready=True):
        if isinstance(ability, Ability):
            dataset = all_with_ability(dataset, ability)
        _start(dataset, params)


def _start(dataset: Dataset, params: dict[str, Any], **chosen: Any) -> None:
    """Creates the run with what was chosen for it, and goes to its page."""
    with problems.caught():
        spec = RGBEvaluator.build(**params).spec()
        run = create_run(
            session.store(),
            dataset,
            spec,
            workspace=session.workspace(),
            title=dataset.name,
            **chosen,
        )
        session.start(run)
