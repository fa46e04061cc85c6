"""Charts by their figures: where marks stand, which are hollow, and what is said of them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from evaluators.runs.aggregate import Mean, NoisePoint
from ui.parts import charts

FULL = Mean(mean=0.5, low=0.25, high=0.75, asked=12, scored=12)
FEW = Mean(mean=0.6, low=0.3, high=0.85, asked=60, scored=10, failed=50)
OF_DETECTED = Mean(mean=11 / 19, low=0.36, high=0.77, asked=40, scored=19, not_applicable=21)


def point(noise: float, effective: float | None, accuracy: float, mean: Mean = FULL) -> NoisePoint:
    own = mean.model_copy(update={"mean": accuracy})
    return NoisePoint(noise=noise, effective_noise=effective, mean=own)


def test_a_point_stands_at_the_noise_that_prompts_had_and_is_hollow_where_another_was_asked():
    curve = [point(0.0, 0.21, 1.0), point(0.2, 0.2, 0.9), point(0.4, None, 0.5)]
    figure = charts.accuracy_by_noise({"A": curve}, {})
    (line,) = figure.data
    assert list(line.x) == pytest.approx([20, 21, 40])
    assert list(line.y) == pytest.approx([90, 100, 50])
    assert list(line.marker.symbol) == ["circle", "circle-open", "circle"]
    assert "Noise asked → had: 0 → 21 %" in texts(figure)


def test_a_point_of_few_answers_is_hollow_and_says_of_how_many():
    (line,) = charts.accuracy_by_noise({"A": [point(0.0, 0.0, 0.6, FEW)]}, {}).data
    assert list(line.marker.symbol) == ["circle-open"]
    assert list(line.customdata) == ["<br>6 of 10 right, 10 of 60 checked"]


@pytest.mark.parametrize("axis", ["xaxis", "yaxis"])
def test_axes_begin_at_0_and_have_a_tick_every_20_percent(axis):
    layout = charts.accuracy_by_noise({"A": [point(0.0, 0.0, 1.0)]}, {}).layout
    assert (layout[axis].tick0, layout[axis].dtick, layout[axis].tickfont.size) == (0, 20, 14)
    assert layout[axis].range[0] <= 0
    assert 420 <= layout.height <= 480


def test_lines_are_labelled_at_their_ends_and_no_label_lies_on_another_or_outside():
    curves = {
        "Information integration": [point(0.0, 0.0, 1.0)],
        "Noise robustness": [point(0.0, 0.0, 0.99)],
        "Offline reader (baseline, no key)": [point(0.0, 0.0, 0.0)],
        "B": [point(0.0, 0.0, 0.0)],
    }
    notes = charts.accuracy_by_noise(curves, {}).layout.annotations
    # From the top: two lines need 12 %, one line 6 %
    assert [note.y for note in notes] == pytest.approx([98, 86, 6, 0], abs=3)
    tops = [note.y + (6 if "<br>" in note.text else 3) for note in notes]
    feet = [note.y - (6 if "<br>" in note.text else 3) for note in notes]
    assert all(foot >= top - 1e-9 for foot, top in zip(feet, tops[1:], strict=False))
    assert max(tops) <= 104
    assert "Offline reader" in " ".join(note.text for note in notes)


def test_equal_curves_can_be_told_apart():
    curves = {name: [point(0.0, 0.0, 1.0)] for name in "ABCDEF"}
    lines = charts.accuracy_by_noise(curves, {}).data
    assert len({(line.line.dash, line.marker.symbol) for line in lines}) == 6
    sizes = [line.marker.size for line in lines]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("mean", "verb", "words"),
    [
        (FULL, "right", "50 % (25 to 75), 6 of 12 right"),
        (FEW, "declined", "60 % (30 to 85), 6 of 10 declined, 10 of 60 checked"),
        (OF_DETECTED, "detected", "58 % (36 to 77), 11 of 19 detected"),
        (Mean(mean=1.0, asked=1, scored=1), "right", "100 %, 1 of 1 right"),
        (Mean(mean=None, asked=3, scored=0, failed=3), "right", "nothing checked"),
    ],
)
def test_a_rate_in_words_says_of_how_many(mean, verb, words):
    assert charts.rate_in_words(mean, verb) == words


def test_the_panel_of_a_rate_has_a_line_of_words_above_each_dot_of_each_model():
    figure = charts.rate({"A": FULL, "<b>B</b>": FEW}, {"A": OF_DETECTED}, "right")
    assert [(mark.x[0], mark.y[0], mark.marker.symbol) for mark in figure.data] == [
        (50.0, 0, "circle"),
        (pytest.approx(1100 / 19), -1, "diamond"),
        (60.0, -2, "circle-open"),
    ]
    assert texts(figure)[0] == "A, by rule<br>50 % (25 to 75), 6 of 12 right"
    assert texts(figure)[2].startswith("&lt;b&gt;B&lt;/b&gt;, by rule<br>")
    assert [note.y for note in figure.layout.annotations] == [0, -1, -2]
    assert tuple(figure.layout.xaxis.range) == (-4, 104)


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (
            [point(0.0, 0.0, 1.0), point(0.8, 0.8, 0.75)],
            "A: accuracy falls from 100 % at 0 % noise to 75 % at 80 %.",
        ),
        (
            [point(0.0, 0.21, 0.5), point(0.8, 0.8, 0.7)],
            "A: accuracy rises from 50 % at 21 % noise to 70 % at 80 %.",
        ),
        ([point(0.4, 0.4, 0.5)], "A: accuracy is 50 % at 40 % noise."),
        (
            [point(0.0, 0.0, 0.5), point(0.8, 0.8, 0.5)],
            "A: accuracy is 50 % at 0 % noise as at 80 %.",
        ),
        ([], ""),
    ],
)
def test_the_alternative_text_tells_the_finding(curve, words):
    assert charts.accuracy_in_words({"A": curve}, "Accuracy") == words


def texts(figure: Any) -> list[str]:
    return [note.text for note in figure.layout.annotations]


def test_a_value_over_time_stands_at_its_days_with_its_intervals_and_rows():
    weeks = [f"2026-W{week:02}" for week in range(1, 11)]
    days = {name: date.fromisocalendar(2026, int(name[-2:]), 1) for name in weeks}
    nothing = Mean(mean=None, asked=3, scored=0, failed=3)
    figure = charts.value_over_time(dict.fromkeys(weeks, FULL) | {"2026-W05": nothing}, days)
    (line,) = figure.data
    # The week without a value is a gap of two weeks between its neighbours.
    assert [line.x[at].isoformat() for at in (0, 3, 4)] == [
        "2025-12-29",
        "2026-01-19",
        "2026-02-02",
    ]
    assert set(line.y) == {0.5}
    assert (line.error_y.array[0], line.error_y.arrayminus[0]) == (0.25, 0.25)
    assert line.customdata[0] == "2026-W01: 0.50 (0.25 to 0.75), 12 of 12"
    # The last one and every third before it.
    ticks = [f"2026-W{week}<br>n 12" for week in ("03", "07", "10")]
    assert list(figure.layout.xaxis.ticktext) == ticks


def test_a_value_by_group_has_a_row_for_each_and_names_are_no_markup():
    figure = charts.value_by_group({"<b>new</b>": FULL, "old": FEW})
    (marks,) = figure.data
    assert (list(marks.x), list(marks.y)) == ([0.5, 0.6], [0, 1])
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;new&lt;/b&gt;<br>n 12", "old<br>n 10"]
    assert marks.customdata[0].startswith("&lt;b&gt;new&lt;/b&gt;: 0.50")
    # The first row is on top.
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


@pytest.mark.parametrize(("mean", "is_share"), [(0.5, True), (4.0, False), (-0.5, False)])
def test_the_axis_of_a_value_fits_what_lies_outside_of_0_to_1(mean, is_share):
    own = Mean(mean=mean, asked=1, scored=1)
    for figure, axis in (
        (charts.value_by_group({"a": own}), "xaxis"),
        (charts.value_over_time({"a": own}, {"a": date(2026, 1, 1)}), "yaxis"),
    ):
        assert (figure.layout[axis].range is not None) == is_share
