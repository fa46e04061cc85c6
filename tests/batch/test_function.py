"""From a record batch of samples to one of results: a row for each row, each with its outcome."""

import json
import math
from datetime import date, datetime

import pyarrow as pa
import pytest

from evaluators import batch_schema, evaluate_batch_files, evaluate_record_batch
from evaluators.base import Evaluator, evaluator
from evaluators.batch.columns import columns_of
from evaluators.batch.groups import group_named
from evaluators.catalogue import catalogue, ships
from evaluators.errors import DatasetError, ParameterError
from evaluators.records import Score
from tests.batch.files import COLUMNS, json_lines, results, row


@evaluator("test_batch_moody", title="Moody", needs=("response",))
class Moody(Evaluator):
    def score(self, sample):
        if sample.response == "other value":
            return Score(values={"another": 1.0})
        if sample.response == "not applicable":
            return Score(values={"mood": None}, reason="It has none.")
        if sample.response == "fails":
            raise ValueError("sk-secret")
        return Score(values={"mood": 0.5}, reason="Half.")


def judged(rows, metrics, **options):
    batch = pa.RecordBatch.from_pylist(rows)
    return evaluate_record_batch(batch, metrics, columns=COLUMNS, **options).to_pylist()


def test_a_row_has_values_labels_and_usage():
    [found] = judged([row("a", answer_text="The tower is 330 metres tall. It is blue.")], "trace")

    # One of two sentences is supported.
    assert (found["row"], found["id"], found["trace_status"]) == (1, "a", "scored")
    assert (found["adherence"], found["supported_share"]) == (0.0, 0.5)
    [labelling] = json.loads(found["trace_evidence"])["labellings"]
    supports = {each["key"]: each["support"] for each in labelling["labels"]["sentence_support"]}
    assert (labelling["by"], supports) == ("heuristic", {"a": "full", "b": "none"})
    assert (found["calls"], found["cached"], found["cost"]) == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("answer", "status", "value", "reason", "error"),
    [
        ("fine", "scored", 0.5, "Half.", None),
        ("not applicable", "not_applicable", None, "It has none.", None),
        (
            "fails",
            "failed",
            None,
            None,
            "Unexpected ValueError. Try again; if it happens again, report it.",
        ),
        (
            "other value",
            "failed",
            None,
            None,
            "It gave the value 'another', for which the file has no column. "
            "Let the metric give the same values for every sample.",
        ),
    ],
)
def test_a_row_has_one_of_three_outcomes(answer, status, value, reason, error):
    [found] = judged([row("a", answer_text=answer)], Moody())

    told = [found[f"test_batch_moody_{name}"] for name in ("status", "reason", "error")]
    assert (found["mood"], told) == (value, [status, reason, error])


def test_a_row_that_cannot_be_read_is_a_row_with_its_error():
    found = judged([row("a"), row("b", question=None), row("c")], "trace")

    assert [each["row"] for each in found] == [1, 2, 3]
    assert [each["trace_status"] for each in found] == ["scored", "failed", "scored"]
    assert found[1]["trace_error"] == "question is missing. Add it."
    assert found[1]["trace_error_kind"] == "data"


def test_metrics_stand_side_by_side_and_values_of_one_name_get_a_number():
    exact, fuzzy = (catalogue()["answer_match"](type=kind) for kind in ("exact_match", "f1_score"))
    rows = [row("a", answer_text="330 metres", ground_truth="330 metres tall")]
    batch = pa.RecordBatch.from_pylist(rows)
    columns = {**COLUMNS, "ground_truth": "ground_truth"}

    [found] = evaluate_record_batch(batch, [exact, fuzzy], columns=columns).to_pylist()

    # Two words in common: precision 1, recall 2/3, so F1 is 0.8.
    assert (found["answer_match"], found["answer_match (2)"]) == (0.0, pytest.approx(0.8))
    assert found["answer_match_2_status"] == "scored"


def test_the_schema_is_known_before_and_also_where_there_is_no_row():
    schema = batch_schema("trace", by=["model"])
    batch = pa.RecordBatch.from_pylist([row("a")])

    for rows in (batch, batch.slice(0, 0)):
        found = evaluate_record_batch(rows, "trace", columns=COLUMNS, by=["model"])
        assert found.schema == schema


