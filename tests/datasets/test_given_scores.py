"""Scores that another tool or a person gave beside an answer, as a file has them."""

import json

import pytest

from evaluators.datasets.given_scores import score_in
from evaluators.datasets.mapping import load

ROW = {"question": "How tall?", "response": "330 metres.", "contexts": ["It is 330 metres tall."]}


def scores(row, name="scored.json"):
    return load(name, json.dumps([ROW | row]).encode()).samples[0].scores


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        (0.85, 0.85),
        (True, 1.0),
        ("0.5", 0.5),
        ("yes", 1.0),
        (" False ", 0.0),
        ("85 %", "85 %"),
        ("factual", "factual"),
        ("nan", None),
        ("", None),
        ("inf", "inf"),
        (10**400, None),
        ([0.5], None),
        ("The answer says what no document says, and this is why it is wrong.", None),
    ],
)
def test_a_score_is_a_number_a_yes_or_no_or_a_word(cell, score):
    assert score_in(cell) == score


def test_columns_that_are_named_as_scores_stay_with_their_sample():
    found = scores(
        {
            "faithfulness": 0.5,
            "Context_Relevance": 1,
            "label": "hallucinated",
            "latency_ms": 812,
            "faithfulness_reason": "short",
            "topic": "towers",
        }
    )

    assert found == {"faithfulness": 0.5, "Context_Relevance": 1.0, "label": "hallucinated"}


def test_scores_in_an_object_go_by_the_names_that_lead_to_them():
    assert scores({"evaluation": {"groundedness_score": 4}}) == {
        "evaluation.groundedness_score": 4.0
    }


def test_a_column_that_a_person_reads_as_a_field_is_no_score():
    rows = json.dumps([ROW | {"score": "good", "rating": 3}]).encode()

    found = load("scored.json", rows, {"group": "score"}).samples[0]

    assert found.situation == "good"
    assert found.scores == {"rating": 3.0}


def test_an_empty_cell_is_no_score():
    rows = json.dumps([ROW | {"rating": 3}, ROW | {"rating": None}]).encode()

    assert [sample.scores for sample in load("scored.json", rows).samples] == [{"rating": 3.0}, {}]


def test_the_judges_that_ragbench_published_are_scores_and_its_labels_are_not(check_data):
    (file,) = (check_data / "ragbench" / "covidqa").glob("*.parquet")

    sample = load(file.name, file.read_bytes()).samples[0]

    assert [*sample.scores] == ["gpt3_adherence", "gpt3_context_relevance", "gpt35_utilization"]
