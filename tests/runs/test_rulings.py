"""RGB by other rules: the stored answers are read anew, counted, compared and exported."""

import csv
import io

import pytest

from evaluators.api.results import Results
from evaluators.errors import ParameterError
from evaluators.exports import formats
from evaluators.records import (
    Ability,
    Dataset,
    JudgedRate,
    ModelSpec,
    RGBTask,
    Sample,
    SampleResult,
)
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs import rulings
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Selection, ValueName
from tests.stored import stored_run

PAPER = View(policy="paper")
REJECTIONS = (
    # By the paper's script only "insufficient information" declines.
    ("I can not answer the question because of the insufficient information in documents.", 1, 1),
    ("I don't know.", 1, 0),
    ("It was May.", 0, 0),
)
"""Answers to questions that no document answers, and whether they decline by either rules."""


@pytest.fixture
def run(store):
    """The three answers, each by a model; a judge says yes of the first and of the last."""
    task = RGBTask(ability=Ability.REJECTION, noise=1.0, effective_noise=1.0)
    samples = tuple(
        Sample(id=f"s{number}", question=f"When? {number}", ground_truth=("June", "7"), rgb=task)
        for number in range(len(REJECTIONS))
    )
    data = Dataset(name="By hand", samples=samples)
    models = (ModelSpec(provider="groq", model="a"),)
    run = stored_run(store, data, "rgb", models=models, prompt="$question $documents", seed=7)
    for position, (answer, _, _) in enumerate(REJECTIONS):
        score = RGBEvaluator().score(samples[position].model_copy(update={"response": answer}))
        says_yes = position != 1
        judged = JudgedRate(passed=says_yes, words=f"=Reason {position}")
        score = score.model_copy(
            update={
                "values": {**score.values, "rejection_judged": float(says_yes)},
                "evidence": score.evidence.model_copy(update={"judged": {"rejection": judged}}),
            }
        )
        result = SampleResult(position=position, status="scored", score=score, response=answer)
        store.results.save(run.id, result)
    return run


def rejections(rows):
    return [row.values["rejection"] for row in rows]


def test_verdicts_follow_the_rules_of_the_view_and_the_judge_stays(store, run):
    view = RunView.read(store, run)

    assert rejections(view.counted()) == [1, 1, 0]
    assert rejections(view.counted(PAPER)) == [1, 0, 0]
    assert [row.values["rejection_judged"] for row in view.counted(PAPER)] == [1, 0, 1]
    # Nothing of it is stored with the results.
    assert rejections(RunView.read(store, run).counted(View(policy="documented"))) == [1, 1, 0]


def test_the_database_chooses_by_the_rules_of_the_view(store, run):
    declined = Selection(values=(ValueName(0, "rejection"),), low=1)

    view = RunView.read(store, run)

    assert view.answers(declined) == [Answer(0), Answer(1)]
    assert view.answers(declined, PAPER) == [Answer(0)]


def test_the_answers_whose_verdicts_differ_are_found(store, run):
    view = RunView.read(store, run)

    assert rulings.differing(view.rows, view.counted(PAPER)) == (Answer(1),)
    assert rulings.differing(view.rows, view.rows) == ()


@pytest.mark.parametrize(
    ("view", "differ", "table", "kappa"),
    [
        # Rule yes, yes, no; judge yes, no, yes: equal 1 of 3, by chance 4 of 9 and 1 of 9
        (View(), (Answer(1), Answer(2)), (1, 1, 1, 0), (1 / 3 - 5 / 9) / (4 / 9)),
        # Rule yes, no, no: equal 2 of 3, by chance 2 of 9 and 2 of 9
        (PAPER, (Answer(2),), (1, 0, 1, 1), (2 / 3 - 4 / 9) / (5 / 9)),
    ],
)
def test_the_rule_stands_beside_the_judge(store, run, view, differ, table, kappa):
    rows = RunView.read(store, run).counted(view)

    beside = rulings.beside_judge(rows, "rejection")

    assert rulings.rule_and_judge_differ(rows) == differ
    assert tuple(beside)[:4] == table
    assert beside.kappa == pytest.approx(kappa)
    assert rulings.beside_judge(rows, "detection") is None


@pytest.mark.parametrize(
    ("policy", "mean"), [(None, 2 / 3), ("documented", 2 / 3), ("paper", 1 / 3)]
)
def test_python_and_files_count_by_the_policy_and_name_it(store, run, policy, mean):
    results = Results(run, store).under(policy=policy)

    assert results.summary()["negative_rejection"].mean == pytest.approx(mean)
    assert {line["policy"] for line in results.lines()} == {policy or "documented"}
    assert {row["policy"] for row in table(results)} == {policy or "documented"}


def test_an_unknown_policy_is_refused(store, run):
    with pytest.raises(ParameterError, match="policy is 'strict'"):
        Results(run, store).under(policy="strict")


def test_a_file_of_rgb_says_how_each_verdict_came_about(store, run):
    first, second, last = table(Results(run, store).under(policy="paper"))

    assert (first["effective_noise"], first["ground_truth"]) == ("1.0", '["June", "7"]')
    assert (first["rule"], first["words"]) == ("marker phrase", "insufficient information")
    assert (second["rule"], second["words"]) == ("no rejection phrase", "")
    # What looks like a formula is quoted.
    assert last["judge_said"] == "'=Reason 2"
    assert (first["seed"], first["prompt"]) == ("7", run.prompt_hash)
    assert "labels_by" not in first


def table(results):
    text = (
        formats()["csv"]
        .whole(RunView.read(results.store, results.run), results.view)
        .decode("utf-8-sig")
    )
    return list(csv.DictReader(io.StringIO(text)))
