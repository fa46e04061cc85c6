"""Traces of every program become one sample each, or are counted among those that cannot be."""

import csv
import io
import json
import time

import pytest

from evaluators import evaluate_batch_files, load_data
from evaluators.datasets.cells import MAX_PARTS
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_file
from evaluators.datasets.trace_files.texts import in_time, unpacked
from evaluators.errors import DatasetError
from tests.batch.files import json_lines, parquet

Q, A = "How tall is the tower?", "It is 330 metres tall."
DOCS = ["The tower is 330 metres tall.", "It was built in 1889."]
FOUND = [{"page_content": text, "metadata": {"page": 1}, "type": "Document"} for text in DOCS]


def samples(content, name="a.json"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    loaded = open_file(name, data)
    assert loaded.guess.shape is Shape.TRACES
    assert loaded.guess.is_sure
    return loaded.data.samples


def refusal(content, name="a.json"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    with pytest.raises(DatasetError) as caught:
        open_file(name, data)
    return str(caught.value)


def span(id, parent=None, kind="", *, trace="t1", start=0, **attributes):
    """One of OpenTelemetry, with the attributes of OpenInference."""
    if kind:
        attributes["openinference.span.kind"] = kind
    attributes = {name.replace("__", "."): value for name, value in attributes.items()}
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    own = {"traceId": trace, "spanId": id, "startTimeUnixNano": str(start), "attributes": pairs}
    return own | ({"parentSpanId": parent} if parent else {})


def otlp(*spans):
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": list(spans)}]}]}


def found(*texts, name="retrieval.documents"):
    return {f"{name}.{at}.document.content": text for at, text in enumerate(texts)}


def asked(id="r", trace="t1", **more):
    return span(id, trace=trace, kind="CHAIN", input__value=Q, output__value=A, **more)


OTLP = otlp(
    span("s", "r", "RETRIEVER", start=2, **found(*DOCS)),
    span("m", "r", "LLM", start=3, output__value=A),
    asked(start=1),
)
LANGFUSE = {
    "trace": {"id": "t1", "input": json.dumps(Q), "output": json.dumps(A), "scores": []},
    "observations": [
        {"id": "r", "traceId": "t1", "type": "SPAN", "parentObservationId": None, "input": None},
        {"id": "s", "traceId": "t1", "type": "RETRIEVER", "parentObservationId": "r",
         "output": json.dumps(FOUND)},
    ],
}  # fmt: skip
PHOENIX = [
    {"context.span_id": "r", "context.trace_id": "t1", "parent_id": None, "span_kind": "CHAIN",
     "attributes.input.value": Q, "attributes.output.value": A},
    {"context.span_id": "s", "context.trace_id": "t1", "parent_id": "r", "span_kind": "RETRIEVER",
     "attributes.retrieval.documents": [{"document.content": text} for text in DOCS]},
]  # fmt: skip
NESTED = [
    {"context": {"span_id": "r", "trace_id": "t1"}, "parent_id": None, "span_kind": "CHAIN",
     "attributes": {"input": {"value": Q}, "output": {"value": A}}},
    {"context": {"span_id": "s", "trace_id": "t1"}, "parent_id": "r", "span_kind": "RETRIEVER",
     "attributes": {"retrieval": {"documents": [{"document": {"content": t}} for t in DOCS]}}},
]  # fmt: skip
LANGSMITH = [
    {"id": "t1", "trace_id": "t1", "dotted_order": "1", "run_type": "chain", "parent_run_id": None,
     "inputs": {"question": Q}},
    {"id": "s", "trace_id": "t1", "dotted_order": "1.2", "run_type": "retriever",
     "parent_run_id": "t1", "inputs": {"query": Q}},
    {"id": "s", "trace_id": "t1", "dotted_order": "1.2", "parent_run_id": "t1",
     "outputs": {"documents": FOUND}},
    {"id": "t1", "trace_id": "t1", "dotted_order": "1", "outputs": {"answer": A}},
]  # fmt: skip
GEN_AI = otlp(
    span("r", gen_ai__operation__name="invoke_agent", gen_ai__input__messages=json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": Q}]}])),
    span("s", "r", gen_ai__operation__name="retrieval", gen_ai__retrieval__documents=json.dumps(
        [{"id": "1", "score": 0.5, "content": text} for text in DOCS])),
    span("m", "r", gen_ai__operation__name="chat", gen_ai__output__messages=json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": A}]}])),
)  # fmt: skip
MLFLOW = {
    "info": {"trace_id": "t1", "request_preview": "How", "trace_metadata": {}},
    "data": {"spans": [
        {"span_id": "r", "trace_id": "t1", "parent_span_id": None, "name": "ask", "attributes": {
            "mlflow.spanInputs": json.dumps({"question": Q}), "mlflow.spanOutputs": json.dumps(A)}},
        {"span_id": "s", "trace_id": "t1", "parent_span_id": "r", "name": "find", "attributes": {
            "mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": json.dumps(FOUND)}},
    ]},
}  # fmt: skip
TRULENS = [
    {"event_id": "r", "trace": {"trace_id": "9", "span_id": "r", "parent_id": ""},
     "record": {"name": "query"}, "record_attributes": {
         "ai.observability.record_id": "t1", "ai.observability.span_type": "record_root",
         "ai.observability.record_root.input": Q, "ai.observability.record_root.output": A}},
    {"event_id": "s", "trace": {"trace_id": "9", "span_id": "s", "parent_id": "r"},
     "record": {"name": "find"}, "record_attributes": {
         "ai.observability.record_id": "t1", "ai.observability.span_type": "retrieval",
         "ai.observability.retrieval.retrieved_contexts": DOCS}},
]  # fmt: skip
WEAVE = [
    {"id": "r", "trace_id": "t1", "parent_id": None, "op_name": "weave:///a/b/op/ask:1",
     "started_at": "2026-01-01", "inputs": {"self": {}, "q": Q}, "output": {"answer": A}},
    {"id": "s", "trace_id": "t1", "parent_id": "r", "op_name": "weave:///a/b/op/retrieve:1",
     "started_at": "2026-01-02", "inputs": {"q": Q}, "output": DOCS},
]  # fmt: skip
OPIK = {
    "trace": {"id": "t1", "project_id": "p", "input": {"question": Q}, "output": {"output": A}},
    "spans": [{"id": "s", "trace_id": "t1", "project_id": "p", "type": "general",
               "name": "retrieve", "output": {"documents": DOCS}}],
}  # fmt: skip
FORMATS = {
    "OTLP": OTLP, "Langfuse": LANGFUSE, "Phoenix": PHOENIX, "Phoenix, nested": NESTED,
    "LangSmith": LANGSMITH, "GenAI": GEN_AI, "MLflow": MLFLOW, "TruLens": TRULENS, "Weave": WEAVE,
    "Opik": OPIK,
}  # fmt: skip


@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS)
def test_a_trace_is_one_sample_with_its_own_id(content):
    (sample,) = samples(content)

    assert (sample.id, sample.question, sample.response) == ("t1", Q, A)
    assert sample.retrieved_documents == tuple(DOCS)


@pytest.mark.parametrize("rows", [PHOENIX, LANGSMITH, TRULENS], ids=["Phoenix", "LangSmith", "T."])
def test_it_is_the_same_in_every_format(tmp_path, rows):
    table = io.StringIO()
    writer = csv.DictWriter(table, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    # As pandas writes cells: what is no text is Python's writing of it
    writer.writerows(rows)

    (whole,) = samples(rows)

    assert samples(table.getvalue().encode(), "a.csv") == (whole,)
    assert samples(json_lines(tmp_path / "a.jsonl", rows).read_bytes(), "a.jsonl") == (whole,)
    columns = [dict.fromkeys(name for row in rows for name in row) | row for row in rows]
    assert samples(parquet(tmp_path / "a.parquet", columns).read_bytes(), "a.parquet") == (whole,)


def test_steps_may_stand_in_any_order_and_among_those_of_other_traces():
    steps = [*OTLP["resourceSpans"][0]["scopeSpans"][0]["spans"], asked("r2", trace="t2", start=5)]
    lines = "\n".join(json.dumps(otlp(step)) for step in reversed(steps))

    loaded = open_file("a.jsonl", lines.encode())

    assert [sample.id for sample in loaded.data.samples] == ["t1"]
    assert "that became samples: 1 of 2." in loaded.note
    assert "1 show no retrieval and were left out." in loaded.note


# What was found


def of_steps(*spans):
    (sample,) = samples(otlp(asked(), *spans))
    return list(zip(sample.retrieved_documents, sample.sources or [""] * 99, strict=False))


def test_all_that_was_found_is_there_in_order_and_once():
    first = span("1", "r", "RETRIEVER", start=1, **found("a", "b"))
    second = span("2", "r", "RETRIEVER", start=2, **found("b", "c"))

    assert of_steps(second, first) == [("a", ""), ("b", ""), ("c", "")]


def test_of_a_search_in_a_search_what_was_left_of_it_counts():
    outer = span("1", "r", "RETRIEVER", start=1, **found("a"))
    inner = span("2", "1", "RETRIEVER", start=2, **found("a", "b"))

    assert of_steps(outer, inner) == [("a", "")]
    assert of_steps(inner, outer) == [("a", "")]


def test_what_a_reranker_left_stands_for_what_it_was_given():
    given = span("1", "r", "RETRIEVER", start=1, **found("a", "b", "c"))
    ranked = span(
        "2", "r", "RERANKER", start=2, **found("c", "a", name="reranker.output_documents")
    )
    later = span("3", "r", "RETRIEVER", start=3, **found("d"))

    assert of_steps(given, ranked, later) == [("c", ""), ("a", ""), ("d", "")]


def test_what_a_tool_gave_is_a_document_that_says_so_unless_it_searched():
    tool = span("1", "r", "TOOL", name="x", start=1, output__value='{"temperature": 21}')
    search = span("2", "r", "TOOL", start=2, output__value="all of it")
    searched = span("3", "2", "RETRIEVER", start=3, **found("a"))

    assert of_steps(tool, search, searched) == [('{"temperature": 21}', "tool x"), ("a", "")]


# Conversations


def test_turns_of_a_conversation_know_what_was_said_before():
    turns = []
    for at, question in enumerate(["Who?", "When?"]):
        root = span(f"r{at}", trace=f"t{at}", kind="CHAIN", start=at, session__id="c",
                    input__value=question, output__value=f"Answer {at}.")  # fmt: skip
        turns += [root, span(f"s{at}", f"r{at}", "RETRIEVER", trace=f"t{at}", **found("doc"))]

    first, second = samples(otlp(*reversed(turns)))[::-1]

    assert (first.retrieved_documents, first.conversation) == (("doc",), "c")
    assert (second.retrieved_documents, second.sources) == (("doc",), ())
    assert second.earlier_turns == ("Who?", "Answer 0.")


def test_of_messages_the_last_question_counts_and_those_before_are_earlier_turns():
    messages = [("user", "Who?"), ("assistant", "Anna."), ("user", Q)]
    content = json.dumps({"messages": [{"role": role, "content": text} for role, text in messages]})
    root = span("r", kind="CHAIN", input__value=content, output__value=A)

    (sample,) = samples(otlp(root, span("s", "r", "RETRIEVER", **found("doc"))))

    assert sample.question == Q
    assert (sample.retrieved_documents, sample.earlier_turns) == (("doc",), ("Who?", "Anna."))


def test_what_people_and_programs_said_of_a_trace_is_kept_beside_it():
    scores = [
        {"name": "toxicity", "value": 0.1, "source": "EVAL"},
        {"name": "good", "value": 1, "source": "ANNOTATION", "stringValue": "yes"},
    ]
    trace = LANGFUSE | {"trace": LANGFUSE["trace"] | {"scores": scores}}

    (sample,) = samples(trace)

    assert sample.scores == {"toxicity": 0.1, "good (person)": "yes"}


@pytest.mark.parametrize("number", ["1" + 400 * "0", "-1" + 400 * "0", "1e999", "NaN"])
def test_a_score_that_is_no_finite_number_is_left_out_and_the_trace_is_kept(number):
    scores = [{"name": "huge", "value": "HERE"}, {"name": "good", "value": 0.5}]
    trace = LANGFUSE | {"trace": LANGFUSE["trace"] | {"scores": scores}}

    (sample,) = samples(json.dumps(trace).replace('"HERE"', number).encode())

    assert sample.scores == {"good": 0.5}


def of_weave(id, parent, op, output, **inputs):
    return {
        "id": id, "trace_id": "t", "parent_id": parent, "inputs": inputs, "output": output,
        "op_name": f"weave:///acme/retriever-demo/op/{op}:Xf3k", "started_at": f"2026-11-20T10:0{id}",
    }  # fmt: skip


def test_in_calls_of_weave_the_name_of_the_project_is_none_of_a_step_and_feedback_is_kept():
    feedback = [
        {"feedback_type": "wandb.reaction.1", "payload": {"alias": ":thumbs_up:"}},
        {"feedback_type": "wandb.annotation.good", "payload": {"value": True}},
    ]
    root = of_weave("1", None, "predict", {"answer": A, "context": [DOCS[0]]}, question=Q)
    root["summary"] = {"weave": {"feedback": feedback}}

    (sample,) = samples([root, of_weave("2", "1", "get_relevant_documents", DOCS, query=Q)])

    assert (sample.question, sample.response) == (Q, A)
    assert sample.retrieved_documents == tuple(DOCS)
    assert sample.scores == {
        "wandb.reaction.1 (person)": ":thumbs_up:", "wandb.annotation.good (person)": True,
    }  # fmt: skip


# Traces that cannot be judged


def log(name, body, **attributes):
    """A log record of OpenTelemetry, as its instrumentation of OpenAI writes what was said."""
    pairs = [{"key": key, "value": value} for key, value in attributes.items()]
    own = {"traceId": "t1", "spanId": "m", "eventName": name, "body": body, "attributes": pairs}
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [own]}]}]}


