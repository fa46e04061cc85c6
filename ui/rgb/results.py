"""What an RGB run shows: accuracy by noise, the rates of the four abilities, every sample."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from evaluators.records import Ability, Run
from evaluators.runs import aggregate
from evaluators.runs.engine import registry
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Outline
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
NOISE_MISSED_FROM = 0.02
"""From this difference between the noise asked for and reached the page says so."""

FACETS = {"ability": "Ability", "noise": "Noise", "effective_noise": "Effective"}


def show(view: RunView) -> None:
    """Charts, numbers and samples of an RGB run, as far as it is."""
    rows = view.of_metric(0)
    if any(row.status == "scored" for row in rows):
        _charts(view.run, rows)
    else:
        st.caption("Nothing is scored yet.")
    _flipped_verdicts(rows)
    metric_results.further(view)
    st.header("Samples")
    merged = view.merged()
    filtered = _filtered(merged, view.run)
    tables.samples(view, filtered, metric_results.column_titles(view, _values_of(filtered)), FACETS)
    if not registry.is_live(view.run.id):
        metric_results.download(view, merged)


def card(run: Run) -> None:
    """What this run was: enough to run it again."""
    policy = readable(str(run.evaluator.params.get("policy")))
    facts = [f"Data: {run.dataset_name}", f"Policy: {policy}", *metric_results.also(run)]
    facts += run_facts.facts(run)
    if run.models:
        prompt = f"Prompt: {run.prompt_hash}"
        if source := run.origin.get("prompt"):
            prompt += f" ({source})"
        facts.append(prompt)
        facts.append(f"Seed: {run.seed}")
    else:
        facts.append("Answers: from the file")
    st.caption(plain(" · ".join(facts)))
    command.show(run)


def _charts(run: Run, rows: Sequence[Outline]) -> None:
    by_model = run_facts.rows(run, rows)
    if len(by_model) == 1:
        first, second = st.columns([1, 1], gap="large")
    else:
        first, second = st.container(), st.container()
    with first:
        st.header("Accuracy by noise")
        curves = {model: _noise_curves(own) for model, own in by_model.items()}
        if any(curves.values()):
            _accuracy_chart(run, curves)
        else:
            st.caption("This run tested neither noise robustness nor integration.")
    with second:
        st.header("Rates")
        rates = {model: aggregate.rgb_rates(own) for model, own in by_model.items()}
        st.plotly_chart(
            charts.rates(rates),
            config=charts.BARE,
            key=f"rates_{run.id}",
            alt="Rates by ability",
        )
        st.caption("Bars: value, whiskers: 95 % interval, in brackets: scored / asked.")
        with st.expander("Numbers", icon=":material/table_rows:"):
            tables.rates(rates)
            st.caption("From the paper: compare the pattern, not the digits.")
            tables.plain_rows(published.other_figures(), "Published figures")


def _noise_curves(rows: Sequence[Outline]) -> Curves:
    curves = {}
    for ability in (Ability.NOISE, Ability.INTEGRATION):
        if points := aggregate.noise_points(rows, ability):
            curves[ability] = points
    return curves


def _accuracy_chart(run: Run, curves: Mapping[str, Curves]) -> None:
    curves_of = published.noise_curves()
    models = st.multiselect(
        "Show published curves underneath", list(curves_of), key=f"published_{run.id}"
    )
    paper = {name: curves_of[name] for name in models}
    figure = charts.accuracy_by_noise(curves, paper)
    st.plotly_chart(
        figure,
        config=charts.CONFIG,
        key=f"noise_{run.id}",
        alt="Accuracy by noise",
    )
    points: list[aggregate.NoisePoint] = []
    for own in curves.values():
        points += itertools.chain.from_iterable(own.values())
    if any(map(_missed_noise, points)):
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


def _missed_noise(point: aggregate.NoisePoint) -> bool:
    if point.effective_noise is None:
        return False
    return abs(point.effective_noise - point.noise) > NOISE_MISSED_FROM


def _flipped_verdicts(rows: Sequence[Outline]) -> None:
    flips = aggregate.flips(rows)
    if not flips:
        return
    names = {"nfkc": "look-alike characters (NFKC)", "remove_reasoning": "reasoning removal"}
    parts = [f"{names[option]}: {count}" for option, count in flips.items()]
    st.info(f"Verdicts that an option changed: {'; '.join(parts)}.", icon=":material/swap_horiz:")


def _filtered(rows: Sequence[Outline], run: Run) -> Sequence[Outline]:
    """The rows of the model, the ability and the outcome that are chosen."""
    tested = {row.ability for row in rows}
    abilities = [ability for ability in Ability if ability in tested]
    by_model = run_facts.rows(run, rows)
    common: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}
    with st.container(horizontal=True):
        model = None
        if len(by_model) > 1:
            model = st.segmented_control(
                "Model",
                list(by_model),
                format_func=plain,
                key=f"model_{run.id}",
                **common,
            )
        ability = st.segmented_control(
            "Ability",
            abilities,
            format_func=lambda a: a.label,
            key=f"ability_{run.id}",
            **common,
        )
        outcome = st.segmented_control(
            "Outcome",
            list(OUTCOMES),
            key=f"outcome_{run.id}",
            **common,
        )
    kept = by_model[model] if model else rows
    if ability:
        kept = aggregate.of_ability(kept, ability)
    if outcome:
        kept = list(filter(OUTCOMES[outcome], kept))
    return kept


def _headline(row: Outline) -> float | None:
    """The value by which a sample counts as passed: for planted errors, the correction."""
    for name in ("accuracy", "rejection", "correction"):
        if name in row.values:
            return row.values[name]
    return None


OUTCOMES: dict[str, Callable[[Outline], bool]] = {
    "Right": lambda row: _headline(row) == 1,
    "Wrong": lambda row: _headline(row) == 0,
    "Failed": lambda row: row.status == "failed",
}


def _values_of(rows: Sequence[Outline]) -> dict[str, str]:
    """The titles of the values that any of the rows has."""
    measured: set[str] = set()
    for row in rows:
        measured.update(name for name, value in row.values.items() if value is not None)
    # In the order of `VALUES`, whichever the rows name first.
    return {name: VALUES[name] for name in VALUES if name in measured}
