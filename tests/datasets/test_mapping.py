"""From rows to data sets: what a column may be called and hold, and that bad rows are named with a
remedy.
"""

import csv
import io
import json
import math
import time
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.datasets import ragbench
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import COLUMNS, load, open_file, open_table, preview, rejected
from evaluators.datasets.rgb import TestBed
from evaluators.datasets.separators import possible_splits
from evaluators.datasets.table import Problem, Table
from evaluators.errors import DatasetError
from evaluators.records import Ability, Sample
from tests.datasets.files import json_lines

ROW = {"question": "q", "response": "r"}
BED_ROW = {"query": "q", "answer": "a", "positive": ["p"], "negative": ["n"]}
RECORDED = {
    "id": 3,
    "query": "q",
    "prediction": "r",
    "ans": ["a"],
    "docs": ["d"],
    "noise_rate": 0.4,
}


def one(row, name="a.json"):
    """The only sample in a file that holds this row."""
    (sample,) = load(name, json.dumps([row]).encode()).samples
    return sample


def refusal(*rows):
    with pytest.raises(DatasetError) as caught:
        load("a.json", json.dumps(rows).encode())
    return str(caught.value)


def outcome(name, data):
    """The message of a refusal, or "loaded"; both can be written as UTF-8."""
    try:
        loaded = load(name, data)
    except DatasetError as error:
        return str(error).encode().decode()
    loaded.model_dump_json().encode()
    return "loaded"


# Samples


@pytest.mark.parametrize(
    ("field", "name"), [(field, name) for field, names in COLUMNS.items() for name in names]
)
def test_a_column_may_have_any_of_its_usual_names(field, name):
    row = {key: value for key, value in ROW.items() if key != field} | {name: "text"}

    assert getattr(one(row), field) == (("text",) if field.endswith("_documents") else "text")


def test_a_row_becomes_a_sample():
    labels = {"relevant_keys": ["0a"], "sentence_support": [{"key": "a", "support": "full"}]}

    sample = one(
        ROW
        | {
            "id": 5,
            "documents": ["d"],
            "answer": ["a", ["b", "c"]],
            "situation": "s",
            "labels": labels,
        }
    )

    assert (sample.id, sample.question, sample.response, sample.situation) == ("5", "q", "r", "s")
    assert (sample.retrieved_documents, sample.ground_truth) == (("d",), ("a", ("b", "c")))
    assert sample.labels.relevant_keys == ("0a",)


def test_without_an_id_the_number_of_the_row_is_the_id():
    dataset = load("a.json", json.dumps([ROW, ROW]).encode())

    assert [sample.id for sample in dataset.samples] == ["1", "2"]
    assert dataset.name == "a.json"


@pytest.mark.parametrize(
    ("cell", "documents"),
    [
        (["d1", "d2"], ("d1", "d2")),
        ('["d1", "d2"]', ("d1", "d2")),
        (' ["d1"]', ("d1",)),
        ("one document", ("one document",)),
        ("[1] see below", ("[1] see below",)),
        ("[" * 100_000, ("[" * 100_000,)),
        ([], ()),
        ("", ()),
        (" \n", ()),
        (None, ()),
        (math.nan, ()),
    ],
)
def test_documents_may_be_a_list_a_json_list_as_text_or_one_text(cell, documents):
    assert one(ROW | {"documents": cell}).retrieved_documents == documents


@pytest.mark.parametrize(
    ("cell", "truth"),
    [
        ("Paris", "Paris"),
        (1987, "1987"),
        (["a", "b"], ("a", "b")),
        ([["a", "b"], "c"], (("a", "b"), "c")),
        ([[5, "five"]], (("5", "five"),)),
        ('["a", ["b", "c"]]', ("a", ("b", "c"))),
        ("", None),
        (None, None),
        (math.nan, None),
    ],
)
def test_the_accepted_answer_may_be_text_number_or_lists(cell, truth):
    assert one(ROW | {"answer": cell}).ground_truth == truth


@pytest.mark.parametrize(("cell", "text"), [(3, "3"), (4.5, "4.5"), (True, "True")])
def test_numbers_become_text(cell, text):
    assert one({"question": cell, "response": cell}).question == text


