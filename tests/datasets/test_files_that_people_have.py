"""Files of kinds that people have: what each becomes, and where a person is asked instead."""

import json

import pytest

from evaluators.datasets.mapping import Loaded, load, open_file
from evaluators.errors import DatasetError
from tests.datasets.files import json_lines, xlsx

LONG = "The mill was built in 1812 by Anna Berg, who came from the north. " * 4
OTHER = "Rye was ground there until the river changed its bed and the wheel stood still. " * 3


def rows(*rows, name="a.json") -> Loaded:
    return open_file(name, json.dumps(rows).encode())


def lines(text, name="a.csv") -> Loaded:
    return open_file(name, text.encode())


def only(loaded):
    (sample,) = loaded.data.samples
    return sample


# Documents that are lost or falsified


@pytest.mark.parametrize(
    "name",
    ["retrieved_contents", "document_text", "llm_context", "paragraphs", "检索内容", "召回片段"],
)
def test_documents_are_known_by_further_names(name):
    loaded = rows({"question": "q?", "response": "r", name: "It was built in 1812."})

    assert loaded.guess.is_sure
    assert only(loaded).retrieved_documents == ("It was built in 1812.",)


@pytest.mark.parametrize(
    "cell",
    [
        "doc_17",
        "69d122f12e",
        "YmxvZ3MubnZpZGlh.pdf",
        "Verification Guide.pdf",
        ["doc_17", "doc_18"],
    ],
)
def test_ids_and_file_names_are_not_documents_and_a_person_is_asked(cell):
    loaded = rows(*[{"question": "q?", "response": "r", "document": cell}] * 2)

    assert "retrieved_documents" not in loaded.guess.columns
    assert not loaded.guess.is_sure
    assert "document holds ids or names of documents, not their texts." in loaded.guess.why


def test_titles_of_sources_are_not_documents():
    loaded = rows(
        *[
            {"question": "q?", "ground_truth": "t", "source_document": "Publication 502 on Tax"},
            {"question": "p?", "ground_truth": "u", "source_document": "Publication 503"},
        ]
    )

    assert "retrieved_documents" not in loaded.guess.columns


@pytest.mark.parametrize("cell", [LONG, [LONG, OTHER]])
def test_long_texts_that_no_field_took_are_asked_about(cell):
    loaded = rows({"question": "q?", "response": "r", "findings": cell})

    assert loaded.guess.columns["retrieved_documents"] == "findings"
    assert not loaded.guess.is_sure
    assert "The documents may be in findings." in loaded.guess.why


def test_short_texts_in_a_list_are_documents():
    loaded = rows({"question": "q?", "response": "r", "source_documents": "['a b', 'c d']"})

    assert only(loaded).retrieved_documents == ("a b", "c d")


@pytest.mark.parametrize(
    "name", ["reasoning", "Relevance_Reason", "critiques", "notes", "metadata"]
)
def test_what_a_judge_or_a_program_says_is_not_asked_about(name):
    loaded = rows({"question": "q?", "response": "r", name: LONG})

    assert set(loaded.guess.columns) == {"question", "response"}
    assert loaded.guess.is_sure


def test_a_number_may_stand_in_the_middle_of_a_name():
    loaded = lines(
        "question,response,retrieved_doc_1_summary,retrieved_doc_2_summary\n"
        "q?,r,It was built in 1812.,It grinds rye.\n"
    )

    assert only(loaded).retrieved_documents == ("It was built in 1812.", "It grinds rye.")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (
            [{"question": "q?", "answer": "r", "ground_truth": "t", "document": "x" * 45 + " y"}],
            "question ← question · response ← answer · "
            "documents ← document (1 a row, 47 characters on average) · "
            "ground truth ← ground_truth",
        ),
        (
            [
                {"question": "q?", "response": "r", "contexts": ["One.", "Two."]},
                {"question": "q?", "response": None, "contexts": []},
            ],
            "question ← question · response ← response (1 of 2 rows) · "
            "documents ← contexts (2 a row in 1 of 2 rows, 4 characters on average)",
        ),
        (
            [{"query": "q", "answer": "a", "positive": ["p"], "negative": ["n"]}],
            "question ← query · ground truth ← answer",
        ),
        ([{"alpha": 1}], ""),
    ],
)
def test_one_line_says_what_became_what(data, line):
    assert rows(*data).taken == line


