"""Notes and tags on answers: the last word of each stands, every file holds them, and they go with
their run.
"""

import csv
import io
import json

import pytest

from evaluators import compose, evaluate, load_data
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_file
from evaluators.errors import ParameterError
from evaluators.exports import formats
from evaluators.llm.catalogue import OFFLINE
from evaluators.runs import examples
from evaluators.runs.backup import back_up
from evaluators.runs.notes import (
    MOST_OF_A_TAG,
    MOST_TAGS,
    MOST_TEXT,
    counted_tags,
    tags_in,
    written,
)
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Store

AT = "2026-11-23T00:30:00+00:00"
LATER = "2026-11-23T00:31:00+00:00"
HOSTILE = "=cmd()|'<img src=x onerror=alert(1)>[a](http://b)"


def note(text="", *tags, at=AT, person="you"):
    return written(text, tags, at, person)


def columns(results, *names):
    table = formats()["csv"].whole(RunView.read(results.store, results.run))
    rows = csv.DictReader(io.StringIO(table.decode("utf-8-sig")))
    return [tuple(row[name] for name in names) for row in rows]


@pytest.fixture
def results(store):
    return evaluate(TRACE_SAMPLES, "trace", store=store, sample=3, progress=False)


# What may be written


@pytest.mark.parametrize(
    ("typed", "tags"),
    [
        ((), ()),
        (("wrong date",), ("wrong date",)),
        (("  wrong \t date ", ""), ("wrong date",)),
        (("Date", "date", "DATE"), ("Date",)),
        (("date, name;place\nand more",), ("date", "name", "place", "and more")),
        ((" , ;",), ()),
        (("日期错误", "日期错误"), ("日期错误",)),
        (("<b>bold</b>", "a\x00b\x1b[1m", "\ud800"), ("<b>bold</b>", "a b [1m", "\ufffd")),
    ],
)
def test_a_tag_stands_once_without_what_separates_tags(typed, tags):
    assert tags_in(typed) == tags
    assert tags_in([", ".join(tags)]) == tags


@pytest.mark.parametrize(
    ("text", "tags", "said"),
    [
        ("x" * (MOST_TEXT + 1), (), "has 4,001 characters"),
        ("", [str(number) for number in range(MOST_TAGS + 1)], "21 tags"),
        ("", ["x" * (MOST_OF_A_TAG + 1)], "has 61 characters"),
    ],
)
def test_what_is_too_long_is_refused_with_what_may_be(text, tags, said):
    with pytest.raises(ParameterError, match=said):
        written(text, tags, AT)
    assert written(text[1:], tags[1:], AT)


def test_tags_are_counted_the_most_frequent_first():
    notes = [note("", "date"), note("", "name", "date"), note("only a text")]
    assert list(counted_tags(notes).items()) == [("date", 2), ("name", 1)]


# What is kept


def test_the_last_word_on_an_answer_stands(store, results, where):
    run_id, first, second = results.run.id, note("One.", "a"), note("Two.", at=LATER, person="Anna")
    other_browser = Store(where)

    store.notes.save(run_id, Answer(0), first)
    store.notes.save(run_id, Answer(2, 0), note("", "b"))
    other_browser.notes.save(run_id, Answer(0), second)

    assert store.notes.by_answer(run_id) == {Answer(0): second, Answer(2): note("", "b")}
    assert store.notes.get(run_id, Answer(1)) is None
    store.notes.save(run_id, Answer(0), note("  \n"))
    assert list(store.notes.by_answer(run_id)) == [Answer(2)]


def test_a_tag_is_spelled_as_in_the_rest_of_the_run(store, results):
    run_id = results.run.id
    store.notes.save(run_id, Answer(0), note("", "Wrong date"))
    store.notes.save(run_id, Answer(1), note("", "wrong DATE", "Name"))

    assert store.notes.get(run_id, Answer(1)).tags == ("Wrong date", "Name")
    # One that stands nowhere else may be spelled anew.
    store.notes.save(run_id, Answer(1), note("", "name"))
    assert store.notes.get(run_id, Answer(1)).tags == ("name",)


def test_notes_go_with_their_run_and_leave_its_figures_alone(store, results):
    run_id = results.run.id
    revision = store.figures.revision(run_id)

    store.notes.save(run_id, Answer(0), note("One."))

    assert store.figures.revision(run_id) == revision
    store.runs.delete(run_id)
    assert store.database.rows("select count(*) from documents where kind = 'note'") == [(0,)]
    with pytest.raises(ParameterError, match="was deleted meanwhile"):
        store.notes.save(run_id, Answer(0), note("One."))


