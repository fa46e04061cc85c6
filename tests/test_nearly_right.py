"""A call that is nearly right: every public door takes it as the right call, or refuses it with an
error of ours that says what was given and what to give. Never another number, never a bare error.
"""

import inspect
import io
import json
from collections import UserDict, deque
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators import (
    AdvancedRAGEvaluator,
    AnswerMatchAcc,
    ContextRecall,
    DocumentSentencizer,
    FakeLLM,
    GEvalJudgeEvaluator,
    GPTLabelingPromptGenerator,
    LexicalContextRecall,
    LLMasJudge,
    PlumblineError,
    RetrieverRecall,
    RGBEvaluator,
    TRACEEvaluator,
    UnifiedEvaluationPipeline,
    arguments,
    compose,
    load_data,
)
from evaluators.errors import LLMError, MissingInputError, ParameterError
from evaluators.evaluation_pipeline import HybridEvaluator
from tests import judge

QUESTION = "How tall is the tower?"
RESPONSE = "The tower is 330 metres tall. It stands in Lyon."
TRUTH = "The tower is 330 metres tall."
DOCUMENTS = ["The tower is 330 metres tall. It stands in Paris.", "Lyon lies on the Rhone."]


# The doors


def recalls(prompt):
    return json.dumps({"classification": [{"key": "a", "reason": prompt, "attributed": True}]})


def of_batch(result):
    """What a batch says of its one case; its error is raised, as a single call would."""
    json.dumps(result, allow_nan=False)
    (entry,) = result["detailed_results"]
    if "error" in entry:
        assert entry["error"].startswith("Case 1: ")
        raise MissingInputError(entry["error"])
    return entry["metrics"]


def case(question, response, documents):
    return {"query": question, "response": response, "retrieved_documents": documents}


def labeller():
    return FakeLLM(judge.labels_for)


def rated(question, response, documents):
    rater = FakeLLM('{"reason": "", "score": 5}')
    values = GEvalJudgeEvaluator(rater).compute_single_item(response, question, documents)
    # What decides is what the judge is asked: the marks around a stranger's text are made anew.
    return values, [
        judge.material(text, "documents") for text in rater.asked if "<documents" in text
    ]


def of_run(question, response, documents):
    sample = {"question": question, "response": response, "retrieved_documents": documents}
    results = evaluators.evaluate([sample], "trace", progress=False)
    return results.to_pandas()[["context_relevance", "adherence"]].to_dict("records")


TRACE_DOORS = {
    "TRACEEvaluator": lambda *texts: TRACEEvaluator().evaluate(*texts).to_dict(),
    "AdvancedRAGEvaluator": lambda *texts: (
        AdvancedRAGEvaluator(labeller()).evaluate(*texts).to_dict()
    ),
    "HybridEvaluator": lambda *texts: HybridEvaluator(labeller()).evaluate(*texts).to_dict(),
    "pipeline, trace": lambda *texts: UnifiedEvaluationPipeline().evaluate(*texts).to_dict(),
    "pipeline, gpt_labeling": lambda *texts: (
        UnifiedEvaluationPipeline(labeller()).evaluate(*texts, method="gpt_labeling").to_dict()
    ),
    "pipeline, hybrid": lambda *texts: (
        UnifiedEvaluationPipeline(labeller()).evaluate(*texts, method="hybrid").to_dict()
    ),
    "TRACEEvaluator, batch": lambda *texts: of_batch(
        TRACEEvaluator().evaluate_batch([case(*texts)])
    ),
    "AdvancedRAGEvaluator, batch": lambda *texts: of_batch(
        AdvancedRAGEvaluator(labeller()).evaluate_batch([case(*texts)])
    ),
    "pipeline, batch of trace": lambda *texts: of_batch(
        UnifiedEvaluationPipeline().evaluate_batch(iter([case(*texts)]))
    ),
    "pipeline, batch with a budget": lambda *texts: of_batch(
        UnifiedEvaluationPipeline(labeller()).evaluate_batch(iter([case(*texts)]), "hybrid", 1)
    ),
}
DOCUMENT_DOORS = {
    **TRACE_DOORS,
    "DocumentSentencizer": lambda question, response, documents: (
        DocumentSentencizer().sentencize_documents(documents)
    ),
    "GPTLabelingPromptGenerator": lambda question, response, documents: judge.material(
        GPTLabelingPromptGenerator.generate_labeling_prompt(question, response, documents), "documents"
    ),
    "G-Eval": rated,
    "ContextRecall": lambda question, response, documents: (
        ContextRecall(llm_client=FakeLLM(recalls)).evaluate(question, documents, TRUTH).values
    ),
    "LexicalContextRecall": lambda question, response, documents: (
        LexicalContextRecall().evaluate(question, documents, TRUTH).details
    ),
    "RetrieverRecall": lambda question, response, documents: (
        RetrieverRecall().compute_single_item(documents, DOCUMENTS[0][:20])
    ),
    "evaluate": of_run,
}  # fmt: skip


