"""A public host that is full: who waits, whose turn comes, and who gives a place up."""

import time
from collections.abc import Callable

import pytest

from evaluators.errors import HostLimitError
from evaluators.llm import Keys
from evaluators.records import EvaluatorSpec, ModelSpec, Run
from evaluators.runs import inputs
from evaluators.runs.engine import RunRegistry, create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.queue import Ticket, expected, in_turn, visitor_address
from evaluators.runs.store import Store
from tests.runs import slow
from tests.stops import stopped

PATIENCE = 120


@pytest.fixture(autouse=True)
def public(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_RUNS_IN_ALL", "1")
    return monkeypatch


@pytest.fixture
def registry():
    """Nothing of a test is at work or waits after it."""
    registry = RunRegistry(share_seconds=0.2)
    yield registry
    while runs := [*registry._waiting, *registry._tickets.values()]:
        for ticket in runs:
            registry.cancel(ticket.run.id)
        with registry._lock:
            registry._forget_ended()


@pytest.fixture
def new_run(store, tmp_path) -> Callable[..., Run]:
    """`new_run("ann")` is a run of that workspace that takes some seconds; with `samples=1` it ends
    at once.
    """

    def create(workspace: str, samples: int = 1000, **options: object) -> Run:
        spec = EvaluatorSpec(name="test_slow", params={"log": str(tmp_path / workspace)})
        data = slow.dataset(*["wait"] * samples, name=workspace)
        return create_run(
            store,
            RunPlan(data, inputs.evaluators(spec), title=workspace, **options),
            workspace=workspace,
        )

    return create


def until(claim: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not claim():
        assert time.monotonic() < end
        time.sleep(0.02)


# The order


def order(waiting: str, at_work: str = "") -> str:
    run = Run.model_construct(id="any")
    tickets = {
        Ticket(run, Store(":memory:"), address=letter): number
        for number, letter in enumerate(waiting)
    }
    return " ".join(f"{ticket.address}{tickets[ticket]}" for ticket in in_turn(tickets, at_work))


@pytest.mark.parametrize(
    ("waiting", "at_work", "turns"),
    [
        ("abc", "", "a0 b1 c2"),
        ("aab", "", "a0 b2 a1"),
        ("aaabbc", "", "a0 b3 c5 a1 b4 a2"),
        ("ab", "a", "b1 a0"),
        ("aab", "ab", "a0 b2 a1"),
        ("aaa", "aaaa", "a0 a1 a2"),
    ],
    ids=[
        "as they came",
        "second behind others",
        "in rotation",
        "at work counts",
        "all have one",
        "one proxy for all",
    ],
)
def test_addresses_take_turns(waiting, at_work, turns):
    assert order(waiting, at_work) == turns


def test_the_wait_is_estimated_from_recent_runs_and_places():
    assert expected(3, 2, [10.0, 30.0]) == 30.0
    assert expected(3, 2, []) is None


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("8.8.4.4", "", "8.8.4.4"),
        ("", "", ""),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "8.8.4.4", "8.8.4.4"),
        ("10.0.0.1", "1.1.1.1, 8.8.4.4", "8.8.4.4"),
        ("10.0.0.1", "8.8.4.4, 10.1.2.3, 127.0.0.1", "8.8.4.4"),
        ("10.0.0.1", "rubbish,,  ", "10.0.0.1"),
        ("2606:4700:1:2:aaaa::1", "", "2606:4700:1:2::/64"),
        ("", "2606:4700:1:2:bbbb::2", "2606:4700:1:2::/64"),
        ("rubbish", "x" * 10_000, ""),
    ],
)
def test_a_visitor_is_told_by_the_last_public_address(peer, forwarded, address):
    assert visitor_address(peer, forwarded) == address


# Waiting


def test_a_run_without_a_place_waits_and_starts_by_itself(store, registry, new_run):
    first, second = new_run("ann", 30), new_run("ben", 1)
    registry.start_or_wait(first, store)
    registry.start_or_wait(second, store)
    assert registry.is_waiting(second.id)
    assert not registry.is_live(second.id)
    assert registry.place(second.id).number == 1
    assert [run.id for run in registry.live("ben")] == [second.id]
    until(lambda: not store.results.counts(second).open)
    assert store.results.counts(first).open == 0
    assert registry.place(second.id) is None


def test_the_time_of_waiting_is_told_once_a_run_has_ended(store, registry, new_run):
    for name in ("ann", "ben"):
        registry.start_or_wait(new_run(name), store)
    waiting = registry._waiting[0].run.id
    assert registry.place(waiting).seconds is None
    registry._recent.append(40.0)
    assert registry.place(waiting).seconds == 40


def test_whoever_cancels_leaves_the_queue_and_the_others_move_up(store, registry, new_run):
    runs = [new_run(name) for name in ("ann", "ben", "eve")]
    for run in runs:
        registry.start_or_wait(run, store)
    registry.cancel(runs[1].id)
    assert not registry.is_waiting(runs[1].id)
    assert registry.place(runs[2].id).number == 1
    assert stopped(store, runs[1].id) == ""


def test_a_visitor_has_one_place_at_work_or_waiting(store, registry, new_run):
    registry.start_or_wait(new_run("ann"), store)
    registry.start_or_wait(new_run("ben"), store)
    for name in ("ann", "ben"):
        with pytest.raises(HostLimitError, match="at work or waiting"):
            registry.start_or_wait(new_run(name), store)


