"""A labeller beside people: figures worked out by hand, and what is said of poor labels."""

import numpy as np
import pytest

from evaluators.people.check import check
from evaluators.people.correction import Stratum, corrected_mean, corrected_rate, labelled_rate
from evaluators.people.records import LabelledSample
from evaluators.records import Cell
from evaluators.statistics import wilson


def answers(*values, name="adherence"):
    """What the labeller says of answers 0, 1, 2, ..."""
    return {Cell(position): {name: value} for position, value in enumerate(values)}


def labelled(judged, people, name="adherence", **drawn):
    """Labels of the answers with these positions, by position."""
    basis = {"drawn": "at random", "probability": 0.5, "blind": True, "by": ("Anna",), **drawn}
    return [
        LabelledSample(
            cell=cell,
            judged=judged[cell],
            people={} if value is None else {name: value},
            stratum="yes" if judged[cell][name] == 1 else "no",
            **basis,
        )
        for cell, value in ((Cell(position), value) for position, value in people.items())
    ]


def only_value(*given, **options):
    (value,) = check("the judge", *given, **options).values
    return value


def of_80_and_20():
    """100 answers, 80 of them a yes; labelled are 32 of these (24 are right) and 8 others (6)."""
    judged = answers(*[1.0] * 80, *[0.0] * 20)
    people = {position: float(position < 24) for position in range(32)}
    people |= {80 + number: float(number >= 6) for number in range(8)}
    return judged, people


def test_a_yes_or_no_value_is_corrected_inside_its_verdicts():
    judged, people = of_80_and_20()
    value = only_value(judged, labelled(judged, people, probability=0.4))

    # .8 * 24/32 + .2 * 2/8
    assert value.corrected.mean == pytest.approx(0.65)
    assert value.corrected == corrected_rate([Stratum(80, 32, 24), Stratum(20, 8, 2)])
    assert value.alone.mean == pytest.approx(26 / 40)
    assert (value.judged, value.answers, value.labelled) == (0.8, 100, 40)
    assert value.best == value.corrected


def test_the_fields_of_the_table_hold_their_answers():
    judged, people = of_80_and_20()
    table = only_value(judged, labelled(judged, people)).table

    assert [cell.position for cell in table.both_yes] == list(range(24))
    assert [cell.position for cell in table.only_labeller] == list(range(24, 32))
    assert [cell.position for cell in table.only_people] == [86, 87]
    assert [cell.position for cell in table.both_no] == list(range(80, 86))
    assert table.differing == 10


def test_sensitivity_specificity_and_kappa_are_those_of_the_table():
    judged, people = of_80_and_20()
    value = only_value(judged, labelled(judged, people))

    # People's yes: 24 + 2, seen 24. People's no: 8 + 6, seen 6
    assert (value.sensitivity.low, value.sensitivity.high) == pytest.approx(wilson(24, 26))
    assert (value.specificity.low, value.specificity.high) == pytest.approx(wilson(6, 14))
    # Equal 30 of 40 = .75; by chance .8 * .65 + .2 * .35 = .59; .16 / .41
    assert value.kappa == pytest.approx(0.16 / 0.41)


def test_answers_of_a_rare_verdict_that_were_drawn_more_often_count_less():
    judged = answers(*[1.0] * 80, *[0.0] * 20)
    # 10 of 80 and 10 of 20; right are 8 and 5
    of_yes = labelled(judged, {place: float(place < 8) for place in range(10)}, probability=1 / 8)
    of_no = labelled(
        judged, {80 + place: float(place >= 5) for place in range(10)}, probability=0.5
    )
    value = only_value(judged, [*of_yes, *of_no])

    assert value.corrected.mean == pytest.approx(0.8 * 0.8 + 0.2 * 0.5)
    assert value.alone.mean == pytest.approx(0.74)
    # People's yes: 8 * 8 = 64 seen, 5 * 2 = 10 not; people's no: 16 not seen, 10 seen
    assert value.sensitivity.mean == pytest.approx(64 / 74)
    assert value.specificity.mean == pytest.approx(10 / 26)
    # Equal .64 + .1; by chance .8 * .74 + .2 * .26 = .644
    assert value.kappa == pytest.approx((0.74 - 0.644) / 0.356)


def test_a_continuous_value_is_corrected_by_its_differences():
    judged = answers(*[0.2, 0.6, 0.4, 0.8] * 25, name="completeness")
    people = {place: judged[Cell(place)]["completeness"] - 0.1 for place in range(20)}
    value = only_value(judged, labelled(judged, people, name="completeness"))

    others = [0.2, 0.6, 0.4, 0.8] * 20
    own = [0.2, 0.6, 0.4, 0.8] * 5
    assert value.corrected == corrected_mean(others, own, [number - 0.1 for number in own])
    assert value.corrected.mean == pytest.approx(0.4)
    assert value.table is None
    assert value.distance.bias == pytest.approx(0.1)
    assert value.distance.rmse == pytest.approx(0.1)
    # People say .1, .5, .3, .7: squares of .3, .1, .1, .3 from their mean are .2 / 4
    assert value.distance.rmse_of_constant == pytest.approx(0.05**0.5)


