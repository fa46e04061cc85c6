"""What is said of the heuristic is what is measured today, of the verdict that is shown."""

import pytest

from evaluators.trace import quality
from evaluators.trace.definitions import DEFINITIONS
from tests import heuristic

KINDS = ("covidqa", "delucionqa", "emanual", "expertqa", "hagrid", "hotpotqa", "msmarco")


@pytest.mark.parametrize("kind", KINDS)
def test_the_figures_of_a_kind_of_data_are_those_of_a_run_over_it_checked_against_gold(
    check_data, kind
):
    header, *today = heuristic.as_csv(
        heuristic.measured(check_data / "ragbench" / kind)
    ).splitlines()

    before, *lines = quality.FILE.read_text(encoding="utf-8").splitlines()
    assert before == header
    # `make heuristic` measures them again
    assert [line for line in lines if line.startswith(f"{kind},")] == today


def test_the_file_holds_every_kind_of_data_by_every_formula():
    for formula in DEFINITIONS:
        assert tuple(own.kind for own in quality.by_kind(formula)) == KINDS


def test_the_tables_of_the_docs_are_those_of_the_file():
    text = heuristic.DOCS.read_text(encoding="utf-8")

    assert heuristic.TABLES.search(text).group() == (
        f"<!-- `make heuristic` -->\n{heuristic.as_tables()}<!-- end -->"
    )


def of_kind(name, right, always_yes, relevance):
    return quality.Quality(
        name,
        "sentence",
        100,
        right,
        always_yes,
        0.5,
        0.1,
        0.6,
        {
            "context_relevance": relevance,
            "context_utilization": (0.1, 0.2),
            "completeness": (0.2, 0.2),
        },
    )


TWO = (of_kind("one", 0.634, 0.926, (0.1, 0.2)), of_kind("two", 0.901, 0.45, (0.3, 0.2)))


def test_verdicts_are_told_of_by_the_worst_and_the_best_kind_beside_always_yes():
    assert quality.verdicts_in_words(TWO) == (
        "Against published labels its verdicts are right in 63 to 90 % of answers, by kind of "
        "data; always saying yes is right in 45 to 93 %."
    )
    assert quality.verdicts_in_words(()) == ""


def test_a_share_that_is_no_closer_than_a_constant_says_in_how_many_kinds_of_data():
    assert quality.share_in_words("context_relevance", TWO) == (
        "by the heuristic no closer to published labels than a constant in 1 of 2 kinds of data"
    )
    assert quality.share_in_words("completeness", TWO) == (
        "by the heuristic no closer to published labels than a constant in 2 of 2 kinds of data"
    )
    assert quality.share_in_words("context_utilization", TWO) == ""
