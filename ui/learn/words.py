"""The glossary: each value, label, rule and word in a sentence, how it is counted, what to do."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from evaluators.runs.glossary import Term, terms
from evaluators.text.markup import html
from ui.parts.explained import address


def looked_up(name: str | None) -> None:
    """The one term that a page's "?" asked for, before all others; nothing without one."""
    term = terms().get(name or "")
    if term is None:
        return
    with st.container(border=True):
        st.header(term.title, anchor=False)
        st.html(f'<div class="pl-words">{_term_in_full(term)}</div>')


def show() -> None:
    """All terms by what they are about."""
    st.header("Glossary", anchor="glossary")
    for group, members in groupby(terms().values(), key=lambda term: term.group):
        with st.expander(group, icon=":material/menu_book:"):
            entries = "".join(map(_glossary_entry, members))
            st.html(f'<dl class="pl-words">{entries}</dl>')


def _glossary_entry(term: Term) -> str:
    link = f'<a href="{html(address(term.name))}">{html(term.title)}</a>'
    return f"<dt>{link}</dt><dd>{_term_in_full(term)}</dd>"


def _term_in_full(term: Term) -> str:
    """The sentence, then what there is of formula, ideal range and advice."""
    parts = {"How it is counted": term.formula, "Ideal": term.ideal, "What to do": term.advice}
    lines = [f"<p>{html(term.meaning)}</p>"]
    for title, words in parts.items():
        if words:
            lines.append(f"<p><b>{title}:</b> {html(words)}</p>")
    return "".join(lines)
