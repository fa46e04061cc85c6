"""Numbers, rows, names and accepted answers in words."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from evaluators.marking import Message
from evaluators.records import Accepted
from evaluators.text.accepted import groups
from evaluators.text.language import (
    COUNTED,
    ENGLISH,
    PLACES,
    language,
    mark,
    phrase,
    say,
    translated,
)

P = ParamSpec("P")

PROPER = {"hotpotqa": "HotpotQA", "ragbench": "RAGBench"}
"""Names of their own, which keep their capitals."""

FULL_WIDTH_STOPS = ("。", "！", "？", "；", "：", "，")
"""Marks that bring the space behind them along."""

FIELDS = {
    "id": mark("Id"),
    "response": mark("Answer"),
    "retrieved_documents": mark("Documents"),
    "ground_truth": mark("True answer"),
    "generator": mark("Model"),
}
"""Fields of a sample that have another word on the screen than in code and files."""

NAMES = (
    *(mark("Information integration"), mark("Counterfactual robustness")),
    *(mark("Documented"), mark("Paper"), mark("Dense"), mark("Document")),
    *(mark("Exact match"), mark("Fuzzy match"), mark("F1 score")),
    *(mark("Yes or no"), mark("1 to 5"), mark("Question answering"), mark("Summarization")),
    *(mark("Data set"), mark("Samples"), mark("Seed"), mark("Repeats"), mark("Models")),
    *(mark("Judges"), mark("Metrics"), mark("Prompt"), mark("Budget"), mark("Asked with")),
    *(mark("Abilities"), mark("Noise levels"), mark("Passages"), mark("Group")),
    *(mark("Context relevance"), mark("Context utilization"), mark("Supported share")),
)
"""What `readable` makes of abilities, choices and settings, as it stands in the catalogue."""


def message(make: Callable[P, str]) -> Callable[P, str]:
    """A function of texts whose text is a message: it is called anew to say it again."""

    @wraps(make)
    def made(*given: Any, **named: Any) -> str:
        if named:
            bound = signature(make).bind(*given, **named)
            bound.apply_defaults()
            given = bound.args
        # What can be gone through only once is kept.
        parts = tuple(part if isinstance(part, str | int) else tuple(part) for part in given)
        return Message(make(*translated(parts)), made, parts, {})  # type: ignore

    return made


def readable(name: str) -> str:
    """A name that code uses as people write it: "exact_match" gives "Exact match"."""
    return PROPER.get(name) or say(FIELDS.get(name) or name.replace("_", " ").capitalize())


def short_name(name: str) -> str:
    """A name without what it says in brackets: "Offline reader (baseline, no key)"."""
    before, bracket, behind = name.partition(" (")
    return before + behind.partition(")")[2] if bracket else name


@message
def of_sample(name: str, problem: str) -> str:
    """A problem with the sample that has it."""
    return say("Sample {id}: {problem}", id=name, problem=problem)


@message
def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where it is not one: "1 answer", "2,000 answers".

    The catalogue knows the noun in the context "counted", as a whole: "{number} 个回答".
    """
    if (known := phrase(noun, COUNTED)) is not None:
        return known.format(number=f"{number:,}")
    ending = "" if number == 1 else "s"
    return f"{number:,} {noun}{ending}"


def signed(number: float, *, digits: int) -> str:
    """A number with its sign; 0 has none."""
    shown = f"{number:+z.{digits}f}"
    return shown if float(shown) else shown.removeprefix("+")


def ordinal(number: int) -> str:
    """A place in a row: "1st", "2nd", "11th"."""
    if language() != ENGLISH:
        return say("{number}th", number=f"{number:,}")
    # 11th, 12th, 13th, and 111th as well.
    if number % 100 in (11, 12, 13):
        return f"{number:,}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


@message
def places(numbers: Sequence[int], noun: str = "row", most: int = 12) -> str:
    """Numbers in order, of many the first ones: "row 3", "rows 3, 5, 9 and 120 more"."""
    shown = say(", ").join(f"{number:,}" for number in sorted(numbers)[:most])
    left_out = len(numbers) - most
    if left_out > 0:
        shown = say("{places} and {more:,} more", places=shown, more=left_out)
    if (known := phrase(noun, PLACES)) is not None:
        return known.format(places=shown)
    nouns = noun if len(numbers) == 1 else f"{noun}s"
    return f"{nouns} {shown}"


def name_and_text(name: str, text: object) -> str:
    """A text behind its name: "Metric: RGB"."""
    return say("{name}: {text}", name=name, text=text)


def in_brackets(text: str, more: object) -> str:
    """A text with what it says besides: "58 % (36 to 78)"."""
    return say("{text} ({more})", text=text, more=more)


@message
def in_a_line(words: Iterable[str]) -> str:
    """Words in a line: "a, b"."""
    return say(", ").join(words)


@message
def side_by_side(parts: Iterable[str]) -> str:
    """Parts of a sentence, which may have commas: "a, b; c"."""
    return say("; ").join(parts)


@message
def joined_by_and(words: Sequence[str]) -> str:
    """Words in a sentence: "a", "a and b", "a, b and c"."""
    *before, last = words
    return say(" and ").join([say(", ").join(before), last]) if before else last


@message
def joined_sentences(sentences: Iterable[str]) -> str:
    """Sentences one after another: with a space between, but none behind a full-width stop."""
    joined = ""
    for sentence in filter(None, sentences):
        is_apart = joined and not joined.endswith(FULL_WIDTH_STOPS)
        joined += f" {sentence}" if is_apart else sentence
    return joined


def accepted(answer: Accepted | None) -> str:
    """Accepted answers in a line: required ones joined by "and", spellings by "or" in brackets."""
    required = []
    for spellings in groups(answer):
        is_one = len(spellings) == 1
        required.append(spellings[0] if is_one else f"({say(' or ').join(spellings)})")
    return say(" and ").join(required)
