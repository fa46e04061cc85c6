"""The store: what was stored is there again, for its workspace only, and samples are kept once for
all their runs.
"""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import compose
from evaluators.errors import AccessError, LLMError, ParameterError, StoreError, UnreadableRowError
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Ability,
    Call,
    Cap,
    Cell,
    Completion,
    Dataset,
    EvaluatorSpec,
    LabelEvidence,
    Labelling,
    Labels,
    ModelSpec,
    Reason,
    Remedy,
    RuleEvidence,
    Run,
    Sample,
    SampleResult,
    Score,
    Usage,
)
from evaluators.runs.store import Counts, Spent, Store
from evaluators.runs.store.batches import Batch, SentRequest
from evaluators.runs.store.calls import MOST_COUNTED
from evaluators.runs.store.saved_mappings import MOST_MAPPINGS
from tests.stops import stop, stopped

ROOT = Path(__file__).parents[2]
DATASET = Dataset(
    name="three", samples=tuple(Sample(id=f"s{number}", question="q") for number in range(3))
)
READER = ModelSpec(provider="offline", model="offline-reader")
LUNA = ModelSpec(provider="openai", model="gpt-6-luna")
SCORED = Score(values={"accuracy": 0.0, "other": None}, reason="why", details={"own": ["x"]})
LABELLED = LabelEvidence(labellings=(Labelling(by="jury", labels=Labels()),))


def run(
    run_id="r1",
    workspace="w",
    dataset=DATASET,
    created="2026-01-01T00:00:00",
    models=(READER,),
    metrics=("rgb",),
):
    return Run(
        id=run_id,
        workspace=workspace,
        created=created,
        title="A run",
        dataset_name=dataset.name,
        fingerprint=dataset.fingerprint,
        evaluators=tuple(EvaluatorSpec(name=name, params={"policy": "paper"}) for name in metrics),
        models=models,
        prompt="$question $documents",
        seed=7,
    )


def scored(position, score=SCORED, model=0, metric=0):
    return SampleResult(position=position, model=model, metric=metric, status="scored", score=score)


def failed(position, error="It broke. Try again.", model=0, metric=0):
    return SampleResult(position=position, model=model, metric=metric, status="failed", error=error)


def change(value="yes", label="relevant", key="0a", created="2026-01-01T10:00:00"):
    return PersonLabel(label=label, key=key, value=value, created=created)


def call(key="k", text="Paris", cost=0.25, model=LUNA.id, reusable=True):
    completion = Completion(text=text, usage=Usage(prompt_tokens=100, answer_tokens=10))
    return Call(key=key, model=model, completion=completion, cost=cost, reusable=reusable)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "runs.sqlite3"


def test_everything_survives_reopening(store, where):
    full = SampleResult(
        position=1,
        status="scored",
        score=SCORED,
        response="信息 \u202f \U0001f600",
        usage=Usage(prompt_tokens=5, answer_tokens=2),
        seconds=0.25,
    )
    store.runs.save(run(), DATASET)
    store.results.save("r1", full)
    store.results.save("r1", failed(2))
    store.close()

    again = Store(where)

    assert again.runs.get("r1") == run()
    assert again.runs.newest("w") == [run()]
    assert again.results.get("r1", 0) is None
    assert again.results.get("r1", 1) == full
    assert again.results.get("r1", 2) == failed(2)
    assert [again.samples.get(DATASET.fingerprint, position) for position in range(3)] == list(
        DATASET.samples
    )
    assert again.results.counts(run()) == Counts(asked=3, scored=1, failed=1)
    assert again.results.counts(run()).open == 1


@pytest.mark.parametrize("name", [ENGLISH_BED, TRACE_SAMPLES])
def test_an_upload_comes_back_as_it_was(store, name):
    store.uploads.save("w", name, bundled()[name])

    assert store.uploads.get("w", name) == bundled()[name]
    assert list(store.uploads.names("w")) == [name]


def test_samples_with_all_their_parts_come_back_as_they_were(store):
    for dataset in (compose(bundled()[ENGLISH_BED], list(Ability)), bundled()[TRACE_SAMPLES]):
        store.runs.save(run(dataset.name, dataset=dataset), dataset)

        assert [
            store.samples.get(dataset.fingerprint, at) for at in range(len(dataset.samples))
        ] == list(dataset.samples)


