"""The report of a comparison: its sentence, every difference, both answers, and hostile names."""

from datetime import UTC, datetime

import pytest

from evaluators import compare
from evaluators.api.results import Results
from evaluators.report.comparison_report import comparison_report
from evaluators.runs import examples
from evaluators.runs.inputs import local_store
from tests.comparison import made
from tests.report.markup import Read
from tests.report.test_run_report import WORST, is_harmless

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)
QUESTIONS = [f"Question {number}?" for number in range(8)]
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
NEW = [1.0] * 8


@pytest.fixture
def store():
    return local_store()


def test_every_difference_is_that_of_the_comparison(store, tmp_path):
    old = made.results(store, "old", QUESTIONS, OLD)
    new = made.results(store, "new", QUESTIONS, NEW)
    comparison = compare(old, new)

    page = comparison.report(tmp_path / "comparison.html").read_text("utf-8")
    read = Read(page)

    is_harmless(read)
    assert comparison.sentence() in read.text
    assert read.tables[0][1] == [
        *("Answer match", "0.25", "1.00", "+75.0 (18.2 to 92.9)", "0.016", "6 · 2 · 0"),
        "8 / 8",
    ]
    assert page.count("<article>") == 6
    assert page.count("<svg ") == 2
    assert read.text.count("Data hash") == 2


def test_two_labellers_of_a_run_stand_side_by_side_with_their_evidence(store):
    run = examples.find(store, examples.INVENTED)
    comparison = compare(Results(run, store), labels=("heuristic", "gold"))

    page = comparison_report(comparison, comparison.sides, NOW)

    is_harmless(Read(page))
    assert comparison_report(comparison, comparison.sides, NOW) == page
    assert page.count("pl-cue") > 10


def test_each_of_three_models_is_compared_with_the_first_and_over_the_noise(store):
    run = examples.find(store, examples.NOISE)
    several = compare(Results(run, store), models=(0, 1, 2))

    read = Read(comparison_report(several, several.sides, NOW))

    is_harmless(read)
    for comparison in several.comparisons:
        assert f"{comparison.second} against {comparison.first}" in read.text
        assert comparison.noise_sentence() in read.text
    assert read.text.count("Data hash") == 1


def test_hostile_titles_stay_texts(store):
    first = made.results(store, "a", [WORST, "b?"], [1.0, 0.0])
    second = made.results(store, "b", [WORST, "b?"], [0.0, 1.0])
    comparison = compare(first, second)
    named = type(comparison)(**{**vars(comparison), "first": WORST, "warnings": (WORST,)})

    read = Read(comparison_report(named, named.sides, NOW))

    is_harmless(read)
    assert "<script>alert(1)</script>" in read.text
