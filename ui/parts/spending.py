"""What was paid for a run and for a sample: calls, tokens and money."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.llm.catalogue import model_title
from evaluators.llm.money import UNKNOWN, dollars, dollars_together
from evaluators.records import Run, SampleResult
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
    # A model that answers and judges is one entry: its calls are booked together.
    names = {spec.id: model_title(spec) for spec in (*run.models, *run.judges)}
    rows = []
    for model, name in names.items():
        if model in spent:
            rows.append(_row_of_model(name, spent[model]))
    # Of a single model it would say the same twice.
    if len(rows) > 1:
        rows.append(_row_of_whole_run(spent))
    if rows:
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


def _row_of_model(name: str, spent: Spent) -> dict[str, object]:
    return {
        "Model": name,
        "Calls": spent.calls,
        "Prompt tokens": spent.prompt_tokens,
        "Answer tokens": spent.answer_tokens,
        "Cost": dollars(spent.cost),
    }


def _row_of_whole_run(spent: Mapping[str, Spent]) -> dict[str, object]:
    bills = spent.values()
    return {
        "Model": "Together",
        "Calls": sum(bill.calls for bill in bills),
        "Prompt tokens": sum(bill.prompt_tokens for bill in bills),
        "Answer tokens": sum(bill.answer_tokens for bill in bills),
        "Cost": dollars_together(bill.cost for bill in bills),
    }