# What is nearly a list of documents


@dataclass
class Document:
    """As LangChain writes it."""

    page_content: str
    metadata: dict


class TextNode(NamedTuple):
    text: str
    score: float


class Frame(pd.DataFrame):
    """A kind of one's own."""


def langchain(text):
    return Document(text, {"source": "a.pdf"})


def llama_index(text):
    return SimpleNamespace(node=SimpleNamespace(text=text), score=0.5)


TAKEN = {
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "iterator": iter,
    "map": lambda texts: map(str, texts),
    "deque": deque,
    "array": np.array,
    "array of objects": lambda texts: np.array(texts, dtype=object),
    "list of texts of numpy": lambda texts: [np.str_(text) for text in texts],
    "Series": lambda texts: pd.Series(texts, index=[7] * len(texts)),
    "Series of strings": lambda texts: pd.Series(texts, dtype="string"),
    "Index": pd.Index,
    "Arrow array": pa.array,
    "Arrow column": lambda texts: pa.chunked_array([texts]),
    "values of a mapping": lambda texts: dict(enumerate(texts)).values(),
    "mapping by number": lambda texts: dict(enumerate(texts)),
    "mapping by file": lambda texts: {f"{chr(97 + n)}.pdf": text for n, text in enumerate(texts)},
    "mapping of one's own": lambda texts: UserDict({f"doc{n}": text for n, text in enumerate(texts)}),
    "objects": lambda texts: [{"text": text} for text in texts],
    "tuple of objects": lambda texts: tuple({"page_content": text, "score": 1} for text in texts),
    "objects by id": lambda texts: {f"id{n}": {"content": text} for n, text in enumerate(texts)},
    "LangChain": lambda texts: list(map(langchain, texts)),
    "LangChain with scores": lambda texts: [(langchain(text), 0.5) for text in texts],
    "LlamaIndex": lambda texts: list(map(llama_index, texts)),
    "named tuples": lambda texts: [TextNode(text, 0.5) for text in texts],
    "texts with scores": lambda texts: [(text, 0.5) for text in texts],
    "table": lambda texts: pd.DataFrame({"text": texts, "score": 1.0}),
    "table of a kind of one's own": lambda texts: Frame({"text": texts}),
    "Arrow table": lambda texts: pa.table({"text": texts}),
    "JSON": json.dumps,
    "Python's writing": repr,
}  # fmt: skip
try:
    import polars

    TAKEN |= {
        "polars column": polars.Series,
        "polars table": lambda texts: polars.DataFrame({"text": texts}),
    }
except ImportError:  # the rule for a library's columns and tables holds without it
    pass

NOT_DOCUMENTS = {
    "None": (None, "None"),
    "NaN": (float("nan"), "nan"),
    "NA of pandas": (pd.NA, "NAType"),
    "a number": (5, "5"),
    "a number of numpy": (np.int64(5), "5"),
    "bytes": (b"The tower.", "b'The tower.'"),
    "a set": ({"The tower."}, "set"),
    "a frozenset": (frozenset(["The tower."]), "frozenset"),
    "a path": (Path("a.txt"), "a PosixPath"),
    "a file": (io.StringIO("The tower.\nIt is tall.\n"), "a StringIO"),
    "a class": (Document, "a type"),
    "an object": (object(), "a object"),
}
NO_DOCUMENT = {
    "None": (None, "None"),
    "NaN": (float("nan"), "nan"),
    "NA of pandas": (pd.NA, "NAType"),
    "a number": (5, "5"),
    "bytes": (b"The tower.", "b'The tower.'"),
    "a list": ([["The tower."], ["It is tall."]], "The tower."),
    "an object without a text": ({"score": 1}, "score"),
    "an object whose text is missing": ({"text": None, "title": "The tower"}, "The tower"),
    "an object whose text is NaN": ({"page_content": float("nan"), "author": "Eiffel"}, "Eiffel"),
    "a decimal": (Decimal(1), "a Decimal"),
}


@pytest.fixture(autouse=True)
def own_store(data_folder):
    """A run has a store."""


@pytest.mark.parametrize("door", DOCUMENT_DOORS)
def test_documents_in_any_packing_are_the_same_documents(door):
    right = DOCUMENT_DOORS[door](QUESTION, RESPONSE, DOCUMENTS)

    for packing, pack in TAKEN.items():
        assert DOCUMENT_DOORS[door](QUESTION, RESPONSE, pack(DOCUMENTS)) == right, packing


