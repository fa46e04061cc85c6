"""The form of a new RGB run: what is asked or checked, which models, and how many questions."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.datasets import official
from evaluators.datasets.rgb import (
    BY_ROW,
    NOISE_LEVELS,
    TestBed,
    all_with_ability,
    compose,
)
from evaluators.datasets.sampling import sampled
from evaluators.llm.catalogue import Choice
from evaluators.prompts import load
from evaluators.records import Ability, Dataset, Run, prompt_hash
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_options import SETTINGS
from evaluators.text.language import mark, say
from evaluators.text.normalise import is_chinese
from evaluators.text.scale import RATE
from evaluators.text.stored_texts import translated
from evaluators.text.words import counted
from ui import session
from ui.models import again
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models.forecast import RememberedMeasures
from ui.models.generators import prompt_problem
from ui.parts import data_choice, forms, how_many, problems, rows_needed, starting
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain

START = "rgb_start"
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


class RGBDraft(NamedTuple):
    """What is chosen so far: what is asked, of how many models, and who judges beside the rules."""

    questions: RunPlan
    """The plan without models."""
    plan: RunPlan | None
    composition: Composition
    models: int
    chosen: list[Choice]
    """All models and judges that are asked."""
    prompt_mistake: str


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    again.fill("rgb", _fields)
    beds = session.named(TestBed)
    names = [*beds, *session.answered()]
    name = data_choice.choose_or_upload(
        say("Data set"), names, data_choice.FIELDS["rgb"], say("Upload a data set")
    )
    if name in beds:
        _form_to_ask_models(name)
    elif name is not None:
        _form_to_score_answers(name)


def _fields(run: Run, judges: list[str] | None) -> dict[str, Any]:
    """The values of the fields of number, abilities and judge for the settings of a run."""
    count, name = run.origin.get("sample"), run.dataset_name
    if not run.models:
        return how_many.fields(count, "rgb_score_count")
    fields = how_many.fields(count, f"rgb_count_{name}")
    levels = SETTINGS["noise"].value(run)
    if not SETTINGS["noise"].fits(levels) or not set(levels) <= set(LEVELS):
        levels = NOISE_LEVELS
    fields["rgb_noise"] = levels
    abilities = SETTINGS["ability"].value(run)
    if abilities and SETTINGS["ability"].fits(abilities):
        fields[f"rgb_abilities_{name}"] = [each for each in Ability if each in abilities]
    if judges is not None:
        fields["rgb_judge"] = next(iter(judges), None)
    return fields


def hint() -> str:
    """What can be done without a key."""
    return say("No run on this page yet. The offline reader, and checking answers, need no key.")


def _form_to_ask_models(name: str) -> None:
    bed = session.test_bed(name)
    abilities = _abilities_of(bed, name)
    by_id = model_form.choices()
    models = model_form.models(by_id, "rgb_models")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    rows_of_abilities = Counter(ability for row in bed.rows for ability in row.abilities)
    with left:
        # The count is of each ability: no more than the largest has is of use.
        most = max(rows_of_abilities.values(), default=1)
        label = say("How many questions for each ability")
        count = how_many.choose(most, f"rgb_count_{name}", label=label)
    rows_needed.show(bed.name, "rgb")
    end = st.container()
    with st.expander(say("Advanced"), icon=":material/tune:", key="rgb_advanced") as advanced:
        composition = _composition_fields(abilities, count)
        params = forms.parameter_widgets(RGBEvaluator, "rgb")
        judge = model_form.judge_beside_rules(by_id, models, say(JUDGE), "rgb_judge")
        judges = [judge] if judge else []
        options = model_form.answer_options(models, judges, "rgb", labels=False)
        further_options = forms.option_widgets("rgb")
        model_form.show_retired()
        prompt, prompt_mistake = _prompt_with_wordings(bed)
    chosen = [*models, *judges]
    with right:
        cap = model_form.budget(chosen, "rgb")
    # Composed at the start of the run only: a form is drawn again at every click.
    questions = RunPlan(
        partial(_composed_samples, bed, composition, prompt),
        [RGBEvaluator(**params)],
        prompt=prompt,
        seed=composition.seed,
        title=bed.name,
        options=further_options,
    )
    plan = model_form.with_llms(questions, models, judges, options, cap)
    drafted = RGBDraft(questions, plan, composition, len(models), chosen, prompt_mistake)
    with end:
        _end_of_rgb_form(name, drafted, advanced)


def _end_of_rgb_form(name: str, drafted: RGBDraft, advanced: DeltaGenerator) -> None:
    """What it takes, and the button that says what it starts."""
    plan = drafted.plan
    composition = drafted.composition
    measures = RememberedMeasures((session.identity(name), composition))
    count = 0
    if drafted.prompt_mistake:
        st.error(plain(drafted.prompt_mistake), icon=":material/error:")
    else:
        # Without a plan too, for example by a budget that will not do.
        # Each repeat of a question is a prompt of its own.
        asking = plan or drafted.questions
        count = len(measures.answers(asking).tokens) // asking.repeats
    price = ""
    if plan and drafted.models and count:
        plan, price = model_forecast.show(plan, measures, advanced, "rgb")
        again.show_changes("rgb", plan, name, composition._asdict())
    pressed = data_choice.start_button(
        _label_of_asking(count, drafted.models) + model_form.times(plan),
        START,
        name,
        is_ready=bool(plan) and model_form.can_be_asked(*drafted.chosen),
        price=price,
        missing=_missing_to_ask(drafted, count),
    )
    if pressed and plan:
        starting.start(plan, START)


def _missing_to_ask(drafted: RGBDraft, count: int) -> str:
    """What to do before a run can start; empty where nothing is missing."""
    if drafted.prompt_mistake:
        return say("Correct the prompt")
    if not drafted.composition.abilities:
        return say("Choose an ability")
    # Every ability asks at least one question, but noise needs a level.
    if not count:
        return say("Choose a noise level")
    if not drafted.models:
        return say("Choose a model")
    return ""


def _label_of_asking(count: int, models: int) -> str:
    """ "Ask 216 questions of each of 2 models"."""
    questions = counted(count, "question")
    if models > 1:
        return say("Ask {questions} of each of {models} models", questions=questions, models=models)
    return say("Ask {questions}", questions=questions)


def _abilities_of(bed: TestBed, name: str) -> tuple[Ability, ...]:
    """The abilities to test; each bed keeps its choice, as beds differ in them."""
    key = f"rgb_abilities_{name}"
    if not set(st.session_state.get(key) or ()) <= set(bed.abilities):
        # A run of a bed with the same name may have tested others.
        st.session_state.pop(key)
    abilities = st.pills(
        say("Abilities"),
        bed.abilities,
        selection_mode="multi",
        default=bed.abilities,
        format_func=lambda ability: say(ability.label),
        key=key,
        **KEPT,
    )
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
    says_abilities = any(sample.rgb for sample in whole.samples)
    choices = [AS_IN_FILE, *Ability] if says_abilities else list(Ability)
    read_as = whole.origin.get("read_as")
    if read_as:
        choices.append(ROW_BY_ROW)
    ability = st.segmented_control(
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
        st.caption(plain(translated(read_as)))
    count = how_many.choose(len(whole.samples), "rgb_score_count")
    rows_needed.show(whole.name, "rgb_score")
    end = st.container()
    with st.expander(say("Advanced"), icon=":material/tune:", key="rgb_advanced"):
        params = forms.parameter_widgets(RGBEvaluator, "rgb_score")
        seed = how_many.seed("rgb_score_seed", say("Which answers are taken at random."))
        further_options = forms.option_widgets("rgb_score")
    dataset = sampled(whole, count, seed)
    if isinstance(ability, Ability):
        dataset = all_with_ability(dataset, ability)
    elif ability == ROW_BY_ROW:
        dataset = all_with_ability(dataset, BY_ROW)
    label = say("Check {answers}", answers=counted(len(dataset.samples), "answer"))
    plan = RunPlan(
        dataset,
        [RGBEvaluator(**params)],
        seed=dataset.origin.get("seed"),
        options=further_options,
    )
    with end:
        if data_choice.start_button(label, START, name, is_ready=True):
            starting.start(plan, START)
