"""The rules that were tried on an answer of RGB, in their order, up to the ones that decided."""

from __future__ import annotations

import streamlit as st

from evaluators import rgb_words
from evaluators.records import Sample
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.text.language import mark, say
from evaluators.text.phrases import as_written
from ui.parts import explained
from ui.parts.untrusted import plain

OUTCOMES = {None: mark("does not decide"), True: mark("yes"), False: mark("no")}

# Each is looked up in the answer, which may be long.
MOST_SHOWN = 50
"""Rows of the table; a sample with more has thousands of accepted answers, and no reader of all."""


def show(rows: list[dict[str, str]], number: int) -> None:
    """A table of these of so many rules, each with the way to its place in the glossary."""
    # A table renders Markdown in its cells.
    cells = []
    for row in rows:
        rule = f"{plain(say(row['Rule']))} {explained.question_mark(row['Rule'])}"
        cells.append(
            {
                say("Asked"): plain(say(row["Asked"])),
                say("Rule"): rule,
                say("Outcome"): plain(say(row["Outcome"])),
                say("Words"): plain(row["Words"]),
            }
        )
    st.table(cells, hide_index=True)
    if number > len(rows):
        st.caption(say("The first {most} of {all:,} rules.", most=len(rows), all=number))


def rows(evaluator: RGBEvaluator, sample: Sample) -> tuple[list[dict[str, str]], int]:
    """What each of the first rules asks, what it says, and on which words of the answer, as they
    stand there; and how many rules were tried in all.

    All but these words is English, for `show`.
    """
    response = sample.response or ""
    steps = rgb_words.of_its_language(evaluator.steps(sample), response)
    rows = []
    for step in steps[:MOST_SHOWN]:
        passed = step.verdict.passed if step.verdict else None
        words = step.verdict.evidence if step.verdict else ()
        rows.append(
            {
                "Asked": step.question,
                "Rule": step.rule,
                "Outcome": OUTCOMES[passed],
                "Words": ", ".join(as_written(response, words)),
            }
        )
    return rows, len(steps)
