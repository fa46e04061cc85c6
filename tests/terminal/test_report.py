"""`report` in the terminal: it writes the page, or says in a line why it cannot."""

from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import FINE, WRONG
from tests.comparison.made import results


def test_a_report_is_written(plumbline, tmp_path):
    results(local_store(), "old", ["a?", "b?"], [1.0, 0.0])
    file = tmp_path / "report.html"

    found = plumbline("report", "old", "-o", str(file))

    assert found.exit_code == FINE
    assert f"{file}: open it in a browser." in found.stderr
    assert '<h1 dir="auto">old</h1>' in file.read_text("utf-8")


def test_where_no_file_can_be_written_a_line_says_so(plumbline, tmp_path):
    results(local_store(), "old", ["a?"], [1.0])

    found = plumbline("report", "old", "-o", str(tmp_path / "no" / "report.html"))

    assert found.exit_code == WRONG
    assert "No such file or directory" in found.stderr


def test_a_comparison_writes_its_report_as_well(plumbline, tmp_path):
    results(local_store(), "old", ["a?", "b?"], [1.0, 0.0])
    results(local_store(), "new", ["a?", "b?"], [1.0, 1.0])
    file = tmp_path / "comparison.html"

    found = plumbline("compare", "old", "new", "--report", str(file))

    assert found.exit_code == FINE
    assert "new against old" in file.read_text("utf-8")


def test_a_sheet_and_its_key_are_written(plumbline, tmp_path):
    file = tmp_path / "sheet.html"
    plumbline("run", "--data", "TRACE sample (English)", "--metric", "trace")

    for options, heading in (([], "What do"), (["--key"], "Key: What do")):
        found = plumbline("sheet", "last", "-n", "2", "-o", str(file), *options)
        assert found.exit_code == FINE
        assert f"{file}: open it in a browser and print it." in found.stderr
        assert f'<h1 dir="auto">{heading}' in file.read_text("utf-8")


def test_of_a_run_without_labels_a_line_says_why_there_is_no_sheet(plumbline, tmp_path):
    results(local_store(), "old", ["a?"], [1.0])

    found = plumbline("sheet", "old", "-o", str(tmp_path / "sheet.html"))

    assert found.exit_code == WRONG
    assert "A sheet takes a TRACE run" in found.stderr
