"""A run file on the Runs page: the run opens, and what is none is refused in words."""

import pytest

from evaluators.run_files.contents import RESULTS
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from tests.pages.conftest import checked
from tests.pages.screen import said, state
from tests.run_files.test_host_limits import LIMITS, VISITOR, long_reason, run_file
from tests.run_files.test_run_files import with_line
from ui import session


def test_a_run_file_opens_as_the_run_that_it_was(open_page, filled):
    data = written(filled.store, filled.trace)
    filled.store.runs.delete(filled.trace.id)
    at = open_page("runs")

    at = checked(at.file_uploader(key="run_file_0").upload("mine.plumbline", data).run())

    assert state(at) == "24 answers checked"
    assert [run.title for run in session.store().runs.newest("local")] == [
        filled.trace.title,
        filled.rgb.title,
    ]


def test_an_edited_file_is_found_out_on_the_page_of_its_run(open_page, filled):
    fine = written(filled.store, filled.trace)
    values = with_line(fine, RESULTS, lambda result: result["score"]["values"].update(adherence=7))
    for data, words in (
        (fine, "Opened from a file. Recomputed: 144 values, all the same."),
        (values, "Recomputed: 1 result does not follow from the answers and labels (samples 1)"),
    ):
        run = opened(data, filled.store, "local")
        assert words in said(open_page("trace", run=run.id))


def test_a_file_that_is_none_is_refused(open_page):
    at = open_page("runs")

    at.file_uploader(key="run_file_0").upload("mine.plumbline", b"PK\x03\x04")

    assert "This is not a run file, or it is damaged." in said(checked(at.run()))


@pytest.mark.parametrize("name", LIMITS)
def test_a_file_beyond_a_limit_of_the_host_is_refused_whole(open_page, monkeypatch, name):
    limit, store = LIMITS[name], session.store()
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    store.mappings.save(VISITOR, ["question"], {})
    if name == "runs kept":
        opened(long_reason(run_file()), store, VISITOR)
    before = store.runs.ids(VISITOR)
    for variable, value in limit.variables.items():
        monkeypatch.setenv(variable, str(value))
    at = open_page("runs", w=VISITOR)

    at.file_uploader(key="run_file_0").upload("mine.plumbline", limit.change(run_file()))
    at = checked(at.run())

    words = said(at, "error")
    assert all(part in words for part in limit.words), words
    assert store.runs.ids(VISITOR) == before
