"""The engine ray: the same results as the local one, whatever is killed."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import ray

from evaluators import Cap, evaluate_batch_files
from evaluators.batch.cluster import STORE_BYTES, RayWorkers
from evaluators.errors import ParameterError, WorkerError
from tests.batch.files import COLUMNS, json_lines, parquet, results, row
from tests.batch.fragile import Deadly, OfAnotherVersion
from tests.batch.test_judged import JUDGE, ROWS, WORKERS, judged, logs, server
from tests.batch.test_killed import processes_of

__all__ = ["logs", "server"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def one_ray():
    """Started once, as it takes seconds; a batch uses the Ray that is there."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        "local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=STORE_BYTES,
    )
    yield
    ray.shutdown()


def free_in_cluster(folder, output="out", engine="ray", **options):
    return evaluate_batch_files(
        folder / "in",
        folder / output,
        "trace",
        columns=COLUMNS,
        engine=engine,
        workers=2,
        progress=False,
        **options,
    )


def test_it_gives_what_the_local_engine_gives(data_folder):
    rows = [row(number, answer_text=f"It is {number} metres tall.") for number in range(450)]
    parquet(data_folder / "in" / "a.parquet", rows)
    json_lines(data_folder / "in" / "b.jsonl", [*rows[:3], "no JSON\n"])

    assert free_in_cluster(data_folder).is_complete
    assert free_in_cluster(data_folder, output="local", engine="local").is_complete

    local = results(data_folder / "local")
    assert len(local) == 454
    assert results(data_folder / "out") == local


def in_cluster(folder, **options):
    return judged(folder, engine="ray", workers=2, **options)


def ids(folder):
    return [each["id"] for each in results(folder / "out")]


def until(condition, judging):
    """Waits for it; a batch that ends before is an error."""
    while not condition():
        assert not judging.done(), judging.result()
        time.sleep(0.02)


def test_beside_workers_judges_keep_a_budget_and_nothing_is_paid_twice(server, logs):
    asked = server().asked

    stopped = in_cluster(logs, cap=Cap(calls=15))

    assert "The budget of 15 calls is used up" in stopped.stopped
    assert not stopped.is_complete
    assert len(asked) == 15
    found = in_cluster(logs, cap=Cap(calls=ROWS))
    assert found.is_complete
    assert len(asked) == found.spent[JUDGE].calls == ROWS
    assert ids(logs) == [str(at) for at in range(ROWS)]
    assert {each["gpt_labeling_status"] for each in results(logs / "out")} == {"scored"}


def test_of_a_killed_worker_no_row_is_lost(data_folder):
    rows = [row(number, answer_text=f"It is {number} metres tall.") for number in range(2000)]
    json_lines(data_folder / "in" / "a.jsonl", rows)
    with ThreadPoolExecutor(1) as thread:
        judging = thread.submit(free_in_cluster, data_folder)
        until(lambda: processes_of(psutil.Process(), "_reply_in_time"), judging)
        processes_of(psutil.Process(), "_reply_in_time")[0].kill()
        found = judging.result()

    assert found.is_complete
    assert ids(data_folder) == [str(at) for at in range(2000)]
    assert {each["trace_status"] for each in results(data_folder / "out")} == {"scored"}


def test_a_request_that_ends_its_process_leaves_the_others_to_work():
    workers = RayWorkers(1)

    with pytest.raises(WorkerError, match="The process that worked on these rows ended"):
        workers.run(Deadly(), lambda: False)

    assert not workers.is_broken


def test_requests_of_another_version_are_told_at_once():
    workers = RayWorkers(1)

    with pytest.raises(WorkerError, match="Install the same version of Plumbline on all machines"):
        workers.run(OfAnotherVersion(), lambda: False)

    assert workers.is_broken


def test_a_killed_driver_is_gone_on_from(server, logs):
    provider = server(holds_after=7)
    columns = [part for pair in COLUMNS.items() for part in ("--column", "=".join(pair))]
    metrics = ["--metric", "gpt_labeling", "--metric", "answer_match"]
    ways = ["--judge", JUDGE, "--engine", "ray", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluators", "batch", "in", "out", *metrics, *ways, *columns],
        cwd=logs,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(provider.asked) < 7 + WORKERS:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    provider.release()

    found = in_cluster(logs)

    assert found.is_complete
    assert ids(logs) == [str(at) for at in range(ROWS)]
    # Only what was in flight is asked again.
    assert len(provider.asked) <= ROWS + WORKERS


def test_an_address_of_a_client_outside_of_the_cluster_is_refused(logs):
    with pytest.raises(ParameterError, match="on a machine of the cluster, with the Ray address"):
        free_in_cluster(logs, ray_address="ray://127.0.0.1:10001")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:99999", "no host:6379"])
def test_an_address_where_nobody_answers_is_told_at_once(logs, address):
    with pytest.raises(ParameterError, match=f"No Ray answers at {address}"):
        free_in_cluster(logs, ray_address=address)


def test_without_the_package_it_is_told_how_to_install_it(logs, monkeypatch):
    monkeypatch.delitem(sys.modules, "evaluators.batch.cluster")
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(ParameterError, match=r'pip install "ray==2\.60\.0"'):
        free_in_cluster(logs)
