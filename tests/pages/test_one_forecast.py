"""What a run will take is said once: the forms, the terminal and Python give the same numbers, and a
run takes no more calls than they said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.llm.catalogue import OFFLINE
from evaluators.llm.estimate import TOGETHER, Estimate, row_in_words
from evaluators.records import Sample
from evaluators.terminal.cli import main
from tests import judge
from tests.loopback import Loopback
from tests.pages.conftest import OpenPage, checked, keep_upload
from tests.pages.screen import settled, table
from ui.trace.form import HYBRID, JURY

OSS, LUNA, MINI = "groq/openai/gpt-oss-20b", "openai/gpt-6-luna", "openai/gpt-4o-mini"
HALF, LONG = "half", "long"
FACTS = {
    "question": "When was the mill built?",
    "ground_truth": "1812",
    "retrieved_documents": ("The mill was built in 1812. It stands by the river.", "Ferries left."),
}


@pytest.fixture(autouse=True)
def provider(serving: Callable[..., Loopback]) -> Loopback:
    """OpenAI and Groq are this server: it labels, says yes to every question, and answers."""

    def answer(prompt: str) -> str:
        if judge.is_labelling(prompt):
            return judge.labels_for(prompt)
        if '"rating"' in prompt or "1 to 5" in prompt:
            return json.dumps({"reason": "", "rating": 4})
        return json.dumps({"reason": "", "verdict": "yes"}) if "verdict" in prompt else "In 1812."

    return serving(answer, groq=True)


@pytest.fixture(autouse=True)
def uploads(provider: Loopback) -> None:
    """Three samples of which one is answered, and one that takes several windows."""
    samples = [
        Sample(id="a", response="It was built in 1812.", **FACTS),
        Sample(id="b", **FACTS),
        Sample(id="c", **{**FACTS, "question": "When was it opened?"}),
    ]
    words = " ".join(f"Sentence {number} of a long report on mills." for number in range(900))
    long = Sample(
        id="l", question="When?", response="In May. By Ann.", retrieved_documents=(words,)
    )
    for name, own in ((HALF, samples), (LONG, [long])):
        keep_upload(name, *own)


def terminal(*options: str) -> list[dict[str, object]]:
    """The rows that the terminal gives."""
    found = CliRunner().invoke(main, ["estimate", "--json", *options])
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    return [row_in_words(row.pop("name"), Estimate.model_validate(row)) for row in rows]


def form(at: AppTest, judged: str = " (judge)") -> list[dict[str, Any]]:
    """The rows of the form without the sum; a judge is named as such."""
    rows = [row for row in table(at, "Model") if row["Model"] != TOGETHER]
    return [{**row, "Model": row["Model"] + judged} for row in rows]


def trace_form(
    open_page: OpenPage,
    data: str,
    method: str,
    *judges: str,
    models: tuple[str, ...] | None = None,
    further: tuple[str, ...] = (),
    use_cache: bool = True,
    doubt_from: float | None = None,
) -> AppTest:
    at = open_page("trace")
    at.selectbox(key="trace_dataset").set_value(data)
    checked(at.radio(key="trace_method").set_value(method).run())
    if further:
        at.multiselect(key="trace_metrics").set_value(list(further))
    if models is not None:
        at.multiselect(key="trace_models").set_value(list(models))
    at.multiselect(key={JURY: "trace_jury", HYBRID: "trace_hybrid"}[method]).set_value(list(judges))
    checked(at.run())
    if not use_cache:
        at.toggle(key="trace_use_cache").set_value(False)
    if doubt_from is not None:
        at.number_input(key="trace_doubt_from").set_value(doubt_from)
    return checked(at.run())


BUDGET = ("--answer-tokens", "2048")


@pytest.mark.parametrize("data", [TRACE_SAMPLES, LONG])
def test_labels_by_judges_with_a_further_metric(open_page, data):
    judges, further = (OSS, LUNA), ("llm_judge",)
    options = [part for metric in ("gpt_labeling", *further) for part in ("--metric", metric)]
    options += [part for each in judges for part in ("--judge", each)]
    at = trace_form(open_page, data, JURY, *judges, further=further)
    assert form(at) == terminal("--data", data, *options)


@pytest.mark.parametrize(
    ("method", "metric", "doubt_from", "use_cache"),
    [
        (JURY, "gpt_labeling", None, True),
        (JURY, "gpt_labeling", None, False),
        (HYBRID, "hybrid", 0.0, False),
        (HYBRID, "hybrid", 0.99, True),
        (HYBRID, "hybrid", 1.01, True),
    ],
)
def test_labels_of_answers_that_are_there_and_to_come(
    open_page, method, metric, doubt_from, use_cache
):
    at = trace_form(
        open_page,
        HALF,
        method,
        LUNA,
        models=(OFFLINE.id, MINI),
        use_cache=use_cache,
        doubt_from=doubt_from,
    )
    options = ["--metric", metric, "--model", OFFLINE.id, "--model", MINI, "--judge", LUNA]
    options += [] if doubt_from is None else ["--param", f"doubt_from={doubt_from}"]
    options += [] if use_cache else ["--no-cache"]
    rows = [] if doubt_from == 1.01 else form(at, "")
    assert rows == ([] if not rows else terminal("--data", HALF, *BUDGET, *options))


def test_what_nobody_answers_is_not_judged(open_page):
    at = trace_form(open_page, HALF, JURY, LUNA, models=())
    assert form(at) == terminal("--data", HALF, "--metric", "gpt_labeling", "--judge", LUNA)


def metrics_form(
    open_page: OpenPage, data: str, *metrics: str, models: tuple[str, ...] | None = None
) -> AppTest:
    at = open_page("metrics")
    at.selectbox(key="metrics_dataset").set_value(data)
    checked(at.multiselect(key="metrics_metrics").set_value(list(metrics)).run())
    if models is not None:
        at.multiselect(key="metrics_models").set_value(list(models))
    return checked(at.selectbox(key="metrics_metric_judge").set_value(LUNA).run())


@pytest.mark.parametrize(("data", "models"), [(HALF, (OFFLINE.id, MINI)), (HALF, ()), (LONG, None)])
def test_metrics_that_ask_a_judge(open_page, data, models):
    at = metrics_form(open_page, data, "llm_judge", "g_eval", models=models)
    options = ["--metric", "llm_judge", "--metric", "g_eval", "--judge", LUNA, *BUDGET]
    options += [part for each in models or () for part in ("--model", each)]
    assert form(at, "" if models else " (judge)") == terminal("--data", data, *options)


def test_rgb_with_a_judge(open_page):
    models = (OFFLINE.id, OSS, LUNA)
    at = open_page("rgb")
    at.selectbox(key="rgb_data").set_value(ENGLISH_BED)
    at.multiselect(key="rgb_models").set_value(list(models))
    checked(at.selectbox(key="rgb_judge").set_value(OSS).run())
    options = [part for each in models for part in ("--model", each)]
    options += ["--metric", "rgb", "--judge", OSS, "--answer-tokens", "1024"]
    assert form(at, "") == terminal("--data", ENGLISH_BED, *options)


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_run_asks_what_was_forecast(open_page, provider, use_cache):
    """Two models keep the one response that is there: its labels are paid for once."""
    at = trace_form(open_page, HALF, JURY, LUNA, models=(OFFLINE.id, MINI), use_cache=use_cache)
    calls = {row["Model"]: row["Calls"] for row in form(at, "")}
    at.button(key="trace_start").click()
    checked(settled(at.run()))
    asked = [request.model for request in provider.asked]
    assert (asked.count("gpt-4o-mini"), asked.count("gpt-6-luna")) == (
        calls["GPT-4o mini"],
        calls["GPT-6 Luna (judge)"],
    )