def texts(**values):
    pairs = [{"key": key, "value": {"stringValue": text}} for key, text in values.items()]
    return {"kvlistValue": {"values": pairs}}


@pytest.mark.parametrize(
    "records",
    [
        [
            log("gen_ai.system.message", texts(content="Answer.")),
            log("gen_ai.user.message", texts(content=Q)),
            log("gen_ai.choice", {"kvlistValue": {"values": [
                {"key": "index", "value": {"intValue": "0"}},
                {"key": "message", "value": texts(role="assistant", content=A)},
            ]}}),
        ],
        [
            log("gen_ai.client.inference.operation.details", {}, **{
                "gen_ai.input.messages": {"arrayValue": {"values": [texts(role="user", content=Q)]}},
                "gen_ai.output.messages": {
                    "arrayValue": {"values": [texts(role="assistant", content=A)]}
                },
            })
        ],
    ],
)  # fmt: skip
@pytest.mark.parametrize("are_first", [True, False])
def test_texts_that_stand_in_log_records_are_those_of_the_step(records, are_first):
    steps = otlp(
        span("r"),
        span("s", "r", "RETRIEVER", start=1, **found("doc")),
        span("m", "r", start=2, gen_ai__operation__name="chat"),
    )
    lines = [*records, steps] if are_first else [steps, *records]

    (sample,) = samples("\n".join(map(json.dumps, lines)).encode(), "a.jsonl")

    assert (sample.question, sample.response) == (Q, A)
    assert sample.retrieved_documents == ("doc",)


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (otlp(span("r"), span("s", "r", "RETRIEVER"), span("m", "r", "LLM")), "Unset OPENINFERENCE"),
        (otlp(asked(), span("s", "r", "RETRIEVER", **found("__REDACTED__"))), "Unset OPENINFERENCE"),
        (
            otlp(asked(), span("s", "r", gen_ai__operation__name="retrieval",
                               gen_ai__retrieval__documents='[{"id": "1", "score": 0.5}]')),
            "1 have no contents",
        ),
        (otlp(span("r", "away", "LLM", input__value=Q, output__value=A)), "Without the step"),
        (otlp(span("r", "s", input__value=Q), span("s", "r", output__value=A)), "Without the step"),
        (otlp(span("r", input__value=Q), span("s", "r", "RETRIEVER", **found("a"))), "no answer"),
        ([{"start_time": 1, "end_time": 2, "id": 1, "input": Q, "output": A}], "No step says"),
    ],
)  # fmt: skip
def test_a_trace_that_cannot_be_judged_is_counted_with_the_reason(trace, words):
    assert words in refusal(trace)


