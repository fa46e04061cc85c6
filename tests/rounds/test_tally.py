"""What comes of a round's labels, by the table of `tests.lesson`, worked out by hand."""

from __future__ import annotations

import pytest

from evaluators.records import Support
from evaluators.rounds import tally
from evaluators.rounds.records import AskedPlace, Participant, RoundLabel
from evaluators.rounds.tally import (
    ClassAgreement,
    Right,
    Spread,
    WinRate,
    answer_support,
    board,
    by_quarrel,
    class_agreement,
    class_labels,
    right,
    spreads,
    win_rate,
)
from tests.lesson import ESTIMATED, FULL, GOLD, JUDGED, NONE, PARTIAL, PLACES, SAID

NUMBERS = {nickname: number for number, nickname in enumerate(SAID, start=1)}


def labels_of(*nicknames: str) -> list[RoundLabel]:
    return [
        RoundLabel(NUMBERS[nickname], place, support, "")
        for nickname in nicknames
        for place, support in zip(PLACES, SAID[nickname], strict=True)
        if support
    ]


def by_place(supports: list[Support]) -> dict[AskedPlace, Support]:
    return dict(zip(PLACES, supports, strict=True))


EVERYBODY = labels_of(*SAID)
TRUTH = by_place(GOLD)


@pytest.mark.parametrize(
    ("votes", "quarrel", "majority", "is_tied"),
    [
        ((0, 0, 0), 0, None, False),
        ((1, 0, 0), 0, FULL, False),
        ((3, 0, 0), 0, FULL, False),
        # Of three pairs two differ.
        ((1, 0, 2), 2 / 3, NONE, False),
        ((1, 1, 0), 1, PARTIAL, True),
        ((1, 0, 1), 1, NONE, True),
        # A tie of three.
        ((1, 1, 1), 1, NONE, True),
        # Of 21 pairs six are alike: the middle of all votes is not what most say.
        ((3, 1, 3), 15 / 21, NONE, True),
        # Of six pairs one is alike.
        ((1, 2, 1), 5 / 6, PARTIAL, False),
        ((2, 0, 2), 4 / 6, NONE, True),
        ((3, 0, 2), 6 / 10, FULL, False),
    ],
)
def test_the_majority_and_how_much_a_class_quarrels(votes, quarrel, majority, is_tied):
    full, partial, none = votes
    spread = Spread(full=full, partial=partial, none=none)

    assert spread.quarrel == pytest.approx(quarrel)
    assert spread.majority is majority
    assert spread.is_tied is is_tied


@pytest.mark.parametrize(
    ("votes", "favoured", "share"),
    [
        ((1, 0, 0), FULL, 1),
        ((3, 1, 0), FULL, 3.5 / 4),
        ((1, 3, 0), FULL, 2.5 / 4),
        # As many prefer one side as the other: neither is stricter.
        ((1, 0, 1), PARTIAL, 0.5),
        ((2, 1, 2), PARTIAL, 0.5),
        ((0, 2, 0), PARTIAL, 0.5),
        ((1, 1, 2), NONE, 1.5 / 4),
    ],
)
def test_what_a_class_prefers_of_two(votes, favoured, share):
    left, alike, right_side = votes
    spread = Spread(full=left, partial=alike, none=right_side)

    assert spread.favoured is favoured
    assert spread.share_of_full == share


def test_nobody_prefers_anything_without_a_vote():
    assert Spread().favoured is None
    assert win_rate({PLACES[0]: Spread()}, {PLACES[0]: True}) is None


@pytest.mark.parametrize(
    ("votes", "is_left", "rate"),
    [
        # One sample tells nothing of others.
        ([(3, 0, 1)], [True], WinRate(0.75, None, 1)),
        # Right on the second one, where one of four prefers the left side; equal shares have no
        # spread to go by.
        ([(3, 0, 1), (1, 0, 3)], [True, False], WinRate(0.75, None, 2)),
        # Nobody voted on the second one.
        ([(1, 2, 1), (0, 0, 0)], [True, True], WinRate(0.5, None, 1)),
        # All four votes are for the system. Wilson: 2 / (2 + 1.96 ** 2).
        ([(2, 0, 0), (0, 0, 2)], [True, False], WinRate(1, (pytest.approx(0.342, abs=5e-4), 1), 2)),
    ],
)
def test_how_often_a_system_is_preferred(votes, is_left, rate):
    spread = {}
    for place, (full, partial, none) in zip(PLACES, votes, strict=False):
        spread[place] = Spread(full=full, partial=partial, none=none)

    assert win_rate(spread, dict(zip(PLACES, is_left, strict=False))) == rate


