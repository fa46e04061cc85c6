"""Steps of an application are never samples of their own, at any door, and samples with ids are."""

import json

import pyarrow as pa
import pytest

from evaluators import evaluate, evaluate_batch_files, evaluate_record_batch, load_data
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_file
from evaluators.errors import DatasetError
from tests.batch.files import json_lines, parquet

# The step that answers: a text that was given and one that came out, as a sample has them
ASKED = {"input": "How tall is the tower?", "output": "It is 330 metres tall."}

TRACES = {
    "Phoenix": [
        {"context.span_id": "1", "context.trace_id": "2", "span_kind": "LLM"},
        {"span_kind": "LLM", "parent_id": "1"},
        {"name": "answer", "attributes.openinference.span.kind": "LLM"},
        {"name": "answer", "attributes": {"openinference.span.kind": "LLM"}},
        {"llm.model_name": "gpt", "llm.token_count.total": 12},
        {"attributes": [{"key": "llm.model_name", "value": {"stringValue": "gpt"}}]},
    ],
    "Langfuse": [
        {"trace": {"id": "1", "input": "q?"}, "observations": [{"id": "2"}]},
        {"id": "1", "traceId": "2", "parentObservationId": None},
        {"id": "1", "parent_observation_id": "2"},
    ],
    "LangSmith": [
        {"run_type": "llm", "trace_id": "1", "dotted_order": "x", "inputs": {"question": "q?"}},
        {"run_type": "chain", "inputs": {"question": "q?"}, "outputs": {"answer": "a"}},
        {"id": "1", "parent_run_id": "2", "inputs": {"question": "q?"}},
    ],
    "LangChain": [{"event": "on_chain_end", "run_id": "1", "parent_ids": [], "data": ASKED}],
    "Braintrust": [{"id": "1", "span_id": "2", "root_span_id": "2", **ASKED}],
    "Jaeger": [{"data": [{"traceID": "1", "spans": [{"spanID": "2"}], "processes": {}}]}],
    "Weave": [
        {"op_name": "weave:///answer:v0", "inputs": {"question": "q?"}, "output": "a"},
        {"id": "1", "op_name": "answer", "started_at": "2026-01-01", "parent_id": None},
    ],
    "Opik": [
        {"trace": {"id": "1"}, "spans": [{"id": "2"}]},
        {"trace_id": "1", "project_id": "2", "name": "answer"},
        {"id": "1", "project_name": "Demo", "start_time": "2026-01-01", **ASKED},
    ],
    "Zipkin": [
        {"traceId": "1", "id": "2", "localEndpoint": {"serviceName": "bot"}},
        {"traceId": "1", "id": "2", "timestamp": 1, "duration": 2, "tags": {}},
    ],
    "OpenTelemetry": [
        {"resourceSpans": [{"scopeSpans": []}]},
        {"batches": [{"resource": {}, "scopeSpans": []}]},
        {"traceID": "1", "spanID": "2"},
        {"context": {"span_id": "1", "trace_id": "2"}, "parent_id": None},
        {"trace_id": "1", "parent_id": "2"},
        {"name": "answer", "parentSpanId": "2"},
        {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt"},
        {"name": "chat", "attributes": {"gen_ai.request.model": "gpt"}},
        {"name": "chat", "attributes": '{"gen_ai.request.model": "gpt"}'},
        {"attributes_gen_ai_prompt": "q?"},
    ],
    "OpenLLMetry": [{"traceloop.span.kind": "workflow", "traceloop.entity.input": "q?"}],
    "TruLens": [
        {"record_attributes": {"a": 1}, "event_id": "1", "record": {"name": "f"}},
        {"main_input": "q?", "main_output": "a", "calls": []},
    ],
    "MLflow": [{"trace_id": "1", "spans": []}, {"request_id": "1", "spans": []}],
    "an application": [
        {"start_time": "2026-01-01", "end_time": "2026-01-01", **ASKED},
        {"startTime": 1, "endTime": 2, "inputs": {"q": "q?"}, "outputs": {"a": "a"}},
    ],
}
STEPS = [(program, step) for program, steps in TRACES.items() for step in steps]
SPANS = [
    {"trace_id": "1", "span_id": str(n), "parent_id": "9", "gen_ai.operation.name": "chat", **ASKED}
    for n in (1, 2)
]
REFUSED = "is a trace of OpenTelemetry: .* a table with the question, the answer"

SAMPLES = [
    {"trace_id": "1"},
    {"trace_id": "1", "span_id": "2"},
    {"gen_ai.request.model": "gpt", "trace_id": "1", "span_id": "2"},
    {"start_time": "2026-01-01", "end_time": "2026-01-01"},
    {"trace": {"trace_id": "1", "spans": []}},
    {"run_type": "llm"},
]


@pytest.mark.parametrize(("program", "step"), STEPS)
def test_a_trace_is_recognised_and_never_taken_step_by_step(program, step):
    words = rf"^a\.json is a trace of {program}.* a table with"

    for content in (step, [step, step]):
        # What is a request by itself, with question and answer, may be the one sample
        if (program, "input" in step) in (("Braintrust", True), ("Opik", True)):
            loaded = open_file("a.json", json.dumps(content).encode())
            assert (loaded.guess.shape, loaded.usable) == (Shape.TRACES, 1)
            continue
        with pytest.raises(DatasetError, match=words):
            open_file("a.json", json.dumps(content).encode())


@pytest.mark.parametrize("step", [SPANS[0], [SPANS], [[step, step] for step in SPANS]])
def test_steps_are_found_in_lists_of_traces(step):
    with pytest.raises(DatasetError, match=r"is a trace of OpenTelemetry|not an object"):
        open_file("a.json", json.dumps(step).encode())


@pytest.mark.parametrize("more", SAMPLES)
def test_a_sample_may_have_the_ids_of_the_request_that_it_was(more):
    sample = {
        "question": "How tall is the tower?",
        "answer": "It is 330 metres tall.",
        "contexts": ["The tower is 330 metres tall."],
        "ground_truth": "330 metres",
    }

    assert open_file("a.json", json.dumps([sample | more]).encode()).usable == 1


def test_a_step_of_another_is_no_sample_whatever_it_holds():
    step = {"question": "q?", "answer": "a", "contexts": ["d"], "trace_id": "1", "parent_id": "2"}

    with pytest.raises(DatasetError, match="is a trace of OpenTelemetry"):
        open_file("a.json", json.dumps([step]).encode())


@pytest.mark.usefixtures("data_folder")
def test_every_door_refuses_steps(tmp_path):
    as_text = "trace_id,span_id,parent_id,gen_ai.operation.name,input,output\n1,1,9,chat,q?,a\n"
    columns = {"question": "input", "response": "output", "retrieved_documents": "context"}
    (tmp_path / "a.csv").write_text(as_text)
    of_parquet = parquet(tmp_path / "b.parquet", SPANS)
    of_lines = json_lines(tmp_path / "c.jsonl", SPANS)
    doors = [
        lambda: evaluate(SPANS, "trace", progress=False),
        lambda: load_data(tmp_path / "a.csv", columns=columns),
        lambda: load_data(of_parquet),
        lambda: evaluate_record_batch(pa.RecordBatch.from_pylist(SPANS), "trace", columns=columns),
    ]
    for file in (tmp_path / "a.csv", of_parquet, of_lines):
        doors.append(
            lambda file=file: evaluate_batch_files(
                file, tmp_path / "out", "trace", columns=columns, progress=False
            )
        )

    for door in doors:
        with pytest.raises(DatasetError, match=REFUSED):
            door()


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("write", [json_lines, parquet])
def test_of_a_batch_the_file_of_steps_is_left_out(tmp_path, write):
    columns = {"question": "input", "response": "output", "retrieved_documents": "context"}
    own = {"input": "q?", "output": "a", "context": "The tower."}
    suffix = "parquet" if write is parquet else "jsonl"
    write(tmp_path / "in" / f"a.{suffix}", [own])
    write(tmp_path / "in" / f"b.{suffix}", SPANS)

    results = evaluate_batch_files(
        tmp_path / "in", tmp_path / "out", "trace", columns=columns, progress=False, workers=1
    )

    assert results.rows == 1
    assert "is a trace of OpenTelemetry" in str(results)
