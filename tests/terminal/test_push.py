"""Push to the hub from a terminal, as docs/space.md shows it, against a hub on this computer."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator

import pytest
from pyarrow import parquet

from evaluators.config import ROOT
from evaluators.terminal.exit_codes import FINE, WRONG
from tests.hub import Hub

# The hub's library uploads a stream in a way that its own client will not take for ever.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

TOKEN = "hf_Terminal0123456789abcdefghij"
DOCS = (ROOT / "docs" / "space.md").read_text(encoding="utf-8")
[RECIPE] = re.findall(r"## Push to the hub\n.*?```\n(.*?)```", DOCS, re.DOTALL)
LINES = [shlex.split(line)[1:] for line in RECIPE.splitlines()]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub() as hub:
        hub.writers = {TOKEN: "ann"}
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


def test_the_recipe_of_the_docs_pushes_a_run(plumbline, hub):
    assert len(LINES) <= 15
    found = [plumbline(*line) for line in LINES]
    assert [each.exit_code for each in found] == [FINE] * len(LINES), found[-1].output
    assert found[-1].stdout == f"{hub.address}/datasets/ann/trace-sample\n"
    assert hub.private == {"ann/trace-sample": True}
    results = hub.pushed["ann/trace-sample"]["data/results.parquet"]
    assert parquet.read_table(io.BytesIO(results)).num_rows == 24
    assert TOKEN not in "".join(each.output for each in found)


def test_what_is_open_to_everybody_has_to_be_meant(plumbline, hub):
    plumbline(*LINES[0])
    assert plumbline("push", "last", "ann/open", "--public").exit_code == FINE
    assert hub.private == {"ann/open": False}
    found = plumbline("push", "last", "ann/open")
    assert found.exit_code == WRONG
    assert "ann/open is open to everybody" in found.stderr


@pytest.mark.parametrize("elsewhere", ["", "http://127.0.0.1:9/v1"])
def test_without_a_key_of_the_hub_nothing_is_asked(plumbline, hub, monkeypatch, elsewhere):
    plumbline(*LINES[0])
    if elsewhere:
        monkeypatch.setenv("HF_ROUTER_BASE_URL", elsewhere)
    else:
        monkeypatch.delenv("HF_TOKEN")
    found = plumbline("push", "last", "ann/trace-sample")
    assert found.exit_code == WRONG
    assert "Set HF_TOKEN" in found.stderr
    assert not hub.asked
