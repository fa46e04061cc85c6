"""Labellers side by side: the values that each one's labels give, and how far any two of them
agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import streamlit as st

from evaluators.records import Run
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Mean, View
from evaluators.runs.store import Store
from evaluators.trace.agreement import Agreement, agreement
from ui import session
from ui.parts import labellers, tables
from ui.session import Version

LABELS = {"relevant": "Relevant", "utilized": "Used", "support": "Support"}


def show(
    run: Run, model: int, definition: str, names: Sequence[str], titles: Mapping[str, str]
) -> None:
    """Two tables of one model's answers in an expander.

    Every sample has to be read for them, so they are made where somebody looks.
    """
    box = st.expander(
        "Labellers side by side",
        expanded=run.evaluator.name != "trace",
        icon=":material/compare_arrows:",
        key=f"compared_{run.id}",
        on_change="rerun",
    )
    if not box.open:
        return
    with box, st.spinner("Comparing"):
        key = session.store(), run.id, session.version(run), model
        tables.by_labeller(_means(*key, definition, tuple(names), tuple(titles)), titles)
        st.caption("Each labeller's means are over the samples it labelled.")
        tables.plain_rows(_pairs(_agreements(*key)), "Agreement of labellers")
        st.caption(
            "Sentences with equal labels; in brackets Cohen's kappa: 1 is full "
            "agreement, 0 what chance gives. "
            "Corrected: only samples in which a person changed a label, so it looks "
            "lower than it is."
        )


def _pairs(found: Sequence[Agreement]) -> list[dict[str, object]]:
    """One row for each two labellers."""
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for each in found:
        names = f"{labellers.title(each.first)} and {labellers.title(each.second)}"
        row = rows.setdefault((each.first, each.second), {"Labellers": names})
        row[LABELS[each.label]] = _words(each)
    return list(rows.values())


def _words(each: Agreement) -> str:
    kappa = "undefined" if each.kappa is None else f"{each.kappa:.2f}"
    return f"{100 * each.equal:.1f} % of {each.sentences:,} ({kappa})"


@lru_cache(maxsize=8)
def _means(
    runs: Store,
    run_id: str,
    version: Version,
    model: int,
    definition: str,
    names: tuple[str, ...],
    values: tuple[str, ...],
) -> Mapping[str, Mapping[str, Mean]]:
    run = runs.runs.get(run_id)
    if run is None:
        return {}
    rows, made = aggregate.of_model(session.outlines(run), model), session.made(version)
    views = {
        by: aggregate.viewed(rows, runs.results.scored(run), View(definition, by), made)
        for by in names
    }
    return {
        by: {name: aggregate.summarise(own, name) for name in values} for by, own in views.items()
    }


@lru_cache(maxsize=4)
def _agreements(runs: Store, run_id: str, version: Version, model: int) -> list[Agreement]:
    run = runs.runs.get(run_id)
    scored = (each for each in runs.results.scored(run) if each[0].model == model) if run else ()
    return agreement(scored, session.made(version))
