"""Every export with all texts comes back as data that get the same scores; each other says what it is
and where the texts are.
"""

import csv
import io
import json

import pandas as pd
import pytest

from evaluators import compose, evaluate, load_data
from evaluators.datasets.bundled import CHINESE_BED, ENGLISH_BED, TRACE_SAMPLES
from evaluators.datasets.mapping import open_file, rejected
from evaluators.errors import DatasetError
from evaluators.evaluation_pipeline import UnifiedEvaluationPipeline
from evaluators.exports import formats
from evaluators.llm.catalogue import OFFLINE
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Labels, Sample
from evaluators.runs.run_view import RunView
from tests.datasets.files import xlsx

pytestmark = pytest.mark.usefixtures("data_folder")


def json_lines(results):
    return "results.jsonl", formats()["jsonl"].whole(
        RunView.read(results.store, results.run), results.view
    )


def csv_of_lines(results):
    """As somebody with a spreadsheet keeps the lines."""
    return "results.csv", pd.DataFrame(results.lines()).to_csv(index=False).encode()


def json_of_lines(results):
    text = pd.DataFrame(results.lines()).to_json(orient="records")
    return "results.json", text.encode()


def again(results, metric, form):
    name, content = form(results)
    data = load_data_of(name, content)
    return evaluate(data, metric, progress=False)


def load_data_of(name, content):
    loaded = open_file(name, content)
    assert loaded.guess.is_sure
    assert not loaded.problems
    return loaded.data


def means(results):
    return {name: (mean.mean, mean.low, mean.high) for name, mean in results.summary().items()}


def by_hand(data):
    """The values of each sample in order."""
    return [row.values for row in evaluate(data, "trace", progress=False).rows()]


def rgb_run(bed, metric):
    source = load_data(bed)
    data = compose(source, source.abilities, (0.0, 0.8), sample=2)
    return data, evaluate(data, metric, model=OFFLINE.id, progress=False)


@pytest.mark.parametrize(
    ("bed", "form"),
    [
        (ENGLISH_BED, json_lines),
        (ENGLISH_BED, csv_of_lines),
        (CHINESE_BED, json_of_lines),
    ],
)
def test_an_rgb_run_comes_back_with_ability_noise_and_planted_answers(bed, form):
    data, first = rgb_run(bed, "rgb")

    second = again(first, "rgb", form)

    assert means(first) == means(second)
    tasks = [sample.rgb for sample in load_data_of(*form(first)).samples]
    assert tasks == [sample.rgb for sample in data.samples]


@pytest.mark.parametrize(
    ("metric", "form"),
    [
        ("trace", json_lines),
        ("trace", csv_of_lines),
        ("trace", json_of_lines),
        ("answer_match", json_lines),
        ("context_recall_lexical", csv_of_lines),
    ],
)
def test_a_run_over_samples_comes_back(metric, form):
    first = evaluate(TRACE_SAMPLES, metric, progress=False)

    assert means(again(first, metric, form)) == means(first)


def xlsx_of_lines(results):
    """As somebody keeps the lines in a workbook, whose cells hold no lists."""
    lines = list(results.lines())
    cells = [[_cell(line.get(name)) for name in lines[0]] for line in lines]
    return "results.xlsx", xlsx([[*lines[0]], *cells])


def _cell(value):
    return json.dumps(value) if isinstance(value, list | tuple | dict) else value


def values_table(results):
    return "values.csv", formats()["csv"].whole(
        RunView.read(results.store, results.run), results.view
    )


def data_frame(results):
    return "frame.csv", results.to_pandas().to_csv(index=False).encode()


WHOLE = [json_lines, csv_of_lines, json_of_lines, xlsx_of_lines]


@pytest.mark.parametrize("form", [*WHOLE, values_table, data_frame])
def test_groups_come_back(form):
    first = evaluate(TRACE_SAMPLES, "trace", progress=False)

    again = load_data_of(*form(first))

    groups = [sample.situation for sample in load_data(TRACE_SAMPLES).samples]
    assert [sample.situation for sample in again.samples] == groups
    assert all(groups)


def relabelled():
    """A run of which somebody called the first sentence of each answer unsupported."""
    results = evaluate(TRACE_SAMPLES, "trace", progress=False)
    for position in range(len(results.rows())):
        label = PersonLabel(
            label="support", key="a", value="none", created="2026-01-01T00:00:00+00:00"
        )
        results.store.person_labels.save(results.run.id, Cell(position), label)
    return results


