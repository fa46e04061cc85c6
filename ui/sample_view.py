"""One sample under the lamp: what was asked, what was answered, what was judged and why."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from evaluators.base import from_spec
from evaluators.llm import catalogue
from evaluators.prompts import fill
from evaluators.rgb_evaluator import BY_WORDS, RGBEvaluator, Verdict, stored_verdicts
from evaluators.types import Ability, Cell, Run, Sample, SampleResult, Score
from ui import highlight, labels_view, run_models, session, spending, tables
from ui.dataset_view import accepted
from ui.untrusted import plain


def chosen() -> tuple[Run | None, Cell]:
    """The run and its cell in the address, else those shown last; the way back leads to addresses without a sample."""
    address, last = st.query_params, st.session_state.get("sample_address", {})
    if "run" not in address or ("sample" not in address and address["run"] == last.get("run")):
        address = last
    return session.run(address.get("run")), Cell(_number(address.get("sample")), _number(address.get("model")))


def steps(run: Run, cell: Cell) -> Cell:
    """Buttons to the neighbours and to the other models' answers; returns what to show and keeps it in the address."""
    names = run_models.titles(run)
    asked = session.store().counts(run).asked // max(1, len(names))
    position, model = min(cell.position, asked - 1), min(cell.model, max(0, len(names) - 1))
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Back to the run", icon=":material/arrow_back:"):
            session.open_run(run)
        if st.button("Previous", icon=":material/chevron_left:", disabled=position == 0):
            position -= 1
        if st.button("Next", icon=":material/chevron_right:", icon_position="right", disabled=position == asked - 1):
            position += 1
        st.caption(f"Sample {position + 1:,} of {asked:,} · {plain(run.title)}")
    if len(names) > 1:
        _switch(run, names, model)
    address = session.address(run=run.id, sample=str(position + 1), model=str(model + 1))
    st.query_params.update(address)
    st.session_state["sample_address"] = address
    return Cell(position, model)


def show(run: Run, cell: Cell) -> None:
    """The sample with its result, by the kind of evaluator."""
    sample = session.store().sample(run.fingerprint, cell.position)
    result = session.store().result(run.id, *cell)
    st.subheader("Question")
    st.text(sample.question)
    if result is None:
        st.info("Not judged yet. Resume the run to judge it.", icon=":material/hourglass_empty:")
    else:
        _outcome(result)
        if result.response is not None:
            sample = sample.model_copy(update={"response": result.response})
    if run.evaluator.name == "rgb":
        _rgb(run, sample, result)
    elif run.evaluator.name in session.TRACE:
        labels_view.show(run, cell, sample, result.score if result else None)
    else:
        _plain(sample, result.score if result else None)


def _number(text: str | None) -> int:
    """A number in the address, counted from 0; the first for anything else."""
    return int(text[:9]) - 1 if text and re.fullmatch("[1-9][0-9]*", text) else 0


def _switch(run: Run, names: list[str], model: int) -> None:
    key = f"answer_{run.id}"
    st.session_state[key] = names[model]

    def change() -> None:
        st.query_params["model"] = str(names.index(st.session_state[key]) + 1)

    st.segmented_control("Answer by", names, format_func=plain, required=True, key=key, on_change=change)


def _outcome(result: SampleResult) -> None:
    """What it cost, and why it failed where it did."""
    if result.score is None:
        st.error(plain(result.error), icon=":material/error:", title="This sample failed")
    if result.details:
        with st.expander("Details", icon=":material/terminal:"):
            st.code(result.details, language=None, wrap_lines=True)
    spending.of_sample(result)


def _rgb(run: Run, sample: Sample, result: SampleResult | None) -> None:
    evaluator = from_spec(run.evaluator)
    assert isinstance(evaluator, RGBEvaluator)
    task = sample.rgb
    if task:
        effective = "" if task.effective_noise is None else f" · effective noise {100 * task.effective_noise:.0f} %"
        is_level = task.noise is not None and task.ability is not Ability.COUNTERFACTUAL  # which has no noise levels
        noise = f" · noise {100 * task.noise:.0f} %" if is_level else ""
        st.caption(f"{task.ability.label}{noise}{effective} · policy {evaluator.policy}")
    verdicts = stored_verdicts(result.score) if result and result.score else {}
    evidence = [word for verdict in verdicts.values() for word in verdict.evidence]
    whole = any(verdict.rule == BY_WORDS for verdict in verdicts.values())
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Answer")
        if sample.response is None:
            st.caption("There is no answer.")
        else:
            st.html(highlight.words(sample.response, evidence, whole=whole))
        _expected(sample)
        if result and result.score:
            _verdicts(run, verdicts, result.score)
    with right:
        st.subheader("Documents")
        st.html(highlight.passages(sample.retrieved_documents, evidence, whole=whole))
    if verdicts:
        _rules(evaluator, sample)
    if run.prompt:
        with st.expander("Prompt", icon=":material/edit_note:"):
            prompt = fill(run.prompt, sample.question, sample.retrieved_documents)
            st.code(prompt.text, language=None, wrap_lines=True)


def _expected(sample: Sample) -> None:
    if sample.ground_truth is not None:
        st.text(f"Accepted: {accepted(sample.ground_truth)}")
    if sample.rgb and sample.rgb.counterfactual is not None:
        st.text(f"Planted error: {accepted(sample.rgb.counterfactual)}")


def _verdicts(run: Run, verdicts: Mapping[str, Verdict], score: Score) -> None:
    """What the rules decided, and beside it what a judge said."""
    judged = score.details.get("judge", {})
    for name, verdict in verdicts.items():
        _verdict(name, verdict.passed, verdict.rule)
        if name in judged:
            _verdict(name, judged[name]["passed"], f"judge {catalogue.title(run.judge)}" if run.judge else "judge")
            st.text(judged[name]["words"])
    if score.reason:
        st.caption(plain(score.reason))


def _verdict(name: str, passed: bool, by: str) -> None:
    badge = st.success if passed else st.warning
    icon = ":material/check_circle:" if passed else ":material/cancel:"
    badge(f"**{name.capitalize()}: {'yes' if passed else 'no'}** · decided by: {plain(by)}", icon=icon)


def _rules(evaluator: RGBEvaluator, sample: Sample) -> None:
    outcomes = {None: "does not decide", True: "yes", False: "no"}
    rows = [
        {
            "Asked": step.question,
            "Rule": step.rule,
            "Outcome": outcomes[step.verdict.passed if step.verdict else None],
            "Words": ", ".join(step.verdict.evidence) if step.verdict else "",
        }
        for step in evaluator.steps(sample)
    ]
    st.subheader("Rules, in the order of their trial")
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Rules in order")


def _plain(sample: Sample, score: Score | None) -> None:
    """Any other evaluator: the texts and the values."""
    if score is not None:
        tables.plain_rows([score.values], "Values")
    st.html(highlight.words(sample.response or "", []))
    st.html(highlight.passages(sample.retrieved_documents))
