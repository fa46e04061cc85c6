"""Wrong values for every argument of what works on runs, files and stores: each is taken, or
refused by an error of ours that says what was given.
"""

import inspect
import io
from contextlib import suppress
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import evaluators
from evaluators import PlumblineError, Results, compare, evaluate, open_run
from evaluators.datasets.bundled import ENGLISH_BED
from evaluators.declared import as_declared
from evaluators.errors import ParameterError

ROW = {
    "question": "How tall is the tower?",
    "response": "The tower is 330 metres tall.",
    "retrieved_documents": ["The tower is 330 metres tall. It stands in Paris."],
}
FUNCTIONS = {
    "batch_schema": {"metrics": "trace"},
    "check_scores": {"first": [{**ROW, "faithfulness": 1.0, "supported": True}], "scores": "faithfulness", "of": "adherence", "against": "supported"},
    "compose": {"abilities": "noise_robustness", "noise_levels": 0.0, "sample": 1},
    "estimate": {"dataset": [ROW], "metrics": "trace", "progress": False},
    "evaluate": {"dataset": [ROW], "metrics": "trace", "progress": False},
    "evaluate_batch_files": {"data": "rows.jsonl", "output": "results", "metrics": "trace", "progress": False},
    "evaluate_record_batch": {"batch": pa.RecordBatch.from_pylist([ROW]), "metrics": "trace"},
    "for_paper": {"folder": "paper"},
    "load_data": {"data": [ROW], "on_remark": len},
    "log_run": {},
    "mlflow_scorer": {"metric": "trace"},
    "open_run": {"path": "run.plumbline"},
    "compare": {},
    "leaderboard": {},
    "make_bed": {"documents": "mill.txt", "questions": [ROW], "on_remark": len},
}  # fmt: skip
"""Every public function that takes data or results, with what is right for it."""
ELSEWHERE = {"ask", "connect", "evaluator", "fenced", "require"}
METHODS = {
    "again": {"progress": False},
    "correct": {"labels": {"1": 1}},
    "export": {"path": "values.csv"},
    "flaws": {},
    "plant_errors": {"progress": False},
    "probabilities": {},
    "rename": {"title": "Tuesday"},
    "report": {"path": "report.html"},
    "save": {"path": "run.plumbline"},
    "sheet": {"path": "sheet.html", "n": 1},
    "summary": {},
    "try_examples": {"progress": False},
    "under": {},
}  # fmt: skip
"""Every method of results that takes an argument."""


def wrong_values():
    return [
        None, 5, -1, 10**30, 10**400, 1.5, float("nan"), True, "x", "", "x" * 5000, "\ud800", "a\0b", b"x", [], [None], [[]], {"a": 1}, {1}, object(),
        int, len, Path(), io.StringIO("x"), np.array([1, 2]), np.array(["a", "b"]), pd.DataFrame({"a": [1]}), pd.Series([1]), pd.NA, iter([1]),
    ]  # fmt: skip


def refuse_or_take(function, right, parameters):
    """Tries every wrong value as every argument; all others stay right."""
    for name, parameter in parameters.items():
        # A function of one's own raises what it likes.
        if name == "on_remark":
            continue
        for value in wrong_values():
            call = {**right, name: value}
            # An argument that has no name for callers is given by its place.
            by_place = [call.pop("first")] if "first" in call else []
            if parameter.kind is parameter.VAR_POSITIONAL:
                by_place.append(call.pop(name))
            with suppress(PlumblineError):
                function(*by_place, **call)


@pytest.fixture
def results(data_folder, monkeypatch):
    monkeypatch.chdir(data_folder)
    (data_folder / "mill.txt").write_text("The tower is 330 metres tall.")
    (data_folder / "rows.jsonl").write_bytes(pa.RecordBatch.from_pylist([ROW]).to_pandas().to_json(orient="records", lines=True).encode())  # fmt: skip
    return evaluate([ROW], "trace", progress=False)


@pytest.mark.parametrize("door", FUNCTIONS)
def test_no_argument_of_a_function_ends_in_a_bare_error(door, results):
    results.save("run.plumbline")
    right = {
        "compose": {"bed": evaluators.load_data(ENGLISH_BED)},
        "for_paper": {"of": results},
        "compare": {"first": results},
        "leaderboard": {"runs": results},
        "log_run": {"results": results},
    }.get(door, {})
    function = getattr(evaluators, door)

    refuse_or_take(function, FUNCTIONS[door] | right, inspect.signature(function).parameters)


