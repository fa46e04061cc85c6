"""Texts by which programs write that there is nothing: empty cells, in a run as in a batch."""

import json

import pytest

from evaluators import evaluate_batch_files
from evaluators.datasets.checks import checks
from evaluators.runs import inputs

ROW = {
    "question": "How tall?",
    "response": "330 metres.",
    "retrieved_documents": ["It is 330 metres tall."],
    "ground_truth": "330 metres",
}


def read(*rows):
    remarks = []
    data = inputs.load_data(list(rows), skip_broken=True, on_remark=remarks.append)
    return data, "\n".join(remarks)


@pytest.mark.parametrize("nothing", ["nan", "NaN", "None", "null", "NULL", "<NA>", " nan "])
def test_what_only_says_that_there_is_nothing_is_an_empty_cell(nothing):
    data, remarks = read(
        ROW,
        ROW | {"response": nothing},
        ROW | {"retrieved_documents": nothing},
        ROW | {"ground_truth": nothing},
        ROW | {"question": nothing},
    )
    first, answer, documents, truth = data.samples
    assert first.response == "330 metres."
    assert (answer.response, documents.retrieved_documents, truth.ground_truth) == (None, (), None)
    assert "the question is empty" in remarks
    # Each is named with its row.
    rows = {finding.title: finding.rows for finding in checks(data)}
    assert (rows["No answer"], rows["No documents"], rows["No true answer"]) == ((2,), (3,), (4,))


def test_a_text_with_such_a_word_a_list_of_documents_and_a_group_keep_theirs():
    data, _ = read(
        ROW | {"response": "None of them.", "group": "None"},
        ROW | {"retrieved_documents": ["nan", "It is tall."], "group": "b"},
    )
    first, second = data.samples
    assert (first.response, first.situation) == ("None of them.", "None")
    assert second.retrieved_documents == ("", "It is tall.")


def test_a_true_answer_that_is_the_word_none_stands_in_a_list():
    data, _ = read(ROW | {"ground_truth": '["None"]'}, ROW)
    assert data.samples[0].ground_truth == ("None",)


def test_in_a_batch_such_a_cell_is_empty_as_well(tmp_path):
    rows = [ROW, ROW | {"response": "nan"}]
    (tmp_path / "in").mkdir()
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "in" / "a.jsonl").write_text(text, encoding="utf-8")
    found = evaluate_batch_files(tmp_path / "in", tmp_path / "out", "trace", progress=False)
    ((reason, failed),) = found.failures.items()
    assert (reason[:8], failed.rows, failed.row) == ("response", 1, 2)