def test_every_metric_of_a_run_has_results_of_its_own(store):
    both = run(models=(READER, LUNA), metrics=("rgb", "answer_match"))
    store.runs.save(both, DATASET)
    store.results.save("r1", scored(0, metric=1))
    store.results.save("r1", failed(0, metric=0))
    store.results.save("r1", scored(1, model=1, metric=1))
    store.person_labels.save("r1", Cell(1, 1, 1), change())

    assert store.results.counts(both) == Counts(asked=12, scored=2, failed=1)
    assert store.results.open_cells(both)[:4] == [
        Cell(0, 0, 0),
        Cell(0, 1, 0),
        Cell(0, 1, 1),
        Cell(1, 0, 0),
    ]
    assert len(store.results.open_cells(both)) == 10
    assert store.results.of_answer("r1", 0) == {0: failed(0), 1: scored(0, metric=1)}
    assert store.results.get("r1", 0, 0, 1) == scored(0, metric=1)
    assert [
        (row.position, row.model, row.metric, row.status, row.corrected)
        for row in store.results.outlines(both)
    ][:8] == [
        (0, 0, 0, "failed", 0),
        (0, 0, 1, "scored", 0),
        (0, 1, 0, None, 0),
        (0, 1, 1, None, 0),
        (1, 0, 0, None, 0),
        (1, 0, 1, None, 0),
        (1, 1, 0, None, 0),
        (1, 1, 1, "scored", 0),
    ]
    assert [cell for cell, _, _ in store.results.scored(both)] == []
    assert [cell for cell, _, _ in store.results.scored(both, metric=1)] == [
        Cell(0, 0, 1),
        Cell(1, 1, 1),
    ]


def test_corrections_are_of_an_answer_whatever_the_metric_of_the_cell(store):
    store.runs.save(run(metrics=("trace", "answer_match")), DATASET)
    store.results.save("r1", scored(0))
    store.results.save("r1", scored(0, metric=1))
    store.person_labels.save("r1", Cell(0, 0, 1), change())

    assert store.person_labels.by_cell("r1", Cell(0)) == {Cell(0): [change()]}
    assert [row.corrected for row in store.results.outlines(store.runs.get("r1"))][:2] == [1, 0]
    assert store.person_labels.undo("r1", Cell(0), "you")


def test_failures_are_counted_by_their_reason(store):
    store.runs.save(run(), DATASET)
    for position, error in enumerate(("Too long.", "Cut off.", "Too long.")):
        store.results.save("r1", failed(position, error))

    assert store.results.failures("r1") == [
        (Reason(message="Too long."), 2),
        (Reason(message="Cut off."), 1),
    ]


def test_a_failure_keeps_its_kind_and_its_remedy(store):
    store.runs.save(run(), DATASET)
    error = LLMError("A web page.", remedy=Remedy("check_address", "OPENAI_BASE_URL"))
    kept = {"error": error.message, "error_kind": error.kind, "remedy": error.remedy}
    store.results.save("r1", failed(0).model_copy(update=kept))

    assert store.results.failures("r1") == [(error.reason, 1)]
    assert store.results.get("r1", 0).reason == error.reason
    assert (error.reason.kind, str(error)) == ("model", "A web page. Check OPENAI_BASE_URL.")


def test_each_model_may_stop_for_a_reason_of_its_own(store, where):
    reasons = (
        Reason(kind="cap", message="Reached."),
        AccessError("No key.", remedy=Remedy("enter_key", "A")).reason,
    )
    store.runs.save(run(), DATASET)
    store.runs.save_stop_reasons("r1", *reasons)
    store.close()

    again = Store(where)

    assert again.runs.stop_reasons("r1") == reasons
    again.runs.save_stop_reasons("r1")
    assert again.runs.stop_reasons("r1") == ()


# Corrections


def test_corrections_come_back_by_cell_in_their_order(store, where):
    store.runs.save(run(models=(READER, LUNA)), DATASET)
    first, second, other = change("yes"), change("no"), change("partial", "support", "b")
    store.person_labels.save("r1", Cell(1), first)
    store.person_labels.save("r1", Cell(1, 1), other)
    store.person_labels.save("r1", Cell(1), second)
    store.close()

    again = Store(where)

    assert again.person_labels.by_cell("r1") == {Cell(1): [first, second], Cell(1, 1): [other]}
    assert again.person_labels.by_cell("r1", Cell(1, 1)) == {Cell(1, 1): [other]}
    assert again.person_labels.by_cell("r1", Cell(0)) == {}
    assert again.person_labels.by_cell("another") == {}


