"""The form of a new TRACE run: a data set and a method."""

from __future__ import annotations

import streamlit as st

from evaluators.runs.engine import create_run
from evaluators.trace_evaluator import TRACEEvaluator
from evaluators.types import Dataset
from ui import forms, problems, session

HEURISTIC = "Heuristic (no LLM, an estimate)"
LATER = {
    "GPT labelling": "GPT labelling asks an LLM and needs a key; it arrives in a later version.",
    "Hybrid": "Hybrid asks an LLM for the doubtful samples and needs a key; it arrives in a later version.",
}


def show() -> None:
    """Draws the form; a click on Start begins the run and goes to it."""
    datasets = session.answered()
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    name = left.selectbox("Data set", list(datasets), key="trace_dataset")
    method = middle.selectbox("Method", [HEURISTIC, *LATER], key="trace_method")
    right.page_link("../pages/datasets.py", label="Upload a data set", icon=":material/upload_file:")
    if method in LATER:
        st.info(f"{LATER[method]} Choose the heuristic for now.", icon=":material/key:")
        return
    params = forms.parameter_widgets(TRACEEvaluator, "trace")
    st.caption(f"{len(datasets[name].samples):,} samples will be labelled." if name else "No data set yet.")
    if st.button("Start", type="primary", icon=":material/play_arrow:", disabled=name is None, key="trace_start"):
        _start(datasets[name], params)


def _start(dataset: Dataset, params: dict) -> None:
    with problems.told():
        spec = TRACEEvaluator.build(**params).spec()
        run = create_run(session.store(), dataset, spec, workspace=session.workspace(), title=dataset.name)
        session.start(run)
