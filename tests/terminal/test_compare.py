"""`compare` in the terminal: what it prints, and when a script is stopped."""

import json

import pytest

from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import BELOW, FINE, WRONG
from tests.comparison.made import MODELS, results

QUESTIONS = [f"Question {number}?" for number in range(8)]
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
NEW = [1.0] * 8


@pytest.fixture
def runs():
    store = local_store()
    results(store, "old", QUESTIONS, OLD)
    results(store, "new", QUESTIONS, NEW)
    results(store, "third", QUESTIONS, [*OLD[:7], 1.0])


def test_two_runs_are_compared_in_a_table_and_a_sentence(plumbline, runs):
    found = plumbline("compare", "old", "new")

    assert found.exit_code == FINE
    assert "+75.0 (18" in found.stdout
    assert "6 / 2 / 0" in found.stdout
    assert "new is better in answer match by 75 points (18 to 93)." in found.stdout


@pytest.mark.parametrize(
    ("order", "demand", "code", "words"),
    [
        (("old", "new"), ("answer_match=0.02",), FINE, ""),
        (("old", "new"), ("answer_match=0.02", "--at-least", "9"), BELOW, "8 samples, below 9."),
        (("new", "old"), ("answer_match=0.02",), BELOW, "more than 2 points worse: -75.0 (-92.9"),
        (("new", "old"), ("answer_match=0.95",), FINE, ""),
        (("old", "new"), ("adherence=0.02",), WRONG, "no value 'adherence' to compare"),
        (("old", "new"), ("answer_match",), WRONG, "--fail-if-worse answer_match is not underst"),
    ],
)
def test_a_script_stops_unless_it_is_shown_that_the_second_is_not_worse(
    plumbline, runs, order, demand, code, words
):
    found = plumbline("compare", *order, "--fail-if-worse", *demand)

    assert found.exit_code == code
    assert words in found.stderr
    assert bool(found.stderr) == bool(words)


def test_each_of_three_runs_is_compared_with_the_first(plumbline, runs):
    demand = ("--fail-if-worse", "answer_match=0.02")
    found = plumbline("compare", "old", "new", "third", *demand)

    assert found.exit_code == BELOW
    assert "new: Better in answer match by 75 points (18 to 93)." in found.stdout
    assert "third: Answer match cannot be told apart" in found.stdout
    assert found.stderr.startswith("answer_match of third may be more than 2 points worse: +12.5")
    systems = json.loads(plumbline("compare", "old", "new", "third", "--json").stdout)["systems"]
    assert [(row["system"], row["mean"], row["told_apart"]) for row in systems] == [
        ("old", 0.25, None),
        ("new", 1.0, True),
        ("third", 0.375, False),
    ]


def test_two_models_and_two_labellers_of_a_run(plumbline):
    results(local_store(), "both", QUESTIONS, OLD, NEW, models=MODELS)
    plumbline("run", "--data", TRACE_SAMPLES, "--metric", "trace")

    models = plumbline("compare", "both", "--model", "0", "--model", "groq/large")
    labels = plumbline("compare", "last", "--labels", "heuristic", "--labels", "gold")

    assert "large is better in answer match by 75 points" in models.stdout
    assert "labels: heuristic → gold" in labels.stdout
    assert (models.exit_code, labels.exit_code) == (FINE, FINE)


def test_json_is_for_programs(plumbline, runs):
    comparison = json.loads(plumbline("compare", "old", "new", "--json").stdout)

    assert comparison["values"][0]["wins"] == 6
    assert comparison["first"] == "old"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("old",), "Two sides are the same"),
        (("old", "new", "--model", "0"), "There are 2 sides and 1 models"),
        (("old", "nobody"), "No run begins with “nobody”"),
    ],
)
def test_what_cannot_be_compared_is_told(plumbline, runs, arguments, words):
    found = plumbline("compare", *arguments)

    assert found.exit_code == WRONG
    assert words in found.stderr
