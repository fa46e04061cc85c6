"""A value over the noise of the prompts, as a chart that is also said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from evaluators.records import Run
from evaluators.runs.rgb_figures import NoiseChart
from ui.parts import charts


def show(
    run: Run,
    chart: NoiseChart,
    paper: Mapping[str, Sequence[tuple[float, float]]],
    *,
    is_at_work: bool = False,
) -> None:
    """The chart with what was published underneath."""
    # That it falls or rises is a verdict, which a run at work has none of.
    words = chart.title if is_at_work else charts.accuracy_in_words(chart.lines, chart.what)
    st.plotly_chart(
        charts.accuracy_by_noise(chart.lines, paper, verb=chart.verb, is_at_work=is_at_work),
        config=charts.CONFIG,
        key=f"noise_{chart.title}_{run.id}",
        alt=words,
    )


def presented(chart: NoiseChart) -> None:
    """The same on a screen of its own."""
    st.plotly_chart(
        charts.accuracy_by_noise(chart.lines, {}, verb=chart.verb, is_presented=True),
        config=charts.STILL,
        key=f"presented_{chart.title}",
        alt=charts.accuracy_in_words(chart.lines, chart.what),
    )
