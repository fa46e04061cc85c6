"""Numbers, rows, names and accepted answers in words."""

from collections.abc import Sequence

from evaluators.records import Accepted
from evaluators.text.accepted import groups

PROPER = {"hotpotqa": "HotpotQA", "ragbench": "RAGBench"}
"""Names of their own, which keep their capitals."""


FIELDS = {
    "response": "Answer",
    "retrieved_documents": "Documents",
    "ground_truth": "True answer",
    "generator": "Model",
}
"""Fields of a sample that have another word on the screen than in code and files."""


def readable(name: str) -> str:
    """A name that code uses as people write it: "exact_match" gives "Exact match"."""
    return PROPER.get(name) or FIELDS.get(name) or name.replace("_", " ").capitalize()


def short_name(name: str) -> str:
    """A name without what it says in brackets: "Offline reader (baseline, no key)"."""
    before, bracket, behind = name.partition(" (")
    return before + behind.partition(")")[2] if bracket else name


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where it is not one: "1 answer", "2,000 answers"."""
    ending = "" if number == 1 else "s"
    return f"{number:,} {noun}{ending}"


def ordinal(number: int) -> str:
    """A place in a row: "1st", "2nd", "11th"."""
    # 11th, 12th, 13th, and 111th as well.
    if number % 100 in (11, 12, 13):
        return f"{number:,}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def places(numbers: Sequence[int], noun: str = "row", most: int = 12) -> str:
    """Numbers in order, of many the first ones: "row 3", "rows 3, 5, 9 and 120 more"."""
    nouns = noun if len(numbers) == 1 else f"{noun}s"
    shown = ", ".join(f"{number:,}" for number in sorted(numbers)[:most])
    left_out = len(numbers) - most
    more = f" and {left_out:,} more" if left_out > 0 else ""
    return f"{nouns} {shown}{more}"


def accepted(answer: Accepted | None) -> str:
    """Accepted answers in a line: required ones joined by "and", spellings by "or" in brackets."""
    required = []
    for spellings in groups(answer):
        is_one = len(spellings) == 1
        required.append(spellings[0] if is_one else f"({' or '.join(spellings)})")
    return " and ".join(required)
