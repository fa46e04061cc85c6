"""What every value, label, rule and word means: one place for pages, help texts and files.

Those of values and formulas stand beside them in the code, all others in `data/glossary.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import chain

from evaluators.abilities import RGB_VALUES
from evaluators.base import Evaluator
from evaluators.catalogue import catalogue
from evaluators.config import ROOT
from evaluators.records import Record
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import ENGLISH, say, speaking
from evaluators.text.normalise import slug
from evaluators.text.words import readable
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.patterns import (
    COMPREHENSIVE,
    CONSERVATIVE,
    GROUNDED,
    LOW_UTILIZATION,
    UNUSED,
    Pattern,
)
from evaluators.trace.values import HIGH, TRACE_VALUES
from evaluators.values import Value

_FILE = ROOT / "data" / "glossary.toml"
_OF_A_RULE = re.compile(r"^(Chinese |\d+ of \d+ )")
VALUES = {"TRACE": TRACE_VALUES, "RGB": RGB_VALUES}
"""The values of the benchmarks, by the group that explains them."""
RULES_GROUP = "Rules of RGB"
DEFINITIONS_GROUP = "Definitions of TRACE"
GROUPS_IN_ORDER = ("Basics", "TRACE", DEFINITIONS_GROUP, "RGB", RULES_GROUP)
"""What a reader needs first; further groups stand behind these as they come in the file."""
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


def terms() -> Mapping[str, Term]:
    """All terms by name, in the order of the glossary; values of one's own metrics come last."""
    return {**_terms_that_ship(), **_terms_of_metrics()}


def _terms_of_metrics() -> dict[str, Term]:
    return {term.name: term for cls in catalogue().values() for term in _terms_of_metric(cls)}


# A file of one's own that has changed since has another class.
@lru_cache(maxsize=256)
def _terms_of_metric(cls: type[Evaluator]) -> list[Term]:
    shipped = [*chain.from_iterable(VALUES.values())]
    values = [value for value in cls.values if value.meaning and value not in shipped]
    return [_term_of_value(value, cls.title) for value in values]


@cache
def _terms_that_ship() -> Mapping[str, Term]:
    """What stands in the file and beside the values of the benchmarks; read once per process."""
    found: dict[str, Term] = {}
    for group, values in VALUES.items():
        for value in values:
            if not value.term:
                found[value.name] = _term_of_value(value, group)
    for entry in tomllib.loads(_FILE.read_text(encoding="utf-8"))["term"]:
        by_metrics = {"meaning": NO_CLAIM} if entry["name"] == "no_claim" else {}
        found[entry["name"]] = Term.model_validate(by_metrics | entry)
    for name, definition in DEFINITIONS.items():
        found[name] = Term(
            name=name,
            group=DEFINITIONS_GROUP,
            title=definition.title,
            meaning=definition.meaning,
            advice=definition.advice,
        )
    for shown, when in PATTERNS.items():
        name = slug(shown.name)
        found[name] = Term(
            name=name,
            group="Patterns of TRACE",
            title=shown.name,
            meaning=shown.meaning,
            formula=when,
            advice=shown.remedy,
        )
    return dict(sorted(found.items(), key=_place_of_group))


def term_of(word: str) -> Term | None:
    """The term of a metric, a value or a rule by its name, or by the English title on a page.

    `None` where it is not explained. Of "Mean (LLM as judge)" it is that of the metric in brackets.
    """
    # A rule names its language, or how many parts are there: "1 of 2 required answers".
    word = _OF_A_RULE.sub("", word.replace("\N{NO-BREAK SPACE}", " "))
    label, _, metric = word.partition(" (")
    with speaking(ENGLISH):
        candidates = (word, readable(word), metric.removesuffix(")"), label)
    for name in candidates:
        if known := _by_word().get(name):
            return known
    own = _terms_of_metrics().values()
    return next((term for term in own if {term.name, term.title} & {*candidates}), None)


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
    for term in _terms_that_ship().values():
        # In verdicts a rule stands in small letters.
        rule = [term.title.lower()] if term.group == RULES_GROUP else []
        for word in (term.name, *term.values, readable(term.name), *term.also, *rule, term.title):
            found[word] = term
    for value in chain.from_iterable(VALUES.values()):
        for word in filter(None, (value.in_score, value.column, value.heading)):
            found.setdefault(word, _terms_that_ship()[value.term or value.name])
    return found


def _place_of_group(named: tuple[str, Term]) -> int:
    """Sorted by it, terms of one group stay in their order."""
    group = named[1].group
    return GROUPS_IN_ORDER.index(group) if group in GROUPS_IN_ORDER else len(GROUPS_IN_ORDER)


def _term_of_value(value: Value, group: str) -> Term:
    return Term(
        name=value.name,
        group=group,
        title=value.heading,
        also=value.also,
        meaning=f"{value.meaning[:1].upper()}{value.meaning[1:]}.",
        formula=value.formula,
        ideal=value.ideal_range,
        advice=value.advice,
    )