def test_a_search_that_found_nothing_is_no_hidden_one():
    (sample,) = samples(otlp(asked(), span("s", "r", "RETRIEVER", output__value="[]")))

    assert sample.retrieved_documents == ()


def test_where_no_trace_shows_a_search_questions_and_answers_are_read():
    loaded = open_file("a.json", json.dumps(otlp(asked())).encode())

    assert loaded.usable == 1
    assert "these samples have no documents" in loaded.note


def test_of_two_roots_question_and_answer_are_those_of_one():
    other = span("r2", start=2, output__value="Title: towers")

    (sample,) = samples(otlp(asked(start=1), other, span("s", "r", "RETRIEVER", **found("a"))))

    assert (sample.question, sample.response) == (Q, A)


# Hostile files


def test_a_file_that_is_cut_off_says_so_or_gives_what_is_whole():
    lines = "\n".join(json.dumps(step) for step in PHOENIX)

    loaded = open_file("a.jsonl", (lines + '\n{"context.span_id": "x').encode())

    assert (loaded.usable, len(loaded.problems)) == (1, 1)
    assert "not valid JSON" in refusal(json.dumps(LANGFUSE)[:-20].encode())


@pytest.mark.parametrize("shape", ["in a row", "one in the other", "in a circle"])
def test_ten_thousand_steps_take_seconds(shape):
    count = 10_000
    parents = {"in a row": lambda at: "r", "one in the other": lambda at: str(at - 1),
               "in a circle": lambda at: str((at - 1) % count)}  # fmt: skip
    steps = [
        span(str(at), parents[shape](at), "RETRIEVER", start=at, **found(f"text {at}"))
        for at in range(count)
    ]
    started = time.process_time()

    (sample,) = samples(otlp(asked(), *steps))

    assert time.process_time() - started < 10
    assert len(sample.retrieved_documents) <= 1000


