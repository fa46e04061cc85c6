"""Labellers side by side: the values that their labels give, and how far any two of them agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from evaluators.runs.run_view import RunView
from evaluators.trace.agreement import Agreement
from ui.parts import labellers, tables

LABELS = {"relevant": "Relevant", "utilized": "Used", "support": "Support"}


def show(view: RunView, model: int, definition: str, titles: Mapping[str, str]) -> None:
    """Two tables of one model's answers in an expander, with the values of these titles.

    Every sample has to be read for them, so they are made where somebody looks.
    """
    run = view.run
    box = st.expander(
        "Labellers side by side",
        expanded=run.evaluator.name != "trace",
        icon=":material/compare_arrows:",
        key=f"compared_{run.id}",
        # Without this the page would not learn that somebody opened it.
        on_change="rerun",
    )
    if not box.open:
        return
    with box, st.spinner("Comparing"):
        means = view.means_by_labeller(model, definition, tuple(titles))
        tables.by_labeller(means, titles)
        st.caption("Each labeller's means are over the samples it labelled.")
        tables.plain_rows(_row_per_pair(view.agreements(model)), "Agreement of labellers")
        st.caption(
            "Sentences with equal labels; in brackets Cohen's kappa: 1 is full "
            "agreement, 0 what chance gives. "
            "Corrected: only samples in which a person changed a label, so it looks "
            "lower than it is."
        )


def _row_per_pair(agreements: Sequence[Agreement]) -> list[dict[str, object]]:
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for pair in agreements:
        first = labellers.title(pair.first)
        second = labellers.title(pair.second)
        row = rows.setdefault((pair.first, pair.second), {"Labellers": f"{first} and {second}"})
        kappa = "undefined" if pair.kappa is None else f"{pair.kappa:.2f}"
        row[LABELS[pair.label]] = f"{100 * pair.equal:.1f} % of {pair.sentences:,} ({kappa})"
    return list(rows.values())
