"""The Chinese README and docs/zh: what is printed is printed so, commands and names exist, and words
are those of the screens.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from evaluators import AdvancedRAGEvaluator, FakeLLM
from evaluators.datasets.bundled import bundled
from evaluators.terminal.cli import main
from evaluators.text.language import say, speaking
from tests.language.test_terms import HALF_WIDTH, LINK, ONE_WORD, SPACED

ROOT = Path(__file__).parents[2]
PAPERS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.zh-CN.md", *sorted((ROOT / "docs" / "zh").glob("*.md")))
}
README, MEASURES = PAPERS["README.zh-CN.md"], PAPERS["docs/zh/measures.md"]
COMMANDS = [
    line for text in PAPERS.values() for line in re.findall(r"^plumbline .*$", text, re.MULTILINE)
]


def printed(folder, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PLUMBLINE_DATA_DIR": str(folder), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_of_the_readme_prints_what_it_shows(tmp_path):
    [(code, shown)] = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)

    assert printed(tmp_path, "-c", code) == shown


def test_the_first_run_prints_the_values_that_are_shown(tmp_path):
    text = PAPERS["docs/zh/first-result.md"]
    [(command, shown)] = re.findall(
        r"```\nplumbline (run .*?)\n```[^`]*```\n(.*?)```", text, re.DOTALL
    )

    assert shown in printed(tmp_path, "-m", "evaluators", *shlex.split(command))


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_commands_and_their_options_exist(line):
    _, name, *arguments = shlex.split(line)
    options = {option for own in main.commands[name].params for option in own.opts}

    assert {word for word in arguments if word.startswith("-")} <= options
    if "--data" in arguments and (data := arguments[arguments.index("--data") + 1]).endswith(")"):
        assert data in bundled()


def test_the_row_of_json_is_read(tmp_path):
    [row] = re.findall(r"```json\n(.*?)```", PAPERS["docs/zh/data.md"], re.DOTALL)
    file = tmp_path / "answers.jsonl"
    file.write_text(row, encoding="utf-8")
    run = ("run", "--data", str(file), "--metric", "trace", "--metric", "answer_match")

    assert "1 answer checked" in printed(tmp_path, "-m", "evaluators", *run)
    columns = set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`", PAPERS["docs/zh/data.md"]))
    assert set(json.loads(row)) <= columns


def test_the_values_of_the_worked_example_are_those_of_the_formula():
    labels = {
        "relevance_explanation": "",
        "all_relevant_sentence_keys": ["0a", "0b"],
        "overall_supported_explanation": "",
        "overall_supported": True,
        "sentence_support_information": [
            {"response_sentence_key": key, "explanation": "", "supporting_sentence_keys": ["0a"], "fully_supported": True}
            for key in "ab"
        ],
        "all_utilized_sentence_keys": ["0a"],
    }  # fmt: skip
    document = "The tower is 330 metres tall. It was finished in 1889. It stands in Paris. Many people visit it."
    scores = AdvancedRAGEvaluator(FakeLLM([json.dumps(labels)])).evaluate(
        "How tall is it?", "It is 330 metres tall. It is a tall tower.", [document]
    )

    values = (scores.context_relevance, scores.context_utilization, scores.completeness)
    assert values == (0.5, 0.5, 0.5)
    assert (scores.adherence, scores.average()) == (1.0, 0.625)
    assert re.search(r"2/4 = 0\.50.*1/2 = 0\.50.*1/2 = 0\.50.*忠实度是 1，平均是 0\.62", MEASURES)


@pytest.mark.parametrize(
    "name",
    ["Noise robustness", "Negative rejection", "Information integration", "Counterfactual robustness",
     "Context relevance", "Context utilization", "Completeness", "Adherence", "Answer match",
     "Retriever recall", "Context recall", "Fact recall", "LLM as judge", "See the result", "Learn"],
)  # fmt: skip
def test_what_the_screens_name_has_the_name_of_the_screens(name):
    with speaking("zh_CN"):
        assert any(say(name) in text for text in PAPERS.values())


@pytest.mark.parametrize("name", PAPERS)
def test_the_chinese_is_that_of_the_catalogue(name):
    prose = re.sub(r"```.*?```|`[^`]*`", "x", PAPERS[name], flags=re.DOTALL)
    prose = LINK.sub("]", prose).replace(" |", "|")

    assert not [other for other in ONE_WORD.values() if re.search(other, prose)]
    assert HALF_WIDTH.findall(prose) == SPACED.findall(prose) == []


def test_both_readmes_lead_to_each_other_in_their_first_lines():
    english = (ROOT / "README.md").read_text("utf-8").partition("# Plumbline\n")[2]

    assert "(README.zh-CN.md)" in "\n".join(english.splitlines()[:6])
    assert "(README.md)" in "\n".join(README.splitlines()[:6])
