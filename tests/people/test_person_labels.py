"""What people say of an answer: the record, whose word counts, and which values it determines."""

import pytest

from evaluators.people.labels import (
    corrected,
    corrected_values,
    fitting,
    people_values,
    sentence_hash,
    verdict_values,
)
from evaluators.people.records import PersonLabel, stratum_of
from evaluators.records import Labels, Sentence, Sentences, SentenceSupport, Support

SENTENCES = Sentences(
    documents=((Sentence(key="0a", text="It rained."), Sentence(key="0b", text="It was May.")),),
    response=(Sentence(key="a", text="In May."), Sentence(key="b", text="It rained.")),
)
JUDGED = Labels(
    relevant_keys=("0a", "0b"),
    utilized_keys=("0b",),
    sentence_support=(
        SentenceSupport(key="a", support=Support.FULL, supporting_keys=("0b",)),
        SentenceSupport(key="b", support=Support.FULL, supporting_keys=("0a",)),
    ),
)


def label(kind, key, value, person="you", **more):
    created = "2026-11-22T10:00:00+00:00"
    return PersonLabel(label=kind, key=key, value=value, person=person, created=created, **more)


def done(person="you", blind=False, value="done"):
    return label("sample", "", value, person, blind=blind)


def votes(key, *values):
    """One label of support by each of so many people."""
    return [label("support", key, value, f"P{number}") for number, value in enumerate(values)]


# The record


@pytest.mark.parametrize("name", ["Anna", "Ann Lee", "李雷", "<script>alert(1)</script>", "x" * 40])
def test_a_name_may_hold_whatever_can_be_seen(name):
    assert label("support", "a", "full", name).person == name


@pytest.mark.parametrize(
    "name", ["", " Anna", "x" * 41, "An\nna", "An\u202ena", "An\x00na", "\u200b"]
)
def test_a_name_that_cannot_be_told_from_another_is_refused(name):
    with pytest.raises(ValueError, match="person"):
        label("support", "a", "full", name)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("support", "yes"), ("verdict", "right"), ("sample", "perhaps"), ("relevant", "full")],
)
def test_a_label_has_a_value_of_its_kind(kind, value):
    with pytest.raises(ValueError, match=kind):
        label(kind, "a", value)


@pytest.mark.parametrize(
    ("values", "stratum"),
    [
        ({"adherence": 1.0, "completeness": 0.2}, "yes"),
        ({"adherence": 0.0, "completeness": 1.0}, "no"),
        ({"adherence": None}, "mixed"),
        ({"detection": 1.0, "correction": 1.0}, "yes"),
        ({"detection": 0.0, "correction": 0.0, "correction_among_detected": None}, "no"),
        ({"detection": 1.0, "correction": 0.0}, "mixed"),
        ({"coherence": 0.75}, "mixed"),
        ({}, "mixed"),
    ],
)
def test_the_stratum_is_the_labellers_verdict(values, stratum):
    assert stratum_of(values) == stratum


# Whose word counts


@pytest.mark.parametrize(
    ("cast", "support"),
    [
        (["none"], "none"),
        (["full", "none"], "none"),  # a tie
        (["full", "partial"], "partial"),
        (["full", "full", "none"], "full"),
        (["full", "partial", "none"], "none"),  # a tie of three
        (["full", "full", "partial", "none"], "full"),
    ],
)
def test_what_most_people_say_counts_and_a_tie_goes_to_the_stricter(cast, support):
    first, second = corrected(JUDGED, SENTENCES, votes("a", *cast)).sentence_support
    assert (first.support, second.support) == (support, "full")


@pytest.mark.parametrize(
    ("values", "relevant"),
    [(["yes", "no"], ("0b",)), (["yes", "yes", "no"], ("0a", "0b")), (["no"], ("0b",))],
)
def test_a_tie_about_a_document_sentence_means_not_relevant(values, relevant):
    cast = [label("relevant", "0a", value, f"P{n}") for n, value in enumerate(values)]
    assert corrected(JUDGED, SENTENCES, cast).relevant_keys == relevant


def test_of_one_person_the_last_word_counts_and_a_person_has_one_vote():
    cast = [label("support", "a", value) for value in ("none", "none", "full")]
    assert corrected(JUDGED, SENTENCES, cast) is JUDGED


def test_whoever_is_done_with_the_labels_in_sight_confirms_the_rest():
    flip = label("support", "a", "none", "Ben")
    assert corrected(JUDGED, SENTENCES, [flip]).sentence_support[0].support == "none"
    confirmed = [flip, done("Ann"), done("Cleo")]
    assert corrected(JUDGED, SENTENCES, confirmed) is JUDGED  # two of three


