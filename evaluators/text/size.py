"""How long a text is for an LLM."""


def tokens(text: str) -> int:
    """An estimate of a message's tokens, by its bytes."""
    # Four letters of English are about a token, and a Chinese character, which has three bytes, is
    # nearly one; a message has some 8 tokens around it. Half a character
    # has no bytes of its own: it counts as the "?" that takes its place.
    return -(-len(text.encode(errors="replace")) // 4) + 8
