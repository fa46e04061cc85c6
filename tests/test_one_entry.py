"""A new TRACE formula and a new ability of RGB are one entry each: every door is opened with it.

The entries are those of CONTRIBUTING, written into a copy of the package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_documents import code_under

ROOT = Path(__file__).parents[1]
DOORS = """
import html
from pathlib import Path

import pyarrow as pa
from streamlit.testing.v1 import AppTest
from streamlit.components.v2.component_manager import BidiComponentManager

from evaluators import compare, evaluate, evaluate_record_batch, for_paper
from evaluators.records import Ability, Dataset, RGBTask, Sample
from evaluators.runs.glossary import term_of
from evaluators.terminal.cli import main
from ui import session


def page(name, **query):
    at = AppTest.from_file("ui/main.py", default_timeout=60)
    at._bidi_component_manager = BidiComponentManager()
    at.switch_page(f"../pages/{name}.py")
    for key, value in query.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception, [element.value for element in at.exception]
    return at


def terminal(*arguments):
    try:
        main(list(arguments), standalone_mode=False)
    except SystemExit as stop:
        assert stop.code in (0, None), (arguments, stop.code)


def files(results):
    out = Path("out")
    out.mkdir(exist_ok=True)
    report = html.unescape(results.report(out / "report.html").read_text(encoding="utf-8"))
    report = report.replace(chr(160), " ")
    tables = {path.name: path for path in for_paper(results, out / "paper")}
    return report, tables
"""
TRACE = """
sample = Sample(id="1", question="What is it?", response="It is a subset of AI.",
                retrieved_documents=("Machine learning is a subset of AI. It is old.",))
data = Dataset(name="d", samples=(sample,))
results = evaluate(data, "trace", definition="lenient", store=session.store(), progress=False)
again = evaluate(data, "trace", store=session.store(), progress=False)
relevance = results.summary()["context_relevance"].mean

trace = page("trace", run=results.run.id)
switch = next(own for own in trace.get("button_group") if "Lenient" in getattr(own, "options", []))
shown = page("sample", run=results.run.id, sample="1")
page("trace"), page("runs"), page("learn"), page("compare"), page("check", run=results.run.id)
report, tables = files(results)
key = results.sheet("key.html", 1, key=True).read_text(encoding="utf-8")
terminal("show", results.run.id, "--definition", "lenient")
terminal("run", "--data", "TRACE sample (English)", "--metric", "trace", "--definition", "lenient")
columns = {"question": [sample.question], "response": [sample.response],
           "retrieved_documents": [list(sample.retrieved_documents)]}
batch = evaluate_record_batch(pa.RecordBatch.from_pydict(columns), TRACEEvaluator(definition="lenient"))
checked = results.correct({"1": 1.0})

print(relevance == again.summary()["context_relevance"].mean / 5)
print("As Sentence, but relevance" in report, "As Sentence, but relevance" in key)
print("Formula: lenient" in tables["values.tex"].read_text(encoding="utf-8"))
print(batch.column("context_relevance").to_pylist() == [relevance])
print(checked.values[0].name, term_of("lenient").title)
print([value.name for value in compare(again, results).values][:1])
"""
RGB = """
def answered(number, response):
    return Sample(id=str(number), question=f"Question {number}?", response=response,
                  retrieved_documents=("The mill is red.",), rgb=RGBTask(ability=Ability("false_premise")))


DECLINES = "I can not answer the question because of the insufficient information in documents."
data = Dataset(name="d", samples=(answered(1, DECLINES), answered(2, "It is red.")))
results = evaluate(data, "rgb", store=session.store(), progress=False)
again = evaluate(data, "rgb", store=session.store(), progress=False)

rgb = page("rgb", run=results.run.id)
page("sample", run=results.run.id, sample="1")
page("rgb"), page("runs"), page("learn"), page("compare"), page("check", run=results.run.id)
report, tables = files(results)
terminal("show", results.run.id)
checked = results.correct({"1": 1.0, "2": 0.0})

print(results.summary()["premise_rejection"].mean)
print("declines 50 % (9 to 91) of the questions with a false premise" in report, "Premise rejection" in report)
print("Premise rejection" in tables["values.tex"].read_text(encoding="utf-8"))
print(checked.values[0].name, term_of("premise_rejection").title)
print([value.name for value in compare(results, again).values])
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The whole app, to which an entry can be added."""
    for name in ("evaluators", "plumbline", "data", "ui", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def printed(folder: Path, code: str) -> list[str]:
    """The lines that the code prints last, with an empty store in the folder."""
    done = subprocess.run(
        [sys.executable, "-c", f"{DOORS}\nprint('doors')\n{code}"],
        cwd=folder,
        env=os.environ | {"PLUMBLINE_DATA_DIR": str(folder / "store")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_a_formula_of_trace_is_one_entry_for_every_door(copy):
    entry = code_under("Add a TRACE definition: one entry")
    path = copy / "evaluators" / "trace" / "definitions.py"
    text = path.read_text(encoding="utf-8")
    # Above what is read from the table when the module is imported.
    path.write_text(text.replace("if TYPE_CHECKING:", f"{entry}\n\nif TYPE_CHECKING:"), "utf-8")

    lines = printed(copy, f"from evaluators import TRACEEvaluator\n{TRACE}")

    assert lines[-6:] == [
        "True",
        "True True",
        "True",
        "True",
        "adherence Lenient",
        "['context_relevance']",
    ]


def test_an_ability_of_rgb_is_one_entry_for_every_door(copy):
    entry = code_under("Add an ability of RGB: one entry")
    path = copy / "evaluators" / "abilities.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("\n    @property\n    def label", f"{entry}\n    @property\n    def label", 1),
        "utf-8",
    )

    lines = printed(copy, RGB)

    assert lines[-5:] == [
        "0.5",
        "True True",
        "True",
        "premise_rejection Premise rejection",
        "['premise_rejection']",
    ]
