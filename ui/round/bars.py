"""Sentences of a round on the screen: the spread of the class, and what labellers say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluators.people.labellers import labeller_title
from evaluators.records import Support
from evaluators.report.coloured import COLOURS, SUPPORTS
from evaluators.rounds.records import AskedPlace, RoundKind
from evaluators.rounds.tally import Spread
from evaluators.runs.rounds import RoundContent
from evaluators.text.markup import html
from evaluators.trace.labelling import GOLD, HEURISTIC, JURY

SHORT: Mapping[RoundKind, Mapping[Support, str]] = {
    "support": {Support.FULL: "supported", Support.PARTIAL: "partly", Support.NONE: "not"},
    "guess": {Support.FULL: "all", Support.PARTIAL: "some", Support.NONE: "none"},
}
"""The words of the three targets: of a sentence, and of an answer's sentences."""
WHOSE = {HEURISTIC: "the free estimate", JURY: "the jury", GOLD: "gold"}
"""Labellers that have another word inside a sentence."""
NOUNS: Mapping[RoundKind, str] = {"support": "sentence", "guess": "answer"}


def in_a_sentence(by: str) -> str:
    """What a labeller is called inside a sentence, as text."""
    return WHOSE.get(by) or labeller_title(by)


def bar(spread: Spread, kind: RoundKind) -> str:
    """How many said what, as a bar and in numbers."""
    parts = []
    for support, word in SHORT[kind].items():
        count = getattr(spread, support.value)
        if count:
            colour = COLOURS[SUPPORTS[support]]
            # As wide as its share, and wide enough for its number.
            parts.append(
                f'<span class="{colour}" style="flex-grow: {count}">{count} {html(word)}</span>'
            )
    return f'<div class="pl-bar">{"".join(parts)}</div>'


def verdict(
    kind: RoundKind,
    name: str,
    support: Support | None,
    *,
    truth: Support | None = None,
) -> str:
    """What a labeller says, with a mark where it is known whether that is right."""
    if support is None:
        return f'<span class="pl-said">{html(name)}: <b>no label</b></span>'
    # A mark beside the colour, which not everybody sees.
    mark = ""
    if truth is not None:
        mark = " ✓" if support is truth else " ✗"
    colour = COLOURS[SUPPORTS[support]]
    words = f"{html(name)}: <b>{SHORT[kind][support]}{mark}</b>"
    return f'<span class="pl-said {colour}">{words}</span>'


def sentence_line(content: RoundContent, place: AskedPlace) -> str:
    """The sentence with its answer's number and its key."""
    return text_line(place, content.text(place))


def text_line(place: AskedPlace, text: str) -> str:
    """A text about what is asked, with its number."""
    key = f'<span class="pl-key">{place.answer + 1}{place.key}</span>'
    return f'<p class="pl-sentence" dir="auto">{key} {html(text)}</p>'


def answer_around(
    content: RoundContent,
    place: AskedPlace,
    own: Mapping[AskedPlace, Support],
) -> str:
    """The question and the answer of a sentence, with one's own labels; the sentence is marked."""
    shown = content.answers[place.answer]
    spans = []
    for part in shown.sentences.response:
        here = AskedPlace(place.answer, part.key)
        support = own.get(here)
        classes = ["pl-s"]
        cue = ""
        if support:
            classes.append(COLOURS[SUPPORTS[support]])
            cue = f'<span class="pl-cue">{SHORT[content.kind][support]}</span>'
        if here == place:
            classes.append("pl-here")
        spans.append(f'<span class="{" ".join(classes)}" dir="auto">{html(part.text)}{cue}</span>')
    question = html(shown.sample.question)
    return (
        f'<p class="pl-question" dir="auto">{question}</p>'
        f'<div class="pl-text">{" ".join(spans)}</div>'
    )


def stacked_rows(parts: Iterable[str]) -> str:
    return "".join(f'<div class="pl-round-row">{part}</div>' for part in parts)
