"""Several metrics in one run: chosen in one form, shown one below the other, told apart where they
fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.llm.catalogue import OFFLINE
from evaluators.records import Dataset, EvaluatorSpec, ModelSpec, Run, Sample, Score
from tests import judge
from tests.loopback import Loopback
from tests.pages.conftest import OpenPage, checked, fail, keep_upload
from tests.pages.screen import cards, lines, markdown, runs, said, samples, started, state, table
from tests.pages.test_metrics import Words
from tests.stored import save_score, stored_run
from ui import session
from ui.trace.form import HEURISTIC, JURY

LUNA, MINI = "openai/gpt-6-luna", "openai/gpt-4o-mini"
HOSTILE = "![x](http://127.0.0.1:9/x.png)"
WRITTEN = EvaluatorSpec(name="prompt", params={"title": "Is it polite?", "question": "Polite?"})


@pytest.fixture
def provider(serving: Callable[..., Loopback]) -> Loopback:
    """OpenAI is this server: it labels by the words that sentences share,
    and says yes to all else.
    """

    def answer(prompt: str) -> str:
        return (
            judge.labels_for(prompt)
            if judge.is_labelling(prompt)
            else json.dumps({"reason": "", "verdict": "yes"})
        )

    return serving(answer)


# The forms


def test_metrics_without_a_judge_run_together(open_page):
    kept("two", ("In May.", "In May."), ("In June.", "In May."))
    at = metrics_form(open_page, "two", "answer_match", Words.name)
    at = started(at, "metrics")
    assert state(at) == "2 answers checked"
    (run,) = runs()
    assert [spec.name for spec in run.evaluators] == ["answer_match", Words.name]
    assert "Metrics: Answer match (" in said(at)
    assert "), Words found (Least: 1)" in said(at)
    assert "**two · Answer match, Words found** · 2 answers checked" in said(at, "markdown")
    assert [element.value for element in at.header] == [
        "Samples"
    ]  # the cards are named as the metrics are
    assert cards(at) == {
        "Answer match": "0.50",
        "Words found": "0.75",
    }  # of "In May." in "In June." a half
    assert [(row["Answer match"], row["Words found"]) for row in samples(at)] == [
        ("1.00", "1.00"),
        ("0.00", "0.50"),
    ]


def test_metrics_that_ask_share_one_judge_and_one_estimate(open_page, provider):
    kept("two", ("In May.", "In May."), ("In June.", "In May."))
    at = metrics_form(open_page, "two", "answer_match", "llm_judge", "g_eval")
    assert [widget.key for widget in at.selectbox if widget.label == "Judge"] == [
        "metrics_metric_judge"
    ]
    # Begun with a judge, the form tells a price at once.
    assert at.button(key="metrics_start").label == r"Measure 2 samples, up to \$0\.01"
    at.selectbox(key="metrics_metric_judge").set_value(LUNA)
    (row,) = table(checked(at.run()), "Model")
    assert row["Calls"] == 2 * (1 + 4)  # a question, and four criteria, for each sample
    assert not at.button(key="metrics_start").disabled
    assert "to start" not in at.button(key="metrics_start").label


def test_each_chosen_metric_says_what_it_needs(open_page):
    kept("half", ("In May.", "In May."), ("In June.", None))
    at = metrics_form(open_page, "half", "answer_match", "retriever_recall")
    assert "Needs: answer, true answer. 1 of 2 samples can be judged." in said(at)
    assert "0 of 2 samples can be judged." in said(at)
    # One that can judge nothing does not belong in the run.
    assert at.button(key="metrics_start").label == "Correct the metrics to start"
    assert at.button(key="metrics_start").disabled


def test_a_metric_of_a_prompt_is_chosen_by_its_title_until_it_is_deleted(open_page):
    kept("two", ("In May.", None), ("In June.", None))
    session.store().metrics.save("local", WRITTEN.params["title"], WRITTEN)
    at = metrics_form(open_page, "two", "llm_judge", "prompt Is it polite?")
    assert "Is it polite?" in at.multiselect(key="metrics_metrics").options
    assert "Question to the judge: Polite?" in said(at)
    session.store().metrics.delete("local", WRITTEN.params["title"])
    at = checked(at.run())
    assert at.multiselect(key="metrics_metrics").value == ["llm_judge"]


def test_without_a_metric_there_is_nothing_to_start(open_page):
    at = metrics_form(open_page, "")
    assert at.button(key="metrics_start").disabled
    assert at.button(key="metrics_start").label == "Choose a metric to start"


def test_the_heuristic_runs_with_two_metrics_beside_it(open_page):
    kept("two", ("In May.", "In May."), ("In June.", "In May."), ("Tea.", None))
    at = trace_form(open_page, HEURISTIC, "context_recall_lexical", Words.name)
    assert at.button(key="trace_start").label == "Evaluate all 3 samples"
    at = started(at, "trace")
    assert state(at).endswith(" 1 failed")
    assert "Also: Context recall (lexical), Words found (Least: 1)" in said(at)
    assert {"Context relevance", "Context recall (lexical)", "Words found"} <= set(cards(at))
    rows = samples(at)
    # The worst first.
    assert [row["Verdict"] for row in rows] == [
        "1 of 1 sentence not supported",
        "failed: Words found",
        "1 sentence supported",
    ]
    assert {"Adherence", "Context recall (lexical)", "Words found"} <= set(rows[0])
    at.selectbox(key=f"order_{runs()[0].id}").set_value("words_found, lowest first")
    assert [row["#"] for row in samples(checked(at.run()))] == ["2", "1", "3"]


def test_a_metric_beside_the_heuristic_brings_its_judge(open_page, provider):
    kept("two", ("In May.", "In May."), ("In June.", "In May."))
    at = trace_form(open_page, HEURISTIC, "llm_judge")
    assert at.button(key="trace_start").label == r"Evaluate all 2 samples, under \$0\.01"
    at.selectbox(key="trace_metric_judge").set_value(LUNA)
    (row,) = table(checked(at.run()), "Model")
    assert row["Calls"] == 2
    at = started(at, "trace")
    assert len(provider.asked) == 2
    assert "it finds suspects, it does not count" in said(at)


def test_one_estimate_covers_labels_and_metrics(open_page, provider):
    kept("two", ("In May.", "In May."), ("In June.", "In May."))
    at = trace_form(open_page, JURY, "llm_judge")
    checked(at.multiselect(key="trace_jury").set_value([LUNA, MINI]).run())
    assert [row["Calls"] for row in table(at, "Model")] == [4, 2, 6]
    assert "LLM as judge: asked of the first judge alone, GPT-6 Luna." in said(at)
    assert not [widget for widget in at.selectbox if widget.label == "Judge"]
    started(at, "trace")
    assert len(provider.asked) == 6


# The pages


def test_values_of_one_name_are_told_apart_and_failures_by_metric(open_page):
    run = stored(EvaluatorSpec(name="trace"), EvaluatorSpec(name="g_eval"))
    save(run, 0, 0, {"context_relevance": 0.5, "adherence": 1.0})
    save(run, 0, 1, {"relevance": 1.0, "overall": None})
    save(run, 1, 0, {"context_relevance": 1.0, "adherence": 0.0})
    fail(run, "No.", position=1, metric=1)
    at = open_page("metrics", run=run.id)
    assert not cards(at)  # it belongs to another page
    at = open_page("trace", run=run.id)
    coverages = [(line.title, line.coverage) for line in lines(at)]
    assert ("Context relevance", "2 of 2") in coverages
    assert ("Relevance", "1 of 2, 1 failed") in coverages
    assert ("Overall", "0 of 2, 1 not applicable, 1 failed") in coverages
    rows = samples(at)
    assert [row["Context relevance"] for row in rows] == ["0.50", "1.00"]
    assert rows[0]["Relevance"] == "1.00"
    assert [row["Verdict"] for row in rows] == ["no labels", "failed: G-Eval"]


def test_two_metrics_of_a_prompt_stand_under_their_own_names(open_page):
    hostile = EvaluatorSpec(name="prompt", params={"title": f"Rude {HOSTILE}", "question": "Rude?"})
    run = stored(WRITTEN, hostile)
    save(run, 0, 0, {"is_it_polite": 1.0})
    for at in (
        open_page("metrics", run=run.id),
        open_page("sample", run=run.id),
        open_page("runs"),
    ):
        assert any("Is it polite?" in text for text in markdown(at))
        assert not [text for text in markdown(at) if HOSTILE in text]


def test_one_metric_with_two_parameters_and_two_models_is_told_apart(open_page):
    models = (OFFLINE, ModelSpec(provider="openai", model="gpt-6-luna"))
    least = [EvaluatorSpec(name=Words.name, params={"least": number}) for number in (1, 2)]
    run = stored(*least, models=models)
    for model, metric, value in ((0, 0, 0.25), (0, 1, 0.5), (1, 0, 0.75), (1, 1, None)):
        save(run, 0, metric, {"words_found": value}, model=model)
    at = open_page("metrics", run=run.id)
    assert [line.mean for line in lines(at)] == ["0.25", "0.75", "0.50", "–"]
    assert "Metrics: Words found (1) (Least: 1), Words found (2) (Least: 2)" in said(at)
    assert {"Words found", "Words found (2)"} <= set(samples(at)[0])
    assert "Sample 2 of 2" in said(open_page("sample", run=run.id, sample="9"))


def test_a_sample_shows_every_metric_with_its_reason_or_its_failure(open_page):
    run = stored(EvaluatorSpec(name="trace"), EvaluatorSpec(name="answer_match"), WRITTEN)
    save(run, 1, 1, {"answer_match": None}, reason="Nothing to compare.")
    fail(run, f"Unreadable {HOSTILE}.", position=1, metric=2, details="HTTP 500")
    at = open_page("sample", run=run.id, sample="2")
    assert "Sample 2 of 2" in said(at)
    assert cards(at) == {"Answer match": "–"}
    assert "Not judged yet." in said(at, "info")
    assert "Nothing to compare." in said(at, "info")
    assert f"Unreadable {HOSTILE}." in said(at, "error")
    assert not [text for text in markdown(at) if HOSTILE in text]


def kept(name: str, *pairs: tuple[str, str | None]) -> Dataset:
    """An upload of responses with their ground truths, over one document."""
    facts = {"question": "When was it?", "retrieved_documents": ("It was in May.",)}
    samples = (
        Sample(id=f"s{n}", response=response, ground_truth=truth, **facts)
        for n, (response, truth) in enumerate(pairs)
    )
    return keep_upload(name, *samples)


def stored(*evaluators: EvaluatorSpec, models: tuple[ModelSpec, ...] = ()) -> Run:
    """A run of two samples without results."""
    data = kept("stored", ("In May.", "In May."), ("In June.", "In May."))
    return stored_run(
        session.store(), data, *evaluators, id="stored", title="Stored", models=models
    )


def save(
    run: Run,
    position: int,
    metric: int,
    values: dict[str, float | None],
    reason: str = "",
    model: int = 0,
) -> None:
    cell = {"position": position, "model": model, "metric": metric}
    save_score(session.store(), run.id, Score(values=values, reason=reason), **cell)


def metrics_form(open_page: OpenPage, data: str, *metrics: str) -> AppTest:
    at = open_page("metrics")
    if data:
        at.selectbox(key="metrics_dataset").set_value(data)
    return checked(at.multiselect(key="metrics_metrics").set_value(list(metrics)).run())


def trace_form(open_page: OpenPage, method: str, *metrics: str) -> AppTest:
    at = open_page("trace")
    at.selectbox(key="trace_dataset").set_value("two")
    checked(at.radio(key="trace_method").set_value(method).run())
    return checked(at.multiselect(key="trace_metrics").set_value(list(metrics)).run())