def test_a_recorded_answer_keeps_its_gold_contexts():
    assert one(RECORDED | {"gold_contexts": ["g"]}).gold_documents == ("g",)


@pytest.mark.parametrize("cell", [None, math.nan])
def test_a_missing_response_stays_unknown(cell):
    assert one({"question": "q", "response": cell}).response is None


def test_a_blank_cell_is_no_response():
    data = load("half.csv", b"question,response,ground_truth\nWho?,,Ada\nWhen?,In May.,May\n")

    assert [sample.response for sample in data.samples] == [None, "In May."]


def test_a_row_of_ragbench_without_a_response_has_no_labels():
    row = (
        dict.fromkeys(ragbench.COLUMNS, "x")
        | dict.fromkeys(ragbench.LISTS, ())
        | {"documents": ["It was May."]}
    )

    sample = ragbench.sample(row | {"response": None, "unsupported_response_sentence_keys": ["a"]})

    assert (sample.response, sample.labels, sample.sentences, sample.generator) == (
        None,
        None,
        None,
        "",
    )


def test_an_empty_response_is_a_response():
    assert one({"question": "q", "response": ""}).response == ""


def test_a_later_row_may_be_the_first_to_have_a_column():
    dataset = load("a.json", json.dumps([{"question": "q1"}, ROW]).encode())

    assert [sample.response for sample in dataset.samples] == [None, "r"]


def test_half_characters_are_replaced_in_every_text():
    dataset = load(
        "a.json",
        json.dumps([{"question": "q\ud800", "response": "\udc00r", "docs": ["d\ud83d"]}]).encode(),
    )

    dataset.model_dump_json().encode()  # would raise where half a character were left
    assert dataset.samples[0].question == "q\ufffd"


