"""SVG as text: elements, words that are escaped, and the document around them."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from evaluators.drawing.fitting import broken_lines
from evaluators.text.language import mark
from evaluators.text.printable import printable

POINTS_PER_MM = 72 / 25.4
# No font comes along: the first that is there is taken, and all but the last are as wide.
FONTS = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif"
SOFT = 0.65
"""Opacity of words that stand back; on white and on the dark ground they keep 4.5 : 1."""
FAINT = 0.18
"""Opacity of lines of a grid."""
LINE = 1.25
"""Height of a line of words, in em."""
MOST_NOTE_LINES = 4
NOTHING = mark("Nothing is checked yet.")


class Size(NamedTuple):
    """The width of a figure in millimetres, and its font in points as it is printed."""

    width: float
    font: float

    @property
    def points(self) -> float:
        return self.width * POINTS_PER_MM


SINGLE = Size(85, 7)
DOUBLE = Size(175, 8)
# A slide of 16 : 9 is 339 mm wide and has margins.
SLIDE = Size(300, 18)
SIZES = {"single": SINGLE, "double": DOUBLE, "slide": SLIDE}
"""One column of a paper, two columns, and a slide, by name."""


def svg_document(
    size: Size,
    height: float,
    parts: list[str],
    title: str,
    description: str,
) -> str:
    """A whole figure, `height` in points; a reader of the screen gets title and description."""
    # Millimetres outside, so that it prints at its size; points inside, as fonts are counted in.
    width = size.points
    return element(
        "svg",
        element("title", xml_escaped(title)),
        element("desc", xml_escaped(description)),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        width=f"{size.width:g}mm",
        height=f"{height / POINTS_PER_MM:.2f}mm",
        viewBox=f"0 0 {width:.2f} {height:.2f}",
        font_family=FONTS,
        font_size=size.font,
        fill="currentColor",
        stroke="none",
    )


def element(name: str, *children: str, **attributes: str | float) -> str:
    """An element; `children` are elements, or words that are escaped already."""
    parts = [name]
    for key, value in attributes.items():
        shown = value if isinstance(value, str) else f"{value:.2f}".removesuffix(".00")
        parts.append(f'{key.replace("_", "-")}="{xml_escaped(shown)}"')
    return f"<{' '.join(parts)}>{''.join(children)}</{name}>"


def xml_escaped(text: str) -> str:
    """The text as XML takes it: signs that no XML may hold, or that turn a line, are spaces."""
    return escape(printable(text))


def words_at(x: float, y: float, text: str, em: float, **attributes: str | float) -> str:
    """A line of text whose middle is at the height `y`."""
    # Programs that make PDFs do not know dominant-baseline.
    return element("text", xml_escaped(text), x=x, y=y + 0.35 * em, **attributes)


def svg_line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    **attributes: str | float,
) -> str:
    given = {"stroke": "currentColor", **attributes}
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **given)


def add_note(parts: list[str], note: str, y: float, size: Size) -> float:
    """Adds a note in grey lines below `y`; where it ends."""
    em = size.font
    for text in broken_lines(note, size.points / em, MOST_NOTE_LINES) if note else ():
        parts.append(words_at(0, y + LINE / 2 * em, text, em, fill_opacity=SOFT))
        y += LINE * em
    return y + 0.2 * em
