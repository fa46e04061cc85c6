"""Which words of two answers are not in the other one, for marking them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_WORDS = 2000
"""Words of both answers up to which they are compared: the time grows with their product."""

_PARTS = re.compile(r"\w+|\W")


class Stretch(NamedTuple):
    """A stretch of a text, all of it in the other text or none of it."""

    text: str
    is_changed: bool


Parts = list[list[Stretch]]
"""The parts of each sentence."""


def changed_words(first: Sequence[str], second: Sequence[str]) -> tuple[Parts, Parts]:
    """The sentences of two answers in parts; nothing is marked where both are too long."""
    words = [[_PARTS.findall(sentence) for sentence in texts] for texts in (first, second)]
    ours, theirs = ([word for sentence in own for word in sentence] for own in words)
    if len(ours) + len(theirs) > MOST_WORDS:
        return _unmarked(first), _unmarked(second)
    # Without `autojunk=False` frequent words, such as "the", would never match.
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    kept: tuple[set[int], set[int]] = set(), set()
    for in_first, in_second, size in matcher.get_matching_blocks():
        kept[0].update(range(in_first, in_first + size))
        kept[1].update(range(in_second, in_second + size))
    return _marked(words[0], kept[0]), _marked(words[1], kept[1])


def _unmarked(texts: Sequence[str]) -> Parts:
    return [[Stretch(text, is_changed=False)] for text in texts]


def _marked(sentences: Sequence[Sequence[str]], kept: set[int]) -> Parts:
    """The words of each sentence, joined as long as they are all kept or all changed."""
    place = 0
    marked = []
    for words in sentences:
        parts: list[Stretch] = []
        for word in words:
            # A space more or less is no change that anybody looks for.
            is_changed = place not in kept and not word.isspace()
            if parts and parts[-1].is_changed == is_changed:
                parts[-1] = Stretch(parts[-1].text + word, is_changed)
            else:
                parts.append(Stretch(word, is_changed))
            place += 1
        marked.append(parts)
    return marked