def test_whole_characters_that_json_writes_as_two_halves_are_kept():
    assert one({"question": "😀", "response": "r"}).question == "😀"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"response": "r"}, "a.json has no column question (it has: response). Rename or add one: question " "or query"),
        ({"question": "q", "x": 1}, "a.json has no column response (it has: question, x). Rename or add one: response"),
        ({}, "a.json has no column question (it has: none)"),
        ({"\ud800": 1}, "a.json has no column question (it has: \ufffd)"),
        (ROW | {"question": ""}, "Row 1: the question is empty. Fill it in or remove the row."),
        (ROW | {"question": " \n"}, "Row 1: the question is empty."),
        (ROW | {"question": None}, "Row 1: question is missing. Add it."),
        (ROW | {"question": math.nan}, "Row 1: question is missing. Add it."),
        (ROW | {"question": ["q"]}, "Row 1: question is a list. Make it text."),
        (ROW | {"response": {"x": "r"}}, "a.json has no column response (it has: question, response.x)."),
        (ROW | {"id": [1]}, "Row 1: id is a list. Make it text."),
        (ROW | {"id": 2001 * "x"}, "Row 1: id is not usable (String should have at most 2000 characters)."),
        (ROW | {"group": 2001 * "x"}, "Row 1: group is not usable (String should have at most 2000 characters)."),
        (ROW | {"documents": ["d", 5]}, "Row 1: document 2 in documents is 5. Make it text."),
        (ROW | {"documents": ["d", math.nan]}, "Row 1: document 2 in documents is null. Make it text."),
        (ROW | {"documents": {"a": 1}}, 'Row 1: document 1 in documents is {"a": 1}. Make it text.'),
        (ROW | {"gt_contexts": ["g", 5]}, "Row 1: document 2 in gt_contexts is 5. Make it text."),
        (ROW | {"answer": ["a", {}]}, "Row 1: ground_truth is not usable (Input should be a valid string). Correct"),
        (ROW | {"answer": {"a": 1}}, "Row 1: ground_truth is not usable"),
        (ROW | {"labels": {"relevant_keys": "0a"}}, "Row 1: relevant_keys is not usable (Input should be a valid list"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named_with_the_remedy(row, message):
    assert message in refusal(row)


def test_rows_with_the_same_problem_are_named_together():
    assert refusal(
        ROW, ROW | {"response": {"x": 1}}, ROW | {"question": ""}, ROW | {"response": {"x": 2}}
    ) == (
        "Rows 2, 4: response is an object. Make it text. Row 3: the question is empty. "
        "Fill it in or remove the row."
    )


def test_an_id_that_stands_again_is_numbered_and_told():
    rows = [ROW | {"id": given} for given in (1, 2, "1", "1 (2)", 1)]

    loaded = open_file("a.json", json.dumps(rows).encode())

    assert [sample.id for sample in loaded.data.samples] == ["1", "2", "1 (3)", "1 (2)", "1 (4)"]
    assert next((found.title, found.rows) for found in loaded.findings) == ("Repeated ids", (3, 5))


def test_one_id_for_all_rows_takes_no_longer_than_an_id_for_each():
    data = json_lines([ROW | {"id": "x", "question": f"q{number}"} for number in range(20_000)])
    start = time.thread_time()

    loaded = open_file("a.jsonl", data)

    assert loaded.data.samples[-1].id == "x (20000)"
    assert time.thread_time() - start < 15  # it took two minutes


@pytest.mark.parametrize("column", ["documents", "answer", "response", "labels", "anything"])
def test_a_deeply_nested_cell_is_refused(column):
    others = {name: cell for name, cell in ROW.items() if name != column}
    text = json.dumps(others)[:-1] + f', "{column}": {"[" * 900}{"]" * 900}' + "}"
    assert outcome("a.json", text.encode()) == (
        "a.json holds no usable row. Row 1: nested more than 64 deep. Flatten it."
    )


def test_a_row_nested_too_deeply_is_named():
    text = f'{json.dumps(ROW)}\n{json.dumps(ROW)[:-1]}, "documents": [{"[" * 900}{"]" * 900}]}}'

    with pytest.raises(DatasetError, match=r"^Row 2: nested more than 64 deep\. Flatten it\.$"):
        load("a.jsonl", text.encode())


# Files of which only a part can be used


def opened(*rows, columns=None):
    return open_file("a.json", json.dumps(rows).encode(), columns)


def table(*rows, form="JSON"):
    return Table(list(enumerate(rows, start=1)), [], form)


def test_good_rows_are_kept_and_the_others_told_with_their_beginning():
    loaded = opened(ROW, ROW | {"question": ""}, ROW, ROW | {"response": ["r"]}, "no row")

    assert (loaded.usable, loaded.total, len(loaded.data.samples)) == (2, 5, 2)
    assert [problem.row for problem in loaded.problems] == [2, 4, 5]
    assert loaded.problems[1] == Problem(
        4, "response is a list. Make it text.", '{"question": "q", "response": ["r"]}'
    )


def test_samples_without_an_id_keep_the_number_of_their_row_in_the_file():
    assert [sample.id for sample in opened(ROW, {"question": " "}, ROW).data.samples] == ["1", "3"]


def test_findings_name_the_rows_of_the_file():
    loaded = open_file(
        "a.jsonl", b'[\n{"question": "", "response": "r"}\n\n{"question": "q", "response": ""}\n'
    )

    assert [problem.row for problem in loaded.problems] == [2]
    assert ("Empty answers", (4,)) in [(found.title, found.rows) for found in loaded.findings]


def test_a_file_without_a_usable_row_still_tells_its_shape_and_problems():
    loaded = opened(ROW | {"question": ""}, ROW | {"question": " "})

    assert (loaded.data, loaded.usable, loaded.total) == (None, 0, 2)
    assert loaded.guess.columns == {"question": "question", "response": "response"}
    assert len(loaded.problems) == 2


def test_a_table_without_a_known_column_waits_for_a_person():
    rows = [{"alpha": 1, "beta": 2.5}]

    loaded = opened(*rows)

    assert (loaded.data, loaded.problems, loaded.total, loaded.guess.confidence) == (None, (), 1, 0)
    assert preview(table(*rows)) == ()


def test_the_rows_left_out_are_a_table_that_no_spreadsheet_runs():
    loaded = opened(ROW, {"question": "", "response": "r"}, {"question": "q", "response": ["=1+1"]})
    loaded = replace(loaded, problems=(*loaded.problems, Problem(7, "m", "=cmd()|x")))

    rows = list(csv.reader(io.StringIO(rejected(loaded).decode("utf-8-sig"))))

    assert rows == [
        ["row", "reason", "content"],
        [
            "2",
            "the question is empty. Fill it in or remove the row.",
            '{"question": "", "response": "r"}',
        ],
        ["3", "response is a list. Make it text.", '{"question": "q", "response": ["=1+1"]}'],
        ["7", "m", "'=cmd()|x"],
    ]


# What a person says of the columns

WRONG = {"Frage": "q?", "Antwort": "r", "Quelle": ["d"], "Wahr": "t"}
SAID = {
    "question": "Frage",
    "response": "Antwort",
    "retrieved_documents": "Quelle",
    "ground_truth": "Wahr",
}


def test_columns_of_any_name_can_be_mapped():
    loaded = opened(WRONG, columns=SAID)

    (sample,) = loaded.data.samples
    assert (sample.question, sample.response, sample.ground_truth) == ("q?", "r", "t")
    assert sample.retrieved_documents == ("d",)
    assert (loaded.guess.shape, loaded.guess.confidence) == (Shape.PLAIN, 1)


def test_a_mapping_overrules_the_guess():
    row = {"question": "wrong", "response": "r", "real": "right"}

    assert (
        opened(row, columns={"question": "real", "response": "response"}).data.samples[0].question
        == "right"
    )


def test_the_guessed_columns_said_again_keep_the_shape():
    guess = opened(BED_ROW).guess

    loaded = opened(BED_ROW, columns=guess.columns)

    assert isinstance(loaded.data, TestBed)
    assert (loaded.guess.shape, loaded.guess.confidence) == (Shape.BED, 1)


NESTED = {
    "input": {"query": "q?"},
    "output": {"text": "r"},
    "found": [{"page_content": "d"}],
    "dotted.name": "t",
}


def test_fields_in_objects_are_read():
    (sample,) = opened(NESTED).data.samples

    assert (sample.question, sample.response) == ("q?", "r")


def test_fields_in_objects_can_be_mapped_beside_names_with_dots():
    columns = {
        "question": "input.query",
        "retrieved_documents": "found",
        "ground_truth": "dotted.name",
    }

    loaded = opened(NESTED, NESTED | {"input": {}}, columns=columns)

    (sample,) = loaded.data.samples
    assert (sample.question, sample.retrieved_documents, sample.ground_truth) == ("q?", ("d",), "t")
    assert [(problem.row, problem.message) for problem in loaded.problems] == [
        (2, "input.query is missing. Add it.")
    ]


def test_an_object_chosen_for_a_text_is_refused_once_with_its_fields():
    with pytest.raises(
        DatasetError, match=r"^input holds objects\. Choose one of their fields: input\.query\.$"
    ):
        preview(table(NESTED, NESTED), {"question": "input", "response": "output.text"})


@pytest.mark.parametrize("columns", [{"question": "nowhere"}, {"nothing": "Frage"}])
def test_a_mapping_that_does_not_fit_the_file_is_refused(columns):
    with pytest.raises(
        DatasetError, match=r"^There is no column .* Choose one of: Frage, Antwort, Quelle, Wahr\."
    ):
        opened(WRONG, columns=columns)


def test_a_preview_shows_the_first_rows_as_they_would_be_read():
    first, second = preview(table(WRONG, WRONG | {"Frage": ""}, WRONG), SAID, count=2)

    assert isinstance(first, Sample)
    assert (first.question, first.retrieved_documents) == ("q?", ("d",))
    assert second.message == "the question is empty. Fill it in or remove the row."


def test_a_preview_of_a_test_bed_shows_its_rows():
    assert [row.positive for row in preview(table(BED_ROW))] == [("p",)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "q", "answer": "a"}, "has no column response (it has: answer, question)"),
        (
            {"question": "q", "answer": "a", "context": "c"},
            "answer may be the answer to judge or the true one.",
        ),
        ({"response": "r"}, "has no column question (it has: response)"),
    ],
)
def test_the_strict_door_refuses_what_is_in_doubt(row, message):
    assert message in refusal(row)


