"""What is wrong with a run's answers: a card for each kind, and who answered or declined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from evaluators.document import flaws as words
from evaluators.flaws import kinds
from evaluators.flaws.declined import Outcome
from evaluators.records import Run
from evaluators.runs.aggregate import View
from evaluators.runs.flaw_figures import Counted, Flaws
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Selection
from evaluators.text.language import say
from evaluators.text.scale import RATE
from evaluators.text.words import counted, name_and_text
from ui import session
from ui.parts import chosen_view, samples
from ui.parts.untrusted import plain

IN_SIGHT = 3
"""Kinds that are seen at once; further ones are behind a click."""
OPENED = 3
"""Answers of a kind that a card opens."""
CHIPS = {
    Outcome.ANSWERED_WITHOUT.value: kinds.ANSWERED_WITHOUT.title,
    Outcome.DECLINED_WRONGLY.value: kinds.DECLINED_WRONGLY.title,
}
"""What the chips of outcomes are called that are flaws."""
OWN_CHIPS = frozenset(
    (*(kind.title for kind in kinds.KINDS.values()), *(outcome.value for outcome in Outcome))
)


def show(view: RunView, chosen: View, model: int | None = None) -> None:
    """The kinds of flaws of one model's answers, the most frequent first.

    Of several models it is the one that is chosen here, where none is given.
    """
    place = st.container()
    if model is None:
        label = say("What is wrong with answers by")
        model = chosen_view.model_switch(view.run, label, f"flaws_of_{view.run.id}")
    flaws = view.flaws(model, chosen)
    if not (flaws.kinds or flaws.outcomes):
        return
    if flaws.kinds:
        # Above a closed fold alone it would promise what is not there.
        place.header(say("What is wrong"), anchor=False)
    _cards(view.run, flaws.kinds[:IN_SIGHT])
    if caution := words.caution(flaws):
        st.caption(caution)
    if further := flaws.kinds[IN_SIGHT:]:
        titles = " · ".join(words.title_of(one) for one in further)
        with st.expander(name_and_text(say("Further"), titles), icon=":material/more_horiz:"):
            _cards(view.run, further)
    if flaws.outcomes:
        with st.expander(say(words.OUTCOMES), icon=":material/grid_view:"):
            _two_by_two(view.run, flaws)
    for said in (words.citations_in_words(flaws), words.facts_in_words(flaws)):
        if said:
            st.markdown(plain(said))


def filters(view: RunView, chosen: View) -> Mapping[str, Selection]:
    """The chip of the kind or outcome whose answers were asked for last, if any."""
    name = samples.chip(view.run)
    answers: list[Answer] = []
    if name not in OWN_CHIPS:
        return {}
    for model in range(max(1, len(view.run.models))):
        flaws = view.flaws(model, chosen)
        # What is both a kind and an outcome is the same answers.
        for one in (*flaws.kinds, *flaws.outcomes):
            if _chip(one) == name:
                answers += one.answers
    return {name: Selection(among=tuple(dict.fromkeys(answers)))} if answers else {}


def _chip(one: Counted) -> str:
    if one.name in kinds.KINDS:
        return one.kind.title
    return CHIPS.get(one.name, one.name)


def _cards(run: Run, shown: Sequence[Counted]) -> None:
    grid = st.grid(IN_SIGHT, min_column_width=230)
    for one in shown:
        with grid.container(border=True, height="stretch"):
            _card(run, one)


def _card(run: Run, one: Counted) -> None:
    st.markdown(f"**{words.title_of(one)}**", help=say(one.kind.meaning))
    every = counted(one.rate.scored, "answer")
    answers = say("{part:,} of {answers}", part=len(one.answers), answers=every)
    st.markdown(f"{answers} · {RATE.estimate(one.rate)}")
    if split := words.split_in_words(one):
        st.caption(split)
    st.caption(name_and_text(say(one.kind.place), say(one.kind.remedy)))
    with st.container(horizontal=True, gap="small"):
        for answer in one.answers[:OPENED]:
            label = say("Sample {place}", place=f"{answer.position + 1:,}")
            key = f"open_{one.name}_{answer.model}_{answer.position}"
            if st.button(label, key=key, type="tertiary"):
                session.open_sample(run, answer)
        if len(one.answers) > OPENED:
            _choosing(run, one, say("All {count:,}", count=len(one.answers)))


def _choosing(run: Run, one: Counted, label: str) -> None:
    """A button that has the table of samples show these answers."""
    st.button(
        label,
        key=f"choose_{one.name}",
        type="tertiary",
        disabled=not one.answers,
        on_click=samples.choose,
        args=(run, _chip(one), one.answers),
    )


def _two_by_two(run: Run, flaws: Flaws) -> None:
    """Each cell with its share; a click shows its answers."""
    by_name = {one.name: one for one in flaws.outcomes}
    grid = st.grid(2, min_column_width=200)
    for outcome in Outcome:
        one = by_name[outcome.value]
        with grid.container(border=True, height="stretch"):
            st.markdown(f"**{len(one.answers):,}** · {RATE.estimate(one.rate)}")
            _choosing(run, one, say(outcome.value))
    st.caption(words.basis_in_words(flaws))
