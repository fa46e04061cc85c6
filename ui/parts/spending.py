"""What was paid for a run and for a sample: calls, tokens and money."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.llm.money import UNKNOWN, dollars, dollars_together
from evaluators.records import Run, SampleResult
from evaluators.runs import bills
from evaluators.runs.store import Spent
from evaluators.text.words import counted
from ui import session
from ui.parts.untrusted import plain

COUNTS = dict.fromkeys(
    ("Calls", "Prompt tokens", "Answer tokens"), st.column_config.NumberColumn(format="localized")
)


def show(run: Run, reused: int) -> None:
    """A table of what each model cost, and what was stored already; nothing without an LLM."""
    spent = session.store().calls.spent(run.id)
    if not spent and not reused:
        return
    if rows := bills.rows(run, spent):
        st.markdown("**Spent**")
        st.dataframe(rows, hide_index=True, column_config=COUNTS, alt="Spent by model")
    if reused:
        st.caption(f"{counted(reused, 'answer')} came from the store and cost nothing.")


def of_sample(result: SampleResult) -> None:
    """One line; nothing where no LLM was asked."""
    facts = []
    if result.calls:
        usage = result.usage
        tokens = f"{usage.prompt_tokens:,} prompt and {usage.answer_tokens:,} answer tokens"
        facts += [counted(result.calls, "call"), tokens, f"cost {dollars(result.cost)}"]
    if result.cached:
        facts.append(f"{counted(result.cached, 'answer')} from the store")
    if not facts:
        return
    if result.note:
        facts.append(result.note)
    facts.append(f"{result.seconds:.1f} s")
    st.caption(plain(" · ".join(facts)))


def words(spent: Mapping[str, Spent]) -> str:
    """The money of a run in two words."""
    cost = dollars_together(bill.cost for bill in spent.values())
    return "cost unknown" if cost == UNKNOWN else f"{cost} spent"
