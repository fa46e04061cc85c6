"""Columns in other languages, and the layouts of other programs: read, or asked about."""

import json

import pytest

from evaluators.batch.files import evaluate_batch_files
from evaluators.datasets.mapping import load, open_file
from evaluators.datasets.names import KNOWN, LONGEST, folded
from tests.datasets import files

LONG = "The mill was built in 1812 by Anna Berg who came from the north. " * 4


def opened(content, name="a.json"):
    return open_file(name, json.dumps(content, ensure_ascii=False).encode())


def table(header, *cells):
    return open_file("a.csv", f"{header}\n{','.join(cells)}\n".encode())


def only(loaded):
    assert loaded.guess.is_sure, loaded.guess.why
    return loaded.data.samples[0]


# Names


@pytest.mark.parametrize(
    "header",
    [
        "質問,回答,コンテキスト,正解",
        "質問,生成された回答,参照文書,模範解答",
        "質問文,答え,検索結果,期待される回答",
        "السؤال,الإجابة,السياق,الإجابة الصحيحة",
        "سؤال,إجابة النموذج,المستندات المسترجعة,الإجابة المرجعية",
        "Pregunta,Respuesta,Contextos,Respuesta esperada",
        "pregunta,respuesta_generada,documentos_recuperados,respuesta_de_referencia",
        "Question,Réponse,Contextes,Réponse attendue",
        "question,reponse generee,documents recuperes,reponse de reference",
        "Pergunta,Resposta do modelo,Contexto,Gabarito",
        "Вопрос,Ответ модели,Контекст,Эталонный ответ",
        "질문,답변,컨텍스트,정답",
        "질문,모델 답변,검색된 문서,모범 답안",
        "问题,模型回答,检索文档,标准答案",
        "問題,模型回答,檢索文檔,標準答案",
        "Frage,Modellantwort,Gefundene Dokumente,Musterlösung",
    ],
)
def test_the_usual_fields_are_known_in_other_languages(header):
    sample = only(table(header, "When?", "In that year.", "It was built in 1812.", "1812"))

    assert (sample.question, sample.response) == ("When?", "In that year.")
    assert sample.retrieved_documents == ("It was built in 1812.",)
    assert sample.ground_truth == "1812"


def test_of_a_name_no_more_is_looked_at_than_the_longest_known_has():
    # One of a million characters was folded 73 times, which took 23 s.
    assert folded("P" * 10**6) == "p" * LONGEST
    assert max(len(name) for names in KNOWN.values() for name in names) < LONGEST / 2
    # One letter of Arabic stands for eighteen.
    assert len(folded("ﷺ" * LONGEST)) <= LONGEST
    header = f"question,answer,contexts,{'P' * 10**6}"
    assert only(table(header, "When?", "In 1812.", LONG, "x")).response == "In 1812."


# The answer of question, answer, contexts


@pytest.mark.parametrize(
    "header",
    [
        "question,answer,contexts",
        "question,answer,retrieved_context",
        "query,answer,documents",
        "Pregunta,Respuesta,Contextos",
        "Question,Réponse,Contextes",
        "Frage,Antwort,abgerufene Dokumente,retrieved docs",
    ],
)
def test_beside_what_was_retrieved_the_answer_is_the_one_to_judge(header):
    cells = ["When?", "In 1812.", "It was built in 1812.", "x"][: header.count(",") + 1]

    assert only(table(header, *cells)).response == "In 1812."


def test_a_list_of_documents_under_context_was_retrieved():
    rows = [{"question": "When?", "answer": "In 1812.", "context": [LONG, LONG]}]

    assert only(opened(rows)).response == "In 1812."


@pytest.mark.parametrize(
    "row",
    [
        {"question": "When?", "answer": "1812", "context": LONG},
        {"question": "When?", "answer": "1812", "paragraphs": [LONG]},
        {"question": "When?", "answer": "1812", "contexts": [LONG], "supporting_facts": ["x"]},
        {"question": "When?", "answer": "1812"},
    ],
)
def test_the_answer_of_a_published_question_is_asked_about_or_true(row):
    loaded = opened([row, row])

    if loaded.guess.is_sure:
        assert loaded.data.samples[0].response is None
        assert loaded.data.samples[0].ground_truth == "1812"


# Files that teach, tables of two speakers


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (
            [
                {"instruction": "Name a city.", "input": "", "output": "Bonn."},
                {"instruction": "Name a river.", "input": "", "output": "Rhine."},
            ],
            {"question": "instruction", "ground_truth": "output"},
        ),
        (
            [
                {"instruction": "When?", "input": LONG, "output": "1812"},
                {"instruction": "Who?", "input": LONG, "output": "Anna"},
            ],
            {"question": "instruction", "retrieved_documents": "input", "ground_truth": "output"},
        ),
        (
            [
                {"instruction": "You are a doctor.", "input": "What is flu?", "output": "Ill."},
                {"instruction": "You are a doctor.", "input": "What is a cold?", "output": "Ill."},
            ],
            {"question": "input", "ground_truth": "output"},
        ),
    ],
)
def test_of_a_file_that_teaches_the_answer_is_asked_about_and_likely_true(rows, columns):
    loaded = opened(rows)

    assert loaded.guess.columns == columns
    assert not loaded.guess.is_sure
    assert "output may be the answer to judge or the true one." in loaded.guess.why