def test_samples_without_responses_can_be_loaded_for_a_model_to_answer():
    sample = one({"question": "q", "contexts": ["c"], "ground_truth": "t"})

    assert (sample.response, sample.retrieved_documents, sample.ground_truth) == (None, ("c",), "t")


def test_answers_without_questions_can_be_judged_against_true_ones():
    (sample,) = open_file("a.json", b'{"pred_answers": ["p"], "gt_answers": ["t"]}').data.samples

    assert (sample.question, sample.response, sample.ground_truth) == ("", "p", "t")


@pytest.mark.parametrize(
    "key", ["text", "page_content", "content", "passage", "document", "body", "value"]
)
def test_a_document_may_be_an_object_with_its_text(key):
    assert one(
        ROW | {"documents": [{key: "d", "metadata": {"page": 1}}, "e"]}
    ).retrieved_documents == ("d", "e")


def test_documents_of_llamaindex_stand_beside_their_scores():
    nodes = [
        {"node": {"text": "d", "id_": "x"}, "score": 0.5},
        {"node": {"text": "e"}, "score": 0.4},
    ]

    assert one(ROW | {"documents": nodes}).retrieved_documents == ("d", "e")


def test_answers_beside_their_places_are_the_true_ones():
    row = {
        "question": "q?",
        "context": "d",
        "answers": {"text": ["Paris", "France"], "answer_start": [5, 9]},
    }

    loaded = open_file("squad.json", json.dumps([row]).encode())

    assert loaded.guess.is_sure
    assert loaded.data.samples[0].ground_truth == ("Paris", "France")


