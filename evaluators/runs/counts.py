"""How far a run is, in the words of every door."""

from __future__ import annotations

from evaluators.records import Run
from evaluators.runs.store import Counts
from evaluators.text.language import say
from evaluators.text.words import counted


def checked_and_failed(run: Run, counts: Counts) -> str:
    """What is checked, and what failed where something did: "20 of 24 checked, 1 failed"."""
    checked = checked_in_words(run, counts)
    if not counts.failed:
        return checked
    return say("{checked}, {failed:,} failed", checked=checked, failed=counts.failed)


def checked_in_words(run: Run, counts: Counts) -> str:
    """What is checked: "216 answers checked", while some are not "20 of 24 checked".

    Where prompts are repeated it says so: "1,080 answers checked (216 prompts × 5)".
    """
    # An answer that several metrics judge is asked about several times, and is one answer.
    answers = counts.asked // len(run.evaluators)
    checked = say("{answers} checked", answers=counted(answers, "answer"))
    if counts.scored < counts.asked:
        checked = say("{part:,} of {all:,} checked", part=counts.scored, all=counts.asked)
    if run.repeats == 1:
        return checked
    return say(
        "{checked} ({prompts} × {repeats})",
        checked=checked,
        prompts=counted(answers // run.repeats, "prompt"),
        repeats=run.repeats,
    )


def failed_in_words(counts: Counts) -> str:
    """How many failed, and of how many the results are."""
    if not counts.scored:
        return say(
            "{failed:,} of {asked:,} failed: there is no result.",
            failed=counts.failed,
            asked=counts.asked,
        )
    return say(
        "{failed:,} of {asked:,} failed: the results are of the other {scored:,}.",
        failed=counts.failed,
        asked=counts.asked,
        scored=counts.scored,
    )
