"""What a participant reads before a tap: the question, and what belongs to the kind of round."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.records import Support
from evaluators.report import coloured
from evaluators.rounds.records import AskedPlace
from evaluators.runs.round_content import RoundAnswer, RoundContent
from evaluators.text.language import say
from evaluators.text.markup import html
from ui.round import bars


def show(
    content: RoundContent,
    place: AskedPlace,
    own: Mapping[AskedPlace, Support],
) -> None:
    """The answer with its documents, the documents alone, or two answers."""
    answer = content.answers[place.answer]
    question = f'<p class="pl-question" dir="auto">{html(answer.sample.question)}</p>'
    if content.kind == "planted":
        st.html(question + _documents(content, place, own))
        return
    if answer.pair:
        st.html(question + _side_by_side(answer))
        st.html(coloured.passages(answer.sample.evidence, answer.sample))
        return
    left, right = st.columns(2)
    with left:
        st.html(question + _sentences(content, place, own))
    with right:
        st.html(coloured.passages(answer.sample.evidence, answer.sample))


def folded(content: RoundContent, disputed: Mapping[int, AskedPlace]) -> None:
    """Question, answer and documents of each answer, which `bars.asked_of_answer` opens over the
    page; what is `disputed` of it is outlined.

    An element of its own that changes at the reveal alone: one that is open outlives what is drawn
    around it.
    """
    parts = []
    for number, answer in content.answers.items():
        name = bars.folded_id(number)
        hide = f'popovertarget="{name}" popovertargetaction="hide"'
        question = f'<p class="pl-question" dir="auto">{html(answer.sample.question)}</p>'
        here = disputed.get(number, AskedPlace(number, ""))
        if content.kind == "planted":
            texts = _documents(content, here, {})
        else:
            shown = _side_by_side(answer) if answer.pair else _sentences(content, here, {})
            texts = shown + coloured.passages(answer.sample.evidence, answer.sample)
        parts.append(
            f'<div class="pl-folded" popover="auto" id="{name}">'
            f"<button {hide}>{html(say('Back'))}</button>{question}{texts}</div>"
        )
    if parts:
        st.html("".join(parts))


def _sentences(
    content: RoundContent,
    place: AskedPlace,
    own: Mapping[AskedPlace, Support],
) -> str:
    """The answer whose sentences are labelled; not the sample's, which no model's answer is."""
    parts = bars.parts_around(content, place, own)
    return f'<div class="pl-text">{" ".join(parts) or coloured.empty_answer()}</div>'


def _documents(
    content: RoundContent,
    place: AskedPlace,
    own: Mapping[AskedPlace, Support],
) -> str:
    parts = bars.parts_around(content, place, own)
    keyed = zip(content.answers[place.answer].asked, parts, strict=True)
    rows = [
        f'<span class="pl-key">{bars.number(AskedPlace(place.answer, key))}</span><div>{part}</div>'
        for key, part in keyed
    ]
    return f'<div class="pl-documents pl-text">{"".join(rows)}</div>'


def _side_by_side(answer: RoundAnswer) -> str:
    sides = []
    for side, text in zip((say("Left", "side"), say("Right", "side")), answer.pair, strict=True):
        body = html(text) or coloured.empty_answer()
        sides.append(f'<div class="pl-text" dir="auto"><h3>{html(side)}</h3>{body}</div>')
    return f'<div class="pl-pair">{"".join(sides)}</div>'
