"""The form of a new TRACE run: a data set, a method, the judges of a method that asks some, further metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from evaluators.advanced_rag_evaluator import AdvancedRAGEvaluator, GPTLabelingOutput
from evaluators.base import Evaluator, catalogue
from evaluators.evaluation_pipeline import HybridEvaluator, threshold
from evaluators.labelling import sentences_of
from evaluators.llm import clients, sending
from evaluators.llm.catalogue import title as model_title
from evaluators.llm.structured import schema
from evaluators.runs.engine import create_run
from evaluators.types import Dataset, ModelSpec, Sample
from ui import forms, metric_choice, model_form, problems, session
from ui.model_form import KEPT
from ui.untrusted import plain
from ui.words import counted

HEURISTIC, LABELLING, HYBRID = "Heuristic (no LLM, an estimate)", "GPT labelling", "Hybrid"
METHODS = {HEURISTIC: "trace", LABELLING: "gpt_labeling", HYBRID: "hybrid"}
MEANINGS = {
    HEURISTIC: "Labels are estimated from the words that question, documents and response share.",
    LABELLING: "Judges label the sentences of every sample, with one call each.",
    HYBRID: "The heuristic labels every sample; judges label all of them again, or those it is least sure of.",
}
UNUSED = {"gpt_labeling": ("chunking_strategy", "embedding_model")}
"""Parameters that a method takes, but makes no use of."""

ALL, DOUBTFUL = "All samples", "The most doubtful"
ONE_IN = 5
"""The share of the samples that is judged at first."""

Identity = tuple[str, str, str]


class Asked(NamedTuple):
    """The positions of the samples that the judges label, and hybrid's rule by which it finds them."""

    positions: tuple[int, ...]
    doubt_from: float = 0.0


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    datasets = session.answered()
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    name = left.selectbox("Data set", list(datasets), key="trace_dataset", **KEPT)
    method = middle.selectbox("Method", list(METHODS), key="trace_method", **KEPT)
    right.page_link("../pages/datasets.py", label="Upload a data set", icon=":material/upload_file:")
    st.caption(MEANINGS[method])
    if name is None:
        st.caption("No data set yet.")
    elif method == HEURISTIC:
        _without_judges(datasets[name])
    else:
        _with_judges(datasets[name], name, method)


def _without_judges(dataset: Dataset) -> None:
    params, plan = forms.parameter_widgets(catalogue()["trace"], "trace"), None
    further = _further(dataset)
    st.caption(f"{counted(len(dataset.samples), 'sample')} will be labelled.")
    with problems.told():
        plan = metric_choice.plan(further or [], dataset, "trace")
    if _start_button(ready=further is not None and plan is not None) and plan:
        _start(dataset, "trace", params, further or [], **plan._asdict())


def _with_judges(dataset: Dataset, name: str, method: str) -> None:
    evaluator, judges = METHODS[method], model_form.judges(model_form.choices(), "trace_judges")
    metric_choice.point_out_generators(judges, dataset)
    most = _most_calls(dataset, name, len(judges)) if method == HYBRID else None
    params = forms.parameter_widgets(catalogue()[evaluator], "trace", (*UNUSED.get(evaluator, ()), "doubt_from"))
    further = _further(dataset)
    plan, ready = model_form.judging(judges, "trace"), False
    with problems.told():
        asked = _asked(name, params, most, _rooms(plan))
        ready = _estimate(name, asked, params, plan, most, further or [])
        params |= {"doubt_from": asked.doubt_from} if method == HYBRID else {}
    if _start_button(ready and further is not None) and plan:
        _start(dataset, evaluator, params, further or [], **plan._asdict())


def _further(dataset: Dataset) -> list[Evaluator] | None:
    """The metrics that the run has beside the labels; `None` where one of them cannot run."""
    return metric_choice.choose("Also measure", dataset, "trace")


def _start_button(ready: bool) -> bool:
    return st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not ready, key="trace_start")