# Labels


@pytest.mark.parametrize("name", ["label", "labels", "LABELS"])
@pytest.mark.parametrize("cell", ["correct", 1, True, [], ["a"], {"grade": 1}])
def test_grades_are_not_sentence_labels(name, cell):
    loaded = rows(*[{"question": "q?", "response": "r", name: cell}] * 2)

    assert "labels" not in loaded.guess.columns
    assert (loaded.guess.is_sure, loaded.usable) == (True, 2)


# Several documents in one cell


@pytest.mark.parametrize(
    ("between", "is_sure"),
    [
        (" | ", True),
        ("|", True),
        (" <sep> ", True),
        ("[SEP]", True),
        ("\n\n", False),
        ("\n---\n", False),
    ],
)
def test_documents_in_one_cell_are_parted(between, is_sure):
    cell = between.join([LONG.strip(), OTHER.strip()])
    data = f'question,answer,contexts,ground_truth\nq?,r,"{cell}",t\n'

    loaded = lines(data)

    assert only(loaded).retrieved_documents == (LONG.strip(), OTHER.strip())
    assert loaded.guess.is_sure is is_sure
    assert "Several documents in a cell" in [finding.title for finding in loaded.findings]


def test_bars_of_references_part_nothing():
    cell = f"[1 | doc1] {LONG.strip()}|[2 | doc2] {OTHER.strip()}"

    loaded = lines(f'question,answer,contexts,ground_truth\nq?,r,"{cell}",t\n')

    documents = (f"[1 | doc1] {LONG.strip()}", f"[2 | doc2] {OTHER.strip()}")
    assert only(loaded).retrieved_documents == documents


def test_bars_of_a_table_part_nothing():
    data = 'question,answer,contexts,ground_truth\nq?,r,"a | b\n1 | 2",t\n'

    assert only(lines(data)).retrieved_documents == ("a | b\n1 | 2",)


def test_line_breaks_that_part_documents_or_wrap_them_are_asked_about():
    cell = "A line that was\nwrapped and\nanother text"

    loaded = lines(f'question,answer,contexts,ground_truth\nq?,r,"{cell}",t\n')

    assert not loaded.guess.is_sure
    assert "contexts may hold several documents in one text" in loaded.guess.why


# DeepEval

CASE = {
    "input": "q?",
    "actual_output": "r",
    "expected_output": "t",
    "retrieval_context": "One|Two",
    "context": "Gold one|Gold two",
    "additional_metadata": None,
}


def test_deepeval_joins_contexts_by_a_bar_and_calls_the_true_ones_context():
    for loaded in (
        open_file("a.jsonl", json_lines([CASE])),
        lines(",".join(CASE) + "\nq?,r,t,One|Two,Gold one|Gold two,\n"),
    ):
        sample = only(loaded)
        assert loaded.guess.is_sure
        assert sample.retrieved_documents == ("One", "Two")
        assert sample.gold_documents == ("Gold one", "Gold two")
        assert (sample.response, sample.ground_truth) == ("r", "t")


def test_the_last_test_run_of_deepeval_is_read():
    case = {"input": "q?", "actualOutput": "r", "retrievalContext": ["d"], "metricsData": []}
    run = {"testRunData": {"testCases": [case], "metricsScores": [{"metric": "m", "scores": [1]}]}}

    loaded = open_file("run.json", json.dumps(run).encode())

    assert only(loaded).retrieved_documents == ("d",)
    assert loaded.guess.is_sure
    assert "Other lists are not read: testRunData.metricsScores (1)." in loaded.note