@pytest.mark.parametrize("form", WHOLE)
def test_corrected_labels_and_values_come_back(form):
    corrected = relabelled().under(labels="corrected")

    data = load_data_of(*form(corrected))
    again = evaluate(data, "trace", progress=False)

    first_sentences = [sample.labels.sentence_support[0] for sample in data.samples]
    assert {sentence.support for sentence in first_sentences} == {"none"}
    values = [row.values for row in again.under(labels="gold").rows()]
    assert values == [row.values for row in corrected.rows()]
    # The heuristic that judges anew is not touched by what people say
    assert means(again)["adherence"] == means(relabelled())["adherence"]


@pytest.mark.parametrize("form", WHOLE)
def test_labels_and_gold_documents_that_the_data_came_with_come_back(form):
    sample = Sample(
        id="1",
        question="Who?",
        response="Anna.",
        retrieved_documents=("Anna did it.", "Bert slept."),
        labels=Labels(relevant_keys=("0a",), utilized_keys=("0a",)),
        gold_documents=("Anna did it.",),
    )
    first = evaluate(Dataset(name="a", samples=(sample,)), "trace", progress=False)

    assert load_data_of(*form(first)).samples == (sample,)


def batch_as_json(batch):
    return "batch.json", json.dumps(batch).encode()


def batch_as_table(batch):
    table = pd.DataFrame(batch["detailed_results"])
    return "batch.csv", table.to_csv(index=False).encode()


def batch_as_flat_table(batch):
    table = pd.json_normalize(batch["detailed_results"])
    return "batch.csv", table.to_csv().encode()


@pytest.mark.parametrize("form", [batch_as_json, batch_as_table, batch_as_flat_table])
def test_a_batch_of_the_pipeline_comes_back_with_the_same_scores(form):
    data = load_data(TRACE_SAMPLES)
    cases = [
        {
            "query": sample.question,
            "response": sample.response,
            "retrieved_documents": list(sample.retrieved_documents),
            "ground_truth": sample.ground_truth,
        }
        for sample in data.samples
    ]
    batch = UnifiedEvaluationPipeline().evaluate_batch(cases)

    name, content = form(batch)
    again = by_hand(load_data_of(name, content))

    values = [entry["metrics"] for entry in batch["detailed_results"]]
    assert [{name: row[name] for name in values[0]} for row in again] == values


def labels(results):
    return "labels.jsonl", formats()["labels"].whole(
        RunView.read(results.store, results.run), results.view
    )


def data_frame_as_json(results):
    return "frame.json", results.to_pandas().to_json(orient="records").encode()


@pytest.mark.parametrize(
    ("form", "what"),
    [
        (values_table, "This is an export of results without documents."),
        (data_frame, "This is an export of results without documents."),
        (data_frame_as_json, "This is an export of results without documents."),
        (labels, "This is an export of labels without answers and documents."),
    ],
)
def test_an_export_without_the_texts_says_so_and_where_they_are(form, what):
    results = evaluate(TRACE_SAMPLES, "trace", progress=False)

    loaded = open_file(*form(results))

    remarks = " ".join(loaded.remarks)
    assert what in remarks
    assert "The run's results as JSON lines have them." in remarks
    assert loaded.guess.columns.keys() <= {
        "question",
        "response",
        "id",
        "labels",
        "generator",
        "group",
    }


def test_a_table_with_documents_put_beside_it_is_read_as_any_other():
    frame = evaluate(TRACE_SAMPLES, "trace", progress=False).to_pandas()
    samples = load_data(TRACE_SAMPLES).samples
    frame["retrieved_documents"] = [list(sample.retrieved_documents) for sample in samples]

    loaded = open_file("a.json", frame.to_json(orient="records").encode())

    assert "without documents" not in " ".join(loaded.remarks)
    assert [each.retrieved_documents for each in loaded.data.samples] == [
        each.retrieved_documents for each in samples
    ]


def test_files_that_hold_no_samples_are_named():
    results = evaluate(TRACE_SAMPLES, "trace", progress=False)
    stored = b"".join(results.store.runs.raw(results.run.id))
    left_out = rejected(open_file("a.csv", b"question,response\nWhy?,b\nWho?,c\n,d\n"))

    with pytest.raises(DatasetError, match="is a run as Plumbline stores it"):
        open_file("raw.jsonl", stored)
    assert next(csv.reader(io.StringIO(left_out.decode("utf-8-sig")))) == [
        "row",
        "reason",
        "content",
    ]
    with pytest.raises(DatasetError, match="is a list of rows that could not be used"):
        open_file("left.csv", left_out)
