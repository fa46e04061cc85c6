"""Tables of the app say of how many questions a mean is, where questions repeat."""

from __future__ import annotations

from evaluators.records import Dataset, Sample
from tests.comparison.made import results
from tests.pages.screen import html, listed
from ui import session


def sample(number: int, question: str, group: str) -> Sample:
    return Sample(id=str(number), question=question, response="Yes.", situation=group)


def two_questions_asked_twice() -> Dataset:
    groups = ("A", "A", "A", "B", "B")
    questions = ("Who?", "Who?", "When?", "Who?", "When?")
    samples = [sample(n, *own) for n, own in enumerate(zip(questions, groups, strict=True))]
    return Dataset(name="made", samples=tuple(samples))


def test_by_group_where_values_stand_on_different_answers(open_page):
    """In group A "right" has three answers to two questions, "sure" two to two."""
    values = [
        {"right": 1.0, "sure": None},
        {"right": 0.0, "sure": 1.0},
        {"right": 1.0, "sure": 1.0},
        {"right": 1.0, "sure": 1.0},
        {"right": 1.0, "sure": 0.0},
    ]
    results(session.store(), "Mine", two_questions_asked_twice(), values, metric="llm_judge")
    at = open_page("metrics", run="Mine")
    assert "<small>3 of 3 (2 questions)</small>" in html(at)
    assert "<small>2 of 3</small>" in html(at)


def test_the_table_of_runs(open_page):
    results(session.store(), "Mine", two_questions_asked_twice(), [1.0, 0.0, 1.0, 1.0, 1.0])
    assert "5 / 5 (2 questions)" in str(listed(open_page("runs")))
