"""The form of a new TRACE run: a data set, a method, the judges of a method that asks some, further
metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator, GPTLabelingOutput
from evaluators.base import Evaluator
from evaluators.catalogue import catalogue
from evaluators.dry_run import answered
from evaluators.evaluation_pipeline import HybridEvaluator, threshold
from evaluators.llm import clients, prompt_sizes
from evaluators.llm.catalogue import model_title
from evaluators.llm.structured import schema
from evaluators.records import Dataset, ModelSpec, Sample
from evaluators.runs.engine import create_run
from evaluators.trace.labelling import sentences_of
from evaluators.trace.method import TRACEMethod
from ui import session
from ui.metrics import choice
from ui.models import form as model_form
from ui.models import generators as model_generators
from ui.models.generators import NOBODY, Generators
from ui.parts import data_choice, forms, problems
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


class Asked(NamedTuple):
    """The positions of the samples that the judges label, and hybrid's rule by which it finds them.

    Those of `to_come` have no response yet; how doubtful they are shows when a generator has
    answered.
    """

    positions: tuple[int, ...]
    doubt_from: float = 0.0
    to_come: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return len(self.positions) + len(self.to_come)


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    method = middle.selectbox("Method", list(METHODS), key="trace_method", **KEPT)
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
        _without_judges(dataset, generators)
    else:
        _with_judges(dataset, name, method, generators)


def _without_judges(dataset: Dataset, generators: Generators | None) -> None:
    params, plan = _params(dataset, "trace"), None
    further = _further(dataset)
    answering = generators or NOBODY
    st.caption(
        f"{counted(len(dataset.samples), 'sample')} will be "
        f"labelled{_of_each(len(answering.models))}."
    )
    with problems.caught():
        plan = choice.plan(further or [], dataset, "trace", answering)
    if (
        data_choice.start_button(
            START, dataset.name, is_ready=None not in (further, generators, plan)
        )
        and plan
    ):
        _start(dataset, "trace", params, further or [], prompt=answering.prompt, **plan._asdict())


def _with_judges(dataset: Dataset, name: str, method: str, generators: Generators | None) -> None:
    evaluator = METHODS[method]
    most_judges = catalogue()[evaluator].most_judges()
    judges = model_form.judges(model_form.choices(), most_judges, "trace_judges")
    choice.point_out_generators(judges, dataset)
    answering = generators or NOBODY
    is_by_budget = method == HYBRID and not answering.models
    most = _most_calls(dataset, name, len(judges)) if is_by_budget else None
    unasked = ("doubt_from",) if is_by_budget or method != HYBRID else ()
    params = _params(dataset, evaluator, unasked)
    further = _further(dataset)
    plan, ready = model_form.asking(answering.models, judges, "trace") if judges else None, False
    with problems.caught():
        asked = _asked(
            name, params, most, _prompt_budgets(plan), has_generator=bool(answering.models)
        )
        ready = _estimate(dataset, asked, params, plan, answering, further or [])
        params |= {"doubt_from": asked.doubt_from} if method == HYBRID else {}
    if not judges:
        st.caption("Choose a judge to start.")
    is_ready = ready and None not in (further, generators)
    if data_choice.start_button(START, name, is_ready=is_ready) and plan:
        _start(dataset, evaluator, params, further or [], prompt=answering.prompt, **plan._asdict())


def _params(dataset: Dataset, evaluator: str, unasked: Sequence[str] = ()) -> dict[str, Any]:
    """The parameters of a method; where the documents were retrieved here, says what they do not
    change.
    """
    params = forms.parameter_widgets(
        catalogue()[evaluator], "trace", (*unused(evaluator), *unasked)
    )
    if "retrieval" in dataset.origin:
        st.caption(
            "These settings cut documents for labelling. What was retrieved for each "
            "question stays as it is."
        )
    return params


def unused(evaluator: str) -> tuple[str, ...]:
    """The parameters that make no difference to this method."""
    cls = catalogue()[evaluator]
    return cls.unused if issubclass(cls, TRACEMethod) else ()


def _of_each(models: int) -> str:
    return f", as each of {models} models answers them" if models > 1 else ""


def _further(dataset: Dataset) -> list[Evaluator] | None:
    """The metrics that the run has beside the labels; `None` where one of them cannot run."""
    return choice.choose("Also measure", dataset, "trace")


def _most_calls(dataset: Dataset, name: str, judges: int) -> int | None:
    """How many calls the judges may take; None where they label all samples."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    which = left.segmented_control(
        "Which samples", [ALL, DOUBTFUL], default=DOUBTFUL, required=True, key="trace_which", **KEPT
    )
    if which == ALL:
        return None
    most: int = right.number_input(
        "At most (calls)",
        min_value=1,
        value=-(-len(dataset.samples) // ONE_IN) * max(1, judges),
        help="One for each sample and judge; more where a sample is too long for one call, or "
        "an answer is asked for "
        "again. Doubt goes from 0 to 1: how likely the heuristic's adherence of a sample is wrong.",
        key=f"trace_most_{name}_{judges}",
        **KEPT,
    )
    return most


# What it will take


def _estimate(
    dataset: Dataset,
    asked: Asked,
    params: dict[str, Any],
    plan: model_form.Plan | None,
    generators: Generators,
    further: Sequence[Evaluator],
) -> bool:
    """Says what will be labelled and what it takes; tells whether the run can start."""
    st.caption(_words(asked, len(generators.models)))
    if plan is None or not asked.total:
        return False
    with st.spinner("Measuring the prompts"):
        what = {
            judge: _labelling(session.identity(dataset.name), asked, plan, judge, params)
            for judge in plan.judges
        }
    first = plan.judges[0]
    what[first] = prompt_sizes.together(
        [what[first], choice.sent(dataset.name, further, first, plan)], first
    )
    _say_who_judges(further, plan)
    model_form.show_calls(plan, generators.sent(dataset.name, plan.models), what)
    return True


def _labelling(
    data: session.Identity,
    asked: Asked,
    plan: model_form.Plan,
    judge: ModelSpec,
    params: dict[str, Any],
) -> prompt_sizes.Sent:
    """What the judge will be sent about the responses that are there, and about those of each
    model.
    """
    known, unknown = (
        _sent(
            data,
            positions,
            judge,
            clients.prompt_budget(judge, session.keys()),
            params["chunk_size"],
            params["chunk_overlap"],
        )
        for positions in (asked.positions, asked.to_come)
    )
    return prompt_sizes.together(
        [*[known] * plan.repeats, prompt_sizes.to_come(unknown, len(plan.models))], judge
    )


def _say_who_judges(further: Sequence[Evaluator], plan: model_form.Plan) -> None:
    asking = [metric.title for metric in further if metric.most_judges()]
    if asking and len(plan.judges) > 1:
        st.caption(
            plain(
                f"{', '.join(asking)}: asked of the first judge alone, "
                f"{model_title(plan.judges[0])}."
            )
        )


def _prompt_budgets(plan: model_form.Plan | None) -> tuple[int | None, ...]:
    """What each judge takes at once."""
    return (
        tuple(clients.prompt_budget(judge, session.keys()) for judge in plan.judges) if plan else ()
    )


def _words(asked: Asked, models: int) -> str:
    count = counted(asked.total, "sample")
    rule = f"those with a doubt of {asked.doubt_from:.4g} or more"
    if not asked.doubt_from:
        return f"{count} will be labelled by each judge{_of_each(models)}."
    if not asked.total:
        remedy = "Ask for less doubt" if models else "Allow more"
        return (
            f"None will be judged: the most doubtful samples take more calls than that. {remedy}."
        )
    if not asked.to_come:
        return f"{count} will be judged: {rule}."
    return (
        f"At most {count} will be judged{_of_each(models)}: {rule}, which shows when they are "
        "answered."
    )


def _asked(
    name: str,
    params: dict[str, Any],
    most: int | None,
    prompt_budgets: tuple[int | None, ...],
    has_generator: bool,
) -> Asked:
    """By a budget of calls, by the doubt that is asked for where a generator is still to answer, or
    all of them.
    """
    there = tuple(position for position, _ in _judgeable(name))
    to_come = (
        tuple(sorted({*range(len(_samples(name)))}.difference(there))) if has_generator else ()
    )
    least = params.get("doubt_from", 0.0)
    if most is None and not least:
        return Asked(there, to_come=to_come)
    data = session.identity(name)
    doubts = _doubts(
        data, tuple((field, value) for field, value in params.items() if field != "doubt_from")
    )
    if most is not None:
        calls = _calls(data, prompt_budgets, params["chunk_size"], params["chunk_overlap"])
        least = threshold(list(doubts.values()), most, [calls[position] for position in doubts])
    doubtful = tuple(position for position, doubt in doubts.items() if doubt >= least)
    return Asked(doubtful, least, to_come if least <= 1 else ())


@lru_cache(maxsize=8)
def _doubts(data: session.Identity, params: tuple[tuple[str, Any], ...]) -> dict[int, float]:
    """How doubtful the heuristic is of each sample; remembered, as the form is drawn again at every
    click.
    """
    hybrid = HybridEvaluator.build(**dict(params))
    with st.spinner("Looking for doubtful samples"):
        return {position: hybrid.doubt(sample) for position, sample in _judgeable(data.name)}


@lru_cache(maxsize=8)
def _calls(
    data: session.Identity, prompt_budgets: tuple[int | None, ...], size: int, overlap: int
) -> dict[int, int]:
    """How many calls each sample takes: one for each judge and window; one while no judge is
    chosen.
    """
    evaluator = AdvancedRAGEvaluator.build(chunk_size=size, chunk_overlap=overlap)
    return {
        position: sum(
            len(evaluator.prompts(sentences_of(sample), sample.question, prompt_budget))
            for prompt_budget in prompt_budgets or [None]
        )
        for position, sample in _judgeable(data.name)
    }


@lru_cache(maxsize=16)
def _sent(
    data: session.Identity,
    positions: tuple[int, ...],
    judge: ModelSpec,
    prompt_budget: int | None,
    size: int,
    overlap: int,
) -> prompt_sizes.Sent:
    """What the judge will be sent about these samples."""
    evaluator, samples = (
        AdvancedRAGEvaluator.build(chunk_size=size, chunk_overlap=overlap),
        _samples(data.name),
    )
    texts = (
        prompt.text
        for sample in (answered(samples[position]) for position in positions)
        for prompt in evaluator.prompts(sentences_of(sample), sample.question, prompt_budget)
    )
    return prompt_sizes.sent(texts, [judge], schema_text=schema(GPTLabelingOutput))


def _judgeable(name: str) -> Iterator[tuple[int, Sample]]:
    """The samples by position, without those that have no response to label."""
    return (
        (position, sample)
        for position, sample in enumerate(_samples(name))
        if sample.response is not None
    )


def _samples(name: str) -> Sequence[Sample]:
    dataset = session.source(name)
    return dataset.samples if isinstance(dataset, Dataset) else ()


def _start(
    dataset: Dataset,
    evaluator: str,
    params: dict[str, Any],
    further: Sequence[Evaluator],
    **chosen: Any,
) -> None:
    """Creates the run with what was chosen for it, and goes to its page."""
    with problems.caught():
        metrics = [catalogue()[evaluator].build(**params), *further]
        chosen |= {"workspace": session.workspace(), "title": dataset.name}
        session.start(
            create_run(session.store(), dataset, [metric.spec() for metric in metrics], **chosen)
        )
