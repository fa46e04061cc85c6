"""Worker processes give what a run's own threads give; a sample that hangs or kills one fails, and
others go on.
"""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from evaluators.base import Evaluator, evaluator
from evaluators.catalogue import catalogue
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import compose
from evaluators.errors import MissingInputError, WorkerError
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.offline_reader import OfflineReader
from evaluators.prompts import load
from evaluators.records import Ability, Dataset, EvaluatorSpec, Sample
from evaluators.runs import inputs
from evaluators.runs import pool as pools
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.pool import LARGE, Pool, is_sent, takes
from evaluators.runs.scoring import checked_score, generated_response
from evaluators.runs.worker import ScoreRequest, reply
from evaluators.trace_evaluator import TRACEEvaluator
from tests.runs import slow

ROOT = Path(__file__).parents[2]
PROMPT = load("rgb_en")
TRACE = TRACEEvaluator()
SAMPLES = bundled()[TRACE_SAMPLES].samples
GIVEN = SAMPLES[0]
HEAVY = Sample(
    id="heavy",
    question="How?",
    response="".join(f"x{n % 90} x{n % 83} x{n % 71}\n" for n in range(12_000)),
    retrieved_documents=("".join(f"x{n % 97} x{n % 89} x{n % 79}\n" for n in range(12_000)),),
)
"""Takes a worker some seconds."""


def never():
    return False


@pytest.fixture(scope="module")
def pool():
    """One worker."""
    own = Pool(1)
    own.start()
    yield own
    own.close()


@evaluator("test_greedy", title="Greedy")
class Greedy(Evaluator):
    def score(self, sample):
        raise MemoryError


def made(name):
    """The evaluator with its defaults, where it has one for everything."""
    return catalogue()[name].build()


# The same outcome on both ways


@pytest.mark.parametrize("name", ["rgb", "trace", "answer_match", "retriever_recall"])
def test_a_worker_gives_the_same_score_as_this_process(pool, name):
    bed = compose(bundled()[ENGLISH_BED], [Ability.REJECTION], sample=1).samples[0]
    sample = bed.model_copy(
        update={"response": "I don't know.", "gold_documents": bed.retrieved_documents[:1]}
    )
    assert takes(made(name))
    there, here = pool.score(made(name), sample, never), checked_score(made(name), sample)
    assert there.model_dump_json() == here.model_dump_json()  # as it is stored


def test_a_worker_answers_as_the_offline_reader_does_here(pool):
    sample = compose(bundled()[ENGLISH_BED], [Ability.NOISE], sample=1).samples[0]
    assert pool.answer(sample, PROMPT, never) == generated_response(sample, PROMPT, OfflineReader())


def test_a_sample_that_lacks_something_fails_with_the_same_words(pool):
    sample = GIVEN.model_copy(update={"response": None})
    with pytest.raises(MissingInputError) as here:
        TRACE.score(sample)
    with pytest.raises(WorkerError) as there:
        pool.score(TRACE, sample, never)
    assert str(there.value) == str(here.value)
    assert there.value.reason == here.value.reason


@pytest.mark.parametrize(
    ("question", "told", "foreign"),
    [
        ("our error", "The answer is missing. Add it.", ""),
        (
            "foreign error",
            "Unexpected ValueError. Try again; if it happens again, report it.",
            "ValueError",
        ),
        (
            "another record",
            "Fragile gave a Sample, not a Score. Let its score method return a Score.",
            "",
        ),
        (
            "way out",
            "Unexpected SystemExit. Try again; if it happens again, report it.",
            "SystemExit",
        ),
    ],
)
def test_a_worker_tells_an_error_as_a_run_tells_it(trouble, question, told, foreign):
    spec = EvaluatorSpec(name="test_fragile", params={"trouble": str(trouble)})
    given = reply(ScoreRequest(Sample(id="1", question=question), spec))
    assert (given.score, given.reason.message, given.foreign) == (None, told, foreign)
    assert "sk-secret" not in given.model_dump_json()
    assert given.details.startswith(foreign)


