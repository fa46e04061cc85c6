"""Rows with one passage each: which of them are one sample, and where a person is asked."""

import json

import pytest

from evaluators.datasets.mapping import open_file

MILL = "The mill was built in 1812 by Anna Berg."
RYE = "It grinds rye, from the north and the south."
BED = "The river changed its bed in 1904."


def opened(*rows, header="query_id,query,passage,generated_answer"):
    lines = [header, *(",".join(f'"{cell}"' for cell in row) for row in rows)]
    return open_file("a.csv", "\n".join(lines).encode())


def samples(loaded):
    return [(sample.response, sample.retrieved_documents) for sample in loaded.data.samples]


TWO = [
    ("1", "Who?", MILL, "Anna."),
    ("1", "Who?", RYE, ""),
    ("2", "What?", RYE, "Rye."),
    ("2", "What?", BED, "Rye."),
]
JOINED = [("Anna.", (MILL, RYE)), ("Rye.", (RYE, BED))]


def test_rows_of_a_question_are_one_sample():
    loaded = opened(*TWO)

    assert samples(loaded) == JOINED
    assert loaded.guess.is_sure
    assert "4 rows are 2 samples" in loaded.note


def test_rows_of_a_question_need_not_be_neighbours():
    loaded = opened(*TWO[::2], *TWO[1::2])

    assert samples(loaded) == JOINED


@pytest.mark.parametrize(
    ("odd", "read"),
    [
        # Another answer to the same question, with passages of its own
        ([("3", "When?", MILL, "1812."), ("3", "When?", BED, "In 1904.")], [("1812.", (MILL,)), ("In 1904.", (BED,))]),
        # The same passage twice
        ([("3", "When?", MILL, "1812."), ("3", "When?", MILL, "")], [("1812.", (MILL,))]),
        # A list already
        ([("3", "When?", MILL + " ||| " + BED, "1812.")], [("1812.", (MILL, BED))]),
        # One passage only
        ([("3", "When?", MILL, "1812.")], [("1812.", (MILL,))]),
        # No passage
        ([("3", "When?", "", "1812.")], [("1812.", ())]),
    ],
)  # fmt: skip
def test_one_odd_question_does_not_undo_the_others(odd, read):
    for rows in ([*TWO, *odd], [*odd, *TWO]):
        loaded = opened(*rows)

        assert sorted(samples(loaded)) == sorted(JOINED + read)
        assert loaded.guess.is_sure


def test_answers_of_several_models_are_samples_each():
    header = "id,question,context,response,generation_model_name"
    rows = [(*row[:3], "Yes.", model) for model in ("one", "other") for row in TWO]
    loaded = opened(*rows, header=header)

    assert samples(loaded) == [("Yes.", (MILL, RYE)), ("Yes.", (RYE, BED))] * 2


def test_a_few_repeated_questions_are_asked_about():
    others = [(str(n), f"{n}?", MILL, "1812.") for n in range(3, 9)]
    loaded = opened(*TWO[:2], *others)

    assert loaded.usable == 8
    assert not loaded.guess.is_sure
    assert "Some rows have the same query_id and other passages" in loaded.guess.why


def test_repeated_rows_are_no_passages():
    others = [(str(n), f"{n}?", MILL, "1812.") for n in range(3, 9)]
    loaded = opened(TWO[0], TWO[0], *others)

    assert loaded.usable == 8
    assert loaded.guess.is_sure


def test_rows_of_one_question_without_an_id_are_asked_about():
    loaded = opened(*(row[1:] for row in TWO), header="query,passage,generated_answer")

    assert samples(loaded) == JOINED
    assert not loaded.guess.is_sure
    assert "rows of one query hold one passage each" in loaded.guess.why


# One list for each metric

ROWS = [
    {"question": "Who?", "answer": "Anna.", "contexts": [MILL], "ground_truth": "Anna Berg"},
    {"question": "What?", "answer": "Rye.", "contexts": [RYE], "ground_truth": "rye"},
]


def scored(metric, *left_out):
    rows = [row | {"metric": metric, "score": 0.5} for row in ROWS]
    return [{name: cell for name, cell in row.items() if name not in left_out} for row in rows]


@pytest.mark.parametrize(
    "value",
    [
        {"faithfulness": scored("f"), "relevance": scored("r")},
        {"results": {"faithfulness": scored("f"), "relevance": scored("r"), "recall": scored("c")}},
        {"faithfulness": scored("f", "ground_truth"), "correctness": scored("c", "contexts")},
    ],
)
def test_lists_of_the_same_answers_under_several_metrics_are_one_list(value):
    loaded = open_file("a.json", json.dumps(value).encode())

    assert samples(loaded) == [("Anna.", (MILL,)), ("Rye.", (RYE,))]
    assert [sample.ground_truth for sample in loaded.data.samples] == ["Anna Berg", "rye"]


def test_lists_of_other_answers_are_parts_of_one_table():
    others = [row | {"answer": "Nobody."} for row in ROWS]
    loaded = open_file("a.json", json.dumps({"one": ROWS, "other": others}).encode())

    assert loaded.usable == 4


def test_one_question_alone_that_was_asked_twice_is_two_samples():
    loaded = opened(*(row[1:] for row in TWO[:2]), header="query,passage,generated_answer")

    assert loaded.usable == 2
    assert loaded.guess.is_sure
