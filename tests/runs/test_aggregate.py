"""Figures: every mean says how many samples it stands on, and nothing unknown counts as zero."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.runs.aggregate import Mean, accuracy_by_noise, rgb_rates, summarise, with_ability
from evaluators.runs.statistics import wilson
from evaluators.runs.store import Outline
from evaluators.types import Ability


def outline(status=None, ability=Ability.NOISE, noise=0.2, effective=0.2, **values):
    return Outline(
        position=0,
        sample_id="s",
        question="q",
        ability=ability,
        noise=noise,
        effective_noise=effective,
        status=status,
        values=values,
    )


def scored(**fields):
    return outline("scored", **fields)


FAILED, OPEN = outline("failed"), outline()


@pytest.mark.parametrize(
    ("rows", "mean", "counts"),
    [
        # asked, scored, not applicable, failed
        ([scored(accuracy=1.0), scored(accuracy=0.0)], 0.5, (2, 2, 0, 0)),
        ([scored(accuracy=1.0), scored(accuracy=None), FAILED, OPEN], 1.0, (4, 1, 1, 1)),
        ([scored(accuracy=0.0), FAILED, FAILED], 0.0, (3, 1, 0, 2)),
        ([scored(other=1.0), scored(accuracy=0.25), scored(accuracy=0.75)], 0.5, (3, 2, 1, 0)),
        ([scored(accuracy=None)], None, (1, 0, 1, 0)),
        ([FAILED], None, (1, 0, 0, 1)),
        ([OPEN], None, (1, 0, 0, 0)),
        ([], None, (0, 0, 0, 0)),
    ],
)
def test_a_mean_is_over_judged_samples_and_says_what_became_of_the_others(rows, mean, counts):
    summary = summarise(rows, "accuracy")

    assert summary.mean == mean
    assert (summary.asked, summary.scored, summary.not_applicable, summary.failed) == counts
    assert summary.coverage == f"{counts[1]} / {counts[0]}"


def test_without_judged_samples_there_is_no_interval():
    assert summarise([FAILED, OPEN], "accuracy") == Mean(mean=None, asked=2, scored=0, failed=1)


def test_the_interval_of_a_rate_is_wilsons():
    rows = [scored(accuracy=1.0)] * 4 + [scored(accuracy=0.0)] * 3

    summary = summarise(rows, "accuracy")

    assert (summary.low, summary.high) == wilson(4, 7)


@given(
    st.lists(
        st.sampled_from([FAILED, OPEN])
        | st.builds(lambda value: scored(accuracy=value), st.none() | st.floats(0, 1) | st.sampled_from([0.0, 1.0]))
    )
)
def test_counts_add_up_and_no_figure_is_ever_nan(rows):
    summary = summarise(rows, "accuracy")

    still_open = sum(row is OPEN for row in rows)
    assert summary.asked == summary.scored + summary.not_applicable + summary.failed + still_open
    figures = [figure for figure in (summary.mean, summary.low, summary.high) if figure is not None]
    assert len(figures) in (0, 1, 3)  # a single value that is neither 0 nor 1 has no interval
    assert all(math.isfinite(figure) for figure in figures)


def test_accuracy_by_noise_has_a_point_for_each_level_lowest_first():
    rows = [
        scored(noise=0.8, effective=0.6, accuracy=0.0),
        scored(noise=0.0, effective=0.0, accuracy=1.0),
        scored(noise=0.8, effective=0.8, accuracy=1.0),
        outline("failed", noise=0.4, effective=None),
        scored(ability=Ability.REJECTION, noise=1.0, rejection=1.0),
        scored(noise=None, accuracy=1.0),
    ]

    points = accuracy_by_noise(rows, Ability.NOISE)

    assert [point.noise for point in points] == [0.0, 0.4, 0.8]
    assert [point.accuracy.mean for point in points] == [1.0, None, 0.5]
    assert [point.accuracy.coverage for point in points] == ["1 / 1", "0 / 1", "2 / 2"]
    assert [point.effective_noise for point in points] == [0.0, None, pytest.approx(0.7)]


def test_rows_of_an_ability_are_found_by_its_name():
    stored = outline(ability="negative_rejection")

    assert with_ability([stored, OPEN], Ability.REJECTION) == [stored]


def test_rates_are_those_of_the_abilities_asked():
    rows = [
        scored(ability=Ability.REJECTION, rejection=1.0),
        scored(ability=Ability.REJECTION, rejection=0.0),
        scored(ability=Ability.COUNTERFACTUAL, detection=1.0, correction=1.0, correction_among_detected=1.0),
        scored(ability=Ability.COUNTERFACTUAL, detection=0.0, correction=0.0, correction_among_detected=None),
        scored(ability=Ability.COUNTERFACTUAL, detection=0.0, correction=1.0, correction_among_detected=None),
        outline("failed", ability=Ability.COUNTERFACTUAL),
    ]

    rates = rgb_rates(rows)

    assert {title: (rate.mean, rate.coverage) for title, rate in rates.items()} == {
        "Negative rejection": (0.5, "2 / 2"),
        "Error detection": (pytest.approx(1 / 3), "3 / 4"),
        "Error correction": (pytest.approx(2 / 3), "3 / 4"),
        "Correction if detected": (1.0, "1 / 4"),
    }
    assert rates["Correction if detected"].not_applicable == 2


def test_without_rows_there_are_no_rates():
    assert rgb_rates([]) == {}
    assert accuracy_by_noise([], Ability.NOISE) == []
