"""A run that asked each prompt several times: its page tells how far answers to the same prompt
agree, and a sample shows all of them.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from itertools import cycle

import pytest

from evaluators.records import Run
from tests import judge
from tests.loopback import Loopback
from tests.pages.conftest import checked, finish
from tests.pages.screen import html as html_of
from tests.pages.screen import lines, said, samples, segments
from tests.runs import paid
from ui import session

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def answered(serving: Callable[..., Loopback]) -> Run:
    """Two questions, three times each: both are right twice and wrong once."""
    turns: dict[str, Iterator[str]] = {}

    def answer(text: str) -> str:
        own = turns.setdefault(text, cycle(["Mina Osei.", "It is Mina Osei.", HOSTILE]))
        return next(own)

    serving(answer)
    run = paid.paid_run(session.store(), paid.dataset(2), repeats=3, workspace="local")
    finish(run, session.store(), session.keys())
    return run


def test_a_rate_tells_questions_repeats_and_how_far_answers_agree(open_page, answered):
    at = open_page("rgb", run=answered.id)

    [rate] = lines(at)
    assert rate.meaning.endswith("; 1 noise level")
    assert "of 6 right (2 × 3)" in rate.interval
    assert rate.coverage == "repeats agree in 0 %"
    rows = samples(at)
    assert [(row["#"], row["Repeat"]) for row in rows[:4]] == [
        ("1", "1 of 3"),
        ("1", "2 of 3"),
        ("1", "3 of 3"),
        ("2", "1 of 3"),
    ]


def test_a_sample_shows_all_answers_to_its_prompt_with_their_verdicts(open_page, answered):
    at = open_page("sample", run=answered.id, sample="5")

    assert "Sample 2 of 2, repeat 2 of 3" in said(at, "caption")
    page = html_of(at)
    assert (page.count("✓ right"), page.count("✗ wrong")) == (2, 1)
    assert HOSTILE not in page
    assert html.escape(HOSTILE) in page
    at = checked(segments(at, f"repeat_{answered.id}").set_value(3).run())
    assert at.query_params["sample"] == "6"


def test_values_of_a_judge_that_is_asked_again_tell_how_far_they_vary(open_page, serving):
    serving(judge.labels_for)
    store = session.store()
    run = paid.labelled_run(store, paid.answered(3), (paid.LUNA,), repeats=2, workspace="local")
    finish(run, store, session.keys())

    at = open_page("trace", run=run.id)
    page = html_of(at)

    assert "6 of 6 (3 × 2)<br>repeats agree in 100 %" in page
    assert "repeats vary by 0.00" in page
    assert "6 answers checked (3 prompts × 2)" in said(at, "markdown")
    assert "all supported" in html_of(open_page("sample", run=run.id, sample="2"))
