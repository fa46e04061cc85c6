"""Strings on which anything slower than linear shows, and a clock of processor time that finds it
early.
"""

from __future__ import annotations

import gc
import re
import re._constants as op
import re._parser as parser
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, pairwise

LENGTHS = (1_500, 5_000, 16_000, 50_000)
"""A square shows on the first; the others are tried only where it is suspicious, so that nothing
takes hours.
"""
LIMIT = 30e-6
"""Seconds of processor time that a character may cost: thirty times and more what it does cost, as
machines differ, and a processor is shared.
"""
SUSPICIOUS = 1 / 60
"""Of the limit: from there a longer string is tried, and again one, as long as the time grows
faster than it.
"""
GROWS = 1.6
"""From one length to the next a square grows by 3 for each character, what is linear not at all."""
NOISE = 0.15
"""Seconds that a call may take on any string; a busy machine is no square."""

Make = Callable[[int], str]
"""A string of about this many characters."""

UNITS = (
    *(
        " ",
        "\n",
        "\t",
        "\u00a0",
        "\x00",
        ".",
        ",",
        "-",
        "'",
        '"',
        "a",
        "A",
        "1",
        "_",
        "!",
        "*",
        "#",
        "|",
        "\\",
        "`",
    ),
    *(
        "{",
        "}",
        "<",
        ">",
        "[",
        "(",
        ")",
        "中",
        "。",
        "“",
        "\u200b",
        "\ufeff",
        "ﬃ",
        "\u0301",
        "\ud800",
        "İ",
    ),
    *(
        "a ",
        "a.",
        "a? ",
        ". ",
        ".\n",
        ".\t",
        ": ",
        "! ",
        "!)",
        '."',
        '." ',
        "A. ",
        "1.",
        "1,",
        "1. ",
        "1a",
        "1:",
    ),
    *(
        "\n1. ",
        "\n- ",
        "[(",
        "['a', ",
        "a\n\n",
        "- - ",
        "_-",
        ".-",
        "Aa bb cc. ",
        "中。",
        "中!",
        "。”",
        "a\u200b",
    ),
    *(
        "x.\u2003\u2003",
        ". . .",
        "e.g. ",
        "<think>",
        "</think>",
        "<!---->",
        "<!--",
        "<div>",
        "&amp;",
        "```\n",
    ),
    *(
        "sk-",
        "gsk_a ",
        "Bearer ",
        "http://a.",
        "a@b.",
        '{"a":',
        "{'a': ",
        "a:b,",
        "not ",
        "no a ",
        "do not ",
    ),
)
"""What strangers repeat: spaces, line breaks, openers, quotes, stops, marks, words that the product
looks for.
"""

FROM_THE_START = (", here's:\n", "Sure!\n", "Let me know.\n", "好的。\n", "- ", "# a\n", "[1] ")
"""What is read in another way where nothing stands before it."""


class TooSlowError(AssertionError):
    """Something takes more than linear time; the message holds the string that shows it."""


def strings() -> Iterator[Make]:
    """Strings for any function: each unit repeated, then broken off by something else."""
    return (
        repeated(before, unit, after)
        for unit in UNITS
        for before, after in (("", ""), ("x.", "x"), ("", "!)"))
    )


