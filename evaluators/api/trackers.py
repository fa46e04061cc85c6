"""MLflow: scores as its feedback, and a run as one of its runs. It is imported where it is used."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evaluators.api.results import Results
from evaluators.base import Evaluator
from evaluators.declared import checks_types
from evaluators.errors import IN_PYTHON, DatasetError, ParameterError
from evaluators.extras import install_line
from evaluators.records import Dataset, JudgeEvidence, LabelEvidence, Sample, Score
from evaluators.runs import inputs
from evaluators.runs.card import card_facts
from evaluators.runs.run_facts import titles
from evaluators.runs.scoring import checked_score, failure_reason, outcome_of

MOST_OF_A_PARAMETER = 500
"""Characters of a fact: old servers take no more."""
_NOT_IN_A_NAME = re.compile(r"[^\w\-./ ]+")


def _mlflow() -> Any:
    try:
        import mlflow
        import mlflow.genai
    except ImportError as error:
        raise ParameterError(
            f"MLflow is not installed. Install it: {install_line('mlflow')}"
        ) from error
    return mlflow


@checks_types("metric")
def mlflow_scorer(
    metric: inputs.Metric = "trace", *, columns: Mapping[str, str] | None = None
) -> Any:
    """A scorer for `mlflow.genai.evaluate(data, scorers=[...])`, with a feedback for each value.

    `metric` is a name, an evaluator, which brings its judge as `llm_client`, or a function of
    a sample. The sample is read from inputs, outputs and expectations, whose names are guessed as
    the columns of a file are, or named by `columns`; documents that stand in none of them come from
    the trace. A rationale and, where sentences were labelled, all of them as JSON in the metadata
    stand with each value. What does not apply gives no feedback, and what failed one with an error:
    neither is ever a 0 in a mean. Raises `ParameterError` without MLflow.
    """
    evaluator = metric if isinstance(metric, Evaluator) else inputs.evaluators(metric)[0]
    evaluator.check_ready()
    if evaluator.needs_judge:
        evaluator.jury()
    entities = _mlflow().entities
    kind = "LLM_JUDGE" if getattr(evaluator, "llm_client", None) else "CODE"
    source = entities.AssessmentSource(kind, f"plumbline/{evaluator.name}")

    def feedback(
        inputs: Any = None, outputs: Any = None, expectations: Any = None, trace: Any = None
    ) -> list[Any]:
        def score() -> Score:
            sample = _sample_of(inputs, outputs, expectations, trace, columns)
            return checked_score(evaluator, sample)

        outcome = outcome_of(score)
        as_feedback = partial(entities.Feedback, source=source)
        if outcome.score is None:
            assert outcome.error
            reason = failure_reason(outcome.error)
            error = entities.AssessmentError(reason.kind, reason.worded(IN_PYTHON))
            return [as_feedback(name=evaluator.name, error=error)]
        said = _said_of(outcome.score)
        judged = outcome.score.values.items()
        return [as_feedback(name=name, value=v, **said) for name, v in judged if v is not None]

    return _mlflow().genai.scorer(feedback, name=evaluator.name)


def _sample_of(
    inputs_: Any, outputs: Any, expectations: Any, trace: Any, columns: Mapping[str, str] | None
) -> Sample:
    row: dict[str, Any] = {}
    parts = {"question": inputs_, "ground_truth": expectations, "response": outputs}
    for name, part in parts.items():
        if part is not None:
            row |= part if isinstance(part, Mapping) else {name: part}
    sample = _first_sample([row], columns)
    if not sample.retrieved_documents and trace and trace.search_spans(span_type="RETRIEVER"):
        traced = _first_sample([json.loads(trace.to_json())], None)
        documents = traced.retrieved_documents
        sample = sample.model_copy(update={"retrieved_documents": documents})
    return sample


def _first_sample(rows: list[Any], columns: Mapping[str, str] | None) -> Sample:
    data = inputs.load_data(rows, columns=columns, on_remark=len)
    if not isinstance(data, Dataset):
        raise DatasetError("These are questions of a test bed, without an answer to judge.")
    return data.samples[0]


def _said_of(score: Score) -> dict[str, Any]:
    """The rationale of a score; of sentences what each is, once more as JSON."""
    evidence = score.evidence
    if not isinstance(evidence, LabelEvidence):
        said = evidence.reason if isinstance(evidence, JudgeEvidence) else ""
        return {"rationale": score.reason or said or None}
    labels = evidence.counted.labels
    texts = {own.key: own.text for own in evidence.sentences.response} if evidence.sentences else {}
    sentences = [
        {"text": texts.get(label.key, "")} | label.model_dump(mode="json")
        for label in labels.sentence_support
    ]
    lines = [f"{one['key']} {one['support']}: {one['explanation']}" for one in sentences]
    facts = {"labelled_by": evidence.counted.by, "sentences": json.dumps(sentences)}
    return {"rationale": "\n".join([score.reason, *lines]).strip(), "metadata": facts}


@checks_types()
def log_run(results: Results) -> str:
    """Logs a run to MLflow and returns the id it has there: the active one's, else of a new one.

    Parameters are the facts of its card. Each value is a metric, beside it its interval (`/low`,
    `/high`) and how many answers were `/asked`, `/scored`, `/not_applicable` and `/failed`: a mean
    of which nothing is known is not logged, and never 0. Artefacts are `answers.json`, a row for
    each answer, and `report.html`. Raises `ParameterError` without MLflow.
    """
    mlflow = _mlflow()
    with ExitStack() as stack:
        run = mlflow.active_run()
        run = run or stack.enter_context(mlflow.start_run(run_name=results.title))
        mlflow.log_params(_parameters(results))
        mlflow.log_metrics(_metrics(results))
        mlflow.log_table(results.to_pandas(), "answers.json")
        folder = stack.enter_context(TemporaryDirectory())
        mlflow.log_artifact(str(results.report(Path(folder, "report.html"))))
    return str(run.info.run_id)


def _parameters(results: Results) -> dict[str, str]:
    """The facts of the run's card; one without a label goes on with the one before."""
    facts: dict[str, str] = {}
    name = ""
    for label, text in card_facts(results.store, results.run, results.view):
        name = f"plumbline/{label}" if label else name
        told = f"{facts[name]}; {text}" if name in facts else text
        facts[name] = told[:MOST_OF_A_PARAMETER]
    return facts


def _metrics(results: Results) -> dict[str, float]:
    """Every number of the summaries that is known, of several models under their titles."""
    models = [f"{title}/" for title in titles(results.run)] if len(results.run.models) > 1 else [""]
    metrics: dict[str, float | None] = {}
    for number, model in enumerate(models):
        for name, mean in results.summary(number).items():
            known = _named(model + name)
            metrics[known] = mean.mean
            for fact in ("low", "high", "asked", "scored", "not_applicable", "failed"):
                metrics[f"{known}/{fact}"] = getattr(mean, fact)
    return {name: value for name, value in metrics.items() if value is not None}


def _named(name: str) -> str:
    """The name with the characters that MLflow takes."""
    return _NOT_IN_A_NAME.sub("_", name)[:200]
