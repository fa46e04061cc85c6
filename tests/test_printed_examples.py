"""The code of the five documents as they print it: every block that is Python runs, and its numbers
come out.

The documents are found by their headings in the folders beside `PLUMBLINE_CHECK_DATA`; without
them, the tests of each metric have the same examples by hand. Their copies have lost all
indentation: loops get it back here, definitions of the documents' own methods are compared by name.
"""

import re
from types import SimpleNamespace

import pytest

from evaluators import (
    AdvancedRAGEvaluator,
    AnswerMatchAcc,
    EvaluationResult,
    FakeLLM,
    GPTLabelingOutput,
    LLMasJudge,
    RGBEvaluator,
)
from tests import judge
from tests.test_advanced_rag_evaluator import MACHINE_LEARNING
from tests.test_documented_examples import _mpnet
from tests.test_llm_judge import contains

__all__ = ["_mpnet"]  # a fixture

HEADINGS = {
    "rgb": "# RGB Evaluation Calculation Explanation",
    "metrics": "# GPT Labeling Approach - Main Metrics Calculation",
    "recall": "RAGAS: Context Recall",
    "labelling": "# GPT Labeling Evaluation (RAGBench Approach)",
    "adalflow": "Abstract base class for evaluation metrics",
}
_CELL = re.compile(r"^\| ?(.*?) ?\| \|$", re.MULTILINE)
_IMPORT = re.compile(r"^from (\w+_evaluator|evaluation_pipeline) import", re.MULTILINE)


@pytest.fixture(scope="module")
def documents(check_data):
    """The text of each document, by the names of `HEADINGS`."""
    found = {}
    for path in sorted(check_data.parent.glob("*/*.txt")):
        text = _CELL.sub(r"\1", path.read_text(encoding="utf-8", errors="replace"))
        found |= {name: text for name, heading in HEADINGS.items() if heading in text}
    if found.keys() != HEADINGS.keys():
        pytest.skip("the documents are not in a folder beside the data")
    return found


def blocks(text, language="python"):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def indented(code):
    """A loop over `if ... else ...` with the indentation that the document's copy has lost."""
    lines, depth = [], 0
    for line in code.splitlines():
        starts = line.partition(" ")[0]
        if starts in ("if", "else:") and depth == 2:
            depth = 1
        lines.append("    " * depth + line)
        if line.partition("#")[0].rstrip().endswith(":"):
            depth += 1
    return "\n".join(lines)


def compiled(code):
    """The code with its imports from our package; `None` where it is not Python as it stands."""
    code = _IMPORT.sub(r"from evaluators.\1 import", code)
    try:
        return compile(code, "document", "exec")
    except SyntaxError:
        return None


# RGB


def names_of_definition(code):
    """The name and the parameters of a printed method."""
    name, parameters = re.match(r"def (\w+)\((.*?)\) ->", code, re.DOTALL).groups()
    without_remarks = re.sub(r"#.*", "", parameters)
    return name, re.findall(r"(\w+):", without_remarks)


def test_every_method_that_the_rgb_document_defines_is_there_with_its_parameters(documents):
    definitions = [code for code in blocks(documents["rgb"]) if code.startswith("def ")]

    assert len(definitions) == 9
    for code in definitions:
        name, parameters = names_of_definition(code)
        method = getattr(RGBEvaluator, name)
        assert list(method.__annotations__)[: len(parameters)] == parameters


@pytest.mark.parametrize(
    ("task", "lists", "counts"),
    [
        ("noise_robustness", {"ground_truths": ["Paris", "Oslo"]}, {"correct": 1, "incorrect": 1}),
        ("negative_rejection", {}, {"rejected": 1, "incorrect": 1}),
        (
            "information_integration",
            {"ground_truths": ["Paris", "Oslo"]},
            {"correct": 1, "incorrect": 1},
        ),
        (
            "counterfactual_robustness",
            {"ground_truths": ["Paris", "Oslo"], "counterfactual_answers": ["London", "Rome"]},
            {"correct": 1, "incorrect": 1, "errors_corrected": 1, "errors_detected": 1},
        ),
    ],
)
def test_the_steps_of_each_rgb_evaluation_run_and_count_as_its_method_does(
    documents, task, lists, counts
):
    responses = ["London is wrong, it is Paris.", "I cannot say."]
    if task != "negative_rejection":
        responses[1] = "Rome"
    steps = blocks(documents["rgb"])
    start = next(
        n
        for n, code in enumerate(steps)
        if f'task_type={"f" * (task[0:5] == "noise")}"{task}' in code
    )
    scope = {
        "self": RGBEvaluator(),
        "EvaluationResult": EvaluationResult,
        "model_name": "GPT-4",
        "noise_ratio": 0.4,
        "responses": responses,
        **lists,
    }
    exec(compiled(steps[start]), scope)
    exec(compiled(indented(steps[start + 1])), scope)

    printed = scope["result"]
    arguments = [responses, *lists.values(), "GPT-4", *([0.4] if "noise" in task else [])]
    ours = getattr(RGBEvaluator(), f"evaluate_{task}")(*arguments)
    names = ("task_type", "model_name", "total_samples", "correct", "incorrect", "rejected")
    names += ("errors_detected", "errors_corrected", "accuracy", "rejection_rate")
    assert [getattr(printed, name) for name in names] == [getattr(ours, name) for name in names]
    assert {name: getattr(printed, name) for name in counts} == counts


