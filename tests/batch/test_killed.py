"""Whatever is killed, and whenever: the results are whole after going on, and no row is there twice."""

import json
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from evaluators.batch.columns import columns_of, schema_of
from evaluators.batch.engine import Engine, Step
from evaluators.batch.function import free_scorer
from evaluators.batch.pieces import Piece, Reading
from evaluators.batch.sources import Fragment
from evaluators.batch.worker import Task
from evaluators.catalogue import catalogue
from evaluators.config import config
from evaluators.datasets.guess import Guess, Shape
from evaluators.runs.pool import Pool
from tests.batch.files import COLUMNS, json_lines, results, row, started
from tests.batch.fragile import DEADLY, FragileTask

ROOT = Path(__file__).parents[2]
PATIENCE = 240
FILES = 6
QUESTIONS = ("Why?", DEADLY, "Who?", None)
ROWS = 500


def command(folder: Path, *options: str) -> subprocess.Popen:
    return started(folder, "--workers", "2", *(options or ("--metric", "trace")))


def finished(folder: Path) -> int:
    return len(list((folder / "out").glob("*.parquet")))


def until(process: subprocess.Popen, condition) -> None:
    """Waits for it; whatever ends the process before is told."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.02)


def workers_of(process: subprocess.Popen) -> list[psutil.Process]:
    """Those that judge pieces, of either engine."""
    return processes_of(process, "evaluators.runs.worker", "_reply_in_time")


def processes_of(process: subprocess.Popen | psutil.Process, *words: str) -> list[psutil.Process]:
    """Those below this one in whose command one of these words stands."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        with suppress(psutil.Error):
            line = " ".join(child.cmdline())
            if any(word in line for word in words):
                found.append(child)
    return found


@pytest.fixture
def logs(data_folder):
    """A folder with files of logs, and what their rows are called."""
    names = []
    for number in range(FILES):
        rows = [row(f"{number}-{at}", answer_text=f"It is {at} m tall.") for at in range(ROWS)]
        json_lines(data_folder / "in" / f"{number}.jsonl", rows)
        names += [each["id"] for each in rows]
    return data_folder, names


def test_a_killed_driver_and_killed_workers_lose_no_row(logs):
    folder, names = logs
    moments = random.Random(20)

    # The driver twice, at a moment after so many files; in between a worker dies.
    for _ in range(2):
        process = command(folder)
        goal = min(FILES - 1, finished(folder) + moments.randint(1, 2))
        until(process, lambda goal=goal: finished(folder) >= goal)
        time.sleep(moments.random() / 5)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        if finished(folder) < FILES:
            assert not (folder / "out" / "_manifest.json").exists()
    process = command(folder)
    until(process, lambda: workers_of(process) or process.poll() is not None)
    for worker in workers_of(process)[:1]:
        worker.kill()
    told, _ = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0, told
    every = results(folder / "out")
    assert [each["id"] for each in every] == names
    assert {each["trace_status"] for each in every} == {"scored"}
    # In a process that finds all of it finished, and writes nothing but the manifest.
    process = command(folder)
    told, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told
    manifest = json.loads((folder / "out" / "_manifest.json").read_text())
    assert manifest["rows"] == FILES * ROWS


def test_a_row_that_ends_its_process_is_a_row_with_its_error_and_the_others_are_judged():
    metric = catalogue()["answer_match"]()
    columns = columns_of([metric])
    rows = [row(at, ground_truth="x", question=text) for at, text in enumerate(QUESTIONS)]
    lines = tuple((at, json.dumps(each)) for at, each in enumerate(rows, start=1))
    guess = Guess(Shape.PLAIN, "", 1.0, {**COLUMNS, "ground_truth": "ground_truth"})
    task = FragileTask(Reading(guess, {}), (metric.spec(),), columns, (), config())
    nothing = Task(task.reading, (), (), (), config())
    workers = Pool(1)
    fragment = Fragment("a.jsonl", "a.jsonl", 0, "")

    with Engine(task, workers, schema_of(columns), nothing, free_scorer(())) as engine:
        [(_, batch)] = engine.results(iter([Step(fragment, Piece(entries=lines))]))
        found = batch.result().to_pylist()

    assert [each["row"] for each in found] == [1, 2, 3, 4]
    states = [each["answer_match_status"] for each in found]
    assert states == ["scored", "failed", "scored", "failed"]
    assert "The process that worked on this sample ended" in found[1]["answer_match_error"]
    assert found[3]["answer_match_error"] == "question is missing. Add it."
