"""Why samples failed: one table at every door, each reason with what to do in that door's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from evaluators.errors import IN_PYTHON
from evaluators.marking import Message
from evaluators.records import Reason
from evaluators.text.language import mark, say
from evaluators.text.words import of_sample

HEADINGS = (mark("Samples"), mark("Why they failed"))

Worded = Callable[[Reason], str]
"""What failed and what to do, in the words of one door."""


def in_python(reason: Reason) -> str:
    return reason.worded(IN_PYTHON)


def failures(
    reasons: Iterable[tuple[Reason, int]],
    worded: Worded,
) -> Mapping[str, int]:
    """How many samples failed of each reason, in the words of one door, the most frequent first.

    Reasons that differ only in the sample they name are one: "Sample 3 and others: ...".
    """
    alike: dict[str, list[tuple[Reason, int]]] = {}
    for reason, count in reasons:
        _, problem = _sample_and_problem(reason)
        alike.setdefault(problem, []).append((reason, count))
    counts: Counter[str] = Counter()
    for together in alike.values():
        first = together[0][0]
        sample, problem = _sample_and_problem(first)
        if sample and len({reason.message for reason, _ in together}) > 1:
            message = say("Sample {id} and others: {problem}", id=sample, problem=problem)
            first = first.model_copy(update={"message": message})
        counts[worded(first)] += sum(count for _, count in together)
    return dict(counts.most_common())


def _sample_and_problem(reason: Reason) -> tuple[str, str]:
    """The sample that a reason names and what it says of it; the first is empty where none is."""
    message = reason.message
    if isinstance(message, Message) and message.maker is of_sample:
        sample, problem = message.parts
        return sample, problem
    return "", message
