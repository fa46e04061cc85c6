"""The jury: the most frequent label of each sentence, and a tie goes to the stricter verdict."""

import pytest

from evaluators.records import Labelling, Labels, Sentence, Sentences, SentenceSupport, Support
from evaluators.trace.jury import counted_labelling, majority

FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE
SENTENCES = Sentences(
    documents=(
        (Sentence(key="0a", text="One."), Sentence(key="0b", text="Two.")),
        (Sentence(key="1a", text="Three."),),
    ),
    response=(Sentence(key="a", text="Four."), Sentence(key="b", text="Five.")),
)


def judge(relevant=(), utilized=(), **supports):
    """A judge's labels; `a=(FULL, "0a", "0b")` is its verdict on response sentence a and the
    supporting keys.
    """
    given = (
        SentenceSupport(key=key, support=each[0], supporting_keys=each[1:])
        for key, each in supports.items()
    )
    labels = Labels(relevant_keys=relevant, utilized_keys=utilized, sentence_support=tuple(given))
    return Labelling(by="a judge", labels=labels)


@pytest.mark.parametrize(
    ("lists", "keys"),
    [
        ([("0a", "0b"), ("0b", "1a"), ("0b",)], ("0b",)),
        ([("1a", "0a"), ("0a", "1a"), ()], ("0a", "1a")),
        ([("0a",), ()], ()),
        ([("0a",), ("0a",)], ("0a",)),
        ([("0a", "0a", "0a"), ()], ()),
        ([("9z",), ("9z",)], ()),
        ([("0a",), ("0a",), (), ()], ()),
    ],
)
def test_more_than_half_must_name_a_document_sentence(lists, keys):
    labels = majority([judge(relevant=each, utilized=each) for each in lists], SENTENCES).labels
    assert (labels.relevant_keys, labels.utilized_keys) == (keys, keys)


@pytest.mark.parametrize(
    ("votes", "support"),
    [
        ([FULL, FULL], FULL),
        ([FULL, PARTIAL], PARTIAL),
        ([FULL, NONE], NONE),
        ([PARTIAL, NONE], NONE),
        ([FULL, FULL, NONE], FULL),
        ([NONE, NONE, FULL], NONE),
        ([FULL, PARTIAL, NONE], NONE),  # a tie of three
        ([FULL, FULL, NONE, NONE], NONE),
        ([FULL, FULL, PARTIAL, NONE], FULL),
        ([FULL, FULL, FULL, NONE, NONE], FULL),
        ([FULL, FULL, PARTIAL, NONE, NONE], NONE),
    ],
)
def test_a_response_sentence_gets_the_most_frequent_label_and_of_a_tie_the_stricter(votes, support):
    for order in (votes, votes[::-1]):
        labels = majority([judge(a=(vote,)) for vote in order], SENTENCES).labels
        assert [(each.key, each.support) for each in labels.sentence_support] == [("a", support)]


def test_supporting_keys_are_those_that_half_of_the_judges_name():
    judges = [
        judge(a=(FULL, "0b", "0a")),
        judge(a=(FULL, "0a")),
        judge(a=(PARTIAL, "1a")),
        judge(a=(FULL, "1a", "9z")),
    ]
    (support,) = majority(judges, SENTENCES).labels.sentence_support
    assert support.supporting_keys == ("0a", "1a")
    assert support.explanation == "full 3, partial 1"


def test_what_nothing_supports_has_no_supporting_keys():
    (support,) = majority(
        [judge(a=(PARTIAL, "0a")), judge(a=(NONE, "0a"))], SENTENCES
    ).labels.sentence_support
    assert (support.support, support.supporting_keys) == (NONE, ())


def test_only_judges_with_a_verdict_on_a_sentence_vote_on_it():
    labels = majority(
        [judge(a=(FULL,)), judge(a=(FULL,), b=(PARTIAL, "0a")), judge(a=(NONE,))], SENTENCES
    ).labels
    assert [(each.key, each.support) for each in labels.sentence_support] == [
        ("a", FULL),
        ("b", PARTIAL),
    ]


def test_a_single_judge_counts_as_it_is():
    only = judge(relevant=("0a", "0a", "9z"), a=(FULL,))
    assert counted_labelling([only], SENTENCES) is only
    assert counted_labelling([only, only], SENTENCES).by == "jury"