def test_a_sample_that_needs_too_much_memory_is_told_so():
    given = reply(ScoreRequest(GIVEN, EvaluatorSpec(name="test_greedy")))
    assert given.reason.message.startswith("This sample needs more memory than 1,024 MB. Shorten")


@pytest.mark.parametrize(
    ("metric", "taken"),
    [
        (TRACE, True),
        (TRACEEvaluator(embedding_model="sentence-transformers/any"), False),
        (slow.Slow(log="any"), False),
    ],
)
def test_only_what_ships_and_loads_no_model_goes_to_a_worker(metric, taken):
    assert takes(metric) is taken


def test_what_asks_an_llm_stays():
    assert not takes(made("context_recall").model_copy(update={"llm_client": OfflineReader()}))


# What a sample can do to its worker


def eventually(claim, seconds=30):
    end = time.monotonic() + seconds
    while not claim() and time.monotonic() < end:
        time.sleep(0.02)
    return claim()


def workers():
    """The living processes of pools that this process started."""
    return [child for child in psutil.Process().children() if is_worker(child)]


def is_worker(child):
    try:
        return any("evaluators.runs.worker" in part for part in child.cmdline())
    except psutil.Error:  # it has ended
        return False


def test_a_worker_loads_no_scipy(pool):
    assert find_spec("scipy")
    assert pool.score(TRACE, GIVEN, never).values
    # Also of pools that other tests have left: all run the same program.
    loaded = [each.path for worker in workers() for each in worker.memory_maps()]
    assert any("numpy" in path for path in loaded)
    assert not any("/scipy/" in path for path in loaded)


def test_many_workers_start_a_few_at_a_time_and_the_first_are_at_work_meanwhile():
    before = len(workers())
    many = Pool(20 * pools.TOGETHER)
    try:
        assert many.score(TRACE, GIVEN, never).values
        assert len(workers()) - before < many.size
        assert eventually(lambda: len(workers()) - before > pools.TOGETHER)
    finally:
        many.close()


def in_background(work):
    """Does the work in a thread; the list holds what it raised once it has ended."""
    raised = []

    def run():
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, raised


@pytest.mark.parametrize(
    ("name", "characters", "sent"),
    [("answer_match", 40, False), ("answer_match", LARGE, True), ("trace", 40, True)],
)
def test_a_short_sample_of_a_light_metric_is_scored_where_it_is(name, characters, sent):
    sample = Sample(id="s", question="Who?", response="x" * characters, ground_truth="x")
    assert is_sent(made(name), sample) is sent


def test_a_worker_that_is_killed_fails_its_sample_and_another_one_takes_its_place(pool):
    pool.score(TRACE, GIVEN, never)
    before = {child.pid for child in workers()}
    thread, raised = in_background(lambda: pool.score(TRACE, HEAVY, never))
    assert eventually(lambda: not pool._free)
    for child in workers():
        child.kill()
    thread.join(30)
    assert "ended, perhaps because it ran out of memory" in str(raised[0])
    assert isinstance(raised[0], WorkerError)
    assert pool.score(TRACE, GIVEN, never) == TRACE.score(GIVEN)
    assert before.isdisjoint(child.pid for child in workers())


@pytest.mark.filterwarnings("error::ResourceWarning")  # its pipes are closed
def test_a_worker_that_died_at_rest_costs_nobody_a_sample(pool):
    pool.score(TRACE, GIVEN, never)
    for child in workers():
        child.kill()
        child.wait()
    assert pool.score(TRACE, GIVEN, never) == TRACE.score(GIVEN)


def test_a_sample_that_takes_too_long_is_ended_and_so_is_a_run_that_is_cancelled(pool):
    hasty = Pool(1, seconds=0.3)
    with pytest.raises(WorkerError, match=r"took longer than 0\.3 s and was ended. Shorten"):
        hasty.score(TRACE, HEAVY, never)
    hasty.close()

    pool.score(TRACE, GIVEN, never)
    is_cancelled = threading.Event()
    at_work, first = in_background(lambda: pool.score(TRACE, HEAVY, is_cancelled.is_set))
    assert eventually(lambda: not pool._free)
    in_line, second = in_background(lambda: pool.score(TRACE, GIVEN, is_cancelled.is_set))
    assert eventually(lambda: pool._waiting)
    is_cancelled.set()
    at_work.join(30)
    in_line.join(30)
    assert [type(error) for error in (*first, *second)] == [CancelledError] * 2


