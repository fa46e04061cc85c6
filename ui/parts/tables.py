"""Tables: one page of rows at a time, long texts cut, a click opens the sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from evaluators.records import Ability, Run
from evaluators.runs.aggregate import Mean
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Outline
from ui import session
from ui.parts import labellers, run_facts
from ui.parts.charts import Curves

PAGE_ROWS = 50
QUESTION_WIDTH = 200
"""Pixels: on a phone the question and the state beside it are in sight."""

LEAST_BAR = 95
LETTER = 8
"""Pixels of a column with bars, at least and for each letter of its title."""

LAST_TABLE = "table_shown"
"""Where the session keeps what the last table of samples holds on all its pages."""

STATES = {"scored": "scored", "failed": "failed", None: "open"}


def samples(
    view: RunView,
    rows: Sequence[Outline],
    values: Mapping[str, str],
    facets: Mapping[str, str],
) -> None:
    """A page of samples with progress bars; `values` and `facets` map names to column titles."""
    run = view.run
    cells = [(row.position, row.model) for row in rows]
    st.session_state[LAST_TABLE] = run.id, cells
    if not rows:
        st.info("No sample matches.", icon=":material/filter_alt_off:")
        return
    pages = -(-len(rows) // PAGE_ROWS)
    with st.container(horizontal=True, vertical_alignment="center"):
        page = 1
        if pages > 1:
            page = st.pagination(pages, key=f"page_{run.id}", persist_state="session")
        noun = "answers" if len(run.models) > 1 else "samples"
        st.caption(f"{len(rows):,} {noun}. Select a row to open the sample.")
    of_page = rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    # A key for each page: a row that was selected on one would be selected on the next as well.
    picked = st.dataframe(
        pd.DataFrame(_sample_rows(view, of_page, values, facets)),
        hide_index=True,
        key=f"samples_{run.id}_{page}",
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Question": st.column_config.TextColumn(width=QUESTION_WIDTH),
            **_columns_of_bars(values.values()),
        },
        alt="Samples of this run",
    )
    if picked.selection.rows:
        picked_row = of_page[picked.selection.rows[0]]
        # Addresses count from 1, as the table does.
        address = session.address(
            run=run.id,
            sample=str(picked_row.position + 1),
            model=str(picked_row.model + 1),
        )
        st.switch_page("../pages/sample.py", query_params=address)


def _columns_of_bars(titles: Iterable[str]) -> dict[str, Any]:
    columns = {}
    for title in titles:
        columns[title] = st.column_config.ProgressColumn(
            title,
            min_value=0,
            max_value=1,
            format="%.2f",
            width=max(LEAST_BAR, LETTER * len(title)),
        )
    return columns


def _sample_rows(
    view: RunView,
    rows: Sequence[Outline],
    values: Mapping[str, str],
    facets: Mapping[str, str],
) -> list[dict[str, object]]:
    names = run_facts.titles(view.run)
    failed = _titles_of_failed(view, rows)
    cells = []
    for row in rows:
        titles = failed.get(Answer(row.position, row.model))
        state = {"State": f"failed: {titles}"} if titles else {}
        cells.append(_cells_of_sample(row, values, facets, names) | state)
    return cells


def last_positions(run: Run, model: int) -> list[int]:
    """The positions of one model's answers in the last table of the run, in its order."""
    run_id, cells = st.session_state.get(LAST_TABLE, ("", []))
    # The last table may have been one of another run.
    if run_id != run.id:
        return []
    return [position for position, number in cells if number == model]


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
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Accuracy by noise")


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
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Rates")


def by_labeller(means: Mapping[str, Mapping[str, Mean]], titles: Mapping[str, str]) -> None:
    """The means by each labeller's labels, under the titles of the values."""
    rows = [
        {
            "Labels by": labellers.title(by),
            "Samples": max((mean.scored for mean in own.values()), default=0),
            **{
                title: "–" if own[value].mean is None else f"{own[value].mean:.2f}"
                for value, title in titles.items()
            },
        }
        for by, own in means.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Values by labeller")


def by_model(means: Mapping[str, Mapping[str, Mean]], titles: Mapping[str, str]) -> None:
    """The means of each model with their intervals, under the titles of the values."""
    rows = [
        {
            "Model": model,
            "Scored / asked": next(iter(own.values())).coverage,
            **{title: _with_interval(own[value]) for value, title in titles.items()},
        }
        for model, own in means.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Values by model")


def plain_rows(rows: Sequence[Mapping[str, object]], alt: str) -> None:
    """Rows as they are."""
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt=alt)


def _mean_cells(mean: Mean) -> dict[str, str | int]:
    return {
        "Value": "nothing judged" if mean.mean is None else f"{100 * mean.mean:.1f} %",
        "95 % interval": ""
        if mean.low is None or mean.high is None
        else f"{100 * mean.low:.1f} to {100 * mean.high:.1f} %",
        "Scored / asked": mean.coverage,
        "Not applicable": mean.not_applicable,
        "Failed": mean.failed,
    }


def _with_interval(mean: Mean) -> str:
    if mean.mean is None:
        return "–"
    interval = "" if mean.low is None else f" ({mean.low:.2f} to {mean.high:.2f})"
    return f"{mean.mean:.2f}{interval}"


def _model_cell(name: str, of: Mapping[str, object]) -> dict[str, str]:
    """The cell that names the model, where there are several."""
    return {"Model": name} if len(of) > 1 else {}


def _cells_of_sample(
    row: Outline,
    values: Mapping[str, str],
    facets: Mapping[str, str],
    names: Sequence[str],
) -> dict[str, object]:
    return {
        "#": row.position + 1,
        "Question": row.question,
        **({"Model": names[row.model]} if len(names) > 1 else {}),
        "State": STATES[row.status],
        **{title: row.values.get(name) for name, title in values.items()},
        **{title: _facet_cell(name, getattr(row, name)) for name, title in facets.items()},
    }


def _titles_of_failed(view: RunView, rows: Sequence[Outline]) -> Mapping[Answer, str]:
    """The titles of the metrics that failed, by answer; empty for a run of one metric."""
    if len(view.run.evaluators) == 1:
        return {}
    titles = run_facts.metric_titles(view.run)
    answers = [Answer(row.position, row.model) for row in rows]
    return {
        answer: ", ".join(titles[metric] for metric in metrics)
        for answer, metrics in view.failed_metrics(answers).items()
    }


def _facet_cell(name: str, value: Any) -> object:
    """Noise as a percentage, abilities and labellers under their names, nothing for nothing."""
    if isinstance(value, float):
        return f"{100 * value:.0f} %"
    if not value:
        return ""
    if name == "ability":
        return Ability(value).label
    return labellers.title(value) if name == "by" else str(value)