# Documents as objects


@pytest.mark.parametrize(
    ("cell", "documents"),
    [
        ([{"title": "T", "summary": "S of it"}], ("T\nS of it",)),
        ([{"name": "T", "words": "S of it"}], ("T\nS of it",)),
        ([{"evidence_text": "E of it", "doc_name": "a.pdf"}], ("E of it",)),
        ([{"page_url": "http://x.org/1", "page_snippet": "P of it", "page_result": "<html>.."}], ("P of it",)),
        ([{"document.content": "D", "document.id": "1"}], ("D",)),
        ([{"chunk": {"text": "C"}, "score": 0.5}], ("C",)),
        ([{"chunk": "C of it"}], ("C of it",)),
        ({"doc0": "A", "doc1": "B"}, ("A", "B")),
        ({"[doc1]": {"title": "T", "content": "A"}}, ("A",)),
        ('{"34": {"id": 34, "name": "N", "description": "D of it"}}', ("N\nD of it",)),
        ({"passage_text": ["A b", "C d"], "is_selected": [0, 1], "url": ["u", "v"]}, ("A b", "C d")),
        ([["T", ["One.", " Two."]], ["U", ["Three."]]], ("T\nOne. Two.", "U\nThree.")),
        ({"title": ["T"], "sentences": [["One.", " Two."]]}, ("T\nOne. Two.",)),
        ([["A text", 0.9], ["B text", 0.1]], ("A text", "B text")),
        ([[{"page_content": "A"}, 0.9]], ("A",)),
    ],
)  # fmt: skip
def test_documents_may_be_objects_pairs_and_lists_side_by_side(cell, documents):
    loaded = rows(*[{"question": "q?", "response": "r", "documents": cell}] * 2)

    assert loaded.guess.is_sure
    assert loaded.data.samples[0].retrieved_documents == documents


def test_the_texts_of_lists_side_by_side_are_named_by_their_path():
    cell = {"passage_text": ["A b"], "url": ["http://x.org/1"]}

    columns = rows({"query": "q", "passages": cell, "answers": ["a"]}).guess.columns

    assert columns["retrieved_documents"] == "passages.passage_text"


@pytest.mark.parametrize(
    ("cell", "truth"),
    [
        ([{"text": "Paris", "answer_start": 5}, {"text": "Paris", "answer_start": 9}], "Paris"),
        ([{"text": "Paris"}, {"text": "the city"}], (("Paris", "the city"),)),
    ],
)
def test_places_of_one_answer_are_its_spellings(cell, truth):
    assert (
        only(rows({"question": "q?", "context": "It is so.", "answers": cell})).ground_truth
        == truth
    )


# Fields whose cells cannot be read


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"query": "q?", "prediction": {"content": "r"}}, {"question": "query", "response": "prediction.content"}),
        ({"question": "q?", "gt": {"relevance": 0.3}}, {"question": "question"}),
        ({"question": "q?", "target": 1, "score": 5.0}, {"question": "question"}),
        ({"question": "q?", "response": ["a", "b"]}, {"question": "question"}),
        ({"question": "q?", "response": "r", "context": [1, 2]}, {"question": "question", "response": "response"}),
    ],
)  # fmt: skip
def test_a_field_is_taken_only_if_its_first_cells_can_be_read(row, columns):
    assert rows(*[row] * 5).guess.columns == columns


@pytest.mark.parametrize(
    "name", ["retrieval_scores_by_rank", "golden_doc_uuids", "incorrect_answers", "hallucination_spans", "quote"]
)  # fmt: skip
def test_scores_ids_and_wrong_answers_are_never_selected(name):
    loaded = rows({"question": "q?", "ground_truth": "t", name: [LONG, OTHER]})

    assert loaded.guess.columns == {"question": "question", "ground_truth": "ground_truth"}


