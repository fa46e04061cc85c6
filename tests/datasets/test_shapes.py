"""Which kind of file it is: every known shape, columns under any sensible name, and doubt that
shows.
"""

import pytest

from evaluators.datasets.guess import SURE, Shape
from evaluators.datasets.names import COLUMNS, FIELDS, canonical
from evaluators.datasets.shapes import recognise
from evaluators.datasets.table import Table


def guess(*rows):
    return recognise(Table(list(enumerate(rows, start=1)), [], "JSON"))


def columns(*names):
    """The guess for columns with these names, which hold nothing that could tell anything."""
    return guess(dict.fromkeys(names, "x"))


@pytest.mark.parametrize(
    ("name", "canon"),
    [
        ("question", "question"),
        ("Question", "question"),
        ("User Question", "user_question"),
        ("userQuestion", "user_question"),
        ("USER-QUESTIONS", "user_question"),
        (" retrieved_contexts ", "retrieved_context"),
        ("RetrievedDocuments", "retrieved_document"),
        ("queries", "query"),
        ("status", "status"),
        ("class", "class"),
        ("ｑｕｅｓｔｉｏｎ", "question"),
        ("问题", "问题"),
        ("", ""),
    ],
)
def test_a_name_is_known_without_case_spaces_punctuation_and_plural(name, canon):
    assert canonical(name) == canon


# Known shapes

BED = {"id": 0, "query": "Who?", "answer": "a", "positive": ["p"], "negative": ["n"]}
FACT = BED | {"positive_wrong": ["w"], "fakeanswer": "f"}
SECOND = ("user_input", "response", "retrieved_contexts", "reference", "reference_contexts")


@pytest.mark.parametrize(
    ("row", "title"),
    [
        (BED, "RGB data set: noise robustness and rejection (English)"),
        (BED | {"positive": [["p"], ["p2"]]}, "RGB data set: information integration (English)"),
        (BED | {"positive": '[["p"], ["p2"]]'}, "RGB data set: information integration (English)"),
        (FACT, "RGB data set: counterfactual robustness (English)"),
        (FACT | {"query": "谁是总统？"}, "RGB data set: counterfactual robustness (Chinese)"),
    ],
)
def test_a_test_bed_says_what_it_tests_and_in_which_language(row, title):
    found = guess(row)

    assert (found.shape, found.title, found.confidence) == (Shape.BED, title, 1)


@pytest.mark.parametrize(
    ("names", "shape", "mapped"),
    [
        (
            ("query", "prediction", "docs", "ans"),
            Shape.ANSWERS,
            {"response": "prediction", "ground_truth": "ans"},
        ),
        (
            (
                "question",
                "response",
                "documents",
                "documents_sentences",
                "all_relevant_sentence_keys",
            ),
            Shape.RAGBENCH,
            {"retrieved_documents": "documents"},
        ),
        (
            ("question", "answer", "contexts", "ground_truth"),
            Shape.RAGAS,
            {"question": "question", "response": "answer", "ground_truth": "ground_truth"},
        ),
        (
            ("question", "answer", "contexts", "ground_truths"),
            Shape.RAGAS,
            {"ground_truth": "ground_truths"},
        ),
        (SECOND, Shape.RAGAS, {"question": "user_input", "gold_documents": "reference_contexts"}),
        (
            ("user_input", "response"),
            Shape.RAGAS,
            {"question": "user_input", "response": "response"},
        ),
        (
            ("pred_answers", "gt_answers"),
            Shape.ADALFLOW,
            {"response": "pred_answers", "ground_truth": "gt_answers"},
        ),
        (
            ("questions", "retrieved_contexts", "gt_contexts"),
            Shape.ADALFLOW,
            {
                "question": "questions",
                "retrieved_documents": "retrieved_contexts",
                "gold_documents": "gt_contexts",
            },
        ),
        (
            ("sample", "id", "status", "labels_by", "corrections", "adherence", "question"),
            Shape.VALUES,
            {"question": "question", "id": "id"},
        ),
        (
            ("sample", "id", "question", "labels_by", "labels", "corrections"),
            Shape.LABELS,
            {"question": "question", "labels": "labels"},
        ),
    ],
)
def test_a_known_shape_is_recognised_by_its_columns(names, shape, mapped):
    found = columns(*names)

    assert found.shape is shape
    assert found.confidence >= 0.9
    assert mapped.items() <= found.columns.items()


def test_baselines_of_ragbench_are_told():
    names = ("documents_sentences", "all_relevant_sentence_keys")

    assert columns(*names).title == "RAGBench rows with labels"
    assert (
        columns(*names, "trulens_groundedness").title == "RAGBench rows with labels and baselines"
    )


# Plain tables


