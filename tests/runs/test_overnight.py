"""Runs that are asked overnight: no answer is lost or paid twice, whatever happens in between."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evaluators import evaluate
from evaluators.errors import AccessError, ParameterError
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.providers import PROVIDERS
from evaluators.records import Cap, ModelSpec, Reason
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Counts
from tests import judge
from tests.loopback import Loopback, ServerLimits
from tests.runs import paid
from tests.stops import stopped

ROOT = Path(__file__).parents[2]
PATIENCE = 120
LUNA = paid.LUNA.model_copy(update={"answer_tokens": 2000})
OSS = ModelSpec(provider="groq", model="openai/gpt-oss-20b", answer_tokens=200)
FLASH = ModelSpec(provider="gemini", model="gemini-3.5-flash-lite", answer_tokens=200)
PRO = FLASH.model_copy(update={"model": "gemini-3.8-flash"})
# Google has files, lists and cancelling of its own.
EITHER_SHAPE = pytest.mark.parametrize("model", [paid.LUNA, FLASH], ids=["openai", "gemini"])


def title(model):
    return PROVIDERS[model.provider].title


def keys(server, key="sk-loopback"):
    return (
        paid.keys(server.base_url, key)
        | paid.keys(server.address, key, to="groq")
        | paid.keys(f"{server.address}/v1beta/openai", key, to="gemini")
    )


def resumed(store, run, registry, server):
    registry.start(run, store, keys(server)).wait(PATIENCE)
    return store.results.counts(run)


def cancelled(store, run, registry, server):
    registry.start_or_wait(run, store, keys(server), withdraws=True)
    registry._jobs[run.id].wait(PATIENCE)


def kinds(store, run):
    return [reason.kind for reason in store.runs.stop_reasons(run.id)]


def any_answer(text):
    return judge.labels_for(text) if judge.is_labelling(text) else '{"reason": "", "score": 4}'


def asked_twice(server):
    """Requests that were answered more than once, in batches."""
    return [key for key, times in server.batches.answered.items() if times > 1]


def test_a_run_sends_its_prompts_waits_and_goes_on_with_the_answers(store, registry, loopback):
    server = loopback(answer=judge.labels_for)
    run = paid.labelled_run(store, paid.answered(20), (LUNA,), overnight=True)

    assert resumed(store, run, registry, server) == Counts(asked=20, scored=0, failed=0)
    assert "0 of 20 requests are answered by OpenAI" in stopped(store, run.id)
    assert "Resume collects the answers." in stopped(store, run.id)
    assert kinds(store, run) == ["batch"]
    # Nothing has come back: the second look changes nothing.
    assert resumed(store, run, registry, server).scored == 0

    server.batches.finish()
    assert resumed(store, run, registry, server) == Counts(asked=20, scored=20, failed=0)
    assert stopped(store, run.id) == ""
    assert (len(server.batches.made), server.asked) == (1, [])


def test_what_another_run_waits_for_is_not_sent_again(store, registry, loopback):
    server = loopback(answer=judge.labels_for)
    first = paid.labelled_run(store, paid.answered(20), (LUNA,), overnight=True)
    resumed(store, first, registry, server)
    # It asks the same of 20 answers, and of 10 more.
    again = paid.labelled_run(store, paid.answered(30), (LUNA,), overnight=True)

    resumed(store, again, registry, server)

    assert (
        "20 of its requests are on their way in the run “labelled” already: collect that one first."
        in stopped(store, again.id)
    )
    server.batches.finish()
    assert resumed(store, again, registry, server).scored == 10
    assert resumed(store, first, registry, server).scored == 20
    assert resumed(store, again, registry, server).scored == 30
    assert stopped(store, again.id) == ""
    assert (asked_twice(server), server.asked) == ([], [])
    (bill,) = store.calls.spent(again.id).values()
    assert bill.calls == 10


@pytest.mark.parametrize("how", ["deleted", "gone", "without stored answers"])
def test_what_no_other_run_will_bring_is_sent(store, registry, loopback, how):
    server = loopback(answer=judge.labels_for)
    first = paid.labelled_run(store, paid.answered(4), (LUNA,), overnight=True)
    resumed(store, first, registry, server)
    if how == "deleted":
        store.runs.delete(first.id)
    elif how == "gone":
        server.batches.refuses = 404
        resumed(store, first, registry, server)
        server.batches.refuses = 0
    uses = how != "without stored answers"
    again = paid.labelled_run(store, paid.answered(4), (LUNA,), overnight=True, use_cache=uses)

    resumed(store, again, registry, server)
    server.batches.finish()

    assert resumed(store, again, registry, server).scored == 4


def test_it_costs_half(store, registry, loopback):
    server = loopback()
    now, later = (
        paid.paid_run(store, paid.dataset(10), workspace=name, overnight=is_later)
        for name, is_later in (("now", False), ("later", True))
    )
    resumed(store, now, registry, server)
    resumed(store, later, registry, server)
    server.batches.finish()
    resumed(store, later, registry, server)

    (full,), (half,) = (store.calls.spent(run.id).values() for run in (now, later))
    assert (half.calls, half.prompt_tokens) == (full.calls, full.prompt_tokens)
    # GPT-6 Luna in a batch: $0.05 in, $0.25 out for a million tokens.
    price = half.prompt_tokens * 0.05e-6 + half.answer_tokens * 0.25e-6
    assert half.cost == pytest.approx(price) == pytest.approx(full.cost / 2)


@pytest.mark.parametrize("model", [paid.LUNA, OSS, FLASH], ids=["openai", "groq", "gemini"])
def test_two_thousand_requests_with_all_faults_at_once(store, registry, loopback, model):
    # Wide limits, told in the headers: the free plan of Groq would hold up what is asked at once.
    limits = ServerLimits(requests=10**6, tokens=10**9, day_requests=10**9)
    server = loopback(limits=limits)
    run = paid.paid_run(store, paid.dataset(2000), (model,), overnight=True)
    resumed(store, run, registry, server)
    server.batches.finish(
        "partial", "error file", "no json", "cut off", "duplicates", "unknown ids", "order"
    )

    assert resumed(store, run, registry, server) == Counts(asked=2000, scored=2000, failed=0)
    # Four requests in ten came back without an answer, those that were cut off were paid all the
    # same, and lines that are no JSON tell nothing of what they cost.
    assert len(server.asked) == 800
    (bill,) = store.calls.spent(run.id).values()
    assert bill.calls == 1400 + 800
    assert asked_twice(server) == []
    assert stopped(store, run.id) == ""


@EITHER_SHAPE
@pytest.mark.parametrize(
    ("fault", "at_once", "batches"),
    [
        ("order", 0, 1),
        ("duplicates", 0, 1),
        ("unknown ids", 0, 1),
        ("partial", 4, 1),
        ("error file", 4, 1),
        ("no json", 4, 1),
        ("cut off", 4, 1),
        # What a batch did not come to goes into the next one.
        ("expired", 0, 2),
        ("failed", 0, 2),
        ("no files", 0, 2),
        ("empty file", 0, 2),
    ],
)
def test_what_a_batch_does_not_answer_is_asked_once_more(
    store, registry, loopback, model, fault, at_once, batches
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(40), (model,), overnight=True)
    resumed(store, run, registry, server)
    server.batches.finish(fault)
    for _ in range(3):
        resumed(store, run, registry, server)
        server.batches.finish()

    assert store.results.counts(run) == Counts(asked=40, scored=40, failed=0)
    assert (len(server.asked), len(server.batches.made)) == (at_once, batches)
    assert asked_twice(server) == []


@EITHER_SHAPE
def test_a_batch_that_expired_keeps_what_it_has_answered(store, registry, loopback, model):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(10), (model,), overnight=True)
    resumed(store, run, registry, server)
    server.batches.finish("expired")

    assert resumed(store, run, registry, server) == Counts(asked=10, scored=5, failed=0)
    assert f"0 of 5 requests are answered by {title(model)}" in stopped(store, run.id)


def test_a_batch_that_is_not_taken_says_why(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(3), overnight=True)
    resumed(store, run, registry, server)
    server.batches.finish("failed")
    resumed(store, run, registry, server)

    why = "OpenAI did not take a batch of 3 requests. The model takes no batches. It can be"
    assert why in stopped(store, run.id)


@pytest.mark.parametrize(
    ("step", "models"),
    [
        ("upload", (paid.LUNA,)),
        ("batch", (paid.LUNA,)),
        ("", (paid.LUNA,)),
        ("content", (paid.LUNA,)),
        # Between the batches of a run: one is sent, and one is not.
        ("upload 2", (paid.LUNA, paid.SOL)),
        ("batch 2", (paid.LUNA, paid.SOL)),
        ("content 2", (paid.LUNA, paid.SOL)),
        ("upload", (FLASH,)),
        ("batch", (FLASH,)),
        ("content", (FLASH,)),
        ("upload 2", (FLASH, PRO)),
        ("batch 2", (FLASH, PRO)),
        ("content 2", (FLASH, PRO)),
    ],
)
def test_a_process_that_is_killed_on_the_way_loses_nothing_and_pays_nothing_twice(
    store, registry, loopback, tmp_path, step, models
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(10), models, overnight=True)
    if step.startswith("content"):
        # Killed while it collects.
        resumed(store, run, registry, server)
        server.batches.finish()
    server.batches.holds = step
    provider = models[0].provider
    address = keys(server)[provider].base_url
    child = subprocess.Popen(
        [sys.executable, paid.__file__, tmp_path, address, provider],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    if step:
        assert server.batches.held.wait(PATIENCE)
        child.kill()
    child.wait(PATIENCE)
    server.batches.holds = ""

    resumed(store, run, registry, server)
    server.batches.finish()
    answers = 10 * len(models)
    assert resumed(store, run, registry, server) == Counts(asked=answers, scored=answers, failed=0)
    assert (len(server.batches.made), server.asked) == (len(models), [])
    assert len(server.batches.answered) == answers
    assert asked_twice(server) == []


@EITHER_SHAPE
def test_a_batch_is_found_by_its_mark_behind_a_hundred_others(store, registry, loopback, model):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(3), (model,), overnight=True)
    resumed(store, run, registry, server)
    batch = store.batches.open(run.id)[0]
    # As if the process had ended before it knew the id.
    store.batches.update(run.id, batch.model_copy(update={"status": "sending", "batch_id": ""}))
    for other in range(150):
        elsewhere = {"id": f"other_{other}", "input_file_id": "files/o", "metadata": {}}
        server.batches.made.append(server.batches.made[0] | elsewhere | {"status": "completed"})
    server.batches.finish()

    assert resumed(store, run, registry, server) == Counts(asked=3, scored=3, failed=0)
    assert server.asked == []


EMPTY_LIST = {"object": "list", "data": []}
IN_DOUBT = (
    "It is not known whether a batch of 4 requests was sent: OpenAI does not list it. If it was "
    "sent with another key, use that one. Going on looks for it once more, and asks its requests "
    "anew where it is still not there."
)


@EITHER_SHAPE
@pytest.mark.parametrize("is_listed_later", [True, False])
def test_a_batch_that_may_have_been_sent_is_told_of_and_looked_for_once_more(
    store, registry, loopback, monkeypatch, model, is_listed_later
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (model,), overnight=True)
    server.batches.holds = "batch"
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "1")
    resumed(store, run, registry, server)
    monkeypatch.delenv("PLUMBLINE_CALL_SECONDS")
    server.batches.holds = ""
    server.batches.listed = EMPTY_LIST

    assert resumed(store, run, registry, server).scored == 0
    assert IN_DOUBT.replace("OpenAI", title(model)) in stopped(store, run.id)
    assert len(server.batches.made) == 1
    server.batches.finish()
    if is_listed_later:
        server.batches.listed = None
    scored = resumed(store, run, registry, server).scored
    assert (scored, len(server.batches.made)) == ((4, 1) if is_listed_later else (0, 2))
    assert server.asked == []


def test_what_may_have_been_sent_is_left_as_it_is_by_whoever_cancels(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), overnight=True)
    server.batches.refuses_new = 503
    resumed(store, run, registry, server)
    before = store.batches.open(run.id)
    cancelled(store, run, registry, server)

    assert [batch.status for batch in before] == ["sending"]
    assert store.batches.open(run.id) == before


@EITHER_SHAPE
@pytest.mark.parametrize(
    ("status", "in_doubt"),
    [
        (400, False),
        (401, False),
        (403, False),
        (404, False),
        (429, False),
        (408, True),
        (409, True),
        (503, True),
    ],
)
def test_only_what_was_not_refused_may_have_been_sent(
    store, registry, loopback, model, status, in_doubt
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (model,), overnight=True)
    server.batches.refuses_new = status
    resumed(store, run, registry, server)
    server.batches.refuses_new = 0
    assert len(store.batches.open(run.id)) == in_doubt

    resumed(store, run, registry, server)
    assert (IN_DOUBT.replace("OpenAI", title(model)) in stopped(store, run.id)) is in_doubt
    assert len(server.batches.made) == (0 if in_doubt else 1)
    resumed(store, run, registry, server)
    assert len(server.batches.made) == 1


@pytest.mark.parametrize("model", [paid.LUNA, OSS, FLASH], ids=["openai", "groq", "gemini"])
def test_where_nobody_listens_nothing_was_sent(store, registry, loopback, model):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (model,), overnight=True)
    with Loopback() as gone:
        nobody = keys(gone)
    registry.start(run, store, nobody).wait(PATIENCE)
    assert "Cannot reach" in stopped(store, run.id)
    assert store.batches.open(run.id) == []

    resumed(store, run, registry, server)
    assert len(server.batches.made) == 1


@pytest.mark.parametrize("fault", ["no id", "no status"])
def test_a_list_that_cannot_be_read_holds_no_other_batch_up(store, registry, loopback, fault):
    server, other = loopback(), loopback()
    run = paid.paid_run(store, paid.dataset(4), (paid.LUNA, OSS), overnight=True)
    access = keys(server) | {"groq": keys(other)["groq"]}
    registry.start(run, store, access).wait(PATIENCE)
    other.batches.finish()
    batch = store.batches.open(run.id)[0]
    assert batch.spec == paid.LUNA
    store.batches.update(run.id, batch.model_copy(update={"status": "sending", "batch_id": ""}))
    # A whole page, behind which more may follow; or the batch itself.
    entries = [{"id": None}] * 100
    if fault == "no status":
        entries = [{"id": "batch_1", "metadata": {"plumbline": batch.mark}}]
    server.batches.listed = {"object": "list", "data": entries}
    registry.start(run, store, access).wait(PATIENCE)

    assert store.results.counts(run) == Counts(asked=8, scored=4, failed=0)
    assert "Unexpected answer from OpenAI." in stopped(store, run.id)
    assert kinds(store, run) == ["batch", "outage"]
    assert len(server.batches.made) == 1


def test_a_file_for_google_goes_nowhere_else(store, registry, loopback):
    server, elsewhere = loopback(), loopback()
    server.batches.uploads_to = f"{elsewhere.address}/upload/v1beta/files?upload_id=1"
    run = paid.paid_run(store, paid.dataset(4), (FLASH,), overnight=True)
    resumed(store, run, registry, server)

    assert "Unexpected answer from Google Gemini." in stopped(store, run.id)
    assert (elsewhere.batches.files, server.batches.files) == ({}, {})
    assert store.batches.open(run.id) == []


class PausingKeys(dict):
    """The keys of a job that is paused whenever somebody takes one."""

    job = None

    def get(self, provider, default=None):
        if self.job:
            self.job.pause(Reason(kind="unwatched", message="Paused."))
        return super().get(provider, default)


def test_a_run_that_is_paused_while_it_opens_its_connections_asks_nothing(
    store, registry, loopback
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(10), overnight=True)
    resumed(store, run, registry, server)
    # Two of ten are to be asked at once.
    server.batches.finish("partial", "error file")
    access = PausingKeys(keys(server))
    job = Job(run, store, access)
    access.job = job
    job.start()
    job.wait(PATIENCE)

    assert job.is_pausing
    assert (server.asked, store.results.counts(run).scored) == ([], 0)
    assert "Paused." in stopped(store, run.id)
    assert resumed(store, run, registry, server) == Counts(asked=10, scored=10, failed=0)
    assert len(server.asked) == 2


@pytest.mark.parametrize("metrics", [["gpt_labeling"], ["hybrid"], ["gpt_labeling", "g_eval"]])
def test_all_that_metrics_ask_a_jury_or_a_judge_is_in_the_batch(store, registry, loopback, metrics):
    server = loopback(answer=any_answer)
    judges = (LUNA, OSS.model_copy(update={"answer_tokens": 2000}))
    plan = RunPlan(
        paid.answered(5), inputs.evaluators(metrics), judges=judges, repeats=2, overnight=True
    )
    run = create_run(store, plan, workspace="w")
    resumed(store, run, registry, server)
    assert len(server.batches.made) == 2
    server.batches.finish()

    counts = resumed(store, run, registry, server)
    assert (counts.open, counts.failed, server.asked) == (0, 0, [])


def test_a_judge_of_answers_is_asked_in_a_second_batch(store, registry, loopback):
    server = loopback(answer=any_answer)
    metrics = inputs.evaluators(["rgb", "g_eval"])
    plan = RunPlan(
        paid.dataset(4), metrics, models=(LUNA,), judges=(LUNA,), prompt=paid.PROMPT, overnight=True
    )
    run = create_run(store, plan, workspace="w")
    scored = []
    for _ in range(3):
        scored.append(resumed(store, run, registry, server).scored)
        server.batches.finish()

    assert scored == [0, 0, 8]
    # Four answers, and four criteria of each.
    sizes = Counter(
        len(server.batches.files[batch["input_file_id"]].splitlines())
        for batch in server.batches.made
    )
    assert (sizes, server.asked) == ({4: 1, 16: 1}, [])


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_at_once(store, registry, loopback):
    answers = {}

    def unreadable_first(text):
        answers[text] = answers.get(text, 0) + 1
        return "I would rather not." if "could not be used" not in text else judge.labels_for(text)

    server = loopback(answer=unreadable_first)
    run = paid.labelled_run(store, paid.answered(3), (LUNA,), overnight=True)
    resumed(store, run, registry, server)
    server.batches.finish()

    assert resumed(store, run, registry, server) == Counts(asked=3, scored=3, failed=0)
    assert len(server.asked) == 3


@pytest.mark.parametrize("cap", [Cap(calls=4), Cap(cost=0.0003)])
def test_a_budget_holds_before_anything_is_sent(store, registry, loopback, cap):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(20), cap=cap, overnight=True)
    resumed(store, run, registry, server)

    # At most 148 + 200 tokens: $0.0000574 in a batch, five of which fit into $0.0003.
    sent = len(list(server.batches.requests()))
    assert sent == (cap.calls or 5)
    assert kinds(store, run) == ["batch", "cap"]
    assert f"The budget allows {sent} of 20 samples" in stopped(store, run.id)
    # What is on its way counts as spent.
    resumed(store, run, registry, server)
    assert len(server.batches.made) == 1


@pytest.mark.parametrize(("of_model", "of_judge", "sent"), [(10_000, 100, 1), (200, 10_000, 2)])
def test_a_budget_counts_an_answer_to_come_as_long_as_its_model_may_make_it(
    store, registry, loopback, of_model, of_judge, sent
):
    server = loopback()
    model, judge_of_it = (
        paid.LUNA.model_copy(update={"answer_tokens": most}) for most in (of_model, of_judge)
    )
    # A sample takes some $0.0031 and $0.0026: 10,000 tokens of an answer are $0.0025 in a batch,
    # and $0.0005 more in the prompt of the judge.
    run = paid.labelled_run(
        store,
        paid.dataset(4),
        (judge_of_it,),
        models=(model,),
        prompt=paid.PROMPT,
        cap=Cap(cost=0.0055),
        overnight=True,
    )
    resumed(store, run, registry, server)

    assert len(list(server.batches.requests())) == sent


@EITHER_SHAPE
def test_cancelled_at_the_provider_what_is_done_is_kept(store, registry, loopback, model):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(10), (model,), overnight=True)
    resumed(store, run, registry, server)
    cancelled(store, run, registry, server)
    assert [batch["status"] for batch in server.batches.made] == ["cancelling"]
    why = f"{title(model)} is cancelling 10 requests; what it has answered by then"
    assert why in stopped(store, run.id)
    server.batches.finish()
    # What has ended cannot be cancelled once more.
    cancelled(store, run, registry, server)

    # Collected and judged, and nothing is sent again before a person says so.
    assert resumed(store, run, registry, server) == Counts(asked=10, scored=5, failed=0)
    why = (
        f"Answers collected: 5. Requests still out: 0. {title(model)} cancelled 10 requests, "
        "5 of them with"
    )
    assert why in stopped(store, run.id)
    assert (len(server.batches.made), server.asked) == (1, [])
    resumed(store, run, registry, server)
    assert len(server.batches.made) == 2


def test_asked_at_once_from_now_on_it_waits_for_what_is_on_its_way(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(10), cap=Cap(calls=6), overnight=True)
    resumed(store, run, registry, server)
    store.runs.set_overnight(run.id, False)
    store.runs.set_cap(run.id, Cap())
    run = store.runs.get(run.id)

    assert resumed(store, run, registry, server) == Counts(asked=10, scored=4, failed=0)
    server.batches.finish("expired")
    assert resumed(store, run, registry, server) == Counts(asked=10, scored=10, failed=0)
    assert (len(server.asked), len(server.batches.made)) == (4 + 3, 1)


def test_a_run_that_is_deleted_meanwhile_is_cancelled_at_the_provider_first(
    store, registry, loopback
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(2), overnight=True)
    resumed(store, run, registry, server)
    registry.start_or_wait(run, store, keys(server), withdraws=True)
    # As the deletion of a run begins.
    registry.cancel(run.id)
    assert [batch["status"] for batch in server.batches.made] == ["cancelling"]


@pytest.mark.parametrize(
    ("model", "is_asked_at_once"),
    [(paid.LUNA, False), (OSS, True), (FLASH, False)],
    ids=["openai", "groq", "gemini"],
)
def test_a_batch_that_is_gone_is_told_of_and_then_asked_anew(
    store, registry, loopback, model, is_asked_at_once
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (model,), overnight=True)
    resumed(store, run, registry, server)
    server.batches.refuses = 404

    assert resumed(store, run, registry, server) == Counts(asked=4, scored=0, failed=0)
    name = server.batches.made[0]["id"]
    gone = f"no longer knows batch {name}: its 4 requests will be asked anew, now or overnight."
    assert gone in stopped(store, run.id)
    assert (len(server.batches.made), server.asked) == (1, [])

    store.runs.set_overnight(run.id, not is_asked_at_once)
    counts = resumed(store, store.runs.get(run.id), registry, server)
    batches, asked = (1, 4) if is_asked_at_once else (2, 0)
    assert (len(server.batches.made), len(server.asked)) == (batches, asked)
    assert counts.scored == asked


@EITHER_SHAPE
def test_a_batch_whose_answers_are_gone_is_told_of_before_they_are_paid_for_again(
    store, registry, loopback, model
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (model,), overnight=True)
    resumed(store, run, registry, server)
    server.batches.finish()
    del server.batches.files[server.batches.made[0]["output_file_id"]]

    assert resumed(store, run, registry, server) == Counts(asked=4, scored=0, failed=0)
    name = server.batches.made[0]["id"]
    gone = f"no longer has the answers of batch {name}, which it may have billed: its 4 requests"
    assert gone in stopped(store, run.id)
    assert (len(server.batches.made), server.asked) == (1, [])

    resumed(store, run, registry, server)
    server.batches.finish()
    assert resumed(store, run, registry, server) == Counts(asked=4, scored=4, failed=0)
    assert (len(server.batches.made), server.asked) == (2, [])


def test_a_batch_that_is_found_again_is_collected(store, registry, loopback):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), overnight=True)
    resumed(store, run, registry, server)
    server.batches.refuses = 404
    resumed(store, run, registry, server)
    server.batches.refuses = 0
    server.batches.finish()

    assert resumed(store, run, registry, server) == Counts(asked=4, scored=4, failed=0)
    assert (len(server.batches.made), server.asked) == (1, [])


@pytest.mark.parametrize(
    ("model", "status"),
    [(paid.LUNA, 401), (OSS, 403), (FLASH, 403)],
    ids=["openai", "groq", "gemini"],
)
def test_a_key_that_may_not_see_a_batch_leaves_everything_as_it_was(
    store, registry, loopback, status, model
):
    server = loopback()
    run = paid.paid_run(store, paid.dataset(4), (model,), cap=Cap(calls=3), overnight=True)
    resumed(store, run, registry, server)
    before = store.batches.of_run(run.id)
    server.batches.refuses = status
    for work in (resumed, cancelled):
        work(store, run, registry, server)
        name = server.batches.made[0]["id"]
        assert f"does not show the batch {name} to this key. Use the key" in stopped(store, run.id)
    assert store.batches.of_run(run.id) == before
    assert (len(server.batches.made), server.asked) == (1, [])

    with pytest.raises(AccessError, match="No key for"):
        registry.start(run, store, {})
    server.batches.refuses = 0
    server.batches.finish()
    assert resumed(store, run, registry, server).scored == 3


def test_a_batch_that_cannot_be_collected_holds_no_other_up(store, registry, loopback):
    server, other = loopback(), loopback()
    run = paid.paid_run(store, paid.dataset(4), (paid.LUNA, OSS), overnight=True)
    access = keys(server) | {"groq": keys(other)["groq"]}
    registry.start(run, store, access).wait(PATIENCE)
    server.batches.finish()
    other.batches.refuses = 404
    registry.start(run, store, access).wait(PATIENCE)

    assert store.results.counts(run) == Counts(asked=8, scored=4, failed=0)
    assert "Answers collected: 4. Requests still out: 0." in stopped(store, run.id)
    assert "Groq no longer knows batch batch_1" in stopped(store, run.id)


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ((OFFLINE,), "Nothing is asked in this run"),
        (
            (ModelSpec(provider="mistral", model="mistral-small-2603"),),
            "Mistral Small 4 is not known to answer overnight",
        ),
        (
            (ModelSpec(provider="openai", model="gpt-9"),),
            "gpt-9 is not known to answer overnight",
        ),
    ],
)
def test_only_models_with_a_price_for_batches_are_asked_overnight(store, models, words):
    with pytest.raises(ParameterError, match=words):
        paid.paid_run(store, paid.dataset(2), models, overnight=True)


def test_in_python_the_same_call_collects(store, loopback):
    server = loopback(answer=judge.labels_for)
    data = paid.answered(4)
    options = {"judge": LUNA, "keys": keys(server), "store": store, "run": "letters"}

    first = evaluate(data, "gpt_labeling", overnight=True, progress=False, **options)
    assert first.counts == Counts(asked=4, scored=0, failed=0)
    assert "letters: answers by tomorrow, 0 of 4" in first.headline()
    server.batches.finish()
    second = evaluate(data, "gpt_labeling", overnight=True, progress=False, **options)
    assert (second.run.id, second.counts.scored, server.asked) == (first.run.id, 4, [])
