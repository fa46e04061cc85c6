"""What every value, label, rule and word means: one place for pages, help texts and files.

The texts are in `data/glossary.toml`; what stands beside a value in the code already is read from
there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from evaluators.config import ROOT
from evaluators.records import Record
from evaluators.runs.rgb_figures import RATES
from evaluators.runs.shown_values import AVERAGE, GROUPS
from evaluators.text.normalise import slug
from evaluators.text.words import readable
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.patterns import (
    COMPREHENSIVE,
    CONSERVATIVE,
    GROUNDED,
    HIGH,
    IDEALS,
    LOW_UTILIZATION,
    UNUSED,
    Pattern,
)

_FILE = ROOT / "data" / "glossary.toml"
PATTERNS: Mapping[Pattern, str] = {
    UNUSED: f"relevance {HIGH:g} or more, utilization below {LOW_UTILIZATION:g}",
    CONSERVATIVE: f"adherence {GROUNDED:g} or more, completeness below {HIGH:g}",
    COMPREHENSIVE: f"all three {HIGH:g} or more, adherence {GROUNDED:g} or more",
}
"""When the values show each pattern, in words."""


class Term(Record):
    """A word with its meaning in one sentence; what does not apply is empty.

    `also` are further titles that pages show it under, `formula` is how it is counted, `ideal`
    where it should lie, `advice` what to do if it does not.
    """

    name: str
    group: str
    title: str
    also: tuple[str, ...] = ()
    meaning: str
    formula: str = ""
    ideal: str = ""
    advice: str = ""


@cache
def terms() -> Mapping[str, Term]:
    """All terms by name, in the order of the glossary; read once per process."""
    entries = tomllib.loads(_FILE.read_text(encoding="utf-8"))["term"]
    meanings, ideals = _meanings(), _ideals()
    found = {}
    for entry in entries:
        name = entry["name"]
        known = {"meaning": meanings.get(name), "ideal": ideals.get(name, "")}
        found[name] = Term.model_validate(known | entry)
    for shown, values in PATTERNS.items():
        name = slug(shown.name)
        found[name] = Term(
            name=name,
            group="Patterns of TRACE",
            title=shown.name,
            meaning=shown.meaning,
            formula=values,
            advice=shown.remedy,
        )
    return found


def titled(title: str) -> Term | None:
    """The term that a page shows under this title; `None` where it is not explained."""
    return _by_title().get(title)


def meanings_of(*names: str) -> str:
    """The meanings of these terms as Markdown, one a line, for a help text."""
    chosen = [terms()[name] for name in names]
    return "  \n".join(f"**{term.title}**: {term.meaning}" for term in chosen)


@cache
def _by_title() -> Mapping[str, Term]:
    found = {}
    for term in terms().values():
        for title in (readable(term.name), *term.also, term.title):
            found[title] = term
    return found


def _meanings() -> dict[str, str]:
    """The meanings that stand beside the values in the code, by the names of their terms."""
    found = {"average": f"{AVERAGE}."}
    for _, _, meanings in GROUPS:
        for name, meaning in meanings.items():
            found[name] = f"{meaning}."
    for title, (meaning, _) in RATES.items():
        found[slug(title)] = f"{meaning.capitalize()}."
    for name, definition in DEFINITIONS.items():
        found[name] = definition.meaning
    return found


def _ideals() -> dict[str, str]:
    return {
        name: f"{least:g}" if least == 1 else f"{least:g} or more" for name, least in IDEALS.items()
    }
