"""Text from files and models is hostile: never Markdown (it would load remote images), never raw HTML."""

import re
from html import escape

from evaluators.text.normalise import without_surrogates

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^=])")


def plain(text: str) -> str:
    """The text for a place that renders Markdown (messages, labels, captions), shown letter by letter."""
    return _MARKDOWN.sub(r"\\\1", " ".join(without_surrogates(text).split()))


def html(text: str) -> str:
    """The text for `st.html`; a line break stays one."""
    return escape(text).replace("\n", "<br>")
