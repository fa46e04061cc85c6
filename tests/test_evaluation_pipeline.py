"""The hybrid and the pipeline: who is asked, whose labels count, what a budget buys, and both score
sets.
"""

import json

import pytest
from pydantic import BaseModel

from evaluators import FakeLLM
from evaluators.advanced_rag_evaluator import GPTLabelingScores
from evaluators.errors import AccessError, LLMError, ParameterError
from evaluators.evaluation_pipeline import (
    NEVER,
    HybridEvaluator,
    HybridScores,
    UnifiedEvaluationPipeline,
    threshold,
)
from evaluators.records import Labels, Sample
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.labelling import labellings
from evaluators.trace.metrics import VALUES, TRACEScores
from evaluators.trace.values import METRICS
from evaluators.trace_evaluator import TRACEEvaluator
from tests import judge

QUESTION = "What is the capital of France?"
DOCUMENTS = [
    "France is a country in Europe. Its capital is Paris. The city has 2,100,000 inhabitants."
]
SURE, DOUBTFUL = "The capital is Paris.", "The capital is Paris, ruled by Xerxes."
CASES = [
    {"query": QUESTION, "response": response, "retrieved_documents": DOCUMENTS}
    for response in (SURE, DOUBTFUL, "It is what it is.")
]


def labeller(model="openai/gpt-6-luna", **labels):
    """Labels by shared words, or by the labels it was given."""
    return FakeLLM(lambda text: json.dumps({**judge.labels(text), **labels}), model=model)


def silent():
    return FakeLLM(LLMError("The judge said nothing."), model="openai/gpt-6-luna")


def verdict(fully_supported, *keys):
    return [
        {
            "response_sentence_key": "a",
            "explanation": "So it is.",
            "supporting_sentence_keys": list(keys),
            "fully_supported": fully_supported,
        }
    ]


def sample(response=DOUBTFUL):
    return Sample(
        id="1", question=QUESTION, response=response, retrieved_documents=tuple(DOCUMENTS)
    )


def kept(score, of):
    return {by: labelling.labels for by, labelling in labellings(score, of).items()}


# Who is asked, and whose labels count


def test_an_asked_judge_counts_and_the_heuristic_stands_beside_it():
    score = HybridEvaluator(llm_client=labeller(all_relevant_sentence_keys=["0a"])).score(sample())
    labels = kept(score, sample())
    assert list(labels) == ["openai/gpt-6-luna", "heuristic"]
    assert labels["openai/gpt-6-luna"].relevant_keys == ("0a",)
    assert labels["heuristic"] == TRACEEvaluator().evaluate(QUESTION, DOUBTFUL, DOCUMENTS).labels
    assert score.values["context_relevance"] == pytest.approx(1 / 3)


def test_without_doubt_the_heuristic_counts_and_nobody_is_asked():
    asked = labeller()
    score = HybridEvaluator(llm_client=asked, doubt_from=NEVER).score(sample())
    assert (asked.calls, list(kept(score, sample()))) == (0, ["heuristic"])
    assert score.values == TRACEEvaluator().score(sample()).values


def test_doubt_at_the_bound_asks_and_below_it_does_not():
    doubt = HybridEvaluator().doubt(sample())
    first, second = labeller(), labeller()
    HybridEvaluator(llm_client=first, doubt_from=doubt).score(sample())
    HybridEvaluator(llm_client=second, doubt_from=doubt + 0.0001).score(sample())
    assert (first.calls, second.calls) == (1, 0)


def test_a_jury_counts_as_one_and_its_judges_are_kept():
    """Two against one: the sentence is supported,
    and 0b is what at least half of the judges name.
    """
    yes, no = (
        {"sentence_support_information": verdict(True, "0b")},
        {"sentence_support_information": verdict(False)},
    )
    jury = (labeller("a", **yes), labeller("b", **no), labeller("c", **yes))
    score = HybridEvaluator(llm_client=jury).score(sample())
    labels = kept(score, sample())
    assert list(labels) == ["jury", "heuristic", "a", "b", "c"]
    assert score.values["adherence"] == 1.0
    assert labels["jury"].sentence_support[0].supporting_keys == ("0b",)


def test_a_silent_judge_fails_the_sample_instead_of_leaving_it_to_the_heuristic():
    with pytest.raises(LLMError, match="said nothing"):
        HybridEvaluator(llm_client=silent()).score(sample())


def test_a_missing_judge_is_missed_only_where_it_would_be_asked():
    with pytest.raises(AccessError, match="judge"):
        HybridEvaluator().score(sample())
    assert HybridEvaluator(doubt_from=NEVER).score(sample()).values["adherence"] == 0.0