def repeated(before: str, unit: str, after: str) -> Make:
    """A unit as often as it fits, between two ends."""
    return lambda length: (
        before + unit * max(1, (length - len(before) - len(after)) // len(unit)) + after
    )


def check(
    use: Callable[[str], object],
    makes: Iterable[Make],
    lengths: Iterable[int] = LENGTHS,
    limit: float = LIMIT,
) -> None:
    """Raises `TooSlowError` where a call costs more than the limit on one of the strings."""
    for make in makes:
        least = SUSPICIOUS * limit
        for length in lengths:
            text = make(length)
            allowed = max(limit * len(text), NOISE)
            seconds = processor_seconds(use, text, 2 * allowed)
            if seconds > allowed:  # perhaps the garbage of all tests was collected just then
                seconds = processor_seconds(use, text, 2 * allowed)
            if seconds > allowed:
                shown = text if len(text) < 90 else f"{text[:40]} ... {text[-40:]}"
                raise TooSlowError(
                    f"{seconds / len(text) * 1e6:,.0f} us a character for {len(text):,}: {shown!r}"
                )
            if seconds < least * len(text):
                break
            least = GROWS * seconds / len(text)


def processor_seconds(use: Callable[[str], object], text: str, most: float) -> float:
    """What one call takes of this thread; it is ended where it takes more than the most.

    The garbage of all tests is not collected meanwhile: that can take longer than the call.
    """
    gc.disable()
    try:
        with _ended(most):
            began = time.thread_time()
            use(text)
            return time.thread_time() - began
    except _EndlessError:
        return float("inf")
    finally:
        gc.enable()


class _EndlessError(BaseException):
    """Raised inside a call that takes too long; no `except` of the product may catch it."""


@contextmanager
def _ended(seconds: float) -> Iterator[None]:
    """Python asks for signals even inside one match of a regular expression, so that an alarm ends
    it.
    """
    began = time.thread_time()

    def end(*_: object) -> None:
        left = seconds - (time.thread_time() - began)
        if left <= 0:
            raise _EndlessError
        signal.setitimer(
            signal.ITIMER_VIRTUAL, left
        )  # the alarm counts all threads, and others worked too

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


# Strings made of a pattern


def strings_for(pattern: re.Pattern) -> Iterator[Make]:
    """Strings that nearly match: whatever the pattern can repeat, all its beginnings, and its own
    characters.
    """
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    tree = parser.parse(text, pattern.flags & ~re.DEBUG)
    pumped = dict.fromkeys(chain(_pumped(tree, "", taken=1), _pumped(tree, "", taken=0)))
    ends = _characters(tree)
    for before, unit in pumped:
        yield from (repeated(before, unit, after) for after in ("", "a", "\n", "\x00") if unit)
    for one in ends:
        yield from (repeated("", one, other) for other in ends)
        yield from (repeated("", one + other, "") for other in ends if other > one)


_ITERATED = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_CATEGORIES = {
    op.CATEGORY_SPACE: " \n",
    op.CATEGORY_NOT_SPACE: "a.",
    op.CATEGORY_DIGIT: "1",
    op.CATEGORY_NOT_DIGIT: "a ",
    op.CATEGORY_WORD: "a1_",
    op.CATEGORY_NOT_WORD: "! ",
}
MOST_CHARACTERS = 14
"""Of a pattern's own characters; their pairs make most of the strings."""


def _pumped(tree: Iterable, before: str, taken: int) -> Iterator[tuple[str, str]]:
    """What may be repeated, and what must stand before it: the inside of each repetition, and each
    beginning.

    `taken` is how often that is present which need not be there. Words are beginnings as a whole
    only.
    """
    for (kind, value), (after, _) in pairwise([*tree, (None, None)]):
        for inside in _inside(kind, value):
            if kind in _ITERATED:
                yield before, _sample(inside, taken)
            yield from _pumped(inside, before, taken)
        before += _sample([(kind, value)], taken)
        if not kind is after is op.LITERAL:
            yield "", before


def _inside(kind, value) -> list:
    """The patterns that a part of a pattern is made of."""
    if kind in _ITERATED:
        return [value[2]]
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind is op.BRANCH:
        return value[1]
    if kind is op.ATOMIC_GROUP:
        return [value]
    return [value[1]] if kind in (op.ASSERT, op.ASSERT_NOT) else []


def _sample(tree: Iterable, taken: int) -> str:
    """A short text that matches, or nearly so where that depends on what stands around it."""
    return "".join(_sampled(kind, value, taken) for kind, value in tree)


def _sampled(kind, value, taken: int) -> str:
    if kind in _ITERATED:
        return _sample(value[2], taken) * max(value[0], min(taken, value[1]))
    if kind is op.ASSERT:
        return _sample(value[1], taken) if value[0] < 0 else ""
    if kind in (op.ASSERT_NOT, op.AT, op.GROUPREF):
        return ""
    inside = _inside(kind, value)
    return _sample(inside[0], taken) if inside else _of(kind, value)[0]


def _of(kind, value) -> str:
    """Characters that a part for one character matches."""
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.ANY:
        return "a"
    if kind is op.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is op.RANGE:
        return chr(value[0])
    if kind is op.CATEGORY:
        return _CATEGORIES[value]
    if kind is op.IN:
        named = "".join(_of(*each) for each in value if each[0] is not op.NEGATE)
        is_negated = value[0][0] is op.NEGATE
        return (
            "".join(each for each in "a 1!中" if each not in named) or "\x00"
            if is_negated
            else named
        )
    raise NotImplementedError(f"Teach tests/hostile.py what {kind} matches.")


def _characters(tree: Iterable) -> list[str]:
    """Characters that the pattern treats differently:
    one for each set of its parts that name it.
    """
    named: dict[str, set[int]] = {each: set() for each in "a 1!\n"}
    for number, (kind, value) in enumerate(_single(tree)):
        for each in _of(kind, value)[:12]:
            named.setdefault(each, set()).add(number)
    different = {frozenset(places) or each: each for each, places in named.items()}
    return list(dict.fromkeys([" ", "a", "!", *different.values()]))[:MOST_CHARACTERS]


def _single(tree: Iterable) -> Iterator[tuple]:
    """The parts of a pattern that stand for one character."""
    for kind, value in tree:
        inside = _inside(kind, value)
        if inside:
            yield from chain.from_iterable(map(_single, inside))
        elif kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            yield kind, value
