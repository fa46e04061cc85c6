"""A format is one file of `evaluators/exports`, and is then at every door."""

import importlib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluators import evaluate, exports, for_paper
from evaluators.errors import ParameterError
from evaluators.exports import formats
from evaluators.runs.examples import INVENTED
from evaluators.terminal import cli
from tests.pages.screen import press
from ui import session

MADE_UP = """
from evaluators.exports import ExportFormat

FORMAT = ExportFormat(
    "yaml", "Titles (YAML)", "The title of a run, or of a table.", ".yaml", 50,
    of_run=lambda view, by: [f"title: {view.run.title}".encode()],
    of_table=lambda table: f"table: {table.name}".encode(),
)
"""


@pytest.fixture
def made_up(tmp_path: Path):
    """The same as one more file in the folder."""
    (tmp_path / "titles_in_yaml.py").write_text(MADE_UP, encoding="utf-8")
    # Not the test's own `monkeypatch`: undone, it would take the store's folder back as well.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exports, "__path__", [*exports.__path__, str(tmp_path)])
        formats.cache_clear()
        yield importlib.reload(cli).main
    formats.cache_clear()
    importlib.reload(cli)


def test_a_new_format_is_at_every_door(made_up, open_page, tmp_path):
    results = evaluate("TRACE sample (English)", "trace", store=session.store(), progress=False)
    run = results.run

    page = open_page("trace", run=run.id)
    help_text = CliRunner().invoke(made_up, ["export", "--help"]).output
    printed = CliRunner().invoke(made_up, ["export", run.id, "--format", "yaml"])
    written = results.export(tmp_path / "run.yaml")
    for_paper(results, tmp_path / "paper")
    zipped = CliRunner().invoke(
        made_up, ["export", run.id, "--format", "paper", "-o", str(tmp_path / "paper.zip")]
    )

    assert "Titles (YAML)" in page.selectbox(key=f"file_{run.id}").options
    assert "yaml       The title of a run, or of a table." in help_text
    assert printed.output == f"title: {run.title}"
    assert written.read_text() == f"title: {run.title}"
    assert (tmp_path / "paper" / "values.yaml").read_text() == "table: values"
    assert zipped.exit_code == 0
    assert "values.yaml" in zipfile.ZipFile(tmp_path / "paper.zip").namelist()


def test_python_writes_by_the_ending_or_by_name(open_page, tmp_path):
    open_page("home")
    results = evaluate("TRACE sample (English)", "trace", store=session.store(), progress=False)

    by_ending = results.export(tmp_path / "values.CSV").read_bytes()
    by_name = results.export(tmp_path / "any.txt", "latex").read_text()

    assert by_ending.startswith(b"\xef\xbb\xbfsample,id,")
    assert r"\toprule" in by_name
    with pytest.raises(
        ParameterError, match=r"There is no format 'run\.docx'\. Name one: plumbline"
    ):
        results.export(tmp_path / "run.docx")
    assert not (tmp_path / "run.docx").exists()


def test_a_file_is_called_by_what_it_is_of(open_page):
    def names(page: str, **query: str) -> str:
        return " ".join(each.proto.id for each in open_page(page, **query).get("download_button"))

    stem = "find_the_invented_sentence_illustration-example-invented-sentence.html"
    assert stem in names("trace", run=INVENTED)


def test_the_lines_for_a_frame_are_there_where_a_site_may_show_one(open_page, filled, monkeypatch):
    frame = f'?run={filled.trace.id}&embed=true" title="Plumbline" width="100%"'

    def lines(**query: str) -> str:
        return "".join(code.value for code in open_page("trace", **query).code)

    assert "<iframe" not in lines(run=filled.trace.id)
    monkeypatch.setenv("PLUMBLINE_FRAMED_BY", "https://lms.school.edu")
    assert frame in lines(run=filled.trace.id)


def test_a_visitors_own_run_has_none_which_would_open_the_workspace(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_FRAMED_BY", "https://lms.school.edu")
    at = open_page("trace", run=INVENTED)
    assert "<iframe" in "".join(code.value for code in at.code)
    mine = press(at, "Make it yours")
    assert "<iframe" not in "".join(code.value for code in mine.code)
