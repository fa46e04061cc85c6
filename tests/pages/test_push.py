"""Push to the hub, in *Share* of a run: for whoever has a key of Hugging Face or is signed in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluators.llm.providers import PROVIDERS
from tests.hub import Hub
from tests.loopback import Loopback
from tests.pages.conftest import checked
from tests.pages.screen import press, said

TOKEN = "hf_Push-0123456789-abcdefghij"

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub() as hub, Loopback(key=TOKEN) as router:
        hub.writers = {TOKEN: "ann"}
        moved = PROVIDERS["huggingface"].model_copy(update={"address": router.base_url})
        monkeypatch.setitem(PROVIDERS, "huggingface", moved)
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


def name_field(at):
    return [field for field in at.text_input if field.label == "Data set of the hub"]


def test_a_run_is_pushed_and_its_address_shown(hub, filled, open_page):
    at = open_page("trace", run=filled.trace.id)
    name_field(at)[0].input("ann/labels")
    at = press(at, "Push to the hub")
    assert f"Pushed: {hub.address}/datasets/ann/labels" in said(at, "success")
    assert {"README.md", "data/results.parquet"} == {*hub.pushed["ann/labels"]}
    assert hub.private == {"ann/labels": True}


def test_what_is_wrong_is_said_in_its_place(hub, filled, open_page):
    at = open_page("trace", run=filled.trace.id)
    for name, problem in (("", "is not a data set of the hub"), ("ben/x", "may not write ben/x")):
        name_field(at)[0].input(name)
        at = press(at, "Push to the hub")
        assert problem in said(at, "error")
    checked(at)
    assert not hub.pushed


def test_without_a_key_of_hugging_faces_own_there_is_none(hub, filled, open_page, monkeypatch):
    monkeypatch.setenv("HF_ROUTER_BASE_URL", "http://127.0.0.1:9/v1")
    assert not name_field(open_page("trace", run=filled.trace.id))
    monkeypatch.delenv("HF_ROUTER_BASE_URL")
    monkeypatch.delenv("HF_TOKEN")
    assert not name_field(open_page("trace", run=filled.trace.id))