def test_a_run_that_is_started_again_while_it_waits_keeps_its_place(store, registry, new_run):
    for name in ("ann", "ben", "eve"):
        registry.start_or_wait(new_run(name), store)
    ben = registry._waiting[0].run
    registry.start_or_wait(ben, store)
    assert registry.place(ben.id).number == 1


def test_a_full_queue_refuses_and_the_run_is_kept(store, registry, new_run, public):
    public.setenv("PLUMBLINE_RUNS_WAITING", "1")
    registry.start_or_wait(new_run("ann"), store)
    registry.start_or_wait(new_run("ben"), store)
    third = new_run("eve")
    with pytest.raises(HostLimitError, match="busy"):
        registry.start_or_wait(third, store)
    assert not registry.is_waiting(third.id)
    assert store.runs.get(third.id)


def test_an_address_that_fills_the_queue_makes_room_for_another(store, registry, new_run, public):
    public.setenv("PLUMBLINE_RUNS_WAITING", "2")
    runs = [new_run(f"tab {number}") for number in range(3)]
    for run in runs:
        registry.start_or_wait(run, store, address="9.9.9.9")
    other = new_run("other")
    registry.start_or_wait(other, store, address="8.8.8.8")
    assert registry.place(other.id).number == 1
    assert not registry.is_waiting(runs[2].id)
    assert "busy" in stopped(store, runs[2].id)


def test_one_person_with_eight_tabs_does_not_keep_all_places(store, registry, new_run, public):
    public.setenv("PLUMBLINE_RUNS_IN_ALL", "3")
    tabs = [new_run(f"tab {number}") for number in range(8)]
    for run in tabs:
        registry.start_or_wait(run, store, address="9.9.9.9")
    others = [new_run(name) for name in ("ann", "ben")]
    for run in others:
        registry.start_or_wait(run, store, address=f"8.8.8.{run.title}")
    until(lambda: all(registry.is_live(run.id) for run in others))
    until(lambda: sum(registry.is_waiting(run.id) for run in tabs) == 7)
    assert registry.is_live(
        tabs[0].id
    )  # the oldest keeps its place; nobody takes it as each has one
    scored = store.results.counts(tabs[2]).scored
    assert 0 < scored < 1000  # it made room, and what it had is kept


def test_a_class_behind_one_proxy_keeps_its_places(store, registry, new_run, public):
    public.setenv("PLUMBLINE_RUNS_IN_ALL", "2")
    runs = [new_run(str(number)) for number in range(3)]
    for run in runs:
        registry.start_or_wait(run, store, address="10.0.0.1")
    time.sleep(1.2)
    assert [registry.is_live(run.id) for run in runs] == [True, True, False]


def test_a_run_that_cannot_start_says_why_and_the_next_gets_its_turn(
    store, registry, new_run, loopback
):
    model = ModelSpec(provider="openai", model="gpt-6-luna", answer_tokens=100)
    first = new_run("ann", 30)
    keyless = new_run("ben", 1, models=(model,), prompt="$question $documents")
    third = new_run("eve", 1)
    for run in (first, keyless, third):
        registry.start_or_wait(run, store)
    until(lambda: not store.results.counts(third).open)
    assert "No key for OpenAI" in stopped(store, keyless.id)
    assert store.results.counts(keyless).open == 1


def test_a_waiting_run_that_nobody_watches_leaves_the_queue(store, registry, new_run, public):
    runs = [new_run(name) for name in ("ann", "ben", "eve")]
    for run in runs:
        registry.start_or_wait(run, store)
    public.setenv("PLUMBLINE_UNWATCHED_SECONDS_WHEN_FULL", "0.6")
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        for run in (runs[0], runs[2]):
            registry.watch(run.id)
        time.sleep(0.05)
    assert not registry.is_waiting(runs[1].id)
    assert "gave its turn up" in stopped(store, runs[1].id)
    assert registry.place(runs[2].id).number == 1


def test_a_run_at_work_that_nobody_watches_makes_room_when_others_wait(
    store, registry, new_run, public
):
    first, second = new_run("ann"), new_run("ben")
    registry.start_or_wait(first, store)
    registry.start_or_wait(second, store)
    public.setenv("PLUMBLINE_UNWATCHED_SECONDS_WHEN_FULL", "0.6")
    until(lambda: registry.watch(second.id) or registry.is_live(second.id))
    assert "Others waited and nobody watched" in stopped(store, first.id)
    assert 0 < store.results.counts(first).scored < 1000


def test_keys_that_wait_are_in_memory_only(store, registry, new_run, tmp_path):
    secret: Keys = {"openai": object()}  # type: ignore[dict-item]
    registry.start_or_wait(new_run("ann"), store)
    registry.start_or_wait(new_run("ben"), store, secret)
    assert registry._waiting[0].keys is secret
    assert "openai" not in repr(registry.place(registry._waiting[0].run.id))


def test_on_a_machine_of_ones_own_nobody_waits(store, registry, new_run, public):
    public.delenv("PLUMBLINE_PUBLIC")
    runs = [new_run("local") for _ in range(3)]
    for run in runs:
        registry.start_or_wait(run, store)
    assert all(registry.is_live(run.id) for run in runs)
