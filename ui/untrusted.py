"""Text from files and models is hostile: never Markdown (it would load remote images), never raw HTML."""

import re
from html import escape

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:^=])")


def plain(text: str) -> str:
    """The text for a place that renders Markdown (messages, labels, captions), shown letter by letter."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def html(text: str) -> str:
    """The text for `st.html`; a line break stays one."""
    return escape(text).replace("\n", "<br>")
