"""What was paid: calls, tokens and money, of a run and of a sample. An unknown price reads
"unknown", never 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from evaluators.llm.catalogue import model_title
from evaluators.records import Run, SampleResult
from evaluators.runs.store import Spent
from ui import session
from ui.parts.untrusted import plain
from ui.parts.words import counted

COUNTS = dict.fromkeys(
    ("Calls", "Prompt tokens", "Answer tokens"), st.column_config.NumberColumn(format="localized")
)


def show(run: Run) -> None:
    """A table of what each model cost, and what was there already; nothing for a run that asked no
    LLM.
    """
    spent, reused = session.store().calls.spent(run.id), session.store().results.reused(run.id)
    if not spent and not reused:
        return
    names = {spec.id: model_title(spec) for spec in (*run.models, *run.judges)}
    rows = [_cells(name, spent[model]) for model, name in names.items() if model in spent]
    if len(rows) > 1:
        rows.append(_cells("Together", _together(spent)) | {"Cost": total(spent)})
    with st.expander("Spent", icon=":material/payments:", key=f"spent_{run.id}"):
        if rows:
            st.dataframe(rows, hide_index=True, column_config=COUNTS, alt="Spent by model")
        if reused:
            st.caption(f"{counted(reused, 'answer')} came from the store and cost nothing.")


def of_sample(result: SampleResult) -> None:
    """One line; nothing where no LLM was asked."""
    paid, usage = [], result.usage
    if result.calls:
        tokens = f"{usage.prompt_tokens:,} prompt and {usage.answer_tokens:,} answer tokens"
        paid = [counted(result.calls, "call"), tokens, f"cost {money(result.cost)}"]
    reused = [f"{counted(result.cached, 'answer')} from the store"] if result.cached else []
    if paid or reused:
        notes = [result.note] if result.note else []
        st.caption(plain(" · ".join([*paid, *reused, *notes, f"{result.seconds:.1f} s"])))


def words(spent: Mapping[str, Spent]) -> str:
    """The money of a run in two words."""
    known = total(spent)
    return "cost unknown" if known == money(None) else f"{known} spent"


def total(spent: Mapping[str, Spent]) -> str:
    """The money of all models; "over" where only a part is known."""
    costs = [each.cost for each in spent.values()]
    known = [cost for cost in costs if cost is not None]
    if not known:
        return money(None)
    return money(sum(known)) if len(known) == len(costs) else f"over {money(sum(known))}"


def money(cost: float | None) -> str:
    """US dollars, small sums to two digits that count: $12.30, $0.05, $0.012, $0.00042."""
    if cost is None:
        return "unknown"
    if not cost:
        return "$0"
    dollars, cents = f"{cost:,.{max(2, 1 - math.floor(math.log10(cost)))}f}".split(".")
    return f"${dollars}.{cents.rstrip('0'):0<2}"


def _cells(name: str, spent: Spent) -> dict[str, object]:
    return {
        "Model": name,
        "Calls": spent.calls,
        "Prompt tokens": spent.prompt_tokens,
        "Answer tokens": spent.answer_tokens,
        "Cost": money(spent.cost),
    }


def _together(spent: Mapping[str, Spent]) -> Spent:
    added = ("calls", "prompt_tokens", "answer_tokens")
    return Spent(
        **{name: sum(getattr(each, name) for each in spent.values()) for name in added}, cost=None
    )
