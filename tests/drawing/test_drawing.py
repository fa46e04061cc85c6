"""Figures as SVG: they are XML without anything that runs, and every mark is where its value is."""

import math
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evaluators.drawing import (
    DOUBLE,
    SINGLE,
    SIZES,
    Curve,
    CurveChart,
    IntervalChart,
    IntervalRow,
    Point,
    Size,
    draw,
    fitting,
)
from evaluators.drawing.axis import number, ticks
from evaluators.drawing.marks import COLOURS, series_look
from evaluators.text.scale import POINTS

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
# 100 points wide with a font of 1 point: an em is a point.
SMALL = Size(100 / 72 * 25.4, 1)
LEVELS = (0, 20, 40, 60, 80)
LONG = "groq/meta-llama/llama-4-maverick-17b-128e-instruct"
DRAWN_TEXTS = [
    "<img src=x onerror=alert(1)>",
    "]]>&amp;&lt;%&#x3c;",
    '" onload="alert(1)',
    "</text><script>alert(1)</script>",
    "a\x00b\x1b[31m\ud800\ufffe\u202e",
    "北京大学语言模型" * 9,
    "Z" * 5000,
    "",
]


def falling(name, count=5):
    """From 90 % down, by 10 at each level."""
    points = []
    for place in range(count):
        noise, value = LEVELS[place] / 100, 0.9 - 0.1 * place
        points.append(Point(noise, value, value - 0.1, 0.95, words=f"{100 * value:.0f} %"))
    return Curve(name, points)


def curves(*drawn, size=DOUBLE, **options):
    return draw(CurveChart("x", drawn, **options), size)


def intervals(*rows, size=DOUBLE, **options):
    return draw(IntervalChart("x", rows, **options), size)


def marks(svg):
    root = ElementTree.fromstring(svg)
    return [*root.iter(f"{SVG}circle"), *root.iter(f"{SVG}polygon")]


def texts(svg):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


