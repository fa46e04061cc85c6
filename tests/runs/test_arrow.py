"""Tables of other libraries come in by the stream of Arrow, and results go out as one."""

import re
from pathlib import Path

import pyarrow
import pytest

from evaluators import evaluate
from evaluators.runs.store import Store

ROWS = {
    "question": ["When was it built?", "How tall is it?"],
    "response": ["In 1889.", "10 metres"],
    "ground_truth": ["1889", "330 metres"],
    "retrieved_documents": [["It was built in 1889."], ["It is 330 metres tall.", "Old."]],
}


class OfAnotherLibrary:
    """Nothing but the stream, as a relation of DuckDB or a frame of polars has it."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pyarrow.table(ROWS).__arrow_c_stream__(requested_schema)


def of(library):
    if library == "stream":
        return OfAnotherLibrary()
    if library == "pyarrow":
        return pyarrow.table(ROWS)
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    table = pyarrow.table(ROWS)
    if library == "polars":
        return module.from_arrow(table)
    if library == "duckdb":
        return module.from_arrow(table)
    return module.Dataset(table)


@pytest.mark.parametrize("library", ["stream", "pyarrow", "polars", "duckdb", "datasets"])
def test_a_table_of_any_library_is_judged_and_comes_back(library):
    results = evaluate(of(library), ["answer_match"], store=Store(":memory:"), progress=False)

    table = results.to_arrow()

    assert table.column("question").to_pylist() == ROWS["question"]
    assert table.column("answer_match").to_pylist() == [0.0, 0.0]
    assert table.column_names == list(results.to_pandas().columns)


DATA = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
[SECTION] = re.findall(r"^## Data frames\n(.*?)^## ", DATA, re.DOTALL | re.MULTILINE)
RECIPES = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
LIBRARIES = [code.split()[1] for code in RECIPES]


def test_each_library_has_a_recipe():
    assert LIBRARIES == ["pyarrow", "polars", "duckdb", "datasets"]


@pytest.mark.parametrize(
    ("library", "code"), [*zip(LIBRARIES, RECIPES, strict=True)], ids=LIBRARIES
)
def test_the_code_of_the_docs_runs(library, code, data_folder, capsys):
    pytest.importorskip(library, reason=f"{library} is not installed")

    exec(code, {})

    assert len(code.splitlines()) <= 15
    row = {"question": "When?", "answer_match": 0.0}
    assert capsys.readouterr().out.strip() in (str([row]), str([tuple(row.values())]))
