"""A run as a file in the terminal: written, opened, refused."""

from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import FINE, WRONG


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
