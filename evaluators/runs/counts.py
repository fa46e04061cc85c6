"""How far a run is, in the words of every door."""

from __future__ import annotations

from evaluators.records import Run
from evaluators.runs.store import Counts
from evaluators.text.words import counted


def checked_and_failed(run: Run, counts: Counts) -> str:
    """What is checked, and what failed where something did: "20 of 24 checked, 1 failed"."""
    failed = f", {counts.failed:,} failed" if counts.failed else ""
    return f"{checked_in_words(run, counts)}{failed}"


def checked_in_words(run: Run, counts: Counts) -> str:
    """What is checked: "216 answers checked", while some are not "20 of 24 checked".

    Where prompts are repeated it says so: "1,080 answers checked (216 prompts × 5)".
    """
    # An answer that several metrics judge is asked about several times, and is one answer.
    answers = counts.asked // len(run.evaluators)
    repeated = ""
    if run.repeats > 1:
        repeated = f" ({counted(answers // run.repeats, 'prompt')} × {run.repeats})"
    if counts.scored < counts.asked:
        return f"{counts.scored:,} of {counts.asked:,} checked{repeated}"
    return f"{counted(answers, 'answer')} checked{repeated}"
