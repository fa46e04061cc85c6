"""The store on the pages: what cannot be read is shown and can be deleted, what is gone is said
everywhere, backups.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.errors import StoreError
from evaluators.records import EvaluatorSpec
from evaluators.runs.backup import back_up
from evaluators.runs.store import Store
from tests import postgres
from tests.pages.conftest import checked
from tests.pages.screen import button, cards, listed, markdown, numbers, press, runs, said
from ui import session

SOME = ("home", "runs", "settings")
"""Pages that stand for all: the router says for each of them what is wrong with the store."""


def damage(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "plumbline.sqlite3") as db:
        assert db.execute(statement).rowcount > 0
    db.close()


# Rows that cannot be read


def test_a_run_that_cannot_be_read_is_listed_and_no_page_fails(open_page, filled, data_folder):
    damage(
        data_folder,
        f"update runs set body = json_set(body, '$.later', 1) where id = '{filled.rgb.id}'",
    )

    for name in (*SOME, "trace", "rgb"):
        at = open_page(name)
        assert not at.error, name
        if name in ("home", "runs"):
            texts = "\n".join(markdown(at))
            assert "This run cannot be read" in texts
            assert "Extra inputs are not permitted" in texts
        if name == "home":
            assert "24 answers checked" in said(at)
        if name == "runs":
            assert [row["State"] for row in listed(at).values()] == ["24 answers checked"]
    assert "Adherence" in cards(open_page("trace", run=filled.trace.id))
    assert "This run cannot be read. Save what is stored" in said(
        open_page("rgb", run=filled.rgb.id)
    )


def test_a_run_that_cannot_be_read_can_be_saved_as_stored_and_deleted(
    open_page, filled, data_folder
):
    damage(data_folder, f"update runs set body = '' where id = '{filled.rgb.id}'")
    at = open_page("runs")
    assert "Save as stored" in {each.label for each in at.get("download_button")}

    checked(at.button(key=f"delete_{filled.rgb.id}").click().run())

    assert "cannot be read" not in "\n".join(markdown(at))
    assert (runs(), session.store().runs.unreadable("local")) == ([filled.trace], [])


def test_a_sample_or_result_that_cannot_be_read_is_said_on_its_page_alone(
    open_page, filled, data_folder
):
    damage(
        data_folder,
        (
            f"update samples set body = '{{' where position = 1 and fingerprint = "
            f"'{filled.trace.fingerprint}'"
        ),
    )
    damage(
        data_folder,
        f"update results set body = '{{' where position = 2 and run_id = '{filled.trace.id}'",
    )

    at = open_page("sample", run=filled.trace.id, sample="2")
    assert "Sample 2 cannot be read" in said(at)
    assert "This result cannot be read" in said(press(at, "Next"))
    assert "adherence" in numbers(open_page("sample", run=filled.trace.id, sample="4"))
    assert "Adherence" in cards(open_page("trace", run=filled.trace.id))


def test_an_upload_that_cannot_be_read_can_be_deleted_and_hides_no_other(open_page, data_folder):
    data = bundled()[TRACE_SAMPLES]
    for name in ("Lost", "Fine"):
        own = data.model_copy(update={"name": name})
        session.store().uploads.save("local", name, own)
    damage(data_folder, "update documents set body = substr(body, 1, 99) where key = 'Lost'")

    for name in ("rgb", "trace", "metrics"):
        at = open_page(name)
        assert not at.error, name
    assert "Lost" not in open_page("trace").selectbox(key="trace_dataset").options
    at = open_page("datasets", data="Lost")
    assert "The upload “Lost” cannot be read" in said(at, "error")
    at.button(key="delete_upload").click()
    assert not checked(at.run()).error
    assert list(session.store().uploads.names("local")) == ["Fine"]


def test_a_saved_metric_that_cannot_be_read_or_used_can_be_deleted(open_page, data_folder):
    store = session.store()
    store.metrics.save("local", "Damaged", EvaluatorSpec(name="prompt"))
    store.metrics.save(
        "local", "Unusable", EvaluatorSpec(name="prompt", params={"answer": "nonsense"})
    )
    damage(data_folder, "update documents set body = '[' where key = 'Damaged'")

    at = open_page("metrics")
    assert "Damaged cannot be read" in said(at, "error")
    assert "Unusable cannot be read" in said(at, "error")
    for name in ("Damaged", "Unusable"):
        checked(at.button(key=f"delete_{name}").click().run())
    assert not at.error


# A store that goes away


@pytest.mark.parametrize("name", SOME)
def test_every_page_says_that_the_store_is_gone_until_it_is_back(open_page, data_folder, name):
    open_page(name)
    files = list(data_folder.glob("plumbline.sqlite3*"))
    (data_folder / "aside").mkdir()
    for file in files:
        file.rename(data_folder / "aside" / file.name)

    assert "plumbline.sqlite3 is gone: it was deleted or moved" in said(open_page(name), "error")

    for file in files:
        (data_folder / "aside" / file.name).rename(file)
    assert not open_page(name).error


def test_what_was_in_a_deleted_store_can_be_saved_from_any_page(
    open_page, filled, data_folder, tmp_path_factory
):
    open_page("home")
    for file in data_folder.glob("plumbline.sqlite3*"):
        file.unlink()
    target = tmp_path_factory.mktemp("rescued") / "rescued.sqlite3"

    at = open_page("home")
    at.text_input(key="backup_file").set_value(str(target))
    button(at, "Save a backup").click()

    assert "2 runs" in said(checked(at.run()), "success")
    assert Store(target).runs.newest("local") == [filled.trace, filled.rgb]


def test_on_a_public_host_nobody_can_save_the_store(open_page, data_folder, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    assert "Backup" not in [each.value for each in open_page("settings").header]
    shutil.rmtree(data_folder)
    at = open_page("home")
    assert "is gone" in said(at, "error")
    assert not at.text_input


def test_a_store_of_a_newer_version_is_said_on_every_page(open_page, data_folder):
    Store(data_folder / "plumbline.sqlite3").close()
    with sqlite3.connect(data_folder / "plumbline.sqlite3") as db:
        db.execute("pragma user_version = 99")
    db.close()
    try:
        for name in SOME:
            assert "Install the newer version" in said(open_page(name), "error")
    finally:
        (data_folder / "plumbline.sqlite3").unlink()


# Backups


def test_a_backup_from_the_settings_page_is_told_and_replaces_only_on_purpose(
    open_page, filled, data_folder
):
    target = data_folder / "b.sqlite3"
    at = open_page("settings")
    at.text_input(key="backup_file").set_value(str(target))
    assert "2 runs" in said(press(at, "Save a backup"), "success")

    assert "is there already" in said(press(at, "Save a backup"), "error")
    at.checkbox(key="backup_replace").check()
    assert "checked by opening it" in said(press(at, "Save a backup"), "success")
    assert Store(target).runs.newest("local") == [filled.trace, filled.rgb]


@pytest.mark.parametrize("named", ["", "~nobody-there/x/y", "a\0b", "/proc/none/x"])
def test_a_file_that_cannot_be_is_said(open_page, named):
    at = open_page("settings")
    at.text_input(key="backup_file").set_value(named)
    assert said(press(at, "Save a backup"), "error")


def test_runs_in_a_database_are_saved_by_its_own_means(
    open_page, data_folder, postgres_server, monkeypatch
):
    with postgres_server.database() as address:
        monkeypatch.setenv("PLUMBLINE_DATABASE", address)

        at = open_page("settings")

        assert "save them with pg_dump" in said(at)
        assert "Save a backup" not in [each.label for each in at.button]
        postgres_server.stop()
        try:
            # The first page finds it out, every further one says it in place of its own.
            for at in (open_page("runs"), open_page("runs")):
                assert "Start the database" in said(at, "error")
                assert postgres.PASSWORD not in said(at, "error")
            assert not said(at, "caption")
        finally:
            postgres_server.start()
        assert not at.run().error
        with pytest.raises(StoreError, match="pg_dump"):
            back_up(session.store(), data_folder / "b.sqlite3")
        session.store().close()
