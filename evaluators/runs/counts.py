"""How far a run is, in the words of every door."""

from __future__ import annotations

from evaluators.records import Run
from evaluators.runs.store import Counts


def checked_in_words(run: Run, counts: Counts) -> str:
    """What is checked: "216 answers checked", while some are not "20 of 24 checked"."""
    if counts.scored < counts.asked:
        return f"{counts.scored:,} of {counts.asked:,} checked"
    # An answer that several metrics judge is asked about several times, and is one answer.
    answers = counts.asked // len(run.evaluators)
    return f"{answers:,} answer{'' if answers == 1 else 's'} checked"
