"""Text of strangers for a terminal or a message: one line, without control characters."""


def printable(text: str) -> str:
    """The text with a space for every character that cannot be printed, such as a line break."""
    return "".join(character if character.isprintable() else " " for character in text)
