"""`compare` in the terminal: what it prints, and when a script is stopped."""

import json
import re
from pathlib import Path

import pytest

from evaluators.config import ROOT
from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import BELOW, FINE, MEANINGS, WRONG
from tests.comparison.made import MODELS, dataset, results, two_versions

QUESTIONS = [f"Question {number}?" for number in range(8)]
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
NEW = [1.0] * 8
CANNOT_TELL = 4
MILL = "The mill was built in 1812. It stands by the river."


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
    assert "6 · 2 · 0" in found.stdout
    assert "new is better in answer match by 75.0 points (18.2 to 92.9)." in found.stdout


@pytest.mark.parametrize(
    ("order", "demand", "code", "words"),
    [
        (("old", "new"), ("answer_match=0.02",), FINE, ""),
        (("old", "new"), ("answer_match=0.02", "--at-least", "9"), BELOW, "8 samples, below 9."),
        (
            ("new", "old"),
            ("answer_match=0.02",),
            BELOW,
            "is more than 2 points worse: -75.0 (-92.9",
        ),
        (
            ("new", "old"),
            ("answer_match=0.5",),
            CANNOT_TELL,
            "may be more than 50 points worse: -75.0 (-92.9 to -18.2). About ",
        ),
        (("new", "old"), ("answer_match=0.5", "--cannot-tell", "pass"), FINE, "may be more than"),
        (("new", "old"), ("answer_match=0.5", "--cannot-tell", "fail"), BELOW, "may be more than"),
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


def test_two_that_never_differed_on_four_questions_pass_no_gate(plumbline):
    for name in ("one", "two"):
        results(local_store(), name, [f"Question {n // 2}?" for n in range(8)], NEW)

    found = plumbline("compare", "one", "two", "--fail-if-worse", "answer_match=0.02")

    assert found.exit_code == CANNOT_TELL
    # A rate of none of four goes up to 49 % (Wilson), either way.
    assert "answer_match of two may be more than 2 points worse: 0.0 (-49.0 to 49.0)." in (
        found.stderr
    )


def answered(name, answer, count=12):
    """A file of answers over the same documents."""
    rows = (
        {"question": f"When was mill {n} built?", "response": answer.format(n), "documents": [MILL]}
        for n in range(count)
    )
    path = Path(f"{name}.jsonl")
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def by_heuristic(plumbline, tmp_path, monkeypatch):
    """Two runs labelled by the heuristic: true answers, then false ones."""
    monkeypatch.chdir(tmp_path)
    for name, answer in (("true", "The mill was built in 1812."), ("false", "Bananas sing.")):
        assert (
            plumbline("run", "--data", answered(name, answer), "--metric", "trace").exit_code == 0
        )
    store = local_store()
    second, first = store.runs.newest("local", 2)
    return first.id, second.id


@pytest.mark.parametrize(
    ("order", "options", "code", "words"),
    [
        ((0, 1), ("adherence=0.02",), CANNOT_TELL, "its labels are the heuristic's, which reads"),
        ((1, 0), ("adherence=0.02",), CANNOT_TELL, "with --allow-heuristic."),
        ((1, 0), ("adherence=0.02", "--allow-heuristic"), FINE, ""),
        ((0, 1), ("adherence=0.02", "--allow-heuristic"), BELOW, "more than 2 points worse: -100"),
        # What is below is said first, and counts.
        ((0, 1), ("adherence=0.02", "--at-least", "13"), BELOW, "12 samples, below 13."),
    ],
)
def test_by_the_heuristic_the_gate_cannot_tell_unless_asked_to(
    plumbline, by_heuristic, order, options, code, words
):
    runs = [by_heuristic[place] for place in order]

    found = plumbline("compare", *runs, "--fail-if-worse", *options)

    assert found.exit_code == code
    assert words in found.stderr
    assert bool(found.stderr) == bool(words)
    assert (
        "By the heuristic, which reads wording: not to be used to choose a system." in found.stdout
    )
    assert "better in" not in found.stdout


def test_the_gate_cannot_tell_what_cannot_differ_or_what_differs_alike_everywhere(plumbline):
    store = local_store()
    for name, share in (("low", 0.5), ("high", 0.9)):
        samples = dataset(QUESTIONS, name).samples
        own = Dataset(
            name=name, samples=tuple(s.model_copy(update={"response": name}) for s in samples)
        )
        values = [{"context_relevance": share, "adherence": 1.0}] * 8
        results(store, name, own, values, metric="gpt_labeling")
        results(store, f"one-{name}", QUESTIONS[:1] * 3, [share] * 3)

    same = plumbline("compare", "low", "high", "--fail-if-worse", "context_relevance=0.02")
    alone = plumbline("compare", "one-low", "one-high", "--fail-if-worse", "answer_match=0.02")

    assert (same.exit_code, alone.exit_code) == (CANNOT_TELL, CANNOT_TELL)
    assert (
        "The documents are the same for all pairs: context relevance differs by the" in same.stdout
    )
    assert "the documents are the same for all pairs. Compare a value of the" in same.stderr
    # Of one question, as an instruction, each prompt counts: these all differ by the same.
    assert "all pairs differ alike, which tells nothing of others" in alone.stderr


def test_what_is_worse_counts_more_than_what_cannot_be_told(plumbline):
    store = local_store()
    for name, share, match in (("good", 0.9, NEW), ("bad", 0.5, [0.0] * 8)):
        values = [{"context_relevance": share, "adherence": own} for own in match]
        results(store, name, QUESTIONS, values, metric="gpt_labeling")

    found = plumbline(
        *("compare", "good", "bad", "--fail-if-worse", "context_relevance=0.02"),
        *("--fail-if-worse", "adherence=0.02"),
    )

    assert found.exit_code == BELOW
    assert found.stderr.index("adherence of bad is more") < found.stderr.index(
        "context_relevance of"
    )


def test_the_docs_say_every_exit_code_as_the_help_does(plumbline):
    docs = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    printed = " ".join(plumbline("--help").stdout.split())

    for code, meaning in MEANINGS.items():
        assert f"| {code} | {meaning} |" in docs
        assert f"{code} {meaning}" in printed


def test_each_of_three_runs_is_compared_with_the_first(plumbline, runs):
    demand = ("--fail-if-worse", "answer_match=0.02")
    found = plumbline("compare", "old", "new", "third", *demand)

    assert found.exit_code == CANNOT_TELL
    assert "new: Better in answer match by 75.0 points (18.2 to 92.9)." in found.stdout
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

    assert "large is better in answer match by 75.0 points" in models.stdout
    assert re.search(r"Labels +heuristic +gold", labels.stdout)
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


def test_what_people_say_of_one_side_never_moves_the_gate(plumbline, runs):
    store = local_store()
    for position in range(8):
        no = PersonLabel(
            label="verdict", key="answer_match", value="no", created="2026-11-22T10:00:00+00:00"
        )
        store.person_labels.save("new", Cell(position), no)
    gate = ("--fail-if-worse", "answer_match=0.02")

    assert plumbline("compare", "old", "new", *gate).exit_code == FINE
    one_sided = plumbline("compare", "old", "new", "--labels", "corrected", *gate)
    assert one_sided.exit_code == WRONG
    assert "'corrected' did not label 'old'." in one_sided.stderr


def test_where_each_side_has_another_judge_the_gate_cannot_tell(plumbline):
    store = local_store()
    for title, values, judge in (("old", OLD, MODELS[0]), ("new", NEW, MODELS[1])):
        results(store, title, QUESTIONS, values, metric="llm_judge", judges=(judge,))
    found = plumbline("compare", "old", "new", "--fail-if-worse", "llm_judge=0.02")

    assert found.exit_code == CANNOT_TELL
    assert "each side has another labeller. Have the same one judge both." in found.stderr
    assert "a difference may be the labellers'" in " ".join(found.stdout.split())


def test_the_groups_of_a_run_are_compared_by_their_column(plumbline, tmp_path):
    file = two_versions(tmp_path)

    run = plumbline("run", "--data", str(file), "--metric", "answer_match")
    found = plumbline("compare", "last", "--by", "prompt_version")

    assert "Compare by prompt_version." in run.stderr
    assert found.exit_code == FINE
    assert "v2 is better in answer match by 100.0 points" in found.stdout
    unknown = plumbline("compare", "last", "--by", "model")
    assert unknown.exit_code == WRONG
    assert "Those of this run are by prompt_version: v1, v2." in unknown.stderr
    gate = plumbline("compare", "last", "--by", "group", "--fail-if-worse", "answer_match=0.1")
    assert "of groups the best is the first" in gate.stderr
