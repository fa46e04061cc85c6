"""Patterns and ideal ranges of the four TRACE values, as the GPT labelling document has them."""

from __future__ import annotations

from collections.abc import Mapping

from evaluators.records import Record
from evaluators.text.language import mark
from evaluators.trace.definitions import METRICS

Values = Mapping[str, float | None]

# "High (0.7+)" is the document's. Its example of unused retrieval has a utilization of 0.40, and
# that of conservative answers an adherence of 1.00: these two bounds leave room around them.
HIGH = 0.7
LOW_UTILIZATION = 0.5
GROUNDED = 0.95
"""Adherence of a run that is as good as perfect; one sample's is 0 or 1."""
IDEALS: Mapping[str, float] = {
    "context_relevance": HIGH,
    "context_utilization": HIGH,
    "completeness": HIGH,
    "adherence": 1.0,
}
"""From where each value is ideal: the first three high, adherence perfect."""


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
    known: dict[str, float] = {}
    for name in METRICS:
        value = values.get(name)
        if value is not None:
            known[name] = value
    # What is unknown is neither high nor low: each default fails its comparison.
    relevance = known.get("context_relevance", 0)
    utilization = known.get("context_utilization", 1)
    if relevance >= HIGH and utilization < LOW_UTILIZATION:
        return UNUSED
    if known.get("adherence", 0) < GROUNDED:
        return None
    if known.get("completeness", 1) < HIGH:
        return CONSERVATIVE
    if all(known.get(name, 0) >= HIGH for name in METRICS):
        return COMPREHENSIVE
    return None


def ideals(values: Values) -> dict[str, bool | None]:
    """Whether each of the four values is in its ideal range; None for a value that is unknown."""
    are_ideal: dict[str, bool | None] = {}
    for name, least in IDEALS.items():
        value = values.get(name)
        are_ideal[name] = None if value is None else value >= least
    return are_ideal
