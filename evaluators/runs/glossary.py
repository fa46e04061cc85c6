"""What every value, label, rule and word means: one place for pages, help texts and files.

The texts are in `data/glossary.toml`; what stands beside a value in the code already is read from
there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache

from evaluators.config import ROOT
from evaluators.records import Record
from evaluators.runs.rgb_figures import RATES
from evaluators.runs.shown_values import AVERAGE, GROUPS
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import ENGLISH, say, speaking
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
_OF_A_RULE = re.compile(r"^(Chinese |\d+ of \d+ )")
RULES_GROUP = "Rules of RGB"
PATTERNS: Mapping[Pattern, str] = {
    UNUSED: f"context relevance {HIGH:g} or more, context utilization below {LOW_UTILIZATION:g}",
    CONSERVATIVE: f"adherence {GROUNDED:g} or more, completeness below {HIGH:g}",
    COMPREHENSIVE: f"all three {HIGH:g} or more, adherence {GROUNDED:g} or more",
}
"""When the values show each pattern, in words."""


class Term(Record):
    """A word with its meaning in one sentence, in English; what does not apply is empty.

    `also` are further titles that pages show it under, `values` the names of values that it stands
    for, `formula` is how it is counted, `ideal` where it should lie, `advice` what to do if it does
    not.
    """

    name: str
    group: str
    title: str
    also: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
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


def term_of(word: str) -> Term | None:
    """The term of a metric, a value or a rule by its name, or by the English title on a page.

    `None` where it is not explained. Of "Mean (LLM as judge)" it is that of the metric in brackets.
    """
    # A rule names its language, or how many parts are there: "1 of 2 required answers".
    word = _OF_A_RULE.sub("", word.replace("\N{NO-BREAK SPACE}", " "))
    label, _, metric = word.partition(" (")
    with speaking(ENGLISH):
        candidates = (word, readable(word), metric.removesuffix(")"), label)
    return next((_by_word()[name] for name in candidates if name in _by_word()), None)


def meanings_of(*names: str) -> str:
    """The meanings of these terms as Markdown, one a line, for a help text."""
    chosen = [terms()[name] for name in names]
    return "  \n".join(
        say("**{word}**: {meaning}", word=say(term.title), meaning=say(term.meaning))
        for term in chosen
    )


@cache
@speaking(ENGLISH)
def _by_word() -> Mapping[str, Term]:
    found = {}
    for term in terms().values():
        # In verdicts a rule stands in small letters.
        rule = [term.title.lower()] if term.group == RULES_GROUP else []
        for word in (term.name, *term.values, readable(term.name), *term.also, *rule, term.title):
            found[word] = term
    return found


def _meanings() -> dict[str, str]:
    """The meanings that stand beside the values in the code, by the names of their terms."""
    found = {"average": f"{AVERAGE}.", "no_claim": NO_CLAIM}
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
