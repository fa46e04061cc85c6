"""Batch results: entries under the documented names, means over the scored, and cases that cannot
be read.
"""

import pytest

from evaluators.errors import LLMError, MissingInputError
from evaluators.records import Labels, Sentence, Sentences
from evaluators.trace.batch import (
    batch_means,
    batch_summary,
    entries,
    judged_entry,
    read_case,
)
from evaluators.trace.metrics import VALUES, trace_scores

CASE = {"query": "Q?", "response": "A.", "retrieved_documents": ["D."], "ground_truth": "G."}
SCORED = {
    "context_relevance": 0.5,
    "context_utilization": 1.0,
    "completeness": 0.0,
    "adherence": 1.0,
    "average": 0.625,
    "supported_share": 1.0,
}


def test_an_entry_repeats_the_case_under_the_documented_names():
    (entry,) = entries([CASE], lambda case: {"metrics": SCORED})
    assert entry == {
        "query_id": 1,
        "question": "Q?",
        "llm_response": "A.",
        "retrieved_documents": ["D."],
        "ground_truth": "G.",
        "metrics": SCORED,
    }


def test_a_failed_case_is_an_entry_with_its_error_and_has_no_part_in_the_means():
    def judge(case):
        if case.query == "Bad?":
            raise LLMError("The judge said nothing.")
        return {"metrics": SCORED}

    found = batch_summary(entries([CASE, {**CASE, "query": "Bad?"}], judge), "sentence")
    assert found["detailed_results"][1]["error"] == "The judge said nothing."
    assert "metrics" not in found["detailed_results"][1]
    assert (found["num_samples"], found["num_scored"], found["adherence"]) == (2, 1, 1.0)


def test_a_mistake_in_the_code_is_no_failed_case():
    with pytest.raises(ZeroDivisionError):
        entries([CASE], lambda case: 1 / 0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"query": None}, "Case 3: query is None, not text"),
        ({"response": 7}, "Case 3: response is 7, not text"),
        ({"retrieved_documents": None}, "Case 3: retrieved_documents is None. Give a list of"),
        (
            {"retrieved_documents": ["D.", None]},
            "Case 3: retrieved_documents: number 2 of 2 is None, not text",
        ),
    ],
)
def test_a_case_that_cannot_be_read_says_which_part(change, problem):
    with pytest.raises(MissingInputError, match=problem):
        read_case(3, {**CASE, **change})


def test_a_missing_part_is_named():
    with pytest.raises(MissingInputError, match="Case 1: response is missing"):
        read_case(1, {"query": "Q?", "retrieved_documents": []})


def test_cases_keep_their_order_where_many_are_judged_at_once():
    cases = [{**CASE, "query": str(number)} for number in range(50)]
    found = entries(cases, lambda case: {"metrics": {"adherence": float(case.query)}}, workers=8)
    assert [entry["metrics"]["adherence"] for entry in found] == list(range(50))


def test_a_value_that_does_not_apply_is_left_out_of_its_mean_and_counted():
    other = {**SCORED, "context_relevance": None, "adherence": 0.0, "average": 1 / 3}
    assert batch_means([SCORED, other], asked=3) == {
        **SCORED,
        "adherence": 0.5,
        "average": pytest.approx((0.625 + 1 / 3) / 2),
        "coverage": {
            **{name: {"scored": 2, "asked": 3} for name in VALUES},
            "context_relevance": {"scored": 1, "asked": 3},
        },
    }


def test_the_average_is_the_mean_over_the_cases_and_not_over_the_metrics():
    """Averages 1 and 0 give 0.5; the means of the four, 0, 0, 0 and 0.5, would give 0.125."""
    only_adherent = dict.fromkeys(VALUES) | {"adherence": 1.0, "average": 1.0}
    bad = {**dict.fromkeys(VALUES, 0.0), "average": 0.0}
    assert batch_means([only_adherent, bad], asked=2)["average"] == 0.5


def test_beside_every_null_stands_its_reason():
    nothing = Sentences(documents=(), response=())
    entry = judged_entry(trace_scores(nothing, Labels()))
    assert entry["metrics"]["context_relevance"] is None
    assert entry["reasons"] == {
        "context_relevance": "Context relevance does not apply: the documents hold no sentence.",
        "context_utilization": "Context utilization does not apply: the documents hold no sentence.",
        "completeness": "Completeness does not apply: the documents hold no sentence.",
        "supported_share": "No sentence of the answer has a label.",
    }
    found = batch_summary([entry, {"error": "The judge said nothing."}, entry], "sentence")
    assert found["coverage"]["adherence"] == {"scored": 2, "asked": 3}
    assert found["reasons"]["completeness"] == (
        "2 of 3: Completeness does not apply: the documents hold no sentence. "
        "1 of 3: The judge said nothing."
    )
    assert "adherence" not in found["reasons"]


def test_where_every_value_is_there_no_reason_is():
    sentence = Sentence(key="0a", text="D.")
    scores = trace_scores(Sentences(documents=((sentence,),), response=()), Labels())
    assert "reasons" not in batch_summary(
        [{"metrics": {**scores.to_dict(), "supported_share": 1.0}}], "sentence"
    )


def test_no_case_gives_no_means():
    assert batch_summary([], "fixed_20") == {
        **dict.fromkeys(VALUES),
        "coverage": {name: {"scored": 0, "asked": 0} for name in VALUES},
        "reasons": dict.fromkeys(VALUES, "There is no case."),
        "definition": "fixed_20",
        "num_samples": 0,
        "num_scored": 0,
        "detailed_results": [],
    }
