"""The two runs that need nothing: RGB with the offline reader, TRACE by the heuristic."""

from __future__ import annotations

from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.llm.catalogue import OFFLINE
from evaluators.prompts import load
from evaluators.records import Dataset, Run
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from evaluators.runs.store import Store
from evaluators.trace_evaluator import TRACEEvaluator


def rgb_plan() -> RunPlan:
    """All four abilities of the English sample bed, answered by the offline reader."""
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    data = compose(bed, bed.abilities)
    return RunPlan(
        data,
        [RGBEvaluator()],
        models=(OFFLINE,),
        prompt=load("rgb_en"),
        seed=0,
    )


def trace_plan() -> RunPlan:
    """The TRACE sample, labelled by the heuristic."""
    dataset = bundled()[TRACE_SAMPLES]
    assert isinstance(dataset, Dataset)
    return RunPlan(dataset, [TRACEEvaluator()])


def rgb(store: Store, workspace: str) -> Run:
    return create_run(store, rgb_plan(), workspace=workspace)


def trace(store: Store, workspace: str) -> Run:
    return create_run(store, trace_plan(), workspace=workspace)
