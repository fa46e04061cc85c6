"""How many planted errors a labeller found, as blocks for every door."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.document.blocks import Block, Passage, Section, Table
from evaluators.flaws.planting import PLANTED, SAME, UNTOUCHED
from evaluators.runs.aggregate import View
from evaluators.runs.planted import (
    ChangedMind,
    FoundErrors,
    changed_minds,
    found_errors,
    is_planted,
)
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE
from evaluators.text.words import counted

FOUND, SUSPECTED = mark("Found"), mark("Found or suspected")
HEADINGS_OF_SAME = (mark("The same content"), mark("Checked"), mark("Other verdict"))
HEADINGS = (mark("Planted error"), mark("Checked"), FOUND, SUSPECTED)


def planted_errors(view: RunView, by: View) -> Iterator[Section]:
    """The kinds with what was found, and the false alarms; nothing of any other run."""
    if is_planted(view.run):
        yield Section(say("Planted errors"), list(_blocks(found_errors(view, by))))
        yield Section(say("The same in another look"), list(_same(changed_minds(view, by))))


def _blocks(every: list[FoundErrors]) -> Iterator[Block]:
    rows = [
        [
            title_of(one),
            one.found.coverage,
            RATE.estimate(one.found),
            RATE.estimate(one.suspected),
        ]
        for one in every
    ]
    yield Table(HEADINGS, rows, HEADINGS[1:])
    yield Passage(in_words(every), "facts")


def _same(every: list[ChangedMind]) -> Iterator[Block]:
    rows = [
        [say(SAME[one.kind].title), one.changed.coverage, RATE.estimate(one.changed)]
        for one in every
    ]
    yield Table(HEADINGS_OF_SAME, rows, HEADINGS_OF_SAME[1:])
    yield Passage(
        say("How often the verdict is another one than that of the answer as it is."), "facts"
    )


def title_of(one: FoundErrors) -> str:
    if one.kind == UNTOUCHED:
        return say("None: false alarms")
    return say(PLANTED[one.kind].title)


def in_words(every: list[FoundErrors]) -> str:
    """What the figures are of."""
    answers = max((one.found.asked for one in every), default=0)
    return say(
        "{answers} that were called supported were asked about again, as they are and with one "
        "error each. Found is what is no longer called supported.",
        answers=counted(answers, "answer"),
    )
