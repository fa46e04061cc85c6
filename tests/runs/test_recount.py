"""Whether a run's figures follow from its rows: a file that somebody edited is found out."""

import pytest

from evaluators import compose, evaluate, load_data
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.run_files.contents import RESULTS
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.environment import Environment, Versions
from evaluators.runs.examples import INVENTED, NOISE, NOISE_ZH, find
from evaluators.runs.plan import RunPlan
from evaluators.runs.recount import recounted
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store
from tests.comparison.made import results
from tests.judge import is_labelling, labels_for
from tests.pages.conftest import finish
from tests.run_files.test_run_files import with_line
from tests.runs import paid


@pytest.fixture
def heuristic(store):
    return evaluate(TRACE_SAMPLES, ["trace", "answer_match"], store=store, progress=False)


@pytest.fixture
def judged(store, loopback):
    """Answers that a judge labelled."""
    server = loopback(
        answer=lambda text: labels_for(text) if is_labelling(text) else "Verdict: yes"
    )
    plan = RunPlan(
        paid.answered(4),
        inputs.evaluators(["gpt_labeling", "llm_judge"]),
        judges=(paid.LUNA.model_copy(update={"answer_tokens": 2000}),),
    )
    run = create_run(store, plan, workspace="w")
    finish(run, store, paid.keys(server.base_url))
    return run


def handed_in(store, run, change):
    """The run of a file in which the first result was changed, with its hash made anew."""
    elsewhere = Store(":memory:")
    data = with_line(written(store, run), RESULTS, change)
    return elsewhere, opened(data, elsewhere, "w")


def raise_value(result):
    result["score"]["values"]["adherence"] = 1.0 - result["score"]["values"]["adherence"]


def flip_label(result):
    """Another label, with values that fit it."""
    result["score"]["evidence"]["labellings"][0]["labels"]["relevant_keys"] = ["0a"]
    result["score"]["values"]["context_relevance"] = 0.01


def test_a_run_that_nobody_changed_follows_from_its_rows(store, heuristic):
    elsewhere = Store(":memory:")
    run = opened(written(store, heuristic.run), elsewhere, "w")

    assert recounted(RunView.read(elsewhere, run)) == heuristic.recount()
    assert heuristic.recount().sentence() == "Recomputed: 168 values, all the same."


@pytest.mark.parametrize("change", [raise_value, flip_label])
def test_an_edited_result_of_the_heuristic_is_found(store, heuristic, change):
    elsewhere, run = handed_in(store, heuristic.run, change)

    assert recounted(RunView.read(elsewhere, run)).sentence() == (
        "Recomputed: 1 result does not follow from the answers and labels (samples 1): "
        "edited, or made by other rules."
    )


def test_what_a_judge_wrote_is_read_again_and_nobody_is_asked(store, judged):
    found = recounted(RunView.read(store, judged))

    assert (found.is_same, found.unknown) == (True, 0)
    assert found.values == 4 * (6 + 1)


@pytest.mark.parametrize("change", [raise_value, flip_label])
def test_an_edited_result_of_a_judge_is_found_by_what_it_wrote(store, judged, change):
    elsewhere, run = handed_in(store, judged, change)

    assert [cell.position for cell in recounted(RunView.read(elsewhere, run)).differing] == [0]


def test_rules_of_rgb_are_applied_again_to_the_answers(store):
    bed = load_data(ENGLISH_BED, store=store)
    data = compose(bed, bed.abilities, sample=2)
    made = evaluate(data, "rgb", model="offline/offline-reader", store=store, progress=False)

    def other_answer(result):
        result["response"] = "Nobody knows who it was."
        for name in result["score"]["values"]:
            result["score"]["values"][name] = 1.0

    assert made.recount().is_same
    elsewhere, run = handed_in(store, made.run, other_answer)
    assert not recounted(RunView.read(elsewhere, run)).is_same


@pytest.mark.parametrize("example", [NOISE, NOISE_ZH, INVENTED])
def test_the_examples_follow_from_their_rows(store, example):
    found = recounted(RunView.read(store, find(store, example)))

    assert found.is_same
    assert found.values


def test_a_metric_that_is_gone_is_unknown(store):
    made = results(store, "Made", ["a"], [1.0], metric="of_my_own")

    assert made.recount().sentence() == "1 result cannot be recomputed without asking."


def test_other_versions_are_named_beside_what_differs(store, heuristic):
    elsewhere, run = handed_in(store, heuristic.run, raise_value)
    old = Versions(plumbline="0.0.1", judging="x", python="3.11.7", packages={})
    elsewhere.environments.save(run.id, Environment(versions=(old,)))

    assert (
        "made by other rules (Plumbline 0.0.1 → "
        in recounted(RunView.read(elsewhere, run)).sentence()
    )
