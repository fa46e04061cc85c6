"""The usage examples of the documents, run as they stand there but for the package path, and their
signatures.
"""

import inspect
import json
import sys
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.answer_match import AnswerMatchAcc
from evaluators.g_eval import GEvalJudgeEvaluator, GEvalLLMJudge
from evaluators.llm_judge import LLMasJudge
from evaluators.retriever_recall import RetrieverRecall
from tests import judge

MPNET = """
import numpy
class SentenceTransformer:
    def __init__(self, name):
        assert name == "sentence-transformers/all-mpnet-base-v2"
    def encode(self, texts, normalize_embeddings):
        return numpy.eye(len(texts), 8)
"""
TRACE_RESULTS = {
    "context_relevance", "context_utilization", "completeness", "adherence", "average", "num_samples",
    "detailed_results",
}  # fmt: skip
GPT_LABELING_RESULTS = (TRACE_RESULTS - {"num_samples"}) | {
    "overall_supported", "fully_supported_sentences", "partially_supported_sentences", "unsupported_sentences",
}  # fmt: skip
ENTRY = {"query_id", "question", "llm_response", "retrieved_documents", "metrics"}
MOST = "sentence-transformers/all-mpnet-base-v2"

TEST_CASES = [
    {
        "query": "Question 1: what is RAG?",
        "response": "RAG stands for retrieval augmented generation.",
        "retrieved_documents": ["RAG stands for retrieval augmented generation.", "Doc 2"],
        "ground_truth": "Ground truth 1",
    },
    {
        "query": "Question 2: who wrote Hamlet?",
        "response": "Shakespeare wrote Hamlet. It is a comedy about bees.",
        "retrieved_documents": ["William Shakespeare wrote the play Hamlet around 1600."],
        "ground_truth": "Shakespeare",
    },
]


@pytest.fixture
def groq_llm_client(judge_client):
    """A client of Groq through all layers; the provider is on this computer and labels by shared
    words.
    """
    return judge_client("groq", "openai/gpt-oss-20b", answer=judge.labels_for)


@pytest.fixture
def _mpnet(tmp_path, monkeypatch):
    """The examples name an embedding model of a package that is an extra: a stand-in takes its
    place.
    """
    (tmp_path / "sentence_transformers.py").write_text(MPNET)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    yield
    sys.modules.pop("sentence_transformers", None)


# The first document: metrics calculation


# The second document: usage


@pytest.mark.usefixtures("_mpnet")
def test_basic_usage_with_trace(capsys):
    from evaluators.trace_evaluator import TRACEEvaluator

    evaluator = TRACEEvaluator(
        llm_client=None,  # Not needed for TRACE
        chunking_strategy="dense",
        embedding_model="sentence-transformers/all-mpnet-base-v2",
        chunk_size=512,
        chunk_overlap=50,
    )

    scores = evaluator.evaluate(
        question="What is machine learning?",
        response="Machine learning is a subset of AI...",
        retrieved_documents=["Doc 1 text...", "Doc 2 text..."],
        ground_truth="Optional ground truth",
    )

    print(f"Utilization: {scores.utilization}")
    print(f"Relevance: {scores.relevance}")
    print(f"Adherence: {scores.adherence}")
    print(f"Completeness: {scores.completeness}")
    print(f"Average: {scores.average()}")
    assert "Adherence: 0.0" in capsys.readouterr().out


def test_advanced_usage_with_gpt_labeling(groq_llm_client, capsys):
    from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator

    evaluator = AdvancedRAGEvaluator(
        llm_client=groq_llm_client,  # Required for GPT labeling
        chunking_strategy="dense",
        embedding_model="sentence-transformers/all-mpnet-base-v2",
        chunk_size=512,
        chunk_overlap=50,
    )

    scores = evaluator.evaluate(
        question="What is machine learning?",
        response="Machine learning is a subset of AI...",
        retrieved_documents=["Doc 1 text...", "Doc 2 text..."],
    )

    print(f"Context Relevance: {scores.context_relevance}")
    print(f"Context Utilization: {scores.context_utilization}")
    print(f"Completeness: {scores.completeness}")
    print(f"Adherence: {scores.adherence}")
    print(f"Overall Supported: {scores.overall_supported}")
    print(f"Fully Supported Sentences: {scores.num_fully_supported_sentences}")
    assert "Overall Supported: False\nFully Supported Sentences: 0" in capsys.readouterr().out


