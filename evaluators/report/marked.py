"""Answers and documents of RGB as HTML: true answer, planted error and deciding words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluators.records import DocumentRole, Sample, Verdict
from evaluators.report.coloured import document_title, empty_answer, no_documents
from evaluators.rgb_rules import BY_WORDS
from evaluators.rgb_words import share_in_words
from evaluators.text.accepted import spellings
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.phrases import Phrase, Search

STYLE = Path(__file__).with_name("marked.css")
LEGEND = {
    "pl-true": mark("true answer"),
    "pl-planted": mark("planted error"),
    "pl-decided": mark("words that decided"),
}
ROLES = {
    DocumentRole.ANSWER: mark("holds the answer"),
    DocumentRole.BESIDE: mark("beside the point"),
    DocumentRole.PLANTED: mark("planted error"),
}


class Marks:
    """What is marked in the texts of a sample, by the class that colours it.

    Of two classes for the same words the first counts. All texts share one search and its budget:
    once that is used up nothing is marked any more.
    """

    def __init__(self, phrases: Mapping[str, Sequence[Phrase]]) -> None:
        self._classes: dict[Phrase, str] = {}
        for name, own in phrases.items():
            for phrase in own:
                # The deciding words are often those of the true answer: they keep its colour.
                self._classes.setdefault(phrase, name)
        self._search = Search(list(self._classes))

    @classmethod
    def of(cls, sample: Sample, verdicts: Mapping[str, Verdict]) -> Marks:
        planted = spellings(sample.rgb.counterfactual) if sample.rgb else []
        by_words = any(verdict.rule == BY_WORDS for verdict in verdicts.values())
        decided: list[Phrase] = []
        for verdict in verdicts.values():
            # A single word would be found inside others, a phrase is too long for that.
            for words in verdict.evidence:
                decided.append(Phrase(words, "whole words" if by_words else "anywhere"))
        return cls(
            {
                "pl-true": [Phrase(words, "answer") for words in spellings(sample.ground_truth)],
                "pl-planted": [Phrase(words, "answer") for words in planted],
                "pl-decided": decided,
            }
        )

    def places(self, words: str) -> list[tuple[int, int, str]]:
        """Where marks begin and end in the text, from left to right, with the class of each.

        What a model thinks aloud in `<think>` is never marked.
        """
        # Up to its last end mark: some models think twice.
        begin = words.lower().rfind("</think>") + 1
        every = self._search.places(words, begin)
        return [(start, stop, self._classes[phrase]) for start, stop, phrase in every]


def legend_of_marks(*texts: str) -> str:
    """What the colours mean that occur in these texts, which `text` or `documents` made."""
    occurring = [name for name in LEGEND if any(f'class="{name}"' in text for text in texts)]
    swatches = (f'<mark class="{name}">{html(say(LEGEND[name]))}</mark>' for name in occurring)
    return f'<div class="pl-legend">{"".join(swatches)}</div>' if occurring else ""


def text_with_marks(words: str, marks: Marks) -> str:
    """A text with its marks."""
    if not words:
        return f'<div class="pl-text">{empty_answer()}</div>'
    parts = []
    end = 0
    # What lies between the marks is escaped by itself: escaped as a whole, no place would fit.
    for start, stop, name in marks.places(words):
        parts += [html(words[end:start]), f'<mark class="{name}">{html(words[start:stop])}</mark>']
        end = stop
    return f'<div class="pl-text" dir="auto">{"".join(parts)}{html(words[end:])}</div>'


def documents_with_roles(sample: Sample, marks: Marks) -> str:
    """The documents with their marks."""
    parts = []
    for number, words in enumerate(sample.evidence):
        parts.append(document_with_role(sample, number, text_with_marks(words, marks)))
    return "".join(parts) or no_documents()


def document_with_role(sample: Sample, number: int, body: str) -> str:
    """One document, from 0, with its number from 1, its source and its role as far as known."""
    role = next(iter(sample.roles[number : number + 1]), None)
    heading = html(document_title(number + 1, sample))
    badge = f'<span class="pl-role">{html(say(ROLES[role]))}</span>' if role else ""
    kind = f" pl-role-{role}" if role else ""
    return f'<div class="pl-doc{kind}"><h3>{heading}{badge}</h3>{body}</div>'


def strip(roles: Sequence[DocumentRole]) -> str:
    """A square for each document and how many there are of a kind; empty without roles."""
    if not roles:
        return ""
    squares = "".join(
        f'<i class="pl-square-{role}" title="{html(say(ROLES[role]))}"></i>' for role in roles
    )
    return f'<div class="pl-strip">{squares}<b>{share_in_words(roles)}</b></div>'
