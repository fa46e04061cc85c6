"""The form of a new TRACE run: a data set, a method with its judges, further metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from evaluators.base import Evaluator
from evaluators.catalogue import catalogue
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm.catalogue import model_title
from evaluators.records import Dataset
from evaluators.runs.forecast import doubt_within, doubtful
from evaluators.runs.plan import RunPlan
from evaluators.trace.method import TRACEMethod
from ui import session
from ui.metrics import choice
from ui.models import forecast as model_forecast
from ui.models import form as model_form
from ui.models import generators as model_generators
from ui.models.forecast import RememberedMeasures
from ui.models.generators import NOBODY, Generators
from ui.parts import data_choice, forms, problems, starting
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain
from ui.parts.words import counted

HEURISTIC, LABELLING, HYBRID = "Heuristic (no LLM, an estimate)", "GPT labelling", "Hybrid"
METHODS = {HEURISTIC: "trace", LABELLING: "gpt_labeling", HYBRID: "hybrid"}
MEANINGS = {
    HEURISTIC: "Labels are estimated from the words that question, documents and response share.",
    LABELLING: "Judges label the sentences of every sample, with one call each.",
    HYBRID: (
        "The heuristic labels every sample; judges label all of them again, or those it is "
        "least sure of."
    ),
}
START = "trace_start"
ALL, DOUBTFUL = "All samples", "The most doubtful"
ONE_IN = 5
"""The share of the samples that is judged at first."""


class ToLabel(NamedTuple):
    """How many samples the judges label, and the doubt from which on hybrid asks them.

    Of those `to_come` it shows when a generator has answered how doubtful they are.
    """

    there: int
    to_come: int = 0
    doubt_from: float = 0.0

    @property
    def total(self) -> int:
        return self.there + self.to_come


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    method = middle.selectbox(
        "Method",
        list(METHODS),
        key="trace_method",
        **KEPT,
    )
    right.page_link(
        "../pages/datasets.py", label="Upload a data set", icon=":material/upload_file:"
    )
    name = data_choice.choose(left, "Data set", session.named(Dataset), "trace_dataset")
    st.caption(MEANINGS[method])
    if name is None:
        return
    dataset = session.dataset(name)
    generators = model_generators.choose(dataset, "trace")
    if method == HEURISTIC:
        _form_without_judges(dataset, generators)
    else:
        _form_with_judges(dataset, method, generators)


def unused(evaluator: str) -> tuple[str, ...]:
    """The parameters that make no difference to this method."""
    cls = catalogue()[evaluator]
    return cls.unused if issubclass(cls, TRACEMethod) else ()


def _form_without_judges(dataset: Dataset, generators: Generators | None) -> None:
    params = _method_fields(dataset, METHODS[HEURISTIC])
    further = choice.choose("Also measure", dataset, "trace")
    answering = generators or NOBODY
    count = counted(len(dataset.samples), "sample")
    st.caption(f"{count} will be labelled{_as_each_answers(len(answering.models))}.")
    plan = None
    with problems.caught():
        heuristic = catalogue()[METHODS[HEURISTIC]].build(**params)
        drafted = RunPlan(dataset, [heuristic, *(further or [])], prompt=answering.prompt)
        plan = choice.with_judge(drafted, answering.models, "trace")
    is_ready = None not in (further, generators, plan)
    if data_choice.start_button("Start", START, dataset.name, is_ready=is_ready) and plan:
        starting.start(plan, START)


def _form_with_judges(dataset: Dataset, method: str, generators: Generators | None) -> None:
    cls = catalogue()[METHODS[method]]
    judges = model_form.judges(model_form.choices(), cls.most_judges(), "trace_judges")
    choice.point_out_generators(judges, dataset)
    answering = generators or NOBODY
    # How doubtful an answer to come will be nobody knows, so its calls cannot be limited.
    is_by_budget = method == HYBRID and not answering.models
    most_calls = _most_calls_field(dataset, len(judges)) if is_by_budget else None
    left_out = ("doubt_from",) if is_by_budget or method != HYBRID else ()
    params = _method_fields(dataset, METHODS[method], left_out)
    further = choice.choose("Also measure", dataset, "trace")
    drafted = RunPlan(dataset, further or [], prompt=answering.prompt)
    plan = model_form.asking(drafted, answering.models, judges, "trace") if judges else None
    is_ready = False
    with problems.caught():
        measures = RememberedMeasures(session.identity(dataset.name))
        labeller = cls.build(**params)
        if isinstance(labeller, HybridEvaluator) and most_calls is not None:
            least = doubt_within(plan or drafted, labeller, most_calls, session.keys(), measures)
            labeller = labeller.model_copy(update={"doubt_from": least})
        to_label = _samples_to_label(dataset, labeller, bool(answering.models), measures)
        st.caption(_sentence_about_labelling(to_label, len(answering.models)))
        if plan and to_label.total:
            plan = replace(plan, evaluators=[labeller, *plan.evaluators])
            _say_whom_metrics_ask(plan, further or [])
            model_forecast.show(plan, measures)
            is_ready = True
    if not judges:
        st.caption("Choose a judge to start.")
    is_ready = is_ready and None not in (further, generators)
    if data_choice.start_button("Start", START, dataset.name, is_ready=is_ready) and plan:
        starting.start(plan, START)


def _method_fields(
    dataset: Dataset,
    evaluator: str,
    left_out: Sequence[str] = (),
) -> dict[str, Any]:
    """The parameters of a method that make a difference to it."""
    cls = catalogue()[evaluator]
    without_field = (*unused(evaluator), *left_out)
    params = forms.parameter_widgets(cls, "trace", without_field)
    if "retrieval" in dataset.origin:
        st.caption(
            "These settings cut documents for labelling. What was retrieved for each "
            "question stays as it is."
        )
    return params


def _most_calls_field(dataset: Dataset, judges: int) -> int | None:
    """How many calls the judges may take; `None` where they label all samples."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    which = left.segmented_control(
        "Which samples",
        [ALL, DOUBTFUL],
        default=DOUBTFUL,
        required=True,
        key="trace_which",
        **KEPT,
    )
    if which == ALL:
        return None
    judged_at_first = -(-len(dataset.samples) // ONE_IN)
    most: int = right.number_input(
        "At most (calls)",
        min_value=1,
        value=judged_at_first * max(1, judges),
        help="One for each sample and judge; more where a sample is too long for one call, or "
        "an answer is asked for "
        "again. Doubt goes from 0 to 1: how likely the heuristic's adherence of a sample is wrong.",
        # The value at first hangs on both; under one key the first one would stay.
        key=f"trace_most_{dataset.name}_{judges}",
        **KEPT,
    )
    return most


def _samples_to_label(
    dataset: Dataset,
    labeller: Evaluator,
    has_generator: bool,
    measures: RememberedMeasures,
) -> ToLabel:
    plan = RunPlan(dataset, [labeller])
    there = sum(sample.response is not None for sample in dataset.samples)
    unanswered = len(dataset.samples) - there
    to_come = unanswered if has_generator else 0
    if not isinstance(labeller, HybridEvaluator) or not labeller.doubt_from:
        return ToLabel(there, to_come)
    if not labeller.needs_judge:
        return ToLabel(0, 0, labeller.doubt_from)
    doubted = doubtful(plan, labeller, measures) or ()
    return ToLabel(len(doubted), to_come, labeller.doubt_from)


def _sentence_about_labelling(to_label: ToLabel, models: int) -> str:
    count = counted(to_label.total, "sample")
    if not to_label.doubt_from:
        return f"{count} will be labelled by each judge{_as_each_answers(models)}."
    if not to_label.total:
        remedy = "Ask for less doubt" if models else "Allow more"
        return (
            f"None will be judged: the most doubtful samples take more calls than that. {remedy}."
        )
    rule = f"those with a doubt of {to_label.doubt_from:.4g} or more"
    if not to_label.to_come:
        return f"{count} will be judged: {rule}."
    return (
        f"At most {count} will be judged{_as_each_answers(models)}: {rule}, which shows when they "
        "are answered."
    )


def _as_each_answers(models: int) -> str:
    return f", as each of {models} models answers them" if models > 1 else ""


def _say_whom_metrics_ask(plan: RunPlan, further: Sequence[Evaluator]) -> None:
    """A jury labels, but a metric that takes one judge asks the first."""
    asking = [metric.title for metric in further if metric.most_judges() == 1]
    if asking and len(plan.judges) > 1:
        first = model_title(plan.judges[0])
        st.caption(plain(f"{', '.join(asking)}: asked of the first judge alone, {first}."))
