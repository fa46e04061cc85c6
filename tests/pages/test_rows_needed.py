"""The calculator on the forms: how many samples show a difference."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.datasets.bundled import TRACE_SAMPLES
from tests.comparison.made import MODELS, results
from tests.pages.conftest import checked
from tests.pages.screen import said
from ui import session

QUESTIONS = [f"Question {number}?" for number in range(10)]
OLD = [1.0] * 5 + [0.0] * 5
NEW = [1.0] * 4 + [0.0] * 5 + [1.0]


def unfolded(at: AppTest, key: str) -> AppTest:
    at.session_state[f"{key}_needed"] = True
    return checked(at.run())


@pytest.mark.parametrize(
    ("page", "key"), [("trace", "trace"), ("metrics", "metrics"), ("rgb", "rgb")]
)
def test_without_past_runs_two_often_differ_on_a_fifth(open_page, page, key):
    at = open_page(page)
    assert "No two runs over these data yet" not in said(at)

    at = unfolded(at, key)

    # Connor: a fifth of the samples, five points: 626, to two digits
    assert "**About 630 samples** show a difference of 5 points" in said(at, "markdown")
    assert "No two runs over these data yet: on 20 % of samples two systems often differ." in said(
        at
    )


def test_past_runs_over_the_data_tell_how_often_two_differ(open_page):
    results(session.store(), "Both", QUESTIONS, OLD, NEW, models=MODELS, data_name=TRACE_SAMPLES)

    at = unfolded(open_page("trace"), "trace")

    assert "Measured: small and large differed in answer match on 20 % of these data." in said(at)
    assert at.number_input(key="trace_needed_share").value == 20.0
    at.number_input(key="trace_needed_share").set_value(4.0)
    at.number_input(key="trace_needed_points").set_value(5.0)
    assert "Systems cannot be further apart" in said(checked(at.run()), "markdown")
