"""What a check tells whoever wants more: all values, published judges, what cannot be told."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets import ragbench
from evaluators.document.tables import VALUE, agreement
from evaluators.people.checked import Check
from evaluators.runs.published import ragbench_judges
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.words import readable
from ui.parts import tables

LIMITS = (
    mark("Which of two labellers is better, unless what they see differs by 25 points or more."),
    mark("What a group of the answers is like: five labels in a group are five labels."),
    mark("Errors that people make too: look first at which answers differ, then at the number."),
    mark(
        "With a low specificity even a high kappa says little of the rare errors: open their field."
    ),
)


def show(view: RunView, found: Check, metric: int) -> None:
    with st.expander(
        say("All values"), icon=":material/table_rows:", key=f"check_all_{view.run.id}"
    ):
        lines = [({VALUE: readable(value.name)}, value) for value in found.values]
        tables.show([agreement(lines)], say("All values"))
        st.caption(
            say(
                "RMSE is the distance from the labels, “constant” that of always giving their "
                "mean; a bias above 0 is too high."
            )
        )
    # One row from elsewhere, and the published figures would be of other data.
    names = ragbench.subsets(row.sample_id for row in view.of_metric(0))
    # Published figures are of these data and of TRACE alone.
    if metric == 0 and names:
        with st.expander(say("Published judges on RAGBench"), icon=":material/menu_book:"):
            tables.plain_rows(_published(names), say("Published judges"))
            st.caption(
                say(
                    "AUROC of adherence (higher is better), RMSE of relevance and utilization "
                    "(lower is better; by the formula RAGBench) on the test rows: Friel et al., "
                    "arXiv 2407.11005. Always giving the mean has an RMSE of about .23 and .18."
                )
            )
    with st.expander(say("What so few labels cannot tell"), icon=":material/help:"):
        st.markdown("\n".join(f"- {say(limit)}" for limit in LIMITS))


def _published(names: list[str]) -> list[dict[str, object]]:
    wanted = names if len(names) == 1 else [mark("Mean of 12 sets"), *names]
    headings = (
        say("AUROC of adherence"),
        say("RMSE of context relevance"),
        say("RMSE of context utilization"),
    )
    rows: list[dict[str, object]] = []
    for name, judge, *figures in map(dict.values, ragbench_judges()):
        if name in wanted:
            shown = dict(zip(headings, figures, strict=True))
            rows.append({say("Set"): say(name), say("Judge"): judge, **shown})
    return rows