@pytest.mark.parametrize(("user", "bot"), [("user", "bot"), ("Human", "Assistant")])
def test_a_table_of_what_user_and_bot_said_has_a_question_and_an_answer(user, bot):
    rows = [
        {user: "When was the mill built?", bot: "It was built in 1812."},
        {user: "And who built the mill?", bot: "Anna Berg built it."},
    ]

    sample = only(opened(rows))

    assert (sample.question, sample.response) == (rows[0][user], rows[0][bot])


def test_names_of_users_and_models_are_neither_question_nor_answer():
    loaded = opened([{"user": "anna_17", "model": "gpt-4o", "text": "some words of a text"}] * 2)

    assert "anna_17" not in str(loaded.guess.columns)
    assert not loaded.guess.is_sure


# Layouts of programs


def node(role, text, parent):
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
    return {"message": message, "parent": parent, "children": []}


CHATGPT = {
    "title": "Mill",
    "mapping": {
        "root": {"message": None, "parent": None, "children": ["a"]},
        "a": node("user", "When was it built?", "root"),
        "other": node("assistant", "I do not know.", "a"),
        "b": node("assistant", "In 1812.", "a"),
    },
    "current_node": "b",
}
OPEN_WEBUI = {
    "id": "1",
    "title": "Mill",
    "chat": {
        "models": ["llama"],
        "messages": [
            {"role": "user", "content": "When was it built?"},
            {
                "role": "assistant",
                "content": "In 1812.",
                "sources": [{"source": {"name": "a.pdf"}, "document": [LONG], "metadata": [{}]}],
            },
        ],
    },
}
FLOWISE = {
    "id": "1",
    "source": "UI",
    "messages": [
        {"role": "User", "content": "When was it built?"},
        {
            "role": "Bot",
            "content": "In 1812.",
            "sourceDocuments": [{"pageContent": LONG, "metadata": {"source": "a.pdf"}}],
        },
    ],
}
BEDROCK_RAG = {
    "conversationTurns": [
        {
            "prompt": {"content": [{"text": "When was it built?"}]},
            "referenceResponses": [{"content": [{"text": "1812"}]}],
            "output": {
                "text": "In 1812.",
                "retrievedPassages": {"retrievalResults": [{"content": {"text": LONG}}]},
            },
        }
    ]
}
BEDROCK_MODEL = {
    "prompt": "When was it built?",
    "referenceResponse": "1812",
    "modelResponses": [{"response": "In 1812.", "modelIdentifier": "m"}],
}
BEDROCK_BATCH = {
    "recordId": "R1",
    "modelInput": {"messages": [{"role": "user", "content": [{"text": "When was it built?"}]}]},
    "modelOutput": {"role": "assistant", "content": [{"type": "text", "text": "In 1812."}]},
}
LM_EVAL = {
    "doc_id": 0,
    "doc": {"question": "When was it built?", "answer": "#### 1812"},
    "target": "1812",
    "resps": [["In 1812. The mill"]],
    "filtered_resps": ["In 1812."],
    "exact_match": 0.0,
}


@pytest.mark.parametrize(
    ("row", "documents", "truth"),
    [
        (CHATGPT, (), None),
        (OPEN_WEBUI, (LONG,), None),
        (FLOWISE, (LONG,), None),
        (BEDROCK_RAG, (LONG,), "1812"),
        (BEDROCK_MODEL, (), "1812"),
        (BEDROCK_BATCH, (), None),
        (LM_EVAL, (), "1812"),
    ],
)
def test_exports_of_programs_are_read(row, documents, truth):
    sample = only(opened([row, row]))

    assert (sample.question, sample.response) == ("When was it built?", "In 1812.")
    assert sample.retrieved_documents == documents
    assert sample.ground_truth == truth


def openai_evals(item, output=({"role": "assistant", "content": "In 1812."},)):
    """What OpenAI Evals keeps of one answer: the row, the prompt made of it, and its graders."""
    prompt = f"Answer from this alone: {LONG}\n\nWhen was it built?"
    return {
        "object": "eval.run.output_item",
        "id": "outputitem_1",
        "created_at": 1739314509,
        "datasource_item_id": 1,
        "datasource_item": item,
        "results": [{"name": "Judge", "type": "label_model", "passed": True, "score": 1.0}],
        "sample": {
            "input": [
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": prompt},
            ],
            "output": list(output),
            "model": "gpt-4o-mini",
            "usage": {"total_tokens": 100},
            "error": None,
        },
        "status": "pass",
    }


