"""What an RGB run shows: accuracy by noise, the rates of the four abilities, every sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from evaluators.records import Ability, Run
from evaluators.runs import aggregate
from evaluators.runs.engine import registry
from evaluators.runs.store import Outline
from ui import session
from ui.metrics import results as metric_results
from ui.parts import charts, command, run_facts, tables
from ui.parts.charts import Curves
from ui.parts.untrusted import plain
from ui.parts.words import readable
from ui.rgb import published

VALUES = {
    "accuracy": "Accuracy",
    "rejection": "Rejection",
    "rejection_judged": "Rejection (judge)",
    "detection": "Detection",
    "detection_judged": "Detection (judge)",
    "correction": "Correction",
}
WORTH_TELLING = 0.02
"""Difference between the noise asked for and reached from which it is said."""

FACETS = {"ability": "Ability", "noise": "Noise", "effective_noise": "Effective"}


def show(run: Run) -> None:
    """Charts, numbers and samples of an RGB run, as far as it is."""
    rows = session.outlines(run)
    if any(row.status == "scored" for row in rows):
        _charts(run, rows)
    else:
        st.caption("Nothing is scored yet.")
    _flips(run)
    metric_results.further(run)
    st.subheader("Samples")
    merged = _merged(run, rows)
    shown = _chosen(merged, run)
    tables.samples(run, shown, metric_results.columns(run, _asked_values(shown)), FACETS)
    if not registry.is_live(run.id):
        metric_results.download(run, merged)


def card(run: Run) -> None:
    """What this run was: enough to run it again."""
    policy = readable(str(run.evaluator.params.get("policy")))
    asked = [f"Data: {run.dataset_name}", f"Policy: {policy}", *metric_results.also(run)]
    asked += run_facts.facts(run)
    asked += [_prompt(run), f"Seed: {run.seed}"] if run.models else ["Answers: from the file"]
    st.caption(plain(" · ".join(asked)))
    command.show(run)


def _prompt(run: Run) -> str:
    source = run.origin.get("prompt")
    return f"Prompt: {run.prompt_hash} ({source})" if source else f"Prompt: {run.prompt_hash}"


def _merged(run: Run, rows: Sequence[Outline]) -> Sequence[Outline]:
    """The rows with the values of the run's other metrics."""
    others = session.further(run)
    return aggregate.merged([*rows, *others]) if others else rows


def _charts(run: Run, rows: Sequence[Outline]) -> None:
    by_model = run_facts.rows(run, rows)
    first, second = (
        st.columns([1, 1], gap="large") if len(by_model) == 1 else (st.container(), st.container())
    )
    with first:
        st.subheader("Accuracy by noise")
        curves = {model: _curves(own) for model, own in by_model.items()}
        if any(curves.values()):
            _accuracy(run, curves)
        else:
            st.caption("This run asked neither noise robustness nor integration.")
    with second:
        st.subheader("Rates")
        rates = {model: aggregate.rgb_rates(own) for model, own in by_model.items()}
        st.plotly_chart(
            charts.rates(rates), config=charts.BARE, key=f"rates_{run.id}", alt="Rates by ability"
        )
        st.caption("Bars: value, whiskers: 95 % interval, in brackets: scored / asked.")
        with st.expander("Numbers", icon=":material/table_rows:"):
            tables.rates(rates)
            st.caption("From the paper, for comparison of the kind, not of the digits:")
            tables.plain_rows(published.other_figures(), "Published figures")


def _curves(rows: Sequence[Outline]) -> Curves:
    return {
        ability: points
        for ability in (Ability.NOISE, Ability.INTEGRATION)
        if (points := aggregate.accuracy_by_noise(rows, ability))
    }


def _accuracy(run: Run, curves: Mapping[str, Curves]) -> None:
    curves_of = published.noise_curves()
    models = st.multiselect(
        "Lay published curves underneath", list(curves_of), key=f"published_{run.id}"
    )
    paper = {name: curves_of[name] for name in models}
    figure = charts.accuracy_by_noise(curves, paper)
    st.plotly_chart(figure, config=charts.CONFIG, key=f"noise_{run.id}", alt="Accuracy by noise")
    if any(
        map(
            _is_off,
            (point for own in curves.values() for points in own.values() for point in points),
        )
    ):
        st.caption(
            "Some prompts could not reach the noise asked for; Numbers give the effective noise."
        )
    if paper:
        st.caption(
            "The paper asked 300 English rows with its own prompt: look at the shape, "
            "not at the gap."
        )
    with st.expander("Numbers", icon=":material/table_rows:"):
        tables.noise_levels(curves)


def _is_off(point: aggregate.NoisePoint) -> bool:
    return (
        point.effective_noise is not None
        and abs(point.effective_noise - point.noise) > WORTH_TELLING
    )


def _flips(run: Run) -> None:
    flips = session.store().results.flips(run)
    if not flips:
        return
    names = {"nfkc": "look-alike characters (NFKC)", "remove_reasoning": "reasoning removal"}
    parts = [f"{names[option]}: {count}" for option, count in flips.items()]
    st.info(f"Verdicts that an option changed: {'; '.join(parts)}.", icon=":material/swap_horiz:")


def _chosen(rows: Sequence[Outline], run: Run) -> Sequence[Outline]:
    abilities = [ability for ability in Ability if any(row.ability == ability for row in rows)]
    by_model = run_facts.rows(run, rows)
    common: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}
    with st.container(horizontal=True):
        model = None
        if len(by_model) > 1:
            model = st.segmented_control(
                "Model", list(by_model), format_func=plain, key=f"model_{run.id}", **common
            )
        ability = st.segmented_control(
            "Ability", abilities, format_func=lambda a: a.label, key=f"ability_{run.id}", **common
        )
        outcome = st.segmented_control("Outcome", list(OUTCOMES), key=f"outcome_{run.id}", **common)
    kept = by_model[model] if model else rows
    kept = aggregate.with_ability(kept, ability) if ability else kept
    return [row for row in kept if OUTCOMES[outcome](row)] if outcome else kept


def _headline(row: Outline) -> float | None:
    """The value by which a sample counts as passed: for planted errors, the correction."""
    return next(
        (
            row.values[name]
            for name in ("accuracy", "rejection", "correction")
            if name in row.values
        ),
        None,
    )


OUTCOMES: dict[str, Callable[[Outline], bool]] = {
    "Right": lambda row: _headline(row) == 1,
    "Wrong": lambda row: _headline(row) == 0,
    "Failed": lambda row: row.status == "failed",
}


def _asked_values(rows: Sequence[Outline]) -> dict[str, str]:
    found = {name for row in rows for name, value in row.values.items() if value is not None}
    return {name: title for name, title in VALUES.items() if name in found}
