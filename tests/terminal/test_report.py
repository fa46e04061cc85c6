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