FIGURES = {
    "no curve": lambda size: curves(size=size),
    "no point": lambda size: curves(Curve("A", [Point(0, None)]), size=size),
    "one point": lambda size: curves(falling("A", 1), size=size),
    "one named point": lambda size: curves(
        Curve("A", [Point(739_000, 0.5)]), size=size, x_span=(), x_names={739_000: "W02\nn 3"}
    ),
    "twelve curves": lambda size: curves(
        *(falling(f"{LONG} {place}") for place in range(12)),
        x_title="Noise",
        y_title="Accuracy",
        size=size,
        note="A note that is long enough for some lines. " * 5,
    ),
    "not finite": lambda size: curves(
        Curve("A", [Point(0, math.nan), Point(0.2, 0.5, -math.inf, math.inf)]), size=size
    ),
    "no row": lambda size: intervals(size=size),
    "no interval": lambda size: intervals(IntervalRow(LONG, 1, beside=["1.00", "1 of 1"])),
    "no value": lambda size: intervals(IntervalRow("A", None, beside=["–"]), size=size),
    "huge": lambda size: intervals(IntervalRow("A", 1e300, -1e300, math.inf), size=size),
    "tiny": lambda size: intervals(IntervalRow("A", 1e-9), span=(0, 0), size=size),
    "forest": lambda size: intervals(
        IntervalRow(LONG, -1, -1, 1, ["−100.0 (−100.0 to +100.0)", "1,197 / 1,200"], LONG, 11),
        IntervalRow("B", 0, beside=["0.0"], hollow=True),
        size=size,
        scale=POINTS,
        sides=(f"← {LONG} higher", f"{LONG} higher →"),
        axis_title="Difference in points",
    ),
}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_nothing_of_a_figure_lies_outside_it(figure, size):
    root = ElementTree.fromstring(figure(size))
    _, _, width, height = map(float, root.get("viewBox").split())

    for element in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert -0.1 <= float(element.get(name, 0)) <= width + 0.1
        for name in ("y", "y1", "y2", "cy"):
            assert -0.1 <= float(element.get(name, 0)) <= height + 0.1
        if element.tag == f"{SVG}text":
            wide = fitting.width("".join(element.itertext())) * float(root.get("font-size"))
            part = {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
            left = float(element.get("x")) - part * wide
            assert -1 <= left <= left + wide <= width + 1


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_names_of_curves_that_end_alike_do_not_lie_on_one_another(size):
    alike = [falling(f"Model {place}") for place in range(12)]
    root = ElementTree.fromstring(curves(*alike, size=size))

    heights = [
        float(text.get("y"))
        for text in root.iter(f"{SVG}text")
        if "".join(text.itertext()).startswith("Model")
    ]

    assert len(heights) == 12
    gaps = [later - earlier for earlier, later in zip(heights[1:], heights, strict=False)]
    assert min(map(abs, gaps)) >= size.font


@pytest.mark.parametrize("text", DRAWN_TEXTS, ids=range(len(DRAWN_TEXTS)))
def test_text_of_strangers_stays_text(text):
    line = CurveChart(text, [falling(text)], text, text, finding=text, note=text)
    row = IntervalRow(text, 0.5, 0.4, 0.6, [text], text)
    rows = IntervalChart(text, [row], note=text, sides=(text, text), axis_title=text)

    for svg in map(draw, (line, rows)):
        svg.encode()
        tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
        assert tags <= {"svg", "title", "desc", "g", "line", "circle", "polygon", "text"}
        assert not re.search(r"[\x00-\x1f\u202e\ufffe\ud800]", svg)


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_a_figure_loads_nothing_and_works_alone(figure):
    svg = figure(DOUBLE)

    assert svg.startswith("<svg xmlns=")
    assert 'width="175mm"' in svg or "85mm" in svg
    assert not re.search(r"url\(|href|<style|<script|\bon\w+=|nan|inf\b", svg)


def test_a_reader_of_the_screen_gets_every_value():
    chart = CurveChart("Accuracy", [falling("A", 2), Curve("B", [])], finding="It falls.")
    root = ElementTree.fromstring(draw(chart))

    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Accuracy"
    assert root.find(f"{SVG}desc").text == "It falls. A: 90 %; 80 %. B: nothing checked."
    rows = [IntervalRow("Adherence", 0.5, beside=["0.50", "2 of 4"]), IntervalRow("Other", None)]
    described = ElementTree.fromstring(intervals(*rows)).find(f"{SVG}desc")
    assert described.text == "Adherence: 0.50, 2 of 4. Other: nothing checked."


def test_a_value_is_drawn_where_it_is_on_the_axis():
    row = IntervalRow("A", 0.25, 0.0, 0.75)
    root = ElementTree.fromstring(intervals(row, size=SMALL))

    # "A" is 0.7 wide and 1.5 follow; nothing stands beside, 1.5 are left free.
    start, end = 2.2, 98.5
    [mark] = marks(ElementTree.tostring(root))
    assert float(mark.get("cx")) == pytest.approx(start + 0.25 * (end - start), abs=0.01)
    [left, right] = [line for line in root.iter(f"{SVG}line") if line.get("stroke")[0] == "#"]
    assert float(left.get("x2")) == pytest.approx(start, abs=0.01)
    assert float(right.get("x2")) == pytest.approx(start + 0.75 * (end - start), abs=0.01)


def test_a_forest_plot_has_zero_in_the_middle():
    rows = [IntervalRow("A", 0.06, 0.02, 0.1), IntervalRow("B", -0.01, -0.04, 0.02, hollow=True)]
    svg = intervals(*rows, size=SMALL, scale=POINTS, sides=("l", "r"))
    root = ElementTree.fromstring(svg)

    first, second = marks(ElementTree.tostring(root))
    zero = (2.2 + 98.5) / 2
    # From -10 to 10.
    assert float(first.get("cx")) == pytest.approx(zero + 0.6 * (98.5 - zero), abs=0.01)
    assert (first.get("fill"), second.get("fill")) == (COLOURS[0], "none")
    assert "+5" in texts(ElementTree.tostring(root))
    assert "−10" in texts(ElementTree.tostring(root))


def test_what_has_no_value_has_no_mark():
    rows = [IntervalRow("A", 0.5), IntervalRow("B", None, 0.1, 0.2), IntervalRow("C", math.nan)]

    assert len(marks(intervals(*rows))) == 1
    # One on the curve, one beside its name.
    without = Curve("B", [Point(0, None)])
    assert len(marks(curves(Curve("A", [Point(0, 0.5), Point(0.2, None)]), without))) == 2
    assert "Nothing is checked yet." in texts(curves(without))


def test_thirty_series_differ_without_their_colours():
    looks = [series_look(place, 10) for place in range(30)]

    assert len({(look.shape, str(look.line.get("stroke_dasharray"))) for look in looks}) == 30


def test_the_colours_are_those_of_the_app():
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))

    assert list(COLOURS) == theme["theme"]["chartCategoricalColors"]


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 4, (0, 0.25, 0.5, 0.75, 1)),
        (0, 100, 6, (0, 20, 40, 60, 80, 100)),
        (0, 80, 6, (0, 20, 40, 60, 80)),
        (0, 0.3, 6, (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        (-10, 10, 6, (-10, -5, 0, 5, 10)),
        (-3.2, 3.2, 6, (-4, -2, 0, 2, 4)),
        (7, 7, 6, (6.4, 6.6, 6.8, 7.0, 7.2, 7.4, 7.6)),
        (0, 1e6, 4, (0, 250_000, 500_000, 750_000, 1_000_000)),
    ],
)
def test_an_axis_has_round_numbers_that_reach_both_ends(low, high, most, expected):
    assert ticks(low, high, most) == expected


@pytest.mark.parametrize(
    ("value", "signed", "expected"),
    [
        (0.25, False, "0.25"),
        (-5, False, "−5"),
        (5, True, "+5"),
        (0, True, "0"),
        (80.0, False, "80"),
    ],
)
def test_a_number_of_an_axis_reads_as_in_print(value, signed, expected):
    assert number(value, signed=signed) == expected


@pytest.mark.parametrize(
    ("text", "room", "most", "lines"),
    [
        # A small letter takes 0.56 em, "i" 0.3, a sign of Chinese 1.
        ("abc", 2, 1, ["abc"]),
        ("abc abc", 2, 2, ["abc", "abc"]),
        ("abcabc", 2, 2, ["abc", "abc"]),
        ("abcabcabc", 2, 2, ["abc", "a…"]),
        ("abc", 0.1, 2, ["a", "b…"]),
        ("groq/gpt-oss", 4.9, 2, ["groq/gpt-", "oss"]),
        ("北京大学", 3, 1, ["北京…"]),
        ("a\nb\x00c", 9, 1, ["a b c"]),
        ("", 2, 2, [""]),
    ],
)
def test_words_are_broken_and_cut_to_their_room(text, room, most, lines):
    assert fitting.broken_lines(text, room, most) == lines


def test_a_size_is_known_by_its_name():
    assert SIZES["single"] == SINGLE == (85, 7)
    assert intervals(size=SINGLE).count('width="85mm"') == 1
