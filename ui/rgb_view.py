"""What an RGB run shows: accuracy by noise, the rates of the four abilities, every sample."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.llm.catalogue import titles
from evaluators.runs import aggregate
from evaluators.runs.store import Outline
from evaluators.types import Ability, Run
from ui import charts, published, session, tables
from ui.untrusted import plain

VALUES = {
    "accuracy": "Accuracy",
    "rejection": "Rejection",
    "detection": "Detection",
    "correction": "Correction",
}
FACETS = {"ability": "Ability", "noise": "Noise", "effective_noise": "Effective"}


def show(run: Run) -> None:
    """Charts, numbers and samples of an RGB run, as far as it is."""
    rows = session.outlines(run)
    _charts(run, rows)
    _flips(run)
    st.subheader("Samples")
    shown = _chosen(rows, run)
    tables.samples(run, shown, _asked_values(shown), FACETS)


def card(run: Run) -> None:
    """What this run was: enough to run it again."""
    generator = run.generator
    asked = [f"Data: {run.dataset_name}", f"Policy: {run.evaluator.params.get('policy')}"]
    if generator:
        asked += [
            f"Model: {titles().get(generator.model, generator.model)}",
            f"Prompt: {generator.prompt_hash}",
            f"Seed: {run.seed}",
        ]
    else:
        asked += ["Answers: from the file"]
    st.caption(" · ".join(plain(text) for text in asked))


def _charts(run: Run, rows: Sequence[Outline]) -> None:
    curves = {
        ability.label: points
        for ability in (Ability.NOISE, Ability.INTEGRATION)
        if (points := aggregate.accuracy_by_noise(rows, ability))
    }
    rates = aggregate.rgb_rates(rows)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Accuracy by noise")
        if curves:
            curves_of = published.noise_curves()
            models = st.multiselect("Lay published curves underneath", list(curves_of), key=f"published_{run.id}")
            paper = {name: curves_of[name] for name in models}
            figure = charts.accuracy_by_noise(curves, paper)
            st.plotly_chart(figure, config=charts.CONFIG, key=f"noise_{run.id}", alt="Accuracy by noise")
            if Ability.INTEGRATION.label in curves:
                st.caption("Integration cannot always reach the noise asked for; Numbers give the effective noise.")
            if paper:
                st.caption("The paper asked 300 English rows with its own prompt: look at the shape, not at the gap.")
            with st.expander("Numbers", icon=":material/table_rows:"):
                tables.noise_levels(curves)
        else:
            st.caption("This run asked neither noise robustness nor integration.")
    with right:
        st.subheader("Rates")
        st.plotly_chart(charts.rates(rates), config=charts.BARE, key=f"rates_{run.id}", alt="Rates by ability")
        st.caption("Bars: value, whiskers: 95 % interval, in brackets: scored / asked.")
        with st.expander("Numbers", icon=":material/table_rows:"):
            tables.rates(rates)
            st.caption("From the paper, for comparison of the kind, not of the digits:")
            tables.plain_rows(published.other_figures(), "Published figures")


def _flips(run: Run) -> None:
    flips = session.store().flips(run)
    if not flips:
        return
    names = {"nfkc": "look-alike characters (NFKC)", "remove_reasoning": "reasoning removal"}
    parts = [f"{names[option]}: {count}" for option, count in flips.items()]
    st.info(f"Verdicts that an option changed: {'; '.join(parts)}.", icon=":material/swap_horiz:")


def _chosen(rows: Sequence[Outline], run: Run) -> Sequence[Outline]:
    abilities = [ability for ability in Ability if any(row.ability == ability for row in rows)]
    common = {"label_visibility": "collapsed", "persist_state": "session"}
    with st.container(horizontal=True):
        ability = st.segmented_control(
            "Ability", abilities, format_func=lambda a: a.label, key=f"ability_{run.id}", **common
        )
        outcome = st.segmented_control("Outcome", list(OUTCOMES), key=f"outcome_{run.id}", **common)
    kept = aggregate.with_ability(rows, ability) if ability else rows
    return [row for row in kept if OUTCOMES[outcome](row)] if outcome else kept


def _headline(row: Outline) -> float | None:
    """The value by which a sample counts as passed: for planted errors, the correction."""
    return next((row.values[name] for name in ("accuracy", "rejection", "correction") if name in row.values), None)


OUTCOMES = {
    "Right": lambda row: _headline(row) == 1,
    "Wrong": lambda row: _headline(row) == 0,
    "Failed": lambda row: row.status == "failed",
}


def _asked_values(rows: Sequence[Outline]) -> dict[str, str]:
    found = {name for row in rows for name in row.values}
    return {name: title for name, title in VALUES.items() if name in found}