@pytest.mark.parametrize("door", DOCUMENT_DOORS)
def test_one_text_is_one_document(door):
    right = DOCUMENT_DOORS[door](QUESTION, RESPONSE, DOCUMENTS[:1])

    for alone in (
        DOCUMENTS[0],
        np.array(DOCUMENTS[0]),
        langchain(DOCUMENTS[0]),
        {"text": DOCUMENTS[0]},
    ):
        assert DOCUMENT_DOORS[door](QUESTION, RESPONSE, alone) == right, alone


EMPTY_CELLS = {"None", "NaN", "NA of pandas"}
MAY_BE_ABSENT = {"evaluate": EMPTY_CELLS, "G-Eval": EMPTY_CELLS}
"""An empty cell of a table is a sample without documents, and a rating may do without."""


@pytest.mark.parametrize("door", DOCUMENT_DOORS)
@pytest.mark.parametrize("kind", NOT_DOCUMENTS)
def test_what_is_no_documents_is_refused_with_what_was_given(door, kind):
    value, told = NOT_DOCUMENTS[kind]
    if kind in MAY_BE_ABSENT.get(door, ()):
        return
    with pytest.raises(PlumblineError) as caught:
        DOCUMENT_DOORS[door](QUESTION, RESPONSE, value)

    if door != "evaluate":
        assert told in str(caught.value)
        assert "Give a list of texts" in str(caught.value)


@pytest.mark.parametrize("door", DOCUMENT_DOORS)
@pytest.mark.parametrize("kind", NO_DOCUMENT)
def test_a_document_that_is_no_text_is_named_by_its_number(door, kind):
    value, told = NO_DOCUMENT[kind]
    for documents in (
        [DOCUMENTS[0], value],
        iter((DOCUMENTS[0], value)),
        {"d0": DOCUMENTS[0], "d1": value},
    ):
        if isinstance(documents, dict) and value is not None:
            continue  # an object with fields of its own
        with pytest.raises(PlumblineError) as caught:
            DOCUMENT_DOORS[door](QUESTION, RESPONSE, documents)

        if door != "evaluate":
            assert "number 2 of 2" in str(caught.value)
            assert told in str(caught.value)


TEXTS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=5)
# A text of white space alone is no document where it stands alone.
FOR_MAPPINGS = TEXTS.filter(lambda texts: all(map(str.strip, texts)))


@given(
    FOR_MAPPINGS,
    st.sampled_from([name for name in TAKEN if name not in ("Python's writing", "Arrow column")]),
)
def test_any_documents_are_read_in_any_packing(texts, packing):
    # numpy drops the NULs at the end of a text
    texts = [text.rstrip("\0") or "x" for text in texts]

    assert arguments.retrieved(TAKEN[packing](texts)) == tuple(texts)


@given(TEXTS, st.sampled_from(list(NO_DOCUMENT.values())), st.randoms())
def test_whatever_stands_among_any_documents_is_named_where_it_stands(texts, no_text, rng):
    place = rng.randrange(len(texts) + 1)
    texts.insert(place, no_text[0])
    if len(texts) == 2 and isinstance(texts[1], list):
        return  # a title and its sentences, as HotpotQA writes a document

    with pytest.raises(MissingInputError, match=f"number {place + 1} of {len(texts)} is"):
        arguments.retrieved(iter(texts))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=3) | st.binary(max_size=3)
    | st.just(pd.NA) | st.just(pd.NaT) | st.dates() | st.builds(object),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2) | st.integers(0, 3), inner, max_size=3)
    | st.lists(inner, max_size=3).map(tuple) | st.lists(st.floats(), max_size=3).map(np.array),
    max_leaves=6,
)  # fmt: skip


@given(JSON, JSON, JSON, JSON)
def test_whatever_a_case_holds_the_batch_is_json(query, response, documents, truth):
    result = TRACEEvaluator().evaluate_batch(
        [case(query, response, documents) | {"ground_truth": truth}]
    )

    json.dumps(result, allow_nan=False)
    assert len(result["detailed_results"]) == 1


def test_a_value_that_holds_itself_is_read_to_an_end():
    endless = [DOCUMENTS[0]]
    endless.append(endless)

    with pytest.raises(MissingInputError, match="number 2 of 2"):
        TRACEEvaluator().evaluate(QUESTION, RESPONSE, endless)
    json.dumps(TRACEEvaluator().evaluate_batch([case(QUESTION, endless, endless)]))


# Question and answer