def test_auroc_is_that_of_how_likely_the_labeller_holds_adherence_to_be():
    judged, people = of_80_and_20()
    own = {cell: 0.9 if people.get(cell.position) == 1 else 0.1 for cell in judged}

    assert only_value(judged, labelled(judged, people), likely={"adherence": own}).auroc == 1
    assert only_value(judged, labelled(judged, people)).auroc is None


def test_adherence_is_told_first():
    judged = {Cell(0): {"context_relevance": 0.5, "adherence": 1.0}}

    assert [value.name for value in check("the judge", judged, []).values] == [
        "adherence",
        "context_relevance",
    ]


def test_what_does_not_apply_to_an_answer_is_not_asked_of_it():
    judged = answers(1.0, None, 0.0)
    value = only_value(judged, labelled(judged, {0: 1.0, 1: 1.0}))

    assert (value.answers, value.labelled) == (2, 1)


def test_the_sentence_says_who_says_what():
    judged, people = of_80_and_20()
    found = check("the judge", judged, labelled(judged, people))

    low, high = found.values[0].corrected.low, found.values[0].corrected.high
    assert found.sentence == (
        f"Adherence: the judge says 80 %, people say 65 % ({100 * low:.0f} to {100 * high:.0f})."
    )


def test_published_labels_are_named_as_such():
    judged, people = of_80_and_20()
    found = check("the judge", judged, labelled(judged, people), against="gold")

    assert "the labels of the data say 65 %" in found.sentence


def test_labels_are_worth_more_with_the_judge_and_further_ones_narrow():
    judged, people = of_80_and_20()
    value = only_value(judged, labelled(judged, people))

    assert value.worth == round(40 * (value.alone.half / value.corrected.half) ** 2)
    assert value.more.labels == 20
    assert value.more.half < value.corrected.half


def test_where_all_is_labelled_there_is_nothing_to_forecast():
    judged = answers(*[1.0] * 12, *[0.0] * 8)
    value = only_value(judged, labelled(judged, {place: 1.0 for place in range(20)}, probability=1))

    assert (value.worth, value.more) == (None, None)
    assert value.corrected.mean == 1


@pytest.mark.parametrize(
    ("wrong", "more"),
    # Half the interval is 8.26 points and would be 8.25 (shown as 8.3 and 8.2), or 9.44 and 9.39.
    [(5, 2), (20, None)],
)
def test_a_forecast_that_changes_no_shown_digit_is_not_made(wrong, more):
    """Of 80 yes and 20 no all but two are labelled: so many of the yes are wrong, no no is."""
    judged = answers(*[1.0] * 80, *[0.0] * 20)
    people = {position: float(wrong <= position < 80) for position in range(100)}
    del people[78], people[79]

    value = only_value(judged, labelled(judged, people, probability=0.98))

    assert (value.more and value.more.labels) == more


# Poor labels


def test_without_labels_only_the_judge_speaks():
    value = only_value(answers(1.0, 0.0), [])

    assert (value.alone, value.corrected, value.best, value.warnings) == (None, None, None, ())
    assert value.sentence == "Adherence: the judge says 50 %; nobody has labelled it yet."


def test_below_15_labels_the_labels_stand_alone():
    judged = answers(*[1.0] * 100)
    value = only_value(judged, labelled(judged, {place: float(place < 7) for place in range(14)}))

    assert value.corrected is None
    assert value.best == value.alone == labelled_rate([1] * 7 + [0] * 7)
    assert "by 14 labels alone people say 50 %" in value.sentence


def test_one_label_is_said_to_be_little():
    judged = answers(1.0, 0.0)
    value = only_value(judged, labelled(judged, {0: 1.0}))

    assert (value.alone.low, value.alone.high) == pytest.approx(wilson(1, 1))
    assert "One label tells almost nothing: label some more." in value.warnings
    assert value.specificity is None


def test_no_disagreement_is_no_proof():
    judged = answers(*[1.0] * 60, *[0.0] * 40)
    people = {place: judged[Cell(place)]["adherence"] for place in range(45, 95)}
    value = only_value(judged, labelled(judged, people))

    # Wilson's end for 0 of 50: 3.8415 / 53.8415 = .0713
    assert value.warnings == (
        "No disagreement in 50 labels: up to 7 % of all verdicts may still be wrong.",
    )
    assert value.kappa == 1


