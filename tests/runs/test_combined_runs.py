"""Runs of several metrics: one answer, judged by each of them, and every one of them has an outcome
of its own.
"""

import json
import logging
from pathlib import Path

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import compose
from evaluators.errors import HostLimitError, ParameterError
from evaluators.llm.catalogue import OFFLINE
from evaluators.records import Ability, Cap, Cell, Dataset, EvaluatorSpec, Sample
from evaluators.runs import aggregate, inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Counts
from tests import judge
from tests.runs import paid, slow
from tests.stops import stopped

PATIENCE = 120
LUNA, SOL = (spec.model_copy(update={"answer_tokens": 2000}) for spec in (paid.LUNA, paid.SOL))
TRACE, MATCH, RECALL, JUDGE, LABELS, RGB = map(
    lambda name: EvaluatorSpec(name=name),
    ("trace", "answer_match", "retriever_recall", "llm_judge", "gpt_labeling", "rgb"),
)
F1 = EvaluatorSpec(name="answer_match", params={"type": "f1_score"})


def combined(store, data, *metrics, **options):
    evaluators = inputs.evaluators(metrics) if metrics else ()
    return create_run(store, RunPlan(data, evaluators, title="combined", **options), workspace="w")


def finished(store, run, registry, server=None):
    registry.start(run, store, paid.keys(server.base_url) if server else None).wait(PATIENCE)
    return store.results.counts(run)


def answered(*responses, gold=()):
    """Answers to "Who designed it?", of which "Mina Osei" is right."""
    return Dataset(
        name="answers",
        samples=tuple(
            Sample(
                id=f"a{number}",
                question="Who designed it?",
                response=response,
                retrieved_documents=("Mina Osei designed it.", "Ferries left from the pier."),
                ground_truth="Mina Osei",
                gold_documents=gold,
            )
            for number, response in enumerate(responses)
        ),
    )


def says(text):
    """Labels for our labelling prompt, yes for any other question."""
    return (
        judge.labels_for(text)
        if judge.is_labelling(text)
        else '{"reason": "So it is.", "verdict": "yes"}'
    )


def statuses(store, run):
    return {(row.position, row.metric): row.status for row in store.results.outlines(run)}


# One run, several metrics


def test_trace_answer_match_and_recall_judge_the_same_samples(store, registry):
    data = answered("Mina Osei", "Ada Lind", gold=("Mina Osei designed it.", "Another text."))
    run = combined(store, data, MATCH, RECALL, TRACE)

    assert [spec.name for spec in run.evaluators] == ["trace", "answer_match", "retriever_recall"]
    assert finished(store, run, registry) == Counts(asked=6, scored=6, failed=0)
    assert store.results.of_answer(run.id, 0)[1].score.values == {"answer_match": 1.0}
    assert store.results.of_answer(run.id, 1)[1].score.values == {"answer_match": 0.0}
    # One of two gold contexts is contained; one of two documents holds one, the first.
    recall = {
        "retriever_recall": 0.5,
        "recall_at_k": 0.5,
        "precision_at_k": 0.5,
        "reciprocal_rank": 1.0,
        "hit_at_k": 1.0,
        "ndcg_at_k": pytest.approx(0.6131, abs=1e-4),
    }
    assert store.results.get(run.id, 1, 0, 2).score.values == recall
    assert "adherence" in store.results.get(run.id, 0).score.values
    rows = store.results.outlines(run)
    assert aggregate.summarise(aggregate.of_metric(rows, 1), "answer_match").coverage == "2 / 2"
    first, second = aggregate.merged(rows)
    assert list(first.values)[-7:] == ["answer_match", *recall]
    assert (second.values["answer_match"], second.values["adherence"]) == (0.0, 0.0)


def test_a_run_keeps_how_its_samples_were_made(store):
    dataset = compose(bundled()[ENGLISH_BED], [Ability.NOISE], (0.2,), passages=3, seed=4, sample=1)

    run = combined(store, dataset, MATCH, RGB, models=(OFFLINE,), prompt=paid.PROMPT)

    made = {
        "abilities": ["noise_robustness"],
        "noise_levels": [0.2],
        "passages": 3,
        "seed": 4,
        "sample": 1,
    }
    assert store.runs.get(run.id).origin == made | {"test_bed": ENGLISH_BED}
    assert store.runs.get(run.id).evaluator.name == "rgb"
    assert dataset.fingerprint == dataset.model_copy(update={"origin": {}}).fingerprint


@pytest.mark.parametrize(
    ("metrics", "judges", "words"),
    [
        ((), (), "No metric is chosen"),
        ((MATCH, RECALL, MATCH), (), "Answer match is chosen twice with the same parameters"),
        (
            (EvaluatorSpec(name="answer_match", params={"type": "exact_match"}), MATCH),
            (),
            "chosen twice",
        ),
        ((RGB, MATCH, TRACE), (), "RGB and TRACE.* cannot be in one run"),
        ((MATCH, EvaluatorSpec(name="nothing")), (), "No metric is called 'nothing'"),
        (
            (TRACE, MATCH),
            (LUNA,),
            r"A judge is named, and TRACE .* and Answer match ask none. Leave the judge out",
        ),
        ((TRACE, JUDGE), (LUNA, SOL), "takes 1 at most"),
        ((JUDGE, LABELS), (), "asks a judge, and none is named"),
    ],
)
def test_metrics_that_cannot_be_in_one_run_are_refused_before_anything_is_stored(
    store, metrics, judges, words
):
    with pytest.raises(ParameterError, match=words):
        combined(store, answered("Mina Osei"), *metrics, judges=judges)

    assert store.runs.newest("w") == []


