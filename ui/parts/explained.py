"""From a value, a rule or a word on any page to its place in the glossary under Learn."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from evaluators.runs import glossary
from evaluators.text.language import say
from evaluators.text.markup import html
from ui import session

TERM = "term"
"""The query parameter of the page Learn that names a term."""


def address(name: str) -> str:
    """The page of a term, beside whatever page the link stands on."""
    return f"learn?{urlencode(session.address(**{TERM: name}))}"


class Link(NamedTuple):
    """A "?" for a script: where it leads, and what a screen reader says of it."""

    href: str
    label: str


def link(word: str) -> Link | None:
    """The way from a metric, a value or a rule to its term; `None` where there is none."""
    term = glossary.term_of(word)
    if term is None:
        return None
    return Link(address(term.name), say("What is {word}?", word=say(term.title)))


def mark(word: str) -> str:
    """A small "?" as HTML behind a value, a metric or a rule; empty where nothing explains it.

    It opens another tab: a page that is left by an address forgets keys and choices.
    """
    found = link(word)
    if found is None:
        return ""
    href, said = map(html, found)
    return f' <a class="pl-term" href="{href}" target="_blank" aria-label="{said}">?</a>'


def help_of(word: str) -> str | None:
    """The meaning of a metric, a value or a rule for a widget's help, if the glossary has it."""
    term = glossary.term_of(word)
    return help_text(term.name) if term else None


def help_text(*names: str) -> str:
    """The meanings of these terms as Markdown for a widget's help, with a link to more."""
    return f"{glossary.meanings_of(*names)}  \n{more(names[0])}"


def question_mark(word: str) -> str:
    """The same as Markdown, for cells and sentences; it opens another tab as well."""
    found = link(word)
    return f'[?]({found.href} "{found.label}")' if found else ""


def more(name: str) -> str:
    """A link to a term as Markdown."""
    return f"[{say('More')}]({address(name)})"