def test_the_newest_correction_is_taken_back_first_and_all_of_a_cell_at_once(store):
    store.runs.save(run(), DATASET)
    for value in ("yes", "no"):
        store.person_labels.save("r1", Cell(0), change(value))
    store.person_labels.save("r1", Cell(1), change("no"))

    assert store.person_labels.undo("r1", Cell(0), "you")
    assert store.person_labels.by_cell("r1", Cell(0)) == {Cell(0): [change("yes")]}
    assert store.person_labels.undo("r1", Cell(0), "you")
    assert not store.person_labels.undo("r1", Cell(0), "you")
    assert store.person_labels.by_cell("r1") == {Cell(1): [change("no")]}

    for position in (0, 0):
        store.person_labels.save("r1", Cell(position), change())
    store.person_labels.withdraw_all("r1", Cell(0), "you")
    assert store.person_labels.by_cell("r1") == {Cell(1): [change("no")]}


def test_what_is_taken_back_is_kept_as_history_and_others_words_stay(store):
    store.runs.save(run(), DATASET)
    ann, ben = (change().model_copy(update={"person": name}) for name in ("Ann", "Ben"))
    store.person_labels.save("r1", Cell(0), ann, ben)

    assert store.person_labels.undo("r1", Cell(0), "Ann")
    assert not store.person_labels.undo("r1", Cell(0), "Ann")
    store.person_labels.withdraw("r1", Cell(0), "Cleo", "relevant", "0a")

    assert store.person_labels.by_cell("r1") == {Cell(0): [ben]}
    history = store.person_labels.history("r1")
    assert [(kept.label, kept.withdrawn is None) for kept in history] == [(ann, False), (ben, True)]


def test_corrections_go_with_their_run_and_stay_where_a_sample_is_scored_again(store):
    for name in ("r1", "r2"):
        store.runs.save(run(name), DATASET)
        store.person_labels.save(name, Cell(0), change())
    store.results.save("r1", failed(0))
    store.results.save("r1", scored(0))

    assert store.person_labels.by_cell("r1") == {Cell(0): [change()]}
    store.runs.delete("r1")
    assert store.person_labels.by_cell("r1") == {}
    assert store.person_labels.by_cell("r2") == {Cell(0): [change()]}


def test_a_correction_of_an_unknown_run_is_refused(store):
    with pytest.raises(ParameterError, match="was deleted meanwhile"):
        store.person_labels.save("gone", Cell(0), change())


@pytest.mark.parametrize("by", [None, ["x", "y"], {"a": 1}])
def test_a_detail_that_only_looks_like_a_labeller_is_stored_as_any_other(store, by):
    score = Score(values={"accuracy": 1.0}, details={"by": by})
    store.runs.save(run(), DATASET)
    store.results.save("r1", scored(0, score))

    assert store.results.outlines(run())[0].by == ""
    assert store.results.get("r1", 0).score == score


def test_outlines_tell_who_labelled_and_how_much_a_person_corrected(store):
    store.runs.save(run(), DATASET)
    store.results.save("r1", scored(0, Score(values={}, evidence=LABELLED)))
    store.results.save("r1", scored(1))
    for position in (0, 0, 1):
        store.person_labels.save("r1", Cell(position), change())

    assert [(row.by, row.corrected) for row in store.results.outlines(run())] == [
        ("jury", 2),
        ("", 1),
        ("", 0),
    ]


# Calls


def test_a_run_is_billed_by_model_and_an_unknown_price_makes_no_sum(store):
    store.runs.save(run(), DATASET)
    store.results.save("r1", scored(0), [call(cost=0.25), call(model="openai/mystery", cost=None)])
    store.calls.save("r1", [call(cost=0.5), call(model="openai/mystery", cost=0.1)])

    spent = store.calls.spent("r1")

    assert spent["openai/gpt-6-luna"] == Spent(
        calls=2, prompt_tokens=200, answer_tokens=20, cost=0.75
    )
    assert spent["openai/mystery"] == Spent(calls=2, prompt_tokens=200, answer_tokens=20, cost=None)
    assert store.calls.spent("another") == {}


