"""Metrics of one's own: a file is in the catalogue as it is now; one that fails disturbs nothing."""

from __future__ import annotations

import inspect
import os
import re
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluators import FakeLLM
from evaluators.catalogue import broken, catalogue, files, from_spec
from evaluators.config import Config
from evaluators.dry_run import prompts_of
from evaluators.records import Dataset, EvaluatorSpec, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store

ROOT = Path(__file__).parents[1]
EXAMPLES = Config().custom_dir
METRIC = '''
from pydantic import Field

from evaluators.base import Evaluator, evaluator
from evaluators.records import Sample, Score


@evaluator("{name}", title="{title}", needs=("response",))
class Mine(Evaluator):
    """Always the same."""

    value: float = Field({value}, ge=0, le=1, description="What it says")

    def score(self, sample: Sample) -> Score:
        return Score(values={{"mine": self.value}})
'''
SAMPLE = Sample(id="1", question="When?", response="It may be in May. It is.")

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own with nothing in it."""
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Writes a file into the folder, a second later than the one before."""
    times = iter(range(1_700_000_000, 1_700_001_000))

    def _write(name: str, text: str) -> Path:
        path = folder / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        os.utime(path, (now := next(times), now))
        return path

    return _write


def metric(name: str = "mine", title: str = "Mine", value: float = 0.5) -> str:
    return METRIC.format(name=name, title=title, value=value)


# Files that can be used


def test_a_file_is_in_the_catalogue_as_soon_as_it_is_there(write):
    assert "mine" not in catalogue()
    write("own.py", metric())

    assert catalogue()["mine"].title == "Mine"
    assert from_spec(EvaluatorSpec(name="mine")).score(SAMPLE).values == {"mine": 0.5}
    assert broken() == ()
    assert files() == {"own.py": (catalogue()["mine"],)}


def test_a_changed_file_is_read_again_and_its_source_is_the_present_one(write):
    write("own.py", metric(value=0.5))
    assert catalogue()["mine"].build().score(SAMPLE).values == {"mine": 0.5}
    write("own.py", metric(value=0.25))

    cls = catalogue()["mine"]
    assert cls.build().score(SAMPLE).values == {"mine": 0.25}
    assert cls.__module__ == "evaluators.custom.own"
    assert "Field(0.25," in inspect.getsource(sys.modules[cls.__module__])


def test_a_file_that_stays_the_same_is_not_read_again(write):
    write("own.py", metric())
    assert catalogue()["mine"] is catalogue()["mine"]


def test_a_removed_file_is_forgotten(write):
    path = write("own.py", metric())
    assert "mine" in catalogue()
    path.unlink()

    assert "mine" not in catalogue()
    assert "evaluators.custom.own" not in sys.modules
    assert files() == {}


def test_a_file_may_hold_several_metrics(write):
    write("own.py", metric() + metric("yours", "Yours"))
    assert {"mine", "yours"} <= set(catalogue())


@pytest.mark.parametrize("name", ["_hidden.py", "notes.txt", "folder.py"])
def test_other_files_are_left_alone(write, folder, name):
    if name == "folder.py":
        (folder / name).mkdir()
    else:
        write(name, metric())

    assert "mine" not in catalogue()
    assert broken() == ()


def test_a_folder_that_is_not_there_holds_nothing(folder, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(folder / "absent"))
    assert "trace" in catalogue()
    assert (files(), broken()) == ({}, ())


def test_a_file_may_look_into_the_catalogue(write):
    write(
        "own.py",
        "from evaluators.catalogue import catalogue\n\nTITLE = catalogue()['rgb'].title\n"
        + metric(),
    )
    write("own_too.py", metric("yours", "Yours"))
    assert {"mine", "yours"} <= set(catalogue())
    assert broken() == ()


def test_a_metric_of_one_s_own_is_run_like_any_other(write):
    write("own.py", metric())
    store = Store(":memory:")
    data = Dataset(name="two", samples=(SAMPLE, SAMPLE.model_copy(update={"id": "2"})))
    run = create_run(
        store,
        RunPlan(
            data, inputs.evaluators(EvaluatorSpec(name="mine", params={"value": 1})), title="Own"
        ),
        workspace="local",
    )
    job = Job(run, store)
    job.start()
    job.wait(60)

    assert [row.values for row in store.results.outlines(run)] == [{"mine": 1.0}] * 2
    store.close()


def test_a_file_is_not_told_of_before_it_is_read(write):
    write("own.py", "from evaluators.catalogue import files\nSEEN = files()\n" + metric())
    assert files() == {"own.py": (catalogue()["mine"],)}
    assert sys.modules["evaluators.custom.own"].SEEN == {}


def test_threads_always_see_a_whole_catalogue(write):
    write("own.py", metric())
    known, seen, over = len(catalogue()), set[int](), threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.add(len(catalogue()))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        write("own.py", metric(value=number / 20))
        catalogue()
    over.set()
    for thread in threads:
        thread.join()

    assert seen - {known - 1} == {
        known
    }  # one less only where a look fell between emptying and writing the file
    assert catalogue()["mine"].build().score(SAMPLE).values == {"mine": 0.95}


