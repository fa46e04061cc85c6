"""The store from a terminal: rows that cannot be read, the newest run, backups, and screens that
nothing steers.
"""

import json
import os
import shutil
import sqlite3
import sys
import threading
import unicodedata

import pytest

from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.own_command import own_command
from evaluators.records import Dataset, EvaluatorSpec, Sample
from evaluators.runs.inputs import local_store
from evaluators.runs.store import Store
from evaluators.terminal.cli import main
from evaluators.terminal.exit_codes import FINE, INCOMPLETE, WRONG
from evaluators.terminal.files import escaped_for_terminal
from tests.stored import stored_run

ODD = "\x1b[2J\x9b31m\x07\u202eevil\r\x00 \ufeff\U000e0041"
SAMPLES = Dataset(
    name="d",
    samples=(Sample(id=ODD, question=ODD, response=ODD, retrieved_documents=("It is May.",)),),
)


def keep(run_id, created="2026-01-02T00:00:00", dataset=SAMPLES):
    facts = {"id": run_id, "created": created, "title": f"Run {run_id}"}
    return stored_run(local_store(), dataset, "trace", **facts)


def damage(folder, run_id):
    with sqlite3.connect(folder / "plumbline.sqlite3") as db:
        db.execute("update runs set body = substr(body, 1, 30) where id = ?", (run_id,))
    db.close()


# Rows that cannot be read


def test_a_run_that_cannot_be_read_is_listed_and_keeps_no_command_from_the_others(
    plumbline, data_folder
):
    keep("lost1234567")
    keep("fine1234567")
    damage(data_folder, "lost1234567")

    listed = plumbline("list", "runs")
    assert (listed.exit_code, "fine1234" in listed.stdout) == (FINE, True)
    assert "lost1234 cannot be read" in listed.stderr
    for command in (
        ("show", "fine"),
        ("show", "last"),
        ("export", "fine"),
        ("resume", "fine"),
        ("list", "metrics"),
    ):
        assert plumbline(*command).exit_code == FINE, command


@pytest.mark.parametrize("command", ["show", "export", "resume"])
def test_its_own_commands_say_what_can_be_done(plumbline, data_folder, command):
    keep("lost1234567")
    damage(data_folder, "lost1234567")

    found = plumbline(command, "lost")

    assert found.exit_code == INCOMPLETE
    assert "Error: The run lost1234567 cannot be read" in found.stderr
    assert f"{own_command()} export lost1234567 --format raw" in found.stderr
    raw = plumbline("export", "lost", "--format", "raw")
    assert [json.loads(line)["table"] for line in raw.stdout.splitlines()] == ["runs", "samples"]


def test_a_saved_metric_that_cannot_be_read_is_told_below_the_list(plumbline, data_folder):
    store = local_store()
    store.metrics.save("local", "Broken", EvaluatorSpec(name="prompt", params={"nothing": "known"}))
    store.metrics.save("local", "Damaged", EvaluatorSpec(name="prompt"))
    with sqlite3.connect(data_folder / "plumbline.sqlite3") as db:
        db.execute("update documents set body = '{' where key = 'Damaged'")
    db.close()

    found = plumbline("list", "metrics")

    assert found.exit_code == FINE
    assert "cannot be used" in found.stdout
    assert "Damaged, saved in the app, cannot be read" in found.stderr


# The newest run, and ids


def test_last_is_the_run_that_was_made_last_whatever_the_clock_said(plumbline):
    keep("first")
    keep("second", created="2020-01-01T00:00:00")

    assert "Run second" in plumbline("show", "last").stdout


@pytest.mark.parametrize(
    "wrong", [("show", "--jsonlike"), ("show", "-x"), ("show", "last", "--jsn")]
)
def test_options_that_do_not_exist_are_still_refused(plumbline, wrong):
    keep("plain")
    assert "No such option" in plumbline(*wrong).stderr


# Screens


