"""Runs that label with judges: one call each for a sample, billed by judge, and no label asked for
twice.
"""

import json
from pathlib import Path

import pytest

from evaluators.datasets.sampling import in_random_order
from evaluators.errors import ParameterError
from evaluators.records import Cap, EvaluatorSpec, ModelSpec
from evaluators.runs import aggregate, inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Counts
from tests import judge
from tests.runs import paid
from tests.stops import stopped

ROOT = Path(__file__).parents[2]
PATIENCE = 120
LUNA, SOL = (spec.model_copy(update={"answer_tokens": 2000}) for spec in (paid.LUNA, paid.SOL))
LOCAL = ModelSpec(provider="custom", model="local", answer_tokens=2000)
JURY = (LUNA, LOCAL)
HYBRID = EvaluatorSpec(name="hybrid")


def severe(text):
    """The stand-in judge without any support."""
    whole = judge.labels(text)
    for support in whole["sentence_support_information"]:
        support.update(supporting_sentence_keys=[], fully_supported=False)
    return json.dumps(whole | {"overall_supported": False})


class Judges:
    """Two providers, one for each judge of the jury; `words` is what the second one says."""

    def __init__(self, loopback, **options):
        self.words = severe
        self.openai = loopback(answer=judge.labels_for, **options)
        self.custom = loopback(answer=lambda text: self.words(text), **options)
        self.keys = paid.keys(self.openai.base_url) | paid.keys(self.custom.base_url, to="custom")

    @property
    def asked(self):
        return len(self.openai.asked), len(self.custom.asked)


@pytest.fixture
def server(loopback):
    return Judges(loopback)


def finished(store, run, registry, server):
    registry.start(run, store, server.keys).wait(PATIENCE)
    return store.results.counts(run)


def test_one_judge_labels_a_sample_with_one_call(store, registry, server):
    run = paid.labelled_run(store, paid.answered(5), (LUNA,))

    assert finished(store, run, registry, server) == Counts(asked=5, scored=5, failed=0)
    assert server.asked == (5, 0)
    assert {row.by for row in store.results.outlines(run)} == {LUNA.id}
    # The first of two response sentences stands in a document.
    assert store.results.get(run.id, 0).score.values["supported_share"] == 0.5


def test_a_jury_asks_each_judge_once_for_a_sample_and_bills_it_by_judge(store, registry, server):
    run = paid.labelled_run(store, paid.answered(4), (LUNA, LOCAL, SOL))

    assert finished(store, run, registry, server) == Counts(asked=4, scored=4, failed=0)
    assert server.asked == (8, 4)
    spent = store.calls.spent(run.id)
    assert {model: bill.calls for model, bill in spent.items()} == {
        LUNA.id: 4,
        LOCAL.id: 4,
        SOL.id: 4,
    }
    assert spent[SOL.id].cost == pytest.approx(
        spent[SOL.id].prompt_tokens * 2e-6 + spent[SOL.id].answer_tokens * 10e-6
    )
    assert spent[LOCAL.id].cost is None  # its price is unknown
    result = store.results.get(run.id, 0)
    assert (result.calls, result.cost) == (3, None)
    assert [kept.by for kept in result.score.evidence.labellings] == [
        "jury",
        LUNA.id,
        LOCAL.id,
        SOL.id,
    ]
    assert {row.by for row in store.results.outlines(run)} == {"jury"}


def test_every_view_and_the_agreement_of_a_jury_come_from_stored_labels(store, registry, server):
    run = paid.labelled_run(store, paid.answered(4), JURY)
    finished(store, run, registry, server)
    before, view = server.asked, RunView.read(store, run)

    names = view.labellers()
    shares = {
        by: aggregate.summarise(view.counted(aggregate.View(by=by)), "supported_share")
        for by in names
    }
    table = {(each.first, each.second, each.label): each for each in view.agreements(0)}

    assert names == ["jury", LUNA.id, LOCAL.id]
    # Two judges, a tie: the stricter verdict counts.
    assert [shares[by].mean for by in names] == [0.0, 0.5, 0.0]
    assert table[LUNA.id, LOCAL.id, "support"].sentences == 8
    assert table[LUNA.id, LOCAL.id, "support"].equal == 0.5
    # The jury is made of its judges' votes.
    assert not [pair for pair in table if "jury" in pair]
    assert server.asked == before


def test_a_judge_that_cannot_be_read_fails_the_sample_and_only_that_judge_is_asked_again(
    store, registry, server
):
    run = paid.labelled_run(store, paid.answered(3), JURY)
    server.words = lambda text: "I would rather not say."

    assert finished(store, run, registry, server) == Counts(asked=3, scored=0, failed=3)
    assert server.asked == (3, 9)  # each asked twice more in other words
    assert "I would rather not say." in store.results.get(run.id, 0).details
    server.words = severe

    assert finished(store, run, registry, server).scored == 3
    assert server.asked == (3, 12)
    spent = store.calls.spent(run.id)
    assert (spent[LUNA.id].calls, spent[LOCAL.id].calls) == (3, 12)
    assert sum(store.results.get(run.id, n).calls for n in range(3)) == 15


