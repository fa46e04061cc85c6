"""Tables and figures for a paper in the terminal and in Python: the same files at both doors."""

import zipfile

import pytest

from evaluators import for_paper
from evaluators.api.comparing import compare
from evaluators.errors import ParameterError
from evaluators.runs.inputs import local_store
from evaluators.terminal.exit_codes import FINE, WRONG
from tests.comparison.made import results

QUESTIONS = ["Who?", "What?", "When?", "Where?"]
OF_A_RUN = ["values.svg", "values.csv", "values.tex", "values.md"]
OF_A_COMPARISON = [name.replace("values", "differences") for name in OF_A_RUN]


@pytest.fixture
def runs():
    store = local_store()
    return [
        results(store, "old", QUESTIONS, [1, 0, 0, 0]),
        results(store, "new", QUESTIONS, [1, 1, 1, 1]),
        results(store, "third", QUESTIONS, [0, 0, 1, 1]),
    ]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("latex", "Answer match & 0.25 [0.05, 0.70] & 4 / 4"),
        ("markdown", "| Answer match | 0.25 [0.05, 0.70] | 4 / 4 |"),
    ],
)
def test_tables_are_printed(plumbline, runs, kind, words):
    found = plumbline("export", "old", "--format", kind)

    assert found.exit_code == FINE
    assert words in found.stdout


def test_all_of_it_goes_into_a_zip(plumbline, runs):
    found = plumbline("export", "old", "--format", "paper", "-o", "p.zip", "--width", "single")
    compared = plumbline("compare", "old", "new", "--paper", "d.zip")

    assert (found.exit_code, compared.exit_code) == (FINE, FINE)
    with zipfile.ZipFile("p.zip") as archive:
        assert archive.namelist() == OF_A_RUN
        assert b'width="85mm"' in archive.read("values.svg")
    with zipfile.ZipFile("d.zip") as archive:
        assert archive.namelist() == OF_A_COMPARISON


def test_a_width_that_is_none_is_refused(plumbline, runs):
    assert plumbline("export", "old", "--width", "wide").exit_code == WRONG
    with pytest.raises(ParameterError, match="There are: single, double, slide"):
        for_paper(runs[0], "folder", width="wide")


def test_python_writes_the_same_files_into_a_folder(runs):
    old, new, third = runs

    of_run = for_paper(old, "paper/run", width="slide")
    for_paper(compare(old, new), "paper/two")
    of_three = for_paper(compare(old, new, third), "paper/three")

    assert [path.name for path in of_run] == OF_A_RUN
    assert 'width="300mm"' in of_run[0].read_text(encoding="utf-8")
    names = {path.name for path in of_three}
    assert {"differences_1.svg", "differences_2.svg", "differences_2.tex"} <= names
