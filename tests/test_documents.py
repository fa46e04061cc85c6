"""CONTRIBUTING's code runs (README's has test_readme.py); the links and commands of both exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def code_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)


def printed(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_metric_of_contributing_scores_a_sample():
    [metric] = code_blocks("CONTRIBUTING.md")
    use = "print(WordCount(limit=4).score(Sample(id='1', question='?', response='two words')).values)"

    assert printed(f"{metric}\n{use}") == "{'word_count': 0.5}\n"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_link_and_make_target_exists(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")]
    targets = set(re.findall(r"`make (\w+)", text))

    assert [link for link in links if not (ROOT / link).exists()] == []
    assert targets <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_the_space_finds_its_settings_at_the_top_of_the_readme():
    front = (ROOT / "README.md").read_text(encoding="utf-8").split("---")[1]

    assert "sdk: docker" in front
    assert "app_port: 8501" in front
    assert "STREAMLIT_SERVER_PORT=8501" in (ROOT / "Dockerfile").read_text()