def test_published_sentences_are_labelled_as_they_are():
    sentences = TRACEEvaluator().evaluate(QUESTION, SURE, DOCUMENTS).sentences
    published = sample(SURE).model_copy(
        update={"sentences": sentences, "labels": Labels(relevant_keys=("0b",))}
    )
    score = HybridEvaluator(llm_client=labeller()).score(published)
    assert "sentences" not in score.details
    assert list(kept(score, published)) == ["openai/gpt-6-luna", "heuristic", "gold"]


@pytest.mark.parametrize("given", [-0.1, 1.02])
def test_a_doubt_out_of_range_is_refused(given):
    with pytest.raises(ParameterError, match="doubt_from"):
        HybridEvaluator.build(doubt_from=given)


# Doubt and threshold


@pytest.mark.parametrize("response", ["", "It is what it is.", "The documents do not say."])
def test_a_response_without_a_claim_leaves_no_doubt(response):
    assert HybridEvaluator().doubt(sample(response)) == 0.0


@pytest.mark.parametrize(
    ("doubts", "most", "least"),
    [
        ([], 3, 0.0),
        ([0.2, 0.5, 0.9], 0, NEVER),
        ([0.2, 0.5, 0.9], 1, 0.9),
        ([0.2, 0.5, 0.9], 2, 0.5),
        ([0.2, 0.5, 0.9], 3, 0.0),
        ([0.2, 0.5, 0.9], 9, 0.0),
        ([0.5, 0.9, 0.5], 2, 0.9),  # of equals all or none
        ([0.5, 0.5, 0.5], 2, NEVER),
        ([0.0, 0.0, 1.0], 1, 1.0),
    ],
)
def test_the_threshold_is_the_lowest_that_judges_at_most_so_many(doubts, most, least):
    assert threshold(doubts, most) == least
    assert sum(doubt >= least for doubt in doubts) <= most


def test_a_sample_that_takes_several_calls_costs_them():
    assert threshold([0.9, 0.5, 0.2], 4, calls=[2, 2, 1]) == 0.5
    assert threshold([0.9, 0.5, 0.2], 3, calls=[2, 2, 1]) == 0.9
    assert threshold([0.9, 0.5, 0.2], 1, calls=[2, 2, 1]) == NEVER


# Both score sets of one answer


def test_both_score_sets_stand_side_by_side_with_their_agreement():
    """The judge calls only 0a relevant and used, and the sentence fully supported by it.

    The heuristic: 0b relevant and utilized, partial support. So of three document sentences only 0c
    gets the same label from both, and the response sentence gets another one.
    """
    said = {
        "all_relevant_sentence_keys": ["0a"],
        "all_utilized_sentence_keys": ["0a"],
        "sentence_support_information": verdict(True, "0a"),
    }
    heuristic = TRACEEvaluator().evaluate(QUESTION, DOUBTFUL, DOCUMENTS)
    assert (heuristic.labels.relevant_keys, heuristic.labels.utilized_keys) == (("0b",), ("0b",))
    scores = HybridEvaluator(llm_client=labeller(**said)).evaluate(
        QUESTION, DOUBTFUL, DOCUMENTS, ground_truth="Paris"
    )
    assert (scores.trace, scores.trace.adherence, scores.gpt_labeling.adherence) == (
        heuristic,
        0.0,
        1.0,
    )
    assert scores.labels_by == "openai/gpt-6-luna"
    assert (scores.context_relevance, scores.context_utilization, scores.completeness) == (
        1 / 3,
        1.0,
        1.0,
    )
    assert scores.average() == pytest.approx((1 / 3 + 1 + 1 + 1) / 4)
    third = {"equal": 1, "of": 3, "share": 1 / 3}
    assert scores.agreement == {
        "relevant": third,
        "utilized": third,
        "support": {"equal": 0, "of": 1, "share": 0.0},
    }


@pytest.mark.parametrize("doubt_from", [0.0, NEVER], ids=["judged", "not judged"])
def test_the_hybrid_has_every_field_of_the_scores_that_count(doubt_from):
    scores = HybridEvaluator(llm_client=labeller(), doubt_from=doubt_from).evaluate(
        QUESTION, DOUBTFUL, DOCUMENTS
    )
    counted = scores.gpt_labeling or scores.trace

    for name in (*TRACEScores.model_fields, *dir(TRACEScores)):
        if name.startswith("_") or name.startswith("model_") or hasattr(BaseModel, name):
            continue
        value, expected = getattr(scores, name), getattr(counted, name)
        if name in ("average", "pattern", "ideals", "values"):
            value, expected = value(), expected()
        if name not in ("to_dict", "under"):
            assert value == expected, name
    is_judged = scores.gpt_labeling is not None
    assert (scores.overall_supported, scores.gpt_labels is not None) == (
        (False, True) if is_judged else (None, False)
    )


