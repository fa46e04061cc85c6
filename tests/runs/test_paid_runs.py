"""Runs that ask real SDKs: no answer is lost or paid twice, and what fails says why."""

import asyncio
import gc
import random
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from evaluators.errors import AccessError, HostLimitError, ParameterError
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.loop import loop
from evaluators.records import Ability, Cap, Cell, Dataset, EvaluatorSpec, ModelSpec, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Counts, Store
from tests import judge
from tests.loopback import in_json
from tests.runs import paid, slow
from tests.stops import stopped

ROOT = Path(__file__).parents[2]
PATIENCE = 120


class Trouble:
    """A fault that begins after so many calls, until it is over."""

    def __init__(self, fault, after=0):
        self._fault = fault
        self._before = after
        self.is_over = False

    def __call__(self, asked):
        self._before -= 1
        return "" if self.is_over or self._before >= 0 else self._fault


def finished(store, run, registry, server):
    registry.start(run, store, paid.keys(server.base_url)).wait(PATIENCE)
    return store.results.counts(run)


def numbers(server):
    """The question numbers asked, in order of arrival."""
    return [int(asked.text.split("Who is number ")[1].split("?")[0]) for asked in server.asked]


# Several models, the bill, the cache


def test_every_model_answers_every_sample_and_is_billed(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (paid.LUNA, paid.SOL, OFFLINE))

    assert finished(store, run, registry, server) == Counts(asked=12, scored=12, failed=0)
    spent = store.calls.spent(run.id)
    assert {model: bill.calls for model, bill in spent.items()} == {
        "openai/gpt-6-luna": 4,
        "openai/gpt-6-sol": 4,
    }
    result = store.results.get(run.id, 2, 1)
    assert result.response == "Number 2 is Mina Osei."
    assert result.score.values == {"accuracy": 1.0}
    usage = result.usage
    assert (result.calls, result.cached) == (1, 0)
    assert result.cost == pytest.approx(usage.prompt_tokens * 2e-6 + usage.answer_tokens * 10e-6)
    assert sum(store.results.get(run.id, n, 1).cost for n in range(4)) == pytest.approx(
        spent["openai/gpt-6-sol"].cost
    )