def test_unified_pipeline(groq_llm_client):
    from evaluators.evaluation_pipeline import UnifiedEvaluationPipeline

    pipeline = UnifiedEvaluationPipeline(llm_client=groq_llm_client, chunking_strategy="dense")

    # Single evaluation with TRACE
    result = pipeline.evaluate(
        question="What is RAG?",
        response="RAG stands for...",
        retrieved_documents=["Doc text..."],
        method="trace",
    )
    assert result.adherence == 0.0

    # Single evaluation with GPT labeling
    result = pipeline.evaluate(
        question="What is RAG?",
        response="RAG stands for...",
        retrieved_documents=["Doc text..."],
        method="gpt_labeling",
    )
    assert result.num_unsupported_sentences == 1

    # Hybrid evaluation (both methods)
    result = pipeline.evaluate(
        question="What is RAG?",
        response="RAG stands for...",
        retrieved_documents=["Doc text..."],
        method="hybrid",
    )
    assert (result.trace.adherence, result.gpt_labeling.adherence) == (0.0, 0.0)

    # Batch evaluation
    results = pipeline.evaluate_batch(
        test_cases=[
            {
                "query": "Question 1",
                "response": "Response 1",
                "retrieved_documents": ["Doc 1", "Doc 2"],
                "ground_truth": "Ground truth 1",
            },
            # ... more test cases
        ],
        method="gpt_labeling",
    )
    assert (results["num_samples"], results["num_scored"]) == (1, 1)


PAGE = """
from types import SimpleNamespace
collection_metadata = {COLLECTION}
prepared_test_cases = {CASES}

import streamlit as st
from evaluators.evaluation_pipeline import UnifiedEvaluationPipeline

def evaluation_interface():
    st.header("RAG Evaluation")

    # Method selection
    eval_methods = UnifiedEvaluationPipeline.get_evaluation_methods()
    method_names = [m["name"] for m in eval_methods]
    method_ids = [m["id"] for m in eval_methods]

    selected_method = st.radio(
        "Evaluation Method",
        options=method_names,
        index=0,
        help="TRACE is fast (no LLM). GPT Labeling is accurate but slower."
    )

    method_id = method_ids[method_names.index(selected_method)]

    # Run evaluation
    pipeline = UnifiedEvaluationPipeline(
        llm_client=st.session_state.rag_pipeline.llm,
        chunking_strategy=collection_metadata.get("chunking_strategy"),
        embedding_model=collection_metadata.get("embedding_model"),
        chunk_size=collection_metadata.get("chunk_size"),
        chunk_overlap=collection_metadata.get("chunk_overlap")
    )

    if st.button("Run Evaluation", key="eval_button"):
        results = pipeline.evaluate_batch(
            test_cases=prepared_test_cases,
            method=method_id
        )

        st.json(results)

evaluation_interface()
"""
COLLECTIONS = [
    {},
    {"chunking_strategy": "dense", "embedding_model": MOST, "chunk_size": 512, "chunk_overlap": 50},
]


@pytest.mark.usefixtures("_mpnet")
@pytest.mark.parametrize(
    "collection", COLLECTIONS, ids=["a collection without metadata", "one with"]
)
def test_integration_with_a_streamlit_page(groq_llm_client, collection):
    page = AppTest.from_string(
        PAGE.replace("{COLLECTION}", repr(collection)).replace("{CASES}", repr(TEST_CASES))
    )
    page.session_state["rag_pipeline"] = SimpleNamespace(llm=groq_llm_client)
    page.run(timeout=30)
    for method in page.radio[0].options:
        page.radio[0].set_value(method).run(timeout=30)
        page.button(key="eval_button").click().run(timeout=30)
        assert not page.exception
        assert json.loads(page.json[0].value)["num_scored"] == 2


