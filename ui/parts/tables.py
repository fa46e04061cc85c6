"""Tables of numbers behind the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import streamlit as st

from evaluators.runs.aggregate import Mean
from evaluators.runs.rgb_figures import Curves
from evaluators.runs.shown_values import coverage
from ui.parts import value_table
from ui.parts.value_table import Column, Row

MOST_GROUPS = 50
"""Groups that are shown: a column with more values mostly holds one for each sample."""


def noise_levels(curves: Mapping[str, Curves]) -> None:
    """The numbers behind the accuracy-by-noise chart, by model."""
    rows = []
    for model, own in curves.items():
        for ability, points in own.items():
            for point in points:
                reached = point.effective_noise
                noise = {
                    "Noise": f"{100 * point.noise:.0f} %",
                    "Effective noise": "unknown" if reached is None else f"{100 * reached:.0f} %",
                }
                subject = {"Ability": ability.label, **_model_cell(model, curves)}
                rows.append(
                    {
                        **subject,
                        **noise,
                        **_mean_cells(point.accuracy),
                    }
                )
    st.dataframe(rows, hide_index=True, alt="Accuracy by noise")


def rates(means: Mapping[str, Mapping[str, Mean]]) -> None:
    """The numbers behind the bars, by model: those of one rate stand together."""
    rows = []
    for title in dict.fromkeys(title for own in means.values() for title in own):
        for model, own in means.items():
            if title in own:
                rows.append(
                    {
                        "Rate": title,
                        **_model_cell(model, means),
                        **_mean_cells(own[title]),
                    }
                )
    st.dataframe(rows, hide_index=True, alt="Rates")


def by_group(means: Mapping[str, Mapping[str, Mean]], titles: Mapping[str, str]) -> None:
    """The means of each group of samples with their intervals, under the titles of the values.

    Nothing where the data name no groups.
    """
    if not any(means.values()):
        return
    st.header("By group")
    rows = []
    for group, own in islice(means.items(), MOST_GROUPS):
        shown = [own.get(name) for name in titles]
        coverages = {coverage(mean) for mean in shown if mean is not None}
        # Of RGB no value applies to every answer: there each says on how many it stands.
        note = coverages.pop() if len(coverages) == 1 else ""
        rows.append(Row(group, shown, note))
    value_table.show("Group", [Column(title) for title in titles.values()], rows)
    if len(means) > MOST_GROUPS:
        st.caption(f"The first {MOST_GROUPS} of {len(means):,} groups.")


def plain_rows(rows: Sequence[Mapping[str, object]], alt: str) -> None:
    """Rows as they are."""
    st.dataframe(rows, hide_index=True, alt=alt)


def _mean_cells(mean: Mean) -> dict[str, str | int]:
    return {
        "Value": "nothing checked" if mean.mean is None else f"{100 * mean.mean:.1f} %",
        "95 % interval": ""
        if mean.low is None or mean.high is None
        else f"{100 * mean.low:.1f} to {100 * mean.high:.1f} %",
        "Checked": mean.coverage,
        **({"Same prompt": mean.within.in_words} if mean.within else {}),
        "Not applicable": mean.not_applicable,
        "Failed": mean.failed,
    }


def _model_cell(name: str, of: Mapping[str, object]) -> dict[str, str]:
    """The cell that names the model, where there are several."""
    return {"Model": name} if len(of) > 1 else {}