def test_what_is_nested_without_end_ends():
    deep = json.loads('{"input":' * 60 + '"q?"' + "}" * 60)
    runs = {"id": "0", "trace_id": "0", "run_type": "chain", "inputs": deep}
    for at in range(1, 40):
        runs = {"id": str(at), "trace_id": str(at), "run_type": "chain", "child_runs": [runs]}
    text: object = "a"
    for _ in range(14):
        text = json.dumps({"a": text})
    hostile = span(
        "r", input__value=str(text), output__value="[" * 500, retrieval__documents="{" * 90
    )

    assert "trace" in refusal(runs) or "nested" in refusal(runs)
    assert "trace" in refusal(otlp(hostile))


# Every door


@pytest.mark.usefixtures("data_folder")
def test_every_door_takes_traces(tmp_path):
    files = tmp_path / "in"
    files.mkdir()
    (files / "a.json").write_text(json.dumps(LANGFUSE, indent=1))
    (files / "b.json").write_text(json.dumps(OTLP))
    json_lines(files / "c.jsonl", PHOENIX)
    columns = dict.fromkeys(name for row in PHOENIX for name in row)
    parquet(files / "d.parquet", [columns | row for row in PHOENIX])

    data = load_data(files / "a.json", on_remark=lambda _: None)
    results = evaluate_batch_files(files, tmp_path / "out", "trace", progress=False, workers=1)

    assert [sample.retrieved_documents for sample in data.samples] == [tuple(DOCS)]
    assert load_data(PHOENIX, on_remark=lambda _: None).samples[0].question == Q
    assert (results.rows, results.problems) == (4, {})


