"""Datasets: a good file is kept, a bad one is answered with row and remedy, a hostile one stays text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.runs.engine import create_run
from evaluators.types import Dataset, EvaluatorSpec
from ui import session

from .conftest import OpenPage, Upload, checked, finish
from .screen import html, jsonl, markdown, said, table

GOOD = {"question": "When?", "response": "In May.", "retrieved_documents": ["It was in May.", "Tea is hot."]}
HEADER = "question,response,retrieved_documents"
IMAGE = "![x](http://127.0.0.1:9/x.png)"
HOSTILE = f"{IMAGE} <img src=http://127.0.0.1:9/y.png onerror=alert(1)><style>*{{color:red}}</style>"
BED = {"id": 1, "query": "When?", "answer": "May", "positive": ["It was in May."], "negative": ["Tea is hot."]}


def test_bundled_data_is_there_without_an_upload(open_page: OpenPage) -> None:
    at = open_page("datasets")
    assert at.selectbox(key="dataset").options == [
        "RGB sample (English) (bundled)",
        "RGB sample (Chinese) (bundled)",
        "TRACE sample (English) (bundled)",
    ]
    assert "RGB test bed · 48 rows" in said(at)


@pytest.mark.parametrize("name", ["RGB sample (Chinese)", "TRACE sample (English)"])
def test_every_bundled_data_set_has_a_preview(open_page: OpenPage, name: str) -> None:
    at = open_page("datasets")
    at.selectbox(key="dataset").set_value(name)
    assert table(checked(at.run()), "id")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("samples.jsonl", jsonl(GOOD, GOOD)),
        ("samples.json", f"[{jsonl(GOOD)}, {jsonl(GOOD)}]"),
        (
            "samples.csv",
            f'{HEADER}\nWhen?,In May.,"[""It was in May."", ""Tea is hot.""]"\nWhen?,In May.,It was in May.',
        ),
        ("samples.tsv", "question\tresponse\tcontexts\nWhen?\tIn May.\tIt was.\nWhen?\tIn May.\tTea is hot."),
    ],
)
def test_a_good_file_is_read_chosen_and_previewed(upload: Upload, name: str, content: str) -> None:
    at = upload(name, content)
    assert not at.error
    assert at.selectbox(key="dataset").value == name
    assert "Samples · 2 rows" in said(at)
    assert [row["question"] for row in table(at, "id")] == ["When?", "When?"]


def test_the_form_begins_with_what_was_looked_at_last(upload: Upload) -> None:
    at = upload("own.jsonl", jsonl(BED))
    at.switch_page("../pages/rgb.py")
    assert checked(at.run()).selectbox(key="rgb_bed").value == "own.jsonl"


def test_a_file_says_for_each_evaluator_how_many_rows_serve_it(upload: Upload) -> None:
    at = upload("samples.jsonl", jsonl(GOOD, {**GOOD, "response": None}))
    trace = next(row for row in table(at, "Evaluator") if row["Evaluator"] == "TRACE (heuristic)")
    assert trace["Usable"] == "1 / 2"
    assert "response missing in 1" in trace["Needs"]


def test_an_rgb_test_bed_is_recognised(upload: Upload) -> None:
    assert "RGB test bed · 1 rows · tests noise robustness, negative rejection" in said(upload("bed.json", jsonl(BED)))


BAD_FILES = {
    "empty": ("bad.csv", b"", ("bad.csv is empty", "Choose a file with rows")),
    "only a header": ("bad.csv", HEADER, ("holds no rows", "Check that the right file was chosen")),
    "binary": ("bad.csv", bytes(range(256)), ("bad.csv is no text", "Save the data as CSV, JSON")),
    "a picture": ("bad.csv", b"\x89PNG\r\n\x1a\n\x00", ("bad.csv is a picture", "Save the data as CSV")),
    "broken line": ("bad.jsonl", "\n".join([jsonl(GOOD)] * 16 + ["{oops"]), ("Row 17", "Correct or remove it")),
    "no response column": ("bad.csv", "question,text\nWhen?,It was.", ("no column response", "Rename or add one")),
    "empty question": ("bad.csv", f"{HEADER}\nWhen?,May,d\n  ,May,d", ("Row 2: the question is empty", "Fill it in")),
    "too many cells": ("bad.csv", f"{HEADER}\nWhen?,In May, 1994,d", ("Row 1", "Quote cells that hold the delimiter")),
    "open quotation mark": ("bad.csv", f'{HEADER}\n"When?,May,d', ("quotation mark",)),
    "a list for an answer": ("bad.jsonl", jsonl({**GOOD, "response": ["May"]}), ("Row 1: response is a list", "Make")),
    "a number for a document": (
        "bad.jsonl",
        jsonl({**GOOD, "retrieved_documents": [7]}),
        ("Row 1: document 1", "Make"),
    ),
    "nested too deeply": ("bad.jsonl", "[" * 100_000, ("Row 1: nested more than 64 deep", "Flatten it")),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_answered_with_row_and_remedy_and_changes_nothing(
    open_page: OpenPage, upload: Upload, case: str
) -> None:
    name, content, words = BAD_FILES[case]
    upload("earlier.jsonl", jsonl(GOOD))
    at = upload(name, content)
    for word in words:
        assert word in said(at, "error")
    assert "earlier.jsonl (uploaded)" in open_page("datasets").selectbox(key="dataset").options
    assert list(session.store().uploads("local")) == ["earlier.jsonl"]


def test_many_bad_rows_are_counted_and_the_first_five_shown(upload: Upload) -> None:
    at = upload("bad.csv", HEADER + "\n,May,d" * 9)
    assert "Row 5: the question is empty" in said(at, "error")
    assert "(and 4 more rows)" in said(at, "error")


def test_an_upload_of_the_same_name_replaces_the_earlier_one(upload: Upload) -> None:
    upload("samples.jsonl", jsonl(GOOD))
    at = upload("samples.jsonl", jsonl(GOOD, GOOD, GOOD))
    at.selectbox(key="dataset").set_value("samples.jsonl")
    assert "Samples · 3 rows" in said(checked(at.run()))


def test_an_upload_can_be_deleted(upload: Upload) -> None:
    at = upload("samples.jsonl", jsonl(GOOD))
    next(button for button in at.button if button.label == "Delete this upload").click()
    checked(at.run())
    assert "samples.jsonl (uploaded)" not in at.selectbox(key="dataset").options
    assert session.store().uploads("local") == {}


@pytest.fixture
def hostile_page(upload: Upload, open_page: OpenPage) -> Callable[[str], AppTest]:
    """A page of a workspace whose data set, run and answers are hostile from the name to the cells."""
    row = {"question": HOSTILE, "response": HOSTILE, "retrieved_documents": [HOSTILE], "ground_truth": HOSTILE}
    upload(f"{IMAGE}.jsonl", jsonl({"id": HOSTILE, "situation": HOSTILE, **row}, row | {"response": None}))
    store, data = session.store(), session.store().upload("local", f"{IMAGE}.jsonl")
    assert isinstance(data, Dataset)
    run = create_run(store, data, EvaluatorSpec(name="trace"), workspace="local", title=data.name)
    finish(run, store)
    samples = {"sample": "1", "failed sample": "2"}
    return lambda name: open_page(
        "sample" if name in samples else name, run=run.id, **{"sample": samples.get(name, "1")}
    )


@pytest.mark.parametrize("name", ["home", "datasets", "trace", "runs", "sample", "failed sample"])
def test_images_and_html_in_uploaded_text_are_shown_as_letters(
    hostile_page: Callable[[str], AppTest], name: str
) -> None:
    at = hostile_page(name)
    assert not [text for text in markdown(at) if "![" in text]
    assert "<img" not in html(at)
    assert "<style>*" not in html(at)


@pytest.mark.parametrize(
    "content", [HOSTILE, jsonl({HOSTILE: 1}), jsonl({**GOOD, "retrieved_documents": [{HOSTILE: 1}]})]
)
def test_images_in_a_bad_file_are_shown_as_letters_in_the_message(upload: Upload, content: str) -> None:
    at = upload(f"{IMAGE}.jsonl", content)
    assert at.error
    assert not [text for text in markdown(at) if "![" in text]
