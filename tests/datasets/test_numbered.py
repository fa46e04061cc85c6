"""Documents in columns of their own: context_1, context_2 and so on are one list."""

import pytest

from evaluators.datasets.mapping import load, open_file
from evaluators.datasets.readers import read


def csv(header, *rows):
    return "\n".join([f"question,response,{header}", *(f"q,r,{row}" for row in rows)]).encode()


@pytest.mark.parametrize(
    ("header", "row", "name"),
    [
        ("context_1,context_2", "first,second", "context"),
        ("context_2,context_1", "second,first", "context"),
        ("Context 1,Context 2", "first,second", "Context"),
        ("doc0,doc1", "first,second", "doc"),
        ("retrieved_contexts[0],retrieved_contexts[1]", "first,second", "retrieved_contexts"),
        ("passage-01,passage-02", "first,second", "passage"),
        ("文档1,文档2", "first,second", "文档"),
    ],
)
def test_numbered_columns_are_read_together_in_the_order_of_their_numbers(header, row, name):
    (sample,) = load("a.csv", csv(header, row)).samples
    assert sample.retrieved_documents == ("first", "second")
    assert (
        read("a.csv", csv(header, row)).note
        == f"{first(header)} to {last(header)} are read together as {name}."
    )


def first(header):
    return min(header.split(","))


def last(header):
    return max(header.split(","))


def test_ten_columns_are_not_put_in_the_order_of_the_alphabet():
    numbers = range(1, 12)
    data = csv(
        ",".join(f"chunk_{n}" for n in numbers), ",".join(f"Text {n} is here." for n in numbers)
    )
    assert load("a.csv", data).samples[0].retrieved_documents == tuple(
        f"Text {n} is here." for n in numbers
    )


def test_empty_cells_are_no_documents():
    samples = load("a.csv", csv("context_1,context_2,context_3", "a,,c", ",,", "a, ,")).samples
    assert [sample.retrieved_documents for sample in samples] == [("a", "c"), (), ("a",)]


def test_true_contexts_are_a_list_of_their_own():
    (sample,) = load(
        "a.csv", csv("context_1,context_2,gold_context_1,gold_context_2", "a,b,c,d")
    ).samples
    assert (sample.retrieved_documents, sample.gold_documents) == (("a", "b"), ("c", "d"))


@pytest.mark.parametrize(
    "header",
    [
        "context_1,other",  # one alone
        "context_1,context_3",  # a gap
        "context_2,context_3",  # not from the start
        "score_1,score_2",  # no documents
        "1,2",  # no name
    ],
)
def test_other_numbers_are_names_as_any(header):
    assert set(read("a.csv", csv(header, "a,b")).rows[0][1]) == {
        "question",
        "response",
        *header.split(","),
    }


def test_a_column_of_the_same_name_stays_what_it_is():
    (sample,) = load("a.csv", csv("context,context_1,context_2", "all,a,b")).samples
    assert sample.retrieved_documents == ("all",)


def test_a_person_may_still_take_one_of_them():
    columns = {"question": "question", "response": "response", "retrieved_documents": "context_2"}
    loaded = open_file("a.csv", csv("context_1,context_2", "a,b"), columns)
    assert loaded.data.samples[0].retrieved_documents == ("b",)
