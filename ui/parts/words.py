"""Numbers, rows, names and accepted answers in words."""

from collections.abc import Sequence

from evaluators.records import Accepted
from evaluators.text.accepted import groups


def readable(name: str) -> str:
    """A name that code uses as people write it: "exact_match" gives "Exact match"."""
    return name.replace("_", " ").capitalize()


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where it is not one: "1 answer", "2,000 answers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ordinal(number: int) -> str:
    """A place in a row: "1st", "2nd", "11th"."""
    endings = {} if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    return f"{number:,}{endings.get(number % 10, 'th')}"


def places(numbers: Sequence[int], noun: str = "row", most: int = 12) -> str:
    """Numbers in order, of many the first ones: "row 3", "rows 3, 5, 9 and 120 more"."""
    shown = ", ".join(f"{number:,}" for number in sorted(numbers)[:most])
    more = f" and {len(numbers) - most:,} more" if len(numbers) > most else ""
    return f"{noun}{'' if len(numbers) == 1 else 's'} {shown}{more}"


def accepted(answer: Accepted | None) -> str:
    """Accepted answers in a line: required ones joined by "and", spellings by "or" in brackets."""
    return " and ".join(
        group[0] if len(group) == 1 else f"({' or '.join(group)})" for group in groups(answer)
    )
