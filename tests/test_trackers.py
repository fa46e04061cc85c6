"""Experiment trackers: what MLflow and Weights & Biases get, each where it is installed."""

import json
import os
import re
import subprocess
import sys

import pytest

from evaluators import (
    AdvancedRAGEvaluator,
    FakeLLM,
    Results,
    Sample,
    evaluate,
    log_run,
    mlflow_scorer,
)
from evaluators.config import ROOT
from evaluators.errors import AccessError, ParameterError
from evaluators.runs import examples
from evaluators.runs.inputs import local_store
from tests import judge

DOCUMENT = (ROOT / "docs" / "trackers.md").read_text(encoding="utf-8")
MLFLOW, WANDB = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
QUESTION, ANSWER = "How tall is it?", "It is 330 metres tall. It was built in a week."
DOCUMENTS = ["It is 330 metres tall."]
ROW = {
    "inputs": {"question": QUESTION, "retrieved_documents": DOCUMENTS},
    "outputs": ANSWER,
    "expectations": {"expected_response": "330 metres"},
}
# Libraries warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")


def three_outcomes(sample: Sample) -> float | None:
    """Judged where the answer says "yes", not applicable where it says nothing, else failed."""
    if not sample.response:
        return None
    if sample.response == "yes":
        return 1.0
    raise ValueError("a key stands here: gsk_1234567890")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A store of MLflow, which takes a while to be made."""
    return f"sqlite:///{tmp_path_factory.mktemp('mlflow') / 'mlflow.db'}"


@pytest.fixture
def mlflow(database, tmp_path, monkeypatch):
    """MLflow with that store, and its files in a folder of this test."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    library = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", database)
    library.set_tracking_uri(database)
    library.set_experiment(tmp_path.name)
    yield library
    library.end_run()


