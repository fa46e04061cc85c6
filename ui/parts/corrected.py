"""What people's labels make of a labeller's means, beside these; nothing without labels enough."""

from __future__ import annotations

import streamlit as st

from evaluators.runs import run_facts
from evaluators.runs.checks import checked, corrected_headlines
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from evaluators.text.words import readable
from ui.parts import chosen_view
from ui.parts.untrusted import plain


def say_headlines(view: RunView, metric: int = 0, model: int | None = None) -> bool:
    """What people say of one model, or of each, beside the labeller; whether there was anything."""
    lines = corrected_headlines(view, chosen_view.of(view.run), metric, model)
    for line in lines:
        st.header(plain(line), anchor=False)
    return bool(lines)


def show(view: RunView, metric: int = 0, model: int | None = None) -> None:
    """A line for each model, or for one: the means that labels of people correct."""
    if not view.people:
        return
    names = run_facts.titles(view.run)
    definition = chosen_view.of(view.run).definition
    for number in range(max(1, len(names))) if model is None else [model]:
        found = checked(view, metric, number, definition=definition)
        means = []
        for value in found.values:
            if value.corrected is not None:
                low, high = value.corrected.low, value.corrected.high
                mean = say(
                    "{value} **{mean:.2f}** ({low:.2f} to {high:.2f})",
                    value=plain(readable(value.name)),
                    mean=value.corrected.mean,
                    low=low,
                    high=high,
                )
                means.append(mean)
        if means:
            sentence = say(
                "Corrected by {number:,} answers that people labelled: {means}. "
                "**Check** says how.",
                number=found.labelled,
                means=" · ".join(means),
            )
            if len(names) > 1:
                sentence = say("{name}: {sentence}", name=plain(names[number]), sentence=sentence)
            st.markdown(f":material/balance: {sentence}")