@pytest.mark.parametrize("method", METHODS)
def test_no_argument_of_results_ends_in_a_bare_error(method, results):
    function = getattr(results, method)

    refuse_or_take(function, METHODS[method], inspect.signature(function).parameters)


def test_no_path_of_a_comparison_ends_in_a_bare_error(results):
    comparison = compare(results, evaluate([ROW | {"response": "No."}], "trace", progress=False))

    refuse_or_take(comparison.report, {}, inspect.signature(comparison.report).parameters)


def test_every_public_function_and_method_of_results_is_tried():
    functions = {
        name for name in evaluators.__all__ if inspect.isfunction(getattr(evaluators, name))
    }
    methods = {
        name
        for name, method in inspect.getmembers(Results, inspect.isfunction)
        if not name.startswith("_") and len(inspect.signature(method).parameters) > 1
    }

    assert functions == FUNCTIONS.keys() | ELSEWHERE
    assert methods - {"failures_in"} == METHODS.keys()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda run: evaluate([ROW], "trace", cap=5), "cap is 5. Give Cap or None."),
        (lambda run: evaluate([ROW], "trace", keys=5), "keys is 5. Give a mapping (a text to Access) or None."),
        (lambda run: evaluate([ROW], "trace", store="x"), "store is 'x'. Give Store or None."),
        (lambda run: evaluate([ROW], "trace", columns=["a"]), "columns is ['a']. Give a mapping (a text to a text) or None."),
        (lambda run: evaluate([ROW], "trace", use_cache=pd.Series([1])), "use_cache is a Series. Give True or False."),
        (lambda run: compare(5, run), "first is 5. Give Results or a text or a path."),
        (lambda run: compare("a", run), "There is no run file 'a'. Give what evaluate gave, or such a file"),
        (lambda run: compare(run, models=5), "models is 5. Give a list (each a whole number or a text)."),
        (lambda run: run.sheet("x", n="3"), "n is '3'. Give a whole number."),
        (lambda run: run.rename(5), "title is 5. Give a text."),
        (lambda run: run.correct(against="heuristic"), 'against is \'heuristic\'. Give "people" or "gold".'),
        (lambda run: run.correct({"1": "x"}), "The label of sample '1' is 'x'. Write 1 for yes"),
        (lambda run: run.report(5), "path is 5. Give a text or a path."),
        (lambda run: run.report("."), ". cannot be written (Is a directory). Mend that, or name another."),
        (lambda run: open_run("gone"), "There is no run file 'gone'. Give what evaluate gave, or such a file"),
        (lambda run: open_run("x" * 5000), "There is no run file 'xxxxxxxxxxxx...xxxxxxxxxxxxx'."),
        (lambda run: evaluators.batch_schema("trace", by="model"), "by is 'model'. Give a list (each a text)."),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_was_given_and_what_to_give(call, words, results):
    with pytest.raises(PlumblineError) as refused:
        call(results)

    assert str(refused.value).startswith(words)


@pytest.mark.parametrize("workers", [-1, 0, 1.5, "2"])
def test_workers_are_a_whole_number(workers, results):
    with pytest.raises(ParameterError, match=r"workers is .*Give a whole number"):
        evaluators.evaluate_batch_files("rows.jsonl", "out", "trace", workers=workers)


@pytest.mark.parametrize(
    ("declared", "value", "read"),
    [
        (list[str] | None, None, None),
        (bool, 1, 1),
        (bool, np.True_, True),
        (int, np.int64(3), 3),
        (float, 1, 1),
        (str, np.array("a"), "a"),
        (Literal["a", "b"], "b", "b"),
    ],
)
def test_what_is_nearly_of_its_type_is_taken(declared, value, read):
    assert as_declared(declared, value, "x") == read


def test_a_column_or_an_array_is_a_list(results):
    other = evaluate([ROW | {"response": "No."}], "trace", progress=False)

    comparison = compare(results, other, models=pd.Series([0, 0]), labels=np.array(["heuristic"]))
    assert [side.counted.by for side in comparison.sides] == ["heuristic", "heuristic"]


def test_labels_of_a_column_go_by_its_index(results):
    assert results.correct(pd.Series({"1": True})) == results.correct({"1": True})