NO_TEXT = [None, float("nan"), pd.NA, 5, True, b"text", ["text"], {"text": "text"}, {"text"}, object(), np.array(["text"])]  # fmt: skip
TEXT_DOORS = {
    **TRACE_DOORS,
    "sentencize_response": lambda question, response, documents: (
        DocumentSentencizer().sentencize_response(response)
    ),
    "G-Eval": rated,
    "LLMasJudge": lambda question, response, documents: LLMasJudge(
        FakeLLM('{"verdict": "yes"}')
    ).compute_single_item(response, question, TRUTH),
    "is_correct": lambda question, response, documents: RGBEvaluator().is_correct(response, TRUTH),
    "is_rejection": lambda question, response, documents: RGBEvaluator().is_rejection(response),
    "detects_error": lambda question, response, documents: RGBEvaluator().detects_error(response, "Lyon"),
    "corrects_error": lambda question, response, documents: (
        RGBEvaluator().corrects_error(response, TRUTH, "Lyon")
    ),
    "normalize_answer": lambda question, response, documents: RGBEvaluator().normalize_answer(response),
    "labels": lambda question, response, documents: RGBEvaluator().labels(response, TRUTH),
}  # fmt: skip


@pytest.mark.parametrize("door", TEXT_DOORS)
def test_an_answer_that_is_no_text_is_refused(door):
    for value in NO_TEXT:
        with pytest.raises(
            MissingInputError, match=r"(response|answer) is .*not text. Give a string"
        ):
            TEXT_DOORS[door](QUESTION, value, DOCUMENTS)


@pytest.mark.parametrize("door", TRACE_DOORS)
def test_a_question_that_is_no_text_is_refused(door):
    for value in NO_TEXT:
        with pytest.raises(
            MissingInputError, match=r"(question|query) is .*not text. Give a string"
        ):
            TRACE_DOORS[door](value, RESPONSE, DOCUMENTS)


# Batches

