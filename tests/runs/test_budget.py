"""A budget takes whole samples: none is begun that it cannot finish, and those it takes are random."""

import asyncio
from collections import Counter

import pytest

from evaluators.datasets.sampling import in_random_order, sampled
from evaluators.errors import RunStoppedError
from evaluators.llm.budget import Meter, Share
from evaluators.records import Cap
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Counts
from tests import judge
from tests.runs import paid
from tests.stops import stopped

PATIENCE = 120
LUNA, SOL = (spec.model_copy(update={"answer_tokens": 2000}) for spec in (paid.LUNA, paid.SOL))
JURY = (LUNA, SOL, LUNA.model_copy(update={"model": "gpt-4o-mini"}))


def finished(store, run, registry, server):
    registry.start(run, store, paid.keys(server.base_url)).wait(PATIENCE)
    return store.results.counts(run)


def positions_done(store, run):
    return {row.position for row in store.results.outlines(run) if row.status}


def any_answer(text):
    return judge.labels_for(text) if judge.is_labelling(text) else '{"reason": "", "score": 4}'


def test_a_jury_of_three_and_150_calls_give_50_whole_samples(store, registry, loopback):
    server = loopback(answer=judge.labels_for, latency=0.01)
    run = paid.labelled_run(store, paid.answered(60), JURY, cap=Cap(calls=150))

    assert finished(store, run, registry, server) == Counts(asked=60, scored=50, failed=0)
    assert Counter(asked.model for asked in server.asked) == {spec.model: 50 for spec in JURY}
    assert "The budget of 150 calls is used up." in stopped(store, run.id)


@pytest.mark.parametrize(("calls", "whole"), [(4, 0), (5, 1), (14, 2), (15, 3)])
def test_a_sample_is_begun_only_where_all_its_metrics_fit(store, registry, loopback, calls, whole):
    server = loopback(answer=any_answer, latency=0.01)
    # One call to label, four of G-Eval.
    metrics = inputs.evaluators(["gpt_labeling", "g_eval"])
    plan = RunPlan(paid.answered(6), metrics, judges=(LUNA,), cap=Cap(calls=calls))
    run = create_run(store, plan, workspace="w")

    finished(store, run, registry, server)

    rows = store.results.outlines(run)
    assert Counter(row.position for row in rows if row.status == "scored") == {
        position: 2 for position in in_random_order([f"b{n}" for n in range(6)])[:whole]
    }
    assert len(server.asked) == 5 * whole


def test_a_budget_takes_the_same_random_samples_in_every_run(store, registry, loopback):
    server = loopback(answer=judge.labels_for)
    few, more = (
        paid.labelled_run(store, paid.answered(40), judges, cap=Cap(calls=calls), use_cache=False)
        for judges, calls in (((LUNA,), 10), ((SOL,), 25))
    )
    for run in (few, more):
        finished(store, run, registry, server)

    assert positions_done(store, few) < positions_done(store, more)
    assert positions_done(store, few) != set(range(10))
    part = sampled(paid.answered(40), 10)
    ids = {f"b{position}" for position in positions_done(store, few)}
    assert {sample.id for sample in part.samples} == ids


def test_a_part_is_the_same_whatever_else_the_data_hold():
    ids = [f"b{n}" for n in range(100)]
    first = {ids[position] for position in in_random_order(ids, seed=3)[:20]}
    turned = ids[::-1]
    assert {turned[position] for position in in_random_order(turned, seed=3)[:20]} == first
    assert {ids[position] for position in in_random_order(ids, seed=4)[:20]} != first
    without_one = [name for name in ids if name not in first][1:]
    assert in_random_order(without_one, seed=3) != list(range(79))


def test_the_meter_waits_for_open_samples_and_gives_up_where_none_can_leave_anything():
    async def begin_three():
        meter, shares = Meter(Cap(calls=4)), [Share(calls=2) for _ in range(3)]
        await meter.reserve(0.0, shares[0])
        await meter.reserve(0.0, shares[1])
        third = asyncio.create_task(meter.reserve(0.0, shares[2]))
        await asyncio.sleep(0)
        assert not third.done()
        for share in shares[:2]:
            meter.settle(0.0, 1, 0.0, share)
        # The first needs one call only, the second needs both: 1 + 2 of 4 are spent.
        await meter.reserve(0.0, shares[1])
        meter.settle(0.0, 1, 0.0, shares[1])
        meter.close(shares[0])
        meter.close(shares[1])
        await third

    with pytest.raises(RunStoppedError, match=r"4 calls is used up: 3 made, .* may take 2"):
        asyncio.run(begin_three())


def test_two_samples_that_need_more_than_planned_do_not_wait_for_one_another():
    meter, shares = Meter(Cap(calls=2)), [Share(calls=1), Share(calls=1)]

    async def needs_more(share):
        try:
            await meter.reserve(0.0, share)
        finally:
            meter.close(share)

    async def both_need_more():
        for share in shares:
            await meter.reserve(0.0, share)
            meter.settle(0.0, 1, 0.0, share)
        return await asyncio.gather(*map(needs_more, shares), return_exceptions=True)

    assert [type(outcome) for outcome in asyncio.run(both_need_more())] == [RunStoppedError] * 2


def test_what_a_sample_takes_beyond_its_plan_comes_before_new_samples():
    async def who_is_next():
        meter, first, second, new = Meter(Cap(calls=3)), Share(1), Share(2), Share(1)
        for share in (first, second):
            await meter.reserve(0.0, share)
            meter.settle(0.0, 1, 0.0, share)
        waiting = [asyncio.create_task(meter.reserve(0.0, share)) for share in (new, first)]
        await asyncio.sleep(0)
        meter.close(second)
        await asyncio.sleep(0.01)
        return [task.done() for task in waiting]

    assert asyncio.run(who_is_next()) == [False, True]


def test_samples_begin_in_the_order_in_which_they_were_announced():
    async def who_began():
        meter, shares = Meter(Cap(calls=2)), [Share(1), Share(1), Share(1)]
        for share in shares:
            meter.announce(share)
        waiting = [asyncio.create_task(meter.reserve(0.0, share)) for share in shares[::-1]]
        await asyncio.sleep(0.01)
        return [task.done() for task in waiting[::-1]]

    # The third waits: the two in flight may fail and leave it theirs.
    assert asyncio.run(who_began()) == [True, True, False]
