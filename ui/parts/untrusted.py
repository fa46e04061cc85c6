"""Text from files and models is hostile: never Markdown, which loads images, never raw HTML."""

import re

from evaluators.surrogates import without_surrogates

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^=&])")

# What is read in the text after the escapes are gone, so that no escape keeps it away: addresses
# (https://, www., a@b) become links, :material/home: an icon, -> an arrow. They are cut in two
# here.
_CUT = re.compile(r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=[-<>~])(?=[-=>])", re.IGNORECASE)
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%)")
"""A number stays on one line with its sign."""
_NOTHING = ":gray[]"
"""Streamlit's Markdown for some grey text, with no text: nothing is seen or copied of it."""


def plain(text: str) -> str:
    """The text for a place that renders Markdown, such as a caption, shown letter by letter."""
    words = _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", " ".join(without_surrogates(text).split()))
    return _NOTHING.join(_MARKDOWN.sub(r"\\\1", part) for part in _CUT.split(words))
