"""docs/batch.md: every command and the Python run as they stand there."""

import re
import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluators import evaluate_batch_files
from evaluators.terminal.cli import main
from evaluators.terminal.exit_codes import CANNOT_TELL, FINE
from tests import judge
from tests.batch.files import json_lines, results, row

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "batch.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^plumbline (batch .*)$", DOCS, re.MULTILINE)
OF_RUNS = re.findall(r"^plumbline ((?!batch).*)$", DOCS, re.MULTILINE)
PYTHON, SPARK = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)


@pytest.fixture
def logs(data_folder, monkeypatch):
    """The folders that the commands name, in the working directory."""
    for folder, number in product(("logs", "exports"), range(2)):
        created = f"2026-01-{5 + 7 * number:02}T12:00:00Z"
        rows = []
        for at in range(3):
            each = row(at, created=created, answer_text=f"The tower is {330 + at} metres tall.")
            each["documents"] = each.pop("docs")
            if folder == "logs":
                each["response"] = each.pop("answer_text")
            rows.append(each)
        json_lines(data_folder / folder / f"{number}.jsonl.gz", rows)
    monkeypatch.chdir(data_folder)
    return data_folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_docs_runs(command, logs, loopback, monkeypatch):
    server = loopback(answer=judge.labels_for)
    monkeypatch.setenv("GROQ_API_KEY", "gsk-loopback-of-the-docs")
    monkeypatch.setenv("GROQ_BASE_URL", server.address)

    found = CliRunner().invoke(main, shlex.split(command))

    # Of three answers one is right: 2 of 6 are at most 0.70 (Wilson), below the threshold.
    assert found.exit_code == ("--fail-under" in command), found.output
    folder = logs / shlex.split(command)[2]
    assert len(results(folder)) == 6
    assert (folder / "_manifest.json").exists()


def test_the_commands_on_folders_of_results_run(logs):
    for folder in ("monday", "tuesday"):
        evaluate_batch_files("logs", folder, "trace", workers=1, progress=False)

    found = [CliRunner().invoke(main, shlex.split(command)) for command in OF_RUNS]

    # Of the heuristic's labels alone no threshold can be told.
    assert [each.exit_code for each in found] == [CANNOT_TELL, FINE, FINE]
    assert (logs / "tuesday.html").exists()


def test_the_python_of_the_docs_prints_a_line_for_each_week(logs):
    done = subprocess.run(
        [sys.executable, "-c", PYTHON],
        env={"PYTHONPATH": str(ROOT), "PLUMBLINE_DATA_DIR": str(logs), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    first, *weeks = done.stdout.splitlines()
    assert first == "drift: 2 of 2 files, 6 rows"
    # One of three answers has the right height.
    assert [re.sub(r"\(.*\)", "()", week) for week in weeks] == [
        "2026-W02 0.33 ()",
        "2026-W03 0.33 ()",
    ]


def test_the_recipe_for_spark_is_python():
    compile(SPARK, "docs/batch.md", "exec")