def test_nobody_writes_notes_on_an_example(store):
    run = examples.find(store, examples.INVENTED)
    with pytest.raises(ParameterError, match=r"the same notes\. Press “Make it yours”"):
        store.notes.save(run.id, Answer(0), note("One."))
    own = examples.copy(store, run, "local")
    store.notes.save(own.id, Answer(0), note("One."))
    assert store.notes.by_answer(run.id) == {}


def test_a_note_that_cannot_be_read_keeps_no_other_from_being_read(store, results):
    run_id = results.run.id
    for position in range(3):
        store.notes.save(run_id, Answer(position), note(f"Note {position}.", "tag"))
    with store.database.transaction() as db:
        for key, body in {"0 0": "{", "1 0": note("One.").model_dump_json()}.items():
            damaged = body.replace(AT, "yesterday")
            db.execute("update documents set body = ? where key = ?", (damaged, key))

    assert list(store.notes.by_answer(run_id)) == [Answer(2)]
    store.notes.save(run_id, Answer(0), note("Again."))
    assert store.notes.get(run_id, Answer(0)).text == "Again."


def test_a_backup_and_the_raw_rows_hold_them(store, results, tmp_path, path):
    store.notes.save(results.run.id, Answer(0), note("One.", "tag"))

    copy = Store(back_up(store, tmp_path / "backup.sqlite3").path)

    assert copy.notes.get(results.run.id, Answer(0)) == note("One.", "tag")
    rows = [json.loads(line) for line in store.runs.raw(results.run.id)]
    assert [row["key"] for row in rows if row.get("kind") == "note"] == ["0 0"]


# Files


def test_every_file_holds_notes_and_tags(store, results):
    assert "note" not in results.to_pandas()
    assert b"note" not in formats()["csv"].whole(RunView.read(store, results.run))
    store.notes.save(
        results.run.id, Answer(1), note("Says 1925.\nIt was 1889.", "date", "=SUM(A1)")
    )

    text = "Says 1925.\nIt was 1889."
    assert columns(results, "tags", "note") == [("", ""), ("date, =SUM(A1)", text), ("", "")]
    view = RunView.read(store, results.run)
    lines = [json.loads(line) for line in formats()["jsonl"].parts(view)]
    tags = ["date", "=SUM(A1)"]
    assert [(line["tags"], line["note"]) for line in lines] == [([], ""), (tags, text), ([], "")]
    labels = [json.loads(line) for line in formats()["labels"].parts(view)]
    assert [line.get("note") for line in labels] == [None, text, None]
    assert labels[1]["tags"] == tags
    table = results.to_pandas()
    assert list(table["note"]) == ["", text, ""]
    assert list(table["tags"]) == [[], tags, []]


def test_no_spreadsheet_runs_a_note(store, results):
    store.notes.save(results.run.id, Answer(0), note(HOSTILE, HOSTILE))
    (cells, *_) = columns(results, "tags", "note")
    assert cells == (f"'{HOSTILE}", f"'{HOSTILE}")


def test_a_note_on_an_answer_to_rgb_stands_beside_how_it_came_about(store):
    bed = load_data(ENGLISH_BED)
    data = compose(bed, bed.abilities, (0.0,), sample=2)
    results = evaluate(data, "rgb", model=OFFLINE.id, store=store, progress=False)

    store.notes.save(results.run.id, Answer(1), note("", "beside the point"))

    rows = columns(results, "policy", "tags")
    assert rows[:2] == [("documented", ""), ("documented", "beside the point")]


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("csv", Shape.VALUES), ("jsonl", Shape.RESULTS), ("labels", Shape.LABELS)],
)
def test_files_with_notes_are_recognised_as_data(store, results, kind, shape, tmp_path):
    store.notes.save(results.run.id, Answer(0), note(HOSTILE, "answer", "documents"))
    name = f"file.{'csv' if kind == 'csv' else 'jsonl'}"

    read = open_file(name, results.export(tmp_path / name, kind).read_bytes())

    assert (read.guess.shape, read.guess.is_sure) == (shape, True)
    if kind == "jsonl":
        again = evaluate(read.data, "trace", store=store, progress=False)
        assert [row.values for row in again.rows()] == [row.values for row in results.rows()]