def test_counts_of_tokens_that_make_no_sense_make_no_run_unreadable(store, path):
    store.runs.save(run(), DATASET)
    huge = Completion(text="a", usage=Usage(prompt_tokens=2**64))
    store.results.save("r1", scored(0), [call(cost=0.5).model_copy(update={"completion": huge})])
    with sqlite3.connect(path) as db:  # as version 0.1.0 stored what a server told
        db.executemany(
            "insert into calls (workspace, payer, key, model, created, cost, "
            "prompt_tokens, answer_tokens)"
            " values ('w', 'r1', ?, 'openai/gpt-6-luna', '', 9e12, ?, ?)",
            [("a", 2**63 - 1, 2**63 - 1), ("b", 2**63 - 1, 4), ("c", 4, 2**62)],
        )

    spent = store.calls.spent("r1")["openai/gpt-6-luna"]

    assert spent == Spent(
        calls=4, prompt_tokens=MOST_COUNTED, answer_tokens=MOST_COUNTED, cost=27e12 + 0.5
    )


def test_answers_taken_from_the_store_are_counted(store):
    store.runs.save(run(), DATASET)
    assert store.results.reused("r1") == 0
    for position, cached in enumerate((2, 0, 1)):
        store.results.save("r1", scored(position).model_copy(update={"cached": cached}))

    assert store.results.reused("r1") == 3


def test_the_newest_whole_answer_serves_again_in_its_workspace_only(store):
    store.runs.save(run(), DATASET)
    store.runs.save(run("r2", workspace="stranger"), DATASET)
    store.calls.save(
        "r1", [call("k", "old"), call("k", "new"), call("k", "cut", reusable=False), call("j")]
    )

    assert store.calls.answer("w", "k").text == "new"
    assert store.calls.answer("stranger", "k") is None
    assert store.calls.answered("w", ["k", "k", "j", "unknown"]) == 3
    assert (store.calls.answers_kept("w"), store.calls.answers_kept("stranger")) == (2, 0)


def test_answers_outlive_their_run_until_they_are_cleared_and_the_bill_stays(store):
    store.runs.save(run(), DATASET)
    store.runs.save(run("r2"), DATASET)
    store.calls.save("r1", [call("k")])
    store.calls.save("r2", [call("j")])
    store.runs.delete("r1")
    assert store.calls.answer("w", "k") is not None

    store.calls.forget_answers("stranger")
    assert store.calls.answers_kept("w") == 2
    store.calls.forget_answers("w")

    assert store.calls.answers_kept("w") == 0
    assert store.calls.answer("w", "k") is None
    assert store.calls.spent("r2")[LUNA.id].calls == 1


def test_calls_of_a_run_that_was_deleted_meanwhile_are_dropped(store):
    store.calls.save("gone", [call()])

    assert store.calls.spent("gone") == {}


def test_result_and_calls_are_stored_together_or_not_at_all(store):
    with pytest.raises(StoreError):
        store.results.save("no such run", scored(0), [call("k")])

    assert store.calls.answers_kept("w") == 0


def test_why_a_run_stopped_and_its_cap_are_kept(store, where):
    store.runs.save(run(), DATASET)
    stop(store, "r1", "No credit.")
    store.runs.set_cap("r1", Cap(calls=5))
    store.close()

    again = Store(where)

    assert stopped(again, "r1") == "No credit."
    assert stopped(again, "another") == ""
    assert again.runs.get("r1").cap == Cap(calls=5)


@pytest.mark.parametrize("damaged", ["No credit.", "[1]", "{", 7, b"\xff"])
def test_a_damaged_reason_keeps_nobody_from_the_run(store, path, damaged):
    store.runs.save(run(), DATASET)
    with store.database.transaction() as db:
        db.execute("update runs set stopped = ?", (damaged,))

    (reason,) = store.runs.stop_reasons("r1")

    assert (reason.kind, reason.message) == ("", "Why the run stopped cannot be read. Resume it.")
    assert store.runs.get("r1") == run()


WITH_SOURCES = Dataset(
    name="three",
    samples=tuple(sample.model_copy(update={"sources": ("a.txt",)}) for sample in DATASET.samples),
)


