"""The whole way in a terminal, each command a process: estimate, run, kill, resume, export; the app
opens the run.
"""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluators.own_command import own_command
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import BELOW, FINE, INCOMPLETE, INTERRUPTED, WRONG
from tests import judge
from tests.pages import screen
from tests.pages.conftest import _open_page
from tests.runs.paid import answered
from tests.signals import hear_ctrl_c

ROOT = Path(__file__).parents[2]
SAMPLES = 60
WORKERS = 3
PATIENCE = 120
KEY = "sk-loopback-of-the-terminal"
LABEL = (
    "--data",
    "answers.jsonl",
    "--metric",
    "gpt_labeling",
    "--metric",
    "answer_match",
    "--judge",
    "openai/gpt-6-luna",
)


class Terminal:
    """Starts commands in a folder, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def start(self, *arguments: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "evaluators", *arguments]
        pipes = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "preexec_fn": hear_ctrl_c,
        }
        return subprocess.Popen(
            command, cwd=self._folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes
        )

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess:
        process = self.start(*arguments)
        out, errors = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(arguments, process.returncode, out, errors)


@pytest.fixture
def server(loopback, monkeypatch):
    """A provider whose address and key are in the environment."""
    found = loopback(latency=0.15, answer=judge.labels_for)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", found.base_url)
    monkeypatch.setenv("PLUMBLINE_WORKERS", str(WORKERS))
    return found


@pytest.fixture
def terminal(data_folder, server):
    rows = [
        {
            "id": sample.id,
            "question": sample.question,
            "response": sample.response,
            "retrieved_documents": sample.retrieved_documents,
            "ground_truth": "Mina Osei",
        }
        for sample in answered(SAMPLES).samples
    ]
    (data_folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return Terminal(data_folder)


def until(condition):
    for _ in range(PATIENCE * 20):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("It did not happen in time.")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_for_which_there_is_no_room_is_told_in_a_line():
    command = [sys.executable, "-m", "evaluators", "list", "metrics"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)

    assert done.returncode == INCOMPLETE
    assert done.stderr == (
        "Error: The output cannot be written or read (No space left on device). Mend that, and "
        "give the same command again: what is judged is kept.\n"
    )


def test_estimate_run_kill_resume_export_and_the_app(terminal, server, plumbline):
    estimate = json.loads(terminal("estimate", *LABEL, "--json").stdout)
    assert [(row["model"], row["calls"]) for row in estimate] == [("openai/gpt-6-luna", SAMPLES)]
    assert server.asked == []

    process = terminal.start("run", *LABEL)
    until(lambda: server.answered >= 8)
    assert "running, " in plumbline("list", "runs").stdout
    twice = plumbline("resume", "last")
    assert twice.exit_code == WRONG
    assert "at work in another process" in twice.stderr
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    (run,) = local_store().runs.newest("local")
    done = local_store().results.counts(run)
    assert 0 < done.scored < done.asked == 2 * SAMPLES
    assert "stopped, " in plumbline("list", "runs").stdout

    resumed = terminal("resume", "last", "--fail-under", "adherence=0.9")
    assert resumed.returncode == BELOW  # each response holds a sentence that no document carries
    assert "adherence is 0 (0 to 0.06017), below the 0.9 asked for." in resumed.stderr
    assert local_store().results.counts(run).scored == 2 * SAMPLES
    assert len(server.asked) <= SAMPLES + WORKERS  # only what was in flight is asked again

    exported = terminal("export", run.id[:8])
    rows = list(csv.DictReader(io.StringIO(exported.stdout.removeprefix("\ufeff"))))
    assert [row["id"] for row in rows] == [f"b{number}" for number in range(SAMPLES)]
    assert {row["adherence"] for row in rows} == {"0.0"}
    assert json.loads(plumbline("estimate", *LABEL, "--json").stdout)[0]["cached"] == SAMPLES

    at = _open_page("trace", run=run.id)
    assert f"{SAMPLES} answers checked" in screen.state(at)
    assert screen.cards(at)["Adherence"] == "0.00"


def test_a_run_that_is_deleted_while_it_is_at_work_says_so(terminal, server):
    process = terminal.start("run", *LABEL)
    until(lambda: server.answered >= 2)
    (run,) = local_store().runs.newest("local")
    local_store().runs.delete(run.id)
    out, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == INCOMPLETE
    assert "by GPT-6 Luna” was deleted while it was at work" in errors
    assert "resume" not in errors
    assert "Traceback" not in errors
    assert out == ""


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(terminal, server):
    process = terminal.start("run", *LABEL)
    until(lambda: server.answered >= 4)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)

    (run,) = local_store().runs.newest("local")
    assert process.returncode == INTERRUPTED
    assert f"Go on with: {own_command()} resume {run.id[:8]}" in errors
    assert "Traceback" not in errors
    assert 0 < local_store().results.counts(run).scored < 2 * SAMPLES


def test_ctrl_c_ends_a_batch_and_says_how_to_go_on(terminal, server):
    command = ("batch", "answers.jsonl", "out", "--metric", "gpt_labeling")
    process = terminal.start(*command, "--judge", "openai/gpt-6-luna")
    until(lambda: server.answered >= 4)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "what is done is kept. Give the same command again to go on." in errors
    assert "Traceback" not in errors


def test_a_cap_stops_the_run_and_a_higher_one_goes_on(terminal, server, plumbline):
    stopped = plumbline("run", *LABEL, "--max-calls", "5")
    assert stopped.exit_code == INCOMPLETE
    assert "are not checked yet." in stopped.stderr
    assert "The budget of 5 calls is used up." in stopped.stderr

    resumed = plumbline("resume", "last", "--max-calls", "100")

    assert resumed.exit_code == FINE
    assert len(server.asked) == SAMPLES


def test_no_key_is_told_or_kept(terminal, plumbline, data_folder):
    told = plumbline("run", *LABEL, "--max-calls", "2").output + plumbline("show", "last").output

    assert "OPENAI_API_KEY holds the key." in told
    assert KEY not in told
    assert not [
        path
        for path in data_folder.rglob("*")
        if path.is_file() and KEY.encode() in path.read_bytes()
    ]
