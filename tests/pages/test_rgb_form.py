"""Asking LLMs: what can be chosen and why not, what it will take, and that a run is what the form
said.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from evaluators.llm import Access
from evaluators.llm.catalogue import Choice, Model
from evaluators.records import Ability, Cap
from tests.loopback import Loopback
from tests.pages.conftest import KEY, OpenPage, Upload, checked
from tests.pages.screen import jsonl, runs, said, segments, settled, state, table
from ui import session
from ui.models.form import label

OFFLINE, OSS, LUNA = "offline/offline-reader", "groq/openai/gpt-oss-20b", "openai/gpt-6-luna"
UNPRICED = "openai/openai/gpt-oss-20b"
"""The loopback provider offers it, and the catalogue does not know that OpenAI would."""

DOCUMENT = "Mina Osei. " + "x" * 78
TOKENS = 33
"""Of "Who?", a line break, "[1] ", the document and a number: 4 + 1 + 4 + 89 + 2 = 100 bytes; a
quarter, and 8.
"""


@pytest.fixture
def provider(serving: Callable[..., Loopback]) -> Loopback:
    """Groq and OpenAI are both this server, and what they offer is known."""
    return serving(lambda _: "Mina Osei.", groq=True)


# Choosing


@pytest.mark.parametrize(
    ("facts", "problem", "expected"),
    [
        ({"price_in": 0.15, "price_out": 0.6}, "", "GPT 7 · Groq · $0.15 / $0.60"),
        ({"price_in": 0.075, "price_out": 12}, "", "GPT 7 · Groq · $0.075 / $12.00"),
        ({"price_in": 0, "price_out": 0}, "", "GPT 7 · Groq · free"),
        ({}, "", "GPT 7 · Groq · price unknown"),
        ({"status": "preview"}, "", "GPT 7 · Groq · price unknown · preview"),
        (
            {"status": "deprecated", "status_date": "2027-01-14"},
            "",
            "GPT 7 · Groq · price unknown · until 2027-01-14",
        ),
        ({"price_in": 1, "price_out": 2}, "needs a key", "✕ GPT 7 · Groq · needs a key"),
        ({}, "not offered to this key", "✕ GPT 7 · Groq · not offered to this key"),
        ({}, "retired 2026-08-16; use GPT 8", "✕ GPT 7 · Groq · retired 2026-08-16; use GPT 8"),
    ],
)
def test_a_label_says_what_a_model_costs_or_why_it_cannot_be_asked(facts, problem, expected):
    model = Model(provider="groq", model="gpt-7", title="GPT 7", **facts)
    assert label(Choice(model=model, problem=problem)) == expected


def test_without_a_key_the_offline_reader_is_ready_and_nothing_else_is_asked_of_the_student(
    open_page,
):
    at = open_page("rgb")
    names = at.multiselect(key="rgb_models").options
    assert names[0] == "Offline reader (baseline, no key) · free"
    assert all(name.startswith("✕ ") for name in names[1:])
    assert at.selectbox(key="rgb_judge").disabled
    assert not [widget.label for widget in at.number_input if widget.key == "rgb_answer_tokens"]
    assert not at.button(key="rgb_start").disabled


def test_models_that_cannot_be_asked_come_last(open_page, provider):
    names = open_page("rgb").multiselect(key="rgb_models").options
    refused = [name.startswith("✕ ") for name in names]
    assert "GPT-6 Luna · OpenAI · $0.10 / $0.50" in names
    assert refused == sorted(refused)
    assert True in refused


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (OSS, "GPT-OSS 20B needs a key; the price is shown without one."),
        ("groq/llama-3.1-8b-instant", "use GPT-OSS 20B. Choose another model."),
    ],
)
def test_choosing_a_model_that_cannot_be_asked_says_why_and_what_to_do(open_page, model, message):
    at = open_page("rgb")
    # Retired models are listed on request only.
    assert not [name for name in at.multiselect(key="rgb_models").options if "retired" in name]
    at.toggle(key="show_retired").set_value(True)
    at = chosen(checked(at.run()), OFFLINE, model)
    assert message in said(at)
    start = at.button(key="rgb_start")
    assert start.disabled
    assert start.label.startswith("Ask 216 questions")
    links = [link.proto.label for link in at.get("page_link")]
    assert ("Enter a key on the Settings page" in links) is (model == OSS)


def test_the_choice_outlives_the_visit_to_settings(open_page, loopback):
    at = chosen(open_page("rgb"), OSS)
    checked(at.switch_page("../pages/settings.py").run())
    session.own_keys().update({"groq": access("groq", loopback().address)})
    checked(at.switch_page("../pages/rgb.py").run())
    assert at.multiselect(key="rgb_models").value == [OSS]
    assert not at.button(key="rgb_start").disabled


def test_models_of_an_endpoint_that_was_forgotten_are_no_longer_chosen(open_page, provider):
    at = chosen(open_page("rgb"), OFFLINE, UNPRICED, judge=LUNA)
    checked(at.switch_page("../pages/settings.py").run())
    session.own_keys().update({"openai": access("openai", "http://127.0.0.1:9")})
    checked(at.switch_page("../pages/rgb.py").run())
    assert at.multiselect(key="rgb_models").value == [OFFLINE]


def test_a_judge_that_also_answers_is_pointed_out(open_page, provider):
    at = chosen(open_page("rgb"), OFFLINE, judge=LUNA)
    assert "may favour its own answers" not in said(at)
    at = chosen(at, LUNA, judge=LUNA)
    assert "This judge also answers, and may favour its own answers." in said(at)


def test_a_temperature_that_a_model_does_not_take_is_pointed_out(open_page, provider):
    at = chosen(open_page("rgb"), OSS, UNPRICED)
    assert "The temperature is left to openai/gpt-oss-20b." in said(at)


# What it will take


def test_every_model_has_a_line_of_its_own(open_page, upload, provider):
    at = chosen(small(open_page, upload), OFFLINE, OSS, UNPRICED)
    assert at.button(key="rgb_start").label.startswith("Ask 2 questions of each of 3 models, ")
    common = {"Calls": 2, "Stored": 0, "Prompt tokens": f"{2 * TOKENS}"}
    assert table(at, "Model") == [
        # 30 to 1,024 tokens for each answer; 2,048 answer tokens at $0.30 a million are less than a
        # cent
        common
        | {
            "Model": "Offline reader (baseline, no key)",
            "Answer tokens": "0",
            "Cost": "free",
            "Waiting": "none",
        },
        common
        | {
            "Model": "GPT-OSS 20B",
            "Answer tokens": "60 to 2,048",
            "Cost": "under $0.01",
            "Waiting": "none",
        },
        common
        | {
            "Model": "openai/gpt-oss-20b",
            "Answer tokens": "60 to 2,048",
            "Cost": "unknown",
            "Waiting": "no limit known",
        },
        {
            "Model": "LLMs together",
            "Calls": 4,
            "Stored": 0,
            "Prompt tokens": f"{4 * TOKENS}",
            "Answer tokens": "120 to 4,096",
            "Cost": "unknown",  # the known part is less than a cent
            "Waiting": "",
        },
    ]
    assert "4 bytes to a token, 30 to 1,024 tokens to an answer" in said(at)


def test_calls_that_the_free_plan_cannot_answer_are_told_with_the_numbers(
    open_page, upload, provider
):
    at = chosen(small(open_page, upload), OSS, answer_tokens=10_000)
    assert (
        "GPT-OSS 20B: 2 of 2 calls cannot be answered on the free plan. Prompt and "
        "answer budget (10,000 tokens) "
        "together exceed 8,000 tokens a minute. Lower the answer budget" in said(at, "warning")
    )


def test_every_repeat_is_a_call_of_the_estimate_and_the_button_says_how_many(
    open_page, upload, provider
):
    at = chosen(small(open_page, upload), LUNA)
    assert "may be identical" not in said(at)
    at = chosen(at, LUNA, repeats=5)

    (row,) = table(at, "Model")
    assert (row["Calls"], row["Prompt tokens"]) == (10, f"{10 * TOKENS}")
    assert at.button(key="rgb_start").label.startswith("Ask 2 questions 5 times")
    assert "At temperature 0 repeats may be identical." in said(at)
    assert "may be identical" not in said(chosen(at, LUNA, temperature=0.7))
    at = settled(at.button(key="rgb_start").click().run())
    (run,) = runs()
    assert (run.repeats, len(provider.asked)) == (5, 10)
    assert "10 answers checked (2 prompts × 5)" in said(at, "markdown")


# Starting


def test_a_run_keeps_what_was_chosen_finishes_and_its_answers_serve_again(
    open_page, upload, provider
):
    at = small(open_page, upload)
    at = chosen(at, OFFLINE, LUNA, judge=OSS, dollars=0.5, answer_tokens=256)
    at = settled(at.button(key="rgb_start").click().run())
    assert state(at).startswith("4 answers checked")
    (run,) = runs()
    assert [model.id for model in run.models] == [OFFLINE, LUNA]
    assert {model.base_url for model in (run.models[1], run.judge)} == {
        provider.base_url,
        provider.address,
    }
    assert (run.models[1].answer_tokens, run.judge.id, run.cap) == (
        256,
        OSS,
        Cap(cost=0.5),
    )
    assert [asked.model for asked in provider.asked] == ["gpt-6-luna"] * 2

    at = chosen(small(open_page, upload), LUNA, answer_tokens=256)
    (row,) = table(at, "Model")
    assert (row["Calls"], row["Stored"], row["Cost"], row["Waiting"]) == (0, 2, "free", "none")
    at = chosen(at, LUNA, use_cache=False)
    assert [(row["Calls"], row["Stored"]) for row in table(at, "Model")] == [(2, 0)]


def test_a_cap_that_cannot_hold_is_refused_before_start(open_page, upload, provider):
    at = chosen(small(open_page, upload), LUNA, UNPRICED, dollars=1.0)
    words = "The price of openai/gpt-oss-20b is unknown, so a budget in dollars cannot hold."
    assert words in said(at, "warning")
    start = at.button(key="rgb_start")
    assert (start.label, start.disabled) == ("Ask 2 questions of each of 2 models", True)
    assert not chosen(at, LUNA).button(key="rgb_start").disabled
    at = chosen(at, LUNA, calls=-5)
    assert "A budget of -5 calls is too low." in said(at, "warning")
    assert at.button(key="rgb_start").disabled
    at.number_input(key="rgb_calls").set_value(None)
    assert not checked(at.run()).button(key="rgb_start").disabled


def test_a_cap_below_the_estimate_is_pointed_out(open_page, provider):
    # 216 calls and 36 of the judge.
    at = chosen(open_page("rgb"), LUNA, judge=OSS, calls=251)
    assert "The budget of 251 calls is below this estimate" in said(at)
    assert not at.button(key="rgb_start").disabled
    assert "below this estimate" not in said(chosen(at, LUNA, judge=OSS, calls=252))


def test_the_caps_are_for_the_whole_run_and_not_folded_away(open_page, provider):
    at = chosen(open_page("rgb"), LUNA)
    for field in ("calls", "dollars"):
        at = checked(at.selectbox(key="rgb_unit").set_value(field).run())
        cap = at.number_input(key=f"rgb_{field}")
        assert "For the whole run, all models and judges together." in cap.help
        # The browser would not send a value out of a field's bounds, and the form go on with the
        # one before.
        assert not cap.proto.has_min or cap.proto.min < -1_000_000
    folded = next(box for box in at.expander if box.label == "Advanced")
    assert [widget.label for widget in folded.number_input] == [
        "Documents",
        "Seed",
        "Answer budget (tokens)",
        "Temperature",
        "Repeats",
    ]


def test_a_public_host_says_when_a_run_is_too_large(open_page, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    monkeypatch.setenv("PLUMBLINE_CELLS_PER_RUN", "100")
    at = open_page("rgb")
    at.button(key="rgb_start").click()
    assert "This run has 216 samples to score; this host allows 100." in said(
        checked(at.run()), "error"
    )


def access(provider: str, base_url: str) -> Access:
    return Access(provider=provider, base_url=base_url, key=SecretStr(KEY))


def small(open_page: OpenPage, upload: Upload) -> AppTest:
    """The form for noise robustness over a bed of two rows, one document a prompt and nothing
    else.
    """
    row = {"query": "Who?", "answer": "Mina Osei", "negative": ["No."]}
    bed = [row | {"id": n, "positive": [f"{DOCUMENT}{n:02}"]} for n in range(2)]
    upload("bed.json", jsonl(*bed))
    at = open_page("rgb")
    checked(at.selectbox(key="rgb_data").set_value("bed.json").run())
    segments(at, "rgb_abilities_bed.json").set_value([Ability.NOISE])
    at.multiselect(key="rgb_noise").set_value([0.0])
    at.number_input(key="rgb_passages").set_value(1)
    return checked(at.text_area(key="rgb_prompt_en").set_value("$question\n$documents").run())


def chosen(at: AppTest, *models: str, judge: str | None = None, **options: float) -> AppTest:
    """The form with these models and options chosen."""
    at.multiselect(key="rgb_models").set_value(list(models))
    if judge:
        at.selectbox(key="rgb_judge").set_value(judge)
    checked(at.run())
    if "use_cache" in options:
        at.toggle(key="rgb_use_cache").set_value(bool(options.pop("use_cache")))
    for unit in {"calls", "dollars"} & options.keys():
        checked(at.selectbox(key="rgb_unit").set_value(unit).run())
    for name, value in options.items():
        at.number_input(key=f"rgb_{name}").set_value(value)
    return checked(at.run())
