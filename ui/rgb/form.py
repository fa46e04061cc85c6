"""The form of a new RGB run: what is asked or checked, which models, and how many questions."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from evaluators.datasets import official
from evaluators.datasets.rgb import (
    BY_ROW,
    NOISE_LEVELS,
    TestBed,
    all_with_ability,
    compose,
)
from evaluators.llm.catalogue import Choice
from evaluators.messages import from_stored
from evaluators.prompts import load
from evaluators.records import Ability, Dataset, Run, prompt_hash
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs.plan import HANDED_OVER, RunPlan
from evaluators.runs.run_options import SETTINGS
from evaluators.text.language import mark, say, translated
from evaluators.text.normalise import is_chinese
from evaluators.text.scale import RATE
from evaluators.text.words import counted
from ui import session
from ui.models import form as model_form
from ui.models import run_form
from ui.models.generators import prompt_problem
from ui.models.run_form import RunForm
from ui.parts import forms, how_many, problems
from ui.parts.forms import KEPT, LONG_TEXT
from ui.parts.untrusted import plain

AS_IN_FILE = mark("As in the file")
ROW_BY_ROW = mark("Row by row")
PUBLISHED = mark("the benchmark's published wording")
# Up to 90 %: with noise alone no document holds the answer, which is the test of rejection.
LEVELS = [round(step / 10, 1) for step in range(10)]
JUDGE = mark(
    "Decides whether answers decline or notice a planted error as well, beside "
    "the phrases (Rej* and ED* of the paper)."
)


class Composition(NamedTuple):
    """What to ask of a test bed; the arguments of `compose`."""

    abilities: tuple[Ability, ...]
    noise_levels: tuple[float, ...]
    passages: int
    seed: int
    sample: int | None
    fill_up: bool


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    beds = session.named(TestBed)
    name = run_form.chosen_data("rgb", [*beds, *session.answered()], _fields)
    if name in beds:
        _form_to_ask_models(name)
    elif name is not None:
        _form_to_score_answers(name)


def _fields(run: Run, judges: list[str] | None) -> dict[str, Any]:
    """The values of the fields of abilities, noise and judge for the settings of a run."""
    if not run.models:
        return {}
    fields: dict[str, Any] = {}
    levels = SETTINGS["noise"].value(run)
    if not SETTINGS["noise"].fits(levels) or not set(levels) <= set(LEVELS):
        levels = NOISE_LEVELS
    fields["rgb_noise"] = levels
    abilities = SETTINGS["ability"].value(run)
    if abilities and SETTINGS["ability"].fits(abilities):
        alone = any(spec.retrieves_itself for spec in run.models)
        key = _abilities_key(run.dataset_name, alone)
        fields[key] = [each for each in Ability if each in abilities]
    if judges is not None:
        fields["rgb_judge"] = next(iter(judges), None)
    return fields


def hint() -> str:
    """What can be done without a key."""
    return say("No run on this page yet. The offline reader, and checking answers, need no key.")


def _form_to_ask_models(name: str) -> None:
    bed = session.test_bed(name)
    form = RunForm("rgb", name)
    with form.who:
        # Drawn first, and asked second: what can be tested depends on the models.
        place = st.container()
        models = model_form.models(model_form.choices(), "rgb_models")
        with place:
            abilities = _abilities_of(bed, name, models)
    rows_of_abilities = Counter(ability for row in bed.rows for ability in row.abilities)
    # The count is of each ability: no more than the largest has is of use.
    most = max(rows_of_abilities.values(), default=1)
    count = form.count(most, say("How many questions for each ability"))
    with form.advanced:
        composition = _composition_fields(abilities, count)
        params = forms.parameter_widgets(RGBEvaluator, "rgb")
        judge = model_form.judge_beside_rules(model_form.choices(), models, say(JUDGE), "rgb_judge")
    form.ask(models, [judge] if judge else [], labels=False)
    form.remember(composition)
    with form.advanced:
        prompt, prompt_mistake = _prompt_with_wordings(bed)
    if models and all(choice.model.is_system for choice in models):
        # They are sent the question, and have a prompt of their own.
        prompt, prompt_mistake = "", ""
    # Composed at the start of the run only: a form is drawn again at every click.
    questions = RunPlan(
        partial(_composed_samples, bed, composition, prompt),
        [RGBEvaluator(**params)],
        prompt=prompt,
        seed=composition.seed,
        title=bed.name,
    )
    with form.end:
        _end_of_rgb_form(form, questions, composition, len(models), prompt_mistake)


def _end_of_rgb_form(
    form: RunForm, questions: RunPlan, composition: Composition, models: int, prompt_mistake: str
) -> None:
    """What it takes, and the button that says what it starts."""
    plan = form.planned(questions)
    missing = ""
    number = 0
    if prompt_mistake:
        st.error(plain(prompt_mistake), icon=":material/error:")
        missing = say("Correct the prompt")
    else:
        # Without a plan too, for example by a budget that will not do.
        # Each repeat of a question is a prompt of its own.
        asking = plan or questions
        number = len(form.measures.answers(asking).tokens) // asking.repeats
        if not composition.abilities:
            missing = say("Choose an ability")
        # Every ability asks at least one question, but noise needs a level.
        elif not number:
            missing = say("Choose a noise level")
        elif not models:
            missing = say("Choose a model")
    questions_in_words = counted(number, "question")
    what = say("Ask {questions}", questions=questions_in_words)
    if models > 1:
        words = mark("Ask {questions} of each of {models} models")
        what = say(words, questions=questions_in_words, models=models)
    form.finish(plan, what, missing=missing, origin=composition._asdict())


def _abilities_key(name: str, looks_for_documents: bool) -> str:
    return f"rgb_abilities_{name}" + ("_without_documents" if looks_for_documents else "")


def _abilities_of(bed: TestBed, name: str, models: list[Choice]) -> tuple[Ability, ...]:
    """The abilities to test; each bed keeps its choice, as beds differ in them.

    Those that go by documents handed over are off at first where a system looks for its own.
    """
    chosen = {choice.model.id for choice in models}
    own = [
        access.spec.model
        for access in session.systems()
        if access.provider in chosen and access.spec.retrieves_itself
    ]
    usual = [ability for ability in bed.abilities if not (own and ability in HANDED_OVER)]
    key = _abilities_key(name, bool(own))
    if not set(st.session_state.get(key) or ()) <= set(bed.abilities):
        # A run of a bed with the same name may have tested others.
        st.session_state.pop(key)
    abilities = st.pills(
        say("Abilities"),
        bed.abilities,
        selection_mode="multi",
        default=usual,
        format_func=lambda ability: say(ability.label),
        key=key,
        **KEPT,
    )
    if len(usual) < len(bed.abilities):
        words = mark(
            "{model} looks for its own documents. Rejection and planted errors are tested by the "
            "documents that a model is given, so they are switched off."
        )
        st.caption(plain(say(words, model=own[0])))
    return tuple(ability for ability in Ability if ability in abilities)


def _composed_samples(bed: TestBed, composition: Composition, prompt: str) -> Dataset:
    samples = compose(bed, **composition._asdict())
    if _is_published(prompt):
        samples = samples.model_copy(update={"origin": {**samples.origin, "prompt": PUBLISHED}})
    return samples


def _composition_fields(abilities: tuple[Ability, ...], count: int | None) -> Composition:
    """How prompts are composed from the bed."""
    levels, passages, seed = st.columns([4, 1, 1])
    chosen = levels.multiselect(
        say("Noise levels"),
        LEVELS,
        default=NOISE_LEVELS,
        format_func=RATE.shown,
        help=say("Share of documents beside the point; for noise robustness and integration."),
        key="rgb_noise",
        **KEPT,
    )
    words = say("Documents in a prompt")
    number = forms.setting_number(
        "passages", say("Documents"), "rgb_passages", place=passages, words=words
    )
    with seed:
        purpose = say("Another seed takes other questions and documents; 0 the first documents.")
        drawn_by = how_many.seed("rgb_seed", purpose)
    fill_up = st.toggle(
        say("Fill up planted errors"),
        help=say(
            "With documents beside the point, where fewer are forged than a prompt takes; the "
            "benchmark does not."
        ),
        key="rgb_fill_up",
        disabled=Ability.COUNTERFACTUAL not in abilities,
        **KEPT,
    )
    return Composition(abilities, tuple(sorted(chosen)), number, drawn_by, count, fill_up)


def _prompt_with_wordings(bed: TestBed) -> tuple[str, str]:
    """The template to use, and what is wrong with it, if anything."""
    # A bed is in one language, so its first question tells.
    language = "zh" if bed.rows and is_chinese(bed.rows[0].query) else "en"
    key = f"rgb_prompt_{language}"
    own = load(f"rgb_{language}")
    with st.expander(say("Prompt"), icon=":material/edit_note:", key="rgb_prompt"):
        _wording_buttons(language, key, st.session_state.get(key, own))
        prompt = st.text_area(
            say("Prompt template"),
            own,
            height=380,
            max_chars=LONG_TEXT,
            key=key,
            label_visibility="collapsed",
            **KEPT,
        )
        st.caption(
            say(
                "Wording moves RGB results by tens of points, so the run keeps the "
                "prompt's hash ({hash}) and only runs with equal prompts compare. "
                "\\$question and \\$documents are filled in. The offline reader reads only "
                "what these two hold.",
                hash=prompt_hash(prompt),
            )
        )
    return prompt, prompt_problem(prompt)


def _wording_buttons(language: str, key: str, prompt: str) -> None:
    """Whose wording is in use, and buttons for the benchmark's (fetched) and for Plumbline's."""
    with st.container(horizontal=True, vertical_alignment="center"):
        fetch = problems.guarded(_take_published, "rgb_prompt")
        st.button(
            say("Benchmark's wording"),
            icon=":material/download:",
            key="rgb_published",
            on_click=fetch,
            args=(language, key),
        )
        st.button(
            say("Plumbline's wording"),
            icon=":material/undo:",
            key="rgb_own",
            on_click=_take_own,
            args=(language, key),
        )
        st.caption(say("In use: {wording}.", wording=_wording_in_use(prompt, language)))
    problems.show("rgb_prompt")


def _wording_in_use(prompt: str, language: str) -> str:
    if _is_published(prompt):
        return say("{wording} (config/instruction.yaml)", wording=say(PUBLISHED))
    if prompt == load(f"rgb_{language}"):
        return say("Plumbline's wording")
    return say("a wording of your own")


def _take_published(language: str, key: str) -> None:
    """Fetches the published wording once in a session; raises `DatasetError` where it fails."""
    # It is fetched from the benchmark's repository when it is asked for, and not shipped.
    fetched = st.session_state.setdefault("rgb_published_wording", {})
    if language not in fetched:
        fetched[language] = official.prompt(language)
    st.session_state[key] = fetched[language]


def _take_own(language: str, key: str) -> None:
    st.session_state[key] = load(f"rgb_{language}")


def _is_published(prompt: str) -> bool:
    return prompt in st.session_state.get("rgb_published_wording", {}).values()


def _form_to_score_answers(name: str) -> None:
    whole = session.dataset(name)
    form = RunForm("rgb", name, "rgb_score")
    says_abilities = any(sample.rgb for sample in whole.samples)
    choices = [AS_IN_FILE, *Ability] if says_abilities else list(Ability)
    read_as = whole.origin.get("read_as")
    if read_as:
        choices.append(ROW_BY_ROW)
    ability = form.who.segmented_control(
        say("Ability"),
        choices,
        format_func=lambda choice: say(choice.label if isinstance(choice, Ability) else choice),
        default=choices[0],
        required=True,
        help=say(
            "“{choice}” is what most of its rows test, or what each says of itself. “{mixed}” goes "
            "by each row's noise, true answers and planted error.",
            choice=say(AS_IN_FILE),
            mixed=say(ROW_BY_ROW),
        ),
        key=f"rgb_ability_{name}",
        **KEPT,
    )
    if read_as and ability == AS_IN_FILE:
        form.who.caption(plain(translated(from_stored(read_as))))
    dataset = form.samples(whole, say("Which answers are taken at random."))
    with form.advanced:
        params = forms.parameter_widgets(RGBEvaluator, "rgb_score", ["decides"])
    form.ask()
    if isinstance(ability, Ability):
        dataset = all_with_ability(dataset, ability)
    elif ability == ROW_BY_ROW:
        dataset = all_with_ability(dataset, BY_ROW)
    plan = form.planned(RunPlan(dataset, [RGBEvaluator(**params)], seed=dataset.origin.get("seed")))
    with form.end:
        form.finish(plan, say("Check {answers}", answers=counted(len(dataset.samples), "answer")))