# Files that cannot


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\nprint('a'\n", 2, "SyntaxError: '(' was never closed"),
        ("\n\nimport no_such_package\n", 3, "ModuleNotFoundError: No module named 'no_such_package'"),
        ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        ("import json\n\njson.loads('{')\n", 3, "JSONDecodeError: "),
        ("x = 1\n", 1, "There is no metric in it. Write @evaluator(...) above its class."),
        ("", 1, "There is no metric in it."),
        ("x = '\x00'\n", 1, "SyntaxError: source code string cannot contain null bytes"),
        (metric("trace"), 8, "ValueError: Two evaluators are called 'trace'; rename one."),
        (metric() + metric(), 23, "ValueError: Two evaluators are called 'mine'; rename one."),
        (metric("no name"), 8, "'no name' is not a name. Use letters, digits and _, and give it a title."),
        (metric(title=" "), 8, "'mine' is not a name. Use letters, digits and _, and give it a title."),
        (metric(value=7), 8, "Mine: value is 7. Input should be less than or equal to 1."),
        (metric().replace('("response",)', '"response"'), 8, "ValueError: needs is one string; write needs=("),
        (metric().replace("needs=", "judges='two', needs="), 8, "ValueError: judges is 'two'. Known: none, optional"),
        (metric().replace("needs=", "judges='one', needs="), 8, "ValueError: Mine asks a judge and has no field"),
        (metric().replace("needs=", "evidence='smell', needs="), 8, "ValueError: evidence is 'smell'. Known: rules, sentences."),
        (metric().replace('("response",)', '("answer",)'), 8, "ValueError: A sample has no 'answer'; it has id, "),
        (metric().replace("score(", "rate("), 8, "Mine is not a metric. Derive it from Evaluator"),
        ("from evaluators.base import evaluator\n\n@evaluator('mine', title='M')\ndef " "mine():\n    pass\n", 3,
         "TypeError: issubclass() arg 1 must be a class"),
        (metric().replace("float =", "Nonsense ="), 8, "PydanticUserError: `Mine` is not fully defined"),
    ],
)  # fmt: skip
def test_a_broken_file_is_told_with_its_line(write, text, line, message):
    before = set(catalogue())
    write("own.py", text)

    (wrong,) = broken()
    assert (wrong.file, wrong.line) == ("own.py", line)
    assert wrong.message.startswith(message)
    assert "own.py" not in wrong.message  # the page says the file, once
    assert set(catalogue()) == before
    assert "evaluators.custom.own" not in sys.modules


def test_bytes_that_are_no_text_are_told(folder):
    (folder / "own.py").write_bytes(b"\xff\xfe\x00 = 1")
    (wrong,) = broken()
    assert wrong.message.startswith("SyntaxError: ")


def test_a_long_error_is_cut(write):
    write("own.py", "raise ValueError('x' * 10_000)")
    assert len(broken()[0].message) < 600


def test_a_file_that_breaks_takes_its_earlier_version_along(write):
    write("own.py", metric())
    write("other.py", metric("yours", "Yours"))
    assert "mine" in catalogue()
    write("own.py", metric() + "\n1 / 0\n")

    assert [(each.file, each.line) for each in broken()] == [("own.py", 17)]
    assert "mine" not in catalogue()
    assert "yours" in catalogue()


def test_a_mended_file_is_back(write):
    write("own.py", "1 / 0")
    assert broken()
    write("own.py", metric())
    assert broken() == ()
    assert "mine" in catalogue()


def test_a_name_is_free_again_when_the_other_file_is_gone(write):
    first = write("a.py", metric(value=0.1))
    write("b.py", metric(value=0.2))
    assert [each.file for each in broken()] == ["b.py"]
    first.unlink()

    assert broken() == ()
    assert catalogue()["mine"].build().score(SAMPLE).values == {"mine": 0.2}


# The examples


def test_the_folder_holds_nothing_but_files_with_metrics():
    assert all(
        path.suffix == ".py" and not path.name.startswith("_")
        for path in EXAMPLES.iterdir()
        if path.is_file()
    )


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(EXAMPLES))


@pytest.mark.parametrize(("name", "limit"), [("hedging", 25), ("names_its_source", 35)])
@pytest.mark.usefixtures("examples")
def test_the_examples_are_short_and_found(name, limit):
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) < limit
    assert name in catalogue()
    assert broken() == ()


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("It opened in 1931. It may be older.", 0.5),
        ("Perhaps, it was Ann.", 1.0),
        ("It opened in May.", 1.0),  # a list of words cannot tell the month from the hedge
        ("It opened in June.", 0.0),
        ("", None),
    ],
)
@pytest.mark.usefixtures("examples")
def test_hedging_is_the_share_of_sentences_with_a_hedge(response, value):
    score = catalogue()["hedging"].build().score(SAMPLE.model_copy(update={"response": response}))
    assert score.values == {"hedging": value}
    assert bool(score.reason) == (value is None)


@pytest.mark.usefixtures("examples")
def test_the_example_with_a_judge_asks_it_once_behind_marks():
    metric = catalogue()["names_its_source"].build(
        llm_client=FakeLLM('{"reason": "It names May.", "verdict": "yes"}')
    )
    score = metric.score(SAMPLE)

    assert score.values == {"names_its_source": 1.0}
    assert score.evidence.reason == "It names May."
    (prompt,) = prompts_of(metric, SAMPLE)
    assert prompt.text.count("It may be in May. It is.") == 1


def test_the_documentation_shows_the_example_as_it_is():
    text = (ROOT / "docs" / "custom-metrics.md").read_text(encoding="utf-8")
    assert f"```python\n{(EXAMPLES / 'hedging.py').read_text(encoding='utf-8')}```" in text


def test_the_documentation_tries_a_metric_without_a_provider_and_names_ways_to_one(
    monkeypatch, tmp_path
):
    text = (ROOT / "docs" / "custom-metrics.md").read_text(encoding="utf-8")
    monkeypatch.setenv("GROQ_API_KEY", "gsk_any-key")
    monkeypatch.chdir(tmp_path)

    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        # The example is there already, and another test reads it as it is.
        if '@evaluator("hedging"' not in code:
            exec(code, {})

    assert (tmp_path / "answers.jsonl").read_bytes() == b""