def test_a_judge_that_can_never_be_read_stops_the_run_and_keeps_everything(
    store, registry, server, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_WORKERS", "4")
    run = paid.labelled_run(store, paid.answered(40), (LOCAL,))
    server.words = lambda text: "I would rather not say."

    counts = finished(store, run, registry, server)

    assert counts.scored == 0
    assert 10 <= counts.failed < 20
    assert server.asked == (0, 3 * counts.failed)  # each asked twice more in other words
    assert stopped(store, run.id) == (
        "10 samples in a row failed because the judge's answers could not be read. "
        "Start a run with another judge, or with a metric that asks less of it."
    )
    server.words = severe

    assert finished(store, run, registry, server) == Counts(asked=40, scored=40, failed=0)
    assert stopped(store, run.id) == ""


def test_a_judge_that_can_be_read_now_and_then_does_not_stop_the_run(
    store, registry, server, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_WORKERS", "1")
    run = paid.labelled_run(store, paid.answered(20), (LOCAL,))
    order = in_random_order([sample.id for sample in paid.answered(20).samples])
    every_tenth = [f"bridge {order[turn]}?" for turn in (9, 19)]
    server.words = lambda text: severe(text) if any(name in text for name in every_tenth) else "Hm."

    assert finished(store, run, registry, server) == Counts(asked=20, scored=2, failed=18)
    assert stopped(store, run.id) == ""


@pytest.mark.parametrize("fault", ["length", "filter", "422"])
def test_a_provider_that_fails_one_judge_costs_the_other_nothing_on_retry(
    store, registry, loopback, fault
):
    trouble = {LOCAL.model: fault}
    server = Judges(loopback, fault=lambda asked: trouble.get(asked.model, ""))
    run = paid.labelled_run(store, paid.answered(2), JURY)

    assert finished(store, run, registry, server).failed == 2
    trouble.clear()

    assert finished(store, run, registry, server).scored == 2
    assert len(server.openai.asked) == 2


def test_a_cap_on_calls_counts_every_judge(store, registry, server):
    run = paid.labelled_run(store, paid.answered(6), JURY, cap=Cap(calls=5))

    finished(store, run, registry, server)

    # Two samples of two calls each: a third would lack its second judge.
    assert server.asked == (2, 2)
    assert "5" in stopped(store, run.id)
    store.runs.set_cap(run.id, Cap(calls=100))
    assert finished(store, store.runs.get(run.id), registry, server).scored == 6
    assert server.asked == (6, 6)


def test_a_jury_killed_three_times_finishes_and_repeats_only_what_was_in_flight(
    store, registry, loopback
):
    server, workers, kills = Judges(loopback, latency=0.05), 8, 3
    run = paid.labelled_run(store, paid.answered(120), (LUNA, SOL))
    for _ in range(kills):
        paid.killed(store, run, server.openai.base_url, workers, after=15)

    assert store.results.counts(run).open > 0
    assert finished(store, run, registry, server) == Counts(asked=120, scored=120, failed=0)
    # A cell in flight holds two calls, which are stored with its result.
    assert 0 <= server.asked[0] - 240 <= 2 * kills * workers
    assert {bill.calls for bill in store.calls.spent(run.id).values()} == {120}


def test_a_cancelled_jury_goes_on_without_asking_for_what_was_answered(store, registry, loopback):
    server = Judges(loopback, latency=0.05)
    run = paid.labelled_run(store, paid.answered(80), JURY)
    registry.start(run, store, server.keys)
    while store.results.counts(run).scored < 10:
        pass
    registry.cancel(run.id)
    before = store.results.counts(run).scored
    assert before < 80

    assert finished(store, run, registry, server).scored == 80
    paid_for = sum(bill.calls for bill in store.calls.spent(run.id).values())
    assert 160 <= paid_for <= sum(server.asked)


# Hybrid


def test_a_hybrid_run_keeps_the_heuristic_beside_the_judge(store, registry, server):
    run = create_run(
        store,
        RunPlan(paid.answered(3), inputs.evaluators(HYBRID), title="t", judges=(LUNA,)),
        workspace="w",
    )

    assert finished(store, run, registry, server).scored == 3
    assert RunView.read(store, run).labellers() == [LUNA.id, "heuristic"]
    assert {row.by for row in store.results.outlines(run)} == {LUNA.id}


def test_a_hybrid_run_that_never_doubts_needs_no_judge(store, registry, server):
    never = HYBRID.model_copy(update={"params": {"doubt_from": 1.01}})
    run = create_run(
        store, RunPlan(paid.answered(3), inputs.evaluators(never), title="t"), workspace="w"
    )

    assert finished(store, run, registry, server).scored == 3
    assert RunView.read(store, run).labellers() == ["heuristic"]
    assert server.asked == (0, 0)


# Who may judge


@pytest.mark.parametrize(
    ("name", "judges", "message"),
    [
        ("gpt_labeling", 0, "asks a judge, and none is named. Name one"),
        ("hybrid", 0, "asks a judge, and none is named. Name one"),
        ("gpt_labeling", 6, "6 judges are chosen; .* takes 5 at most. Remove some"),
        ("hybrid", 6, "takes 5 at most"),
        ("rgb", 2, "takes 1 at most"),
    ],
)
def test_a_number_of_judges_that_cannot_be_is_refused_with_the_remedy(store, name, judges, message):
    specs = [LUNA.model_copy(update={"model": f"gpt-6-{number}"}) for number in range(judges)]

    with pytest.raises(ParameterError, match=message):
        create_run(
            store,
            RunPlan(paid.answered(1), inputs.evaluators(name), title="t", judges=specs),
            workspace="w",
        )

    assert store.runs.newest("w") == []


@pytest.mark.parametrize(
    ("name", "judges"), [("gpt_labeling", 1), ("gpt_labeling", 5), ("rgb", 1), ("trace", 0)]
)
def test_as_many_judges_as_the_evaluator_takes_are_stored(store, name, judges):
    specs = tuple(LUNA.model_copy(update={"model": f"gpt-6-{number}"}) for number in range(judges))

    run = create_run(
        store,
        RunPlan(paid.answered(1), inputs.evaluators(name), title="t", judges=specs),
        workspace="w",
    )

    assert store.runs.get(run.id).judges == specs
