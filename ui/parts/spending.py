"""What was paid for a run and for a sample: calls, tokens and money."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.llm.money import UNKNOWN, dollars, dollars_together
from evaluators.records import Run, SampleResult
from evaluators.runs import bills
from evaluators.runs.store import Spent
from evaluators.text.language import mark, say
from evaluators.text.stored_texts import translated
from evaluators.text.words import counted
from ui import session
from ui.parts.untrusted import plain

COUNTS = (mark("Calls"), mark("Prompt tokens"), mark("Answer tokens"))


def show(run: Run, reused: int) -> None:
    """A table of what each model cost, and what was stored already; nothing without an LLM."""
    spent = session.store().calls.spent(run.id)
    if not spent and not reused:
        return
    if rows := bills.rows(run, spent):
        st.markdown(f"**{say('Spent')}**")
        number = st.column_config.NumberColumn(format="localized")
        st.dataframe(
            [{say(title): cell for title, cell in row.items()} for row in rows],
            hide_index=True,
            column_config={say(title): number for title in COUNTS},
            alt=say("Spent by model"),
        )
    if reused:
        answers = counted(reused, "answer")
        st.caption(say("{answers} came from the store and cost nothing.", answers=answers))


def of_sample(result: SampleResult) -> None:
    """One line; nothing where no LLM was asked."""
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
