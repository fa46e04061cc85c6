"""The Python of README and docs/python.md: every block runs as written, and prints what README says
it prints.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.llm.catalogue import find

ROOT = Path(__file__).parents[1]
README, DOCS = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/python.md")
)
EVALUATE, SYSTEM, ESTIMATE, COMPOSE, COMPARE, PAPER, ALONE, BATCH = re.findall(
    r"```python\n(.*?)```", README + DOCS, re.DOTALL
)
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.endswith(("_API_KEY", "_BASE_URL"))
}


@pytest.fixture
def printed(tmp_path):
    """`printed(code)` is what the code prints in a new process that keeps its runs elsewhere."""

    def run(code):
        environment = ENVIRONMENT | {
            "PLUMBLINE_DATA_DIR": str(tmp_path),
            "PYTHONIOENCODING": "utf-8",
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_evaluating_two_answers_prints_what_readme_shows(printed):
    [shown] = re.findall(re.escape(EVALUATE) + r"```\n\n```\n(.*?)```", README, re.DOTALL)

    assert printed(EVALUATE) == shown


def test_the_eight_lines_of_a_system_of_ones_own_run(printed):
    assert len(SYSTEM.split("\n\n\n", 1)[1].strip().splitlines()) <= 8
    assert "adherence             1.00" in printed(SYSTEM + "print(results)")


def test_the_python_of_the_guide_to_ones_own_system_scores_answers_and_retrieval(printed):
    guide = (ROOT / "docs" / "own-system.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert "retriever_recall      1.00" in printed(code + "print(results)")


def test_two_labellers_are_compared(printed):
    compared = printed(COMPARE)

    assert re.fullmatch(
        r"[^\n]+ cannot be told apart;.*\n-0\.042 \(-0\.\d+ to 0\.\d+\)\n", compared
    )


def test_figures_and_tables_for_a_paper_are_files(printed, tmp_path):
    folder = tmp_path / "paper"

    printed(PAPER.replace('"paper"', repr(str(folder))))

    names = {path.name for path in folder.iterdir()}
    assert {"values.svg", "values.tex", "by_labeller.md", "by_group.csv"} <= names


def test_a_composed_test_bed_is_answered_and_scored(printed):
    assert re.fullmatch(r"0\.\d\d \(0\.\d\d to \d\.\d\d\), (\d+) / \1 checked\n", printed(COMPOSE))


def test_an_estimate_needs_no_key(printed):
    assert re.fullmatch(r"24 calls, at most \d\.\d\d dollars\n", printed(ESTIMATE))


def test_evaluators_work_alone(printed):
    first, second, third = printed(ALONE).splitlines()

    assert first == "True primary phrase ('cannot answer',)"
    assert "'adherence': 1.0" in second
    assert "'0a'" in second
    assert third == "True 1"


def test_a_batch_names_its_definition_and_its_coverage(printed):
    """Counted it is 0.75 (1/2, 1/2, 1 and 1); expected are less of utilization and completeness."""
    assert printed(BATCH) == "ragbench 0.71155 {'scored': 1, 'asked': 1}\n"


@pytest.mark.parametrize("name", re.findall(r"\b(?:model|judge)=\"([^\"]+)\"", README + DOCS))
def test_the_models_that_the_papers_name_are_known(name):
    assert find(name) is not None