def test_a_judge_that_always_says_the_same_adds_nothing():
    judged = answers(*[1.0] * 100)
    value = only_value(judged, labelled(judged, {place: float(place < 30) for place in range(40)}))

    assert value.corrected.mean == value.alone.mean == 0.75
    assert "the judge gives all answers the same value: only the labels count." in value.warnings
    assert value.kappa == 0


def test_a_verdict_without_labels_is_named():
    judged = answers(*[1.0] * 90, *[0.0] * 10)
    value = only_value(judged, labelled(judged, {place: float(place < 18) for place in range(20)}))

    assert (
        "None of the 10 answers that the judge gives a no is labelled: half of them might be wrong."
        in value.warnings
    )
    assert value.corrected.mean == pytest.approx(0.9 * 0.9 + 0.1 * 0.5)


def test_labels_by_hand_are_left_out_where_enough_came_at_random():
    judged, people = of_80_and_20()
    by_hand = labelled(judged, {50: 0.0, 51: 0.0}, drawn="by hand", probability=None)
    value = only_value(judged, [*labelled(judged, people), *by_hand])

    assert value.labelled == 40
    assert value.warnings == ("2 labels left out: not drawn at random.",)


@pytest.mark.parametrize("drawn", ["by hand", "by doubt", "by filter"])
def test_labels_that_did_not_come_at_random_count_with_a_warning_where_there_are_no_others(drawn):
    judged, people = of_80_and_20()
    value = only_value(judged, labelled(judged, people, drawn=drawn, probability=None))

    assert value.labelled == 40
    assert value.warnings[0].startswith(
        "40 labels of answers that were chosen, not drawn at random"
    )


def test_labels_of_sentences_that_are_gone_are_counted_but_say_nothing():
    judged, people = of_80_and_20()
    gone = labelled(judged, {60: None, 61: None})
    value = only_value(judged, [*labelled(judged, people), *gone])

    assert value.labelled == 40
    assert value.warnings[0].startswith("2 labelled answers without this value")


def test_labels_with_the_judges_in_sight_are_named():
    judged, people = of_80_and_20()
    value = only_value(judged, labelled(judged, people, blind=False))

    assert value.warnings == (
        "40 labels given with those of the judge in sight: people then agree more often than blind.",
    )


def test_a_label_of_an_answer_that_failed_is_not_counted():
    judged = answers(1.0, 0.0)
    gone = labelled(answers(*[1.0] * 10), {9: 1.0})

    assert only_value(judged, gone).labelled == 0


def test_nothing_judged_is_nothing_to_check():
    found = check("the judge", {Cell(0): {"adherence": None}}, [])

    assert found.values == ()
    assert found.sentence == "Nothing is checked yet."


def test_labels_of_one_question_count_as_the_fewer_that_tell_the_same():
    # 40 questions twice: both answers the same by the judge and by people, so they count once.
    judged = answers(*[1.0] * 60, *[0.0] * 20)
    people = {position: float(position < 50) for position in range(80)}
    twice = {Cell(position): position // 2 for position in range(80)}
    told = labelled(judged, people, probability=1.0)

    value = only_value(judged, told, questions=twice)

    # Copies tell as much as one: 30 questions with a yes (25 right) and 10 with a no.
    expected = corrected_rate([Stratum(30, 30, 25), Stratum(10, 10, 0)])
    assert (value.corrected.low, value.corrected.high) == pytest.approx(
        (expected.low, expected.high), abs=0.01
    )
    assert value.corrected.mean == pytest.approx(0.625)
    assert (value.alone.low, value.alone.high) == pytest.approx(wilson(25, 40))
    # Each answer of a question of its own: as without questions.
    apart = {Cell(position): position for position in range(80)}
    assert only_value(judged, told, questions=apart) == only_value(judged, told)


def test_corrected_rates_of_answers_to_few_questions_hold_the_truth():
    rng = np.random.default_rng(5)
    held = {"questions": 0, "answers": 0}
    questions = {Cell(position): position // 5 for position in range(120)}
    for _ in range(80):
        right = rng.random(120) < np.repeat(rng.beta(1, 1, size=24), 5)
        said = right ^ (rng.random(120) < 0.15)
        judged = answers(*said.astype(float))
        people = {int(place): float(right[place]) for place in rng.permutation(120)[:60]}
        told = labelled(judged, people)
        for name, own in (("questions", questions), ("answers", None)):
            corrected = only_value(judged, told, questions=own).corrected
            held[name] += corrected.low <= 0.5 <= corrected.high

    # 80 repetitions of 95 % have a standard error of 2.4 points.
    assert held["questions"] / 80 >= 0.9
    assert held["answers"] / 80 < 0.9