@pytest.mark.parametrize(
    ("names", "mapped"),
    [
        (("Question", "Model Answer"), {"question": "Question", "response": "Model Answer"}),
        (("userQuestion", "generatedAnswer"), {"question": "userQuestion", "response": "generatedAnswer"}),
        (("问题", "回答", "上下文"), {"question": "问题", "response": "回答", "retrieved_documents": "上下文"}),
        (("问题", "回答", "答案"), {"question": "问题", "response": "回答", "ground_truth": "答案"}),
        (("QUERY", "OUTPUT", "Gold Answer"), {"question": "QUERY", "ground_truth": "Gold Answer"}),
        (
            ("input", "actual_output", "expected_output", "retrieval_context"),
            {
                "question": "input",
                "response": "actual_output",
                "retrieved_documents": "retrieval_context",
                "ground_truth": "expected_output",
            },
        ),
        (
            ("input", "actual_output", "expected_output", "context", "retrieval_context"),
            {"retrieved_documents": "retrieval_context"},
        ),
        (("question", "response", "ctxs"), {"retrieved_documents": "ctxs"}),
        (("query", "passages", "answer", "generated"), {"response": "generated", "ground_truth": "answer"}),
        (
            ("Frage", "Antwort", "Kontext", "Referenzantwort"),
            {"response": "Antwort", "retrieved_documents": "Kontext", "ground_truth": "Referenzantwort"},
        ),
        (
            ("Frage", "Antwort", "Kontext", "Musterlösung"),
            {
                "question": "Frage",
                "response": "Antwort",
                "retrieved_documents": "Kontext",
                "ground_truth": "Musterlösung",
            },
        ),
        (("Fragen", "Antworten", "Textstellen", "Lösung"), {"question": "Fragen", "ground_truth": "Lösung"}),
        (("question", "réponse", "réponse attendue"), {"response": "réponse", "ground_truth": "réponse attendue"}),
        (("Question", "Reponse", "Extraits", "Réponse correcte"), {"ground_truth": "Réponse correcte"}),
        (("Pregunta", "Respuesta", "Documentos", "Respuesta correcta"), {"ground_truth": "Respuesta correcta"}),
        (("question",), {"question": "question"}),
        (("id", "Frage"), {"question": "Frage", "id": "id"}),
        (("question", "answer", "reference"), {"response": "answer", "ground_truth": "reference"}),
        (("question", "response", "answer"), {"response": "response", "ground_truth": "answer"}),
        # As LangSmith's tables are written by pandas: only the object says whose answer it is
        (
            ("inputs.question", "outputs.contexts", "outputs.answer", "reference_outputs.answer"),
            {
                "question": "inputs.question",
                "response": "outputs.answer",
                "retrieved_documents": "outputs.contexts",
                "ground_truth": "reference_outputs.answer",
            },
        ),
        (
            ("input", "prediction.answer", "expected.answer"),
            {"response": "prediction.answer", "ground_truth": "expected.answer"},
        ),
        (("question", "contexts", "ground_truth"), {"question": "question", "ground_truth": "ground_truth"}),
    ],
)  # fmt: skip
def test_columns_are_known_by_any_sensible_name(names, mapped):
    found = columns(*names)

    assert found.shape is Shape.PLAIN
    assert mapped.items() <= found.columns.items()
    assert found.confidence >= 0.8


def test_the_first_of_several_known_names_wins_and_the_others_are_told():
    found = columns("question", "context", "documents", "response")

    assert found.columns["retrieved_documents"] == "documents"
    assert "Not used: context." in found.why


def test_what_was_taken_for_what_is_told():
    assert (
        columns("Query", "output", "lang").why
        == "Query → question (by name). output → response (by name). Not used: lang."
    )


def test_lists_under_answer_are_the_true_ones():
    found = guess({"question": "q", "answer": [["a", "b"]]})

    assert (found.columns["ground_truth"], found.confidence) == ("answer", 0.7)


@pytest.mark.parametrize(
    "names",
    [
        ("question", "answer"),
        ("question", "answer", "context"),
        ("answer",),
        ("response",),
        ("question", "topic"),
        ("question", "references"),
        ("a", "b", "c"),
        ("Frage", "Antwort"),
    ],
)
def test_a_doubtful_table_needs_confirmation(names):
    found = columns(*names)

    assert found.confidence < SURE
    assert not found.is_sure


@pytest.mark.parametrize(
    "names",
    [
        ("query", "result", "source_documents"),
        ("question", "gpt-4 answer", "llama answer", "context"),
        ("question", "right_answer", "hallucinated_answer", "knowledge"),
        ("question", "reference", "gpt4_response", "llama_response"),
        ("问题", "模型生成的答案", "召回文档", "正确答案"),
    ],
)
def test_a_table_whose_responses_have_an_unknown_name_needs_confirmation(names):
    found = columns(*names)

    assert not found.is_sure
    assert "What is to be judged may be in " in found.why