def ran(code, folder, **environment):
    """What the code prints, in a process of its own whose files lie in the folder."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PLUMBLINE_DATA_DIR": str(folder / "data"),
            **environment,
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("recipe", [MLFLOW, WANDB])
def test_a_recipe_has_at_most_15_lines(recipe):
    assert len(recipe.splitlines()) <= 15


def test_without_mlflow_it_is_said_how_to_install_it(data_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    results = evaluate([{"question": "?", "response": "yes"}], three_outcomes, progress=False)

    for call in (lambda: mlflow_scorer("trace"), lambda: log_run(results)):
        with pytest.raises(ParameterError, match=r'pip install "mlflow-skinny==[\d.]+"'):
            call()


# MLflow


def test_the_recipe_of_mlflow_runs(mlflow, tmp_path):
    printed = ran(MLFLOW, tmp_path, MLFLOW_DISABLE_TELEMETRY="true")

    assert printed.splitlines()[-2:] == ["0.0", "24.0"]


def test_a_scorer_gives_each_value_with_its_sentences(mlflow):
    feedback = mlflow_scorer("trace").run(**ROW)

    values = {one.name: one.value for one in feedback}
    [adherence] = [one for one in feedback if one.name == "adherence"]
    sentences = json.loads(adherence.metadata["sentences"])
    assert (values["adherence"], values["supported_share"]) == (0.0, 0.5)
    assert [(one["key"], one["support"]) for one in sentences] == [("a", "full"), ("b", "none")]
    assert sentences[0]["text"] == "It is 330 metres tall."
    assert adherence.rationale.startswith("a full: ")
    assert adherence.source.source_type == "CODE"
    assert adherence.metadata["labelled_by"] == "heuristic"


def test_a_judge_comes_with_its_metric(mlflow):
    metric = AdvancedRAGEvaluator(llm_client=FakeLLM(judge.labels_for))

    feedback = mlflow_scorer(metric).run(**ROW)

    assert {one.source.source_type for one in feedback} == {"LLM_JUDGE"}
    assert {one.name for one in feedback} >= {"adherence", "context_relevance"}
    with pytest.raises(AccessError, match="needs a judge"):
        mlflow_scorer("gpt_labeling")


def test_columns_of_other_names_are_named(mlflow):
    row = {"inputs": {"topic": QUESTION, "text": DOCUMENTS[0]}, "outputs": {"said": ANSWER}}
    columns = {"question": "topic", "retrieved_documents": "text", "response": "said"}

    feedback = mlflow_scorer("trace", columns=columns).run(**row)

    assert {one.name: one.value for one in feedback}["supported_share"] == 0.5


def test_documents_are_those_of_the_trace_where_no_column_has_them(mlflow):
    @mlflow.trace(span_type="RETRIEVER")
    def found(question):
        return [{"page_content": text, "metadata": {}} for text in DOCUMENTS]

    @mlflow.trace
    def ask(question):
        found(question)
        return ANSWER

    scored = mlflow.genai.evaluate(
        data=[{"inputs": {"question": QUESTION}}], predict_fn=ask, scorers=[mlflow_scorer("trace")]
    )

    assert scored.metrics["supported_share/mean"] == 0.5


def test_what_does_not_apply_and_what_failed_are_no_zeros_for_mlflow(mlflow):
    rows = [
        {"inputs": {"question": QUESTION}, "outputs": {"response": text}}
        for text in ("yes", "", "no")
    ]

    scored = mlflow.genai.evaluate(data=rows, scorers=[mlflow_scorer(three_outcomes)])

    table = scored.result_df
    assert scored.metrics == {"three_outcomes/mean": 1.0}
    assert sorted(table["three_outcomes/value"].dropna()) == [1.0]
    [error] = table["three_outcomes/error_message"].dropna()
    assert "1234567890" not in error


def test_a_run_is_logged_with_its_interval_coverage_and_files(mlflow, data_folder):
    rows = [
        {"id": str(n), "question": f"{n}?", "response": text, "ground_truth": "yes"}
        for n, text in enumerate(["yes"] * 3 + ["", "", "no"])
    ]
    results = evaluate(rows, [three_outcomes, "answer_match"], run="Six answers", progress=False)

    run = mlflow.get_run(log_run(results))

    metrics = run.data.metrics
    mean = results.summary()["three_outcomes"]
    assert run.info.run_name == "Six answers"
    assert metrics["three_outcomes"] == mean.mean == 1.0
    assert metrics["three_outcomes/low"] == mean.low
    counts = {name: metrics[f"three_outcomes/{name}"] for name in ("asked", "scored", "failed")}
    assert counts == {"asked": 6, "scored": 3, "failed": 1}
    assert metrics["three_outcomes/not_applicable"] == 2
    assert metrics["answer_match"] == 0.5
    assert run.data.params["plumbline/Data"] == "Data from Python, 6 samples"
    files = {file.path for file in mlflow.MlflowClient().list_artifacts(run.info.run_id)}
    assert files == {"answers.json", "report.html"}
    table = mlflow.load_table("answers.json", run_ids=[run.info.run_id])
    assert list(table["question"]) == [row["question"] for row in rows]


def test_a_mean_of_nothing_is_not_logged(mlflow, data_folder):
    rows = [{"question": "?", "response": "", "ground_truth": "yes"}]
    results = evaluate(rows, three_outcomes, progress=False)

    metrics = mlflow.get_run(log_run(results)).data.metrics

    assert metrics == {
        "three_outcomes/asked": 1,
        "three_outcomes/scored": 0,
        "three_outcomes/not_applicable": 1,
        "three_outcomes/failed": 0,
    }


def test_the_active_run_takes_it_and_stays_active(mlflow, data_folder):
    rows = [{"question": "?", "response": "yes", "ground_truth": "yes"}]
    results = evaluate(rows, "answer_match", progress=False)

    with mlflow.start_run() as run:
        assert log_run(results) == run.info.run_id
        assert mlflow.active_run() is not None


def test_models_are_told_apart_by_their_titles(mlflow, data_folder):
    store = local_store()
    results = Results(examples.find(store, examples.NOISE), store)

    metrics = mlflow.get_run(log_run(results)).data.metrics

    for number, title in enumerate(["Model A", "Model B"]):
        rate = results.summary(number)["noise_robustness"]
        assert metrics[f"{title}/noise_robustness"] == rate.mean


def test_a_name_has_only_what_mlflow_takes(mlflow, data_folder):
    def odd(sample):
        return {"a (%)": 1.0}

    results = evaluate([{"question": "?", "response": "yes"}], odd, progress=False)

    assert mlflow.get_run(log_run(results)).data.metrics["a _"] == 1.0


# Weights & Biases


def test_the_recipe_of_weights_and_biases_runs_offline(tmp_path):
    pytest.importorskip("wandb", reason="wandb is not installed")

    printed = ran(WANDB, tmp_path, WANDB_SILENT="true", WANDB_MODE="offline")

    assert printed.splitlines()[-1] == "24"
    assert list(tmp_path.glob("wandb/offline-run-*"))
