"""The usage examples of the two TRACE documents, run as they stand there but for the package path."""

import json
import sys
from types import SimpleNamespace

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from evaluators.llm import Access
from evaluators.llm.clients import Account, Ledger, Seat
from evaluators.llm.layers import Meter
from evaluators.llm.loop import Scope
from evaluators.types import Cap, Completion, ModelSpec
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


class Told:
    """A judge that always answers the same."""

    model, room = "told", None

    def __init__(self, answer):
        self._answer = answer

    def complete(self, prompt):
        return Completion(text=json.dumps(self._answer))


@pytest.fixture
def groq_llm_client(loopback):
    """A client of Groq through all layers; the provider is on this computer and labels by shared words."""
    server = loopback(answer=judge.labels_for)
    keys = {"groq": Access(provider="groq", base_url=server.address, key=SecretStr("gsk-any"))}
    spec = ModelSpec(provider="groq", model="openai/gpt-oss-20b", answer_tokens=2048)
    seat = Seat(spec, keys, Account(Scope(), Meter(Cap(), 0, 0.0), None))
    yield seat.client(Ledger())
    seat.close()


@pytest.fixture
def _mpnet(tmp_path, monkeypatch):
    """The examples name an embedding model of a package that is an extra: a stand-in takes its place."""
    (tmp_path / "sentence_transformers.py").write_text(MPNET)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    yield
    sys.modules.pop("sentence_transformers", None)


# The first document: metrics calculation

MACHINE_LEARNING = {
    "question": "What is machine learning?",
    "response": (
        "Machine learning is a field of AI that learns from data. Deep learning uses neural networks. "
        "It's powerful for image recognition."
    ),
    "retrieved_documents": [
        "Machine learning is a subset of AI. It learns patterns from data. Algorithms improve through experience.",
        "Deep learning uses neural networks. It's popular in computer vision.",
        "Supervised learning needs labeled data. Unsupervised learning finds patterns.",
    ],
}
GPT_ANALYSIS = {
    "relevance_explanation": "",
    "all_relevant_sentence_keys": ["0a", "0b", "1a", "1b"],
    "overall_supported_explanation": "",
    "overall_supported": False,
    "sentence_support_information": [
        {
            "response_sentence_key": key,
            "explanation": "",
            "supporting_sentence_keys": supporting,
            "fully_supported": fully_supported,
        }
        for key, supporting, fully_supported in [("a", ["0a", "0b"], True), ("b", ["1a"], True), ("c", ["1b"], False)]
    ],
    "all_utilized_sentence_keys": ["0a", "0b", "1a", "1b"],
}


def test_the_complete_example_gives_exactly_its_numbers():
    """4 / 20 = 0.20, 4 / 4 = 1.0, 4 / 4 = 1.0, c is not fully supported = 0.0; their mean is 0.55."""
    from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator

    scores = AdvancedRAGEvaluator(llm_client=Told(GPT_ANALYSIS)).evaluate(**MACHINE_LEARNING).under("fixed_20")
    assert (scores.context_relevance, scores.context_utilization) == (0.20, 1.0)
    assert (scores.completeness, scores.adherence) == (1.0, 0.0)
    assert scores.average() == pytest.approx(0.55)


def test_the_complete_example_is_cut_into_its_sentences():
    from evaluators.advanced_rag_evaluator import DocumentSentencizer

    cutter = DocumentSentencizer()
    documents = cutter.sentencize_documents(MACHINE_LEARNING["retrieved_documents"])
    response = cutter.sentencize_response(MACHINE_LEARNING["response"])
    keys = [[sentence.key for sentence in document] for document in documents]
    assert keys == [["0a", "0b", "0c"], ["1a", "1b"], ["2a", "2b"]]
    assert [(sentence.key, sentence.text) for sentence in response] == [
        ("a", "Machine learning is a field of AI that learns from data."),
        ("b", "Deep learning uses neural networks."),
        ("c", "It's powerful for image recognition."),
    ]


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
        question="What is RAG?", response="RAG stands for...", retrieved_documents=["Doc text..."], method="trace"
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
        question="What is RAG?", response="RAG stands for...", retrieved_documents=["Doc text..."], method="hybrid"
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
COLLECTIONS = [{}, {"chunking_strategy": "dense", "embedding_model": MOST, "chunk_size": 512, "chunk_overlap": 50}]


@pytest.mark.usefixtures("_mpnet")
@pytest.mark.parametrize("collection", COLLECTIONS, ids=["a collection without metadata", "one with"])
def test_integration_with_a_streamlit_page(groq_llm_client, collection):
    page = AppTest.from_string(PAGE.replace("{COLLECTION}", repr(collection)).replace("{CASES}", repr(TEST_CASES)))
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
    assert set(results) == TRACE_RESULTS | {"num_scored"}
    first = results["detailed_results"][0]
    assert set(first) == ENTRY | {"ground_truth"}
    assert first["query_id"] == 1
    assert (results["num_samples"], results["adherence"]) == (2, 0.5)
    assert results["average"] == pytest.approx(
        sum(results[name] for name in ("context_relevance", "context_utilization", "completeness", "adherence")) / 4
    )


def test_gpt_labeling_results_have_the_documented_shape(groq_llm_client):
    from evaluators.evaluation_pipeline import UnifiedEvaluationPipeline

    pipeline = UnifiedEvaluationPipeline(llm_client=groq_llm_client)
    results = json.loads(json.dumps(pipeline.evaluate_batch(test_cases=TEST_CASES, method="gpt_labeling")))
    assert set(results) >= GPT_LABELING_RESULTS
    first, second = results["detailed_results"]
    assert set(first) >= ENTRY
    assert set(first["metrics"]) >= GPT_LABELING_RESULTS - {"average", "detailed_results"}
    assert (first["metrics"]["overall_supported"], second["metrics"]["overall_supported"]) == (True, False)
    assert (results["overall_supported"], results["fully_supported_sentences"]) == (False, 2)
    assert results["partially_supported_sentences"] + results["unsupported_sentences"] == 1
