"""The kinds of a round: what is asked in each, in which words, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from evaluators.records import Support
from evaluators.rounds.records import RoundKind
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import mark
from evaluators.text.words import counted


class Described(NamedTuple):
    """A kind as the screens show it; its texts are put into the reader's language there.

    `words` are those of the three targets, from left to right. `counting` says how many places
    there are, and `usual` is how many answers the form proposes. Of a preference the targets are
    two sides and a middle; of all others the last one is the strictest. Where the words need it,
    `meanings` says what they mean, and `asked_help` what beginners ask.
    """

    title: str
    what_for: str
    asked: str
    counting: Callable[[int], str]
    words: Mapping[Support, str]
    meanings: Sequence[str] = ()
    asked_help: str = ""
    usual: int = 8
    is_labeller: bool = False
    is_preference: bool = False


def _words(full: str, partial: str, none: str) -> Mapping[Support, str]:
    return {Support.FULL: full, Support.PARTIAL: partial, Support.NONE: none}


KINDS: Mapping[RoundKind, Described] = {
    "support": Described(
        title=mark("Label sentences"),
        what_for=mark(
            "Chosen because they teach, not drawn at random: the class becomes a labeller of this "
            "run, but its labels cannot correct the mean."
        ),
        asked=mark("Do the documents say this?"),
        counting=lambda number: counted(number, "sentence"),
        words=_words(mark("supported"), mark("partly"), mark("not")),
        meanings=(mark("all of it"), mark("a part of it"), mark("none of it")),
        asked_help=NO_CLAIM,
        is_labeller=True,
    ),
    "guess": Described(
        title=mark("Guess the verdict"),
        what_for=mark(
            "Of each answer: does the run's labeller call all, some or none of its sentences "
            "supported? Guesses are kept with the round and change nothing in the run."
        ),
        asked=mark("How many of its sentences does {labeller} call supported?"),
        counting=lambda number: counted(number, "answer"),
        words=_words(mark("all"), mark("some"), mark("none")),
    ),
    "score": Described(
        title=mark("Guess the score"),
        what_for=mark(
            "Of each answer: will this value be high, middle or low? The reveal shows the number. "
            "Guesses are kept with the round and change nothing in the run."
        ),
        asked=mark("How high is the {value}?"),
        counting=lambda number: counted(number, "answer"),
        words=_words(mark("high"), mark("middle"), mark("low")),
        meanings=(mark("0.67 or more"), mark("0.34 to 0.66"), mark("0.33 or less")),
    ),
    "planted": Described(
        title=mark("Find the planted error"),
        what_for=mark(
            "Of each document: does it hold an error that was put there? The reveal shows which "
            "do, and which model noticed. Votes are kept with the round."
        ),
        asked=mark("Does this document hold a planted error?"),
        counting=lambda number: counted(number, "document"),
        words=_words(mark("no error"), mark("not sure"), mark("error")),
        # Each has some five documents.
        usual=4,
    ),
    "better": Described(
        title=mark("Which answer is better?"),
        what_for=mark(
            "Two models' answers side by side, without names, in an order by chance. The reveal "
            "shows whose they are and who wins. Votes are kept with the round."
        ),
        asked=mark("Which answer is better?"),
        counting=lambda number: counted(number, "pair"),
        words=_words(mark("left side"), mark("both alike"), mark("right side")),
        is_preference=True,
    ),
}
