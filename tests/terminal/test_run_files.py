"""A run as a file in the terminal: written, opened, refused."""

import json

from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.run_files.contents import RESULTS
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import BELOW, FINE, WRONG
from tests.run_files.test_run_files import with_line


def test_a_run_goes_into_a_file_and_comes_out_again(plumbline):
    plumbline("run", "--data", TRACE_SAMPLES, "--metric", "trace", "--title", "Mine")
    done = plumbline("export", "last", "--format", "plumbline", "-o", "run.plumbline")
    [run] = local_store().runs.newest("local")
    local_store().runs.delete(run.id)

    found = plumbline("open", "run.plumbline")

    assert (done.exit_code, found.exit_code) == (FINE, FINE)
    assert "Mine: finished, 24 answers checked" in found.stdout
    assert local_store().runs.newest("local")[0].title == "Mine"


def test_a_file_that_is_none_is_refused(plumbline, data_folder):
    (data_folder / "x.plumbline").write_bytes(b"PK")

    found = plumbline("open", "x.plumbline")

    assert found.exit_code == WRONG
    assert "This is not a run file, or it is damaged." in found.stderr


def test_a_run_is_done_again_and_an_edited_file_differs(plumbline, data_folder):
    plumbline("run", "--data", TRACE_SAMPLES, "--metric", "trace")
    plumbline("export", "last", "--format", "plumbline", "-o", "run.plumbline")
    data = (data_folder / "run.plumbline").read_bytes()
    edited = with_line(data, RESULTS, lambda line: line["score"]["values"].update(adherence=0.5))
    (data_folder / "edited.plumbline").write_bytes(edited)

    same = plumbline("again", "last")
    opened = plumbline("open", "edited.plumbline")
    other = plumbline("again", "edited.plumbline", "--json")

    assert (same.exit_code, same.stdout) == (FINE, "Reproduced: all 144 values are the same.\n")
    assert opened.exit_code == other.exit_code == BELOW
    assert "1 result does not follow from the answers and labels (samples 1)" in opened.stdout
    assert json.loads(other.stdout)["differing"][0]["position"] == 0
