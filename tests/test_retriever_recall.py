"""Retriever recall: the documented example, the values at k, and what happens where something is
missing.
"""

import pytest

from evaluators.errors import ParameterError
from evaluators.records import Sample
from evaluators.retriever_recall import RetrieverRecall

APPLE = "Apple is founded before Google."
FEBRUARY = (
    "Feburary has 28 days in common years. Feburary has 29 days in leap years. "
    "Feburary is the second month of the year."
)
GOLD = [
    ["Apple is founded in 1976.", "Google is founded in 1998.", "Apple is founded before Google."],
    ["Feburary has 28 days in common years", "Feburary has 29 days in leap years"],
]


def values(documents, gold, k=5):
    """Recall, recall at k, precision at k and reciprocal rank."""
    sample = Sample(id="1", question="q", retrieved_documents=documents, gold_documents=gold)
    return tuple(RetrieverRecall(k=k).score(sample).values.values())


# As documented


@pytest.mark.parametrize(
    "retrieved",
    [
        [APPLE, FEBRUARY],
        [[APPLE], [FEBRUARY]],
        [[APPLE], FEBRUARY],
        ((APPLE,), tuple(FEBRUARY.split(". "))),
    ],
    ids=["joined", "lists", "mixed", "tuples"],
)
def test_the_documented_example(retrieved):
    avg_recall, recall_list = RetrieverRecall().compute(retrieved, GOLD)

    assert avg_recall == 2 / 3
    assert recall_list == [1 / 3, 1.0]


@pytest.mark.parametrize(
    ("retrieved", "gold", "recall"),
    [
        (["one two", "three"], ["two three"], 1.0),  # the joined contexts contain it
        (["one two"], ["One"], 0.0),  # letter by letter
        (["one two"], "two", 1.0),
        (["one"], ["one", "one", "two"], 2 / 3),
        (["one"], ["one", "", "  "], 1.0),  # an empty gold context is none
        ([], ["one"], 0.0),
        ("", ["one"], 0.0),
    ],
)
def test_a_gold_context_is_recalled_where_the_joined_contexts_contain_it(retrieved, gold, recall):
    assert RetrieverRecall().compute_single_item(retrieved, gold) == recall


# Lists that are not as they should be


def test_a_query_that_cannot_be_judged_is_named_and_left_out_of_the_average():
    retrieved = [["a"], ["a"], None, ["a", 5], ["a"], ["a"]]
    gold = [["a"], [], ["a"], ["a"], [None], ["b"]]

    result = RetrieverRecall().compute(retrieved, gold)

    assert result.per_item_scores == [1.0, None, None, None, None, 0.0]
    assert result.avg_score == 0.5
    assert result.errors == {
        1: "There is no gold context. Give one, or leave the query out.",
        2: "retrieved_context is None. Give a list of texts, empty where nothing was retrieved.",
        3: "retrieved_context: number 2 of 2 is 5, not text. Give its text, or leave it out.",
        4: "gt_context: number 1 of 1 is None, not text. Give its text, or leave it out.",
    }


# In a run

DOCUMENTS = ("noise", "x one y", "noise", "two", "one three")


@pytest.mark.parametrize(
    ("k", "gold", "expected"),
    [
        (5, ("one",), (1.0, 1.0, 2 / 5, 1 / 2, 1.0, 0.6309)),
        (1, ("one",), (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        (2, ("one", "two"), (1.0, 1 / 2, 1 / 2, 1 / 2, 1.0, 0.3869)),
        (4, ("two",), (1.0, 1.0, 1 / 4, 1 / 4, 1.0, 0.4307)),
        (
            9,
            ("noise",),
            (1.0, 1.0, 2 / 5, 1.0, 1.0, 1.0),
        ),  # only five documents are there to look at
        (
            2,
            ("noise x",),
            (1.0, 1.0, 0.0, 0.0, 0.0, 0.0),
        ),  # in the joined documents, in no single one
        (5, ("four",), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        (5, ("one", "four"), (1 / 2, 1 / 2, 2 / 5, 1 / 2, 1.0, 0.3869)),
        # One document with both is the best that can be.
        (3, ("x", "y"), (1.0, 1.0, 1 / 3, 1 / 2, 1.0, 0.7737)),
        (1, ("noi", "se"), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)),
    ],
)
def test_the_values_at_k_look_at_the_first_k_documents(k, gold, expected):
    assert values(DOCUMENTS, gold, k) == pytest.approx(expected, abs=1e-4)


def test_the_values_are_named():
    sample = Sample(id="1", question="q", retrieved_documents=("a",), gold_documents=("a", "b"))

    score = RetrieverRecall().score(sample)

    assert list(score.values) == [
        "retriever_recall",
        "recall_at_k",
        "precision_at_k",
        "reciprocal_rank",
        "hit_at_k",
        "ndcg_at_k",
    ]
    assert score.details == {"missed": ["b"], "found_in": [1]}


def test_a_retriever_that_found_nothing_recalls_nothing_and_has_no_precision():
    score = RetrieverRecall().score(Sample(id="1", question="q", gold_documents=("a",)))

    assert tuple(score.values.values()) == (0.0, 0.0, None, 0.0, 0.0, 0.0)
    assert score.reason == "Nothing was retrieved, so there is no precision."


@pytest.mark.parametrize("gold", [(), ("",), (" ", "\n")])
def test_without_a_gold_context_nothing_applies(gold):
    score = RetrieverRecall().score(
        Sample(id="1", question="q", retrieved_documents=("a",), gold_documents=gold)
    )

    assert set(score.values.values()) == {None}
    assert score.reason == "There is no gold document to look for among the documents."


@pytest.mark.parametrize("k", [0, 1001, "many"])
def test_k_has_bounds(k):
    with pytest.raises(ParameterError, match="Retriever recall: k is"):
        RetrieverRecall.build(k=k)
