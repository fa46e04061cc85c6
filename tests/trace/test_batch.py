"""Batch results: entries under the documented names, means over the scored, and cases that cannot
be read.
"""

import pytest

from evaluators.errors import LLMError, MissingInputError
from evaluators.trace.batch import entries, means, read, summary

CASE = {"query": "Q?", "response": "A.", "retrieved_documents": ["D."], "ground_truth": "G."}
FOUR = {"context_relevance": 0.5, "context_utilization": 1.0, "completeness": 0.0, "adherence": 1.0}


def test_an_entry_repeats_the_case_under_the_documented_names():
    (entry,) = entries([CASE], lambda case: {"metrics": FOUR})
    assert entry == {
        "query_id": 1,
        "question": "Q?",
        "llm_response": "A.",
        "retrieved_documents": ["D."],
        "ground_truth": "G.",
        "metrics": FOUR,
    }


def test_a_failed_case_is_an_entry_with_its_error_and_has_no_part_in_the_means():
    def judge(case):
        if case.query == "Bad?":
            raise LLMError("The judge said nothing.")
        return {"metrics": FOUR}

    found = summary(entries([CASE, {**CASE, "query": "Bad?"}], judge))
    assert found["detailed_results"][1]["error"] == "The judge said nothing."
    assert "metrics" not in found["detailed_results"][1]
    assert (found["num_samples"], found["num_scored"], found["adherence"]) == (2, 1, 1.0)


def test_a_mistake_in_the_code_is_no_failed_case():
    with pytest.raises(ZeroDivisionError):
        entries([CASE], lambda case: 1 / 0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"query": None}, "Case 3: query cannot be used"),
        ({"response": 7}, "Case 3: response cannot be used"),
        ({"retrieved_documents": "one text"}, "Case 3: retrieved_documents cannot be used"),
        ({"retrieved_documents": ["D.", None]}, "Case 3: retrieved_documents.1 cannot be used"),
    ],
)
def test_a_case_that_cannot_be_read_says_which_part(change, problem):
    with pytest.raises(MissingInputError, match=problem):
        read(3, {**CASE, **change})


def test_a_missing_part_is_named():
    with pytest.raises(MissingInputError, match="Case 1: response is missing"):
        read(1, {"query": "Q?", "retrieved_documents": []})


def test_cases_keep_their_order_where_many_are_judged_at_once():
    cases = [{**CASE, "query": str(number)} for number in range(50)]
    found = entries(cases, lambda case: {"metrics": {"adherence": float(case.query)}}, workers=8)
    assert [entry["metrics"]["adherence"] for entry in found] == list(range(50))


def test_a_metric_that_does_not_apply_is_left_out_of_its_mean():
    other = {**FOUR, "context_relevance": None, "adherence": 0.0}
    assert means([FOUR, other]) == {
        **FOUR,
        "adherence": 0.5,
        "average": pytest.approx((0.5 + 1 + 0 + 0.5) / 4),
    }


def test_no_case_gives_no_means():
    assert summary([]) == {
        **dict.fromkeys([*FOUR, "average"]), "num_samples": 0, "num_scored": 0, "detailed_results": []
    }  # fmt: skip