def test_a_metric_may_be_there_twice_with_other_parameters(store, registry):
    run = combined(store, answered("Mina Osei, it says"), MATCH, F1)

    assert finished(store, run, registry) == Counts(asked=2, scored=2, failed=0)
    (row,) = aggregate.merged(store.results.outlines(run))
    # Two words of four are right, both of the truth are there: 2 * 0.5 * 1 / 1.5.
    assert row.values == {"answer_match": 0.0, "answer_match (2)": pytest.approx(2 / 3)}


def test_a_public_host_counts_every_metric(store, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_CELLS_PER_RUN", "5")
    data = answered("a", "b", "c")

    with pytest.raises(HostLimitError, match="6 samples to score; this host allows 5"):
        combined(store, data, TRACE, MATCH)
    assert combined(store, data, TRACE)


# Failures


def test_only_the_metric_that_failed_is_tried_again(store, registry, trouble, tmp_path):
    fragile = EvaluatorSpec(name="test_fragile", params={"trouble": str(trouble)})
    patient = EvaluatorSpec(
        name="test_slow", params={"log": str(tmp_path / "log.txt"), "seconds": 0}
    )
    run = combined(store, slow.dataset("fine", "our error"), fragile, patient)

    assert finished(store, run, registry) == Counts(asked=4, scored=3, failed=1)
    assert statuses(store, run) == {
        (0, 0): "scored",
        (0, 1): "scored",
        (1, 0): "failed",
        (1, 1): "scored",
    }
    trouble.unlink()
    assert finished(store, run, registry) == Counts(asked=4, scored=4, failed=0)
    assert sorted((tmp_path / "log.txt").read_text().split()) == ["s0", "s1"]


def test_of_a_foreign_error_kind_file_and_line_are_kept_and_nothing_it_says(
    store, registry, trouble, caplog
):
    caplog.set_level(logging.DEBUG)
    fragile = EvaluatorSpec(name="test_fragile", params={"trouble": str(trouble)})
    run = combined(
        store, slow.dataset("foreign error"), fragile, TRACE, models=(OFFLINE,), prompt=paid.PROMPT
    )
    finished(store, run, registry)

    failed = store.results.get(run.id, 0, 0, 1)

    source = Path(slow.__file__).read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(source, start=1) if "raise ValueError" in text)
    assert failed.details == f"ValueError in slow.py, line {line}"
    assert "sk-secret" not in failed.model_dump_json() + caplog.text


# Models and judges


def test_a_model_is_asked_once_and_all_metrics_judge_its_answer(store, registry, loopback):
    server = loopback()
    run = combined(store, paid.dataset(3), F1, RGB, RECALL, models=(LUNA, SOL), prompt=paid.PROMPT)

    assert finished(store, run, registry, server) == Counts(asked=18, scored=18, failed=0)
    assert len(server.asked) == 6
    assert {model: bill.calls for model, bill in store.calls.spent(run.id).items()} == {
        LUNA.id: 3,
        SOL.id: 3,
    }
    results = store.results.of_answer(run.id, 2, 1)
    assert {each.response for each in results.values()} == {"Number 2 is Mina Osei."}
    assert [each.calls for each in results.values()] == [1, 0, 0]
    assert results[0].cost == pytest.approx(store.calls.spent(run.id)[SOL.id].cost / 3)
    assert (results[1].cost, results[1].usage.prompt_tokens) == (0.0, 0)
    # "number is mina osei" holds the two words of the truth among five: 2 * 2/5 * 1 / (7/5).
    assert results[1].score.values == {"answer_match": pytest.approx(4 / 7)}


def test_an_answer_that_does_not_come_fails_all_metrics_alike_and_is_asked_for_once_more(
    store, registry, loopback
):
    server = loopback(fault=lambda asked: "filter" if len(server.asked) < 3 else "")
    run = combined(
        store, paid.dataset(1), RGB, F1, models=(LUNA,), prompt=paid.PROMPT, use_cache=False
    )

    assert finished(store, run, registry, server) == Counts(asked=2, scored=0, failed=2)
    first, second = store.results.of_answer(run.id, 0).values()
    assert first.error == second.error
    assert "withheld the answer" in first.error
    assert (first.calls, second.calls, len(server.asked)) == (1, 0, 1)
    server.asked.extend([server.asked[0]] * 2)
    assert finished(store, run, registry, server) == Counts(asked=2, scored=2, failed=0)
    assert len(server.asked) == 4
    assert [each.calls for each in store.results.of_answer(run.id, 0).values()] == [2, 0]


