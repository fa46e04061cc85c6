"""What is asked in a round, on the screen: the spread of the class, and what labellers say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluators.people import labellers
from evaluators.records import Support
from evaluators.report.coloured import SUPPORTS, colour
from evaluators.rounds.kinds import KINDS
from evaluators.rounds.records import AskedPlace, Round, RoundKind
from evaluators.rounds.tally import Spread
from evaluators.runs.glossary import terms
from evaluators.runs.round_content import METRIC, PLANTED, RoundContent
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.words import name_and_text

WHOSE = {METRIC: mark("the metric"), PLANTED: mark("the truth")}
"""What else says what is right, inside a sentence and by itself."""
TITLES = {METRIC: mark("Metric"), PLANTED: mark("In truth")}
SIDES = {Support.FULL: "pl-used", Support.PARTIAL: "pl-neither", Support.NONE: "pl-relevant"}
"""The colours of a preference, none of which is right or wrong."""


def in_a_sentence(by: str) -> str:
    """What a labeller is called inside a sentence, as text."""
    return say(WHOSE[by]) if by in WHOSE else labellers.in_a_sentence(by)


def title(by: str) -> str:
    """What a labeller is called, as text."""
    return say(TITLES[by]) if by in TITLES else labellers.labeller_title(by)


def question(made: Round, content: RoundContent) -> str:
    """What is asked of each place, as text."""
    value = say(terms()[made.value].title).lower() if made.value else ""
    labeller = in_a_sentence(content.own_labeller)
    return say(KINDS[made.kind].asked, labeller=labeller, value=value)


def bar(spread: Spread, kind: RoundKind) -> str:
    """How many said what, as a bar and in numbers."""
    parts = []
    for support, word in KINDS[kind].words.items():
        count = getattr(spread, support.value)
        if count:
            # As wide as its share, and wide enough for its number.
            parts.append(
                f'<span class="{_colour(kind, support)}" style="flex-grow: {count}">'
                f"{count} {html(say(word))}</span>"
            )
    return f'<div class="pl-bar">{"".join(parts)}</div>'


def _colour(kind: RoundKind, support: Support) -> str:
    return SIDES[support] if KINDS[kind].is_preference else colour(SUPPORTS[support])


def verdict(
    kind: RoundKind,
    name: str,
    support: Support | None,
    *,
    truth: Support | None = None,
) -> str:
    """What a labeller says, with a mark where it is known whether that is right."""
    if support is None:
        return _name_and_word(name, say("no label"), "pl-said")
    # A mark beside the colour, which not everybody sees.
    mark_of_truth = ""
    if truth is not None:
        mark_of_truth = " ✓" if support is truth else " ✗"
    word = say(KINDS[kind].words[support]) + mark_of_truth
    return _name_and_word(name, word, f"pl-said {_colour(kind, support)}")


def _name_and_word(name: str, word: str, classes: str) -> str:
    return f'<span class="{classes}">{name_and_text(html(name), f"<b>{html(word)}</b>")}</span>'


def asked_line(content: RoundContent, place: AskedPlace) -> str:
    """The sentence or the question of the answer, with its number and its key."""
    return text_line(place, content.text(place))


def asked_of_answer(content: RoundContent, place: AskedPlace) -> str:
    """What is asked, its answer's question above it unless that is it; a button to read all."""
    line = asked_line(content, place)
    opens = f'<button popovertarget="{folded_id(place.answer)}">{html(say("Documents"))}</button>'
    if not place.key:
        return f'<div class="pl-about">{line}{opens}</div>'
    question = html(content.answers[place.answer].sample.question)
    shown = f'<span dir="auto" title="{question}">{question}</span>'
    return f'<div class="pl-about">{shown}{opens}</div>{line}'


def folded_id(answer: int) -> str:
    """Under which the page knows what belongs to an answer, and opens it."""
    return f"pl-answer-{answer}"


def text_line(place: AskedPlace, text: str) -> str:
    """A text about what is asked, with its number."""
    key = f'<span class="pl-key">{number(place)}</span>'
    return f'<p class="pl-sentence" dir="auto">{key} {html(text)}</p>'


def number(place: AskedPlace) -> str:
    """Which answer and which part of it: "2 · b", as "2b" is a document's sentence elsewhere."""
    return f"{place.answer + 1} · {place.key}" if place.key else f"{place.answer + 1}"


def parts_around(
    content: RoundContent,
    place: AskedPlace,
    own: Mapping[AskedPlace, Support],
) -> list[str]:
    """The sentences or documents of an answer, with one's own labels; the place is marked."""
    shown = content.answers[place.answer]
    texts = shown.asked
    if shown.sentences:
        texts = {sentence.key: sentence.text for sentence in shown.sentences.response}
    parts = []
    for key, text in texts.items():
        here = AskedPlace(place.answer, key)
        support = own.get(here)
        classes = ["pl-s"]
        cue = ""
        if support:
            classes.append(_colour(content.kind, support))
            cue = f' <span class="pl-cue">{html(say(KINDS[content.kind].words[support]))}</span>'
        if here == place:
            classes.append("pl-here")
        parts.append(f'<span class="{" ".join(classes)}" dir="auto">{html(text)}{cue}</span>')
    return parts


def stacked_rows(parts: Iterable[str]) -> str:
    return "".join(f'<div class="pl-round-row">{part}</div>' for part in parts)
