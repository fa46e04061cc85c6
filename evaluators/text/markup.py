"""Text of strangers inside HTML: here alone it becomes markup, and it never is any."""

from html import escape


def html(text: str) -> str:
    """The text letter by letter, in an element or a quoted attribute; a line break stays one."""
    return escape(text).replace("\n", "<br>")
