"""Judges in a batch: the stored answers, the budget and the limits hold, whatever ends the process."""

import signal
import threading
import time

import pytest

from evaluators import Cap, evaluate_batch_files
from tests import judge
from tests.batch.files import COLUMNS, json_lines, results, row, started

ROWS = 30
WORKERS = 4
PATIENCE = 240
JUDGE = "openai/gpt-6-luna"


@pytest.fixture
def server(loopback, monkeypatch, data_folder):
    """A provider whose address and key are in the environment."""

    def start(**options):
        found = loopback(**{"answer": judge.labels_for, **options})
        monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback-of-a-batch")
        monkeypatch.setenv("OPENAI_BASE_URL", found.base_url)
        monkeypatch.setenv("PLUMBLINE_WORKERS", str(WORKERS))
        return found

    return start


@pytest.fixture
def logs(data_folder):
    for name, numbers in (("a", range(10)), ("b", range(10, ROWS))):
        # Each is asked for itself: the same prompt would be asked once.
        rows = []
        for at in numbers:
            answer = f"It is {at} metres tall."
            rows.append(row(at, answer_text=answer, ground_truth="330 metres"))
        json_lines(data_folder / "in" / f"{name}.jsonl", rows)
    return data_folder


def judged(folder, **options):
    metrics = ["gpt_labeling", "answer_match"]
    return evaluate_batch_files(
        folder / "in",
        folder / "out",
        metrics,
        judge=JUDGE,
        columns=COLUMNS,
        progress=False,
        **{"workers": 1, **options},
    )


def test_a_judge_and_a_free_metric_judge_the_same_rows(server, logs):
    asked = server().asked

    found = judged(logs)

    every = results(logs / "out")
    assert [each["id"] for each in every] == [str(at) for at in range(ROWS)]
    assert {each["gpt_labeling_status"] for each in every} == {"scored"}
    assert {each["answer_match_status"] for each in every} == {"scored"}
    assert {each["calls"] for each in every} == {1}
    assert len(asked) == ROWS
    assert found.spent[JUDGE].calls == ROWS
    assert sum(each["prompt_tokens"] for each in every) == found.spent[JUDGE].prompt_tokens > 0
    assert JUDGE in every[0]["gpt_labeling_evidence"]


def test_a_budget_stops_the_batch_and_a_higher_one_goes_on(server, logs):
    asked = server().asked

    stopped = judged(logs, cap=Cap(calls=15))

    assert "The budget of 15 calls is used up" in stopped.stopped
    assert stopped.finished == ("a.jsonl",)
    assert not stopped.is_complete
    assert len(asked) == 15
    found = judged(logs, cap=Cap(calls=ROWS))
    assert found.is_complete
    assert len(asked) == ROWS
    assert [each["id"] for each in results(logs / "out")] == [str(at) for at in range(ROWS)]
    assert found.spent[JUDGE].calls == ROWS


def test_what_a_killed_process_had_answered_is_not_paid_twice(server, logs):
    provider = server(latency=0.1)
    command = (logs, "--metric", "gpt_labeling", "--judge", JUDGE)
    process = started(*command)
    end = time.monotonic() + PATIENCE
    while provider.answered < 7:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)

    again = started(*command)
    told, _ = again.communicate(timeout=PATIENCE)

    assert again.returncode == 0, told
    assert [each["id"] for each in results(logs / "out")] == [str(at) for at in range(ROWS)]
    # Only what was in flight is asked again.
    assert len(provider.asked) <= ROWS + WORKERS


def test_a_judge_whose_key_is_refused_stops_the_batch(server, logs):
    server(key="sk-another")

    found = judged(logs)

    assert found.stopped
    assert found.rows == 0
    assert not (logs / "out" / "_manifest.json").exists()


def test_an_unreadable_answer_of_a_killed_process_is_asked_for_again(server, data_folder):
    told = threading.Event()
    rated = []

    def answer(text):
        if judge.is_labelling(text):
            return judge.labels_for(text) if told.is_set() else "I had rather not."
        # The second metric is asked while the first one's answers are there and the rows are not.
        rated.append(text)
        if len(rated) == 2:
            told.set()
        time.sleep(1)
        return '{"reason": "", "score": 4}'

    server(answer=answer)
    rows = [row(at, answer_text=f"It is {at} m tall.") for at in range(2)]
    json_lines(data_folder / "in" / "a.jsonl", rows)
    options = ["--metric", "gpt_labeling", "--metric", "g_eval", "--judge", JUDGE]
    process = started(data_folder, *options)
    assert told.wait(PATIENCE)
    process.kill()
    process.communicate(timeout=PATIENCE)

    def goes_on(*further):
        process = started(data_folder, *options, *further)
        process.communicate(timeout=PATIENCE)
        return [each["gpt_labeling_status"] for each in results(data_folder / "out")]

    # The stored answers cannot be read; they serve this once.
    assert goes_on() == ["failed", "failed"]
    assert goes_on("--retry-failed") == ["scored", "scored"]


def test_an_answer_that_cannot_be_read_is_a_row_with_its_error(server, logs):
    server(answer=lambda text: judge.labels_for(text) if "It is 3 m" not in text else "?")

    found = judged(logs)

    assert found.is_complete
    failed = [each for each in results(logs / "out") if each["gpt_labeling_status"] == "failed"]
    assert [(each["id"], each["gpt_labeling_error_kind"]) for each in failed] == [
        ("3", "unreadable")
    ]
    # What it said is paid for, and counted.
    assert failed[0]["calls"] == 3


def test_results_may_be_elsewhere_and_what_was_paid_is_not_paid_twice(server, logs):
    asked = server().asked
    options = {"judge": JUDGE, "columns": COLUMNS, "progress": False}

    def found(output, **more):
        return evaluate_batch_files(logs / "in", output, "gpt_labeling", **options, **more)

    stopped = found("memory://judged", cap=Cap(calls=20))
    again = found("memory://judged", cap=Cap(calls=ROWS))
    elsewhere = found(logs / "out")

    assert "The budget of 20 calls is used up" in stopped.stopped
    assert again.is_complete
    assert again.spent[JUDGE].calls == len(asked) == ROWS
    assert elsewhere.is_complete
    assert elsewhere.spent == {}