def test_a_usual_name_whose_cells_cannot_be_read_is_asked_about():
    loaded = rows(*[{"question": "q?", "response": "r", "contexts": [{"score": 1}]}] * 2)

    assert not loaded.guess.is_sure
    assert "contexts cannot be read as documents." in loaded.guess.why


# Names


@pytest.mark.parametrize(
    ("field", "name"),
    [
        *[("ground_truth", name) for name in ("truth", "right_answer", "best_answer", "correct_answers", "generation_gt", "answer_orig", "gold_option", "数据集标准答案", "Erwartetes Verhalten")],
        *[("response", name) for name in ("answer_llm", "系统生成的回答", "Agent Answer", "generation")],
        *[("question", name) for name in ("Testfrage", "ask", "prompt", "sample_query", "query_text")],
        *[("retrieved_documents", name) for name in ("context_text", "llm_context", "abstract", "retrieved_facts")],
        *[("gold_documents", name) for name in ("Gold Evidence", "positive_chunk")],
    ],
)  # fmt: skip
def test_names_of_real_files_are_known(field, name):
    row = {"question": "q?", "response": "r", "documents": ["It is so."], "ground_truth": "t"}
    cell = ["It is so."] if field.endswith("documents") else "text"
    row = {
        own: value
        for own, value in row.items()
        if own != ("documents" if field == "retrieved_documents" else field)
    }

    assert rows(row | {name: cell}).guess.columns.get(field) == name


def test_instructions_to_promptfoo_are_not_the_truth():
    assert (
        "ground_truth"
        not in lines("query,context,__expected\nq?,It is so.,python:f.py").guess.columns
    )


@pytest.mark.parametrize(
    ("name", "cell"), [("faithfulness", 0.4), ("model_name", "gpt"), ("retrieved_chunk_ids", "[7]")]
)
def test_answers_beside_scores_and_models_are_what_was_judged(name, cell):
    columns = rows({"question": "q?", "answer": "r", name: cell}).guess.columns

    assert columns == {"question": "question", "response": "answer"}


# Conversations

USER, BOT = {"role": "user", "content": "When?"}, {"role": "assistant", "content": "In 1812."}


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("messages", [{"role": "system", "content": "Be brief."}, USER, BOT]),
        ("messages", [USER, {"role": "assistant", "content": "?"}, USER, BOT]),
        ("messages", [{"role": "user", "content": [{"type": "text", "text": "When?"}]}, BOT]),
        ("conversations", [{"from": "human", "value": "When?"}, {"from": "gpt", "value": "In 1812."}]),
        ("turns", [{"user": "When?", "assistant": "In 1812."}]),
        ("user_input", "[{'content': 'When?', 'type': 'human'}, {'content': 'In 1812.', 'type': 'ai'}]"),
    ],
)  # fmt: skip
def test_of_a_conversation_the_last_question_and_its_answer_are_read(column, cell):
    loaded = rows({column: cell, "reference": "1812"})

    sample = only(loaded)
    assert (sample.question, sample.response, sample.ground_truth) == ("When?", "In 1812.", "1812")
    assert loaded.guess.is_sure
    assert (
        f"{column} holds conversations: the last question and its answer are read." in loaded.note
    )


def test_messages_that_are_not_read_are_counted():
    assert (
        "3 messages before them are not." in rows({"messages": [USER, BOT, USER, USER, BOT]}).note
    )


def test_a_history_beside_a_question_is_left_alone():
    sample = only(rows({"question": "Why?", "response": "So.", "chat_history": [USER, BOT]}))

    assert (sample.question, sample.response) == ("Why?", "So.")


def test_mt_rag_is_read():
    row = {
        "input": [{"speaker": "user", "text": "When?"}],
        "targets": [{"speaker": "agent", "text": "1812"}],
        "predictions": [{"text": "In 1812."}],
        "contexts": [{"document_id": "1", "text": "Built in 1812."}],
    }

    sample = only(rows(row))

    assert (sample.question, sample.response, sample.ground_truth) == ("When?", "In 1812.", "1812")
    assert sample.retrieved_documents == ("Built in 1812.",)


