"""Run again: the form has the settings of a run, and says what is changed against it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evaluators import evaluate
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.datasets.sampling import sampled
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import OFFLINE, Model, find
from evaluators.records import Ability, Cap, Dataset, EvaluatorSpec, Run
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs import assignment, inputs
from evaluators.runs.again import plan_again
from evaluators.runs.engine import create_run
from evaluators.runs.examples import INVENTED, NOISE
from evaluators.runs.forecast import Measures, doubt_of
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.pages.conftest import checked, finish
from tests.pages.screen import button, press, runs, said, segments, settled
from ui import session
from ui.trace.form import JURY


def known(name: str) -> Model:
    model = find(name)
    assert model is not None
    return model


LUNA = known("openai/gpt-6-luna").spec(answer_tokens=3000)
SOL = known("openai/gpt-6-sol").spec(answer_tokens=3000)


def samples() -> Dataset:
    data = bundled()[TRACE_SAMPLES]
    assert isinstance(data, Dataset)
    return data


WAYS: dict[str, Callable[[Run], str]] = {
    "again": lambda run: run.id,
    "assignment": assignment.token_of,
}
"""What stands in an address that fills in a form with a run's settings."""


def made(plan: RunPlan) -> Run:
    return create_run(session.store(), plan, workspace="local")


def in_the_choice(at: AppTest) -> AppTest:
    """The page with what *Run again …* offers for the newest run."""
    at.session_state[f"again_{runs()[0].id}"] = True
    return checked(at.run())


def chosen(at: AppTest, label: str) -> AppTest:
    """The page after a click on a button of the choice."""
    # `AppTest` does not keep what is open from run to run.
    at.session_state[f"again_{runs()[0].id}"] = True
    return press(at, label)


def test_the_form_has_the_settings_of_the_run_and_marks_what_is_changed(open_page):
    spec = EvaluatorSpec(name="trace", params={"chunk_size": 300, "chunk_overlap": 10})
    metrics = inputs.evaluators([spec, EvaluatorSpec(name="answer_match")])
    made(RunPlan(sampled(samples(), 7, seed=5), metrics, seed=5))
    at = open_page("trace", run=runs()[0].id)
    at = in_the_choice(at)
    at = chosen(at, "Change settings …")
    assert "run" not in at.query_params
    assert at.button(key="trace_start").label == "Evaluate 7 samples"
    assert at.number_input(key="trace_seed").value == 5
    assert at.number_input(key="trace_chunk_size").value == 300
    assert at.multiselect(key="trace_metrics").value == ["answer_match"]
    assert (
        "Against TRACE sample (English) · TRACE (heuristic), Answer match: nothing changed yet."
        in said(at)
    )
    at.number_input(key="trace_seed").set_value(6)
    assert "Against TRACE sample (English) · TRACE (heuristic), Answer match: seed 5 → 6." in said(
        checked(at.run())
    )
    at.button(key="trace_start").click()
    settled(checked(at.run()))
    new, old = runs()
    assert (new.seed, new.evaluators) == (6, old.evaluators)
    assert new.fingerprint != old.fingerprint


def test_a_jury_comes_back_with_its_budget_also_without_a_key(open_page):
    plan = RunPlan(
        samples(), inputs.evaluators(["gpt_labeling"]), judges=(LUNA, SOL), cap=Cap(calls=30)
    )
    at = open_page("trace", again=made(plan).id)
    assert at.radio(key="trace_method").value == JURY
    assert at.multiselect(key="trace_jury").value == [LUNA.id, SOL.id]
    assert at.number_input(key="trace_calls").value == 30
    assert at.number_input(key="trace_judge_tokens").value == 3000
    assert "nothing changed yet" in said(at)
    at.multiselect(key="trace_jury").set_value([SOL.id])
    assert "judges GPT-6 Luna, GPT-6 Sol → GPT-6 Sol." in said(checked(at.run()))


def test_hybrid_comes_back_with_the_samples_for_its_judges(open_page):
    evaluator = HybridEvaluator()
    least = doubt_of(RunPlan(samples(), [evaluator]), evaluator, 7, Measures())
    hybrid = evaluator.model_copy(update={"doubt_from": least})
    plan = RunPlan(samples(), [hybrid], judges=(LUNA,))
    judged = sum(hybrid.doubt(sample) >= least for sample in samples().samples)
    at = open_page("trace", again=made(plan).id)
    assert at.number_input(key="trace_judged_24").value == judged
    assert "nothing changed yet" in said(at)


@pytest.mark.parametrize("way", WAYS)
def test_an_rgb_run_comes_back_with_its_composition(open_page, way):
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    data = compose(bed, [Ability.NOISE], (0.0, 0.4), passages=3, seed=2, sample=20)
    metrics = inputs.evaluators([EvaluatorSpec(name="rgb", params={"nfkc": False})])
    prompt = "Read $documents. Then: $question"
    plan = RunPlan(data, metrics, models=(OFFLINE,), prompt=prompt, seed=2)
    at = open_page("rgb", **{way: WAYS[way](made(plan))})
    assert segments(at, f"rgb_abilities_{ENGLISH_BED}").value == [Ability.NOISE]
    assert at.multiselect(key="rgb_noise").value == [0.0, 0.4]
    assert at.number_input(key="rgb_passages").value == 3
    assert at.number_input(key="rgb_seed").value == 2
    assert at.toggle(key="rgb_nfkc").value is False
    assert at.text_area(key="rgb_prompt_en").value == prompt
    assert at.multiselect(key="rgb_models").value == [OFFLINE.id]
    assert at.button(key="rgb_start").label == "Ask 40 questions"
    assert "nothing changed yet" in said(at)
    at.selectbox(key="rgb_policy").set_value("paper")
    changes = said(checked(at.run()))
    against = {"again": f"{ENGLISH_BED} · Offline reader", "assignment": "the assignment"}[way]
    assert f"Against {against}: rules (rgb) documented → paper." in changes
    at.number_input(key="rgb_passages").set_value(4)
    assert "documented → paper; passages 3 → 4." in said(checked(at.run()))


