"""The glossary: each value, label, rule and word in a sentence, how it is counted, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import streamlit as st

from evaluators.runs.glossary import Term, terms
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.words import counted
from ui.parts.explained import address


def looked_up(name: str | None) -> None:
    """The one term that a page's "?" asked for, before all others; nothing without one."""
    term = terms().get(name or "")
    if term is None:
        return
    with st.container(border=True):
        st.header(say(term.title), anchor=False)
        st.html(f'<div class="pl-words">{_term_in_full(term)}</div>')


# What is typed draws the glossary anew and nothing else of the page.
@st.fragment
def show() -> None:
    """All terms by what they are about, or those that hold what is searched for."""
    st.header(say("Glossary"), anchor="glossary")
    wanted = st.text_input(
        say("Search the glossary"),
        placeholder=say("Search the glossary"),
        icon=":material/search:",
        max_chars=100,
        key="glossary_search",
        label_visibility="collapsed",
    )
    # Cut here as well: a browser may send more than its field holds.
    wanted = wanted[:100].strip().casefold()
    if wanted:
        found = [term for term in terms().values() if _holds(term, wanted)]
        st.caption(say("{words} found.", words=counted(len(found), "word")))
        _list_terms(found)
        return
    for group, members in groupby(terms().values(), key=lambda term: term.group):
        with st.expander(say(group), icon=":material/menu_book:"):
            _list_terms(members)


def _holds(term: Term, wanted: str) -> bool:
    """Whether a word of the term or its meaning holds it, in English or the reader's language."""
    texts = [term.title, *term.also, term.meaning]
    return any(wanted in text.casefold() for text in [*texts, *map(say, texts)])


def _list_terms(chosen: Iterable[Term]) -> None:
    entries = "".join(map(_glossary_entry, chosen))
    st.html(f'<dl class="pl-words">{entries}</dl>')


def _glossary_entry(term: Term) -> str:
    link = f'<a href="{html(address(term.name))}">{html(say(term.title))}</a>'
    return f"<dt>{link}</dt><dd>{_term_in_full(term)}</dd>"


def _term_in_full(term: Term) -> str:
    """The sentence, then what there is of formula, ideal range and advice."""
    parts = {
        say("How it is counted:"): term.formula,
        say("Ideal:"): term.ideal,
        say("What to do:"): term.advice,
    }
    lines = [f"<p>{html(say(term.meaning))}</p>"]
    for title, words in parts.items():
        if words:
            lines.append(f"<p><b>{html(title)}</b> {html(say(words))}</p>")
    return "".join(lines)