def test_a_batch_reads_earlier_turns_as_the_app_does(tmp_path):
    talk = {"messages": [{"role": role, "content": text} for role, text in
                         [("user", "Who?"), ("assistant", A), ("user", Q)]]}  # fmt: skip
    root = span("r", kind="CHAIN", input__value=json.dumps(talk), output__value=A)
    export = otlp(root, span("s", "r", "RETRIEVER", **found("Rye is a grain.")))
    (tmp_path / "a.json").write_text(json.dumps(export))

    results = evaluate_batch_files(
        tmp_path / "a.json", tmp_path / "out", "trace", progress=False, workers=1
    )

    assert results.means["adherence"].mean == 1.0


def test_real_files_become_the_right_samples(check_data):
    files = check_data / "shapes" / "files"
    wanted = {
        "langfuse_adk.trace.json": ("hi", 1),
        "langfuse_langgraph.trace.json": ("Search the web for 'example' and summarize.", 1),
        "langfuse_llamaindex_trace.json": ("What is Langfuse?", 0),
        "langsmith_trace_runs.jsonl": ("Who are the top 5 customers by total spending?", 3),
        "trulens_otel_chain.csv": ("What is multi-headed attention?", 4),
        "trulens_otel_llama.csv": ("What is multi-headed attention?", 3),
    }

    for name, (question, documents) in wanted.items():
        (sample,) = samples((files / name).read_bytes(), name)
        assert (sample.question, len(sample.retrieved_documents)) == (question, documents), name
        assert sample.response
    events = check_data / "shapes" / "derived" / "trulens_events.csv"
    assert [len(each.retrieved_documents) for each in samples(events.read_bytes(), "e.csv")] == [
        2
    ] * 4