JUDGING = [name for name, cls in catalogue().items() if ships(cls) and name != "rgb"]


@pytest.mark.parametrize("name", JUDGING)
def test_the_values_of_every_metric_are_known_before_it_judges(name):
    [columns] = columns_of([catalogue()[name].build()], has_judge=True)

    assert columns.values


def test_a_metric_whose_rates_need_composed_prompts_is_refused():
    with pytest.raises(ParameterError, match="Use run in place of batch"):
        batch_schema("rgb")


def test_half_a_character_becomes_a_whole_one(tmp_path):
    data = json_lines(tmp_path / "a.jsonl", [row("\ud83d", model="m\ud83d"), row("b", model="m")])

    evaluate_batch_files(
        data, tmp_path / "out", Moody(), columns=COLUMNS, by="model", progress=False
    )

    found = results(tmp_path / "out")
    assert [(each["id"], each["by_model"]) for each in found] == [("\ufffd", "m\ufffd"), ("b", "m")]
    assert [each["test_batch_moody_status"] for each in found] == ["scored", "scored"]


def test_passages_of_one_question_in_several_rows_are_refused():
    passages = [row("a", docs=text) for text in ("One.", "Two.", "Three.", "Four.")]
    batch = pa.RecordBatch.from_pylist(passages)

    with pytest.raises(DatasetError, match="one passage a row"):
        evaluate_record_batch(batch, "trace", columns={**COLUMNS, "id": "id"})


@pytest.mark.parametrize(
    ("text", "cells", "group"),
    [
        ("model", {"model": "m"}, "m"),
        ("model", {"model": 3}, "3"),
        ("model", {"model": ""}, None),
        ("meta.model", {"meta": {"model": "m"}}, "m"),
        ("a:b", {"a:b": "m"}, "m"),
        ("at:day", {"at": "2026-11-22T23:59:00Z"}, "2026-11-22"),
        ("at:week", {"at": "2027-01-01"}, "2026-W53"),
        ("at:month", {"at": 1763856000}, "2025-11"),
        ("at:month", {"at": "1763856000000"}, "2025-11"),
        ("at:week", {"at": datetime(2027, 1, 1, 12)}, "2026-W53"),
        ("at:day", {"at": date(2027, 1, 1)}, "2027-01-01"),
        ("at:day", {"at": 1763856000.5}, "2025-11-23"),
        ("at:day", {"at": 1763856000 * 10**6}, "2025-11-23"),
        ("at:day", {"at": 1763856000 * 10**9}, "2025-11-23"),
        ("at:day", {"at": "9" * 400}, "not a time"),
        ("at:day", {"at": True}, "not a time"),
        ("at:day", {"at": "2026-01-05T00:30:00+02:00"}, "2026-01-04"),
        ("at:day", {"at": 1767565800}, "2026-01-04"),
        ("at:week", {"at": "0001-01-01"}, "0001-W01"),
        ("at:month", {"at": "0001-01-01T00:00:00"}, "0001-01"),
        ("at:day", {"at": "0001-01-01T00:00:00+02:00"}, "not a time"),
        ("at:day", {"at": "9999-12-31T23:59:00-02:00"}, "not a time"),
        ("at:day", {"at": 20260105}, "2026-01-05"),
        ("at:day", {"at": "20260105"}, "2026-01-05"),
        ("at:week", {"at": "yesterday"}, "not a time"),
        ("at:day", {"at": 20269999}, "not a time"),
        ("at:week", {"at": " "}, "not a time"),
        ("at:week", {"at": math.nan}, None),
        ("model", {"model": math.nan}, None),
        ("at:week", {}, None),
    ],
)
def test_a_row_is_in_the_group_of_its_cell_or_of_its_time(text, cells, group):
    assert group_named(text).value(cells) == group


@pytest.mark.parametrize("text", ["", ":week", "at:year"])
def test_a_group_that_is_none_is_refused(text):
    with pytest.raises(ParameterError):
        group_named(text)
