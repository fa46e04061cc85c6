"""Push to the hub: results and labels as Parquet, into a data set of the visitor's own."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import parquet
from pydantic import SecretStr

from evaluators.errors import DatasetError
from evaluators.exports.hub import push
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Run, Sample, Score
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.runs.store import Store
from tests.hub import Hub
from tests.stored import stored_run

# The hub's library uploads a stream in a way that its own client will not take for ever.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

TOKEN = "hf_oauth_Push-0123456789-abcdefghij"
DATA = Dataset(
    name="Two",
    samples=(
        Sample(id="1", question="When?", response="In May.", ground_truth="May"),
        Sample(id="2", question="=1+1", response="In June.", ground_truth="May"),
    ),
)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub() as hub:
        hub.writers = {TOKEN: "ann"}
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "plumbline.sqlite3")


@pytest.fixture
def run(store: Store) -> Run:
    scores = [Score(values={"exact_match": value}) for value in (1.0, 0.0)]
    run = stored_run(store, DATA, "answer_match", scores=scores)
    label = PersonLabel(
        person="Bea", created="2026-11-28T10:00:00+00:00", label="verdict", key="exact_match",
        value="yes", blind=True, drawn="at random",
    )  # fmt: skip
    store.person_labels.save(run.id, Cell(1), label)
    return run


def push_run(store: Store, run: Run, name: str, token: str = TOKEN, **how: bool) -> str:
    return push(RunView.read(store, run), WHAT_COUNTS, name, SecretStr(token), **how)


def table(hub: Hub, name: str, file: str) -> list[dict[str, object]]:
    return parquet.read_table(io.BytesIO(hub.pushed[name][f"data/{file}.parquet"])).to_pylist()


def test_results_and_labels_arrive_as_parquet_in_a_private_data_set(hub, store, run):
    assert push_run(store, run, "ann/labels") == f"{hub.address}/datasets/ann/labels"
    assert hub.private == {"ann/labels": True}
    results = table(hub, "ann/labels", "results")
    assert [(row["id"], row["question"], row["exact_match"]) for row in results] == [
        ("1", "When?", 1.0),
        ("2", "=1+1", 0.0),
    ]
    (label,) = table(hub, "ann/labels", "labels")
    assert label["sample"] == 2
    assert (label["person"], label["blind"], label["value"]) == ("Bea", True, "yes")
    assert label["created"] == "2026-11-28T10:00:00+00:00"
    card = hub.pushed["ann/labels"]["README.md"].decode()
    assert "config_name: labels\n  data_files: data/labels.parquet" in card


def test_what_is_public_gets_nothing_unless_that_is_wanted(hub, store, run):
    push_run(store, run, "ann/open", private=False)
    before = dict(hub.pushed["ann/open"])
    assert hub.private == {"ann/open": False}
    with pytest.raises(DatasetError, match="ann/open is open to everybody"):
        push_run(store, run, "ann/open")
    assert hub.pushed["ann/open"] == before
    push_run(store, run, "ann/open", private=False)


def test_a_data_set_is_pushed_to_again(hub, store, run):
    for _ in range(2):
        push_run(store, run, "https://huggingface.co/datasets/ann/labels")
    assert list(hub.pushed) == ["ann/labels"]


@pytest.mark.parametrize(
    ("name", "token", "said"),
    [
        ("labels", TOKEN, "has no owner"),
        ("../../etc", TOKEN, "is not a data set of the hub"),
        ("ann/a--b", TOKEN, "is not a data set of the hub"),
        ("https://evil.example/ann/labels", TOKEN, "is not a data set of the hub"),
        ("ben/labels", TOKEN, "This key may not write ben/labels."),
        ("ann/labels", "hf_oauth_of_nobody_0123456789", "does not know the key, or no longer"),
        ("ann/labels", "not\r\na header", "did not take the data set"),
        ("ann/labels", "\N{SNOWMAN}" * 20, "did not take the data set"),
    ],
)
def test_what_cannot_be_pushed_says_why_and_nothing_is_made(hub, store, run, name, token, said):
    with pytest.raises(DatasetError, match=said) as caught:
        push_run(store, run, name, token)
    assert token not in repr(caught.value)
    assert not hub.pushed


@pytest.mark.parametrize("fault", ["400", "403", "409", "500"])
def test_a_hub_that_errs_is_told_in_words_and_the_token_is_in_none(
    hub, store, run, fault, caplog, capfd
):
    caplog.set_level(logging.DEBUG)
    hub.fault = lambda path: fault if path.endswith("/commit/main") else ""
    with pytest.raises(DatasetError, match=r"did not take the data set|may not write") as caught:
        push_run(store, run, "ann/labels")
    shown = f"{caught.value!r} {caplog.text} {capfd.readouterr()}"
    assert TOKEN not in shown
    assert TOKEN[9:30] not in shown


def test_the_token_goes_to_the_hub_and_not_to_where_the_hub_has_files_put(hub, store, run):
    push_run(store, run, "ann/labels")
    assert hub.large
    assert not [
        asked for asked in hub.asked if asked.path.startswith("/large") and TOKEN in str(asked)
    ]
