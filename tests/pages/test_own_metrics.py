"""Metrics of one's own: written as a prompt in the browser, kept, downloaded, deleted; broken files
are told.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.config import ROOT
from evaluators.prompt_metric import PromptMetric, as_file
from evaluators.records import Dataset, EvaluatorSpec, Sample, SampleResult, Score
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from tests.pages.by_hand import LUNA
from tests.pages.conftest import checked, keep_upload
from tests.pages.screen import button, markdown, press, said, table
from ui import session
from ui.metrics import own_metrics

NEW = own_metrics.NEW
QUESTION = "Is the response polite?"
HOSTILE = "![x](http://127.0.0.1:9/x.png)"
MINE, YOURS = "mine-4fT9qLx2Vb7Rz1_KcW", "yours-8sJ3nHd6Yp0Qm5-GaE"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for files of one's own with nothing in it."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(own))
    return own


def typed(
    at: AppTest, title: str, question: str = QUESTION, name: str = NEW, **params: object
) -> AppTest:
    """The page after the form was filled in."""
    at.text_input(key=f"own_{name}_title").set_value(title)
    at.text_area(key=f"own_{name}_question").set_value(question)
    if "answer" in params:
        at.selectbox(key=f"own_{name}_answer").set_value(params["answer"])
    if "fields" in params:
        at.multiselect(key=f"own_{name}_fields").set_value(params["fields"])
    return checked(at.run())


def prompts(at: AppTest) -> list[str]:
    return [code.value for code in at.code if code.value.startswith("You ")]


# From a prompt


def test_a_new_metric_is_empty_and_cannot_be_saved(open_page):
    keep_upload("bare", Sample(id="1", question="When?", response="In May."))
    at = open_page("metrics")
    assert at.text_input(key=f"own_{NEW}_title").value == ""
    assert button(at, "Save").disabled
    assert "Still missing: a name and a question." in said(at)
    at = typed(at, "Polite", "")
    assert button(at, "Save").disabled
    assert "Still missing: a question." in said(at)
    assert "Still missing" not in said(typed(at, "Polite"))
    at = typed(at, "?!")
    assert "A name has a letter or a digit." in said(at, "error")
    assert button(at, "Save").disabled
    # A preview needs a sample with all fields.
    at = typed(at, "Polite", fields=["response", "ground_truth"])
    at.selectbox(key="own_preview_data").set_value("bare")
    assert "No sample there has answer, true answer." in said(checked(at.run()))
    assert own_metrics.saved() == {}


def test_the_prompt_is_shown_before_anything_is_kept(open_page):
    at = typed(open_page("metrics"), "Polite", fields=["response"])
    assert [
        QUESTION in text and "<response " in text and "<question " not in text
        for text in prompts(at)
    ] == [True]
    assert "Nothing was sent." in said(at)
    assert own_metrics.saved() == {}


def test_a_saved_metric_can_be_chosen_and_the_form_is_free_again(open_page):
    at = typed(
        open_page("metrics"), " Is it  polite? ", answer="1 to 5", fields=["response", "question"]
    )
    at = press(at, "Save")

    metric = PromptMetric(
        title="Is it polite?", question=QUESTION, answer="1 to 5", fields=("question", "response")
    )
    assert own_metrics.saved() == {"Is it polite?": metric.spec()}
    assert at.selectbox(key="own_metric").value == "Is it polite?"
    assert at.text_area(key="own_Is it polite?_question").value == QUESTION
    assert at.multiselect(key="metrics_metrics").value == ["answer_match", "prompt Is it polite?"]
    assert "Saved. It is chosen above, under Metrics." in said(at)
    assert "Saved." not in said(typed(at, "Is it polite?", "Is it rude?", name="Is it polite?"))
    at.selectbox(key="own_metric").set_value(NEW)
    assert checked(at.run()).text_area(key=f"own_{NEW}_question").value == ""


def test_a_saved_metric_can_be_changed_downloaded_and_deleted(open_page):
    at = open_page("metrics")
    before = len(at.get("download_button"))
    at = press(typed(at, "Polite"), "Save")
    labels = [each.proto.label for each in at.get("download_button")]
    assert len(labels) == before + 1
    assert "Download as a Python file" in labels
    at = press(typed(at, "Polite", "Is it friendly?", name="Polite"), "Save")
    assert [spec.params["question"] for spec in own_metrics.saved().values()] == ["Is it friendly?"]
    at = press(typed(at, "Friendly", "Is it friendly?", name="Polite"), "Save")
    assert list(own_metrics.saved()) == ["Friendly", "Polite"]
    assert at.selectbox(key="own_metric").value == "Friendly"
    session.store().metrics.delete("local", "Polite")
    at = press(checked(at.run()), "Delete")
    assert own_metrics.saved() == {}
    assert at.multiselect(key="metrics_metrics").value == ["answer_match"]
    assert at.selectbox(key="own_metric").value == NEW
    assert not [each for each in at.button if each.label == "Delete"]


@pytest.mark.parametrize("title", ["RGB", "g-eval", NEW])
def test_a_name_that_is_taken_is_refused(open_page, title):
    at = press(typed(open_page("metrics"), title), "Save")
    assert f"There is another metric called {title}. Give yours a name of its own." in said(
        at, "error"
    )
    assert own_metrics.saved() == {}


def test_the_file_of_a_saved_metric_is_told_apart(open_page, folder):
    at = press(typed(open_page("metrics"), "Polite"), "Save")
    name, content = as_file(PromptMetric(title="Polite", question=QUESTION))
    (folder / name).write_bytes(content)
    options = checked(at.run()).multiselect(key="metrics_metrics").options
    assert [each for each in options if "Polite" in each] == ["Polite (file)", "Polite"]


def test_what_was_typed_is_shown_as_letters(open_page):
    at = press(typed(open_page("metrics"), HOSTILE, HOSTILE), "Save")
    assert list(own_metrics.saved()) == [HOSTILE]
    assert not [text for text in markdown(at) if HOSTILE in text]


# From files


def test_files_are_listed_with_where_to_put_one(open_page):
    at = open_page("metrics")
    listed = {row["File"]: row["Metrics"] for row in table(at, "File")}
    assert (
        listed.items()
        >= {"hedging.py": "Hedging", "names_its_source.py": "Names its source"}.items()
    )
    assert (
        "Put a Python file that holds a metric into evaluators/custom, and reload the page."
        in said(at)
    )
    example = (ROOT / "evaluators/custom/hedging.py").read_text(encoding="utf-8")
    assert example.strip() in [code.value.strip() for code in at.code]


def test_a_broken_file_is_told_and_gone_when_it_is_mended(open_page, folder):
    (folder / "own.py").write_text(f"x = 1\nraise ValueError('{HOSTILE}')\n", encoding="utf-8")
    at = open_page("metrics")
    assert f"own.py, line 2: ValueError: {HOSTILE}" in said(at, "error")
    assert table(at, "File") == [{"File": "own.py", "Metrics": "cannot be used, see line 2"}]
    assert not [text for text in markdown(at) if HOSTILE in text]
    assert "Answer match" in at.multiselect(key="metrics_metrics").options

    (folder / "own.py").unlink()
    assert "own.py" not in said(checked(at.run()), "error")


# A public host


OWN = """from pydantic import SkipValidation
from evaluators.base import Evaluator, evaluator
from evaluators.llm import LLMClient


