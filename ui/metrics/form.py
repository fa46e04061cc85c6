"""The form of a new run of metrics: what is measured, by which metrics, and how many samples."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evaluators.base import Evaluator
from evaluators.datasets.sampling import sampled
from evaluators.llm.catalogue import Choice
from evaluators.records import Dataset
from evaluators.runs.plan import RunPlan
from ui import session
from ui.metrics import choice
from ui.models import again
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models import generators as model_generators
from ui.models.forecast import RememberedMeasures
from ui.models.generators import NOBODY, Generators
from ui.parts import data_choice, how_many, problems, starting
from ui.parts.words import counted

FIRST = "answer_match"
"""The metric that is chosen at first: it asks no judge."""
START = "metrics_start"


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    again.fill(None)
    name = data_choice.choose_or_upload(
        "Data set", session.named(Dataset), data_choice.FIELDS[None], "Upload a data set"
    )
    if name is None:
        return
    whole = session.dataset(name)
    asked, number, end = (st.container() for _ in range(3))
    advanced = st.expander("Advanced", icon=":material/tune:", key="metrics_advanced")
    left, right = number.columns([3, 2], vertical_alignment="bottom")
    dataset, measures = _sample_fields(whole, left, advanced)
    with advanced:
        model_form.show_retired()
    with asked:
        metrics, judges, generators = _metric_fields(whole, dataset, advanced)
    answering = generators or NOBODY
    chosen = [*answering.models, *judges]
    with advanced:
        options = model_form.answer_options(answering.models, judges, "metrics")
    with right:
        cap = model_form.budget(chosen, "metrics")
    drafted = RunPlan(
        dataset,
        metrics or [],
        prompt=answering.prompt,
        seed=dataset.origin.get("seed"),
    )
    plan = model_form.with_llms(drafted, answering.models, judges, options, cap)
    missing = _still_missing(metrics, judges)
    with end:
        price = ""
        if missing:
            st.caption(missing)
        elif plan and metrics:
            price = _price(plan, measures, advanced)
        is_whole = bool(metrics and plan and generators is not None and not missing)
        is_ready = is_whole and model_form.can_be_asked(*chosen)
        what = f"Measure {counted(len(dataset.samples), 'sample')}"
        pressed = data_choice.start_button(what, START, name, is_ready=is_ready, price=price)
        if pressed and plan:
            starting.start(plan, START)


def _sample_fields(
    whole: Dataset, place: DeltaGenerator, advanced: DeltaGenerator
) -> tuple[Dataset, RememberedMeasures]:
    """The samples to measure, and what is remembered of how much text they hold."""
    with place:
        count = how_many.choose(len(whole.samples), "metrics_count")
    with advanced:
        seed = how_many.seed("metrics_seed", "Which samples are taken at random.")
    measures = RememberedMeasures((session.identity(whole.name), count, seed))
    return sampled(whole, count, seed), measures


def _metric_fields(
    whole: Dataset, dataset: Dataset, advanced: DeltaGenerator
) -> tuple[list[Evaluator] | None, list[Choice], Generators | None]:
    """The metrics, the judge they ask, and who answers where a metric reads answers.

    `None` stands for what cannot be used as it is filled in.
    """
    metrics = choice.choose("Metrics", whole, "metrics", [FIRST], advanced)
    judges = choice.judge_of(metrics or [], "metrics")
    generators: Generators | None = NOBODY
    if any("response" in metric.needed for metric in metrics or []):
        generators = model_generators.choose(dataset, "metrics")
    answering = generators or NOBODY
    choice.point_out_generators(judges, answering.models, dataset)
    return metrics, judges, generators


def _still_missing(metrics: Sequence[Evaluator] | None, judges: Sequence[Choice]) -> str:
    """What to choose before a run can start; empty where that is not what is missing."""
    if metrics is None:
        return ""
    if not metrics:
        return "Choose a metric to start."
    needs_judge = any(metric.needs_judge for metric in metrics)
    return "Choose a judge to start." if needs_judge and not judges else ""


def _price(plan: RunPlan, measures: RememberedMeasures, advanced: DeltaGenerator) -> str:
    """What the run may cost, with what differs from the run it began with; empty if not known."""
    price = ""
    with problems.caught():
        price = model_forecast.show(plan, measures, advanced)
    dataset = plan.dataset
    again.show_changes(None, plan, dataset.name, dataset.origin.get("sample"))
    return price
