"""How wide words are, estimated, and how they are broken and cut to the room that there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from evaluators.text.printable import printable

# Of Helvetica, in em; an estimate, as nobody knows what font will be there.
NARROW, USUAL, CAPITAL, BROAD = 0.3, 0.56, 0.7, 0.95
NARROW_SIGNS = "iljtfrI.,:;'|!()[]/\\- "
BROAD_SIGNS = "mwMW@%…—"
MOST_LETTERS = 120
"""Letters that are looked at; a longer name is cut in any case."""
BREAKS = " /-_"
"""Signs behind which a line may end."""


def width(text: str) -> float:
    """The width in em."""
    return sum(map(_width_of_sign, text))


def widest(texts: Iterable[str]) -> float:
    return max(map(width, texts), default=0.0)


def _width_of_sign(sign: str) -> float:
    if sign in NARROW_SIGNS:
        return NARROW
    if sign in BROAD_SIGNS or east_asian_width(sign) in "WF":
        return 1.0
    return CAPITAL if sign.isupper() else USUAL


def broken_lines(text: str, room: float, most: int) -> list[str]:
    """The text in at most so many lines of `room` em; what is left over is cut with "…"."""
    rest = " ".join(printable(text[:MOST_LETTERS]).split())
    if len(text) > MOST_LETTERS:
        rest += "…"
    lines: list[str] = []
    while width(rest) > room and len(lines) < most - 1:
        end = _letters_that_fit(rest, room)
        breaks = [place for place in range(1, end) if rest[place] in BREAKS]
        # A word that is longer than the line is broken anywhere.
        end = breaks[-1] + 1 if breaks else end
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    if width(rest) > room:
        end = _letters_that_fit(rest, room - width("…"))
        rest = rest[:end].rstrip() + "…"
    return [*lines, rest]


def _letters_that_fit(text: str, room: float) -> int:
    """How many letters the room holds; one at least, or no line would ever end."""
    used = 0.0
    for count, sign in enumerate(text):
        used += _width_of_sign(sign)
        if used > room:
            return max(1, count)
    return len(text)


def apart(
    wanted: Sequence[float],
    heights: Sequence[float],
    first: float,
    last: float,
) -> list[float]:
    """The middles of labels near those that are wanted, so that none lies on another.

    They begin at `first`; where they would reach beyond `last` they are pushed back.
    """
    placed = list(wanted)
    order = sorted(range(len(placed)), key=placed.__getitem__)
    for place in order:
        half = heights[place] / 2
        placed[place] = max(placed[place], first + half)
        first = placed[place] + half
    for place in reversed(order):
        half = heights[place] / 2
        placed[place] = min(placed[place], last - half)
        last = placed[place] - half
    return placed