@pytest.mark.parametrize("way", WAYS)
def test_metrics_come_back_with_their_parameters(open_page, way):
    specs = [EvaluatorSpec(name="answer_match", params={"type": "f1_score"})]
    plan = RunPlan(sampled(samples(), 7, seed=5), inputs.evaluators(specs), seed=5)
    at = open_page("metrics", **{way: WAYS[way](made(plan))})
    assert at.button(key="metrics_start").label == "Measure 7 samples"
    assert at.multiselect(key="metrics_metrics").value == ["answer_match"]
    assert at.selectbox(key="metrics_answer_match_type").value == "f1_score"
    assert "nothing changed yet" in said(at)


def test_the_same_run_again_is_reproduced_and_both_find_each_other(open_page, filled):
    at = in_the_choice(open_page("trace", run=filled.trace.id))
    assert "Nobody is asked: every value must come out the same." in said(at)

    settled(chosen(at, "Run the same again"))

    new = runs()[0]
    assert new.again_of == filled.trace.id
    at = open_page("trace", run=new.id)
    assert "Reproduced: all 144 values are the same." in said(at)
    links = [each.proto.label for each in open_page("trace", run=filled.trace.id).get("page_link")]
    assert any(label.startswith("Done again: ") for label in links)


def test_a_run_over_data_that_are_only_in_its_file_runs_again(open_page):
    data = Dataset(name="hers", samples=samples().samples[:3])
    elsewhere = Store(":memory:")
    made = evaluate(data, "trace", store=elsewhere, progress=False)
    run = opened(written(elsewhere, made.run), session.store(), "local")

    at = in_the_choice(open_page("trace", run=run.id))
    assert "hers is not among the data sets here" in said(at)
    settled(chosen(at, "Run the same again"))

    assert "Reproduced: all 18 values are the same." in said(open_page("trace", run=runs()[0].id))


def test_a_missing_key_is_named_and_nothing_can_begin(open_page):
    plan = RunPlan(samples(), inputs.evaluators(["gpt_labeling"]), judges=(LUNA,))
    at = in_the_choice(open_page("trace", run=made(plan).id))

    words = said(at)

    assert "openai/gpt-6-luna: No key for OpenAI. Enter one on the Settings page" in words
    assert "Every model is asked anew: up to $" in words
    assert button(at, "Run the same again").disabled


def test_what_differs_is_listed_with_a_link_to_both_answers(open_page, filled):
    second = create_run(filled.store, plan_again(filled.store, filled.trace), workspace="local")
    finish(second, filled.store)
    result = filled.store.results.get(second.id, 4)
    assert result is not None
    assert result.score is not None
    flipped = result.score.model_copy(
        update={
            "values": result.score.values | {"adherence": 1.0 - result.score.values["adherence"]}
        }
    )
    filled.store.results.save(second.id, result.model_copy(update={"score": flipped}))

    at = open_page("trace", run=second.id)

    assert "Differs in 1 of 24 answers: 1 verdict; adherence " in said(at)
    assert "Nobody was asked and the versions are the same" in said(at)
    links = [each.proto for each in at.get("page_link")]
    [link] = [each for each in links if "adherence" in each.label]
    assert link.label.startswith("5")
    arrived = open_page(
        "compare",
        first=f"{filled.trace.id}.1",
        second=f"{second.id}.1",
        pair="5",
        value="adherence",
    )
    assert arrived.selectbox(key="compare_value").value == "adherence"
    assert "Open the sample" in [each.proto.label for each in arrived.get("page_link")]


@pytest.mark.parametrize(("page", "example"), [("trace", INVENTED), ("rgb", NOISE)])
def test_an_example_says_that_its_models_are_made_up(open_page, page, example):
    at = open_page(page, run=example)
    at.session_state[f"again_{example}"] = True
    at = checked(at.run())
    assert "made up: nobody can ask them again" in said(at)
    assert not [each for each in at.button if each.label == "Run the same again"]
    assert button(at, "Change settings …")


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 2**40, "repeats": 50},
        {
            "origin": {
                "passages": "many",
                "noise_levels": ["a"],
                "abilities": ["negative_rejection"],
            }
        },
        {"origin": {"passages": 900, "noise_levels": [0.25, 7]}},
        {"origin": {"passages": True, "noise_levels": 3, "fill_up": "yes", "sample": 10**9}},
        {"origin": {"sample": "many", "abilities": ["by_row"]}},
        {"origin": {"abilities": 7, "sample": -3}},
    ],
)
def test_what_a_field_cannot_hold_is_left_as_the_form_begins(open_page, changed):
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    data = compose(bed, [Ability.NOISE], sample=2)
    prompt = inputs.prompt_for(data)
    plan = RunPlan(data, inputs.evaluators("rgb"), models=(LUNA,), prompt=prompt, seed=0)
    # As a run file may say it that somebody wrote.
    strange = made(plan).model_copy(update={"id": "strange", **changed})
    session.store().runs.save(strange, data)

    at = open_page("rgb", again="strange")

    assert at.number_input(key="rgb_passages").value == 5
    assert at.number_input(key="rgb_seed").value == 0
    assert at.number_input(key="rgb_repeats").value == 1
