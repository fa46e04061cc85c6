"""The form of a new run of metrics: a data set, metrics with their parameters, their judge."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Dataset
from evaluators.runs.plan import RunPlan
from ui import session
from ui.metrics import choice
from ui.models import generators as model_generators
from ui.models.generators import NOBODY, Generators
from ui.parts import data_choice, problems, starting

FIRST = "answer_match"
"""The metric that is chosen at first: it asks no judge."""


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    name = data_choice.choose_or_upload(
        "Data set", session.named(Dataset), "metrics_dataset", "Upload a data set"
    )
    if name is None:
        return
    dataset = session.dataset(name)
    metrics = choice.choose("Metrics", dataset, "metrics", [FIRST])
    if metrics == []:
        st.caption("Choose a metric to start.")
    generators: Generators | None = NOBODY
    if any("response" in metric.needed for metric in metrics or []):
        generators = model_generators.choose(dataset, "metrics")
    answering = generators or NOBODY
    plan = None
    with problems.caught():
        drafted = RunPlan(dataset, metrics or [], prompt=answering.prompt)
        plan = choice.with_judge(drafted, answering.models, "metrics")
    is_ready = bool(metrics) and generators is not None and plan is not None
    if data_choice.start_button("Start", "metrics_start", name, is_ready=is_ready) and plan:
        starting.start(plan, "metrics_start")