def test_a_pool_that_is_closed_tells_nobody_of_a_failure():
    closing = Pool(1)
    thread, raised = in_background(lambda: closing.score(TRACE, HEAVY, never))
    assert eventually(lambda: closing.is_ready and not closing._free)
    closing.close()
    thread.join(30)
    assert isinstance(raised[0], CancelledError)


SCRIPT = """
import os, sys, threading, time
from evaluators.runs.pool import shared
from evaluators.trace_evaluator import TRACEEvaluator
from evaluators.records import Sample
print("begins", flush=True)
sample = Sample(id="1", question="Who?", response="Anna Berg.", retrieved_documents=("Anna Berg built it. " * 4000,))
assert shared().can_take(sample)
print(shared().score(TRACEEvaluator(), sample, lambda: False).values["adherence"], flush=True)
texts = {"response": "Anna built it. " * 60_000, "retrieved_documents": ("She built it. " * 60_000,)}
heavy = sample.model_copy(update=texts)
threading.Thread(target=lambda: shared().score(TRACEEvaluator(), heavy, lambda: False), daemon=True).start()
time.sleep(60)
"""
"""As somebody may write it: without `if __name__ == "__main__"`."""


def test_a_plain_script_can_use_workers_and_leaves_none_when_it_is_killed(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PLUMBLINE_PROCESSES": "1"}
    script = subprocess.Popen(
        [sys.executable, tmp_path / "script.py"], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert [script.stdout.readline().strip() for _ in range(2)] == ["begins", "1.0"]
    children = psutil.Process(script.pid).children()
    time.sleep(0.3)
    script.kill()
    script.communicate()
    assert len(children) == 1
    assert not psutil.wait_procs(children, timeout=20)[1]


# Runs


def test_a_long_run_uses_workers_and_scores_as_a_short_one_does(store, registry):
    samples = tuple(
        sample.model_copy(update={"id": f"{sample.id}-{number}"})
        for number in range(6)
        for sample in SAMPLES
    )
    run = create_run(
        store,
        RunPlan(Dataset(name="long", samples=samples), inputs.evaluators("trace"), title="t"),
        workspace="w",
    )
    registry.start(run, store).wait()
    assert pools.shared().is_ready or eventually(lambda: pools.shared().is_ready)
    registry.start(run, store).wait()

    assert store.results.counts(run).scored == len(samples)
    assert [store.results.get(run.id, number).score for number in range(len(SAMPLES))] == list(
        map(TRACE.score, SAMPLES)
    )


def test_a_run_with_the_offline_reader_is_the_same_with_workers(store, registry):
    pools.shared().start()
    assert eventually(lambda: pools.shared().is_ready)
    dataset = compose(bundled()[ENGLISH_BED], [Ability.NOISE], (0.2,), sample=4)
    run = create_run(
        store,
        RunPlan(dataset, inputs.evaluators("rgb"), title="t", models=[OFFLINE], prompt=PROMPT),
        workspace="w",
    )
    registry.start(run, store).wait()

    expected = [generated_response(sample, PROMPT, OfflineReader()) for sample in dataset.samples]
    assert [
        store.results.get(run.id, number).response for number in range(len(expected))
    ] == expected


def test_a_failed_sample_of_a_worker_is_a_failed_result(store, registry):
    pools.shared().start()
    assert eventually(lambda: pools.shared().is_ready)
    first = GIVEN.model_copy(update={"id": "1", "response": None, "sentences": None})
    dataset = Dataset(name="half", samples=(GIVEN, first))
    run = create_run(store, RunPlan(dataset, inputs.evaluators("trace"), title="t"), workspace="w")
    registry.start(run, store).wait()

    assert (store.results.counts(run).scored, store.results.counts(run).failed) == (1, 1)
    assert "response missing, and TRACE (heuristic) needs it" in store.results.get(run.id, 1).error
