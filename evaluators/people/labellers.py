"""What labellers are called: heuristic, judges, their jury, published labels, people."""

from __future__ import annotations

import re

from evaluators.llm import catalogue
from evaluators.people.labels import PERSON
from evaluators.people.records import YOU
from evaluators.text.language import mark, say
from evaluators.trace.labelling import CORRECTED, GOLD, HEURISTIC, JURY, PEOPLE

TITLES = {
    HEURISTIC: mark("Heuristic"),
    JURY: mark("Jury"),
    GOLD: mark("Gold"),
    CORRECTED: mark("Corrected"),
    PEOPLE: mark("People"),
}
IN_A_SENTENCE = {
    HEURISTIC: mark("the heuristic"),
    JURY: mark("the jury"),
    GOLD: mark("gold"),
    PEOPLE: mark("people"),
}
"""Labellers that have another word inside a sentence."""
_AGAIN = re.compile(r" \(\d+\)$")
"""What tells apart two judges of a jury that are the same model."""


def labeller_title(by: str) -> str:
    """The labeller's name, as text: a model has that of the catalogue, else its provider's."""
    if by in TITLES:
        return say(TITLES[by])
    if by.startswith(PERSON):
        return person_title(by.removeprefix(PERSON))
    # The number is no part of the model's name, by which the catalogue knows it.
    again = _AGAIN.search(by)
    model_id = by[: again.start()] if again else by
    name = catalogue.title_of_id(model_id)
    return f"{name}{again[0]}" if again else name


def in_a_sentence(by: str) -> str:
    """What a labeller is called inside a sentence, as text."""
    return say(IN_A_SENTENCE[by]) if by in IN_A_SENTENCE else labeller_title(by)


def at_the_beginning(name: str) -> str:
    """What a labeller is called, at the beginning of a sentence; a model's name stays as it is."""
    is_ours = name.startswith("the ") or name in map(say, IN_A_SENTENCE.values())
    return name[0].upper() + name[1:] if is_ours else name


def person_title(person: str) -> str:
    """A person's name, as text."""
    return say("You") if person == YOU else person