def test_no_visitor_sees_the_names_of_anothers_documents(store):
    theirs = WITH_SOURCES.model_copy(
        update={
            "samples": tuple(
                each.model_copy(update={"sources": ("secret.txt",)}) for each in DATASET.samples
            )
        }
    )
    store.runs.save(run("r1", "anna", theirs), theirs)
    for name, data in (("r2", WITH_SOURCES), ("r3", DATASET)):
        store.runs.save(run(name, "ben", data), data)

        assert store.samples.get(store.runs.get(name).fingerprint, 0) == data.samples[0]
    assert store.samples.get(theirs.fingerprint, 0).sources == ("secret.txt",)


def test_outlines_hold_every_sample_with_its_facets_and_values(store):
    bed = bundled()[ENGLISH_BED]
    first_two = bed.model_copy(update={"rows": bed.rows[:2]})
    dataset = compose(first_two, [Ability.NOISE], (0.4,))
    asked = run(dataset=dataset)
    store.runs.save(asked, dataset)
    store.results.save("r1", scored(0))

    first, second = store.results.outlines(asked)

    assert (first.position, first.sample_id, first.question) == (
        0,
        "noise-0-40",
        dataset.samples[0].question,
    )
    assert (first.ability, first.noise, first.effective_noise) == (Ability.NOISE, 0.4, 0.4)
    assert (first.status, first.values) == ("scored", {"accuracy": 0.0, "other": None})
    assert (second.status, second.values) == (None, {})


def test_scored_results_come_in_order_with_their_samples(store):
    dataset = Dataset(
        name="many", samples=tuple(Sample(id=str(number), question="q") for number in range(600))
    )
    asked = run(dataset=dataset)
    store.runs.save(asked, dataset)
    for position in (599, 0, 300, 256, 255, 2):
        store.results.save("r1", scored(position))
    store.results.save("r1", failed(1))

    found = [
        (position, sample.id, score) for position, sample, score in store.results.scored(asked)
    ]

    assert found == [
        (Cell(position), str(position), SCORED) for position in (0, 2, 255, 256, 300, 599)
    ]


def test_outlines_tell_which_options_changed_a_verdict(store):
    flipped = RuleEvidence(verdicts={}, flips=("nfkc", "remove_reasoning"))
    store.runs.save(run(), DATASET)
    store.results.save("r1", scored(0, Score(values={}, evidence=flipped)))
    store.results.save("r1", scored(1))

    assert [row.flips for row in store.results.outlines(run())] == [
        ("nfkc", "remove_reasoning"),
        (),
        (),
    ]


def test_two_runs_of_one_data_set_share_its_samples_but_not_their_results(store, path):
    renamed = DATASET.model_copy(update={"name": "the same rows"})
    store.runs.save(run("r1"), DATASET)
    size = path.stat().st_size
    store.runs.save(run("r2", dataset=renamed), renamed)
    store.results.save("r1", scored(0))

    assert run("r1").fingerprint == run("r2", dataset=renamed).fingerprint
    assert store.results.counts(run("r1")).scored == 1
    assert store.results.counts(run("r2")) == Counts(asked=3, scored=0, failed=0)
    assert path.stat().st_size == size


def test_samples_stay_until_the_last_run_that_uses_them_is_deleted(store):
    store.runs.save(run("r1"), DATASET)
    store.runs.save(run("r2"), DATASET)
    store.results.save("r1", scored(0))
    store.results.save("r2", scored(1))

    store.runs.delete("r1")

    assert store.runs.get("r1") is None
    assert store.results.get("r1", 0) is None
    assert store.results.get("r2", 1) == scored(1)
    assert store.samples.get(DATASET.fingerprint, 2) == DATASET.samples[2]

    store.runs.delete("r2")

    with pytest.raises(
        UnreadableRowError, match=r"The data set has no sample 1\. Choose another one\."
    ):
        store.samples.get(DATASET.fingerprint, 0)


def test_workspaces_see_only_their_own_runs_and_uploads(store):
    store.runs.save(run("r1", "anna"), DATASET)
    store.runs.save(run("r2", "ben"), DATASET)
    store.uploads.save("anna", "three", DATASET)
    store.uploads.save("ben", "three", DATASET.model_copy(update={"samples": ()}))

    assert [each.id for each in store.runs.newest("anna")] == ["r1"]
    assert [each.id for each in store.runs.newest("ben")] == ["r2"]
    assert store.runs.newest("carl") == []
    assert store.uploads.get("anna", "three") == DATASET
    assert store.uploads.get("carl", "three") is None

    store.uploads.delete("ben", "three")

    assert [list(store.uploads.names(name)) for name in ("anna", "ben")] == [["three"], []]


