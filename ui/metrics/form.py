"""The form of a new run of metrics: what is measured, by which metrics, and how many samples."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets.sampling import sampled
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
from ui.parts.untrusted import plain
from ui.parts.words import counted

FIRST = "answer_match"
"""The metric that is chosen at first: it asks no judge."""
START = "metrics_start"


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    again.fill(None)
    name = data_choice.choose_or_upload(
        "Data set", session.named(Dataset), "metrics_dataset", "Upload a data set"
    )
    if name is None:
        return
    whole = session.dataset(name)
    asked, number, end = (st.container() for _ in range(3))
    advanced = st.expander("Advanced", icon=":material/tune:", key="metrics_advanced")
    with number:
        left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        count = how_many.choose(len(whole.samples), "metrics_count")
    with advanced:
        seed = how_many.seed("metrics_seed", "Which samples are taken at random.")
        model_form.show_retired()
    dataset = sampled(whole, count, seed)
    generators: Generators | None = NOBODY
    with asked:
        metrics = choice.choose("Metrics", whole, "metrics", [FIRST], advanced)
        judges = choice.judge_of(metrics or [], "metrics")
        if any("response" in metric.needed for metric in metrics or []):
            generators = model_generators.choose(dataset, "metrics")
        answering = generators or NOBODY
        choice.point_out_generators(judges, answering.models, dataset)
    chosen = [*answering.models, *judges]
    with advanced:
        options = model_form.answer_options(answering.models, judges, "metrics")
    with right:
        cap = model_form.budget(chosen, "metrics")
    drafted = RunPlan(
        dataset, metrics or [], prompt=answering.prompt, seed=dataset.origin.get("seed")
    )
    plan = model_form.with_llms(drafted, answering.models, judges, options, cap)
    lacks_judge = not judges and any(metric.needs_judge for metric in metrics or [])
    price = ""
    with end:
        if plan and metrics and not lacks_judge:
            with problems.caught():
                measures = RememberedMeasures((session.identity(name), count, seed))
                price = model_forecast.show(plan, measures, advanced)
            again.show_changes(None, plan, name, count)
        elif lacks_judge:
            st.caption("Choose a judge to start.")
        elif metrics == []:
            st.caption("Choose a metric to start.")
        is_ready = bool(metrics and plan and generators is not None and not lacks_judge)
        what = f"Measure {counted(len(dataset.samples), 'sample')}"
        label = plain(f"{what}, {price}" if price else what)
        is_ready = is_ready and model_form.can_be_asked(*chosen)
        if data_choice.start_button(label, START, name, is_ready=is_ready) and plan:
            starting.start(plan, START)