@pytest.mark.parametrize(
    ("name", "form", "documents"),
    [
        ("contexts", "CSV", ("One.", "Two.")),
        ("Retrieved Documents", "XLSX", ("One.", "Two.")),
        ("上下文", "TSV", ("One.", "Two.")),
        ("context", "CSV", ("One.\nTwo.",)),
        ("contexts", "JSON", ("One.\nTwo.",)),
    ],
)
def test_lines_of_a_cell_become_documents_where_the_column_is_named_for_many(name, form, documents):
    loaded = open_table("a", table(ROW | {name: "One.\nTwo."}, form=form))

    assert loaded.data.samples[0].retrieved_documents == documents
    assert ("Documents by lines" in [found.title for found in loaded.findings]) == (
        len(documents) == 2
    )


# Test beds


def test_rows_with_positives_and_negatives_are_a_test_bed():
    rows = [
        BED_ROW,
        BED_ROW | {"positive": [["p"], ["p2"]]},
        BED_ROW | {"positive_wrong": ["w"], "fakeanswer": "f"},
    ]

    bed = load("bed.json", json.dumps(rows).encode())

    assert isinstance(bed, TestBed)
    assert [row.id for row in bed.rows] == ["1", "2", "3"]
    assert set(bed.abilities) == set(Ability)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (BED_ROW | {"query": " "}, "Row 1: the question is empty."),
        (
            BED_ROW | {"answer": None},
            "Row 1: answer is not usable (Field required). Correct it or remove the row.",
        ),
        (
            BED_ROW | {"positive": "p"},
            "Row 1: positive is not usable (Input should be a valid list).",
        ),
        (BED_ROW | {"positive": ["p", ["p"]]}, "Row 1: positive is not usable"),
        (
            BED_ROW | {"negative": ["n", 5]},
            "Row 1: negative is not usable (Input should be a valid string).",
        ),
    ],
)
def test_a_bad_row_of_a_test_bed_is_named(row, message):
    assert message in refusal(row)


def test_ids_of_a_test_bed_may_repeat_between_abilities_and_are_numbered_within_one():
    integration = BED_ROW | {"id": 0, "positive": [["p"], ["p2"]]}
    rows = [BED_ROW | {"id": 0}, integration, BED_ROW | {"id": 0}]

    assert [row.id for row in load("a.json", json.dumps(rows).encode()).rows] == ["0", "0", "0 (2)"]