# The GPT labelling of the first TRACE document


def test_what_the_metrics_document_reads_of_labels_is_there(documents):
    printed = blocks(documents["metrics"])
    runnable = [code for code in map(compiled, printed) if code]
    output = GPTLabelingOutput.model_validate_json(blocks(documents["metrics"], "json")[0])
    supports = output.sentence_support_information
    scope = {
        "gpt_labels": output,
        "sentence_support_information": supports,
        "total_sentences": len(supports),
    }
    for code in runnable:
        exec(code, scope)

    # only the definitions of the document's own private methods have lost their indentation
    assert len(printed) - len(runnable) == 1
    assert scope["completeness"] == pytest.approx(2 / 3)
    assert (scope["fully_supported_count"], scope["adherence"]) == (1, 0.0)


def test_both_answers_that_the_metrics_document_prints_are_read(documents):
    first, second = blocks(documents["metrics"], "json")
    keys = ["0a", "0b", "1a", "1b"]
    texts = [
        "Machine learning is AI. It learns from data.",
        "Neural networks are models. They mimic brains.",
    ]

    three_steps = AdvancedRAGEvaluator(FakeLLM([first])).evaluate(
        "What is machine learning?",
        "Machine learning uses neural networks. They learn patterns.",
        texts,
        definition="fixed_20",
    )
    complete = AdvancedRAGEvaluator(FakeLLM([second])).evaluate(**MACHINE_LEARNING)

    assert three_steps.sentences.document_keys == tuple(keys)
    assert three_steps.context_relevance == pytest.approx(0.15)
    assert (three_steps.context_utilization, three_steps.adherence) == (1.0, 0.0)
    assert complete.under("fixed_20").average() == pytest.approx(0.55)


# The usage of the second TRACE document


@pytest.mark.usefixtures("_mpnet")
def test_the_usage_of_the_labelling_document_runs(documents, judge_client):
    printed = blocks(documents["labelling"])
    runnable = [code for code in map(compiled, printed) if code]
    client = judge_client("groq", "openai/gpt-oss-20b", answer=judge.labels_for)
    scope = {"groq_llm_client": client}
    for code in runnable:
        exec(code, scope)

    # the page of the last one has lost the indentation of its function
    assert [code.startswith("import streamlit") for code in printed] == [False, False, False, True]
    assert len(runnable) == 3
    assert scope["results"]["num_scored"] == 1


# AdalFlow


def statements(text, subject):
    """The `>>>` lines of the example in which the subject is made, one by one."""
    for line in text.splitlines():
        if line.startswith(">>>") and f"{subject}(" in line:
            return [part.strip() for part in line.split(">>>") if part.strip()]
    raise AssertionError(f"No example of {subject}.")


def run_as_printed(lines, scope):
    """Runs the statements; "name value" says what the name holds."""
    checked = 0
    for line in lines:
        shown = re.match(r"(\w+) (?!=)(?!.*compute)([\d\[].*)$", line)
        if shown:
            assert scope[shown[1]] == eval(shown[2])
            checked += 1
            continue
        exec(line, scope)
        # the document makes lists under one name and passes them under another
        scope["all_pred_answer"] = scope.get("pred_answers")
        scope["all_gt_answer"] = scope.get("gt_answers")
    return checked


def test_the_example_of_answer_match_runs(documents):
    lines = statements(documents["adalflow"], "AnswerMatchAcc")

    assert run_as_printed(lines, {"AnswerMatchAcc": AnswerMatchAcc}) == 4


def test_the_example_of_the_judge_runs_with_the_key_of_the_environment(
    documents, loopback, monkeypatch
):
    monkeypatch.setenv("GROQ_API_KEY", "gsk_of-the-environment")
    monkeypatch.setenv("GROQ_BASE_URL", loopback(answer=contains).address)
    lines = statements(documents["adalflow"], "LLMasJudge")

    assert run_as_printed(lines, {"LLMasJudge": LLMasJudge}) == 2


def test_the_example_of_retriever_recall_has_lost_brackets(documents):
    """By hand it stands in `test_retriever_recall.py`."""
    first, *_ = statements(documents["adalflow"], "RetrieverRecall")
    with pytest.raises(SyntaxError):
        compile(first, "document", "exec")


# RAGAS


def test_the_function_of_ragas_that_makes_a_score_agrees(documents):
    """`_compute_score` of the document, on the answer that the document prints."""
    code = re.search(
        r"( {4}def _compute_score.*?return score\n)", documents["recall"] + "\n", re.DOTALL
    )
    scope = {
        "t": SimpleNamespace(Any=object),
        "np": SimpleNamespace(nan=None, isnan=lambda value: False),
    }
    exec("class ContextRecall:\n" + code[1], scope)
    items = [SimpleNamespace(attributed=attributed) for attributed in (1, 1, 0, 0)]

    score = scope["ContextRecall"]()._compute_score(SimpleNamespace(__root__=items))

    assert score == 2 / 4
