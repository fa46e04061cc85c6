"""Numbers, names and negations on one side only: cases worked out by hand, and planted ones."""

from __future__ import annotations

import tracemalloc

import pytest

from evaluators.flaws.mismatches import MOST_FOUND, MOST_WORDS, mismatches
from evaluators.records import Labels, SentenceSupport, Support
from evaluators.text.sentences import cut

BEFORE = "The bridge was opened in 1932. It is 503 metres long. Trains do not stop there."


def found(answer, document, keys, support=Support.FULL, question="How long is the bridge?"):
    sentences = cut(answer, [document, "Melbourne has 5 million people. It was founded in 1835."])
    item = SentenceSupport(key="a", support=support, supporting_keys=tuple(keys))
    labels = Labels(sentence_support=(item,))
    return [(one.kind.name, one.words) for one in mismatches(sentences, labels, question)]


@pytest.mark.parametrize(
    ("answer", "document", "keys", "expected"),
    [
        ("The bridge is 503 metres long.", BEFORE, ["0b"], []),
        ("The bridge is 1,835 metres long.", BEFORE, ["0b"], [("other_number", "1,835")]),
        # Beside its evidence stands what it may be put together from.
        ("The bridge is 503 metres long since 1932.", BEFORE, ["0b"], []),
        ("The bridge was opened in 1835.", BEFORE, ["0a"], [("other_number", "1835")]),
        # Asked for, written in words, with other zeros and commas
        ("It has two lanes.", "It has 2 lanes.", ["0a"], []),
        ("It has 2 lanes.", "It has two lanes.", ["0a"], []),
        ("It cost 1,250.50 dollars.", "It cost 1250.5 dollars.", ["0a"], []),
        ("The virus-1 bridge is 503 metres long.", BEFORE, ["0b"], []),
        # List numbers and citations are none.
        ("1. The bridge is 503 metres long [7].", BEFORE, ["0b"], []),
        ("桥长503米。", "这座桥长503米。", ["0a"], []),
        ("桥长509米。", "这座桥长503米。", ["0a"], [("other_number", "509")]),
        (
            "The bridge stands in Melbourne near the harbour.",
            "The bridge stands in Sydney near the harbour.",
            ["0a"],
            [("other_name", "Melbourne")],
        ),
        (
            "The bridge is of Australian steel.",
            "The bridge is of steel from Australia.",
            ["0a"],
            [],
        ),
        ("Trains do not stop there.", BEFORE, ["0c"], []),
        (
            "The bridge was not opened in 1932.",
            "The bridge was opened in 1932.",
            ["0a"],
            [("negation", "not")],
        ),
        (
            "Trains stop there every day.",
            "Trains do not stop there every day.",
            ["0a"],
            [("negation", "not")],
        ),
        ("No, the bridge was opened in 1932.", BEFORE, ["0a"], []),
        ("桥没有开放。", "桥开放。", ["0a"], [("negation", "没有")]),
        # What shares little with its evidence is put together from elsewhere.
        ("Engineers of Melbourne praised other arches in 1835.", BEFORE, ["0a"], []),
        # Nothing to hold it against
        ("The bridge is 1,835 metres long.", BEFORE, ["7x"], []),
        ("The bridge is 1,835 metres long.", BEFORE, [], []),
    ],
)
def test_a_word_on_one_side_only_is_named(answer, document, keys, expected):
    assert found(answer, document, keys) == expected


def test_what_no_document_supports_is_wrong_already():
    assert found("It is 9 metres long.", BEFORE, ["0b"], support=Support.NONE) == []


def test_a_number_of_the_question_is_none_of_the_answer():
    question = "Is it longer than 400 metres?"
    answer = "The bridge is longer than 400 metres."
    assert found(answer, "The bridge is long, longer than metres.", ["0a"], question=question) == []


def weighed(document, answer, keys):
    """The highest memory in bytes that the flaws of one answer take."""
    found("The bridge is long.", BEFORE, ["0a"])
    tracemalloc.start()
    try:
        found(answer, document, keys)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_sentence_that_is_named_many_times_is_read_once():
    document = "the bridge is long " * 10_000 + "."

    once = weighed(document, "The bridge is long.", ["0a"])
    assert weighed(document, "The bridge is long.", ["0a"] * 1_000) < 1.5 * once


def test_of_very_many_suspicions_the_first_are_told():
    answer = " ".join(f"The bridge of the harbour opened in {2000 + n}." for n in range(300))
    sentences = cut(answer, ["The bridge of the harbour opened."])
    supports = [
        SentenceSupport(key=sentence.key, support=Support.FULL, supporting_keys=("0a",))
        for sentence in sentences.response
    ]
    labels = Labels(sentence_support=tuple(supports))

    assert len(mismatches(sentences, labels, "When?")) == MOST_FOUND


@pytest.mark.parametrize(("more", "expected"), [(0, MOST_WORDS), (1, 0)])
def test_a_claim_of_very_many_numbers_is_a_list_of_which_none_is_looked_for(more, expected):
    numbers = ", ".join(str(number) for number in range(2_000, 2_000 + MOST_WORDS + more))
    answer = f"The bridge of the harbour opened in {numbers}."

    assert len(found(answer, "The bridge of the harbour opened.", ["0a"])) == expected