# Recorded answers


def test_a_recorded_answer_becomes_a_sample_with_its_task():
    sample = one(RECORDED)

    assert (sample.id, sample.question, sample.response, sample.ground_truth) == (
        "3",
        "q",
        "r",
        ("a",),
    )
    assert (sample.retrieved_documents, sample.rgb.ability, sample.rgb.noise) == (
        ("d",),
        Ability.NOISE,
        0.4,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prediction": None}, "Row 1: prediction is missing. Add it."),
        ({"prediction": ["r"]}, "Row 1: prediction is a list. Make it text."),
        ({"docs": 5}, "Row 1: document 1 in docs is 5. Make it text."),
        ({"docs": [5]}, "Row 1: document 1 in docs is 5. Make it text."),
        ({"ans": {"a": 1}}, "Row 1: ground_truth is not usable"),
        ({"noise_rate": 2}, "Row 1: noise_rate is 2. Give a share from 0 to 1."),
        ({"noise_rate": "much"}, "Row 1: noise_rate is much. Give a share from 0 to 1."),
        ({"noise_rate": [1]}, "Row 1: noise_rate is [1]. Give a share from 0 to 1."),
    ],
)
def test_a_bad_recorded_answer_is_named(change, message):
    assert message in refusal(RECORDED | change)


def test_one_document_as_text_is_one_document():
    assert one(RECORDED | {"docs": "text"}).retrieved_documents == ("text",)


# RAGBench rows


@pytest.mark.parametrize("cell", [5, [1], {"a": 1}, "x", None, [["0a"]], [{"key": "0a"}]])
def test_a_published_row_of_the_wrong_shape_is_named(cell):
    row = dict.fromkeys(ragbench.COLUMNS, cell) | {
        "documents_sentences": 5,
        "all_relevant_sentence_keys": 5,
    }

    assert refusal(row).startswith("Row 1: ")


# Whatever comes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = sorted(
    {name for names in COLUMNS.values() for name in names}.union(
        ragbench.COLUMNS, BED_ROW, RECORDED, ("labels", "situation", "positive_wrong", "fakeanswer")
    )
)
ROWS = st.dictionaries(st.sampled_from(NAMES) | st.text(st.characters()), JSON, max_size=8)


@given(data=st.binary(), name=st.sampled_from(["a.json", "a.csv"]))
def test_any_bytes_are_loaded_or_refused(data, name):
    assert outcome(name, data)


@example("\ud800")
@given(value=JSON)
def test_any_json_is_loaded_or_refused(value):
    assert outcome("a.json", json.dumps(value).encode())


@pytest.mark.parametrize("columns", [tuple(ROW), tuple(BED_ROW), tuple(RECORDED), ragbench.COLUMNS])
@given(data=st.data())
def test_any_rows_under_known_columns_are_loaded_or_refused(columns, data):
    rows = data.draw(st.lists(ROWS, min_size=1, max_size=3))
    rows[0] |= {column: data.draw(JSON) for column in columns}

    assert outcome("a.json", json.dumps(rows).encode())


# Published data


@pytest.mark.parametrize(
    ("name", "rows", "abilities"),
    [
        ("en_fact", 100, (Ability.COUNTERFACTUAL,)),
        ("zh_fact", 100, (Ability.COUNTERFACTUAL,)),
        ("zh_int", 100, (Ability.INTEGRATION,)),
        ("zh_refine", 300, (Ability.NOISE, Ability.REJECTION)),
    ],
)
def test_the_published_test_beds_are_read(check_data, name, rows, abilities):
    bed = load(f"{name}.json", (check_data / "rgb" / f"{name}.json").read_bytes())

    assert (len(bed.rows), bed.abilities) == (rows, abilities)


def test_a_recorded_answer_with_a_planted_one_tests_counterfactual_robustness():
    row = {
        "query": "Capital?",
        "ans": "Paris",
        "prediction": "Paris",
        "docs": [],
        "fakeanswer": "London",
    }

    task = load("a.json", json.dumps([row]).encode()).samples[0].rgb

    assert (task.ability, task.counterfactual) == (Ability.COUNTERFACTUAL, "London")


