"""A run goes on while another visitor uploads files that hold far too much."""

import time

import pytest

from evaluators.datasets.readers import read
from evaluators.errors import DatasetError
from evaluators.records import EvaluatorSpec
from evaluators.runs import inputs
from evaluators.runs.engine import RunRegistry, create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from tests.datasets.test_bombs import BOMBS, CEILING, SECONDS, Watch, spent
from tests.runs import slow

OF_EACH_KIND = {bomb[0]: bomb for bomb in BOMBS}.values()
"""One for each kind of file; `tests/datasets/test_bombs.py` has all of them."""


def more_than(scored, store, run):
    """How many samples are scored, once there are more than these."""
    ends = time.monotonic() + 30
    while (now := store.results.counts(run).scored) <= scored:
        assert time.monotonic() < ends
        time.sleep(0.01)
    return now


def test_a_run_goes_on_while_bombs_are_refused(tmp_path):
    store = Store(tmp_path / "runs.sqlite3")
    spec = EvaluatorSpec(
        name="test_slow", params={"log": str(tmp_path / "log.txt"), "seconds": 0.2}
    )
    run = create_run(
        store,
        RunPlan(slow.dataset(*["wait"] * 10_000), inputs.evaluators(spec), title="slow"),
        workspace="w",
    )
    job = RunRegistry().start(run, store)
    scored = 0

    for name, make, message in OF_EACH_KIND:
        data = make()
        start = spent()
        with Watch() as watch, pytest.raises(DatasetError) as caught:
            read(name, data)
        assert str(caught.value).startswith(message)
        assert spent() - start < SECONDS
        assert watch.peak < CEILING
        scored = more_than(scored, store, run)

    assert job.is_live
    job.cancel()
    job.wait()
    assert store.results.counts(run).failed == 0