def test_agreement_is_counted_in_whole_numbers():
    scores = HybridEvaluator(llm_client=labeller()).evaluate(QUESTION, SURE, DOCUMENTS)

    assert '"equal": 3, "of": 3, "share": 1.0' in json.dumps(scores.to_dict()["agreement"])


def test_agreement_on_nothing_has_no_share():
    scores = HybridEvaluator(llm_client=labeller()).evaluate(QUESTION, "", [])
    assert scores.agreement["relevant"] == {"equal": 0, "of": 0, "share": None}


# The pipeline


@pytest.mark.parametrize(
    ("method", "kind"),
    [("trace", TRACEScores), ("gpt_labeling", GPTLabelingScores), ("hybrid", HybridScores)],
)
def test_each_method_gives_its_kind_of_scores(method, kind):
    scores = UnifiedEvaluationPipeline(llm_client=labeller()).evaluate(
        QUESTION, SURE, DOCUMENTS, method=method
    )
    assert type(scores) is kind
    assert all(getattr(scores, name) is not None for name in METRICS)


def test_the_methods_are_told_with_what_they_need():
    told = UnifiedEvaluationPipeline.get_evaluation_methods()
    assert [(method["id"], method["needs_llm"]) for method in told] == [
        ("trace", False),
        ("gpt_labeling", True),
        ("hybrid", True),
    ]
    assert all(method["name"] and method["description"] for method in told)


@pytest.mark.parametrize("method", ["gpt_labeling", "hybrid"])
def test_without_a_judge_the_whole_batch_is_refused_at_once(method):
    with pytest.raises(AccessError, match="judge"):
        UnifiedEvaluationPipeline().evaluate_batch(CASES, method=method)


def test_arguments_that_a_collection_lacks_are_the_defaults():
    pipeline = UnifiedEvaluationPipeline(None, None, None, None, None)
    assert pipeline.evaluate(QUESTION, SURE, DOCUMENTS) == TRACEEvaluator().evaluate(
        QUESTION, SURE, DOCUMENTS
    )


def test_a_parameter_out_of_range_is_refused_with_its_name():
    with pytest.raises(ParameterError, match="chunk_size is 7"):
        UnifiedEvaluationPipeline(chunk_size=7).evaluate(QUESTION, SURE, DOCUMENTS)


@pytest.mark.parametrize("method", ["trace", "gpt_labeling"])
def test_a_budget_goes_with_the_hybrid_only(method):
    with pytest.raises(ParameterError, match="only, not with"):
        UnifiedEvaluationPipeline(llm_client=labeller()).evaluate_batch(
            CASES, method=method, budget=1
        )


# Batches


@pytest.mark.parametrize(("budget", "judged"), [(None, 3), (0, 0), (1, 1), (2, 2), (9, 3)])
def test_a_budget_buys_the_most_doubtful_cases(budget, judged):
    asked = labeller()
    found = UnifiedEvaluationPipeline(llm_client=asked).evaluate_batch(
        CASES, method="hybrid", budget=budget
    )
    doubts = [entry["doubt"] for entry in found["detailed_results"]]
    is_judged = [entry["labels_by"] == asked.model for entry in found["detailed_results"]]
    assert (asked.calls, found["num_judged"], sum(is_judged)) == (judged, judged, judged)
    assert is_judged == [doubt >= found["doubt_from"] for doubt in doubts]


def test_a_jury_spends_one_call_of_the_budget_for_each_judge():
    jury = (labeller("a"), labeller("b"))
    found = UnifiedEvaluationPipeline(llm_client=jury).evaluate_batch(
        CASES, method="hybrid", budget=3
    )
    assert (found["num_judged"], jury[0].calls, jury[1].calls) == (1, 1, 1)
    assert sorted(entry["labels_by"] for entry in found["detailed_results"]) == [
        "heuristic",
        "heuristic",
        "jury",
    ]


def test_the_batch_holds_both_means_and_the_agreement_over_all_judged_sentences():
    """One document of three sentences, three cases of one response sentence: nine and three labels
    to compare.
    """
    found = HybridEvaluator(llm_client=labeller()).evaluate_batch(CASES)
    heuristic = TRACEEvaluator().evaluate_batch(CASES)
    assert found["trace"] == {name: heuristic[name] for name in (*VALUES, "coverage")}
    assert found["gpt_labeling"] == {name: found[name] for name in (*VALUES, "coverage")}
    assert {name: label["of"] for name, label in found["agreement"].items()} == {
        "relevant": 9,
        "utilized": 9,
        "support": 3,
    }
    each = [entry["agreement"]["relevant"]["equal"] for entry in found["detailed_results"]]
    assert found["agreement"]["relevant"]["equal"] == sum(each)
    assert json.loads(json.dumps(found)) == found


