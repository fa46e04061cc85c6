"""The GitHub action: its scripts run as they stand there, with a stand-in for GitHub's own command."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step.get("name"): step for step in ACTION["runs"]["steps"]}
PLUMBLINE = f'#!/bin/sh\nexec "{sys.executable}" -m plumbline "$@"\n'
GH = """#!/bin/sh
echo "$@" >> gh.log
case "$*" in *--paginate*) cat earlier.txt;; *) echo '{}';; esac
"""


def answers(name, right):
    rows = [
        {"question": f"{n} + {n}?", "ground_truth": str(2 * n), "response": str(2 * n if n < right else -1)}
        for n in range(40)
    ]  # fmt: skip
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.fixture
def step(data_folder):
    """`step("Gate", CODE="1")` runs the script of a step with its variables: the exit code."""
    binaries = data_folder / "bin"
    binaries.mkdir()
    for name, script in (("plumbline", PLUMBLINE), ("gh", GH)):
        (binaries / name).write_text(script)
        (binaries / name).chmod(0o755)
    Path("earlier.txt").touch()

    def run(name, **variables):
        names = {own for own in STEPS[name]["env"]} - {"ACTION"}
        assert variables.keys() == names
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", STEPS[name]["run"]],
            env=os.environ
            | {
                "PATH": f"{binaries}:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "PLUMBLINE_DATA_DIR": str(data_folder / "store"),
                "GITHUB_OUTPUT": "output.txt",
                "GITHUB_STEP_SUMMARY": "summary.md",
            }
            | variables,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert name == "Gate" or done.returncode == 0, done.stderr
        return done.returncode

    return run


def test_a_change_that_is_worse_is_red_and_says_so_in_one_comment(step, plumbline):
    answers("old.jsonl", 40)
    plumbline("run", "--data", "old.jsonl", "--metric", "answer_match")
    plumbline("export", "last", "--format", "plumbline", "-o", "baseline.plumbline")
    answers("new.jsonl", 20)
    Path("ci.toml").write_text('data = "new.jsonl"\nmetric = "answer_match"\n')

    margins = "answer_match=0.05 answer_match=0.1"
    how = {"CONFIG": "ci.toml", "CANNOT_TELL": "pass", "MARGINS": margins}
    step("Run and compare", BASELINE="baseline.plumbline", **how)
    where = {"GH_TOKEN": "t", "REPOSITORY": "o/r", "NUMBER": "7"}
    step("Comment", **where)
    Path("earlier.txt").write_text("11\n12\n")
    step("Comment", **where)

    code = re.fullmatch(r"code=(\d)\n", Path("output.txt").read_text())[1]
    assert step("Gate", CODE=code) == 1
    body = Path("plumbline/body.md").read_text(encoding="utf-8")
    assert body.startswith("<!-- plumbline -->\n### ")
    assert "| ❌ fail |" in body, body[:900]
    assert "is more than 5 points worse: -50.0" in body, body[:900]
    assert {path.name for path in Path("plumbline").iterdir()} >= {
        "run.xml", "compare.xml", "run.plumbline"
    }  # fmt: skip
    asked = Path("gh.log").read_text().splitlines()
    assert "--method POST repos/o/r/issues/7/comments -F body=@plumbline/body.md" in asked[1]
    assert "--method PATCH repos/o/r/issues/comments/12" in asked[3]


def test_what_cannot_be_told_is_green_and_a_run_without_a_baseline_is_enough(step):
    answers("new.jsonl", 36)
    Path("ci.toml").write_text(
        'data = "new.jsonl"\nmetric = "answer_match"\nfail-under = ["answer_match=0.9"]\n'
    )

    step("Run and compare", CONFIG="ci.toml", BASELINE="", MARGINS="", CANNOT_TELL="pass")

    assert Path("output.txt").read_text() == "code=0\n"
    assert "❔ cannot tell" in Path("summary.md").read_text(encoding="utf-8")


def test_no_input_stands_inside_a_script():
    assert [name for name, own in STEPS.items() if "${{" in own.get("run", "")] == []


def test_the_first_gate_of_the_papers_uses_inputs_that_exist():
    for name in ("README.md", "docs/gates.md"):
        [workflow] = re.findall(r"```yaml\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
        used = yaml.safe_load(workflow)["jobs"]["rag"]["steps"][1]["with"]
        assert used.keys() <= ACTION["inputs"].keys()
        assert len(workflow.splitlines()) <= 11