@pytest.mark.parametrize(
    ("field", "many", "told"),
    [
        ("ground_truth", [f"a{n}" for n in range(1001)], "it has 1,001 accepted answers"),
        ("ground_truth", [[f"a{n}" for n in range(600)]] * 2, "it has 1,200 accepted answers"),
        ("contexts", [f"a{n}" for n in range(1001)], "it has 1,001 documents in contexts"),
    ],
)
def test_a_row_with_more_texts_than_can_be_compared_is_left_out(field, many, told):
    rows = [
        {"question": "Who?", "response": "Anna.", "contexts": ["Anna won."], "ground_truth": "Anna"}
    ] * 2
    data = "\n".join(json.dumps(row) for row in [rows[0], rows[1] | {field: many}])

    loaded = open_file("a.jsonl", data.encode())

    assert loaded.usable == 1
    assert [problem.message for problem in loaded.problems] == [
        f"{told}; the limit is 1,000. Leave some out."
    ]


@pytest.mark.parametrize(
    ("file", "own_names", "name"),
    [
        ("validation-00000-of-00001.parquet", ["hotpotqa_validation"] * 2, "hotpotqa · validation"),
        ("test-00000-of-00001.parquet", ["hotpotqa"] * 2, "hotpotqa · test"),
        ("data.jsonl", ["my_logs", "my_logs"], "my_logs"),
        ("validation-00000-of-00002.parquet", ["a_test", "b_test"], "validation.parquet"),
        ("validation-00000-of-00001.parquet", [None, None], "validation.parquet"),
        ("may.csv.gz", ["hotpotqa_validation"] * 2, "may.csv.gz"),
        ("a.b.csv", [None], "a.b.csv"),
        ("noname", [None], "noname"),
    ],
)
def test_data_are_called_by_what_says_most(file, own_names, name):
    rows = [
        {"question": f"{at}?", "response": "b", "dataset_name": own}
        for at, own in enumerate(own_names)
    ]

    assert open_file(file, json.dumps(rows).encode()).data.name == name


def test_what_was_chosen_before_groups_had_this_name_still_holds():
    rows = json.dumps([{"question": "a?", "response": "b", "topic": "c"}]).encode()
    columns = {"question": "question", "response": "response", "situation": "topic"}

    assert open_file("a.json", rows, columns).data.samples[0].situation == "c"


# What parts the documents of a cell


JOINED = "It was in May.\n---\nTea is hot.\n\nIt is green."


@pytest.mark.parametrize(
    ("separator", "documents"),
    [
        ("---", ("It was in May.", "Tea is hot.\n\nIt is green.")),
        ("blank lines", ("It was in May.\n---\nTea is hot.", "It is green.")),
        ("none", (JOINED,)),
    ],
)
@pytest.mark.parametrize("column", ["context", "contexts"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_somebody_can_say_what_parts_documents(form, column, separator, documents):
    row = {"question": "When?", "response": "In May.", column: JOINED}
    content = json.dumps(row)
    if form == "csv":
        content = f'question,response,{column}\nWhen?,In May.,"{JOINED}"'
    columns = {"question": "question", "response": "response", "retrieved_documents": column}

    loaded = open_file(f"a.{form}", content.encode(), columns | {"separator": separator})

    assert loaded.data.samples[0].retrieved_documents == documents
    data = load(f"a.{form}", content.encode(), {"separator": separator})
    assert data == loaded.data


def test_an_unknown_separator_is_answered_with_the_known_ones():
    with pytest.raises(DatasetError) as caught:
        load("a.csv", b"question,response,contexts\na?,b,c", {"separator": "/"})

    assert str(caught.value) == (
        "Documents cannot be split at '/'. "
        "Choose one of: <sep>, |, ---, blank lines, line breaks, ;, none."
    )


def test_what_stands_in_most_cells_may_part_documents():
    rows = [{"a": "b\n---\nc\n---\nd"}, {"a": "b\n---\nc"}, {"a": "b"}]

    assert possible_splits("a", rows) == [("---", 2, 2.5)]
    assert possible_splits("a", [*rows, {"a": "b"}]) == []
