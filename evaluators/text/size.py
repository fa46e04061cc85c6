"""How long a text is for an LLM."""


def tokens(text: str) -> int:
    """An estimate of a message's tokens: a quarter of its UTF-8 bytes, rounded up, and 8 for the
    frame around it.
    """
    return -(-len(text.encode(errors="replace")) // 4) + 8
