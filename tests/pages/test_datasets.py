"""Datasets: a good file is kept, a bad one is answered with row and remedy, a hostile one stays
text.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from evaluators.records import Dataset, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from tests.datasets import files
from tests.pages.conftest import OpenPage, Upload, checked, finished, keep_upload
from tests.pages.screen import BED, ESCAPED, html, jsonl, markdown, press, said, table
from ui import session
from ui.held import held
from ui.parts import uploaded

GOOD = {
    "question": "When?",
    "response": "In May.",
    "retrieved_documents": ["It was in May.", "Tea is hot."],
}
HEADER = "question,response,retrieved_documents"
IMAGE = "![x](http://127.0.0.1:9/x.png)"
HOSTILE = (
    f"{IMAGE} <img src=http://127.0.0.1:9/y.png onerror=alert(1)><style>*{{color:red}}</style>"
)
OTHER = "asked,said,found\nWhen?,In May.,It was in May.\nWhy?,So.,Tea is hot."


def test_bundled_data_is_there_without_an_upload_and_has_previews(open_page):
    at = open_page("datasets")
    assert at.selectbox(key="dataset").options == [
        "RGB sample (English) (bundled)",
        "RGB sample (Chinese) (bundled)",
        "TRACE sample (English) (bundled)",
        "TRACE sample (Chinese) (bundled)",
    ]
    assert "RGB data set · 48 rows" in said(at)
    for name in ("RGB sample (Chinese)", "TRACE sample (Chinese)"):
        at.selectbox(key="dataset").set_value(name)
        assert table(checked(at.run()), "id")


def test_a_good_file_is_read_chosen_and_previewed(upload):
    documents = '"[""It was in May."", ""Tea is hot.""]"'
    at = upload("own.csv", f"{HEADER}\nWhen?,In May.,{documents}\nWhen?,In May.,It was in May.")
    assert not at.error
    assert at.selectbox(key="dataset").value == "own.csv"
    assert "Samples · 2 rows" in said(at)
    assert [row["question"] for row in table(at, "id")] == ["When?", "When?"]


def test_the_form_begins_with_what_was_looked_at_last(upload):
    at = upload("own.jsonl", jsonl(BED))
    assert "RGB data set · 1 row · tests noise robustness, negative rejection" in said(at)
    at.switch_page("../pages/rgb.py")
    assert checked(at.run()).selectbox(key="rgb_data").value == "own.jsonl"


def test_a_file_says_for_each_evaluator_how_many_rows_serve_it(upload):
    at = upload("samples.jsonl", jsonl(GOOD, {**GOOD, "response": None}))
    trace = next(row for row in table(at, "Evaluator") if row["Evaluator"] == "TRACE (heuristic)")
    assert trace["Usable"] == "1 / 2"
    assert "answer missing in 1" in trace["Needs"]


LISTS = {
    "runs": [{"question": "When?", "response": "Now.", "steps": 1}],
    "people": [{"question": "Who?", "response": "Anna.", "age": 1}, {"question": "Why?"}],
}


def part_of(at: AppTest) -> Selectbox:
    return next(widget for widget in at.selectbox if str(widget.key).endswith("_part"))


def test_of_several_lists_the_one_that_is_meant_is_asked_for(upload):
    at = upload("lists.json", json.dumps(LISTS))
    assert "holds lists of different rows (runs, people)" in said(at)
    assert part_of(at).label == "List"
    assert part_of(at).options == ["runs · 1 row, 3 columns", "people · 2 rows, 3 columns"]
    assert part_of(at).value == "people"

    at = checked(part_of(at).set_value("runs").run())
    assert [row["question"] for row in table(at, "id")] == ["When?"]

    at = checked(part_of(at).set_value("people").run())
    assert [row["question"] for row in table(at, "id")] == ["Who?", "Why?"]
    # In place of the list that was read before
    assert [name for name in session.sources() if name.startswith("lists")] == ["lists.json"]


def test_an_upload_gets_another_name_and_its_runs_stay(upload):
    at = upload("first.jsonl", jsonl(GOOD))
    upload("second.jsonl", jsonl({**GOOD, "question": "Why?"}))
    store = session.store()
    plan = RunPlan(session.dataset("first.jsonl"), inputs.evaluators("trace"))
    run = create_run(store, plan, workspace=session.workspace())

    at = checked(at.run())
    name = next(each for each in at.text_input if each.key == "new_name_first.jsonl")
    name.set_value("second.jsonl")
    at = checked(at.run())
    assert "Other data have this name." in said(at)
    assert at.button(key="rename_upload").disabled

    next(each for each in at.text_input if each.key == "new_name_first.jsonl").set_value(
        "Logs · May"
    )
    at = checked(at.run())
    at = checked(at.button(key="rename_upload").click().run())

    assert at.selectbox(key="dataset").value == "Logs · May"
    assert set(store.uploads.names(session.workspace())) == {"Logs · May", "second.jsonl"}
    assert session.dataset("Logs · May").samples == plan.dataset.samples
    assert store.samples.get(run.fingerprint, 0).question == "When?"


def test_documents_of_one_cell_are_split_by_a_switch_that_is_seen(upload):
    joined = {**GOOD, "retrieved_documents": "It was in May.\n---\nTea is hot."}
    at = upload("joined.jsonl", jsonl(joined, joined))
    assert "documents ← retrieved_documents (1 a row" in said(at)
    switch = next(each for each in at.button_group if each.label == "Split documents at")
    assert switch.options == ["Nowhere", "`---` (2 rows, 2.0 documents each)"]
    assert next(each for each in at.expander if each.label == "Columns").proto.expanded

    switch.set_value("---")
    at = checked(at.run())
    at = press(at, "Use these columns")

    assert "documents ← retrieved_documents (2 a row" in said(at)
    assert [row["documents"] for row in table(at, "id")] == [2, 2]


def test_another_sheet_of_a_workbook_takes_the_place_of_the_first(upload):
    first, second = [["question", "response"], ["When?", "Now."]], [["question"], ["Why?"]]
    at = upload("book.xlsx", files.xlsx(first, second, first))
    assert part_of(at).label == "Sheet"
    assert part_of(at).options == [
        "2 with the same columns · 2 rows",
        "Sheet 1 · 1 row, 2 columns",
        "Sheet 2 · 1 row, 1 column",
        "Sheet 3 · 1 row, 2 columns",
    ]

    at = checked(part_of(at).set_value("Sheet 2").run())
    assert [row["question"] for row in table(at, "id")] == ["Why?"]
    assert [name for name in session.sources() if name.startswith("book")] == ["book.xlsx"]


def encoding_of(at: AppTest) -> Selectbox:
    return next(widget for widget in at.selectbox if str(widget.key).endswith("_encoding"))


def test_where_letters_are_in_doubt_their_readings_are_shown_and_one_is_chosen(upload):
    at = upload("short.csv", "question,response\nšest,tři\n".encode("cp1250"))
    assert "Choose the encoding in which its letters are right." in said(at)
    assert "Windows-1250 (Central European) · šest,tři" in encoding_of(at).options
    assert "KOI8 (Cyrillic)" in " ".join(encoding_of(at).options)
    assert "short.csv" not in session.sources()

    at = checked(encoding_of(at).set_value("cp1250").run())
    assert [row["question"] for row in table(at, "id")] == ["šest"]

    at = checked(encoding_of(at).set_value("cp1252").run())
    assert [row["answer"] for row in table(at, "id")] == ["tøi"]
    assert [name for name in session.sources() if name.startswith("short")] == ["short.csv"]


BAD_FILES = {
    "a picture": (
        "bad.csv",
        b"\x89PNG\r\n\x1a\n\x00",
        ("bad.csv is a picture", "Save the data as CSV"),
    ),
    "a number for a document": (
        "bad.jsonl",
        jsonl({**GOOD, "retrieved_documents": [7]}),
        ("Row 1: document 1", "Make"),
    ),
}
"""One that is none, and one of which no row can be used; `tests/datasets` has all others."""


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_answered_with_row_and_remedy_and_changes_nothing(open_page, upload, case):
    name, content, words = BAD_FILES[case]
    upload("earlier.jsonl", jsonl(GOOD))
    at = upload(name, content)
    for word in words:
        assert word in said(at, "error")
    assert "earlier.jsonl (uploaded)" in open_page("datasets").selectbox(key="dataset").options
    assert list(session.store().uploads.names("local")) == ["earlier.jsonl"]


def test_good_rows_are_kept_and_the_others_told_by_reason(upload):
    rows = [GOOD, {**GOOD, "question": " "}, GOOD | {"question": "Why?"}, {**GOOD, "question": ""}]
    rows += [GOOD | {"retrieved_documents": ["It was.", number]} for number in (5, 6)]
    at = upload("some.jsonl", jsonl(*rows) + "\n{oops")
    assert "7 rows in the file, 2 usable · read as Plain table." in said(at)
    assert "5 rows left out" in labels(at)
    assert "2 rows · rows 2, 4 The question is empty. Fill it in or remove the row." in words(at)
    assert "1 row · row 7 Not valid JSON" in words(at)
    # Of one kind of problem the first one is told.
    assert "2 rows · rows 5, 6 Document 2 in retrieved_documents is 5. Make it text." in words(at)
    assert "is 6" not in words(at)
    assert len(kept("some.jsonl").samples) == 2


def test_what_is_odd_about_the_data_is_told_with_its_rows(upload, open_page):
    at = upload("some.jsonl", jsonl({**GOOD, "question": ""}, GOOD, GOOD))
    assert "Repeated rows · row 3 They say the same" in words(at)
    again = open_page("datasets")
    again.selectbox(key="dataset").set_value("some.jsonl")
    assert "Repeated rows · sample 2 They say the same" in words(checked(again.run()))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("question,response\nWhen?,In May.", "", "Pasted data 1"),
        (jsonl(GOOD), "Mine", "Mine"),
        (jsonl(GOOD), "TRACE sample (English)", "TRACE sample (English) (2)"),
    ],
)
def test_rows_can_be_pasted(open_page, text, name, expected):
    at = open_page("datasets")
    at.text_area(key="pasted").set_value(text)
    at.text_input(key="pasted_name").set_value(name)
    at.button(key="paste").click()
    assert checked(at.run()).selectbox(key="dataset").value == expected
    assert kept(expected).samples[0].question == "When?"


def test_pasted_text_without_rows_is_answered(open_page):
    at = open_page("datasets")
    at.button(key="paste").click()
    assert "Paste some rows." in said(checked(at.run()), "error")


# Columns


def test_a_doubtful_file_is_kept_only_after_its_columns_are_confirmed(upload):
    at = upload("other.csv", OTHER)
    assert "Nothing is kept yet." in said(at)
    assert session.store().uploads.names("local") == {}
    assert "dataset" not in [box.key for box in at.selectbox]
    assert choice(at, "Answer").value is None
    assert [row["Question"] for row in table(at, "Row")] == ["When?", "Why?"]
    choice(at, "Answer").select("said")
    choice(at, "Documents").select("found")
    assert [row["Answer"] for row in table(checked(at.run()), "Row")] == ["In May.", "So."]
    at.button(key="use_columns").click()
    assert "2 rows in the file, 2 usable" in said(checked(at.run()))
    assert at.selectbox(key="dataset").value == "other.csv"
    sample = kept("other.csv").samples[0]
    assert (sample.response, sample.retrieved_documents) == ("In May.", ("It was in May.",))


def test_a_choice_of_columns_is_taken_again_for_the_same_columns(upload):
    at = upload("other.csv", OTHER)
    choice(at, "Answer").select("said")
    checked(at.button(key="use_columns").click().run())
    again = upload("next.csv", "found,said,asked\nTea.,Never.,When?")
    assert "with the columns as you chose them for such a file before" in said(again)
    assert kept("next.csv").samples[0].response == "Never."
    checked(choice(again, "Answer").select("found").run())
    next(box for box in again.checkbox if box.label.startswith("Remember")).uncheck()
    again.button(key="use_columns").click()
    assert "as you chose them" not in said(checked(again.run()))
    assert kept("next.csv").samples[0].response == "Tea."
    assert choice(upload("last.csv", OTHER), "Answer").value is None


def test_a_file_without_a_usable_row_can_be_mended_by_other_columns(upload):
    at = upload("own.jsonl", jsonl({"question": "", "response": "In May.", "note": "When?"}))
    assert "Row 1: the question is empty" in said(at, "error")
    choice(at, "Question").select("note")
    checked(at.run()).button(key="use_columns").click()
    assert not checked(at.run()).error
    assert kept("own.jsonl").samples[0].question == "When?"


def test_columns_are_told_apart_and_shown_whatever_their_names(upload):
    long = "x" * 80
    at = upload(
        "odd.jsonl", jsonl({"\ud800": "When?", "": "In May.", f"{long}1": "a", f"{long}2": "b"})
    )
    assert choice(at, "Answer").options == [
        "not in the file",
        "\ufffd",
        "(no name)",
        "x" * 60,
        "x" * 60 + " (2)",
    ]
    choice(at, "Question").select_index(1)
    choice(at, "Answer").select_index(2)
    checked(checked(at.run()).button(key="use_columns").click().run())
    assert kept("odd.jsonl").samples[0].response == "In May."


def test_a_doubtful_file_can_be_discarded(upload):
    at = upload("other.csv", OTHER)
    at.button(key="discard").click()
    assert "Nothing is kept yet." not in said(checked(at.run()))
    assert not at.file_uploader(key="upload_2").value
    assert session.store().uploads.names("local") == {}


def test_a_file_that_was_put_away_meanwhile_has_to_be_chosen_again(upload):
    at = upload("other.csv", OTHER)
    _, key = at.session_state["reading"]
    held.drop(key)  # as after some minutes, or when others need the memory
    assert "other.csv was put away meanwhile. To read it otherwise, choose the file again." in said(
        checked(at.run())
    )
    assert "put away" not in said(checked(at.run()))
    at.file_uploader(key="upload_1").upload("other.csv", OTHER.encode())
    assert "Nothing is kept yet." in said(checked(at.run()))


def test_a_large_file_waits_for_others_on_a_public_host_and_is_refused_after_a_while(
    upload, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setattr(uploaded.TURNS, "_patience", 0.01)
    large = jsonl(GOOD | {"response": "x" * 600_000}, GOOD | {"response": "y" * 600_000})
    with uploaded.TURNS.turn():
        assert not upload("small.jsonl", jsonl(GOOD)).error
        at = upload("large.jsonl", large)
        assert "This host is busy reading large files for others. Try again in a minute." in said(
            at, "error"
        )
    assert not upload("large.jsonl", large).error


def test_the_columns_of_a_file_that_was_understood_can_be_changed(upload):
    at = upload("both.jsonl", jsonl({**GOOD, "note": "In June."}))
    assert at.button(key="use_columns").disabled
    choice(at, "Answer").select("note")
    checked(checked(at.run()).button(key="use_columns").click().run())
    assert kept("both.jsonl").samples[0].response == "In June."


def test_columns_of_which_no_sample_can_be_made_cannot_be_used(upload):
    at = upload("other.csv", OTHER)
    choice(at, "Question").select_index(0)
    assert "Choose the column of the question or of the answer." in said(checked(at.run()))
    assert at.button(key="use_columns").disabled
    for field in ("Question", "Answer"):
        choice(at, field).select("asked")
    assert "asked is chosen for Question and Answer." in said(checked(at.run()))
    assert at.button(key="use_columns").disabled


def test_a_row_that_the_columns_do_not_fit_says_so_in_the_preview(upload):
    at = upload("other.jsonl", jsonl({"asked": "When?", "said": [5]}))
    choice(at, "Answer").select("said")
    assert table(checked(at.run()), "Row")[0]["Problem"] == "said is a list. Make it text."


@pytest.mark.parametrize("row", [GOOD, BED])
def test_the_same_data_are_kept_once_and_others_of_the_same_name_get_a_number(upload, row):
    upload("samples.jsonl", jsonl(row))
    before = session.store().uploads.names("local")
    at = upload("samples.jsonl", jsonl(row))
    assert "The same data were here already, as samples.jsonl." in said(at)
    assert session.store().uploads.names("local") == before

    at = upload("samples.jsonl", jsonl(GOOD, GOOD, GOOD))
    assert at.selectbox(key="dataset").value == "samples.jsonl (2)"
    assert (
        "There are other data called samples.jsonl, so these are called samples.jsonl (2)."
        in said(at)
    )
    assert "3 rows in the file, 3 usable" in said(at)
    assert len(kept("samples.jsonl (2)").samples) == 3
    assert session.store().uploads.names("local").items() > before.items()


@pytest.mark.parametrize("said", ["In May.", "In April."])
def test_other_columns_never_change_the_data_of_an_earlier_file(upload, said):
    upload("both.csv", "question,response\nWhen?,In May.")
    at = upload("both.csv", f"question,response,note\nWhen?,{said},In June.")
    choice(at, "Answer").select("note")
    checked(checked(at.run()).button(key="use_columns").click().run())
    assert kept("both.csv").samples[0].response == "In May."
    assert kept("both.csv (2)").samples[0].response == "In June."


def test_an_upload_can_be_deleted(upload):
    at = upload("samples.jsonl", jsonl(GOOD))
    press(at, "Delete for good")
    assert (
        at.selectbox(key="dataset").options[0] == at.selectbox(key="dataset").value + " (bundled)"
    )
    assert at.selectbox(key="dataset").proto.set_value
    assert "samples.jsonl (uploaded)" not in at.selectbox(key="dataset").options
    assert not at.file_uploader(key="upload_2").value
    assert session.store().uploads.names("local") == {}
    checked(at.switch_page("../pages/trace.py").run())
    assert at.selectbox(key="trace_dataset").value == "TRACE sample (English)"
    assert "no longer there" not in said(at)


def test_the_address_brings_back_the_chosen_data(upload, open_page):
    address = upload("samples.jsonl", jsonl(GOOD)).query_params["data"]
    assert open_page("datasets", data=address).selectbox(key="dataset").value == "samples.jsonl"
    assert "gone.csv is no longer there" in said(open_page("datasets", data="gone.csv"))


def test_answers_lead_to_the_form_that_scores_them_where_rgb_can_judge_them(upload):
    assert "Check answers on the RGB page" not in links(upload("bare.jsonl", jsonl(GOOD)))
    at = upload("answers.jsonl", jsonl({**GOOD, "ground_truth": "May"}))
    assert "Check answers on the RGB page" in links(at)
    checked(at.switch_page("../pages/rgb.py").run())
    assert at.selectbox(key="rgb_data").value == "answers.jsonl"
    assert "checking answers, need no key" in said(at)


@pytest.fixture
def hostile_page(upload: Upload, open_page: OpenPage) -> Callable[[str], AppTest]:
    """A page of a workspace whose data set,
    run and answers are hostile from the name to the cells.
    """
    row = {
        "question": HOSTILE,
        "response": HOSTILE,
        "retrieved_documents": [HOSTILE],
        "ground_truth": HOSTILE,
    }
    upload(
        f"{IMAGE}.jsonl",
        jsonl({"id": HOSTILE, "situation": HOSTILE, **row}, row | {"response": None}),
    )
    run = finished(kept(f"{IMAGE}.jsonl"), "trace", title=f"{IMAGE}.jsonl")
    samples = {"sample": "1", "failed sample": "2"}
    return lambda name: open_page(
        "sample" if name in samples else name, run=run.id, **{"sample": samples.get(name, "1")}
    )


@pytest.mark.parametrize("name", ["home", "datasets", "trace", "runs", "sample", "failed sample"])
def test_images_and_html_in_uploaded_text_are_shown_as_letters(hostile_page, name):
    at = hostile_page(name)
    assert not [text for text in markdown(at) if "![" in text]
    assert "<img" not in html(at)
    assert "<style>*" not in html(at)


@pytest.mark.parametrize(
    "content",
    [
        HOSTILE,
        jsonl({HOSTILE: 1}),
        jsonl({HOSTILE: "When?", "![x](x)": "In May."}),
        jsonl({**GOOD, "retrieved_documents": [{HOSTILE: 1}]}),
        jsonl(GOOD, {**GOOD, "retrieved_documents": [{HOSTILE: 1}]}),
    ],
)
def test_images_in_a_bad_file_are_shown_as_letters_in_every_message(upload, content):
    at = upload(f"{IMAGE}.jsonl", content)
    assert not [text for text in markdown(at) if "![" in text]


def kept(name: str) -> Dataset:
    data = session.store().uploads.get("local", name)
    assert isinstance(data, Dataset)
    return data


def choice(at: AppTest, field: str) -> Selectbox:
    """The choice of the column for a field."""
    return next(box for box in at.selectbox if box.label == field)


def links(at: AppTest) -> list[str]:
    return [link.proto.label for link in at.get("page_link")]


def labels(at: AppTest) -> list[str]:
    return [box.label for box in at.expander]


def words(at: AppTest) -> str:
    """All running text without marks of Markdown."""
    text = "\n".join(element.value for element in at.markdown)
    for mark in ("**", ":gray["):
        text = text.replace(mark, "")
    return ESCAPED.sub(r"\1", text.replace("  \n", " "))


def test_documents_that_are_file_names_are_asked_about(upload):
    rows = [
        {"question": "When?", "response": "In May.", "document": f"guide_{n}.pdf"} for n in (1, 2)
    ]
    at = upload("own.jsonl", jsonl(*rows))
    assert "document holds ids or names of documents, not their texts." in said(at)
    assert choice(at, "Documents").value is None
    at.button(key="use_columns").click()
    assert "question ← question · response ← response" in said(checked(at.run()))


VERSIONS = "question,response,prompt_version,owner\n" + "\n".join(
    f"{question},{version} of {question},{version},{owner}"
    for version, owner in (("v1", "ann"), ("v2", "bo"))
    for question in ("When?", "Why?")
)


def test_versions_in_a_column_are_proposed_and_another_column_can_be_chosen(upload):
    at = upload("own.csv", VERSIONS)

    compare_by = next(each for each in at.selectbox if each.label == "Compare by")
    assert compare_by.value == "prompt_version"
    assert compare_by.options == ["None", "prompt_version", "owner"]
    kept = session.source("own.csv")
    assert [sample.situation for sample in kept.samples] == ["v1", "v1", "v2", "v2"]
    assert kept.origin == {"group": "prompt_version"}

    compare_by.set_value("owner")
    at = checked(at.run())
    assert [sample.situation for sample in session.source("own.csv").samples] == [
        *["ann", "ann", "bo", "bo"]
    ]
    next(each for each in at.selectbox if each.label == "Compare by").select("None")
    checked(at.run())
    assert {sample.situation for sample in session.source("own.csv").samples} == {""}
    assert session.source("own.csv").origin == {}


def test_only_the_names_of_bundled_data_are_translated(open_page):
    keep_upload("Home", Sample(id="1", question="How tall?"))
    at = open_page("datasets")
    at.session_state["language"] = "zh_CN"

    at = checked(at.run())
    options = at.selectbox(key="dataset").options
    assert "TRACE 示例（英文）（内置）" in options
    assert "Home（已上传）" in options
