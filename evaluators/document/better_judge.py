"""Whether examples made a judge better, and what it got wrong before, as blocks for every door."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.comparison.better_judge import TOO_MILD, TOO_STRICT, Proposal, Trial, trial
from evaluators.document.blocks import Block, Passage, Section, Table
from evaluators.flaws.kinds import KINDS
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark, say
from evaluators.text.scale import RATE
from evaluators.text.words import counted

ERROR, SENTENCES = mark("Where the judge errs"), mark("Sentences")
JUDGE, AGREES = mark("Judge"), mark("Agrees with people")
_TITLES = {
    TOO_STRICT: mark("Says not supported, people say it is"),
    TOO_MILD: mark("Says supported, people say not"),
}


def tried_examples(view: RunView) -> Iterator[Section]:
    """What came out, as the heading, with both agreements; nothing of any other run."""
    if tried := trial(view):
        yield Section(tried.sentence, list(_blocks(tried)))


def _blocks(tried: Trial) -> Iterator[Block]:
    if difference := tried.difference:
        rows = [
            [say("Without examples"), RATE.shown(difference.first)],
            [say("With examples"), RATE.shown(difference.second)],
        ]
        yield Table((JUDGE, AGREES), rows, (AGREES,))
    notes = [say("The examples are from other questions than these answers.")]
    if tried.left_out:
        notes.append(
            say(
                "{left_out} of {asked} are left out: failed or not applicable.",
                left_out=f"{tried.left_out:,}",
                asked=counted(tried.asked, "answer"),
            )
        )
    if tried.trials > 1:
        notes.append(
            say(
                "It is one of {trials} trials on these answers, and chance is reckoned for all.",
                trials=f"{tried.trials:,}",
            )
        )
    yield Passage(" ".join(notes), "facts")


def errors_of_judge(found: Proposal) -> list[Block]:
    """What the judge got wrong, by kind, and in how many answers."""
    rows = [[_title(kind), f"{count:,}"] for kind, count in found.kinds.items()]
    words = say(
        "Of {answers} in this half {wrong} have another verdict than people's. {unseen} are in the "
        "other half, {left_out} without a verdict by both.",
        answers=counted(found.answers, "answer"),
        wrong=f"{found.wrong:,}",
        unseen=f"{found.unseen:,}",
        left_out=f"{found.left_out:,}",
    )
    return [Table((ERROR, SENTENCES), rows, (SENTENCES,)), Passage(words, "facts")]


def _title(kind: str) -> str:
    # Kinds of flaws that texts tell are of sentences that are called supported, by their meaning.
    return say(_TITLES[kind] if kind in _TITLES else KINDS[kind].title)
