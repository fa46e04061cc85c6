"""Why samples failed: the same table at every door, in the words of each."""

import pytest

from evaluators import evaluate
from evaluators.records import Reason, Remedy
from evaluators.runs.failures import failures, in_python
from evaluators.terminal import tables
from evaluators.text.words import of_sample

ROW = {"question": "Who?", "response": "Mina", "ground_truth": "Mina"}
WHY = "Sample 2 and others: response missing, and Answer match needs it. Fill it in."


@pytest.fixture
def results(store):
    rows = [ROW, *[{**ROW, "response": None}] * 2]
    return evaluate(rows, "answer_match", store=store, progress=False)


def test_reasons_that_differ_in_the_sample_are_one_and_the_most_frequent_comes_first():
    reasons = [
        (Reason(message="No answer."), 2),
        (Reason(message=of_sample("3", "empty.")), 2),
        (Reason(message=of_sample("4", "empty.")), 1),
        (Reason(message="No key.", remedy=Remedy("enter_key", "A_KEY")), 1),
    ]

    assert list(failures(reasons, in_python).items()) == [
        ("Sample 3 and others: empty.", 3),
        ("No answer.", 2),
        ("No key. Set A_KEY, or pass api_key to connect.", 1),
    ]


def test_a_reason_that_only_begins_as_if_it_named_a_sample_is_one_of_its_own():
    reasons = [(Reason(message="Sample 3: empty."), 1), (Reason(message="Sample 4: empty."), 1)]

    assert len(failures(reasons, in_python)) == 2


def test_a_finished_run_says_why_samples_failed_at_every_door(results, tmp_path, capsys):
    assert results.failures == {WHY: 2}
    assert tables.run_summary(results)["failures"] == {WHY: 2}
    # `run` prints the means with what stands below them, `show` these among all else
    texts = [repr(results)]
    for parts in (tables.means_in_parts(results), tables.run_in_parts(results)):
        tables.echo(*parts)
        texts.append(capsys.readouterr().out)
    for text in texts:
        assert "Why they failed" in text
        assert f"2   {WHY}" in text
    report = results.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert WHY in report