def _most_calls(dataset: Dataset, name: str, judges: int) -> int | None:
    """How many calls the judges may take; None where they label all samples."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    which = left.segmented_control(
        "Which samples", [ALL, DOUBTFUL], default=DOUBTFUL, required=True, key="trace_which", **KEPT
    )
    if which == ALL:
        return None
    return right.number_input(
        "At most (calls)",
        min_value=1,
        value=-(-len(dataset.samples) // ONE_IN) * max(1, judges),
        help="One for each sample and judge; more where a sample is too long for one call, or an answer is asked for "
        "again. Doubt goes from 0 to 1: how likely the heuristic's adherence of a sample is wrong.",
        key=f"trace_most_{name}_{judges}",
        **KEPT,
    )


# What it will take


def _estimate(
    name: str,
    asked: Asked,
    params: dict[str, Any],
    plan: model_form.Plan | None,
    most: int | None,
    further: Sequence[Evaluator],
) -> bool:
    """Says what will be labelled and what it takes; tells whether the run can start."""
    st.caption(_words(asked, most))
    if plan is None or not asked.positions:
        return False
    size, overlap = params["chunk_size"], params["chunk_overlap"]
    with st.spinner("Measuring the prompts"):
        what = {
            judge: _sent(session.identity(name), asked.positions, judge, room, size, overlap)
            for judge, room in zip(plan.judges, _rooms(plan), strict=True)
        }
    first = plan.judges[0]
    what[first] = sending.together([what[first], metric_choice.sent(name, further, first)], first)
    _say_who_judges(further, plan)
    model_form.show_judging(plan, what)
    return True


def _say_who_judges(further: Sequence[Evaluator], plan: model_form.Plan) -> None:
    asking = [metric.title for metric in further if metric_choice.asks_a_judge(metric)]
    if asking and len(plan.judges) > 1:
        st.caption(plain(f"{', '.join(asking)}: asked of the first judge alone, {model_title(plan.judges[0])}."))


def _rooms(plan: model_form.Plan | None) -> tuple[int | None, ...]:
    """What each judge takes at once."""
    return tuple(clients.room(judge, session.keys()) for judge in plan.judges) if plan else ()


def _words(asked: Asked, most: int | None) -> str:
    count = counted(len(asked.positions), "sample")
    if most is None:
        return f"{count} will be labelled by each judge."
    if not asked.positions:
        return "None will be judged: the most doubtful samples take more calls than that. Allow more."
    return f"{count} will be judged: those with a doubt of {asked.doubt_from:.4g} or more."


def _asked(name: str, params: dict[str, Any], most: int | None, rooms: tuple[int | None, ...]) -> Asked:
    if most is None:
        return Asked(tuple(position for position, _ in _judgeable(name)))
    data = session.identity(name)
    doubts = _doubts(data, tuple(params.items()))
    calls = _calls(data, rooms, params["chunk_size"], params["chunk_overlap"])
    least = threshold(list(doubts.values()), most, [calls[position] for position in doubts])
    return Asked(tuple(position for position, doubt in doubts.items() if doubt >= least), least)


@lru_cache(maxsize=8)
def _doubts(data: Identity, params: tuple[tuple[str, Any], ...]) -> dict[int, float]:
    """How doubtful the heuristic is of each sample; remembered, as the form is drawn again at every click."""
    hybrid = HybridEvaluator.build(**dict(params))
    with st.spinner("Looking for doubtful samples"):
        return {position: hybrid.doubt(sample) for position, sample in _judgeable(data[1])}


@lru_cache(maxsize=8)
def _calls(data: Identity, rooms: tuple[int | None, ...], size: int, overlap: int) -> dict[int, int]:
    """How many calls each sample takes: one for each judge and window; one while no judge is chosen."""
    evaluator = AdvancedRAGEvaluator.build(chunk_size=size, chunk_overlap=overlap)
    return {
        position: sum(len(evaluator.prompts(sentences_of(sample), sample.question, room)) for room in rooms or [None])
        for position, sample in _judgeable(data[1])
    }


@lru_cache(maxsize=16)
def _sent(
    data: Identity, positions: tuple[int, ...], judge: ModelSpec, room: int | None, size: int, overlap: int
) -> sending.Sent:
    """What the judge will be sent about these samples."""
    evaluator = AdvancedRAGEvaluator.build(chunk_size=size, chunk_overlap=overlap)
    samples = dict(_judgeable(data[1]))
    texts = (
        prompt.text
        for position in positions
        for prompt in evaluator.prompts(sentences_of(samples[position]), samples[position].question, room)
    )
    return sending.sent(texts, [judge], schema_text=schema(GPTLabelingOutput))


def _judgeable(name: str) -> Iterator[tuple[int, Sample]]:
    """The samples by position, without those that have no response to label."""
    dataset = session.source(name)
    if isinstance(dataset, Dataset):
        for position, sample in enumerate(dataset.samples):
            if sample.response is not None:
                yield position, sample


def _start(
    dataset: Dataset, evaluator: str, params: dict[str, Any], further: Sequence[Evaluator], **chosen: Any
) -> None:
    """Creates the run with what was chosen for it, and goes to its page."""
    with problems.told():
        metrics = [catalogue()[evaluator].build(**params), *further]
        chosen |= {"workspace": session.workspace(), "title": dataset.name}
        session.start(create_run(session.store(), dataset, [metric.spec() for metric in metrics], **chosen))
