"""A row that cannot be read is told as such and takes nothing else with it."""

import json
import sqlite3

import pytest

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.errors import StoreError, UnreadableRowError
from evaluators.llm.catalogue import OFFLINE
from evaluators.people.records import PersonLabel
from evaluators.records import Call, Cell, Completion, Dataset, EvaluatorSpec, Sample, Usage
from evaluators.runs import aggregate, inputs
from evaluators.runs.aggregate import View
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.overnight import state_of_batches
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Counts
from evaluators.runs.store.damage import MOST_COUNTED
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.trace.labelling import HEURISTIC
from tests.runs import paid
from tests.stops import stopped
from ui.parts.remedies import worded

ROWS = 3
DOCUMENT = "The tower is 330 metres tall. It stands in Paris."
DATASET = Dataset(
    name="towers",
    samples=tuple(
        Sample(
            id=f"s{n}",
            question="How tall?",
            response="It is 330 metres tall.",
            retrieved_documents=(DOCUMENT,),
        )
        for n in range(ROWS)
    ),
)
DAMAGE = {
    "a field of another version": lambda body: json.dumps({**json.loads(body), "later": 1}),
    "cut off": lambda body: body[: len(body) // 2],
    "empty": lambda body: "",
    "another kind of JSON": lambda body: "[1]",
    "no text": lambda body: b"\xff\x00\xfe",
    "a number": lambda body: 7,
    "too deep": lambda body: "[" * 5000,
    "no character set": lambda body: ("cast", body.encode()[:-1] + b"\xff\xfe"),
}


@pytest.fixture(params=DAMAGE)
def damage(request):
    return DAMAGE[request.param]


def change(path, table, column, damage, where="rowid = 1"):
    """Damages one cell of the file behind the store's back."""
    with sqlite3.connect(path) as db:
        (text,) = db.execute(f"select {column} from {table} where {where}").fetchone()
        made = damage(text)
        if isinstance(made, tuple):
            db.execute(f"update {table} set {column} = cast(? as text) where {where}", (made[1],))
        else:
            db.execute(f"update {table} set {column} = ? where {where}", (made,))
    db.close()


def finished(store, title="t", **options):
    run = create_run(
        store, RunPlan(DATASET, inputs.evaluators("trace"), title=title, **options), workspace="w"
    )
    job = Job(run, store)
    job.start()
    job.wait()
    return run


def test_a_run_is_told_beside_the_others_saved_as_stored_and_deleted(store, path, damage):
    lost, fine = finished(store), finished(store)
    change(path, "runs", "body", damage)

    assert store.runs.newest("w") == [fine]
    assert [each.name for each in store.runs.unreadable("w")] == [lost.id]
    assert store.runs.unreadable("w")[0].reason
    assert store.runs.unreadable("another") == []
    with pytest.raises(UnreadableRowError, match=rf"{lost.id} cannot be read") as caught:
        store.runs.get(lost.id)
    assert f"evaluators export {lost.id} --format raw), or delete it" in caught.value.reason.worded(
        IN_TERMINAL
    )
    lines = [json.loads(line) for line in store.runs.raw(lost.id)]
    assert [line["table"] for line in lines] == [
        "runs",
        *["samples"] * ROWS,
        "documents",
        *["results"] * ROWS,
    ]
    store.runs.delete(lost.id)
    assert (store.runs.unreadable("w"), store.runs.newest("w")) == ([], [fine])
    assert store.results.counts(fine).scored == ROWS


@pytest.mark.parametrize(
    ("column", "value"), [("id", "other"), ("workspace", "other"), ("created", "yesterday")]
)
def test_a_run_whose_body_is_of_another_row_or_without_a_time_cannot_be_read(
    store, path, column, value
):
    lost = finished(store)
    change(path, "runs", "body", lambda body: json.dumps({**json.loads(body), column: value}))

    assert [each.name for each in store.runs.unreadable("w")] == [lost.id]


def test_a_sample_fails_its_own_cell_and_the_others_are_scored(store, path, damage):
    run = create_run(store, RunPlan(DATASET, inputs.evaluators("trace"), title="t"), workspace="w")
    change(path, "samples", "body", damage)

    job = Job(run, store)
    job.start()
    job.wait()

    assert store.results.counts(run) == Counts(asked=ROWS, scored=ROWS - 1, failed=1)
    assert store.results.failures(run.id)[0][0].message.startswith("Sample 1 cannot be read")
    assert stopped(store, run.id) == ""
    with pytest.raises(UnreadableRowError, match="Sample 1 cannot be read"):
        store.samples.get(run.fingerprint, 0)
    assert [cell for cell, _, _ in store.results.scored(run)] == [Cell(1), Cell(2)]
    lines = list(Results(run, store).lines())
    assert [bool(line["error"]) for line in lines] == [True, False, False]
    assert [bool(line["response"]) for line in lines] == [False, True, True]


def test_a_result_counts_as_failed_where_it_is_read_and_the_others_stay(store, path, damage):
    run = finished(store)
    change(path, "results", "body", damage, "position = 1")

    assert store.results.of_answer(run.id, 1)[0].status == "failed"
    assert "cannot be read" in store.results.of_answer(run.id, 1)[0].error
    assert [cell for cell, _, _ in store.results.scored(run)] == [Cell(0), Cell(2)]
    rows = RunView.read(store, run).counted(View(by=HEURISTIC))
    assert [row.status for row in rows] == ["scored", "failed", "scored"]
    summary = aggregate.summarise(rows, "adherence")
    assert (summary.scored, summary.failed, summary.not_applicable) == (2, 1, 0)
    assert len(list(Results(run, store).lines())) == ROWS


def test_no_look_over_all_results_ends_at_a_damaged_one(store, path, damage):
    run = finished(store)
    change(path, "results", "body", damage, "position = 1")
    change(path, "samples", "body", damage, "position = 2")

    assert store.samples.with_response(run.fingerprint) <= ROWS
    assert len(store.results.responses(run)) >= ROWS - 1
    assert (
        store.results.notes(run.id),
        store.results.failures(run.id),
        store.results.reused(run.id),
    ) == ([], [], 0)


LISTED = [
    ("results", '"values"', "failed"),
    ("results", "facets", "scored"),
    ("samples", "facets", "scored"),
]


@pytest.mark.parametrize(("table", "column", "status"), LISTED)
def test_what_lists_show_of_a_row_can_be_damaged_too(store, path, table, column, status):
    run = finished(store)
    for text in ("{", "[1]", "7", "", b"\xff", '{"noise": "much"}', '{"ability": NaN}'):
        change(path, table, column, lambda body, text=text: text, "position = 1")

        found = [row.status for row in store.results.outlines(run)]
        assert found == ["scored", status, "scored"], text


def test_an_upload_is_told_when_it_is_opened(store, path, damage):
    store.uploads.save("w", "towers", DATASET)
    change(path, "documents", "body", damage)

    assert list(store.uploads.names("w")) == ["towers"]
    with pytest.raises(UnreadableRowError, match="“towers” cannot be read") as caught:
        store.uploads.get("w", "towers")
    assert worded(caught.value).endswith(" Delete it on the Datasets page.")
    assert json.loads(store.uploads.raw("w", "towers"))["key"] == "towers"


def test_a_saved_metric_is_told_beside_the_others(store, path, damage):
    for title in ("first", "second"):
        store.metrics.save("w", title, EvaluatorSpec(name="prompt", params={"title": title}))
    change(path, "documents", "body", damage)

    assert list(store.metrics.by_key("w")) == ["second"]
    assert [each.name for each in store.metrics.unreadable("w")] == ["first"]
    assert json.loads(store.metrics.raw("w", "first"))["key"] == "first"


def test_a_mapping_is_as_if_nothing_had_been_said(store, path, damage):
    store.mappings.save("w", ["a"], {"question": "a"})
    change(path, "documents", "body", damage)

    assert store.mappings.get("w", ["a"]) is None


def test_an_answer_is_as_if_it_were_not_there(store, path, damage):
    run = finished(store)
    for text in ("older", "newer"):
        completion = Completion(text=text, usage=Usage(prompt_tokens=1, answer_tokens=1))
        store.calls.save(run.id, [Call(key="k", model="m", completion=completion)])
    change(path, "calls", "answer", damage, "id = 2")

    assert store.calls.answer("w", "k").text == "older"


@pytest.mark.parametrize("column", ["label", "value", "created"])
def test_a_correction_is_left_out(store, path, column):
    run = finished(store)
    for position in (0, 1):
        made = PersonLabel(label="relevant", key="0a", value="no", created="2026-01-01T10:00:00")
        store.person_labels.save(run.id, Cell(position), made)
    change(path, "person_labels", column, lambda text: "nonsense")

    assert list(store.person_labels.by_cell(run.id)) == [Cell(1)]
    store.person_labels.withdraw_all(run.id, Cell(0), "you")
    assert list(store.person_labels.by_cell(run.id)) == [Cell(1)]


def test_a_run_with_a_damaged_sample_is_resumed_by_its_other_samples(store, path):
    unanswered = tuple(sample.model_copy(update={"response": None}) for sample in DATASET.samples)
    asked = Dataset(name="towers", samples=unanswered)
    asking = {"models": [OFFLINE], "prompt": "$question $documents"}
    run = create_run(
        store, RunPlan(asked, inputs.evaluators("trace"), title="t", **asking), workspace="w"
    )
    change(path, "samples", "body", DAMAGE["cut off"], "position = 2")

    for _ in range(2):
        job = Job(run, store)
        job.start()
        job.wait()

    assert store.results.counts(run) == Counts(asked=ROWS, scored=ROWS - 1, failed=1)


@pytest.mark.parametrize("kind", ["batch", "requests"])
def test_what_was_sent_and_cannot_be_read_is_said_and_never_sent_again(
    store, registry, loopback, kind, damage
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), overnight=True)
    registry.start(run, store, paid.keys(server.base_url)).wait(120)
    change(store.path, "documents", "body", damage, f"kind = '{kind}'")
    server.batches.finish()

    # Where all runs are listed it is no error.
    assert state_of_batches(store, run.id) == ("" if kind == "batch" else "Answers by tomorrow")
    try:
        registry.start(run, store, paid.keys(server.base_url)).wait(120)
        said = stopped(store, run.id)
    except StoreError as error:
        said = str(error)
    assert "cannot be read: the store is damaged. Go back to a backup" in said
    assert (len(server.batches.made), server.asked) == (1, [])


def test_a_count_of_samples_that_cannot_be_is_damage_of_so_many_at_most(store):
    results = evaluate(DATASET, "trace", store=store, progress=False)
    with sqlite3.connect(store.path) as db:
        db.execute("update revisions set stored_samples = ?", (2**63 - 1,))

    assert RunView.read(store, results.run).damage().samples == MOST_COUNTED - ROWS
