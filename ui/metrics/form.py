"""The form of a new run of metrics: what is measured, by which metrics, and how many samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.base import Evaluator
from evaluators.datasets.sampling import sampled
from evaluators.llm.catalogue import Choice
from evaluators.records import Dataset, Run
from evaluators.runs.plan import RunPlan
from evaluators.text.language import say
from evaluators.text.words import counted
from ui import session
from ui.metrics import choice
from ui.models import again
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models import generators as model_generators
from ui.models.forecast import RememberedMeasures
from ui.models.generators import NOBODY, Generators
from ui.parts import data_choice, forms, how_many, problems, rows_needed, starting

FIRST = "answer_match"
"""The metric that is chosen at first: it asks no judge."""
START = "metrics_start"


class MetricsDraft(NamedTuple):
    """What is chosen so far: samples, metrics, and who answers and judges.

    `metrics` is `None` where they cannot be used as they are filled in, `plan` where a model or the
    budget will not do.
    """

    dataset: Dataset
    measures: RememberedMeasures
    metrics: list[Evaluator] | None
    judges: list[Choice]
    generators: Generators
    plan: RunPlan | None


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    again.fill(None, _fields)
    name = data_choice.choose_or_upload(
        say("Data set"), session.named(Dataset), data_choice.FIELDS[None], say("Upload a data set")
    )
    if name is None:
        return
    whole = session.dataset(name)
    # As they stand on the page; what decides about others is filled first.
    asked, number, end = (st.container() for _ in range(3))
    advanced = st.expander(say("Advanced"), icon=":material/tune:", key="metrics_advanced")
    left, right = number.columns([3, 2], vertical_alignment="bottom")
    dataset, measures = _sample_fields(whole, left, advanced)
    with number:
        rows_needed.show(whole.name, "metrics")
    with advanced:
        model_form.show_retired()
    with asked:
        metrics, judges, generators = _metric_fields(whole, dataset, advanced)
    chosen = [*generators.models, *judges]
    with advanced:
        options = model_form.answer_options(generators.models, judges, "metrics")
        further_options = forms.option_widgets("metrics")
    with right:
        cap = model_form.budget(chosen, "metrics")
    measuring = RunPlan(
        dataset,
        metrics or [],
        prompt=generators.prompt,
        seed=dataset.origin.get("seed"),
        options=further_options,
    )
    plan = model_form.with_llms(measuring, generators.models, judges, options, cap)
    drafted = MetricsDraft(dataset, measures, metrics, judges, generators, plan)
    with end:
        _end_of_metrics_form(drafted, advanced)


def _fields(run: Run, judges: list[str] | None) -> dict[str, Any]:
    """The values of the fields of number and judge for the settings of a run."""
    fields = how_many.fields(run.origin.get("sample"), "metrics_count")
    if judges is not None:
        fields["metrics_metric_judge"] = next(iter(judges), None)
    return fields


def _end_of_metrics_form(drafted: MetricsDraft, advanced: DeltaGenerator) -> None:
    """What it takes, and the button that says what it starts."""
    dataset = drafted.dataset
    plan = drafted.plan
    missing = _missing_to_measure(drafted)
    price = ""
    if plan and not missing:
        plan, price = _priced(plan, drafted.measures, advanced)
    chosen = [*drafted.generators.models, *drafted.judges]
    pressed = data_choice.start_button(
        _label_of_measuring(len(dataset.samples)) + model_form.times(plan),
        START,
        dataset.name,
        is_ready=bool(plan) and model_form.can_be_asked(*chosen),
        price=price,
        missing=missing,
    )
    if pressed and plan:
        starting.start(plan, START)


def _sample_fields(
    whole: Dataset,
    place: DeltaGenerator,
    advanced: DeltaGenerator,
) -> tuple[Dataset, RememberedMeasures]:
    """The samples to measure, and what is remembered of how much text they hold."""
    with place:
        count = how_many.choose(len(whole.samples), "metrics_count")
    with advanced:
        seed = how_many.seed("metrics_seed", say("Which samples are taken at random."))
    measures = RememberedMeasures((session.identity(whole.name), count, seed))
    return sampled(whole, count, seed), measures


def _metric_fields(
    whole: Dataset,
    dataset: Dataset,
    advanced: DeltaGenerator,
) -> tuple[list[Evaluator] | None, list[Choice], Generators]:
    """The metrics, the judge they ask, and who answers where a metric reads answers.

    `None` stands for metrics that cannot be used as they are filled in.
    """
    # First: they say whether a judge, or answers, are needed at all.
    metrics = choice.choose_metrics(say("Metrics"), whole, "metrics", [FIRST], advanced)
    judges = choice.judge_of(metrics or [], "metrics")
    generators = NOBODY
    if any("response" in metric.needed for metric in metrics or []):
        generators = model_generators.choose(dataset, "metrics")
    choice.point_out_generators(judges, generators.models, dataset)
    return metrics, judges, generators


def _label_of_measuring(count: int) -> str:
    return say("Measure {samples}", samples=counted(count, "sample"))


def _missing_to_measure(drafted: MetricsDraft) -> str:
    """What to do before a run can start; empty where nothing is missing."""
    metrics = drafted.metrics
    if metrics is None:
        return say("Correct the metrics")
    if not metrics:
        return say("Choose a metric")
    if not drafted.judges and any(metric.needs_judge for metric in metrics):
        return say("Choose a judge")
    return drafted.generators.missing


def _priced(
    plan: RunPlan,
    measures: RememberedMeasures,
    advanced: DeltaGenerator,
) -> tuple[RunPlan, str]:
    """The plan with when its models answer, and what it may cost; empty where that is not known.

    Draws what differs from the run it began with.
    """
    price = ""
    with problems.caught():
        plan, price = model_forecast.show(plan, measures, advanced, "metrics")
    dataset = plan.dataset
    again.show_changes(None, plan, dataset.name, dataset.origin)
    return plan, price
