"""Agreement between labellers: counted by hand on sentences that both labelled."""

import pytest

from evaluators.people.labels import labels_by_labeller
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Labelling, Labels, Sample, Sentence, Sentences, SentenceSupport
from evaluators.trace.agreement import agreement, group_agreement
from evaluators.trace.labelling import JURY, labelled_score

JUDGE = "openai/gpt-6-luna"


def labels(relevant="", support=""):
    """Relevant keys, and the support of the response sentences a, b, ... ("-": no verdict)."""
    levels = {"f": "full", "p": "partial", "n": "none"}
    return Labels(
        relevant_keys=tuple(relevant.split()),
        sentence_support=tuple(
            SentenceSupport(key="abcd"[at], support=levels[level])
            for at, level in enumerate(support)
            if level != "-"
        ),
    )


def cell(position, *labellings, gold=None, size=4):
    """A sample of four document and `size` response sentences; its last labeller counts."""
    sentences = Sentences(
        documents=(tuple(Sentence(key=f"0{letter}", text="t") for letter in "abcd"),),
        response=tuple(Sentence(key=letter, text="t") for letter in "abcd"[:size]),
    )
    sample = Sample(id=f"s{position}", question="q", sentences=sentences, labels=gold)
    found = [Labelling(by=by, labels=given) for by, given in labellings]
    return Cell(position), sample, labelled_score(sample, sentences, found, found[-1])


def found(cells, people=None, jury=()):
    every = (
        (cell, *labels_by_labeller(sample, score, (people or {}).get(cell, ())))
        for cell, sample, score in cells
    )
    table = agreement(every, jury)
    return {(each.first, each.second, each.label): each for each in table}


def test_two_labellers_are_compared_sentence_by_sentence_over_all_samples():
    cells = [
        cell(0, ("heuristic", labels("0a 0b", "fp")), (JUDGE, labels("0a 0c", "ff")), size=2),
        cell(1, ("heuristic", labels("0d", "n")), (JUDGE, labels("0d", "n")), size=1),
    ]

    table = found(cells)

    # Both call 2 of 8 relevant, each one more alone, 4 neither: equal .75; by chance .375² + .625²
    # = .53125
    relevant = table[JUDGE, "heuristic", "relevant"]
    assert (relevant.sentences, relevant.equal) == (8, 0.75)
    assert relevant.kappa == pytest.approx(0.21875 / 0.46875)
    # f-f, f-p, n-n: equal 2 / 3; by chance (2 * 1 + 0 * 1 + 1 * 1) / 9 = 1 / 3
    support = table[JUDGE, "heuristic", "support"]
    assert (support.sentences, support.equal) == (3, pytest.approx(2 / 3))
    assert support.kappa == pytest.approx(0.5)
    # Nobody calls anything utilized
    utilized = table[JUDGE, "heuristic", "utilized"]
    assert (utilized.sentences, utilized.equal, utilized.kappa) == (8, 1.0, None)
    # The eight sentences are of two answers, and tell no more than two that are alike.
    assert (utilized.answers, utilized.kappa_interval) == (2, None)
    low, high = utilized.equal_interval
    assert 0.2 < low < 0.6
    assert high == 1


def test_a_jury_is_not_compared_with_the_judges_whose_votes_it_is_made_of():
    other = "custom/other"
    cells = [cell(0, (JURY, labels("0a")), (JUDGE, labels("0a")), (other, labels("0b")))]

    pairs = {frozenset(each[:2]) for each in found(cells, jury=[JUDGE])}

    assert pairs == {frozenset({JURY, other}), frozenset({JUDGE, other})}


def test_only_samples_and_sentences_that_both_labelled_count():
    cells = [
        cell(0, ("heuristic", labels("0a", "f-")), (JUDGE, labels("0a", "ff")), size=2),
        cell(1, ("heuristic", labels("", "n"))),
    ]

    table = found(cells)

    assert table[JUDGE, "heuristic", "relevant"].sentences == 4
    assert table[JUDGE, "heuristic", "support"].sentences == 1


def test_published_and_corrected_labels_are_labellers_too_corrected_ones_where_there_are_some():
    change = PersonLabel(label="relevant", key="0b", value="yes", created="2026-11-22T10:00:00Z")
    cells = [
        cell(0, (JUDGE, labels("0a")), gold=labels("0a 0b")),
        cell(1, (JUDGE, labels("0a")), gold=labels("0a")),
    ]

    table = found(cells, {Cell(0): [change]})

    pairs = {
        (first, second): each
        for (first, second, label), each in table.items()
        if label == "relevant"
    }
    assert {pair: (each.sentences, each.equal) for pair, each in pairs.items()} == {
        (JUDGE, "gold"): (8, 0.875),
        (JUDGE, "corrected"): (4, 0.75),
        ("gold", "corrected"): (4, 1.0),
    }


def test_keys_that_do_not_exist_or_come_twice_change_nothing():
    cells = [cell(0, ("heuristic", labels("0a 0a 9z")), (JUDGE, labels("0a")))]

    assert found(cells)[JUDGE, "heuristic", "relevant"].equal == 1.0


@pytest.mark.parametrize("cells", [[], [cell(0, (JUDGE, labels("0a")))]])
def test_fewer_than_two_labellers_agree_on_nothing(cells):
    assert found(cells) == {}


def test_two_that_never_met_are_left_out():
    cells = [cell(0, ("heuristic", labels("0a"))), cell(1, (JUDGE, labels("0a")))]

    assert found(cells) == {}


def said(person, *words):
    """What somebody who is done said of supports, such as "a full"."""
    made = {"person": person, "created": "2026-11-22T10:00:00Z", "blind": True}
    labels = [PersonLabel(label="support", key=word[0], value=word[2:], **made) for word in words]
    return [*labels, PersonLabel(label="sample", value="done", **made)]


def test_people_are_labellers_on_what_they_labelled_and_more_than_two_agree_as_a_group():
    people = {
        Cell(0): [
            *said("Ann", "a full", "b none"),
            *said("Ben", "a full", "b full"),
            *said("<b>", "a full"),
        ]
    }
    cells = [cell(0, (JUDGE, labels("0a", support="ffnn")))]

    table = found(cells, people)
    assert table["person:Ann", "person:Ben", "support"].equal == 0.5
    assert table[JUDGE, "person:<b>", "support"].sentences == 1
    assert (JUDGE, "person:Ann", "relevant") not in table

    group = ["person:Ann", "person:Ben", "person:<b>", "person:nobody"]
    everything = [
        (at, *labels_by_labeller(sample, score, people[at])) for at, sample, score in cells
    ]
    (together,) = group_agreement(everything, [group])
    # a: three full; b: one none, one full. o_ff = 3, n_f = 4, n_n = 1: (4 * 3 - 12) / (20 - 12)
    assert (together.label, together.sentences, together.alpha) == ("support", 2, 0.0)
