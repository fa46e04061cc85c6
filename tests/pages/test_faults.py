"""Whatever goes wrong at a provider, the page says what happened and what to do, and shows no
traceback.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.llm.catalogue import known_models
from evaluators.prompts import load
from evaluators.records import Ability, Dataset, RGBTask, Run, Sample
from evaluators.runs import inputs, pace
from evaluators.runs.engine import create_run, registry
from evaluators.runs.plan import RunPlan
from tests.loopback import Asked, Loopback, ServerLimits
from tests.pages.conftest import OpenPage
from tests.pages.screen import ESCAPED, cards, lines, markdown, said, state, table, wait_for_runs
from ui import session

Serve = Callable[..., Loopback]

# Of each kind some: `tests/llm/test_connection.py` has what is said of every fault.
STOPPING = {
    "401": (
        "The API key was refused by OpenAI. Check on the Settings page that it is complete "
        "and active."
    ),
    "404 address": "the base URL usually ends in /v1. Correct it on the Settings page.",
    "429 day": (
        "The daily limit for GPT-6 Luna at OpenAI is reached. Everything so far is kept; "
        "resume after 2"
    ),
}
FAILING = {
    "400 context": "This sample needs 9,120 tokens, more than GPT-6 Luna takes (8,192). Use fewer",
    "hang": "No answer from OpenAI within 0.4 s. Try again",
    "html": "answered with a web page. Check the base URL",
    "length": "was cut off at 100 tokens. Raise the answer budget.",
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, data_folder: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "0.4")


@pytest.mark.parametrize("fault", STOPPING)
def test_what_stops_a_run_is_said_on_its_page_and_no_sample_has_failed(
    open_page, loopback, monkeypatch, fault
):
    monkeypatch.setenv("OPENAI_BASE_URL", loopback(fault=lambda asked: fault).base_url)
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "30")
    at = open_page("rgb", run=asked(1).id)
    assert STOPPING[fault] in said(at, "warning")
    assert state(at) == "Stopped · 0 of 1 checked"
    no_traceback(at)


def test_an_address_where_nobody_listens_is_said_and_no_sample_has_failed(open_page, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    at = open_page("rgb", run=asked(1).id)
    assert "Cannot reach 127.0.0.1:9. Check the network." in said(at, "warning")
    assert state(at) == "Stopped · 0 of 1 checked"


@pytest.mark.parametrize("fault", FAILING)
def test_what_fails_a_sample_is_said_on_the_run_page_and_at_the_sample(
    open_page, loopback, monkeypatch, fault
):
    monkeypatch.setenv("OPENAI_BASE_URL", loopback(fault=lambda asked: fault).base_url)
    if fault != "hang":
        monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "30")
    run = asked(1)
    page = open_page("rgb", run=run.id)
    assert state(page).startswith("0 of 1 checked · 1 failed")
    assert "1 of 1 failed: there is no result." in said(page, "warning")
    assert FAILING[fault] in table(page, "Samples")[0]["Why they failed"]
    sample = open_page("sample", run=run.id, sample="1")
    assert FAILING[fault] in said(sample, "error")
    no_traceback(page)
    no_traceback(sample)


def test_to_say_nothing_is_an_answer_and_a_wrong_one(open_page, loopback, monkeypatch):
    server = loopback(fault=lambda asked: "empty")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    run = asked(1)
    page = open_page("rgb", run=run.id)
    assert state(page).startswith("1 answer checked")
    assert "1 empty answer counts as wrong" in lines(page)[0].meaning
    (result,) = session.store().results.of_answer(run.id, 0).values()
    assert result.response == ""
    assert set(result.score.values.values()) == {0.0}


def test_waiting_for_a_limit_is_said_while_it_lasts(open_page, loopback, monkeypatch):
    server = loopback(limits=ServerLimits(requests=1, tokens=100_000, minute=7.0))
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "30")
    run = started(2)
    waits = r"Running · 1 of 2 checked · .*waiting \d+ s for the provider's limit"
    comes_to_say(open_page, run, waits)
    wait_for_runs()
    assert session.store().results.counts(run).scored == 2


def test_refusals_that_keep_a_run_from_moving_are_said_however_short_each_pause(
    open_page, loopback, monkeypatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", loopback(fault=but_the_first("429")).base_url)
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "30")
    run = started(8)
    waits = r"waiting( \d+ s)? for the provider's limit"
    comes_to_say(open_page, run, rf"Running · 1 of 8 checked · \$[\d.]+ spent · {waits}")
    registry.cancel(run.id)


def test_a_provider_that_gives_no_answer_is_said_and_nothing_is_foretold(
    open_page, loopback, monkeypatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", loopback(fault=but_the_first("hang")).base_url)
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "30")
    monkeypatch.setattr(pace, "SILENCE_SHOWN_FROM", 1.0)
    run = started(8)
    told = r"no answer for \d+ s; each call is given up after 30 s at most"
    comes_to_say(open_page, run, rf"Running · 1 of 8 checked · \$[\d.]+ spent · {told}")
    registry.cancel(run.id)


def test_a_run_at_work_says_how_far_it_is_in_one_place(open_page, loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", loopback(fault=but_the_first("hang")).base_url)
    monkeypatch.setenv("PLUMBLINE_CALL_SECONDS", "30")
    run = started(8)
    while not session.store().results.counts(run).scored:
        time.sleep(0.1)
    try:
        at = open_page("rgb", run=run.id)
        assert len(at.get("progress")) == 1
        assert cards(at)["Noise robustness"] == "0 %"
        assert not [line for line in lines(at) if " of " in line.coverage]
        assert not [numbers for numbers in at.dataframe if "Rate" in numbers.value.columns]
        assert len(open_page("datasets").get("progress")) == 1
    finally:
        registry.cancel(run.id)
    wait_for_runs()
    at = open_page("rgb", run=run.id)
    assert [row["Checked"] for row in table(at, "Rate")] == ["1 / 8"]


def but_the_first(fault: str) -> Callable[[Asked], str]:
    """The first call is answered, every other one has this fault."""
    calls = count()
    return lambda asked: fault if next(calls) else ""


def comes_to_say(open_page: OpenPage, run: Run, words: str) -> None:
    """The run's page says this within half a minute."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        shown = ESCAPED.sub(r"\1", state(open_page("rgb", run=run.id))).splitlines()[0]
        if re.fullmatch(words, shown):
            return
        time.sleep(0.2)
    registry.cancel(run.id)
    raise AssertionError(shown)


def started(samples: int) -> Run:
    task = RGBTask(ability=Ability.NOISE, noise=0.2, effective_noise=0.2)
    data = Dataset(
        name="people",
        samples=tuple(
            Sample(
                id=f"p{n}",
                question=f"Who is number {n}?",
                retrieved_documents=("Number 0 is Mina Osei.",),
                ground_truth="Mina Osei",
                rgb=task,
            )
            for n in range(samples)
        ),
    )
    spec = known_models()["openai/gpt-6-luna"].spec(answer_tokens=100)
    run = create_run(
        session.store(),
        RunPlan(
            data, inputs.evaluators("rgb"), title="people", models=[spec], prompt=load("rgb_en")
        ),
        workspace="local",
    )
    registry.start(run, session.store(), session.keys())
    return run


def asked(samples: int) -> Run:
    run = started(samples)
    wait_for_runs()
    return run


def no_traceback(at: AppTest) -> None:
    assert not any("Traceback" in text for text in markdown(at))
