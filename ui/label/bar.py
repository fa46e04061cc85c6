"""The bar below an answer: what its script in `ui/static/label.js` is told, and what it tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from evaluators.records import Record
from ui import script

KEY = "label"
_ANSWERED = "label_answered"
"""Where the session keeps the number of the last action that it has dealt with, by answer."""

_component = script.component("label", '<div class="label"></div>', "label.css")


class Action(Record):
    """What a person did in the bar, as the browser tells it.

    `number` counts the actions on one answer. The browser sends an action again until it was
    answered, as what comes while the page is drawn may replace what came before.
    """

    sample: str
    number: int
    action: Literal["verdict", "done", "skipped", "cannot tell", "undo", "back", "forward"]
    key: str = ""
    value: Literal["", "yes", "no"] = ""


class Question(NamedTuple):
    """What is asked of a value, and what the person said, "yes", "no" or nothing."""

    name: str
    text: str
    value: str


class LabelBar(NamedTuple):
    """What the bar shows; `off` are the buttons that do nothing now."""

    sample: str
    progress: str
    share: float
    note: str
    questions: Sequence[Question]
    off: Sequence[str]


_ACTIONS = TypeAdapter(list[Action])
MOST_ACTIONS = 20
"""Actions in one message of the browser; a person's are those since the last drawing."""


def show(bar: LabelBar) -> None:
    data: dict[str, Any] = bar._asdict()
    data["questions"] = [question._asdict() for question in bar.questions]
    data["words"] = script.words_of("label")
    data["answered"] = _answered().get(bar.sample, 0)
    # What was asked for is done when the page is drawn: after all labels have been stored that
    # came with it, in whichever order.
    with st.container(key="label_bar"):
        _component(key=KEY, data=data, on_changed_change=lambda: None)


def asked() -> list[Action]:
    """The actions that came since the last time, in their order."""
    # From the browser, so it may be anything at all; what does not fit is passed over.
    try:
        sent = _ACTIONS.validate_python((script.event(KEY, "changed") or [])[:MOST_ACTIONS])
    except (ValidationError, TypeError, KeyError):
        return []
    answered = _answered()
    new = []
    for action in sent:
        if action.number > answered.get(action.sample, 0):
            answered[action.sample] = action.number
            new.append(action)
    return new


def _answered() -> dict[str, int]:
    numbers: dict[str, int] = st.session_state.setdefault(_ANSWERED, {})
    return numbers