# Layouts of one object

ROW = {"question": "q?", "response": "r", "contexts": ["d"]}


@pytest.mark.parametrize(
    "value",
    [
        {"results": [ROW], "config": [{"model": "x"}]},
        {"test_cases": [ROW], "running_tests": {"a": [1, 2], "b": [1]}, "more": [{"x": 1}]},
        {"a": {"1": ROW}, "meta": {"n": 1}},
    ],
)
def test_of_several_lists_the_one_with_questions_is_read(value):
    loaded = open_file("a.json", json.dumps(value).encode())

    assert (loaded.usable, loaded.guess.is_sure) == (1, True)


def test_squad_is_read_question_by_question():
    qas = [
        {"question": "Who?", "id": "1", "answers": [{"text": "Anna", "answer_start": 0}]},
        {"question": "When?", "id": "2", "answers": [{"text": "1812", "answer_start": 9}]},
    ]
    value = {
        "version": "1",
        "data": [{"title": "T", "paragraphs": [{"context": "Anna, in 1812.", "qas": qas}]}],
    }

    loaded = open_file("squad.json", json.dumps(value).encode())

    assert [(s.question, s.ground_truth) for s in loaded.data.samples] == [
        ("Who?", "Anna"),
        ("When?", "1812"),
    ]
    assert {s.retrieved_documents for s in loaded.data.samples} == {("Anna, in 1812.",)}
    assert "The questions in paragraphs.qas are the rows" in loaded.note


def test_questions_of_a_retriever_keep_their_passages():
    value = {
        "queries": {"a": "Who?"},
        "corpus": {"n": "Anna did."},
        "relevant_docs": {"a": ["n"]},
        "mode": "text",
    }

    sample = only(open_file("qa.json", json.dumps(value).encode()))

    assert (sample.id, sample.question, sample.gold_documents) == ("a", "Who?", ("Anna did.",))


def test_questions_may_be_keys():
    loaded = open_file("qa.json", json.dumps({"Who?": "Anna", "When?": "1812"}).encode())

    assert [s.question for s in loaded.data.samples] == ["Who?", "When?"]
    assert not loaded.guess.is_sure


def test_questions_may_be_the_keys_of_rows():
    value = {
        "Who?": {"answer": "Anna", "contexts": ["Anna did it."]},
        "When?": {"answer": "1812", "contexts": ["In 1812."]},
    }

    samples = open_file("qa.json", json.dumps(value).encode()).data.samples

    assert [s.question for s in samples] == ["Who?", "When?"]
    assert samples[1].retrieved_documents == ("In 1812.",)


def test_goldens_of_deepeval_hold_what_should_be_retrieved():
    sample = only(rows({"input": "q?", "expected_output": "t", "context": ["It is so."]}))

    assert (sample.retrieved_documents, sample.gold_documents) == ((), ("It is so.",))


@pytest.mark.parametrize(
    "more", [{"supporting_facts": [["T", 0]]}, {"answer_aliases": []}, {"alt_ans": ["b"]}]
)
def test_answers_of_published_questions_are_the_true_ones(more):
    context = [["T", ["One is.", "Two is."]]]

    loaded = rows({"question": "q?", "answer": "a", "context": context} | more)

    assert loaded.guess.is_sure
    assert (only(loaded).response, only(loaded).ground_truth) == (None, "a")


def test_responses_of_llamaindex_are_asked_about():
    value = {"queries": {"a": "Who?"}, "responses": {"a": "Anna"}}

    guess = open_file("qa.json", json.dumps(value).encode()).guess

    assert guess.columns["ground_truth"] == "responses"
    assert not guess.is_sure


