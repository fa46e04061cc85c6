"""The engine: nothing is lost, nothing is scored twice, and what breaks is a failed result with a
remedy.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evaluators.api.results import Results
from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import compose
from evaluators.errors import ParameterError, PromptError
from evaluators.llm.catalogue import OFFLINE
from evaluators.prompts import load
from evaluators.records import Ability, Dataset, EvaluatorSpec, Sample
from evaluators.runs import inputs, samples
from evaluators.runs.engine import create_once, create_run
from evaluators.runs.job import LARGE_RUN, Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Counts, Store
from evaluators.runs.store.writer import Writer
from tests.runs import slow
from tests.stops import stopped

ROOT = Path(__file__).parents[2]
READER = {"models": [OFFLINE], "prompt": load("rgb_en")}
QUESTIONS = ("fine", "our error", "fine", "foreign error", "unstorable score", "fine")


def fragile_run(store, trouble, *questions):
    spec = EvaluatorSpec(name="test_fragile", params={"trouble": str(trouble)})
    data = slow.dataset(*(questions or QUESTIONS))
    plan = RunPlan(data, inputs.evaluators(spec), title="fragile")
    return create_run(store, plan, workspace="w")


def rgb_run(store, dataset, **options):
    return create_run(
        store, RunPlan(dataset, inputs.evaluators("rgb"), title="rgb", **options), workspace="w"
    )


def finished(store, run, registry):
    job = registry.start(run, store)
    job.wait()
    assert stopped(store, run.id) == ""
    return store.results.counts(run)


def stored(store, run):
    return {row.position: row.status for row in store.results.outlines(run) if row.status}


def log(tmp_path, metric=0):
    return (tmp_path / f"log{metric or ''}.txt").read_text(encoding="utf-8").split()


# A run as a user starts it


def test_the_offline_reader_answers_a_test_bed_and_every_answer_is_judged(store, registry):
    dataset = compose(bundled()[ENGLISH_BED], list(Ability), (0.2,), sample=3)
    run = rgb_run(store, dataset, **READER, seed=0)

    assert finished(store, run, registry) == Counts(asked=12, scored=12, failed=0)
    result = store.results.get(run.id, 0)
    assert result.response
    assert result.score.values.keys() == {"accuracy"}
    assert result.seconds > 0


def test_a_run_is_a_card_from_which_it_can_be_repeated(store):
    dataset = compose(bundled()[ENGLISH_BED], [Ability.REJECTION], sample=1)

    run = rgb_run(store, dataset, **READER, seed=7)

    assert store.runs.get(run.id) == run
    assert (run.fingerprint, run.dataset_name, run.seed) == (dataset.fingerprint, ENGLISH_BED, 7)
    assert (run.evaluator.name, run.models, run.prompt) == ("rgb", (OFFLINE,), READER["prompt"])
    assert len(run.id) >= 20
    assert rgb_run(store, dataset, **READER).id != run.id


def test_the_figures_of_a_large_run_are_there_when_it_ends(store, registry):
    texts = {"question": "When?", "response": "In May.", "ground_truth": "In May."}
    large = tuple(Sample(id=str(number), **texts) for number in range(LARGE_RUN))
    plan = RunPlan(Dataset(name="large", samples=large), inputs.evaluators("answer_match"))
    run = create_run(store, plan, workspace="w")
    finished(store, run, registry)

    kept = {name for (name,) in store.database.rows("select name from figures")}
    assert {"columns", "remarks", "figures 0 0 own"} <= kept


def test_an_answer_that_is_there_is_not_asked_for_again(store, registry):
    asked = compose(bundled()[ENGLISH_BED], [Ability.REJECTION], sample=1).samples[0]
    dataset = Dataset(
        name="answered", samples=(asked.model_copy(update={"response": "I don't know"}),)
    )
    run = rgb_run(store, dataset, **READER)

    assert finished(store, run, registry).scored == 1
    assert store.results.get(run.id, 0).response is None
    assert store.results.get(run.id, 0).score.values == {"rejection": 1.0}


@pytest.mark.parametrize(
    ("evaluator", "asked", "error"),
    [
        (EvaluatorSpec(name="nothing"), {}, ParameterError),
        (EvaluatorSpec(name="rgb", params={"policy": "?"}), {}, ParameterError),
        (EvaluatorSpec(name="trace", params={"embedding_model": "?"}), {}, ParameterError),
        (EvaluatorSpec(name="rgb"), READER | {"prompt": "$question"}, PromptError),
    ],
)
def test_an_unusable_run_is_refused_before_anything_is_stored(store, evaluator, asked, error):
    with pytest.raises(error):
        create_run(
            store,
            RunPlan(slow.dataset("q"), inputs.evaluators(evaluator), title="t", **asked),
            workspace="w",
        )

    assert store.runs.newest("w") == []


# Failures


def test_a_sample_that_fails_is_a_result_and_the_others_go_on(store, registry, trouble):
    run = fragile_run(store, trouble)

    assert finished(store, run, registry) == Counts(asked=6, scored=3, failed=3)
    assert [stored(store, run)[position] for position in (1, 3, 4)] == ["failed"] * 3


UNEXPECTED = "Unexpected {}. Try again; if it happens again, report it."
NO_SCORE = "Fragile gave a Sample, not a Score. Let its score method return a Score."


@pytest.mark.parametrize(
    ("question", "error", "kind"),
    [
        ("our error", "The answer is missing. Add it.", "input"),
        ("half a character", "The \N{REPLACEMENT CHARACTER} is missing.", "input"),
        ("foreign error", UNEXPECTED.format("ValueError"), "unexpected"),
        ("another record", NO_SCORE, "parameter"),
        ("way out", UNEXPECTED.format("SystemExit"), "unexpected"),
    ],
)
def test_whatever_a_metric_does_is_a_failed_result(
    store, registry, trouble, caplog, question, error, kind
):
    run = fragile_run(store, trouble, question, "fine")

    assert finished(store, run, registry) == Counts(asked=2, scored=1, failed=1)
    result = store.results.get(run.id, 0)
    assert (result.error, result.error_kind) == (error, kind)
    assert "sk-secret" not in result.model_dump_json() + caplog.text


@pytest.mark.parametrize(
    ("line", "error", "details"),
    [
        (
            "return Score(values={'own': 1 / 0})",
            "own.py, line 7: ZeroDivisionError: division by zero. Fix the file, then retry.",
            "ZeroDivisionError in own.py, line 7",
        ),
        (
            "return Score(values={'own': float('nan')})",
            "own.py, line 7: ValidationError: values.own: Input should be a finite "
            "number. Fix the file, then retry.",
            "ValidationError in main.py, line ",
        ),
        (
            "json.loads('{sk-abcdefgh12345678901234567890')",
            "own.py, line 7: JSONDecodeError: Expecting property name enclosed in double "
            "quotes: line 1 column 2 "
            "(char 1). Fix the file, then retry.",
            "JSONDecodeError in decoder.py, line ",
        ),
        (
            "raise KeyError('sk-abcdefgh12345678901234567890')",
            "own.py, line 7: KeyError: 'sk-***'. Fix the file, then retry.",
            "KeyError in own.py, line 7",
        ),
        ("return 0.5", "Own gave a float, not a Score. Let its score method return a Score.", ""),
    ],
)
def test_a_mistake_in_a_metric_of_ones_own_is_told_with_the_line_in_its_file(
    store, registry, tmp_path, monkeypatch, line, error, details
):
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(tmp_path))
    lines = (
        "import json",
        "from evaluators.base import Evaluator, evaluator",
        "from evaluators.records import Score",
        "@evaluator('own', title='Own')",
        "class Own(Evaluator):",
        "    def score(self, sample):",
        f"        {line}",
    )
    (tmp_path / "own.py").write_text("\n".join(lines), encoding="utf-8")
    run = create_run(
        store, RunPlan(slow.dataset("?"), inputs.evaluators("own"), title="own"), workspace="w"
    )

    assert finished(store, run, registry).failed == 1
    assert store.results.get(run.id, 0).error == error
    assert store.results.get(run.id, 0).details.startswith(details)


def test_a_result_that_no_store_can_hold_fails_its_sample_only(store, registry, trouble):
    store.database._db.setlimit(
        sqlite3.SQLITE_LIMIT_LENGTH, 100_000
    )  # SQLite's own is a thousand million
    run = fragile_run(store, trouble, "large score", "fine")

    assert finished(store, run, registry) == Counts(asked=2, scored=1, failed=1)
    assert (
        store.results.get(run.id, 0).error
        == "This cannot be stored (DataError). Try again; if it happens again, report it."
    )


def test_a_store_that_is_full_stops_the_run_and_this_process_knows_why(store, registry, trouble):
    run = fragile_run(store, trouble, *["large score"] * 20)
    (pages,) = store.database._db.execute("pragma page_count").fetchone()
    store.database._db.execute(f"pragma max_page_count = {pages + 3}")

    registry.start(run, store).wait()

    assert store.results.counts(run).scored == 0
    told = (
        "The run store cannot be written (database or disk is full). Free disk space, then resume."
    )
    assert stopped(store, run.id) == Results(run, store).stopped == told
    store.database._db.execute("pragma max_page_count = 100000")
    assert finished(store, run, registry).scored == 20


class OutOfMemory(Writer):
    """Fails in a way that nobody has foreseen, for one of the samples."""

    def put_result(self, run_id, result, *more):
        if result.position == 3:
            raise MemoryError
        return super().put_result(run_id, result, *more)


def test_what_nobody_has_foreseen_stops_the_run_with_its_kind_as_the_reason(
    tmp_path, registry, trouble, caplog
):
    store = Store(tmp_path / "runs.sqlite3")
    store.writer = OutOfMemory(store.database)
    run = fragile_run(store, trouble, *["fine"] * 40)

    registry.start(run, store).wait()

    assert 0 < store.results.counts(run).scored < 40
    assert stopped(store, run.id) == (
        "Unexpected MemoryError, which stopped the run. Everything so far is kept. "
        "Resume it; if it happens again, report it."
    )
    assert "MemoryError" in caplog.text


def test_a_kind_of_foreign_error_is_logged_once(store, registry, trouble, caplog):
    run = fragile_run(store, trouble, *["foreign error"] * 4)

    assert finished(store, run, registry).failed == 4
    assert [record.getMessage() for record in caplog.records] == ["A sample failed with ValueError"]


def test_a_sample_without_an_answer_fails_with_the_remedy(store, registry):
    first, second = compose(bundled()[ENGLISH_BED], [Ability.REJECTION], sample=2).samples
    run = rgb_run(
        store,
        Dataset(name="half", samples=(first, second.model_copy(update={"response": "Who knows?"}))),
    )

    assert finished(store, run, registry) == Counts(asked=2, scored=1, failed=1)
    assert "response missing, and RGB needs it. " in store.results.get(run.id, 0).error


def test_without_any_answer_or_a_generator_a_run_is_refused_with_the_remedy(store):
    with pytest.raises(ParameterError, match=r"fill it: response .*, or name a model that answers"):
        rgb_run(store, compose(bundled()[ENGLISH_BED], [Ability.REJECTION], sample=2))

    assert store.runs.newest("w") == []


def test_what_failed_is_tried_again_and_what_was_scored_is_not(store, registry, trouble):
    run = fragile_run(store, trouble)
    finished(store, run, registry)
    before = store.results.get(run.id, 0)
    trouble.unlink()

    assert finished(store, run, registry) == Counts(asked=6, scored=6, failed=0)
    assert store.results.get(run.id, 0) == before


def test_earlier_results_are_read_only_where_there_are_some(store, registry, trouble, monkeypatch):
    run, read = fragile_run(store, trouble), []
    of_answer = store.results.of_answer
    monkeypatch.setattr(
        store.results, "of_answer", lambda *cell: read.append(cell) or of_answer(*cell)
    )

    finished(store, run, registry)
    assert read == []
    finished(store, run, registry)
    assert len(read) == 3  # those that had failed


# Cancel, attach, resume


def test_cancelling_keeps_what_is_done_and_writes_nothing_afterwards(store, registry, tmp_path):
    gate = tmp_path / "gate"
    run = slow.slow_run(store, tmp_path, gate=gate)
    job = registry.start(run, store)
    while store.results.counts(run).scored < slow.FREE:
        pass

    cancelling = threading.Thread(target=registry.cancel, args=(run.id,))
    cancelling.start()
    while not job.control.is_cancelled:
        pass
    gate.touch()
    cancelling.join()

    done, asked = stored(store, run), log(tmp_path)
    assert not registry.is_live(run.id)
    assert 5 <= len(done) < slow.SAMPLES
    assert len(asked) == len(done)
    threading.Event().wait(0.1)
    assert (stored(store, run), log(tmp_path)) == (done, asked)


def test_a_cancelled_run_resumes_where_it_stopped(store, registry, tmp_path):
    run = slow.slow_run(store, tmp_path)
    registry.start(run, store)
    while store.results.counts(run).scored < 5:
        pass
    registry.cancel(run.id)

    assert finished(store, run, registry) == Counts(
        asked=slow.SAMPLES, scored=slow.SAMPLES, failed=0
    )
    assert sorted(log(tmp_path)) == sorted(f"s{number}" for number in range(slow.SAMPLES))


def test_a_run_that_is_live_is_joined_and_not_started_again(store, registry, tmp_path):
    run = slow.slow_run(store, tmp_path)

    jobs = [registry.start(run, store) for _ in range(5)]
    jobs[0].wait()

    assert len({id(job) for job in jobs}) == 1
    assert len(log(tmp_path)) == slow.SAMPLES


def test_cancelling_an_unknown_run_does_nothing(registry):
    registry.cancel("unknown")

    assert not registry.is_live("unknown")


def test_two_runs_at_once_do_not_disturb_each_other(store, registry, tmp_path):
    runs = [
        slow.slow_run(store, folder) for name in "ab" if (folder := tmp_path / name).mkdir() is None
    ]
    jobs = [registry.start(run, store) for run in runs]
    for job in jobs:
        job.wait()

    assert [store.results.counts(run).scored for run in runs] == [slow.SAMPLES] * 2


def test_a_run_without_open_samples_ends_at_once(store):
    run = rgb_run(store, slow.dataset())
    job = Job(run, store)
    job.start()
    job.wait(10)

    assert not job.is_live
    assert store.results.counts(run) == Counts(asked=0, scored=0, failed=0)


@pytest.mark.parametrize("metrics", [1, 2])
def test_a_killed_process_loses_nothing_that_it_acknowledged(registry, tmp_path, metrics):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    gate = tmp_path / "gate"
    child = subprocess.Popen(
        [sys.executable, slow.__file__, tmp_path, str(metrics), gate],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    lines = [child.stdout.readline() for _ in range(metrics * slow.FREE)]
    child.send_signal(signal.SIGKILL)
    lines += child.communicate()[0].splitlines()
    gate.touch()

    acknowledged = {tuple(map(int, line.split())) for line in lines}
    store = Store(tmp_path / "runs.sqlite3")
    (run,) = store.runs.newest("w")
    survived = {(row.position, row.metric) for row in store.results.outlines(run) if row.status}
    assert acknowledged <= survived
    assert len(survived) < metrics * slow.SAMPLES

    started = [len(log(tmp_path, metric)) for metric in range(metrics)]
    asked = metrics * slow.SAMPLES
    assert finished(store, run, registry) == Counts(asked=asked, scored=asked, failed=0)
    again = {
        (int(name.removeprefix("s")), metric)
        for metric in range(metrics)
        for name in log(tmp_path, metric)[started[metric] :]
    }
    assert (
        again
        == {(position, metric) for position in range(slow.SAMPLES) for metric in range(metrics)}
        - survived
    )


def test_an_equal_plan_is_the_same_run_for_a_minute(store):
    plan = samples.trace_plan()
    run = create_once(store, plan, workspace="local")
    assert create_once(store, samples.trace_plan(), workspace="local") == run
    another = create_once(store, replace(plan, title="Another"), workspace="local")
    elsewhere = create_once(store, plan, workspace="other")
    # Two of a class at one machine begin the same at the same time.
    somebody = create_once(store, plan, workspace="local", by="another session")
    assert len({run.id, another.id, elsewhere.id, somebody.id}) == 4
    earlier = datetime.now(UTC) - timedelta(seconds=61)
    store.runs.delete(run.id)
    old = run.model_copy(update={"created": earlier.isoformat()})
    store.runs.save(old, plan.dataset)
    assert create_once(store, plan, workspace="local").id != old.id


def test_impatient_clicks_at_the_same_moment_are_one_run(store):
    clicks = 8
    moment = threading.Barrier(clicks)

    def click(_number):
        plan = samples.trace_plan()
        moment.wait()
        return create_once(store, plan, workspace="local").id

    with ThreadPoolExecutor(clicks) as threads:
        ids = set(threads.map(click, range(clicks)))

    assert store.runs.ids("local") == list(ids)
    assert len(ids) == 1