ASKED = "When was it built?"


@pytest.mark.parametrize(
    "row",
    [
        openai_evals({"question": ASKED, "context": [LONG], "expected": "1812"}),
        openai_evals({"input": ASKED, "docs": [LONG], "ideal": "1812"}),
        openai_evals({"item": {"input": ASKED, "context": LONG, "ground_truth": "1812"}}),
        {
            "item": {"question": ASKED, "documents": [LONG], "ground_truth": "1812"},
            "sample": {"output_text": "In 1812."},
        },
    ],
)
@pytest.mark.parametrize("is_page", [False, True])
def test_results_of_openai_evals_are_read_at_once(row, is_page):
    loaded = opened({"object": "list", "data": [row] * 2} if is_page else [row] * 2)

    sample = only(loaded)
    assert (sample.question, sample.response, sample.ground_truth) == (ASKED, "In 1812.", "1812")
    assert sample.retrieved_documents == (LONG,)
    assert loaded.guess.is_sure


def test_an_answer_that_openai_evals_could_not_get_is_missing():
    item = {"question": ASKED, "context": [LONG], "expected": "1812"}
    loaded = opened([openai_evals(item), openai_evals(item, output=())])

    assert [sample.response for sample in loaded.data.samples] == ["In 1812.", None]


def test_the_parents_of_messages_may_go_round_in_a_circle():
    circle = {"a": node("user", "When?", "b"), "b": node("assistant", "Now.", "a")}

    assert opened([{"mapping": circle}] * 2).usable in (0, 2)


@pytest.mark.parametrize(
    "content",
    [
        {"When was it built?": "In 1812.", "Who built it?": "Anna Berg."},
        {"capital of the Rhineland": "Bonn", "river that crosses Bonn": "Rhine"},
    ],
)
def test_an_object_of_questions_and_answers_is_asked_about(content):
    loaded = opened(content)

    assert [sample.question for sample in loaded.data.samples] == list(content)
    assert "answer may be the answer to judge or the true one." in loaded.guess.why


def test_settings_are_no_questions():
    loaded = opened({"model": "gpt", "name": "my run of today", "text": "a b c"})

    assert loaded.total == 1
    assert not loaded.guess.is_sure


# Tables without column names


HEADLESS = (
    f"When was it built?,It was built in 1812.,{LONG}\n"
    f"Who built it?,Anna Berg built it.,{LONG}\n"
    f"Where is she from?,She came from the north.,{LONG}\n"
)


HEADLESS_FILES = {
    "a.csv": HEADLESS.encode(),
    "a.xlsx": files.xlsx([line.split(",") for line in HEADLESS.splitlines()]),
}


@pytest.mark.parametrize("name", HEADLESS_FILES)
def test_a_table_without_column_names_keeps_its_first_row_and_asks(name):
    loaded = open_file(name, HEADLESS_FILES[name])

    assert loaded.usable == 3
    assert loaded.guess.columns == {
        "question": "column 1",
        "response": "column 2",
        "retrieved_documents": "column 3",
    }
    assert not loaded.guess.is_sure
    assert "The columns have no names, so they are numbered." in loaded.note
    data = load(name, HEADLESS_FILES[name], loaded.guess.columns)
    assert data.samples[0].question == "When was it built?"
    assert [sample.id for sample in data.samples] == ["1", "2", "3"]


def test_a_survey_has_questions_for_column_names():
    text = "How was it?,Would you come again?\nFine it was,Yes I would\nNice,No\n"
    book = files.xlsx([line.split(",") for line in text.splitlines()])

    for name, data in (("a.csv", text.encode()), ("a.xlsx", book)):
        assert open_file(name, data).names == ("How was it?", "Would you come again?")


def test_a_batch_numbers_the_columns_as_well(tmp_path):
    (tmp_path / "a.csv").write_text(HEADLESS)
    columns = {"question": "column 1", "response": "column 2", "retrieved_documents": "column 3"}

    found = evaluate_batch_files(
        tmp_path / "a.csv", tmp_path / "out", "trace", columns=columns, progress=False
    )

    assert (found.rows, found.failures) == (3, {})


def test_a_batch_reads_the_one_question_that_a_line_of_bedrock_nests(tmp_path):
    several = {"conversationTurns": BEDROCK_RAG["conversationTurns"] * 2}
    lines = [json.dumps(row) + "\n" for row in (BEDROCK_RAG, several, BEDROCK_RAG)]
    (tmp_path / "a.jsonl").write_text("".join(lines))

    found = evaluate_batch_files(tmp_path / "a.jsonl", tmp_path / "out", "trace", progress=False)

    assert (found.rows, found.summary()["adherence"].scored) == (3, 2)
    (why,) = found.failures
    assert "it holds 2 questions in conversationTurns. Save the file with one a line." in why
