"""The two-by-two table of labeller and people, whose fields open their answers; and the rates."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.people.checked import Check, TwoByTwo, ValueCheck
from evaluators.people.correction import EstimatedMean
from evaluators.people.findings import percent, percents
from evaluators.records import Cell
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.text.words import counted
from ui import session
from ui.parts.untrusted import plain

MOST = 50
"""Answers of a field that are listed."""
SHOWN = 110
"""Characters of a question in that list."""


def show(view: RunView, found: Check, value: ValueCheck) -> None:
    """The table with its answers, and the rates beside it; nothing for values between 0 and 1."""
    # Only a yes or no can be right or wrong; of other values the distance is told.
    if value.table is None:
        return
    people = "people" if found.against == "people" else "the data"
    left, right = st.columns(2)
    with left:
        chosen = _table(value.table, found.labeller, people, f"{view.run.id}_{value.name}")
    with right:
        st.markdown("\n".join(f"- {line}" for line in _rates(found, value, people)))
    if chosen:
        title, cells = chosen
        st.markdown(f"**{plain(title)}**")
        _answer_links(view, cells)


def _table(
    table: TwoByTwo,
    labeller: str,
    people: str,
    place: str,
) -> tuple[str, Sequence[Cell]] | None:
    """Draws four buttons, and gives the field that was pressed last."""
    rows = {
        f"{labeller}: yes": {
            f"both yes · {len(table.both_yes):,}": table.both_yes,
            f"{people}: no · {len(table.only_labeller):,}": table.only_labeller,
        },
        f"{labeller}: no": {
            f"{people}: yes · {len(table.only_people):,}": table.only_people,
            f"both no · {len(table.both_no):,}": table.both_no,
        },
    }
    # A button tells of its click once; the field stays open until another one is pressed.
    key = f"check_field_{place}"
    chosen: tuple[str, Sequence[Cell]] | None = None
    for head, row in rows.items():
        st.caption(plain(head[0].upper() + head[1:]))
        with st.container(horizontal=True):
            for label, cells in row.items():
                is_alike = label.startswith("both")
                if st.button(
                    label,
                    icon=":material/check:" if is_alike else ":material/compare_arrows:",
                    key=f"{key}_{head}_{label}",
                    disabled=not cells,
                    width="stretch",
                ):
                    st.session_state[key] = label
                if st.session_state.get(key) == label:
                    chosen = f"{head}, {label}", cells
    return chosen


def _rates(found: Check, value: ValueCheck, people: str) -> list[str]:
    """What the labeller sees and misses, as lines of Markdown."""
    labeller = plain(found.labeller)
    lines = []
    for verdict, rate in (("yes", value.sensitivity), ("no", value.specificity)):
        if rate is None:
            lines.append(f"No {verdict} by {people}: what share {labeller} sees is not known.")
        else:
            lines.append(f"Of {people}'s {verdict}, {labeller} sees {_with_interval(rate)}")
    if value.kappa is not None:
        lines.append(f"Agreement beyond chance (kappa): {value.kappa:.2f}")
    if value.auroc is not None:
        lines.append(
            f"AUROC {value.auroc:.2f}: so often its estimate of a supported answer is the higher"
        )
    return lines


def _with_interval(rate: EstimatedMean) -> str:
    return f"**{percent(rate.mean)}** ({percents(rate.low, rate.high)})"


def _answer_links(view: RunView, cells: Sequence[Cell]) -> None:
    """Links to the first of these answers, each with its question."""
    answers = [Answer(cell.position, cell.model) for cell in cells[:MOST]]
    contents = view.contents(answers)
    for answer in answers:
        content = contents.get(answer)
        question = content.sample.question[:SHOWN] if content else ""
        st.page_link(
            "../pages/sample.py",
            label=plain(f"{answer.position + 1}: {question}"),
            # Addresses count from 1, as the tables do.
            query_params=session.address(
                run=view.run.id,
                sample=str(answer.position + 1),
                model=str(answer.model + 1),
            ),
        )
    if len(cells) > MOST:
        st.caption(f"The first {MOST} of {counted(len(cells), 'answer')}.")
