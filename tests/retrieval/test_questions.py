"""Questions come from a list or a table; what is known of them comes along."""

import json

import pytest

from evaluators.datasets.table import Problem
from evaluators.errors import DatasetError
from evaluators.retrieval.questions import questions
from tests.datasets import files

EMPTY = "the question is empty. Fill it in or remove the row."


def asked(name, data):
    return [sample.question for sample in questions(name, data).samples]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("q.txt", b"What hangs?\n\n  Who built it?\r\n"),
        ("q.txt", b"\xef\xbb\xbf1. What hangs?\n2. Who built it?\n"),
        ("q.md", b"- What hangs?\n- Who built it?\n"),
        ("q.csv", b"question\nWhat hangs?\nWho built it?\n"),
        ("q.csv", b"What hangs?\nWho built it?\n"),
        ("q.csv", b"to ask\nWhat hangs?\nWho built it?\n"),
        ("q.csv", b"topic,User query\nlines,What hangs?\nlines,Who built it?\n"),
        ("q.json", b'[{"question": "What hangs?"}, {"question": "Who built it?"}]'),
        ("q.xlsx", files.xlsx([["question"], ["What hangs?"], ["Who built it?"]])),
    ],
)
def test_questions_are_read_from_lists_and_tables(name, data):
    assert asked(name, data) == ["What hangs?", "Who built it?"]


def test_truth_and_response_come_along_but_no_documents():
    row = {
        "id": "q7",
        "question": "Who?",
        "ground_truth": "Masons",
        "response": "Masons.",
        "contexts": ["Old."],
    }

    [sample] = questions("q.jsonl", json.dumps(row).encode()).samples

    assert (sample.id, sample.ground_truth, sample.response) == ("q7", "Masons", "Masons.")
    assert sample.retrieved_documents == ()


def test_the_questions_of_a_test_bed_can_be_asked_of_other_documents():
    row = {"id": 3, "query": "Who?", "answer": ["Masons"], "positive": ["a"], "negative": ["b"]}

    [sample] = questions("bed.jsonl", json.dumps(row).encode()).samples

    assert (sample.id, sample.question, sample.ground_truth) == ("3", "Who?", ("Masons",))


def test_rows_without_a_question_are_told():
    found = questions("q.csv", b"question,ground_truth\nWhat?,a line\n,nothing\n")

    assert [sample.question for sample in found.samples] == ["What?"]
    assert [(problem.row, problem.message) for problem in found.problems] == [(2, EMPTY)]
    assert isinstance(found.problems[0], Problem)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("q.txt", b"\n \n", "q.txt is empty."),
        (
            "q.csv",
            b"name,age\nAda,36\nBob,41\n",
            "q.csv has no column question (it has: name, age). Rename or add one.",
        ),
        ("q.csv", b"question,x\n,1\n", "q.csv holds no question that can be used. Row 1:"),
    ],
)
def test_a_file_without_questions_says_so(name, data, message):
    with pytest.raises(DatasetError) as caught:
        questions(name, data)

    assert str(caught.value).startswith(message)


def test_there_are_no_more_questions_than_rows_in_a_data_set(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_ROWS_PER_DATASET", "1")

    with pytest.raises(DatasetError, match="more than 1 questions, the limit"):
        questions("q.txt", b"One?\nTwo?\n")
