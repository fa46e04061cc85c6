"""Scores of traces go back to where the traces are kept, by their ids."""

import csv
import io
import json

import pytest

from evaluators import evaluate
from evaluators.datasets.mapping import open_file
from evaluators.errors import ParameterError
from evaluators.exports import formats
from evaluators.exports.trace_scores import trace_scores
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from tests.datasets.test_trace_files import DOCS, LANGFUSE, A, Q, asked, found, otlp, span

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
NAMES = ("langfuse", "phoenix", "otel", "scores")


@pytest.fixture
def results(data_folder):
    trace = otlp(
        asked(trace=TRACE), span("s", "r", "RETRIEVER", trace=TRACE, **found("The tower."))
    )
    return evaluate([trace], "trace", progress=False)


def written(results, name):
    return formats()[name].whole(RunView.read(results.store, results.run)).decode("utf-8-sig")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_each_value_goes_back_by_the_id_of_its_trace(results):
    values = {name: mean.mean for name, mean in results.summary().items() if mean.mean is not None}

    of_langfuse = rows(written(results, "langfuse"))
    of_phoenix = rows(written(results, "phoenix"))
    plain = json.loads(written(results, "scores"))

    assert {row["name"]: float(row["value"]) for row in of_langfuse} == values
    assert {row["name"]: float(row["score"]) for row in of_phoenix} == values
    assert {score["name"]: score["value"] for score in plain} == values
    assert {row["traceId"] for row in of_langfuse} == {TRACE}
    assert {row["trace_id"] for row in of_phoenix} == {TRACE}
    assert {row["annotator_kind"] for row in of_phoenix} == {"CODE"}
    assert len({row["id"] for row in of_langfuse}) == len(values)
    assert "Labels by heuristic, formula sentence" in of_langfuse[0]["comment"]


def test_events_are_those_of_the_convention(results):
    (logs,) = json.loads(written(results, "otel"))["resourceLogs"]
    record = logs["scopeLogs"][0]["logRecords"][0]
    attributes = {each["key"]: each["value"] for each in record["attributes"]}

    assert (record["eventName"], record["traceId"]) == ("gen_ai.evaluation.result", TRACE)
    assert attributes["gen_ai.evaluation.name"] == {"stringValue": "context_relevance"}
    assert attributes["gen_ai.evaluation.score.value"] == {"doubleValue": 1.0}


def test_they_are_written_from_python_for_traces_alone(results, tmp_path, data_folder):
    plain = evaluate([{"question": "q?", "response": "a", "docs": ["d"]}], "trace", progress=False)

    assert results.export(tmp_path / "a.csv", "langfuse").read_text("utf-8-sig").startswith("id,")
    view = RunView.read(plain.store, plain.run)
    for name in NAMES:
        assert not formats()[name].is_there(view)
        with pytest.raises(ParameterError, match="no column id or trace_id"):
            plain.export(tmp_path / "b.csv", name)
    assert not (tmp_path / "b.csv").exists()


def test_a_score_names_labels_only_where_it_is_made_of_them(data_folder):
    sample = {"trace_id": "+PkA/b==", "question": Q, "response": A, "retrieved_documents": DOCS}
    samples = [sample | {"ground_truth": "330 metres"}]
    results = evaluate(samples, ["trace", "answer_match"], progress=False)

    own = {row["name"]: row for row in rows(written(results, "phoenix"))}

    assert own["adherence"]["explanation"].startswith("Labels by heuristic, formula sentence, ")
    assert own["answer_match"]["explanation"] == f"Plumbline run {results.run.id}"
    # An id that begins with a sign is still that of the trace
    assert {row["trace_id"] for row in own.values()} == {"+PkA/b=="}


def test_what_people_labelled_is_said_to_be_theirs(data_folder, tmp_path):
    results = evaluate([LANGFUSE], "trace", progress=False)
    view = RunView.read(results.store, results.run)
    kinds = {
        by: {score.annotator_kind for score in trace_scores(view, View(by=by))}
        for by in (None, "corrected")
    }

    assert kinds == {None: {"CODE"}, "corrected": {"HUMAN"}}


def test_an_id_of_another_kind_is_no_trace_of_opentelemetry(data_folder):
    results = evaluate([LANGFUSE], "trace", progress=False)

    record = json.loads(written(results, "otel"))["resourceLogs"][0]["scopeLogs"][0]["logRecords"][
        0
    ]

    assert "traceId" not in record
    assert {"key": "plumbline.trace.id", "value": {"stringValue": "t1"}} in record["attributes"]


def test_what_came_with_a_trace_is_in_the_results_and_comes_back(data_folder):
    scores = [{"name": "toxicity", "value": 0.1, "source": "EVAL"}]
    trace = LANGFUSE | {"trace": LANGFUSE["trace"] | {"scores": scores, "sessionId": "c"}}
    results = evaluate([trace], "trace", progress=False)

    line = written(results, "jsonl")
    (sample,) = open_file("a.jsonl", line.encode()).data.samples

    assert json.loads(line)["scores"] == {"toxicity": 0.1}
    assert sample.scores == {"toxicity": 0.1}


def test_turns_of_one_conversation_are_one_unit_of_its_statistics(data_folder):
    steps = []
    for at, session in enumerate(["a", "a", "a", "b", "b", ""]):
        trace = f"t{at}"
        more = {"session__id": session} if session else {}
        steps.append(asked(f"r{at}", trace, start=at, **more) | {"name": "ask"})
        text = "The tower is 330 metres tall." if at % 2 else "It was built in 1889."
        steps.append(span(f"s{at}", f"r{at}", "RETRIEVER", trace=trace, **found(text)))

    results = evaluate([otlp(*steps)], "trace", progress=False)

    # Two conversations and a request of its own
    assert results.summary()["adherence"].questions == 3
