"""Numbers in words."""


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where it is not one: "1 answer", "2,000 answers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
