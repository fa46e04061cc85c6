"""Reliability of probabilities, with every number worked out by hand."""

import pytest

from evaluators.people.reliability import Likely, Outcome, reliability
from evaluators.statistics import auroc_interval

SAID = [
    Likely(0.95, True, "a"),
    Likely(0.91, True, "b"),
    Likely(0.93, False, "c"),
    Likely(0.55, True, "d"),
    Likely(0.51, False, "e"),
    Likely(0.12, False, "f"),
    Likely(1.0, True, "g"),
    Likely(0.0, False, "h"),
]


def test_a_tenth_has_the_mean_of_its_probabilities_and_the_share_that_is_true():
    found = reliability(SAID)

    # 0.0 | 0.12 | 0.51 and 0.55 | 0.91, 0.93, 0.95 and 1.
    assert [(own.count, own.share) for own in found.tenths] == [(1, 0), (1, 0), (2, 0.5), (4, 0.75)]
    assert [own.probability for own in found.tenths] == pytest.approx([0, 0.12, 0.53, 0.9475])


def test_the_error_is_the_distance_of_the_tenths_by_their_number():
    # (1 x 0 + 1 x 0.12 + 2 x 0.03 + 4 x 0.1975) / 8
    assert reliability(SAID).error == pytest.approx(0.97 / 8)


def test_expected_counted_and_true_are_three_things():
    found = reliability(SAID)

    assert found.expected == pytest.approx(4.97 / 8)
    assert found.at(0.5).share == 6 / 8
    assert found.true == 4 / 8


def test_a_threshold_has_its_errors_and_their_cost():
    found = reliability(SAID)

    assert found.at(0.5) == Outcome(hits=4, false_alarms=2, misses=0, rightly_left=2)
    assert found.at(0.92) == Outcome(hits=2, false_alarms=1, misses=2, rightly_left=3)
    assert found.at(0.92).cost(of_miss=5, of_alarm=1) == 11


def test_auroc_counts_the_pairs_in_the_right_order():
    found = reliability(SAID)

    # Of 16 pairs, 0.91 and 0.55 are below the false 0.93.
    assert found.auroc == 14 / 16
    assert found.auroc_interval == pytest.approx(auroc_interval(14 / 16, 4, 4))


def test_labels_of_a_question_make_the_interval_wider():
    alike = [each._replace(question=each.is_true) for each in SAID]
    apart, together = reliability(SAID).auroc_interval, reliability(alike).auroc_interval

    assert together[0] < apart[0]
    assert together[1] > apart[1]


def test_without_labels_there_is_nothing_to_say():
    assert reliability([]) is None


def test_labels_of_one_kind_alone_have_no_auroc():
    found = reliability([Likely(0.8, True, "a"), Likely(0.6, True, "b")])

    assert found.auroc is None
    assert found.auroc_interval is None