@evaluator("own", title="Own")
class Own(Evaluator):
    llm_client: SkipValidation[LLMClient | None] = None
    {parameter}: float = 0.5

    def score(self, sample):
        raise NotImplementedError
"""


def test_a_sample_is_shown_although_its_metric_has_other_parameters_by_now(open_page, folder):
    (folder / "own.py").write_text(OWN.format(parameter="level"), encoding="utf-8")
    data = Dataset(name="d", samples=(Sample(id="1", question="q", response="r"),))
    spec = EvaluatorSpec(name="own")
    plan = RunPlan(data, inputs.evaluators(spec), title="t", judges=(LUNA,))
    run = create_run(session.store(), plan, workspace="local")
    score = Score(values={"own": 1.0})
    session.store().results.save(run.id, SampleResult(position=0, status="scored", score=score))
    (folder / "own.py").write_text(OWN.format(parameter="threshold"), encoding="utf-8")

    at = checked(open_page("sample", run=run.id, sample="1"))

    assert not at.error
    assert [metric.value for metric in at.metric] == ["1.00"]


@pytest.fixture
def public_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two visitors were here before."""
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    for workspace in (MINE, YOURS):
        session.store().mappings.save(workspace, ["question"], {})


@pytest.mark.usefixtures("public_host")
def test_a_public_host_says_nothing_of_files(open_page, folder):
    (folder / "own.py").write_text("1 / 0", encoding="utf-8")
    at = open_page("metrics", w=MINE)
    assert "own.py" not in said(at, "error")
    assert str(folder) not in said(at)
    assert "Put a file" not in said(at)


@pytest.mark.usefixtures("public_host")
def test_each_visitor_has_metrics_of_their_own(open_page):
    press(typed(open_page("metrics", w=MINE), "Polite"), "Save")
    assert list(session.store().metrics.by_key(MINE)) == ["Polite"]
    assert open_page("metrics", w=YOURS).selectbox(key="own_metric").options == [NEW]


@pytest.mark.usefixtures("public_host")
def test_a_visitor_keeps_so_many_and_may_still_change_them(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_METRICS_PER_VISITOR", "1")
    at = press(typed(open_page("metrics", w=MINE), "Polite"), "Save")
    at = press(typed(at, "Polite", "Is it friendly?", name="Polite"), "Save")
    at = press(typed(at, "Friendly", name="Polite"), "Save")

    assert (
        "This host keeps 1 metric for each visitor, and you have that many. Delete one first."
        in said(at, "error")
    )
    assert list(session.store().metrics.by_key(MINE)) == ["Polite"]