def test_whatever_a_server_counts_no_answer_is_lost_or_paid_for_twice(store, registry, loopback):
    counts = (-5, 1.5, "many", [], None, 2**63 - 1, 2**64 - 1, 10**30, float("inf"))
    usages = [[], 5, *({"prompt_tokens": count, "completion_tokens": count} for count in counts)]

    def respond(asked):
        answer = {"message": {"content": asked.text.split("Say: ")[1]}, "finish_reason": 7}
        return in_json({"choices": [answer], "model": 5, "usage": usages[int(asked.model)]})

    server = loopback(respond=respond)
    models = tuple(ModelSpec(provider="openai", model=str(number)) for number in range(len(usages)))
    run = paid.paid_run(store, paid.dataset(2), models)

    assert finished(store, run, registry, server) == Counts(asked=22, scored=22, failed=0)
    assert len(server.asked) == 22
    # The prompt has some 520 bytes, 138 tokens or a few more; the answer 24 bytes, 14 tokens.
    for bill in store.calls.spent(run.id).values():
        assert (bill.calls, bill.prompt_tokens // 100, bill.answer_tokens) == (2, 2, 28)


def test_the_same_run_again_takes_every_answer_from_the_store(store, registry, loopback):
    server = loopback()
    first, again = (paid.paid_run(store, paid.dataset(5)) for _ in range(2))
    finished(store, first, registry, server)

    assert finished(store, again, registry, server).scored == 5
    assert len(server.asked) == 5
    assert store.calls.spent(again.id) == {}
    assert (store.results.get(again.id, 0).calls, store.results.get(again.id, 0).cached) == (0, 1)
    assert store.results.get(again.id, 0).response == store.results.get(first.id, 0).response


def test_a_run_that_bypasses_stored_answers_pays_again(store, registry, loopback):
    server = loopback()
    for use_cache in (True, False):
        finished(
            store, paid.paid_run(store, paid.dataset(3), use_cache=use_cache), registry, server
        )

    assert len(server.asked) == 6


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_resumed_run_does_not_pay_again_for_what_it_paid_itself(
    use_cache, store, registry, loopback
):
    server = loopback(answer=lambda text: '{"reason": "Fine.", "score": 4}')
    samples = tuple(
        Sample(id=q, question=q, response="r", retrieved_documents=("d",)) for q in "abc"
    )
    # Four calls a sample, so the cap of six leaves samples that are half asked.
    run = create_run(
        store,
        RunPlan(
            Dataset(name="d", samples=samples),
            inputs.evaluators("g_eval"),
            title="t",
            judges=(paid.LUNA,),
            cap=Cap(calls=6),
            use_cache=use_cache,
        ),
        workspace="w",
    )

    finished(store, run, registry, server)
    store.runs.set_cap(run.id, Cap())

    assert finished(store, store.runs.get(run.id), registry, server) == Counts(
        asked=3, scored=3, failed=0
    )
    assert len(server.asked) == 12


def test_two_runs_at_once_that_ask_the_same_share_their_calls(store, registry, loopback):
    server = loopback(latency=0.1)
    runs = [paid.paid_run(store, paid.dataset(20)) for _ in range(2)]
    jobs = [registry.start(run, store, paid.keys(server.base_url)) for run in runs]
    for job in jobs:
        job.wait(PATIENCE)

    assert [store.results.counts(run).scored for run in runs] == [20, 20]
    assert sorted(numbers(server)) == list(range(20))


def test_a_temperature_that_was_not_applied_is_noted_also_where_the_answer_is_taken_from_the_store(
    store, registry, loopback
):
    server = loopback(fault=lambda asked: "400 temperature")
    warm = paid.LUNA.model_copy(update={"temperature": 0.5})
    for _ in range(2):
        run = paid.paid_run(store, paid.dataset(1), (warm,))
        assert finished(store, run, registry, server).scored == 1
        assert store.results.get(run.id, 0).note == "temperature not applied"


@pytest.mark.parametrize("fault", ["length", "filter", "truncated", "html"])
def test_what_is_not_a_whole_answer_is_never_stored_for_others(store, registry, loopback, fault):
    trouble = Trouble(fault)
    server = loopback(fault=trouble)
    run = paid.paid_run(store, paid.dataset(1))

    assert finished(store, run, registry, server).failed == 1
    assert store.calls.answers_kept("w") == 0
    trouble.is_over = True
    assert finished(store, run, registry, server).scored == 1


# Faults


def test_every_passing_fault_is_survived(store, registry, loopback, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "2")
    chance = random.Random(7)
    kinds = ["429"] * 10 + ["500"] * 5 + ["hang"] * 2 + ["reset"] * 2
    server = loopback(fault=lambda asked: dict(enumerate(kinds)).get(chance.randrange(100), ""))
    run = paid.paid_run(store, paid.dataset(200))

    assert finished(store, run, registry, server) == Counts(asked=200, scored=200, failed=0)
    assert store.calls.spent(run.id)[paid.LUNA.id].calls == server.answered == 200


def test_lasting_faults_fail_exactly_their_samples_with_the_reason(store, registry, loopback):
    bad = {
        0: "400 context",
        33: "413 tokens",
        66: "filter",
        99: "length",
        132: "400 json",
        165: "truncated",
    }
    bad |= {n: "500" for n in (20, 60, 100, 140)}
    server = loopback(
        fault=lambda asked: bad.get(int(asked.text.split("Who is number ")[1].split("?")[0]), "")
    )
    run = paid.paid_run(store, paid.dataset(200))

    assert finished(store, run, registry, server) == Counts(asked=200, scored=190, failed=10)
    failed = {row.position for row in store.results.outlines(run) if row.status == "failed"}
    assert failed == set(bad)
    reasons = {n: store.results.get(run.id, n).error for n in bad}
    for number, words in {
        0: "GPT-6 Luna takes",
        33: "tokens per minute",
        66: "withheld",
        99: "cut off",
    }.items():
        assert words in reasons[number]
    assert all("overloaded" in reasons[n] for n in (20, 60, 100, 140))


@pytest.mark.parametrize(
    ("fault", "words", "kind"),
    [
        ("401", "key was refused", "access"),
        ("403", "may not use", "access"),
        ("404 retired", "is not available", "model"),
        ("429 quota", "no credit", "access"),
        ("429 day", "resume after", "limits"),
    ],
)
def test_what_no_other_sample_could_survive_stops_the_run_and_keeps_everything(
    store, registry, loopback, fault, words, kind
):
    trouble = Trouble(fault, after=20)
    server = loopback(fault=trouble)
    run = paid.paid_run(store, paid.dataset(60))

    counts = finished(store, run, registry, server)

    assert counts.failed == 0
    assert counts.scored == 20
    assert words in stopped(store, run.id)
    assert [reason.kind for reason in store.runs.stop_reasons(run.id)] == [kind]
    trouble.is_over = True
    assert finished(store, run, registry, server) == Counts(asked=60, scored=60, failed=0)
    assert stopped(store, run.id) == ""
    assert server.answered == 60


def test_a_model_that_is_gone_does_not_stop_the_others(store, registry, loopback):
    server = loopback(fault=lambda asked: "404 retired" if asked.model == paid.SOL.model else "")
    run = paid.paid_run(store, paid.dataset(5), (paid.SOL, paid.LUNA))

    assert finished(store, run, registry, server) == Counts(asked=10, scored=5, failed=0)
    assert {row.model for row in store.results.outlines(run) if row.status} == {1}
    assert "GPT-6 Sol is not available" in stopped(store, run.id)


def test_a_provider_that_cannot_be_reached_stops_the_run_without_failing_a_sample(
    store, registry, loopback
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(10))
    job = registry.start(run, store, paid.keys("http://127.0.0.1:9/v1"))
    job.wait(PATIENCE)

    assert store.results.counts(run) == Counts(asked=10, scored=0, failed=0)
    assert "Cannot reach 127.0.0.1" in stopped(store, run.id)
    assert [reason.kind for reason in store.runs.stop_reasons(run.id)] == ["unreachable"]
    assert finished(store, run, registry, server).scored == 10


def test_a_provider_that_is_down_stops_the_run_before_every_sample_has_failed(
    store, registry, loopback, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_WORKERS", "4")
    server = loopback(fault=lambda asked: "503")
    run = paid.paid_run(store, paid.dataset(60))

    counts = finished(store, run, registry, server)

    assert counts.scored == 0
    assert 10 <= counts.failed < 20
    assert stopped(store, run.id) == (
        "10 samples in a row failed because GPT-6 Luna gave no answer. Resume when it "
        "answers again."
    )


def test_a_model_that_says_nothing_is_no_provider_in_trouble(store, registry, loopback):
    server = loopback(fault=lambda asked: "empty")
    run = paid.paid_run(store, paid.dataset(30))

    assert finished(store, run, registry, server) == Counts(asked=30, scored=30, failed=0)
    assert stopped(store, run.id) == ""
    assert store.calls.answers_kept("w") == 0


def test_one_run_s_cap_or_key_is_its_own_also_where_others_ask_the_same(store, registry, loopback):
    server = loopback(latency=0.1, key="sk-good")
    capped, free = (
        paid.paid_run(store, paid.dataset(20), cap=Cap(calls=3)),
        paid.paid_run(store, paid.dataset(20)),
    )
    bad = paid.paid_run(store, paid.dataset(20))
    jobs = [
        registry.start(bad, store, paid.keys(server.base_url, "sk-wrong")),
        registry.start(capped, store, paid.keys(server.base_url, "sk-good")),
        registry.start(free, store, paid.keys(server.base_url, "sk-good")),
    ]
    for job in jobs:
        job.wait(PATIENCE)

    assert store.results.counts(free) == Counts(asked=20, scored=20, failed=0)
    assert "key was refused" in stopped(store, bad.id)
    assert stopped(store, free.id) == ""
    # None where the other run was faster with all of them.
    assert sum(bill.calls for bill in store.calls.spent(capped.id).values()) <= 3


def test_the_first_jobs_of_a_process_share_one_loop():
    code = """
import threading
from evaluators.llm.loop import loop
start, found = threading.Barrier(32), []
threads = [threading.Thread(target=lambda: (start.wait(), found.append(id(loop())))) for _ in range(32)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(set(found)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "1"


# Caps


def test_a_cap_on_calls_stops_the_run_and_raising_it_finishes_it(store, registry, loopback):
    server = loopback(latency=0.02)
    run = paid.paid_run(store, paid.dataset(30), cap=Cap(calls=12))

    assert finished(store, run, registry, server) == Counts(asked=30, scored=12, failed=0)
    assert "budget of 12 calls" in stopped(store, run.id)
    assert [reason.kind for reason in store.runs.stop_reasons(run.id)] == ["cap"]
    store.runs.set_cap(run.id, Cap(calls=100))
    assert finished(store, store.runs.get(run.id), registry, server).scored == 30
    assert server.answered == 30


@pytest.mark.parametrize(("calls", "scored", "asked"), [(1, 0, 1), (2, 1, 2)])
def test_a_call_that_was_given_up_may_be_paid_for_and_counts_under_a_cap(
    store, registry, loopback, monkeypatch, calls, scored, asked
):
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "0.5")
    server = loopback(fault=lambda _: "" if len(server.asked) else "hang")
    run = paid.paid_run(store, paid.dataset(1), cap=Cap(calls=calls))

    registry.start(run, store, paid.keys(server.base_url)).wait(PATIENCE)

    assert store.results.counts(run).scored == scored
    assert len(server.asked) == asked


def test_a_cap_on_money_needs_a_known_price(store):
    custom = paid.LUNA.model_copy(update={"provider": "custom", "model": "my-model"})

    with pytest.raises(ParameterError, match="price of my-model is unknown"):
        paid.paid_run(store, paid.dataset(1), (custom,), cap=Cap(cost=1))


# Stopping and going on


def test_cancelling_cuts_calls_off_at_once_and_resume_finishes(store, registry, loopback):
    trouble = Trouble("hang", after=10)
    server = loopback(fault=trouble)
    run = paid.paid_run(store, paid.dataset(60))
    registry.start(run, store, paid.keys(server.base_url))
    while store.results.counts(run).scored < 10:
        time.sleep(0.01)

    canceller = threading.Thread(target=registry.cancel, args=(run.id,))
    canceller.start()
    canceller.join(10)

    assert not canceller.is_alive()  # the calls in flight would hang for 90 s
    assert store.results.counts(run) == Counts(asked=60, scored=10, failed=0)
    assert stopped(store, run.id) == ""
    trouble.is_over = True
    assert finished(store, run, registry, server).scored == 60


def test_what_was_answered_while_cancelling_is_billed_and_serves_again(store, registry, loopback):
    server = loopback(latency=0.05)
    run = paid.paid_run(store, paid.dataset(150))
    for _ in range(6):
        registry.start(run, store, paid.keys(server.base_url))
        time.sleep(0.13)
        registry.cancel(run.id)
    assert finished(store, run, registry, server).scored == 150

    assert store.calls.spent(run.id)[paid.LUNA.id].calls >= 150
    results = [store.results.get(run.id, n) for n in range(150)]
    assert sum(result.calls for result in results) + sum(result.cached for result in results) == 150
    assert store.calls.answers_kept("w") == 150


def test_an_answer_is_stored_while_it_is_still_being_judged(store, registry, loopback, tmp_path):
    server, gate = loopback(), tmp_path / "gate"
    params = {"log": str(tmp_path / "log.txt"), "gate": str(gate)}
    plan = RunPlan(
        paid.dataset(slow.FREE + 3),
        inputs.evaluators(EvaluatorSpec(name="test_slow", params=params)),
        models=[paid.LUNA],
        prompt=paid.PROMPT,
    )
    run = create_run(store, plan, workspace="w")
    registry.start(run, store, paid.keys(server.base_url))
    # What another process would find if this one were killed now.
    with closing(Store(store.path)) as found:
        while found.calls.answers_kept("w") < slow.FREE + 3:
            time.sleep(0.01)
        assert found.results.counts(run).scored <= slow.FREE

    gate.touch()

    assert finished(store, run, registry, server).scored == slow.FREE + 3
    assert len(server.asked) == slow.FREE + 3


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_judge_that_cannot_be_read_is_asked_again_and_the_answer_it_judges_is_not(
    store, registry, loopback, use_cache
):
    """The answer is that of the run itself, also where it takes none from the store."""
    words = {paid.LUNA.model: "I can not answer.", paid.SOL.model: "Hm."}
    server = loopback(
        answer=lambda text: words[paid.SOL.model if "Verdict" in text else paid.LUNA.model]
    )
    task = paid.TASK.model_copy(update={"ability": Ability.REJECTION})
    samples = tuple(sample.model_copy(update={"rgb": task}) for sample in paid.dataset(1).samples)
    data = Dataset(name="d", samples=samples)
    run = paid.paid_run(store, data, judges=(paid.SOL,), use_cache=use_cache)

    assert finished(store, run, registry, server).failed == 1
    assert "cannot be read" in store.results.get(run.id, 0).error
    words[paid.SOL.model] = "It declines.\nVerdict: yes"

    assert finished(store, run, registry, server).scored == 1
    assert [asked.model for asked in server.asked] == [
        paid.LUNA.model,
        paid.SOL.model,
        paid.SOL.model,
    ]
    result = store.results.get(run.id, 0)
    assert result.score.values == {"rejection": 1.0, "rejection_judged": 1.0}
    assert result.response == "I can not answer."
    if not use_cache:
        # All that was paid for it, the first tries included.
        assert result.calls == 3
        spent = sum(bill.cost for bill in store.calls.spent(run.id).values())
        assert result.cost == pytest.approx(spent)


def test_what_is_left_is_what_the_run_still_does(store, registry, loopback):
    trouble = Trouble("length")
    server = loopback(fault=trouble, latency=0.3)
    run = paid.paid_run(store, paid.dataset(40))
    finished(store, run, registry, server)
    trouble.is_over = True
    job = registry.start(run, store, paid.keys(server.base_url))
    # A cell counts a moment after its result is in the store.
    while job.is_live and job.progress().seconds_left is None:
        time.sleep(0.02)

    assert job.progress().seconds_left > 0
    job.wait(PATIENCE)


def test_a_run_that_has_ended_keeps_no_key_in_memory(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(2))
    key = "".join(["sk-", "forgotten", "-0123456789"])
    job = registry.start(run, store, paid.keys(server.base_url, key))
    job.wait(PATIENCE)
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0.1), loop()).result()
    gc.collect()

    holders = [held for held in gc.get_objects() if isinstance(held, SecretStr)]
    assert key not in [held.get_secret_value() for held in holders]


def test_without_a_key_the_run_is_kept_and_says_what_to_do(store, registry):
    run = paid.paid_run(store, paid.dataset(2))

    with pytest.raises(AccessError, match="No key for OpenAI"):
        registry.start(run, store, {})
    assert store.results.open_cells(run) == [Cell(0), Cell(1)]
    assert not registry.is_live(run.id)


def test_a_run_killed_five_times_finishes_and_repeats_only_what_was_in_flight(
    store, registry, loopback, tmp_path
):
    server, workers, kills = loopback(latency=0.1), 16, 5
    run = paid.paid_run(store, paid.dataset(500))
    for _ in range(kills):
        paid.killed(store, run, server.base_url, workers, after=60)
        with sqlite3.connect(tmp_path / "runs.sqlite3") as db:
            assert db.execute("pragma integrity_check").fetchone() == ("ok",)

    assert store.results.counts(run).open > 0
    assert finished(store, run, registry, server) == Counts(asked=500, scored=500, failed=0)
    repeats = len(server.asked) - 500
    assert 0 <= repeats <= kills * workers
    assert set(numbers(server)) == set(range(500))


@pytest.mark.parametrize("labeller", ["gpt_labeling", "decisions"])
def test_a_labeller_killed_three_times_finishes_and_pays_twice_only_for_what_was_in_flight(
    store, registry, loopback, labeller
):
    server, workers, kills = loopback(answer=judge.labels_for, latency=0.05), 8, 3
    run = paid.labelled_run(store, paid.answered(120), (paid.LUNA,), labeller=labeller)
    for _ in range(kills):
        paid.killed(store, run, server.base_url, workers, after=15)

    assert store.results.counts(run).open > 0
    assert finished(store, run, registry, server) == Counts(asked=120, scored=120, failed=0)
    assert 0 <= len(server.asked) - 120 <= kills * workers
    (bill,) = store.calls.spent(run.id).values()
    assert bill.calls == 120


# A public host


@pytest.fixture
def public(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    return monkeypatch


def test_a_visitor_has_one_run_at_work_and_the_next_is_kept(store, registry, loopback, public):
    server = loopback(latency=0.2)
    first, second = (paid.paid_run(store, paid.dataset(20), use_cache=False) for _ in range(2))
    job = registry.start(first, store, paid.keys(server.base_url))

    with pytest.raises(HostLimitError, match="Another run of yours is at work"):
        registry.start(second, store, paid.keys(server.base_url))
    job.wait(PATIENCE)
    assert finished(store, second, registry, server).scored == 20


def test_a_host_that_is_full_says_so(store, registry, loopback, public):
    public.setenv("PLUMBLINE_RUNS_IN_ALL", "1")
    server = loopback(latency=0.2)
    mine = paid.paid_run(store, paid.dataset(20))
    theirs = mine.model_copy(update={"id": "another", "workspace": "another"})
    store.runs.save(theirs, paid.dataset(20))
    job = registry.start(mine, store, paid.keys(server.base_url))

    with pytest.raises(HostLimitError, match="This host is busy"):
        registry.start(theirs, store, paid.keys(server.base_url))
    job.wait(PATIENCE)


def test_a_run_too_large_for_the_host_is_refused_with_what_to_do(store, public):
    public.setenv("PLUMBLINE_CELLS_PER_RUN", "10")

    with pytest.raises(HostLimitError, match="has 12 samples to score; this host allows 10"):
        paid.paid_run(store, paid.dataset(6), (paid.LUNA, paid.SOL))


def test_a_visitor_s_runs_are_kept_up_to_the_host_s_limit(store, public):
    public.setenv("PLUMBLINE_RUNS_KEPT_PER_VISITOR", "2")
    for _ in range(2):
        paid.paid_run(store, paid.dataset(1))

    with pytest.raises(HostLimitError, match="keeps 2 runs for each visitor"):
        paid.paid_run(store, paid.dataset(1))


def test_a_run_nobody_watches_is_paused_on_a_public_host_only(store, registry, loopback, public):
    public.setenv("PLUMBLINE_UNWATCHED_SECONDS", "0.3")
    public.setenv("PLUMBLINE_WORKERS", "2")
    server = loopback(latency=0.05)
    run = paid.paid_run(store, paid.dataset(200))

    counts = finished(store, run, registry, server)

    assert 0 < counts.scored < 200
    assert "Nobody watched" in stopped(store, run.id)
    assert [reason.kind for reason in store.runs.stop_reasons(run.id)] == ["unwatched"]
    public.delenv("PLUMBLINE_PUBLIC")
    assert finished(store, run, registry, server).scored == 200


def test_a_run_that_is_watched_goes_on(store, registry, loopback, public):
    public.setenv("PLUMBLINE_UNWATCHED_SECONDS", "0.5")
    server = loopback(latency=0.1)
    run = paid.paid_run(store, paid.dataset(100))
    public.setenv("PLUMBLINE_WORKERS", "4")
    job = registry.start(run, store, paid.keys(server.base_url))
    while job.is_live:
        registry.watch(run.id)
        time.sleep(0.05)

    assert store.results.counts(run).scored == 100
