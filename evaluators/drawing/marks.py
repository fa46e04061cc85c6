"""What stands for a value: a mark in the colour of its series, and the line of its interval."""

from __future__ import annotations

from typing import NamedTuple

from evaluators.drawing.svg import element, svg_line

# Each has 3 : 1 on white and on the dark ground, as graphics need. The app has the same ones.
COLOURS = (
    "#2563eb", "#d97706", "#0d9488", "#9333ea", "#dc2626",
    "#4d7c0f", "#0891b2", "#be185d", "#78716c", "#6366f1",
)  # fmt: skip
# Lengths in em of dashes and of the gaps between them; the first line is solid.
DASHES = ((), (0.7, 0.4), (0.15, 0.3), (0.7, 0.3, 0.15, 0.3), (1.4, 0.4))
# Corners of the marks around their middle, in half widths of one; the circle has none.
SHAPES = (
    (),
    ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
    ((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
)
RADIUS = 0.42
"""Half the width of a mark, in em."""

Spot = tuple[float, float]


class Look(NamedTuple):
    """How a series is drawn: its colour, the corners of its marks, the attributes of its line."""

    paint: str
    shape: tuple[tuple[float, float], ...]
    line: dict[str, str | float]
    thin: bool = False


def series_look(series: int, em: float, *, published: bool = False) -> Look:
    """That of the series of this number, from 0; a published one is grey and thin."""
    # Grey keeps 3 : 1 on both grounds.
    paint = "#808080" if published else COLOURS[series % len(COLOURS)]
    # As five dashes and six shapes go round, 30 series differ in one of them at least.
    lengths = [f"{em * length:.2f}" for length in DASHES[series % len(DASHES)]]
    look: dict[str, str | float] = {
        "stroke": paint,
        "stroke_width": (0.1 if published else 0.18) * em,
    }
    if lengths:
        look["stroke_dasharray"] = " ".join(lengths)
    return Look(paint, SHAPES[series % len(SHAPES)], look, published)


def series_mark(spot: Spot, em: float, look: Look, *, hollow: bool = False) -> str:
    """The mark of a series; a hollow one stands for a value that is less sure."""
    x, y = spot
    radius = RADIUS * em * (0.8 if look.thin else 1)
    painted: dict[str, str | float] = {
        "fill": "none" if hollow or look.thin else look.paint,
        "stroke": look.paint,
        "stroke_width": 0.12 * em,
    }
    if not look.shape:
        return element("circle", cx=x, cy=y, r=radius, **painted)
    corners = [f"{x + radius * right:.2f},{y + radius * down:.2f}" for right, down in look.shape]
    return element("polygon", points=" ".join(corners), **painted)


def interval_line(spot: Spot, end: Spot, em: float, paint: str) -> str:
    """From the mark at `spot` to one end of its interval."""
    attributes: dict[str, str | float] = {"stroke": paint, "stroke_width": 0.18 * em}
    return _line_from(RADIUS * em, 0, spot, end, attributes)


def segment(start: Spot, end: Spot, em: float, look: dict[str, str | float]) -> str:
    """From mark to mark."""
    return _line_from(RADIUS * em, RADIUS * em, start, end, look)


def _line_from(
    gap: float,
    last_gap: float,
    start: Spot,
    end: Spot,
    attributes: dict[str, str | float],
) -> str:
    """A line that leaves gaps at its ends, or it would be seen within hollow marks."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = (across**2 + down**2) ** 0.5
    # Marks that touch hide the line; of length 0 it has no direction either.
    if length <= gap + last_gap:
        return ""
    first, last = gap / length, 1 - last_gap / length
    return svg_line(
        start[0] + first * across,
        start[1] + first * down,
        start[0] + last * across,
        start[1] + last * down,
        **attributes,
    )
