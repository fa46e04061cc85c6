"""`evaluate`: a run from Python as from the app, in the same store; what it gives back, and how it
goes on.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluators import (
    AnswerMatchAcc,
    Cap,
    Evaluator,
    Sample,
    Score,
    compose,
    evaluate,
    evaluator,
    load_data,
)
from evaluators.config import config
from evaluators.errors import AccessError, MissingInputError, ParameterError, PromptError
from evaluators.llm.catalogue import OFFLINE
from evaluators.people.records import PersonLabel
from evaluators.records import Cell
from evaluators.runs.aggregate import Mean
from evaluators.runs.store import Counts, Store
from evaluators.trace.metrics import from_score
from tests.report.markup import Read
from tests.runs import notebook, paid, slow
from tests.signals import hear_ctrl_c

ROOT = Path(__file__).parents[2]
PATIENCE = 60
LUNA = "openai/gpt-6-luna"
BED = "RGB sample (English)"
TOWERS = [
    {
        "question": "How tall is it?",
        "response": "It is 330 metres tall.",
        "ground_truth": "330 metres",
    },
    {"question": "When was it built?", "response": "In 1925.", "ground_truth": "1889"},
    {"question": "Who built it?", "response": None, "ground_truth": "Gustave Eiffel"},
]


@evaluator("test_silent", title="Silent")
class Silent(Evaluator):
    """Judges nothing."""

    def score(self, sample: Sample) -> Score:
        raise MissingInputError(f"Sample {sample.id}: there is nothing to say. Leave it out.")


@evaluator("test_response_length", title="Length")
class Length(Evaluator):
    """How many characters the response has."""

    def score(self, sample: Sample) -> Score:
        return Score(values={"response": float(len(sample.response))})


@pytest.fixture
def people(loopback, store):
    """`people(number, metrics, ...)` asks a provider on this computer, in silence."""

    class People:
        def __init__(self):
            self.fault = ""
            self.server = loopback(fault=lambda asked: self.fault)

        def __call__(self, number, metrics="rgb", **options):
            data, keys = paid.dataset(number), paid.keys(self.server.base_url)
            return evaluate(
                data, metrics, keys=keys, store=store, progress=False, **{"model": LUNA, **options}
            )

    return People()


# Results


def test_the_values_of_all_metrics_come_as_one_row_for_each_sample(store):
    metrics = [AnswerMatchAcc(type="fuzzy_match"), AnswerMatchAcc(type="exact_match")]

    results = evaluate(TOWERS, metrics, store=store, progress=False)

    table = results.to_pandas()
    assert list(table) == [
        "id",
        "question",
        "response",
        "answer_match",
        "answer_match (2)",
        "status",
        "error",
    ]
    assert table["id"].tolist() == ["1", "2", "3"]
    assert table["answer_match"].tolist()[:2] == [1.0, 0.0]
    assert table["answer_match (2)"].tolist()[:2] == [0.0, 0.0]
    assert table["answer_match"].isna().tolist() == [False, False, True]
    assert table["status"].tolist() == ["scored", "scored", "failed"]
    assert table["error"].tolist()[:2] == ["", ""]
    assert table["error"][2] == "Sample 3: response missing, and Answer match needs it. Fill it in."


def test_results_show_themselves_as_a_small_table(store):
    results = evaluate(
        TOWERS,
        AnswerMatchAcc(type="fuzzy_match"),
        run="[red]Towers\x1b[0m",
        store=store,
        progress=False,
    )

    title, caution, heading, _, row, *_, why, _, failure = repr(results).splitlines()

    assert title == "[red]Towers [0m: finished, 2 of 3 checked, 1 failed"
    assert caution == "1 of 3 failed: the results are of the other 2."
    assert heading.split()[-3:] == ["interval", "Checked", "Beside"]
    assert row.split()[:7] == ["answer_match", "0.50", "0.09", "to", "0.91", "2", "of"]
    assert row.endswith("if all that failed were wrong: 0.33")
    assert why.split() == ["Samples", "Why", "they", "failed"]
    assert failure.split(maxsplit=1) == [
        "1",
        "Sample 3: response missing, and Answer match needs it. Fill it in.",
    ]


def test_a_notebook_shows_the_same_table_without_a_script_and_in_its_colours(store):
    results = evaluate(
        TOWERS, AnswerMatchAcc(), run="<script>alert(1)</script>", store=store, progress=False
    )

    read = Read(results._repr_html_())
    means, failed = read.table("Value"), read.table("Samples")

    assert means[0] == ["Value", "Mean", "95 % interval", "Checked", "Beside"]
    assert means[1][:2] == ["Answer match", f"{results.summary()['answer_match'].mean:.2f}"]
    assert failed[0] == ["Samples", "Why they failed"]
    assert {"script", "style"}.isdisjoint(tag for tag, _ in read.tags)
    assert not any("style" in attributes for _, attributes in read.tags)


def test_a_metric_that_judged_nothing_has_its_line_too(store):
    rows = [{**TOWERS[0], "retrieved_documents": ["It is 330 metres tall."]}, TOWERS[2]]

    results = evaluate(rows, ["answer_match", Silent()], store=store, progress=False)

    assert results.summary()["test_silent"] == Mean(mean=None, asked=2, scored=0, failed=2)
    [row] = [line for line in repr(results).splitlines() if line.startswith("test_silent")]
    assert row.split() == ["test_silent", "–", "–", "0", "of", "2,", "2", "failed"]


def test_a_value_that_is_called_as_a_column_keeps_its_place(store):
    results = evaluate(TOWERS[:1], Length(), store=store, progress=False)

    table = results.to_pandas()
    assert table["response"][0] == "It is 330 metres tall."
    assert table["response (value)"][0] == 22.0


def test_rgb_gives_the_rates_of_its_abilities(store):
    bed = load_data(BED)
    data = compose(bed, bed.abilities, noise_levels=(0.0,), sample=2)

    results = evaluate(data, "rgb", model=OFFLINE, store=store, progress=False)

    summary = results.summary()
    assert {name: mean.asked for name, mean in summary.items()} == {
        "noise_robustness": 2,
        "negative_rejection": 2,
        "integration": 2,
        "error_detection": 2,
        "error_correction": 2,
        "correction_if_detected": 2,
    }
    assert results.run.origin["test_bed"] == BED
    assert results.to_pandas()["response"].notna().all()


def test_a_persons_corrections_count_where_they_are_chosen_and_nowhere_else(store):
    results = evaluate(
        "TRACE sample (English)", ["trace", "answer_match"], store=store, progress=False
    )
    before, table = results.summary(), results.to_pandas()
    position = next(
        n for n, value in enumerate(results.to_pandas()["supported_share"]) if value == 1.0
    )
    with pytest.raises(
        ParameterError, match=r"'corrected' did not label 'TRACE sample.*'\. There are: heur"
    ):
        results.under(labels="corrected")

    correction = PersonLabel(
        label="support", key="a", value="none", created="2026-01-01T00:00:00+00:00"
    )
    store.person_labels.save(results.run.id, Cell(position), correction)

    assert results.summary() == before
    assert results.to_pandas().equals(table)
    relabelled = results.under(labels="corrected")
    after = relabelled.summary()
    assert after["supported_share"].mean < before["supported_share"].mean
    assert after["answer_match"] == before["answer_match"]
    assert relabelled.to_pandas()["adherence"][position] == 0.0
    assert set(relabelled.to_pandas()["labels_by"]) == {"corrected"}
    assert "labels: the heuristic, 1 answer relabelled by people" in repr(relabelled)


@pytest.mark.parametrize("definition", ["sentence", "fixed_20", "ragbench"])
def test_results_count_labels_by_the_definition_and_name_it(store, definition):
    """Two of three sentences are relevant: 2 / 3, and 2 / 20 as `fixed_20` counts."""
    sample = Sample(
        id="1",
        question="What is the capital of France?",
        response="The capital is Paris.",
        retrieved_documents=(
            "The capital of France is Paris. Bread needs flour. Paris is the capital.",
        ),
    )
    results = evaluate(
        [sample.model_dump()], "trace", store=store, progress=False, definition=definition
    )

    [score] = [score for _, _, score in store.results.scored(results.run)]
    expected = from_score(score, sample, definition)
    means = {name: mean.mean for name, mean in results.summary().items()}
    assert means == pytest.approx(expected.values())
    row = results.to_pandas().iloc[0]
    assert (row["definition"], row["context_relevance"]) == (
        definition,
        expected.context_relevance,
    )
    assert f"TRACE formula {definition}" in repr(results)
    [line] = results.lines()
    assert line["definition"] == definition
    assert results.under("fixed_20").summary()["context_relevance"].mean == pytest.approx(
        from_score(score, sample, "fixed_20").context_relevance
    )


# Models and judges


def test_a_model_answers_once_for_all_metrics(people):
    results = people(3, ["rgb", "answer_match"])

    table = results.to_pandas()
    assert len(people.server.asked) == 3
    assert list(table) == [
        *(
            "id",
            "model",
            "question",
            "response",
            "ability",
            "noise",
            "accuracy",
            "answer_match",
            "policy",
            "status",
            "error",
        ),
    ]
    assert table["ability"].tolist() == ["noise_robustness"] * 3
    assert table["response"].tolist() == [f"Number {n} is Mina Osei." for n in range(3)]
    assert table["model"].tolist() == [LUNA] * 3
    assert results.summary()["noise_robustness"].mean == 1.0


def test_several_models_have_a_summary_each(people):
    results = people(2, model=[LUNA, OFFLINE.id])

    assert results.to_pandas()["model"].tolist() == [LUNA, OFFLINE.id] * 2
    assert [results.summary(number)["noise_robustness"].asked for number in (0, 1)] == [2, 2]
    assert "Offline reader" in repr(results)


@pytest.mark.parametrize(
    ("data", "metrics", "options", "kind"),
    [
        (BED, "rgb", {}, ParameterError),
        (TOWERS, "rouge", {}, ParameterError),
        (TOWERS, "g_eval", {}, ParameterError),
        (TOWERS[:2], "answer_match", {"model": OFFLINE}, ParameterError),
        (paid.dataset(1), "rgb", {"model": LUNA}, AccessError),
        (
            paid.dataset(1),
            "rgb",
            {"model": OFFLINE, "cap": Cap(calls=1), "prompt": "no blank"},
            PromptError,
        ),
    ],
)
def test_what_cannot_begin_leaves_nothing_behind(store, data, metrics, options, kind):
    with pytest.raises(kind):
        evaluate(data, metrics, store=store, keys={}, progress=False, **options)

    assert store.runs.newest("local") == []


# The same store as the app's, going on


def test_the_run_is_in_the_apps_own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path / "of the app"))

    results = evaluate(TOWERS, "answer_match", run="From a notebook", progress=False)

    [run] = Store(config().data_dir / "plumbline.sqlite3").runs.newest("local")
    assert (run.id, run.title) == (results.run.id, "From a notebook")


def test_every_call_begins_a_new_run_where_the_last_one_is_finished(store):
    def begin(run):
        return evaluate(TOWERS[:2], "answer_match", run=run, store=store, progress=False).run

    assert len({begin("towers").id, begin("towers").id, begin(None).id}) == 3


def test_an_unfinished_run_of_the_same_title_goes_on(people):
    first = people(4, run="people", cap=Cap(calls=3))
    assert (first.counts.scored, len(people.server.asked)) == (3, 3)
    assert "3 calls" in first.stopped
    assert first.stopped in repr(first)

    second = people(4, run="people", cap=Cap(calls=10))

    assert second.run.id == first.run.id
    assert (second.counts.scored, len(people.server.asked), second.stopped) == (4, 4, "")
    assert second.run.cap == Cap(calls=10)


@pytest.mark.parametrize(
    "other",
    [
        {"run": "others"},
        {"metrics": "answer_match"},
        {"model": OFFLINE},
        {"prompt": "$question\n$documents"},
        {"number": 3},
        {"workspace": "w"},
    ],
)
def test_a_run_that_asks_for_something_else_is_another_one(people, other):
    same = {"number": 4, "metrics": "rgb", "run": "people"}
    first = people(**same, cap=Cap(calls=1))

    assert people(**{**same, **other}).run.id != first.run.id


def test_what_failed_is_tried_again_in_the_same_run(people):
    people.fault = "422"
    first = people(2, run="people")
    assert first.counts == Counts(asked=2, scored=0, failed=2)
    people.fault = ""

    second = people(2, run="people")

    assert second.run.id == first.run.id
    assert second.counts == Counts(asked=2, scored=2, failed=0)


def test_ctrl_c_keeps_what_is_there_and_says_how_to_go_on(tmp_path):
    paths = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(Path(notebook.__file__)), str(tmp_path)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=paths, preexec_fn=hear_ctrl_c
    )
    log = tmp_path / "log.txt"
    until = time.monotonic() + PATIENCE
    while (not log.exists() or len(log.read_text().split()) < 5) and time.monotonic() < until:
        time.sleep(0.02)

    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)

    store = Store(tmp_path / "runs.sqlite3")
    done = store.results.counts(store.runs.newest("local")[0]).scored
    words = f"Stopped with {done} of {slow.SAMPLES} checked; all of it is kept. Call evaluate again"
    assert f"KeyboardInterrupt: {words} " in told
    assert told.rstrip().endswith("run='slow' to go on.")
    assert 3 <= done < slow.SAMPLES
    results = notebook.cell(tmp_path)
    assert results.counts.scored == slow.SAMPLES
    assert len(log.read_text().split()) == slow.SAMPLES  # none is judged twice


def test_why_a_run_stopped_is_told_at_once(people, capsys):
    people.fault = "401"

    results = people(3)

    assert "key" in results.stopped
    assert results.stopped in capsys.readouterr().err


def test_lines_on_the_error_stream_tell_how_far_it_is_where_no_bar_can_be_drawn(store, capsys):
    evaluate(TOWERS[:2], "answer_match", run="[bold]Towers", store=store)
    evaluate(TOWERS[:2], "answer_match", run="in silence", store=store, progress=False)

    out, told = capsys.readouterr()
    assert out == ""
    assert "[bold]Towers" in told
    assert "2 / 2" in told
    assert "in silence" not in told


BY_A_DOOR = {
    "evaluate": 'evaluate([{ROW}], ["trace", "answer_match"], progress=False).summary()',
    "run": 'main(["run", "--data", "{FILE}", "--metric", "trace"], standalone_mode=False)',
}


@pytest.mark.parametrize("call", BY_A_DOOR.values(), ids=BY_A_DOOR)
def test_a_run_without_a_table_loads_no_library_of_tables(call, tmp_path):
    row = {"question": "When?", "response": "In May.", "retrieved_documents": ["It was in May."]}
    row["ground_truth"] = "May"
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    script = (
        "import sys; from plumbline import evaluate; from evaluators.terminal.cli import main; "
        + call.replace("{ROW}", repr(row)).replace("{FILE}", str(file))
        + '; print({"pandas", "pyarrow", "plotly", "scipy"} & sys.modules.keys())'
    )
    environment = os.environ | {"PLUMBLINE_DATA_DIR": str(tmp_path / "store")}

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )

    assert done.stdout.splitlines()[-1] == "set()"
