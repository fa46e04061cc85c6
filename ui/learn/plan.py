"""A lesson of 45 minutes in front of a class: what to see to before, and a page for each step."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from evaluators.text.language import say
from ui import session
from ui.learn.lesson import Stage, material
from ui.parts import head

NAME = "plan"
"""What stands in the address in the place of a lesson's name."""


class Step(Stage):
    """A part of the lesson: how long it takes, and what the teacher does."""

    minutes: int = 0
    what: str


def show() -> None:
    head.show(say("45 minutes with a class"), say("Each step opens its page in a tab of its own."))
    plan = material("plan")
    st.markdown(say(plan["before"]))
    begin = 0
    for step in map(Step.model_validate, plan["steps"]):
        end = begin + step.minutes
        _row(step, say("minutes {begin} to {end}", begin=begin, end=end))
        begin = end
    _row(Step.model_validate(plan["more"]), say("another time"))


def _row(step: Step, when: str) -> None:
    place = step.own_place
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{say(step.title)}** · {when}  \n{say(step.what)}", width=700)
        # A tab of its own: the plan stays open, and the projector is on from the start.
        address = f"{place.page}?{urlencode(session.address(**place.parameters))}"
        st.link_button(say(place.label), address, icon=":material/open_in_new:")
