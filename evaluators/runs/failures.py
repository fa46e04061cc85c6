"""Why samples failed: one table at every door, each reason with what to do in that door's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from evaluators.errors import IN_PYTHON
from evaluators.records import Reason
from evaluators.text.language import mark

HEADINGS = (mark("Samples"), mark("Why they failed"))

# Only to count failures together; what is done about one is decided by its kind.
OF_A_SAMPLE = re.compile(r"^(Sample .+?): ")

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
    alike: dict[str, Counter[str]] = {}
    for reason, count in reasons:
        same_but_for_the_sample = OF_A_SAMPLE.sub("", reason.message)
        alike.setdefault(same_but_for_the_sample, Counter())[worded(reason)] += count
    counts: Counter[str] = Counter()
    for messages in alike.values():
        first = next(iter(messages))
        if len(messages) > 1:
            first = OF_A_SAMPLE.sub(r"\1 and others: ", first)
        counts[first] += messages.total()
    return dict(counts.most_common())