def test_means_mix_both_sets_where_only_some_were_judged():
    """The judge calls the doubtful answer supported, the heuristic the two others: 1, 1 and 1."""
    asked = labeller(sentence_support_information=verdict(True, "0b"))
    found = HybridEvaluator(llm_client=asked).evaluate_batch(CASES, budget=1)
    assert found["detailed_results"][1]["labels_by"] == asked.model
    assert (found["adherence"], found["trace"]["adherence"]) == (1.0, pytest.approx(2 / 3))
    assert found["gpt_labeling"]["adherence"] == 1.0


@pytest.mark.parametrize("method", ["trace", "gpt_labeling", "hybrid"])
def test_a_case_that_cannot_be_read_does_not_stop_the_others(method):
    pipeline = UnifiedEvaluationPipeline(llm_client=labeller())
    found = pipeline.evaluate_batch([{"query": QUESTION}, *CASES], method=method)
    assert "response is missing" in found["detailed_results"][0]["error"]
    assert (found["num_samples"], found["num_scored"]) == (4, 3)


def test_a_bad_case_costs_nothing_of_the_budget():
    asked = labeller()
    found = HybridEvaluator(llm_client=asked).evaluate_batch(
        [{"query": QUESTION}, *CASES], budget=3
    )
    assert (asked.calls, found["num_judged"], found["num_samples"]) == (3, 3, 4)


@pytest.mark.parametrize("method", ["gpt_labeling", "hybrid"])
def test_a_silent_judge_makes_failed_cases_and_no_means(method):
    found = UnifiedEvaluationPipeline(llm_client=silent()).evaluate_batch(CASES, method=method)
    assert [entry["error"] for entry in found["detailed_results"]] == [
        "The judge said nothing."
    ] * 3
    assert (found["num_scored"], found["adherence"], found["average"]) == (0, None, None)
    assert found["coverage"]["average"] == {"scored": 0, "asked": 3}
    assert found["reasons"]["average"] == "3 of 3: The judge said nothing."


# Definitions


@pytest.mark.parametrize("method", ["trace", "gpt_labeling", "hybrid"])
@pytest.mark.parametrize(
    ("definition", "relevance"),
    [("sentence", 1 / 3), ("fixed_20", 1 / 20), ("ragbench", 1 / 3)],
)
def test_every_method_counts_by_the_definition_that_is_named(method, definition, relevance):
    """One of three document sentences is relevant."""
    pipeline = UnifiedEvaluationPipeline(
        llm_client=labeller(all_relevant_sentence_keys=["0b"]), definition=definition
    )
    assert pipeline.evaluate(QUESTION, SURE, DOCUMENTS, method=method).context_relevance == (
        pytest.approx(relevance)
    )
    results = pipeline.evaluate_batch(CASES[:1], method=method)
    assert results["definition"] == definition
    assert results["context_relevance"] == pytest.approx(relevance)
    # what a call says comes before what the pipeline says
    results = pipeline.evaluate_batch(CASES[:1], method=method, definition="fixed_20")
    assert (results["definition"], results["context_relevance"]) == ("fixed_20", 1 / 20)


@pytest.mark.parametrize("method", ["trace", "gpt_labeling", "hybrid"])
def test_an_unknown_definition_is_refused_before_a_judge_is_asked(method):
    asked = labeller()
    pipeline = UnifiedEvaluationPipeline(llm_client=asked)
    for call in (
        lambda: pipeline.evaluate(QUESTION, SURE, DOCUMENTS, method=method, definition="mine"),
        lambda: pipeline.evaluate_batch(CASES, method=method, definition="mine"),
    ):
        with pytest.raises(ParameterError, match=r"'mine'\. Known: sentence, fixed_20, ragbench"):
            call()
    assert asked.calls == 0


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_scores_of_the_hybrid_change_their_definition_without_a_call(definition):
    asked = labeller()
    evaluator = HybridEvaluator(llm_client=asked)
    changed = evaluator.evaluate(QUESTION, SURE, DOCUMENTS).under(definition)
    assert asked.calls == 1
    assert changed == evaluator.evaluate(QUESTION, SURE, DOCUMENTS, definition=definition)


@pytest.mark.parametrize("method", ["trace", "hybrid"])
def test_a_missing_embedding_package_refuses_the_batch_before_its_first_case(method):
    asked = labeller()
    pipeline = UnifiedEvaluationPipeline(
        llm_client=asked, embedding_model="sentence-transformers/all-mpnet-base-v2"
    )
    with pytest.raises(ParameterError, match=r'pip install "sentence-transformers==6\.2\.0"'):
        pipeline.evaluate_batch(CASES, method=method)
    assert asked.calls == 0
