"""Which answers people label: in proportion, at random and repeatable; with numbers by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.people.drawing import (
    LEAST,
    WORST,
    Candidate,
    QueuedAnswer,
    allocate,
    by_doubt,
    by_verdict,
    half_width,
    in_order,
    labels_needed,
    minutes,
)

SIZES = st.dictionaries(st.sampled_from(["yes", "mixed", "no"]), st.integers(0, 400))


def candidates(yes: int = 0, no: int = 0, mixed: int = 0) -> list[Candidate]:
    verdicts = ["yes"] * yes + ["no"] * no + ["mixed"] * mixed
    return [Candidate(position, 0, verdict) for position, verdict in enumerate(verdicts)]


def strata(drawn: list[QueuedAnswer], among: list[Candidate]) -> Counter[str]:
    by_position = {candidate.position: candidate.stratum for candidate in among}
    return Counter(by_position[answer.position] for answer in drawn)


@pytest.mark.parametrize(
    ("sizes", "n", "counts"),
    [
        ({"yes": 80, "no": 20}, 50, {"yes": 40, "no": 10}),
        # 98 to 2 would be 49 to 1: there are only two to say no.
        ({"yes": 98, "no": 2}, 50, {"yes": 48, "no": 2}),
        # 45 and 2.5 and 2.5, but at least 5 each.
        ({"yes": 900, "mixed": 50, "no": 50}, 50, {"yes": 40, "mixed": 5, "no": 5}),
        ({"yes": 2, "no": 1}, 50, {"yes": 2, "no": 1}),
        ({"yes": 70, "no": 30}, 3, {"yes": 2, "no": 1}),
        ({"yes": 70, "no": 30}, 1, {"yes": 1, "no": 0}),
        ({"yes": 12, "no": 0}, 5, {"yes": 5}),
        ({}, 5, {}),
    ],
)
def test_a_sample_is_in_proportion_with_at_least_five_of_each_verdict(sizes, n, counts):
    assert allocate(sizes, n) == counts


@given(sizes=SIZES, n=st.integers(0, 500))
def test_every_share_is_within_what_there_is_and_all_are_as_many_as_wanted(sizes, n):
    counts = allocate(sizes, n)

    assert sum(counts.values()) == min(n, sum(sizes.values()))
    assert all(count <= sizes[name] for name, count in counts.items())
    if n >= LEAST * len(counts):
        assert all(count >= min(LEAST, sizes[name]) for name, count in counts.items())


@given(sizes=SIZES, n=st.integers(0, 500))
def test_where_five_of_each_come_anyway_no_share_is_off_by_a_whole_answer(sizes, n):
    total = sum(sizes.values())
    fair = {name: n * size / total for name, size in sizes.items() if size}

    if n <= total and all(share >= LEAST for share in fair.values()):
        for name, count in allocate(sizes, n).items():
            assert abs(count - fair[name]) < 1


@given(yes=st.integers(0, 60), no=st.integers(0, 60), n=st.integers(1, 80), seed=st.integers())
def test_what_is_drawn_depends_on_the_seed_alone(yes, no, n, seed):
    among = candidates(yes=yes, no=no)
    drawn = by_verdict(among, n, seed)

    assert by_verdict(reversed(among), n, seed) == drawn
    assert len(drawn) == len(set(drawn)) == min(n, yes + no)


def test_each_answer_knows_how_probable_it_was_among_those_of_its_verdict():
    among = candidates(yes=80, no=10)

    drawn = by_verdict(among, 20, seed=1)

    # 20 of 90 would be 17.8 and 2.2: five say no, fifteen say yes.
    assert strata(drawn, among) == {"yes": 15, "no": 5}
    assert {answer.probability for answer in drawn} == {15 / 80, 5 / 10}
    assert sum(1 / answer.probability for answer in drawn) == pytest.approx(90)


def test_further_answers_make_one_larger_sample_with_those_before():
    among = candidates(yes=80, no=20)
    first = by_verdict(among, 50, seed=0)

    more = by_verdict(among, 20, seed=1, before={answer[:2] for answer in first})

    assert not {answer[:2] for answer in more} & {answer[:2] for answer in first}
    # 40 and 10 of 80 and 20 are drawn; of the 40 and 10 left 15 and 5 are.
    assert strata(more, among) == {"yes": 15, "no": 5}
    assert {answer.probability for answer in more} == {55 / 80, 15 / 20}


def test_every_answer_is_drawn_as_often_as_its_probability_says():
    among = candidates(yes=8, no=10)
    times = Counter(
        answer.position for seed in range(2000) for answer in by_verdict(among, 9, seed)
    )

    # 4 of 8 and 5 of 10: each in half of the draws, give or take four standard errors (89).
    assert all(abs(times[position] - 1000) < 90 for position in range(18))


def test_the_order_does_not_tell_the_verdict():
    among = candidates(yes=50, no=50)
    first = [by_verdict(among, 20, seed)[0].position < 50 for seed in range(200)]

    assert 70 < sum(first) < 130


def test_the_most_doubtful_come_first_and_the_certain_never():
    among = [
        Candidate(0, 0, "yes", 0.1),
        Candidate(1, 0, "no", 0.5),
        Candidate(2, 0, "yes", 0.0),
        Candidate(3, 1, "mixed", 0.5),
        Candidate(4, 0, "yes", 0.3),
    ]

    assert by_doubt(among, 3) == [QueuedAnswer(1, 0), QueuedAnswer(3, 1), QueuedAnswer(4, 0)]
    assert len(by_doubt(among, 50)) == 4


def test_what_a_filter_lets_through_keeps_the_order_of_the_run():
    among = [Candidate(2, 0, "yes"), Candidate(0, 1, "no"), Candidate(0, 0, "no")]

    assert in_order(among, 2) == [QueuedAnswer(0, 0), QueuedAnswer(0, 1)]
    assert len(in_order(among, 50)) == 3


@pytest.mark.parametrize(
    ("n", "errs", "width"),
    [
        # 1.96 * sqrt(.1 * .9 / 50) = 1.96 * .0424
        (50, 0.1, 0.083),
        # 1.96 * sqrt(.25 / 50) = 1.96 * .0707
        (50, WORST, 0.139),
    ],
)
def test_so_many_labels_bring_about_so_narrow_an_interval(n, errs, width):
    assert half_width(n, errs) == pytest.approx(width, abs=0.0005)


@pytest.mark.parametrize(
    ("width", "errs", "n"),
    # .09 * (1.96 / .07)^2 = .09 * 784 = 70.6; .25 * 784 = 196
    [(0.07, 0.1, 71), (0.07, WORST, 196)],
)
def test_a_wished_for_interval_needs_so_many_labels(width, errs, n):
    assert labels_needed(width, errs) == n
    assert half_width(n, errs) <= width < half_width(n - 1, errs)


@pytest.mark.parametrize(("n", "time"), [(50, 25), (15, 8), (1, 1)])
def test_a_label_takes_about_half_a_minute(n, time):
    assert minutes(n) == time
