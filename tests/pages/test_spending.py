"""What a run paid, why it stopped, what failed in it, and how it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import NumberInput

from evaluators.records import Cap, Dataset, SampleResult, Usage
from evaluators.runs.engine import registry
from evaluators.runs.store import Spent
from evaluators.runs.store.batches import Batch
from tests.loopback import Loopback
from tests.pages.by_hand import DETAILS, FAILURE, TITLES, two_models
from tests.pages.conftest import checked, fail
from tests.pages.screen import ESCAPED, button, markdown, press, said, select, state, table
from tests.stops import stop, stopped
from ui import session
from ui.parts import spending

STOPPED = "The budget of 1 call is used up. Everything so far is kept. Raise the budget and resume."


@pytest.fixture
def provider(
    loopback: Callable[..., Loopback], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Loopback]]:
    """`provider(latency=2)` puts both providers on this computer and enters their keys."""

    def serve(**options: Any) -> Loopback:
        server = loopback(**options)
        monkeypatch.setenv("GROQ_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("GROQ_API_KEY", "gsk_test")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        return server

    yield serve
    for run in session.store().runs.newest("local"):
        registry.cancel(run.id)


def test_every_model_is_billed_and_an_unknown_price_is_not_nothing(open_page):
    rows = {row["Model"]: row for row in table(open_page("rgb", run=two_models().id), "Model")}
    assert rows[TITLES[0]] == row(TITLES[0], 6, "$0.012")
    assert rows[TITLES[1]] == row(TITLES[1], 5, "unknown")
    assert rows["Total"] == row("Total", 11, "over $0.012")


def test_answers_from_the_store_are_counted_on_the_run_page(open_page, filled):
    for position in (0, 1):
        result = filled.store.results.get(filled.rgb.id, position)
        assert result
        filled.store.results.save(filled.rgb.id, result.model_copy(update={"cached": 1}))
    assert "2 answers came from the store and cost nothing." in said(
        open_page("rgb", run=filled.rgb.id)
    )


def test_a_run_of_the_offline_reader_has_no_bill(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    assert "**Spent**" not in markdown(at)
    assert "tokens" not in said(at)
    assert "call" not in said(open_page("sample", run=filled.rgb.id, sample="1"), "caption")


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([0.01, 0.002], "$0.012 spent"),
        ([0.01, None], "over $0.01 spent"),
        ([None], "cost unknown"),
    ],
)
def test_the_money_of_a_run_in_words(costs, words):
    spent = {
        str(n): Spent(calls=1, prompt_tokens=1, answer_tokens=1, cost=cost)
        for n, cost in enumerate(costs)
    }
    assert spending.words(spent) == words


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            {"calls": 2, "usage": Usage(prompt_tokens=1234, answer_tokens=56), "cost": 0.00042},
            "2 calls · 1,234 prompt and 56 answer tokens · cost $0.00042 · 2.5 s",
        ),
        (
            {
                "calls": 1,
                "usage": Usage(prompt_tokens=5, answer_tokens=6),
                "cost": None,
                "cached": 1,
            },
            (
                "1 call · 5 prompt and 6 answer tokens · cost unknown · 1 answer from the "
                "store · 2.5 s"
            ),
        ),
        ({"cached": 2}, "2 answers from the store · 2.5 s"),
    ],
)
def test_a_sample_tells_what_it_cost(open_page, result, words):
    run = two_models(results=False)
    facts = {"position": 0, "status": "failed", "error": "No.", "seconds": 2.5}
    session.store().results.save(run.id, SampleResult.model_validate(facts | result))
    assert words in said(open_page("sample", run=run.id, sample="1")).splitlines()


def test_a_failed_sample_shows_the_message_and_the_details_as_text(open_page):
    at = open_page("sample", run=two_models().id, sample="4", model="2")
    assert FAILURE in said(at, "error")
    assert at.code[0].value == DETAILS
    assert not [text for text in markdown(at) if "![" in text]


def test_the_reasons_of_failures_are_counted_the_most_frequent_first(open_page):
    run = two_models(results=False)
    for position in range(3):
        fail(run, "![x](http://127.0.0.1:9/x.png)", position, model=0)
    for position in range(6):
        fail(run, f"Reason {position}", position, model=1)
    at = open_page("rgb", run=run.id)
    rows = [(row["Samples"], row["Why they failed"]) for row in table(at, "Samples")]
    assert rows == [(3, "![x](http://127.0.0.1:9/x.png)"), (1, "Reason 0"), (1, "Reason 1")]
    assert "And 4 further reasons." in said(at)
    assert not [text for text in markdown(at) if "![" in text]


def test_why_a_run_stopped_is_told_as_text(open_page):
    run = two_models(results=False)
    stop(session.store(), run.id, "The key was refused ![x](http://127.0.0.1:9/x.png).")
    at = open_page("rgb", run=run.id)
    assert "The key was refused ![x](http://127.0.0.1:9/x.png)." in said(at, "warning")
    assert "![" not in at.warning[0].value


def test_why_one_model_stopped_is_told_while_the_others_go_on(open_page, provider):
    provider(fault=lambda asked: "401" if "gpt-oss" in asked.model else "hang")
    run = two_models(results=False)
    registry.start(run, session.store(), session.keys())
    until(lambda: stopped(session.store(), run.id) != "")
    at = open_page("rgb", run=run.id)
    assert state(at).startswith("Running · ")
    assert "The API key was refused by Groq." in said(at, "warning")


@pytest.mark.parametrize(
    ("name", "failed", "label"), [("rgb", True, "Retry failed"), ("runs", False, "Resume")]
)
def test_without_a_key_the_button_says_what_to_do(open_page, name, failed, label):
    run = two_models(results=failed)
    at = open_page(name, run=run.id)
    if name == "runs":
        at = select(at, run.id)
    at = press(at, label)
    assert "No key for " in said(at, "error")
    assert "Enter one on the Settings page" in said(at, "error")
    links = {link.proto.label: link.proto.page for link in at.get("page_link")}
    assert links["Open the Settings page"] == "settings"
    assert button(at, label)
    assert not said(checked(at.run()), "error")  # told once


@pytest.mark.parametrize(
    ("page", "message", "kind", "label"),
    [
        ("rgb", "Enough is spent.", "cap", "Raise and resume"),
        ("rgb", "Raise the budget of the pen.", "access", "Resume"),
        ("runs", "Enough is spent.", "cap", "Raise and resume"),
    ],
)
def test_the_kind_of_the_reason_decides_and_not_its_words(open_page, page, message, kind, label):
    run = two_models(Cap(calls=1), results=False)
    stop(session.store(), run.id, message, kind)
    at = open_page(page, run=run.id)
    buttons = [each.label for each in at.button]
    assert [each for each in buttons if "esume" in each] == [label]


def test_answers_on_their_way_are_collected_without_a_higher_budget(open_page):
    run = two_models(Cap(calls=1), results=False)
    stop(session.store(), run.id, STOPPED, "cap")
    now = "2026-11-23T09:00:00+00:00"
    batch = Batch(spec=run.models[0], mark="m", created=now, expires=now, status="sent")
    session.store().batches.plan(run.id, batch, {})
    at = open_page("rgb", run=run.id)
    buttons = [each.label for each in at.button]
    assert "Collect" in buttons
    assert "Raise and resume" not in buttons
    session.store().batches.end(run.id, batch, [], [])
    assert button(open_page("rgb", run=run.id), "Raise and resume")


def test_a_raised_cap_is_kept_and_the_run_goes_on(open_page, provider):
    server = provider()
    run = two_models(Cap(calls=1, cost=0.5), results=False)
    stop(session.store(), run.id, STOPPED, "cap")
    at = open_page("rgb", run=run.id)
    assert STOPPED in said(at, "warning")
    at_cap(at, "calls", run.id).set_value(60)
    press(at, "Raise and resume")
    assert session.store().runs.get(run.id).cap == Cap(
        calls=60, cost=1.0
    )  # dollars: twice as many are proposed
    until(lambda: len(server.asked) > 1)  # one call is all that the old cap would have allowed
    assert stopped(session.store(), run.id) == ""


@pytest.mark.parametrize(
    ("calls", "said_of_it"), [(0, "0 is less than the budget of 3"), (3, "This is the budget that")]
)
def test_a_cap_that_is_not_raised_starts_nothing(open_page, provider, calls, said_of_it):
    server = provider()
    run = two_models(Cap(calls=3), results=False)
    stop(session.store(), run.id, STOPPED, "cap")
    at = open_page("rgb", run=run.id)
    at_cap(at, "calls", run.id).set_value(calls)
    assert said_of_it in said(press(at, "Raise and resume"), "error")
    assert session.store().runs.get(run.id).cap == Cap(calls=3)
    assert not server.asked


def test_a_live_run_tells_what_it_spent_how_fast_it_is_and_how_long_it_takes(
    open_page, provider, monkeypatch
):
    provider(latency=2.0)
    monkeypatch.setenv("PLUMBLINE_WORKERS", "1")
    run = two_models(results=False)
    registry.start(run, session.store(), session.keys())
    until(lambda: session.store().results.counts(run).scored > 0)
    words = ESCAPED.sub(r"\1", state(open_page("rgb", run=run.id))).splitlines()[
        0
    ]  # the second is in the sidebar
    assert words.startswith("Running · ")
    for part in (" spent", " a minute", " left"):
        assert part in words
    short = said(open_page("home").sidebar, "caption")
    assert short.startswith("Running · ")
    assert " left" in short
    assert " a minute" not in short


def test_a_run_at_work_is_in_the_sidebar_however_many_are_newer(open_page, provider):
    provider(fault=lambda _: "hang")
    run = two_models(results=False)
    for number in range(100):
        newer = {"id": f"newer{number}", "created": "2026-11-21T09:00:00+00:00"}
        session.store().runs.save(run.model_copy(update=newer), Dataset(name="Newer", samples=()))
    assert not state(open_page("home"))
    registry.start(run, session.store(), session.keys())
    assert state(open_page("home")) == "By hand"
    registry.cancel(run.id)


def row(name: str, calls: int, cost: str) -> dict[str, object]:
    """A line of the bill: each call has 100 prompt and 10 answer tokens."""
    return {
        "Model": name,
        "Calls": calls,
        "Prompt tokens": 100 * calls,
        "Answer tokens": 10 * calls,
        "Cost": cost,
    }


def at_cap(at: AppTest, what: str, run_id: str) -> NumberInput:
    return at.number_input(key=f"cap_{what}_{run_id}")


def until(claim: Callable[[], bool]) -> None:
    for _ in range(600):
        if claim():
            return
        time.sleep(0.1)
    raise AssertionError("It did not come true within a minute.")
