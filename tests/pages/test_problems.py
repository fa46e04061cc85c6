"""A run store that cannot be written: whatever was clicked, the page says what happened and what to
do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evaluators.records import Cap
from tests.pages.by_hand import two_models
from tests.pages.conftest import checked
from tests.pages.screen import jsonl, press, said, select
from tests.stops import stop
from ui import session

FULL = "The run store cannot be written (database or disk is full). Free disk space, then resume."


@pytest.fixture
def fill_disk(data_folder: Path) -> Callable[[], None]:
    """From its call on nothing can be written, but everything can be read."""

    def fill() -> None:
        with closing(sqlite3.connect(data_folder / "plumbline.sqlite3")) as db:
            for table in ("runs", "documents", "calls"):
                for action in ("insert", "update", "delete"):
                    db.execute(
                        f"create trigger full_{table}_{action} before {action} on {table} "
                        "begin select raise(abort, 'database or disk is full'); end"
                    )
            db.commit()

    return fill


@pytest.mark.parametrize(
    ("page", "label"),
    [
        ("runs", "Delete for good"),
        ("runs", "Resume"),
        ("rgb", "Resume"),
        ("rgb", "Raise and resume"),
        ("settings", "Clear for good"),
    ],
)
def test_a_click_that_cannot_be_stored_is_answered_once(
    open_page, fill_disk, monkeypatch, page, label
):
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    stopped = two_models(Cap(calls=100), run_id="stopped", results=False)
    if label == "Raise and resume":
        stop(
            session.store(),
            stopped.id,
            "The budget of 100 calls is used up. Raise the budget and resume.",
            "cap",
        )
    answered = two_models(run_id="answered")
    at = open_page(page, **{"run": stopped.id} if page == "rgb" else {})
    if label == "Delete for good":
        at = select(at, stopped.id)
    fill_disk()
    assert said(press(at, label), "error") == FULL
    assert not said(checked(at.run()), "error")
    assert {run.id for run in session.store().runs.newest("local")} == {stopped.id, answered.id}
    assert session.store().runs.get(stopped.id).cap == Cap(calls=100)


def test_an_upload_that_cannot_be_deleted_stays(upload, fill_disk):
    at = upload("samples.jsonl", jsonl({"question": "When?", "response": "In May."}))
    fill_disk()
    assert said(press(at, "Delete for good"), "error") == FULL
    assert list(session.store().uploads.names("local")) == ["samples.jsonl"]


@pytest.mark.parametrize("page", ["home", "rgb", "trace", "runs", "datasets", "settings"])
def test_a_store_that_cannot_be_read_is_told_on_every_page(open_page, filled, page):
    at = open_page(page)
    filled.store.close()
    assert "The run store cannot be read" in said(checked(at.run()), "error")
