"""The answers to a prompt that was asked several times: a choice among them, and all in a list."""

from __future__ import annotations

import streamlit as st

from evaluators.records import Cell, Run
from evaluators.runs.rgb_figures import is_right
from evaluators.runs.run_view import RunView
from evaluators.runs.shown_values import column_titles
from evaluators.runs.store import Answer, Outline
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from ui import run_views
from ui.parts import chosen_view, highlight

SHOWN_OF_AN_ANSWER = 300
VALUES_SHOWN = 3


def repeat_choice(run: Run, cell: Cell) -> None:
    """Chips for the repeats of the prompt; the address follows."""
    if run.repeats == 1:
        return
    shown = run.repeat_of(cell.position)
    key = f"repeat_{run.id}"
    # The address decides which repeat is shown, so the widget follows it at every drawing.
    st.session_state[key] = shown

    def change() -> None:
        position = cell.position - shown + st.session_state[key]
        # An address counts from 1, as repeats do.
        st.query_params["sample"] = str(position + 1)

    st.segmented_control(
        say("Repeat"),
        range(1, run.repeats + 1),
        required=True,
        key=key,
        on_change=change,
    )


def show(run: Run, cell: Cell) -> None:
    """All answers to the prompt one under another, each with its verdict."""
    if run.repeats == 1:
        return
    view = run_views.latest(run)
    first = cell.position - run.repeat_of(cell.position) + 1
    answers = [Answer(first + number, cell.model) for number in range(run.repeats)]
    contents = view.contents(answers)
    lines = []
    for row in view.page(answers, chosen_view.of(run)):
        content = contents.get(Answer(row.position, row.model))
        response = (content.response if content else None) or ""
        kind = ' class="pl-shown"' if row.position == cell.position else ""
        lines.append(
            f'<tr{kind}><th scope="row">{row.repeat}</th>'
            f'<td class="pl-line" dir="auto">{html(response[:SHOWN_OF_AN_ANSWER])}</td>'
            f'<td class="pl-verdict">{html(_verdict_of_repeat(view, row))}</td></tr>'
        )
    st.header(say("Answers to the same prompt"))
    heads = (say("Repeat"), say("Answer"), say("Verdict"))
    titles = "".join(f'<th scope="col">{html(title)}</th>' for title in heads)
    head = f"<thead><tr>{titles}</tr></thead>"
    table = f'<table class="pl-models">{head}<tbody>{"".join(lines)}</tbody></table>'
    highlight.style_of_marks()
    st.html(table)


def _verdict_of_repeat(view: RunView, row: Outline) -> str:
    """Right or wrong of RGB, of TRACE whether all is supported, else the first values."""
    if row.status != "scored":
        return say("failed") if row.status else say("not checked yet")
    passes = is_right(view.run, row)
    if passes is not None:
        good, bad = mark("right"), mark("wrong")
        if row.by:
            good, bad = mark("all supported"), mark("not all supported")
        # A mark as well: colour alone is not seen by everybody.
        return f"✓ {say(good)}" if passes else f"✗ {say(bad)}"
    words = []
    for name, title in column_titles(view).items():
        value = row.values.get(name)
        if value is not None:
            words.append(f"{title} {SCORE.shown(value)}")
    return say(", ").join(words[:VALUES_SHOWN]) or say("not applicable")
