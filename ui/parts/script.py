"""The words of a script in `ui/static`: it has them in English, and is told those of its reader."""

from __future__ import annotations

import re

from evaluators.text.language import ENGLISH, language, say

_SAID = re.compile(r'\b(?:say|said|mark)\("([^"\\]+)"')


def texts_of(script: str) -> list[str]:
    """The English texts that a script says or marks, each as a literal in double quotes."""
    return list(dict.fromkeys(_SAID.findall(script)))


def words_of(script: str) -> dict[str, str]:
    """Each text of the script in the language of this moment; nothing in English."""
    if language() == ENGLISH:
        return {}
    words = {}
    for text in texts_of(script):
        words[text] = say(text)
    return words