def test_numbers_and_lists_beside_known_columns_raise_no_doubt():
    found = guess(
        {
            "question": "q",
            "context": "c",
            "answer_start": 5,
            "result": "0.5",
            "outputs": [],
            "reply": None,
        }
    )

    assert found.is_sure


def test_without_known_names_the_content_is_looked_at():
    rows = [
        {
            "nr": n,
            "F": f"Who is number {n}?",
            "A": f"Number {n} is somebody.",
            "T": [f"Text {n} of a document."],
        }
        for n in range(5)
    ]

    found = guess(*rows)

    assert found.columns == {"question": "F", "response": "A", "retrieved_documents": "T"}
    assert found.confidence < SURE
    assert (
        "T → documents (guessed by content). F → question (guessed by content). "
        "A → response (guessed by content)."
    ) in found.why


def test_long_texts_may_be_documents():
    assert guess({"F": "Who?", "T": "A long text. " * 50}).columns == {
        "question": "F",
        "retrieved_documents": "T",
    }


SAYS = {"User says": "When was it built?", "bot reply": "It was built in 1812."}


@pytest.mark.parametrize(
    ("row", "mapped"),
    [
        (
            SAYS | {"snippets": "The mill was built in 1812. It grinds rye."},
            {"response": "bot reply"},
        ),
        (
            SAYS | {"bot reply": "It was built in 1812. " * 20, "snippets": "In 1812."},
            {"response": "bot reply"},
        ),
        (SAYS | {"other reply": "It was built by Anna Berg."}, {}),
        (
            {
                "User says": "When?",
                "a": "It was built in 1812.",
                "b": "The mill was built in 1812.",
            },
            {},
        ),
        (
            {"F": "When?", "a": "It was built in 1812.", "T": ["Text."]},
            {"response": "a", "retrieved_documents": "T"},
        ),
    ],
)
def test_what_to_judge_is_only_guessed_where_one_column_may_be_it(row, mapped):
    found = guess(row)

    assert {**found.columns, "question": ""} == {"question": "", **mapped}
    assert not found.is_sure


def test_a_column_named_for_what_users_write_may_be_the_question():
    found = guess(
        {"message": "a strange name.", "response": "It is a name.", "knowledge": "It is a name."}
    )

    assert (found.columns["question"], found.is_sure) == ("message", False)


# Rows with objects in them

NESTED = {
    "input": {"query": "q?", "lang": "en"},
    "output": {"text": "r"},
    "score": 5,
    "meta": {"page": 1},
}


def test_fields_of_objects_are_columns_known_by_the_last_part_of_their_name():
    found = guess(NESTED)

    assert found.columns == {"question": "input.query", "response": "output.text"}
    assert found.is_sure
    assert "Not used: score, input.lang, meta.page." in found.why


@pytest.mark.parametrize("key", ["text", "page_content", "content", "body", "value"])
def test_the_text_in_an_object_is_known_by_the_name_of_the_object(key):
    assert guess({"question": "q", "output": {key: "r"}}).columns["response"] == f"output.{key}"


@pytest.mark.parametrize("key", ["passage", "document"])
def test_the_text_in_an_object_keeps_a_name_that_says_what_it_is(key):
    found = guess({"input": {"query": "q?", key: "d"}, "response": "r"})

    assert found.columns == {
        "question": "input.query",
        "response": "response",
        "retrieved_documents": f"input.{key}",
    }


def test_a_column_of_its_own_goes_before_a_field_in_an_object():
    assert (
        guess({"meta": {"question": "no"}, "question": "q", "response": "r"}).columns["question"]
        == "question"
    )


def test_a_name_that_several_objects_have_in_them_says_nothing():
    found = guess(
        {"question": "q", "one": {"response": "It was built."}, "two": {"response": "It was not."}}
    )

    assert ("response" in found.columns, found.is_sure) == (False, False)
    assert "What is to be judged may be in one.response, two.response." in found.why


@pytest.mark.parametrize("name", ["Response.", "data.response", "row.response.text"])
def test_dots_in_a_name_do_not_hide_it(name):
    assert columns("question", name).columns["response"] == name


def test_objects_are_no_texts():
    assert guess({"question": {"a": 1}, "response": {"b": 1}}).columns == {}


def test_numbers_are_nothing_of_interest():
    assert (
        columns().columns == guess({"a": 1.5, "b": "2.75e-3", "c": True, "d": None}).columns == {}
    )


def test_names_of_models_are_no_answers():
    assert guess({"model": "mixtral-8x7b-32768", "accuracy": 0.5}).columns == {}


def test_every_field_with_usual_names_can_be_mapped():
    assert set(COLUMNS) <= set(FIELDS)