def test_a_metric_that_is_tried_again_finds_the_answer_that_the_others_judged(
    store, registry, loopback, trouble
):
    server = loopback()
    fragile = EvaluatorSpec(name="test_fragile", params={"trouble": str(trouble)})
    data = Dataset(
        name="d", samples=(paid.dataset(1).samples[0].model_copy(update={"question": "our error"}),)
    )
    run = combined(store, data, RGB, fragile, models=(LUNA,), prompt=paid.PROMPT, use_cache=False)

    assert finished(store, run, registry, server) == Counts(asked=2, scored=1, failed=1)
    trouble.unlink()
    assert finished(store, run, registry, server) == Counts(asked=2, scored=2, failed=0)
    assert len(server.asked) == 1
    first, second = store.results.of_answer(run.id, 0).values()
    assert first.response == second.response != ""


def test_a_cap_that_one_of_two_metrics_would_use_up_begins_no_sample(store, registry, loopback):
    server = loopback(answer=says)
    run = combined(store, answered("Mina Osei"), TRACE, JUDGE, F1, judges=(LUNA,), cap=Cap(calls=1))
    twice = combined(
        store,
        answered("Mina Osei"),
        JUDGE,
        EvaluatorSpec(name="llm_judge", params={"judgement_query": "Is it short?"}),
        judges=(LUNA,),
        cap=Cap(calls=1),
        use_cache=False,
    )

    assert finished(store, run, registry, server) == Counts(asked=3, scored=3, failed=0)
    assert finished(store, twice, registry, server) == Counts(asked=2, scored=0, failed=0)
    assert "budget of 1 call" in stopped(store, twice.id)
    store.runs.set_cap(twice.id, Cap(calls=2))
    assert finished(store, store.runs.get(twice.id), registry, server).scored == 2
    assert len(server.asked) == 3


def test_trace_asks_nobody_and_the_others_ask_the_first_judge(store, registry, loopback):
    server = loopback(answer=says)
    data = answered("Mina Osei designed it.")

    heuristic = combined(store, data, JUDGE, TRACE, judges=(LUNA,))
    jury = combined(store, data, JUDGE, LABELS, F1, judges=(LUNA, SOL), use_cache=False)

    assert finished(store, heuristic, registry, server) == Counts(asked=2, scored=2, failed=0)
    assert [asked.model for asked in server.asked] == [LUNA.model]
    assert finished(store, jury, registry, server) == Counts(asked=3, scored=3, failed=0)
    assert sorted(asked.model for asked in server.asked[1:]) == [LUNA.model, LUNA.model, SOL.model]
    assert {name: each.calls for name, each in store.calls.spent(jury.id).items()} == {
        LUNA.id: 2,
        SOL.id: 1,
    }
    assert [each.calls for each in store.results.of_answer(jury.id, 0).values()] == [2, 1, 0]


def test_a_judge_that_is_down_stops_the_run_although_another_metric_asks_nobody(
    store, registry, loopback, monkeypatch
):
    monkeypatch.setenv("PLUMBLINE_WORKERS", "5")
    server = loopback(fault=lambda asked: "503")
    run = combined(store, answered(*["Mina Osei"] * 30), JUDGE, F1, judges=(LUNA,))

    counts = finished(store, run, registry, server)

    assert 10 <= counts.failed <= 14  # those at work besides the tenth end as well
    assert counts.failed - 5 <= counts.scored <= counts.failed
    said = (
        "10 samples in a row failed because GPT-6 Luna gave no answer. Resume when it "
        "answers again."
    )
    assert stopped(store, run.id) == said


def test_a_judge_that_cannot_be_read_fails_its_own_metric_only(store, registry, loopback):
    words = ["Hm."] * 3
    server = loopback(answer=lambda text: words.pop() if words else says(text))
    run = combined(store, answered("Mina Osei"), TRACE, JUDGE, F1, judges=(LUNA,))

    assert finished(store, run, registry, server) == Counts(asked=3, scored=2, failed=1)
    assert statuses(store, run) == {(0, 0): "scored", (0, 1): "failed", (0, 2): "scored"}
    (row,) = aggregate.merged(store.results.outlines(run))
    assert row.status == "failed"
    assert row.values["answer_match"] == 1.0
    assert finished(store, run, registry, server).scored == 3
    assert (
        json.loads(store.results.get(run.id, 0, 0, 1).score.evidence.outputs[-1])["verdict"]
        == "yes"
    )


# Stopping


def test_cancelling_stops_between_two_metrics(store, registry, tmp_path):
    logs = [
        EvaluatorSpec(
            name="test_slow", params={"log": str(tmp_path / f"{number}.txt"), "seconds": 0.3}
        )
        for number in range(4)
    ]
    run = combined(store, slow.dataset("wait"), *logs)
    job = registry.start(run, store)
    while not store.results.counts(run).scored:
        pass

    registry.cancel(run.id)

    assert 1 <= store.results.counts(run).scored < 4
    assert store.results.open_cells(run)[-1] == Cell(0, 0, 3)
    assert not job.is_live
