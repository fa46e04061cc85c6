"""Metrics: any metric of the catalogue has a form, a run that is shown with numbers, samples and an
explanation.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

import pytest
from pydantic import BaseModel, Field, SkipValidation
from streamlit.testing.v1 import AppTest

from evaluators.base import Evaluator, evaluator, require
from evaluators.catalogue import catalogue
from evaluators.errors import MissingInputError
from evaluators.llm import LLMClient
from evaluators.llm.structured import ask
from evaluators.prompts import FOLDER, Prompt
from evaluators.records import Dataset, JudgeEvidence, Run, Sample, Score
from tests.comparison.made import results
from tests.loopback import Loopback
from tests.pages.conftest import OpenPage, checked, keep_upload
from tests.pages.screen import (
    cards,
    html,
    lines,
    listed,
    markdown,
    runs,
    said,
    samples,
    started,
    state,
    table,
)
from tests.stored import save_score, stored_run
from ui import session
from ui.metrics import choice

LUNA = "openai/gpt-6-luna"
HOSTILE = "![x](http://127.0.0.1:9/x.png)"
METRICS = sorted(name for name in choice.offers() if not name.startswith("test_"))


@evaluator("test_words", title="Words found", needs=("response", "ground_truth"))
class Words(Evaluator):
    """Share of the words of the ground truth that stand in the response.

    words found = found / all
    """

    least: int = Field(1, ge=1, le=9, description="Words that a ground truth must have")

    def score(self, sample: Sample) -> Score:
        require(self.needs, sample, self.title)
        wanted = str(sample.ground_truth).split()
        if len(wanted) < self.least:
            return Score(
                values={"words_found": None}, reason=f"Only {len(wanted)} words. {HOSTILE}"
            )
        rows = [
            {"word": word, "is_found": word in (sample.response or "").split()} for word in wanted
        ]
        found = sum(row["is_found"] for row in rows) / len(rows)
        details = {
            "statements": rows,
            "longest": max(wanted, key=len),
            "raw": "long " * 50,
            "nothing": [],
        }
        return Score(values={"words_found": found}, details=details)


class Verdict(BaseModel):
    reason: str
    verdict: Literal["yes", "no"]


@evaluator("test_two_questions", title="Two questions", needs=("response",))
class TwoQuestions(Evaluator):
    """Asks a judge twice."""

    llm_client: SkipValidation[LLMClient | None] = None

    def score(self, sample: Sample) -> Score:
        if self.llm_client is None:
            raise MissingInputError("No judge. Choose one.")
        said = {
            name: ask(self.llm_client, Prompt(text=f"{name}? {sample.response}"), Verdict)
            for name in ("true", "short")
        }
        outputs = [text for each in said.values() for text in each.texts]
        return Score(
            values={name: float(each.value.verdict == "yes") for name, each in said.items()},
            evidence=JudgeEvidence(outputs=tuple(outputs), mode=said["true"].mode),
            details={"reasons": {name: each.value.reason for name, each in said.items()}},
        )


@evaluator("test_opinion", title="Second opinion", judges="optional")
class SecondOpinion(Evaluator):
    """Goes without a judge where none is chosen."""

    llm_client: SkipValidation[LLMClient | None] = None

    def score(self, sample: Sample) -> Score:
        return Score(values={"judged": float(self.llm_client is not None)})


@evaluator("test_demanding", title="Demanding")
class Demanding(Evaluator):
    """Has a parameter without a default."""

    what: str

    def score(self, sample: Sample) -> Score:
        return Score(values={"words": float(len(self.what))})


@pytest.fixture
def provider(serving: Callable[..., Loopback]) -> Loopback:
    """OpenAI is this server, whose models say yes to what is true and no to all else."""
    return serving(_verdict)


# The form


def test_an_empty_page_shows_the_form_and_needs_no_key(open_page):
    at = open_page("metrics")
    assert "Metrics without a judge need no key" in said(at)
    assert at.multiselect(key="metrics_metrics").options


def test_every_metric_has_a_form_and_an_explanation(open_page):
    at = form(open_page, *METRICS)
    shown, texts = said(at, "markdown"), said(at, "text")
    codes = {code.value.strip() for code in at.code}
    # On its card, and where it is explained.
    assert said(at).count("Needs: ") == 2 * len(METRICS)
    for metric in METRICS:
        cls = catalogue()[metric]
        assert cls.title in shown
        assert (cls.__doc__ or "").partition("\n")[0] in texts
        prompts = [file.read_text(encoding="utf-8") for file in FOLDER.glob(f"{metric}_*.md")]
        assert {text.strip() for text in prompts} <= codes


def test_what_the_data_lack_is_said_with_the_column_to_add(open_page):
    kept("half", ("tea is hot", "tea"), ("tea is hot", None))
    at = form(open_page, "test_words", data="half")
    assert "Needs: answer, true answer. 1 of 2 samples can be judged." in said(at)
    assert "true answer missing in 1 sample. Add a column: ground_truth or reference" in said(
        at, "warning"
    )
    assert not at.button(key="metrics_start").disabled


def test_a_metric_that_no_sample_serves_cannot_be_started(open_page):
    kept("none", ("tea is hot", None))
    at = form(open_page, "test_words", data="none")
    assert "✕ Words found · no true answer" in at.multiselect(key="metrics_metrics").options
    assert at.button(key="metrics_start").disabled


def test_a_parameter_without_a_default_is_told(open_page):
    at = form(open_page, "test_demanding")
    assert "Demanding: what is missing. Give it a value." in said(at, "error")
    assert at.button(key="metrics_start").disabled


def test_a_metric_with_an_optional_judge_goes_without_one(open_page):
    kept("one", ("It is true.", None))
    at = form(open_page, "test_opinion", data="one")
    assert at.selectbox(key="metrics_metric_judge").value is None
    assert cards(started(at, "metrics")) == {"Judged": "0.00"}


# Runs


def test_a_run_shows_mean_interval_and_coverage(open_page):
    at = words_run(open_page)
    assert state(at) == "3 of 4 checked · 1 failed"
    assert cards(at) == {"Words found": "0.75"}  # (1 + 0.5) / 2
    assert lines(at)[0].coverage == "2 of 4, 1 not applicable, 1 failed"
    assert "Metric: Words found (Least: 2)" in said(at)
    assert "**four · Words found** · 3 of 4 checked" in said(at, "markdown")
    assert [row["Words found"] for row in samples(at)][:2] == ["1.00", "0.50"]
    assert at.get("download_button")


def test_a_value_that_strangers_named_is_no_markdown_on_a_chip(open_page):
    name = "![x](http://127.0.0.1:9/x.png)"
    run = results(session.store(), "named", ["Who?", "When?"], [{name: 0.0}, {name: 1.0}]).run

    at = checked(open_page("metrics", run=run.id))

    groups = [group.proto for group in at.get("button_group")]
    chips = [option.content for group in groups for option in group.options]
    assert any("x\\.png\\) below a half 1" in chip for chip in chips)
    assert not [text for text in (*chips, *markdown(at)) if "![" in text]


def test_values_beyond_one_have_no_distribution(open_page):
    at = open_page("metrics", run=stored("test_words", {"words": 7.0}).id)
    assert cards(at) == {"Words": "7.00"}
    assert "pl-spread" in html(at)
    assert 'pl-spread" aria-hidden="true"><i' not in html(at)


def test_a_run_of_a_metric_that_is_gone_is_still_shown(open_page):
    run = stored("gone", {"words": 0.5})
    assert "There is no metric gone here any more." in said(
        open_page("metrics", run=run.id), "warning"
    )
    assert listed(open_page("runs"))[run.id]["Method"] == "gone"
    assert cards(open_page("sample", run=run.id)) == {"Words": "0.50"}


def test_a_judge_is_asked_as_often_as_estimated(open_page, provider):
    kept("two", ("It is true.", None), ("It is.", None))
    at = form(open_page, "test_two_questions", data="two", judge=LUNA)
    (row,) = table(at, "Model")
    assert (row["Calls"], row["Stored"]) == (4, 0)
    at = started(at, "metrics")
    assert len(provider.asked) == 4
    assert cards(at) == {"True": "0.50", "Short": "0.50"}
    (row,) = table(form(open_page, "test_two_questions", data="two", judge=LUNA), "Model")
    assert (row["Calls"], row["Stored"]) == (0, 4)


def test_choices_are_shown_in_words(open_page):
    kept("two", ("In May.", "In May."), ("In June.", "In May."))
    at = form(open_page, "answer_match", data="two")
    assert at.selectbox(key="metrics_answer_match_type").options == [
        "Exact match",
        "Fuzzy match",
        "F1 score",
    ]
    at.selectbox(key="metrics_answer_match_type").set_value("fuzzy_match")
    at = started(checked(at.run()), "metrics")
    assert "Metric: Answer match (Match: Fuzzy match; Normalisation: HotpotQA)" in said(at)
    assert runs()[0].evaluator.params == {"type": "fuzzy_match", "normalise": "hotpotqa"}


# The sample


def test_a_sample_shows_statements_and_verdicts(open_page):
    words_run(open_page)
    at = open_page("sample", run=runs()[0].id, sample="2")
    assert cards(at) == {"Words found": "0.50"}
    assert at.table[0].value.to_dict("index") == {
        "1": {"Word": "tea", "Is found": "yes"},
        "2": {"Word": "cold", "Is found": "no"},
    }
    assert "Longest: cold" in said(at, "text")
    assert "True answer: tea cold" in said(at, "text")


def test_a_value_that_does_not_apply_gives_its_reason_as_letters(open_page):
    words_run(open_page)
    at = open_page("sample", run=runs()[0].id, sample="3")
    assert cards(at) == {"Words found": "–"}
    assert f"Only 1 words. {HOSTILE}" in said(at, "info")
    assert not [text for text in markdown(at) if HOSTILE in text]


def test_a_judge_s_reasons_and_its_prompts_stand_on_the_sample(open_page, provider):
    kept("two", ("It is true.", None))
    started(form(open_page, "test_two_questions", data="two", judge=LUNA), "metrics")
    at = open_page("sample", run=runs()[0].id)
    (reasons,) = at.table
    assert reasons.value.to_dict("index") == {
        "True": {"Reasons": "so it says"},
        "Short": {"Reasons": "so it says"},
    }
    assert _verdict("is true") in [code.value for code in at.code]
    assert "short? It is true." in [code.value for code in at.code]


def test_a_stored_score_of_every_metric_opens(open_page):
    run = stored_run(session.store(), kept("stored", ("tea", "tea")), *METRICS)
    odd = {"steps": [{"statement": HOSTILE}], "odd": {"deep": [1, [None]]}}
    for number, metric in enumerate(METRICS):
        score = Score(values={metric: 1.0}, details=odd)
        save_score(session.store(), run.id, score, position=0, metric=number)
    at = open_page("sample", run=run.id)
    assert list(cards(at).values()) == ["1.00"] * len(METRICS)
    assert not [
        cell for shown in at.table for cell in shown.value.values.flatten() if HOSTILE in cell
    ]


def words_run(open_page: OpenPage) -> AppTest:
    """The page of a run that found all, half of, too few, and no words."""
    kept("four", ("tea hot", "tea hot"), ("tea hot", "tea cold"), ("tea", "tea"), ("tea", None))
    at = form(open_page, "test_words", data="four")
    at.number_input(key="metrics_test_words_least").set_value(2)
    return started(checked(at.run()), "metrics")


def kept(name: str, *pairs: tuple[str, str | None]) -> Dataset:
    """An upload of responses with their ground truths."""
    samples = (
        Sample(id=f"s{number}", question="What?", response=response, ground_truth=truth)
        for number, (response, truth) in enumerate(pairs)
    )
    return keep_upload(name, *samples)


def stored(metric: str, values: dict[str, float | None]) -> Run:
    """A finished run of one sample."""
    data = kept("stored", ("tea", "tea"))
    return stored_run(session.store(), data, metric, scores=[Score(values=values)], id="stored")


def form(open_page: OpenPage, *metrics: str, data: str = "", judge: str = "") -> AppTest:
    """The form with this much chosen."""
    at = open_page("metrics")
    if data:
        at.selectbox(key="metrics_dataset").set_value(data)
    checked(at.multiselect(key="metrics_metrics").set_value(list(metrics)).run())
    if judge:
        at.selectbox(key="metrics_metric_judge").set_value(judge)
    return checked(at.run())


def _verdict(prompt: str) -> str:
    return json.dumps({"reason": "so it says", "verdict": "yes" if "is true" in prompt else "no"})