# The second document: JSON output


def test_trace_results_have_the_documented_shape():
    from evaluators.trace_evaluator import TRACEEvaluator

    results = json.loads(json.dumps(TRACEEvaluator().evaluate_batch(TEST_CASES)))
    assert set(results) == TRACE_RESULTS | {
        "num_scored",
        "coverage",
        "definition",
        "supported_share",
    }
    first = results["detailed_results"][0]
    assert set(first) == ENTRY | {"ground_truth"}
    assert first["query_id"] == 1
    assert (results["num_samples"], results["adherence"]) == (2, 0.5)
    assert results["average"] == pytest.approx(
        sum(
            results[name]
            for name in ("context_relevance", "context_utilization", "completeness", "adherence")
        )
        / 4
    )


def test_gpt_labeling_results_have_the_documented_shape(groq_llm_client):
    from evaluators.evaluation_pipeline import UnifiedEvaluationPipeline

    pipeline = UnifiedEvaluationPipeline(llm_client=groq_llm_client)
    results = json.loads(
        json.dumps(pipeline.evaluate_batch(test_cases=TEST_CASES, method="gpt_labeling"))
    )
    assert set(results) >= GPT_LABELING_RESULTS
    first, second = results["detailed_results"]
    assert set(first) >= ENTRY
    assert set(first["metrics"]) >= GPT_LABELING_RESULTS - {"average", "detailed_results"}
    assert (first["metrics"]["overall_supported"], second["metrics"]["overall_supported"]) == (
        True,
        False,
    )
    assert (results["overall_supported"], results["fully_supported_sentences"]) == (False, 2)
    assert results["partially_supported_sentences"] + results["unsupported_sentences"] == 1


# AdalFlow: evaluation


def test_answer_match_acc():
    all_pred_answer = ["positive", "negative", "this is neutral"]
    all_gt_answer = ["positive", "negative", "neutral"]
    answer_match_acc = AnswerMatchAcc(type="exact_match")
    avg_acc, acc_list = answer_match_acc.compute(all_pred_answer, all_gt_answer)
    assert avg_acc == 2 / 3
    assert acc_list == [1.0, 1.0, 0.0]
    answer_match_acc = AnswerMatchAcc(type="fuzzy_match")
    avg_acc, acc_list = answer_match_acc.compute(all_pred_answer, all_gt_answer)
    assert avg_acc == 1.0
    assert acc_list == [1.0, 1.0, 1.0]


LISTS = {"pred_answers": None, "questions": None, "gt_answers": None, "judgement_query": None}
NO_JUDGE = {
    "model_client": None,
    "model_kwargs": None,
    "template": None,
    "use_cache": True,
    "default_task": None,
}


@pytest.mark.parametrize(
    ("function", "documented"),
    [
        (AnswerMatchAcc, {"type": "exact_match"}),
        (AnswerMatchAcc().compute_single_item, {"y": None, "y_gt": None}),
        (AnswerMatchAcc().compute, {"pred_answers": None, "gt_answers": None}),
        (RetrieverRecall().compute, {"retrieved_contexts": None, "gt_contexts": None}),
        (LLMasJudge().compute, LISTS),
        (GEvalLLMJudge, NO_JUDGE),
    ],
)
def test_parameters_have_the_documented_names_and_defaults(function, documented):
    parameters = inspect.signature(function).parameters
    found = {name: parameters[name].default for name in documented}
    assert {
        name: None if value is inspect.Parameter.empty else value for name, value in found.items()
    } == documented


@pytest.mark.parametrize("evaluator", [LLMasJudge, GEvalJudgeEvaluator])
def test_the_judge_is_optional_as_documented(evaluator):
    assert evaluator(llm_judge=None) == evaluator()
