"""From a value, a rule or a word on any page to its place in the glossary under Learn."""

from __future__ import annotations

from urllib.parse import urlencode

from evaluators.runs import glossary
from evaluators.text.markup import html
from ui import session

TERM = "term"
"""The query parameter of the page Learn that names a term."""


def address(name: str) -> str:
    """The page of a term, beside whatever page the link stands on."""
    return f"learn?{urlencode(session.address(**{TERM: name}))}"


def mark(title: str) -> str:
    """A small "?" as HTML behind the title of a value; empty where the glossary has no such term.

    It opens another tab: a page that is left by an address forgets keys and choices.
    """
    term = glossary.titled(title)
    if term is None:
        return ""
    said = html(f"What is {title}?")
    href = html(address(term.name))
    return f' <a class="pl-term" href="{href}" target="_blank" aria-label="{said}">?</a>'


def help_text(*names: str) -> str:
    """The meanings of these terms as Markdown for a widget's help, with a link to more."""
    return f"{glossary.meanings_of(*names)}  \n{more(names[0])}"


def more(name: str) -> str:
    """A link to a term as Markdown."""
    return f"[More]({address(name)})"
