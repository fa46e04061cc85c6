"""Answers by tomorrow at half the price: chosen in a form, seen on Runs, collected and cancelled."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.llm import clients
from evaluators.records import Run
from evaluators.runs.store import Counts
from tests import judge
from tests.loopback import Loopback
from tests.pages.conftest import KEY, OpenPage, checked
from tests.pages.screen import ESCAPED, listed, press, runs, said, select, settled, state
from ui import session
from ui.models.when import NOW, TOMORROW
from ui.trace.form import JUDGE, JURY

LUNA, MISTRAL, UNPRICED = "openai/gpt-6-luna", "mistral/mistral-small-2603", "openai/gpt-9"


@pytest.fixture
def provider(serving: Callable[..., Loopback]) -> Loopback:
    return serving(judge.labels_for)


def trace_form(at: AppTest, when: str | None = None) -> AppTest:
    at.selectbox(key="trace_dataset").set_value(TRACE_SAMPLES)
    checked(at.radio(key="trace_method").set_value(JUDGE).run())
    if when:
        checked(at.radio(key="trace_when").set_value(when).run())
    return at


def sent_run(open_page: OpenPage) -> Run:
    """A run whose 24 requests the provider has."""
    at = trace_form(open_page("trace"), TOMORROW)
    checked(at.button(key="trace_start").click().run())
    settled(at)
    (run,) = runs()
    return run


def resumed_by(at: AppTest, label: str) -> AppTest:
    press(at, label)
    return checked(settled(at))


def counts(run: Run) -> Counts:
    return session.store().results.counts(run)


def start_label(at: AppTest) -> str:
    return ESCAPED.sub(r"\1", at.button(key="trace_start").label)


def when_of(at: AppTest, key: str) -> tuple[bool, str]:
    """Whether the choice is shut, and what stands beside "by tomorrow"."""
    radio = at.radio(key=key)
    return radio.disabled, ESCAPED.sub(r"\1", radio.proto.captions[1])


def test_both_prices_stand_in_each_form_and_the_chosen_one_on_start(open_page, provider):
    at = trace_form(open_page("trace"))
    assert at.radio(key="trace_when").value == NOW
    assert [ESCAPED.sub(r"\1", each) for each in at.radio(key="trace_when").proto.captions] == [
        "up to $0.03",
        "up to $0.01 · within 24 h",
    ]
    assert start_label(at) == "Evaluate all 24 samples, up to $0.03"
    checked(at.radio(key="trace_when").set_value(TOMORROW).run())
    assert start_label(at) == "Evaluate all 24 samples, up to $0.01"
    # A budget that would be too low now may do for half the price.
    checked(at.number_input(key="trace_dollars").set_value(0.01).run())
    assert "is below this estimate" not in said(at)

    at = open_page("rgb")
    at.selectbox(key="rgb_data").set_value(ENGLISH_BED)
    at.multiselect(key="rgb_models").set_value([LUNA])
    assert when_of(checked(at.run()), "rgb_when")[0] is False

    at = open_page("metrics")
    at.multiselect(key="metrics_metrics").set_value(["llm_judge"])
    assert when_of(checked(at.run()), "metrics_when")[0] is False
    assert (provider.asked, provider.batches.made) == ([], [])


@pytest.mark.parametrize(
    ("judges", "why"),
    [
        ([LUNA, MISTRAL], "not offered by Mistral"),
        ([LUNA, UNPRICED], "price unknown for gpt-9"),
    ],
)
def test_where_one_takes_no_batches_the_choice_is_shut_and_says_why(
    open_page, serving, monkeypatch, judges, why
):
    server = serving(judge.labels_for)
    monkeypatch.setenv("MISTRAL_API_KEY", KEY)
    monkeypatch.setenv("MISTRAL_BASE_URL", server.base_url)
    server._models = ("gpt-6-luna", "gpt-9", "mistral-small-2603")
    for access in session.keys().values():
        clients.ask_models(access)
    at = trace_form(open_page("trace"), TOMORROW)
    checked(at.radio(key="trace_method").set_value(JURY).run())
    checked(at.multiselect(key="trace_jury").set_value(judges).run())
    assert when_of(at, "trace_now") == (True, why)
    assert at.radio(key="trace_now").value == NOW


def test_sent_seen_collected_in_parts_and_finished_for_half(open_page, provider):
    run = sent_run(open_page)
    assert (len(provider.batches.made), provider.asked) == (1, [])
    at = open_page("trace", run=run.id)
    assert state(at) == "Answers by tomorrow · 0 of 24 checked"
    assert "OpenAI: 24 requests sent " in said(at)
    assert "Resume" not in [each.label for each in at.button]
    row = listed(open_page("runs"))[run.id]
    assert row["State"] == "Answers by tomorrow · 0 of 24 checked"

    provider.batches.finish("expired")
    at = resumed_by(open_page("runs"), "Collect")
    assert counts(run) == Counts(asked=24, scored=12, failed=0)
    at = open_page("trace", run=run.id)
    assert "Answers collected: 12. Requests still out: 12." in said(at, "info")
    assert "OpenAI: 12 requests sent " in said(at)

    provider.batches.finish()
    at = resumed_by(at, "Collect")
    assert counts(run) == Counts(asked=24, scored=24, failed=0)
    assert "Collect" not in [each.label for each in at.button]
    assert not said(at, "warning")
    (bill,) = session.store().calls.spent(run.id).values()
    price = bill.prompt_tokens * 0.05e-6 + bill.answer_tokens * 0.25e-6
    assert (bill.calls, bill.cost) == (24, pytest.approx(price))
    assert (len(provider.batches.made), provider.asked) == (2, [])


def test_without_a_key_it_is_asked_for_where_it_is_needed(open_page, provider, monkeypatch):
    run = sent_run(open_page)
    provider.batches.finish()
    monkeypatch.delenv("OPENAI_API_KEY")
    at = open_page("trace", run=run.id)
    at = press(at, "Collect")
    assert "The key is empty" in said(at, "error")

    at.text_input(key=f"key_openai_{run.id}").set_value(KEY)
    at = resumed_by(at, "Collect")
    assert counts(run).scored == 24
    session.forget_key("openai")


def test_cancelled_at_the_provider_and_the_rest_asked_now(open_page, provider):
    run = sent_run(open_page)
    at = resumed_by(open_page("trace", run=run.id), "Cancel the batch")
    assert [batch["status"] for batch in provider.batches.made] == ["cancelling"]
    assert state(at) == "Being cancelled · 0 of 24 checked"
    assert "Cancel the batch" not in [each.label for each in at.button]
    provider.batches.finish()
    at = resumed_by(at, "Collect")
    assert state(at).startswith("Stopped · 12 of 24 checked · ")
    assert "OpenAI cancelled 24 requests, 12 of them with an answer." in said(at, "info")

    resumed_by(at, "Ask now")
    assert counts(run).scored == 24
    assert (len(provider.asked), len(provider.batches.made)) == (12, 1)


def test_a_batch_that_is_gone_or_of_another_key_says_so(open_page, provider):
    run = sent_run(open_page)
    provider.batches.refuses = 403
    at = resumed_by(open_page("trace", run=run.id), "Collect")
    assert "does not show the batch batch_1 to this key" in said(at, "warning")
    assert state(at) == "Answers by tomorrow · 0 of 24 checked"

    provider.batches.refuses = 404
    at = resumed_by(at, "Collect")
    assert "OpenAI no longer knows batch batch_1: its 24 requests will be" in said(at, "info")
    assert state(at) == "Stopped · 0 of 24 checked"
    at = resumed_by(at, "Ask by tomorrow")
    assert state(at) == "Answers by tomorrow · 0 of 24 checked"
    assert (len(provider.batches.made), provider.asked) == (2, [])


def test_deleting_says_what_is_still_out_and_cancels_it_first(open_page, provider):
    run = sent_run(open_page)
    words = "24 requests still out: deleting does not stop them"
    at = select(open_page("runs"), run.id)
    assert words in said(at, "warning")
    at.button(key="runs_cancel_batches").click()
    settled(checked(at.run()))
    assert [batch["status"] for batch in provider.batches.made] == ["cancelling"]
    at = select(open_page("runs"), run.id)
    assert words not in said(at, "warning")
    press(at, "Delete for good")
    assert runs() == []


def test_who_deletes_is_warned_of_what_may_have_been_sent(open_page, provider):
    provider.batches.refuses_new = 503
    run = sent_run(open_page)
    at = select(open_page("runs"), run.id)
    assert "24 requests still out: deleting does not stop them" in said(at, "warning")


def test_answers_that_should_be_there_are_due(open_page, provider):
    run = sent_run(open_page)
    (batch,) = session.store().batches.open(run.id)
    past = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    session.store().batches.update(run.id, batch.model_copy(update={"expires": past}))
    assert state(open_page("trace", run=run.id)) == "Answers are due · 0 of 24 checked"
