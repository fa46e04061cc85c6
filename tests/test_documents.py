"""CONTRIBUTING's code runs (README's has test_readme.py); the links and commands of all papers
exist.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest

from evaluators.config import Config

ROOT = Path(__file__).parents[1]


def printed(*arguments: str, folder: Path = ROOT) -> str:
    """What Python prints in a folder that holds the package."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PLUMBLINE_DATA_DIR": str(folder / ".plumbline")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def blocks_under(heading: str) -> list[str]:
    """The blocks of code of one section of CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def code_under(heading: str) -> str:
    """The only block of code of that section."""
    [code] = blocks_under(heading)
    return code


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the package in it, to which files can be added."""
    for name in ("evaluators", "plumbline", "data"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_metric_of_contributing_scores_a_sample():
    metric = code_under("Add a metric: one file")
    use = (
        "print(WordCount(limit=4).score(Sample(id='1', question='?', response='two words')).values)"
    )

    assert printed("-c", f"{metric}\n{use}") == "{'word_count': 0.5}\n"


def test_a_metric_that_ships_is_one_file(copy):
    metric = code_under("Add a metric: one file")
    (copy / "evaluators" / "word_count.py").write_text(metric, encoding="utf-8")
    run = (
        "run",
        "--data",
        "TRACE sample (English)",
        "--metric",
        "word_count",
        "--param",
        "limit=20",
    )

    assert "Word count" in printed("-m", "evaluators", "list", "metrics", folder=copy)
    assert "24 answers checked" in printed("-m", "evaluators", *run, folder=copy)
    worker = (
        "from evaluators.runs.pool import takes; from evaluators.catalogue import catalogue "
        "as known"
    )
    assert (
        printed("-c", f"{worker}; print(takes(known()['word_count'].build()))", folder=copy)
        == "True\n"
    )


def test_a_trace_definition_is_one_entry(copy):
    entry = code_under("Add a TRACE definition: one entry")
    with (copy / "evaluators" / "trace" / "definitions.py").open("a", encoding="utf-8") as file:
        file.write(f"\n\n{entry}")
    use = """if True:
        from evaluators import TRACEEvaluator
        from evaluators.trace.metrics import arithmetic

        documents = ["Machine learning is a subset of AI."]
        scores = TRACEEvaluator().evaluate("What is machine learning?", "It is a subset of AI.", documents)
        lenient = scores.under("lenient")
        print(scores.definition, scores.relevance, lenient.definition, lenient.relevance)
        print(arithmetic(lenient)["context_relevance"])
    """

    assert printed("-c", use, folder=copy).splitlines() == [
        "sentence 1.0 lenient 0.1",
        "Context relevance = relevant sentences / 10, at most 1 = 0.10",
    ]


def test_a_setting_of_a_run_is_one_place(copy):
    entry = code_under("Add a setting of a run: one place")
    module = copy / "evaluators" / "runs" / "run_options.py"
    before, after = module.read_text(encoding="utf-8").split("\n\n\ndef declared(")
    declared = f"{before}\n{indent(entry, '    ')}\n\n\ndef declared({after}"
    module.write_text(declared, encoding="utf-8")
    settings = copy / "ci.toml"
    settings.write_text(
        'data = "TRACE sample (English)"\nmetric = ["trace"]\nsample = 5\npatience = 7\n',
        encoding="utf-8",
    )

    words = printed("-m", "evaluators", "run", "--help", folder=copy).split()
    printed("-m", "evaluators", "run", "--config", str(settings), folder=copy)

    option = "--patience N How often a silent judge is asked again. [default: 3]"
    assert option in " ".join(words)
    assert "--patience 7" in printed("-m", "evaluators", "show", "last", folder=copy)
    assert "Patience      7" in printed("-m", "evaluators", "card", "last", folder=copy)
    use = "from evaluators import evaluate; help(evaluate)"
    assert "patience=3" in printed("-c", use, folder=copy)


def test_a_page_is_one_file_and_one_line(copy):
    page, entry = blocks_under("Add a page: one file and one line")
    for folder in ("ui", "pages"):
        shutil.copytree(ROOT / folder, copy / folder)
    (copy / "pages" / "questions.py").write_text(page, encoding="utf-8")
    router = copy / "ui" / "main.py"
    menu = router.read_text(encoding="utf-8")
    before = 'menu.page("settings"'
    router.write_text(menu.replace(before, f"{entry.strip()}, {before}"), encoding="utf-8")
    use = """if True:
        from streamlit.testing.v1 import AppTest

        at = AppTest.from_file("ui/main.py", default_timeout=60)
        at.switch_page("../pages/questions.py").run()
        assert not at.exception, at.exception[0].value
        at.selectbox(key="questions_data").set_value("TRACE sample (English)").run()
        print(at.title[0].value, len(at.dataframe[0].value), list(at.dataframe[0].value))
    """

    assert printed("-c", use, folder=copy) == "Questions 24 ['Question']\n"


def test_the_provider_of_contributing_is_read_from_the_environment_and_its_key_is_masked():
    record = code_under("Add a provider: one record")
    use = """
from evaluators.llm.keys import keys_from_environment, mask
from evaluators.llm.providers import PROVIDERS
PROVIDERS[example.name] = example
keys = keys_from_environment({"EXAMPLE_API_KEY": "exa_T2mLw9RzK4bN"})
print(keys["example"].base_url, mask("exa_T2mLw9RzK4bN was refused"))
"""

    assert printed("-c", f"{record}\n{use}") == "https://api.example.com/v1 *** was refused\n"


def leads_somewhere(path, link):
    """Whether the file is there, with the heading that the link names, if it names one."""
    name, _, heading = link.partition("#")
    target = path.parent / name if name else path
    if not heading:
        return target.exists()
    headings = re.findall(r"^#+ (.+)", target.read_text(encoding="utf-8"), re.MULTILINE)
    return heading in [re.sub(r"[^\w-]", "", each.lower().replace(" ", "-")) for each in headings]


@pytest.mark.parametrize(
    "path", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda path: path.name
)
def test_every_link_and_make_target_exists(path):
    text = path.read_text(encoding="utf-8")
    links = [
        link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith(("http", "./?"))
    ]
    targets = set(re.findall(r"`make (\w+)", text))

    assert [link for link in links if not leads_somewhere(path, link)] == []
    assert targets <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_the_space_finds_its_settings_at_the_top_of_the_readme():
    front = (ROOT / "README.md").read_text(encoding="utf-8").split("---")[1]

    assert "sdk: docker" in front
    assert "app_port: 8501" in front
    assert "STREAMLIT_SERVER_PORT=8501" in (ROOT / "Dockerfile").read_text()


def test_the_settings_of_a_host_are_all_in_its_document():
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

    assert [name for name in Config.model_fields if f"`PLUMBLINE_{name.upper()}`" not in text] == []
