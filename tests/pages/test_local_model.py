"""A model on this computer labels: its choice on the page, its download, and a run by it."""

from __future__ import annotations

import pytest

from tests import local_models as written
from tests.hub import Hub, Repo
from tests.pages.conftest import checked
from tests.pages.screen import runs, said, samples, started
from ui.trace.form import HEURISTIC, LOCAL


@pytest.fixture
def installed():
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason="the extra `local` is not installed (torch, transformers)")


def form(open_page, model=""):
    at = open_page("trace")
    if model:
        # As typed: AppTest chooses among what is listed.
        at.session_state["trace_model"] = model
    at.radio(key="trace_method").set_value(LOCAL)
    return checked(at.run())


def test_published_figures_stand_beside_the_choice_with_their_source(open_page):
    at = form(open_page)

    words = said(at)
    assert "Published, not measured here: RAGTruth, whole answers: F1 75" in words
    assert "LettuceDetect" in words
    at = form(open_page, "somebody/else")
    assert "No published figures are known here." in said(at)


def test_what_is_not_installed_is_told_and_start_is_shut(open_page):
    try:
        import torch  # noqa: F401
    except ImportError:
        at = form(open_page)
        assert "A local model needs packages that are not installed." in said(at)
        assert at.button(key="trace_start").disabled
    else:
        pytest.skip("the extra `local` is installed")


def test_a_public_host_offers_none(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    at = open_page("trace")

    assert LOCAL not in at.radio(key="trace_method").options
    assert HEURISTIC in at.radio(key="trace_method").options


def test_a_model_in_a_folder_labels_a_run(open_page, installed, tmp_path):
    folder = written.write(tmp_path / "tiny")
    at = form(open_page, str(folder))
    at = started(at, "trace")
    (run,) = runs()

    assert run.evaluator.name == "local"
    assert run.evaluator.params["model"] == str(folder)
    assert len(run.evaluator.params["revision"]) == 40
    # BAD stands in none of the bundled answers: each sentence is supported, with 3/4.
    assert [row["Adherence"] for row in samples(at)] == ["1.00"] * 24


def test_a_folder_without_a_model_is_told(open_page, installed, tmp_path):
    at = form(open_page, str(tmp_path))

    assert "holds no config.json" in said(at).replace("\\", "")
    assert at.button(key="trace_start").disabled


def test_a_model_of_the_hub_is_downloaded_before_a_run(open_page, installed, tmp_path, monkeypatch):
    files = written.files(written.write(tmp_path / "tiny"))
    with Hub({"owner/tiny": Repo(files)}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        at = form(open_page, "owner/tiny")
        assert at.button(key="trace_start").label == "Download the model to start"
        checked(at.button(key="trace_download").click().run())

    assert at.button(key="trace_start").label == "Evaluate all 24 samples"
    assert not at.button(key="trace_start").disabled
