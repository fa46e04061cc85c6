"""Patterns and ideal ranges of the four TRACE values, as the GPT labelling document has them."""

from __future__ import annotations

from collections.abc import Mapping

from evaluators.records import Record
from evaluators.text.language import mark
from evaluators.trace.values import FOUR, HIGH, METRICS

Values = Mapping[str, float | None]

# The document's example of unused retrieval has a utilization of 0.40, and that of conservative
# answers an adherence of 1.00: these two bounds leave room around them.
LOW_UTILIZATION = 0.5
GROUNDED = 0.95
"""Adherence of a run that is as good as perfect; one sample's is 0 or 1."""


class Pattern(Record):
    """What the values say together: a name, its meaning and the remedy, as plain sentences."""

    name: str
    meaning: str
    remedy: str


UNUSED = Pattern(
    name=mark("Good retrieval, bad generation"),
    meaning=mark("Much of what was retrieved is relevant, but little of it is used."),
    remedy=mark(
        "Tell the generator in its prompt to answer from the documents, and to use all that "
        "is relevant."
    ),
)
CONSERVATIVE = Pattern(
    name=mark("Conservative but accurate"),
    meaning=mark("What is said is supported, but relevant information is left out."),
    remedy=mark(
        "Retrieve more of what the question asks for, or ask the generator for a fuller summary."
    ),
)
COMPREHENSIVE = Pattern(
    name=mark("Comprehensive and grounded"),
    meaning=mark("Retrieval is relevant, the answer uses it, leaves little out and is supported."),
    remedy=mark("Nothing to fix. Keep watching the values."),
)


def pattern(values: Values) -> Pattern | None:
    """The first documented pattern that the values of a sample, or the means of a run, show.

    None where they show none. A value that is missing or None is neither high nor low. Unused
    retrieval comes first, as it also explains why relevant information is left out.
    """
    four = [values.get(name) for name in METRICS]
    relevance, utilization, completeness, adherence = four
    if _is_high(relevance) and utilization is not None and utilization < LOW_UTILIZATION:
        return UNUSED
    if adherence is None or adherence < GROUNDED:
        return None
    if completeness is not None and completeness < HIGH:
        return CONSERVATIVE
    if all(map(_is_high, four)):
        return COMPREHENSIVE
    return None


def _is_high(value: float | None) -> bool:
    return value is not None and value >= HIGH


def ideals(values: Values) -> dict[str, bool | None]:
    """Whether each of the four values is in its ideal range; None for a value that is unknown."""
    are_ideal: dict[str, bool | None] = {}
    for record in FOUR:
        value = values.get(record.name)
        are_ideal[record.name] = None if value is None else value >= (record.least or 0)
    return are_ideal