def test_the_spread_of_each_sentence_and_their_order_by_quarrel():
    spread = spreads(EVERYBODY, [*PLACES, AskedPlace(1, "c")])

    assert [own.counts for own in spread.values()] == [
        (0, 0, 3),
        (2, 0, 1),
        (0, 1, 1),
        (0, 3, 0),
        (0, 0, 0),
    ]
    # 1, 2/3, and two on which all agree in their own order; the one without a label is the last.
    unlabelled = AskedPlace(1, "c")
    assert by_quarrel(spread) == [PLACES[2], PLACES[1], PLACES[0], PLACES[3], unlabelled]
    assert list(class_labels(spread).values()) == [FULL, NONE, PARTIAL, PARTIAL]
    # 0 against 2/3, and 1 against 0.
    assert tally.disputed(spread) == {0: PLACES[1], 1: PLACES[2]}
    # The only one whom nobody contradicts disputes nothing.
    assert tally.disputed(spreads(labels_of("Ann"), PLACES)) == {}


def test_a_label_of_a_sentence_that_is_not_there_is_not_counted():
    strange = RoundLabel(1, AskedPlace(9, "zz"), FULL, "")

    assert spreads([*EVERYBODY, strange], PLACES) == spreads(EVERYBODY, PLACES)


def test_three_agree_by_alpha():
    # 11 labels: 2 none, 4 partial, 5 full; coincidences 3 + 1 + 0 + 3 = 7.
    # ((11 - 1) * 7 - 34) / (11 * 10 - 34)
    agreement = class_agreement(EVERYBODY)

    assert agreement[:3] == ("alpha", pytest.approx(36 / 76), 4)
    # Two answers tell hardly anything of others.
    assert agreement.interval == pytest.approx((-1, 1), abs=0.02)


def test_two_agree_by_kappa():
    # On 3 of 4; by chance (1 * 1 + 1 * 2 + 2 * 1) / 16.
    agreement = class_agreement(labels_of("Ann", "Ben"))

    assert agreement[:3] == ("kappa", pytest.approx(7 / 11), 4)


@pytest.mark.parametrize("labels", [[], labels_of("Ann"), labels_of("Ann")[:1]])
def test_nobody_agrees_alone(labels):
    assert class_agreement(labels) == ClassAgreement("alpha", None, 0)


def test_who_says_always_the_same_agrees_by_no_more_than_chance():
    same = [RoundLabel(number, place, FULL, "") for number in (1, 2) for place in PLACES]

    assert class_agreement(same) == ClassAgreement("kappa", None, 4)


def test_all_are_measured_on_the_sentences_that_all_labelled():
    first, second, third, fourth = PLACES
    of_class = {first: FULL, second: NONE, third: PARTIAL}
    of_judge = {second: FULL, third: FULL, fourth: PARTIAL}
    elsewhere = {fourth: PARTIAL}
    by_name = {"class": of_class, "judge": of_judge, "other": elsewhere}

    # On the second and the third; who labelled neither is not compared.
    assert tally.right_on_the_same(by_name, TRUTH) == {"class": Right(1, 2), "judge": Right(1, 2)}
    assert tally.right_on_the_same({"class": {}, "judge": of_judge}, TRUTH) == {}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (class_labels(spreads(EVERYBODY, PLACES)), Right(3, 4)),
        (by_place(JUDGED), Right(2, 4)),
        (by_place(ESTIMATED), Right(2, 4)),
        ({PLACES[1]: FULL}, Right(0, 1)),
        ({}, None),
    ],
)
def test_how_often_class_judge_and_estimate_are_right(labels, expected):
    assert right(labels, TRUTH) == expected


@pytest.mark.parametrize(
    ("sentences", "answer"),
    [
        ([FULL, FULL], FULL),
        ([FULL, NONE], PARTIAL),
        ([PARTIAL, NONE], PARTIAL),
        ([PARTIAL], PARTIAL),
        ([NONE, NONE], NONE),
    ],
)
def test_an_answer_is_supported_in_all_some_or_none_of_it(sentences, answer):
    assert answer_support(sentences) is answer


def test_the_board_has_those_first_who_agree_most_with_gold():
    participants = [
        Participant(number=number, round_id="lead", token=nickname, nickname=nickname)
        for nickname, number in NUMBERS.items()
    ]

    places = board(participants, EVERYBODY, TRUTH)

    assert places == [("Ann", Right(4, 4)), ("Ben", Right(3, 4)), ("Cid", Right(2, 3))]
    # One of four sentences is too little to stand on it.
    assert board(participants, EVERYBODY[:1], TRUTH) == []
