"""The form of a new run of one metric or several: a data set, the metrics with their parameters,
their judge.
"""

from __future__ import annotations

import streamlit as st

from evaluators.base import Evaluator
from evaluators.records import Dataset
from evaluators.runs.engine import create_run
from ui import session
from ui.metrics import choice
from ui.models import form as model_form
from ui.models import generators as model_generators
from ui.models.generators import NOBODY, Generators
from ui.parts import data_choice, problems

FIRST = "answer_match"
"""The metric that is chosen at first: it asks no judge."""


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    right.page_link(
        "../pages/datasets.py", label="Upload a data set", icon=":material/upload_file:"
    )
    name = data_choice.choose(left, "Data set", session.named(Dataset), "metrics_dataset")
    if name is None:
        return
    dataset, plan = session.dataset(name), None
    metrics = choice.choose("Metrics", dataset, "metrics", [FIRST])
    if metrics == []:
        st.caption("Choose a metric to start.")
    generators = _generators(dataset, metrics or [])
    with problems.caught():
        plan = choice.plan(metrics or [], dataset, "metrics", generators or NOBODY)
    ready = bool(metrics) and generators is not None and plan is not None
    is_started = data_choice.start_button("metrics_start", name, is_ready=ready)
    if is_started and metrics and generators and plan:
        _start(dataset, metrics, plan, generators.prompt)


def _generators(dataset: Dataset, metrics: list[Evaluator]) -> Generators | None:
    """Who answers; nobody where none of the metrics looks at a response."""
    is_read = any("response" in metric.needed for metric in metrics)
    return model_generators.choose(dataset, "metrics") if is_read else NOBODY


def _start(dataset: Dataset, metrics: list[Evaluator], plan: model_form.Plan, prompt: str) -> None:
    """Creates the run with what was chosen for it, and goes to its page."""
    with problems.caught():
        specs = [metric.spec() for metric in metrics]
        chosen = {
            "workspace": session.workspace(),
            "title": dataset.name,
            "prompt": prompt,
            **plan._asdict(),
        }
        session.start(create_run(session.store(), dataset, specs, **chosen))
