"""What a session keeps of a file that came to nothing: words, and neither the file nor its error."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from evaluators.errors import DatasetError
from evaluators.records import Reason
from ui.parts import problems


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("junk.jsonl", b"\0\1\2\3" * 100),
        ("half.xlsx", b"PK\x03\x04" + b"x" * 100),
        ("half.parquet", b"PAR1" + b"x" * 100),
        ("broken.csv", b"a,b\n"),
    ],
)
def test_a_session_keeps_the_words_of_a_refusal_and_no_error(upload, name, content):
    at = upload(name, content)

    # Behind an exception stand the frames that it came through, with the whole file.
    assert isinstance(at.session_state["upload_problem"], Reason)


def test_below_a_refused_file_no_other_data_stand_until_some_are_chosen(upload):
    at = upload("broken.csv", b"a,b\n")

    assert at.error
    assert at.selectbox(key="dataset").value is None
    assert not at.dataframe
    assert not at.warning
    at = at.selectbox(key="dataset").set_value("TRACE sample (English)").run()
    assert at.dataframe


def test_a_click_that_failed_leaves_words_behind(monkeypatch):
    kept: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", kept)

    problems.keep(DatasetError("Too many bytes."), "here")

    assert [type(value) for value in kept.values()] == [Reason]


def test_twenty_refused_files_weigh_nothing_while_their_sessions_live(open_page):
    size = 2**20

    def refused() -> AppTest:
        at = open_page("datasets")
        at.file_uploader(key="upload_0").upload("junk.jsonl", b"\0\1" * (size // 2)).run()
        return at

    sessions = [refused()]
    gc.collect()
    tracemalloc.start()
    try:
        sessions += [refused() for _ in range(3)]
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(sessions) == 4
    assert grown / 3 < 1.6 * size