def test_an_upload_of_the_same_name_replaces_the_earlier_one(store):
    smaller = DATASET.model_copy(update={"samples": DATASET.samples[:1]})
    store.uploads.save("w", "three", DATASET)
    earlier = store.uploads.names("w")["three"]
    store.uploads.save("w", "three", smaller)

    assert store.uploads.get("w", "three") == smaller
    assert store.uploads.names("w")["three"] > earlier


def test_a_mapping_is_kept_for_the_same_columns_in_any_order(store):
    store.mappings.save("anna", ["asked", "said"], {"question": "asked"})
    store.mappings.save("anna", ["said", "asked"], {"response": "said"})
    assert store.mappings.get("anna", ["asked", "said"]) == {"response": "said"}
    assert store.mappings.get("anna", ["asked"]) is None
    assert store.mappings.get("ben", ["asked", "said"]) is None
    store.mappings.delete("anna", ["asked", "said"])
    assert store.mappings.get("anna", ["asked", "said"]) is None


def test_of_many_mappings_the_oldest_is_forgotten(store):
    for number in range(MOST_MAPPINGS + 1):
        store.mappings.save("anna", [str(number)], {"question": str(number)})
    assert store.mappings.get("anna", ["0"]) is None
    assert store.mappings.get("anna", ["1"]) == {"question": "1"}


def test_runs_come_newest_first_up_to_the_limit_also_after_the_clock_went_back(store):
    for day in ("02", "03", "01"):
        store.runs.save(run(f"r{day}", created=f"2026-01-{day}"), DATASET)

    assert [each.id for each in store.runs.newest("w")] == ["r01", "r03", "r02"]
    assert [each.id for each in store.runs.newest("w", limit=1)] == ["r01"]
    assert store.runs.ids("w") == ["r01", "r03", "r02"]
    assert store.runs.ids("w", "r03") == ["r03"]


def test_a_run_id_is_stored_once(store):
    store.runs.save(run(), DATASET)

    with pytest.raises(StoreError, match="cannot be written"):
        store.runs.save(run(), DATASET.model_copy(update={"samples": ()}))
    assert store.results.counts(run()).asked == 3


def test_writing_to_a_closed_store_is_refused_with_the_remedy(store):
    store.close()

    with pytest.raises(StoreError, match="cannot be written"):
        store.calls.forget_answers("w")


def test_a_folder_that_cannot_be_made_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StoreError, match="Set PLUMBLINE_DATA_DIR"):
        Store(tmp_path / "file" / "runs.sqlite3")


def test_processes_that_start_at_once_share_one_new_store(tmp_path):
    opening = (
        "import sys; from evaluators.runs.store import Store; [Store(path) for path in "
        "sys.argv[1:]]"
    )
    paths = [str(tmp_path / f"{number}.sqlite3") for number in range(20)]
    commands = [[sys.executable, "-c", opening, *paths]] * 4

    processes = [
        subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]

    errors = [process.communicate()[1].strip().splitlines()[-1:] for process in processes]
    assert errors == [[]] * 4


def test_what_is_to_be_answered_by_tomorrow_goes_with_its_run_and_nothing_is_sent_without_it(store):
    store.runs.save(run("r1"), DATASET)
    store.runs.save(run("r2"), DATASET)
    now = "2026-01-01T00:00:00+00:00"
    first, second = (Batch(spec=LUNA, mark=mark, created=now, expires=now) for mark in ("b", "a"))
    asked = {"one": SentRequest(7, "json"), "two": SentRequest(8, "")}
    store.batches.plan("r1", first, asked)
    store.batches.plan("r1", second, {})

    assert store.batches.open_beside(run("r2")) == {"r1": [first, second]}
    assert store.batches.requests("r1", [first, second]) == asked

    store.batches.end("r1", first, [], ["two"])
    store.batches.forget("r1", second)

    assert [batch.status for batch in store.batches.of_run("r1")] == ["ended"]
    assert list(store.batches.requests("r1", [first])) == ["two"]
    assert store.batches.open_beside(run("r2")) == {}

    store.runs.delete("r1")

    assert store.batches.of_run("r1") == []
    assert store.database.rows("select count(*) from documents where kind = 'requests'") == [(0,)]
    with pytest.raises(StoreError, match="deleted meanwhile: nothing was sent"):
        store.batches.plan("r1", first, asked)