@pytest.mark.parametrize("kind", ["csv", "jsonl", "raw"])
def test_an_export_steers_no_terminal_and_a_file_stays_exact(data_folder, kind):
    keep("odd")
    leader, follower = os.openpty()
    written = []
    reader = threading.Thread(target=lambda: written.extend(iter(lambda: _read(leader), b"")))
    reader.start()
    with open(follower, "w", encoding="utf-8") as screen, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        main(["export", "odd", "--format", kind], standalone_mode=False)
    reader.join(10)
    os.close(leader)
    main(
        ["export", "odd", "--format", kind, "-o", str(data_folder / "file")], standalone_mode=False
    )

    shown = b"".join(written).decode()
    assert {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs"} <= {"Cc"}
    assert set(shown) & set(map(chr, [*range(32), *range(127, 160)])) <= {"\r", "\n"}
    assert r"\u001b[2J" in shown
    assert "\x9b31m" in (data_folder / "file").read_text(encoding="utf-8-sig")


def _read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("text", [ODD, "\U000e0041\u2028\x7f", "plain ä 中\u3000文 \u00a0 🙂"])
def test_what_is_escaped_is_the_same_json(text):
    line = json.dumps({"text": text}, ensure_ascii=False).encode(errors="replace")
    assert json.loads(escaped_for_terminal(line)) == json.loads(line)
    assert (
        escaped_for_terminal("plain ä 中\u3000文 \u00a0 🙂\n".encode()).decode()
        == "plain ä 中\u3000文 \u00a0 🙂\n"
    )


def test_json_on_the_screen_escapes_what_a_terminal_would_obey(plumbline):
    keep("odd", dataset=SAMPLES.model_copy(update={"name": ODD}))
    local_store().metrics.save("local", ODD, EvaluatorSpec(name="trace"))
    shown = plumbline("show", "odd", "--json").stdout
    assert not set(shown) & set("\x1b\x9b\x07\u202e\x00")
    assert json.loads(shown)["run"] == "odd"


# Backups, and a store that goes away


def test_a_backup_is_told_with_its_size_and_is_not_replaced_by_mistake(plumbline, data_folder):
    keep("kept")

    made = plumbline("backup", "b.sqlite3")
    again = plumbline("backup", "b.sqlite3")

    assert made.exit_code == FINE
    assert made.stdout.startswith("b.sqlite3: 1 run, ")
    assert "MB, checked by opening it." in made.stdout
    assert (again.exit_code, "is there already" in again.stderr) == (WRONG, True)
    assert plumbline("backup", "b.sqlite3", "--replace").exit_code == FINE
    assert plumbline("backup", "plumbline.sqlite3", "--replace").exit_code == WRONG
    assert [run.id for run in Store(data_folder / "b.sqlite3").runs.newest("local")] == ["kept"]


def test_a_run_whose_store_is_deleted_meanwhile_says_so_and_is_not_finished(
    plumbline, data_folder, monkeypatch
):
    folder = data_folder / "store"
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(folder))
    rows = [
        {"question": "q", "response": "r", "retrieved_documents": ["It is May. " * 400] * 4}
    ] * 400
    (data_folder / "many.json").write_text(json.dumps(rows), encoding="utf-8")
    threading.Thread(target=_delete_when_begun, args=(folder,)).start()

    found = plumbline("run", "--data", "many.json", "--metric", "trace")

    assert found.exit_code == INCOMPLETE
    assert "is gone: it was deleted or moved" in found.stderr
    assert "finished" not in found.stdout
    local_store().close()
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(data_folder / "new"))
    assert plumbline("run", "--data", TRACE_SAMPLES, "--metric", "trace").exit_code == FINE


def _delete_when_begun(folder):
    path = folder / "plumbline.sqlite3"
    for _ in range(1000):
        threading.Event().wait(0.01)
        if path.exists() and any((folder / "locks").glob("*")) and local_store().runs.ids("local"):
            break
    shutil.rmtree(folder)
