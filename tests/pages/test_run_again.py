"""Run again: the form has the settings of a run, and says what is changed against it."""

from __future__ import annotations

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.datasets.sampling import sampled
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import OFFLINE
from evaluators.records import Ability, Cap, Dataset, EvaluatorSpec, ModelSpec, Run
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.forecast import Measures, doubt_of
from evaluators.runs.plan import RunPlan
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import button, runs, said, segments, settled
from ui import session
from ui.trace.form import JURY

LUNA = ModelSpec(provider="openai", model="gpt-6-luna", temperature=None, answer_tokens=3000)
SOL = LUNA.model_copy(update={"model": "gpt-6-sol"})


def samples() -> Dataset:
    data = bundled()[TRACE_SAMPLES]
    assert isinstance(data, Dataset)
    return data


def made(plan: RunPlan) -> Run:
    return create_run(session.store(), plan, workspace="local")


def test_the_form_has_the_settings_of_the_run_and_marks_what_is_changed(
    open_page: OpenPage,
) -> None:
    spec = EvaluatorSpec(name="trace", params={"chunk_size": 300, "chunk_overlap": 10})
    metrics = inputs.evaluators([spec, EvaluatorSpec(name="answer_match")])
    made(RunPlan(sampled(samples(), 7, seed=5), metrics, seed=5))
    at = open_page("trace", run=runs()[0].id)
    button(at, "Run again …").click()
    at = checked(at.run())
    assert "run" not in at.query_params
    assert at.button(key="trace_start").label == "Label 7 samples"
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


def test_a_jury_comes_back_with_its_budget_also_without_a_key(open_page: OpenPage) -> None:
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


@pytest.mark.parametrize("most", [3, 7, 24])
def test_hybrid_comes_back_with_the_samples_for_its_judges(open_page: OpenPage, most: int) -> None:
    evaluator = HybridEvaluator()
    least = doubt_of(RunPlan(samples(), [evaluator]), evaluator, most, Measures())
    hybrid = evaluator.model_copy(update={"doubt_from": least})
    plan = RunPlan(samples(), [hybrid], judges=(LUNA,))
    judged = sum(hybrid.doubt(sample) >= least for sample in samples().samples)
    at = open_page("trace", again=made(plan).id)
    assert at.number_input(key="trace_judged_24").value == judged
    assert "nothing changed yet" in said(at)


def test_an_rgb_run_comes_back_with_its_composition(open_page: OpenPage) -> None:
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    data = compose(bed, [Ability.NOISE], (0.0, 0.4), passages=3, seed=2, sample=20)
    plan = RunPlan(
        data,
        inputs.evaluators([EvaluatorSpec(name="rgb", params={"nfkc": False})]),
        models=(OFFLINE,),
        prompt=inputs.prompt_for(data),
        seed=2,
    )
    at = open_page("rgb", again=made(plan).id)
    assert segments(at, f"rgb_abilities_{ENGLISH_BED}").value == [Ability.NOISE]
    assert at.multiselect(key="rgb_noise").value == [0.0, 0.4]
    assert at.number_input(key="rgb_passages").value == 3
    assert at.toggle(key="rgb_nfkc").value is False
    assert at.button(key="rgb_start").label == "Ask 40 questions"
    assert "nothing changed yet" in said(at)
    at.selectbox(key="rgb_policy").set_value("paper")
    changes = said(checked(at.run()))
    assert f"Against {ENGLISH_BED} · Offline reader: rules (rgb) documented → paper." in changes


def test_metrics_come_back_with_their_parameters(open_page: OpenPage) -> None:
    specs = [EvaluatorSpec(name="answer_match", params={"type": "f1_score"})]
    at = open_page("metrics", again=made(RunPlan(samples(), inputs.evaluators(specs))).id)
    assert at.multiselect(key="metrics_metrics").value == ["answer_match"]
    assert at.selectbox(key="metrics_answer_match_type").value == "f1_score"
    assert "nothing changed yet" in said(at)