@pytest.mark.parametrize(
    ("variables", "is_sure", "columns"),
    [
        ({"question": "q?"}, True, {"question": "vars.question"}),
        ({"query": "q?", "context": "A text. It is long."}, True,
         {"question": "vars.query", "retrieved_documents": "vars.context"}),
        ({"topic": "q?"}, False, {}),
    ],
)  # fmt: skip
def test_the_results_of_promptfoo_are_read_where_a_variable_is_called_as_the_question(
    variables, is_sure, columns
):
    result = {
        "promptIdx": 0, "testIdx": 0, "vars": variables, "response": {"output": "r"},
        "testCase": {"vars": variables},
    }  # fmt: skip
    value = {
        "results": {
            "results": [result] * 2,
            "prompts": [{"raw": "x", "metrics": {"tokenUsage": {"prompt": 5}}}],
        }
    }

    guess = open_file("p.json", json.dumps(value).encode()).guess

    assert guess.columns["response"] == "response.output"
    assert columns.items() <= guess.columns.items()
    assert guess.is_sure == is_sure


def test_rows_without_names_are_asked_about():
    data = [["Who built it?", ["Anna did.", "In 1812."], "Anna."], ["When?", ["In May."], "May."]]

    loaded = open_file("a.json", json.dumps(data).encode())

    assert loaded.guess.columns["question"] == "column 1"
    assert loaded.guess.columns["retrieved_documents"] == "column 2"
    assert (loaded.guess.is_sure, loaded.total) == (False, 2)
    assert "The columns have no names, so they are numbered." in loaded.note


def test_two_texts_without_names_are_pre_selected_in_the_order_of_ragas():
    rows = [
        [
            "Who built the old mill?",
            ["Anna did."],
            "Anna built it in 1812.",
            "It was built by Anna.",
        ],
        ["When was it built?", ["In May."], "The mill was built in May.", "It was done in May."],
    ]

    guess = open_file("a.json", json.dumps(rows).encode()).guess

    assert not guess.is_sure
    assert guess.columns == {
        "question": "column 1",
        "response": "column 3",
        "retrieved_documents": "column 2",
        "ground_truth": "column 4",
    }


# Long tables, sheets


def test_neighbouring_rows_with_one_passage_each_are_one_sample():
    loaded = lines(
        "query_id,query,passage,generated_answer\n"
        "1,Who?,Anna did it.,Anna.\n1,Who?,Bert slept.,\n2,When?,In May.,May.\n2,When?,In June.,\n"
    )

    assert [(s.id, s.response, s.retrieved_documents) for s in loaded.data.samples] == [
        ("1", "Anna.", ("Anna did it.", "Bert slept.")),
        ("2", "May.", ("In May.", "In June.")),
    ]
    assert "4 rows are 2 samples" in loaded.note


def test_answers_of_several_models_stay_rows_of_their_own():
    loaded = lines(
        "query_id,query,passage,generated_answer\n1,Who?,Anna did it.,Anna.\n1,Who?,Bert slept.,Bert.\n"
    )

    assert loaded.usable == 2


def test_sheets_with_the_same_columns_are_read_one_after_the_other():
    header = ["question", "response"]
    data = xlsx([header, ["a?", "r"]], [["x"], [1]], [header, ["b?", "s"], ["c?", "t"]])

    loaded = open_file("a.xlsx", data)

    assert [s.question for s in loaded.data.samples] == ["a?", "b?", "c?"]
    assert "2 of 3 sheets" in loaded.note


# Refusals


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.arrow", b"\xff\xff\xff\xff\x08\x02", "is an Arrow file"),
        ("a.csv.bz2", b"BZh91AY", "is packed with bzip2"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1", "is an XLSX file with a password"),
    ],
)
def test_what_cannot_be_read_is_named(name, data, words):
    with pytest.raises(DatasetError, match=words):
        load(name, data)


def test_a_few_nul_characters_do_not_make_a_file_binary():
    data = b"question,response\n" + b"When was the mill built?,In 1812 or so\x00.\n" * 200

    loaded = open_file("a.csv", data.replace(b"so\x00", b"so", 195))

    assert loaded.usable == 200
    assert "5 NUL characters were left out." in loaded.note