def seconds_for(lines):
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    start = time.process_time()
    samples(data, "a.jsonl")
    return time.process_time() - start


def test_a_step_in_many_parts_with_many_scores_is_read_in_linear_time_and_a_few_are_kept():
    # Before, each part copied the scores of all parts before it: 12 s for these 10 MB
    step = {"trace_id": "t", "span_id": "s", "name": "ask", "input": Q, "output": A}
    parts = []
    for number in range(3000):
        scores = [{"name": f"{number} {at}", "value": 1} for at in range(100)]
        parts.append(step | {"scores": scores})
    assert seconds_for(parts) < 8
    [sample] = samples(json.dumps(parts).encode())
    assert list(sample.scores) == [f"0 {at}" for at in range(100)]


def test_a_long_id_is_not_read_again_for_each_step_that_it_holds():
    # Before, 50,000 copies of a megabyte
    steps = [{"id": '"b'}] * 50_000
    row = {"trace_id": "t", "spans": steps, "input": Q, "output": A}
    short, long = (seconds_for([row | {"id": '"' + count * "x"}]) for count in (9, 999_000))
    assert long < 1.5 * short + 0.5


def test_texts_that_hold_texts_without_end_are_given_up():
    unpacked("[1]")
    with pytest.raises(TimeoutError), in_time(0):
        unpacked("[1]")
    unpacked("[1]")


def test_a_search_whose_list_is_too_long_to_be_read_is_a_hidden_one():
    long = "[" + (MAX_PARTS // 2 + 1) * "'a' " + "]"
    steps = [asked(), span("s", "r", "RETRIEVER", **{"output.value": long})]
    assert "that became samples: 0 of 1." in refusal(otlp(*steps))