CASES = [case(QUESTION, RESPONSE, DOCUMENTS), case(QUESTION, "It stands in Paris.", DOCUMENTS[:1])]
BATCHES = {
    "TRACEEvaluator": lambda cases: TRACEEvaluator().evaluate_batch(cases),
    "AdvancedRAGEvaluator": lambda cases: AdvancedRAGEvaluator(labeller()).evaluate_batch(cases),
    "hybrid": lambda cases: UnifiedEvaluationPipeline(labeller()).evaluate_batch(cases, "hybrid"),
    "hybrid with a budget": lambda cases: (
        UnifiedEvaluationPipeline(labeller()).evaluate_batch(cases, "hybrid", budget=1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("door", BATCHES)
def test_cases_in_any_packing_are_the_same_cases(door):
    right = BATCHES[door](CASES)
    assert right["num_scored"] == 2

    for packed in (tuple(CASES), iter(CASES), (each for each in CASES), deque(CASES), np.array(CASES, dtype=object),
                   pd.Series(CASES), pd.DataFrame(CASES), pa.Table.from_pylist(CASES), list(map(UserDict, CASES))):  # fmt: skip
        assert BATCHES[door](packed) == right, type(packed)


@pytest.mark.parametrize("door", BATCHES)
def test_what_holds_no_cases_is_refused(door):
    columns = {"query": [QUESTION], "response": [RESPONSE], "retrieved_documents": [DOCUMENTS]}
    for value in (None, 5, "cases.json", CASES[0], columns, {1: CASES[0]}, set(), b"", object(), load_data("TRACE sample (English)")):  # fmt: skip
        with pytest.raises(
            ParameterError, match=r"test_cases is .*Give a list with a mapping for each"
        ):
            BATCHES[door](value)


@pytest.mark.parametrize("door", BATCHES)
@pytest.mark.parametrize("value", [None, "q", 5, ["q"], float("nan"), pd.NA])
def test_a_case_that_is_none_fails_alone_and_says_so(door, value):
    result = BATCHES[door]([CASES[0], value])

    assert (result["num_samples"], result["num_scored"]) == (2, 1)
    assert result["detailed_results"][1]["error"].startswith("Case 2: ")


@pytest.mark.parametrize("budget", ["3", -1, 1.5, True, float("nan"), [3]])
def test_a_budget_that_is_no_number_of_calls_is_refused(budget):
    with pytest.raises(ParameterError, match=r"budget is .*Give a whole number, 0 or more"):
        UnifiedEvaluationPipeline(labeller()).evaluate_batch(CASES, "hybrid", budget=budget)


@pytest.mark.parametrize("name", [None, 5, ["trace"], "TRACE"])
def test_a_method_or_definition_that_is_none_is_refused(name):
    with pytest.raises(ParameterError, match="No method is called"):
        UnifiedEvaluationPipeline().evaluate(QUESTION, RESPONSE, DOCUMENTS, method=name)
    if name:
        with pytest.raises(ParameterError, match="No TRACE definition is called"):
            TRACEEvaluator().evaluate(QUESTION, RESPONSE, DOCUMENTS, definition=name)


# A judge that raises in the middle

RAISED = [ConnectionError("reset"), TimeoutError(), RuntimeError("x"), KeyError("choices"), ValueError("y"), AssertionError(), StopIteration(), OSError(5, "z"), RecursionError(), Exception]  # fmt: skip


class Faulty:
    """A judge of one's own; of every so many answers one is raised in its place."""

    def __init__(self, answer, error, every):
        self.answer, self.error, self.every, self.calls = answer, error, every, 0

    def complete(self, prompt):
        self.calls += 1
        if self.calls % self.every == 0:
            raise self.error
        return self.answer(prompt)


def derived(faulty):
    """The same as a client of ours."""

    class Client(evaluators.LLMClient):
        model = "mine"

        def complete(self, prompt):
            return evaluators.llm.Completion(text=faulty.complete(prompt.text))

    return Client()


def failed_in_batch(llm):
    result = AdvancedRAGEvaluator(llm).evaluate_batch(CASES * 2)
    return [entry.get("error") for entry in result["detailed_results"]]


def failed_in_lists(compute):
    result = compute
    return [result.errors.get(number) for number in range(4)]


JUDGED = {
    "pipeline": (judge.labels_for, 3, failed_in_batch),
    "LLMasJudge": (
        lambda prompt: '{"verdict": "yes"}',
        3,
        lambda llm: failed_in_lists(LLMasJudge(llm).compute(["q"] * 4, ["a"] * 4, ["a"] * 4)),
    ),
    "G-Eval": (
        lambda prompt: '{"score": 5}',
        12,
        lambda llm: failed_in_lists(GEvalJudgeEvaluator(llm).compute(["a"] * 4, ["q"] * 4, ["d"] * 4)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("door", JUDGED)
@pytest.mark.parametrize("error", RAISED, ids=repr)
@pytest.mark.parametrize("kind", [lambda faulty: faulty, derived, lambda faulty: FakeLLM(faulty.complete)], ids=["object", "client", "FakeLLM"])  # fmt: skip
def test_what_was_judged_is_kept_where_a_judge_raises(door, error, kind):
    answer, every, failures = JUDGED[door]

    messages = failures(kind(Faulty(answer, error, every)))

    assert messages.count(None) == 3
    (message,) = filter(None, messages)
    assert type(error() if isinstance(error, type) else error).__name__ in message


@pytest.mark.parametrize("door", JUDGED)
@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_goes_through(door, interrupt):
    answer, every, failures = JUDGED[door]
    with pytest.raises(interrupt):
        failures(Faulty(answer, interrupt(), every))


def test_the_error_of_a_judge_has_the_original_as_its_cause_and_no_key(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk_Zq8vN3kLw0pXr5tYb7uC")
    faulty = Faulty(judge.labels_for, ConnectionError("refused with gsk_Zq8vN3kLw0pXr5tYb7uC"), 1)

    with pytest.raises(LLMError) as caught:
        AdvancedRAGEvaluator(faulty).evaluate(QUESTION, RESPONSE, DOCUMENTS)
    assert caught.value.__cause__ is faulty.error
    assert "Zq8vN3kLw0pXr5tYb7uC" not in str(caught.value)


# RGB

RGB_BATCHES = {
    "noise": lambda answers, truths, planted: RGBEvaluator().evaluate_noise_robustness(answers, truths, "m", 0.2),
    "rejection": lambda answers, truths, planted: RGBEvaluator().evaluate_negative_rejection(answers, "m"),
    "integration": lambda answers, truths, planted: RGBEvaluator().evaluate_information_integration(answers, truths, "m"),
    "counterfactual": lambda answers, truths, planted: RGBEvaluator().evaluate_counterfactual_robustness(answers, truths, planted, "m"),
}  # fmt: skip
ANSWERS, TRUTHS, PLANTED = ["In Paris.", "I cannot answer.", "No."], ["Paris", ["1889"], [["a", "b"]]], ["Lyon", None, "c"]  # fmt: skip


@pytest.mark.parametrize("door", RGB_BATCHES)
def test_answers_in_any_packing_are_the_same_answers(door):
    right = RGB_BATCHES[door](ANSWERS, TRUTHS, PLANTED)

    for pack in (tuple, iter, deque, pd.Series, lambda values: np.array(values, dtype=object), lambda values: (value for value in values)):  # fmt: skip
        assert RGB_BATCHES[door](pack(ANSWERS), pack(TRUTHS), pack(PLANTED)) == right


@pytest.mark.parametrize("door", RGB_BATCHES)
@pytest.mark.parametrize("value", [None, 42, 4.2, float("nan"), pd.NA, [], ["Paris"], {"text": "Paris"}, b"Paris", object()])  # fmt: skip
def test_an_answer_that_is_no_text_is_named_by_its_row(door, value):
    with pytest.raises(
        PlumblineError,
        match=r"^Row 2 of 3 \(the first is 1\): response is .*not text. Give a string",
    ):
        RGB_BATCHES[door]([ANSWERS[0], value, ANSWERS[2]], TRUTHS, PLANTED)


@pytest.mark.parametrize("door", [door for door in RGB_BATCHES if door != "rejection"])
@pytest.mark.parametrize("value", [None, 42, float("nan"), pd.NA, [], [[]], [None], [pd.NA], ["Paris", 42], {"text": ["Paris"]}, {"Paris"}, b"Paris", [[["Paris"]]]], ids=repr)  # fmt: skip
def test_a_truth_that_is_none_is_named_by_its_row(door, value):
    with pytest.raises(
        PlumblineError,
        match=r"^Row 3 of 3 \(the first is 1\): .*Give a string or a list of strings",
    ):
        RGB_BATCHES[door](ANSWERS, [*TRUTHS[:2], value], PLANTED)


@pytest.mark.parametrize("value", [42, {"text": "Lyon"}, {"Lyon"}, [None], b"Lyon"], ids=repr)
def test_a_planted_answer_that_is_none_is_named_by_its_row(value):
    with pytest.raises(PlumblineError, match=r"^Row 1 of 3 .*counterfactual_answer"):
        RGB_BATCHES["counterfactual"](ANSWERS, TRUTHS, [value, *PLANTED[1:]])


@pytest.mark.parametrize(
    ("ratio", "told"),
    [(80, r"noise_ratio is 80. Give a share from 0 to 1: 0.8 is 80 %"), ("0.4", "noise_ratio is '0.4'"), (-1, "is -1"),
     (float("nan"), "is nan"), (float("inf"), "is inf"), (None, "is None"), (True, "is True"), ([0.4], r"is \[0.4\]"), (1.01, "1.01")],
)  # fmt: skip
def test_a_noise_ratio_is_a_share(ratio, told):
    with pytest.raises(ParameterError, match=told):
        RGBEvaluator().evaluate_noise_robustness(ANSWERS, TRUTHS, "m", ratio)
    with pytest.raises(ParameterError, match="Give a share from 0 to 1"):
        compose(load_data("RGB sample (English)"), ["noise_robustness"], noise_levels=[0.2, ratio])


@pytest.mark.parametrize("ratio", [0, 0.0, 0.8, 1, np.float32(0.5), np.float64(0.5), np.int64(1)])
def test_every_share_is_a_noise_ratio(ratio):
    result = RGBEvaluator().evaluate_noise_robustness(ANSWERS, TRUTHS, "m", ratio)
    assert result.task_type == f"noise_robustness_{round(float(ratio) * 100)}%"


def test_prompts_are_composed_of_what_is_nearly_right_or_it_is_refused():
    bed = load_data("RGB sample (English)")
    right = compose(bed, [evaluators.Ability.NOISE], noise_levels=[0.4])

    for abilities in (
        evaluators.Ability.NOISE,
        "noise_robustness",
        ["noise_robustness"],
        iter(["noise_robustness"]),
    ):
        assert compose(bed, abilities, noise_levels=0.4) == right
    for wrong in ({"bed": bed.name}, {"bed": None}, {"abilities": ["noise"]}, {"abilities": "rgb"}, {"abilities": None},
                  {"passages": "5"}, {"passages": 0}, {"sample": -1}, {"sample": "3"}, {"noise_levels": None}):  # fmt: skip
        with pytest.raises(ParameterError, match=r"Give|Known"):
            compose(**{"bed": bed, "abilities": ["noise_robustness"], **wrong})


# Lists of items


def test_the_recall_over_lists_looks_at_the_first_k():
    retrieved, gold = [["a", "b", "c"]], [["c"]]

    assert RetrieverRecall().compute(retrieved, gold).avg_score == 1.0
    assert [RetrieverRecall(k=k).compute(retrieved, gold).avg_score for k in (1, 2, 3, 5)] == [
        0,
        0,
        1,
        1,
    ]


@pytest.mark.parametrize("column", [None, "one", {"a": 1}, {"a"}, 5, b"", object()])
def test_a_column_that_is_no_list_is_refused(column):
    for call in (
        lambda: RGBEvaluator().evaluate_negative_rejection(column, "m"),
        lambda: AnswerMatchAcc().compute(column, ["a"]),
        lambda: RetrieverRecall().compute(column, ["a"]),
        lambda: LLMasJudge(FakeLLM("")).compute(None, None, column),
        lambda: GEvalJudgeEvaluator(FakeLLM("")).compute(column),
    ):
        with pytest.raises(
            ParameterError, match=r"(is missing|is ).*Give a list with one entry for each item"
        ):
            call()


@pytest.mark.parametrize("column", [None, "one", {"a": 1}, {"a"}, 5, b"", object(), CASES[0]])
def test_data_that_are_no_samples_are_refused(column):
    with pytest.raises(PlumblineError):
        evaluators.evaluate(column, "trace", progress=False)


def test_data_in_any_packing_are_the_same_samples():
    rows = [{"question": QUESTION, "response": RESPONSE, "retrieved_documents": DOCUMENTS}] * 2
    right = load_data(rows, on_remark=len).samples
    assert right[1].retrieved_documents == tuple(DOCUMENTS)

    for packed in (tuple(rows), iter(rows), pd.DataFrame(rows), pa.Table.from_pylist(rows), pa.RecordBatch.from_pylist(rows),
                   np.array(rows, dtype=object), [row | {"retrieved_documents": map(langchain, DOCUMENTS)} for row in rows]):  # fmt: skip
        assert load_data(packed, on_remark=len).samples == right, type(packed)


# Any argument

SAMPLE = evaluators.Sample(id="1", question=QUESTION, response=RESPONSE, ground_truth=TRUTH)


def yes():
    return FakeLLM(
        '{"verdict": "yes", "score": 5, "classification": [{"key": "a", "attributed": 1}]}'
    )


CALLS = {
    "TRACEEvaluator": (TRACEEvaluator().evaluate, {"question": QUESTION, "response": RESPONSE, "retrieved_documents": DOCUMENTS, "definition": None}),
    "TRACEEvaluator, batch": (TRACEEvaluator().evaluate_batch, {"test_cases": CASES, "definition": None}),
    "AdvancedRAGEvaluator": (AdvancedRAGEvaluator(labeller()).evaluate, {"question": QUESTION, "response": RESPONSE, "retrieved_documents": DOCUMENTS, "definition": None}),
    "pipeline": (UnifiedEvaluationPipeline(labeller()).evaluate, {"question": QUESTION, "response": RESPONSE, "retrieved_documents": DOCUMENTS, "method": "hybrid", "definition": None}),
    "pipeline, batch": (UnifiedEvaluationPipeline(labeller()).evaluate_batch, {"test_cases": CASES, "method": "hybrid", "budget": None, "definition": None}),
    "pipeline itself": (UnifiedEvaluationPipeline, dict.fromkeys(["llm_client", "chunking_strategy", "chunk_size", "chunk_overlap", "definition", "prompt"])),
    "noise": (RGBEvaluator().evaluate_noise_robustness, {"responses": ANSWERS, "ground_truths": TRUTHS, "model_name": "m", "noise_ratio": 0.2}),
    "counterfactual": (RGBEvaluator().evaluate_counterfactual_robustness, {"responses": ANSWERS, "ground_truths": TRUTHS, "counterfactual_answers": PLANTED, "model_name": "m"}),
    "is_correct": (RGBEvaluator().is_correct, {"response": RESPONSE, "ground_truth": TRUTH}),
    "corrects_error": (RGBEvaluator().corrects_error, {"response": RESPONSE, "correct_answer": TRUTH, "counterfactual_answer": None}),
    "answer match": (AnswerMatchAcc().compute, {"pred_answers": ANSWERS, "gt_answers": TRUTHS}),
    "answer match, one": (AnswerMatchAcc().compute_single_item, {"y": RESPONSE, "y_gt": TRUTH}),
    "retriever recall": (RetrieverRecall().compute, {"retrieved_contexts": [DOCUMENTS], "gt_contexts": [DOCUMENTS]}),
    "retriever recall itself": (RetrieverRecall, {"k": 3}),
    "context recall": (ContextRecall(llm_client=yes()).evaluate, {"question": QUESTION, "contexts": DOCUMENTS, "ground_truth": TRUTH}),
    "LLMasJudge": (LLMasJudge(yes()).compute, {"questions": ["q"], "gt_answers": ["a"], "pred_answers": ["a"], "judgement_query": None}),
    "DefaultLLMJudge": (evaluators.DefaultLLMJudge(yes()), {"question": QUESTION, "gt_answer": TRUTH, "pred_answer": RESPONSE, "judgement_query": None}),
    "DefaultLLMJudge itself": (evaluators.DefaultLLMJudge, {"model_client": None, "model_kwargs": None, "template": None}),
    "G-Eval": (GEvalJudgeEvaluator(yes()).compute, {"pred_answers": ["a"], "questions": ["q"], "contexts": [DOCUMENTS]}),
    "GEvalLLMJudge": (evaluators.GEvalLLMJudge(yes()), {"pred_answer": "a", "question": "q", "contexts": DOCUMENTS}),
    "DocumentSentencizer": (DocumentSentencizer().sentencize_documents, {"documents": DOCUMENTS}),
    "prompt": (GPTLabelingPromptGenerator.generate_labeling_prompt, {"question": QUESTION, "response": RESPONSE, "documents": DOCUMENTS, "prompt": "ragbench"}),
    "compose": (compose, {"bed": None, "abilities": ["noise_robustness"], "noise_levels": [0.2], "passages": 5, "seed": 0, "sample": 3}),
    "load_data": (load_data, {"data": [{"question": QUESTION, "response": RESPONSE}], "columns": None}),
    "a sample": (lambda sample: [metric.score(sample) for metric in (TRACEEvaluator(), RGBEvaluator(), AnswerMatchAcc(), RetrieverRecall(), LexicalContextRecall())], {"sample": None}),
}  # fmt: skip


def odd_values():
    return [
        None, float("nan"), float("inf"), pd.NA, pd.NaT, 5, -1, 0, 1.5, True, "5", "x", "", "\ud800", "\0", b"x", [], (), {}, set(), [None], [5], ["x"], [[]], [[None]], [{}],
        {"a": 1}, {"a": "x"}, {1}, object(), Exception("x"), lambda: 1, int, iter([]), iter([1]), [iter(DOCUMENTS)], range(2), io.StringIO("x"), SimpleNamespace(), SimpleNamespace(text=5),
        np.array([1, 2]), np.array("x"), np.array([]), np.int64(3), pd.DataFrame(), pd.DataFrame({"a": [1]}), pd.Series([], dtype=object), pa.table({"a": [1]}), Decimal(1), SAMPLE,
    ]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_no_argument_ends_in_a_bare_error(call):
    function, arguments_of_call = CALLS[call]
    if call == "compose":
        arguments_of_call = arguments_of_call | {"bed": load_data("RGB sample (English)")}
    for name in arguments_of_call:
        for value in odd_values():
            with suppress(PlumblineError):
                function(**{**arguments_of_call, name: value})


READ = {"retrieved_documents", "documents", "contexts", "retrieved_context", "retrieved_contexts", "test_cases", "responses", "pred_answers", "pred_answer", "response"}  # fmt: skip
TRIED = {
    "AdvancedRAGEvaluator": {"evaluate", "evaluate_batch"},
    "AnswerMatchAcc": {"compute"},
    "ContextRecall": {"evaluate"},
    "DefaultLLMJudge": {"__call__"},
    "DocumentSentencizer": {"sentencize_documents", "sentencize_response"},
    "GEvalJudgeEvaluator": {"compute", "compute_single_item"},
    "GEvalLLMJudge": {"__call__"},
    "GPTLabelingPromptGenerator": {"generate_labeling_prompt"},
    "LLMasJudge": {"compute", "compute_single_item"},
    "LexicalContextRecall": {"evaluate"},
    "RGBEvaluator": {
        "correction", "correctness", "corrects_error", "detection", "detects_error", "is_correct", "is_rejection",
        "labels", "rejection", "evaluate_counterfactual_robustness", "evaluate_information_integration",
        "evaluate_negative_rejection", "evaluate_noise_robustness",
    },
    "RetrieverRecall": {"compute", "compute_single_item"},
    "TRACEEvaluator": {"evaluate", "evaluate_batch"},
    "UnifiedEvaluationPipeline": {"evaluate", "evaluate_batch"},
}  # fmt: skip


def test_every_public_door_that_reads_texts_is_tried_here():
    doors: dict[str, set[str]] = {}
    for name in evaluators.__all__:
        public = getattr(evaluators, name)
        if not isinstance(public, type) or issubclass(public, Exception):
            continue
        for method, function in inspect.getmembers(public, inspect.isfunction):
            is_public = not method.startswith("_") or method == "__call__"
            if is_public and READ & inspect.signature(function).parameters.keys():
                doors.setdefault(name, set()).add(method)

    del doors["GPTLabelingOutput"]  # asks about sentences that are cut already
    assert doors == TRIED