def test_who_is_done_blind_confirms_nothing_and_who_cannot_tell_has_no_vote():
    flip = label("support", "a", "none", "Ben")
    cast = [flip, done("Ann", blind=True), done("Cleo", blind=True)]
    assert corrected(JUDGED, SENTENCES, cast).sentence_support[0].support == "none"
    assert corrected(JUDGED, SENTENCES, [flip, done("Ben", value="cannot tell")]) is JUDGED


def test_labels_of_sentences_that_are_not_there_are_left_over_and_never_counted():
    there = label("support", "a", "none", sentence=sentence_hash("In May."))
    changed = label("support", "b", "none", sentence=sentence_hash("It snowed."))
    gone = label("relevant", "7c", "yes")
    carried = label("supported_by", "a", "9z")

    found = fitting(SENTENCES, [there, changed, gone, carried, done()])

    assert found.labels == [there, done()]
    assert found.left_over == [changed, gone, carried]
    assert corrected(JUDGED, SENTENCES, [changed, gone, carried]) is JUDGED


# What people's labels determine


def test_nothing_is_determined_before_somebody_is_done():
    assert people_values(JUDGED, SENTENCES, [label("support", "a", "none")]) == {}
    assert people_values(JUDGED, SENTENCES, [done(value="skipped")]) == {}


def test_a_confirmed_sample_has_all_values():
    # 2 of 2 relevant, 1 of 2 used, 1 of 2 covered, all supported: a mean of 3 / 4
    assert people_values(JUDGED, SENTENCES, [done()]) == {
        "context_relevance": 1.0,
        "context_utilization": 0.5,
        "completeness": 0.5,
        "adherence": 1.0,
        "supported_share": 1.0,
        "average": 0.75,
    }


def test_what_is_labelled_blind_determines_what_it_is_enough_for():
    blind = [
        label("support", "a", "full", blind=True),
        label("support", "b", "none", blind=True),
        done(blind=True),
    ]
    assert people_values(JUDGED, SENTENCES, blind) == {"adherence": 0.0, "supported_share": 0.5}
    # One unsupported sentence is enough for adherence, not for a share.
    assert people_values(JUDGED, SENTENCES, blind[1:]) == {"adherence": 0.0}
    assert people_values(JUDGED, SENTENCES, [blind[0], blind[2]]) == {}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], {}),
        ([label("verdict", "accuracy", "no")], {"accuracy": 0.0}),
        ([label("verdict", "accuracy", v, v) for v in ("yes", "no")], {"accuracy": 0.0}),
        ([done()], {"accuracy": 1.0, "rejection": 0.0}),
        ([done(), label("verdict", "rejection", "yes")], {"accuracy": 1.0, "rejection": 1.0}),
        ([done(blind=True)], {}),
    ],
)
def test_verdicts_are_what_people_say_or_confirm(given, expected):
    judged = {"accuracy": 1.0, "rejection": 0.0, "coherence": 0.5, "missing": None}
    assert verdict_values(judged, given) == expected


@pytest.mark.parametrize(
    ("values", "said", "after"),
    [
        ({"accuracy": 1.0}, {"accuracy": "no"}, {"accuracy": 0.0}),
        ({"accuracy": None}, {"accuracy": "no"}, {"accuracy": None}),  # does not apply
        ({"coherence": 0.5}, {"coherence": "no"}, {"coherence": 0.5}),  # is not yes or no
        ({"accuracy": 1.0}, {"unknown": "no"}, {"accuracy": 1.0}),
        # A metric of one's own, whose values are called as some of RGB and TRACE.
        ({"adherence": 1.0}, {"adherence": "no"}, {"adherence": 0.0}),
        (
            {"adherence": 1.0, "average": 0.5},
            {"adherence": "no"},
            {"adherence": 0.0, "average": 0.5},
        ),
        ({"detection": 1.0}, {"detection": "no"}, {"detection": 0.0}),
        (
            {"detection": 0.0, "correction": 1.0, "correction_among_detected": None},
            {"detection": "yes"},
            {"detection": 1.0, "correction": 1.0, "correction_among_detected": 1.0},
        ),
        (
            {"detection": 1.0, "correction": 1.0, "correction_among_detected": 1.0},
            {"detection": "no"},
            {"detection": 0.0, "correction": 1.0, "correction_among_detected": None},
        ),
    ],
)
def test_a_verdict_that_people_change_takes_along_what_is_worked_out_of_it(values, said, after):
    given = [label("verdict", name, value) for name, value in said.items()]
    assert corrected_values(values, given) == after
