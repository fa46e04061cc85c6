"""What was paid for a run and for a sample: calls, tokens and money."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.document.blocks import Table
from evaluators.llm.money import UNKNOWN, dollars, dollars_together
from evaluators.records import SampleResult
from evaluators.report.run_report import cost
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Spent
from evaluators.text.language import say, translated
from evaluators.text.words import counted
from ui.parts import tables
from ui.parts.untrusted import plain


def show(view: RunView) -> None:
    """A table of what each model cost, and what was stored already; nothing without an LLM."""
    bill, *reused = cost(view)
    if isinstance(bill, Table) and bill.rows:
        st.markdown(f"**{say('Spent')}**")
    tables.show([bill, *reused], say("Spent by model"))


def of_sample(result: SampleResult | None) -> None:
    """One line; nothing where no LLM was asked."""
    if result is None:
        return
    facts = []
    if result.calls:
        usage = result.usage
        tokens = say(
            "{prompt:,} prompt and {answer:,} answer tokens",
            prompt=usage.prompt_tokens,
            answer=usage.answer_tokens,
        )
        cost = say("cost {sum}", sum=dollars(result.cost))
        facts += [counted(result.calls, "call"), tokens, cost]
    if result.cached:
        facts.append(say("{answers} from the store", answers=counted(result.cached, "answer")))
    if not facts:
        return
    if result.note:
        facts.append(translated(result.note))
    facts.append(say("{seconds:.1f} s", seconds=result.seconds))
    st.caption(plain(" · ".join(facts)))


def words(spent: Mapping[str, Spent]) -> str:
    """The money of a run in two words."""
    cost = dollars_together(bill.cost for bill in spent.values())
    return say("cost unknown") if cost == say(UNKNOWN) else say("{sum} spent", sum=cost)
