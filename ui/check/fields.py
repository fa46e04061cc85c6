"""The two-by-two table of labeller and people, whose fields open their answers; and the rates."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evaluators.people.checked import Check, TwoByTwo, ValueCheck
from evaluators.people.labellers import at_the_beginning
from evaluators.records import Cell
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE, SCORE
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
    people = say("people") if found.against == "people" else say("the data")
    left, right = st.columns(2)
    with left:
        labeller = found.labeller
        chosen = _table(value.table, labeller, people, f"{view.run.id}_{value.name}")
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
    rows: dict[str, list[tuple[str, Sequence[Cell], bool]]] = {
        say("{labeller}: yes", labeller=labeller): [
            (mark("both yes · {number:,}"), table.both_yes, True),
            (mark("{people}: no · {number:,}"), table.only_labeller, False),
        ],
        say("{labeller}: no", labeller=labeller): [
            (mark("{people}: yes · {number:,}"), table.only_people, False),
            (mark("both no · {number:,}"), table.both_no, True),
        ],
    }
    # A button tells of its click once; the field stays open until another one is pressed.
    key = f"check_field_{place}"
    chosen: tuple[str, Sequence[Cell]] | None = None
    for head, row in rows.items():
        st.caption(plain(at_the_beginning(head)))
        with st.container(horizontal=True):
            for text, cells, is_alike in row:
                label = say(text, people=people, number=len(cells))
                if st.button(
                    label,
                    icon=":material/check:" if is_alike else ":material/compare_arrows:",
                    key=f"{key}_{head}_{label}",
                    disabled=not cells,
                    width="stretch",
                ):
                    st.session_state[key] = label
                if st.session_state.get(key) == label:
                    chosen = say("{row}, {field}", row=head, field=label), cells
    return chosen


def _rates(found: Check, value: ValueCheck, people: str) -> list[str]:
    """What the labeller sees and misses, as lines of Markdown."""
    names = {"people": people, "labeller": plain(found.labeller)}
    yes = mark("Of {people}'s yes, {rate} are a yes by {labeller}")
    if value.sensitivity is None:
        yes = mark("No yes by {people}: how many would be a yes by {labeller} is not known.")
    no = mark("Of {people}'s no, {rate} are a no by {labeller}")
    if value.specificity is None:
        no = mark("No no by {people}: how many would be a no by {labeller} is not known.")
    lines = []
    for words, rate in ((yes, value.sensitivity), (no, value.specificity)):
        lines.append(say(words, **names, rate=f"**{RATE.estimate(rate)}**" if rate else ""))
    if value.kappa is not None:
        kappa = SCORE.with_interval(value.kappa, *value.kappa_interval or ())
        lines.append(say("Agreement beyond chance (kappa): {kappa}", kappa=kappa))
    if value.auroc is not None:
        words = say(
            "AUROC {auroc}: so often its estimate of a supported answer is the higher",
            auroc=SCORE.with_interval(value.auroc, *value.auroc_interval or ()),
        )
        lines.append(words)
    return lines


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
        answers_in_words = counted(len(cells), "answer")
        st.caption(say("The first {first} of {answers}.", first=MOST, answers=answers_in_words))
