"""The Leaderboard page: runs are chosen by their address, and stand in a table with ranks."""

from __future__ import annotations

from evaluators.records import Dataset, Sample
from tests.comparison.made import results
from tests.comparison.test_leaderboard import ALL_RIGHT, FIRST, LARGE, SECOND, SMALL, TWO_RIGHT
from tests.pages.screen import said
from tests.pages.test_compare import table
from ui import session

BOTH = {"ranked": ["one", "two"]}


def two_runs():
    results(session.store(), "one", FIRST, TWO_RIGHT, models=(SMALL,))
    results(session.store(), "two", FIRST, ALL_RIGHT, models=(LARGE,))


def test_without_runs_it_says_where_to_choose(open_page):
    assert "Choose runs, here or on the Runs page." in said(open_page("leaderboard"))


def test_runs_of_the_address_are_ranked(open_page):
    two_runs()

    at = open_page("leaderboard", **BOTH)

    assert at.multiselect(key="compare_ranked").value == ["one", "two"]
    assert "Answer match: large alone has rank 1 of 2 systems." in said(at, "markdown")
    # Wilson's interval of 2 of 10; the mean leads the cell, the rank ends it.
    assert "<strong>0.20</strong><small>0.06 to 0.51</small><small>10 of 10</small>" in table(at)
    assert "Rank 2" in table(at)
    assert "No interval covers what a labeller gets wrong." in said(at)


def test_what_cannot_be_ranked_is_said_in_place_of_a_table(open_page):
    results(session.store(), "one", FIRST, TWO_RIGHT, models=(SMALL,))
    results(session.store(), "two", SECOND, ALL_RIGHT, models=(LARGE,))

    at = open_page("leaderboard", **BOTH)

    assert "No two of these systems have a value over the same questions" in said(at)


def test_a_run_that_is_gone_and_a_value_that_is_unknown_are_left_out(open_page):
    two_runs()

    at = open_page("leaderboard", ranked=["one", "gone", "two"], values=["nothing"])

    assert at.multiselect(key="compare_ranked").value == ["one", "two"]
    assert "Rank 2" in table(at)


def test_names_of_strangers_stay_text(open_page):
    name = "<b>*x*</b> :red[y]"
    samples = tuple(Sample(id=f"{n}", question=f"Q{n}?", response="Yes.") for n in range(10))
    for run_id, values in (("one", TWO_RIGHT), ("two", ALL_RIGHT)):
        data = Dataset(name=f"{run_id} {name}", samples=samples)
        results(session.store(), run_id, data, values, models=(SMALL,))

    at = open_page("leaderboard", **BOTH)

    assert not at.exception
    assert "<b>" not in table(at)
    assert "10 questions" in said(at) or "Rank 2" in table(at)
