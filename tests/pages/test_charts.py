"""Charts by their figures: where marks stand, which are hollow, and what is said of them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from evaluators.batch.charts import over_time
from evaluators.drawing import Curve, CurveChart, Point
from evaluators.runs.aggregate import Mean, NoisePoint
from evaluators.runs.rgb_figures import charts_of
from evaluators.runs.shown_values import Dot, counts_in_words
from evaluators.values import Value
from ui.parts import charts, dots

FULL = Mean(mean=0.5, low=0.25, high=0.75, asked=12, scored=12)
FEW = Mean(mean=0.6, low=0.3, high=0.85, asked=60, scored=10, failed=50)
OF_DETECTED = Mean(mean=11 / 19, low=0.36, high=0.77, asked=40, scored=19, not_applicable=21)
ACCURACY = Value("accuracy", kind="rate", verb="right", over_noise=True)


def point(noise: float, effective: float | None, accuracy: float, mean: Mean = FULL) -> NoisePoint:
    own = mean.model_copy(update={"mean": accuracy})
    return NoisePoint(noise=noise, effective_noise=effective, mean=own)


def over_noise(points: list[NoisePoint], model: str = "A", **how: Any) -> CurveChart:
    """The chart of two models, of which the other has no answers."""
    [chart] = charts_of({model: {ACCURACY: points}, "None": {}}, **how)
    return chart


def curves(**ends: float) -> CurveChart:
    return CurveChart("", [Curve(name, [Point(0, end)]) for name, end in ends.items()])


def texts(figure: Any) -> list[str]:
    return [note.text for note in figure.layout.annotations]


def test_a_point_stands_at_the_noise_that_prompts_had_and_is_hollow_where_another_was_asked():
    chart = over_noise([point(0.0, 0.21, 1.0), point(0.2, 0.2, 0.9), point(0.4, None, 0.5)])
    (line,) = charts.figure(chart).data
    assert list(line.x) == pytest.approx([0.2, 0.21, 0.4])
    assert list(line.y) == pytest.approx([0.9, 1, 0.5])
    assert list(line.marker.symbol) == ["circle", "circle-open", "circle"]
    assert chart.note == "Hollow: not the noise that was asked for (0 → 21 %)."
    assert "asked 0 %, had 21 %" in chart.aloud


def test_a_point_of_few_answers_is_hollow_and_says_of_how_many():
    chart = over_noise([point(0.0, 0.0, 0.6, FEW)])
    (line,) = charts.figure(chart).data
    assert chart.note == "Hollow: less than 80 % of the answers are checked."
    assert list(line.marker.symbol) == ["circle-open"]
    said = "60 % (30 to 85) at 0 % noise, 6 of 10<br>right, 10 of 60 checked"
    assert list(line.customdata) == [said]


def test_a_run_at_work_counts_nothing_and_has_no_finding():
    chart = over_noise([point(0.0, 0.0, 0.6), point(0.8, 0.8, 0.2)], is_at_work=True)
    assert chart.finding == chart.title == "Accuracy by noise"
    assert "12" not in chart.aloud


@pytest.mark.parametrize("axis", ["xaxis", "yaxis"])
def test_axes_begin_at_0_and_have_a_tick_every_20_percent(axis):
    layout = charts.figure(over_noise([point(0.0, 0.0, 1.0)])).layout
    assert layout[axis].ticktext[:3] == ("0 %", "20 %", "40 %")
    assert layout[axis].tickfont.size == 14
    assert layout[axis].range[0] <= 0
    assert 420 <= layout.height <= 480


def test_lines_are_labelled_at_their_ends_and_no_label_lies_on_another_or_outside():
    ends = {"Information integration": 1.0, "Noise robustness": 0.99}
    ends |= {"Offline reader (baseline, no key)": 0.0, "B": 0.0}
    notes = charts.figure(curves(**ends)).layout.annotations
    notes = sorted(notes, key=lambda note: note.y, reverse=True)
    # From the top: two lines need 12 %, one line 6 %
    tops = [note.y + (0.06 if "<br>" in note.text else 0.03) for note in notes]
    feet = [note.y - (0.06 if "<br>" in note.text else 0.03) for note in notes]
    assert all(foot >= top - 0.01 for foot, top in zip(feet, tops[1:], strict=False))
    assert max(tops) <= 1.05
    assert min(feet) >= -0.05
    assert "Offline reader" in " ".join(note.text for note in notes)


def test_equal_curves_can_be_told_apart():
    lines = charts.figure(curves(**dict.fromkeys("ABCDEF", 1.0))).data
    assert len({(line.line.dash, line.marker.symbol) for line in lines}) == 6
    sizes = [line.marker.size for line in lines]
    assert sizes == sorted(sizes, reverse=True)


def test_names_are_no_markup_and_many_of_them_make_a_chart_higher():
    figure = charts.figure(curves(**{f"<b>{number}</b>": 0.5 for number in range(30)}))
    assert "&lt;b&gt;0&lt;/b&gt;" in texts(figure)[0]
    assert figure.layout.height > charts.HEIGHT + 100


@pytest.mark.parametrize(
    ("mean", "verb", "words"),
    [
        (FULL, "right", "6 of 12 right"),
        (FEW, "declined", "6 of 10 declined, 10 of 60 checked"),
        (OF_DETECTED, "detected", "11 of 19 detected"),
        (FULL.model_copy(update={"questions": 4}), "right", "6 of 12 right, 4 questions"),
        (Mean(mean=None, asked=3, scored=0, failed=3), "right", "0 of 3, 3 failed"),
        (FULL, "", "12 of 12"),
    ],
)
def test_a_rate_says_of_how_many(mean, verb, words):
    assert counts_in_words(mean, verb) == words


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
    assert over_noise(curve).finding == words


def test_a_value_over_time_stands_at_its_days_with_its_intervals_and_rows():
    weeks = [f"2026-W{week:02}" for week in range(1, 11)]
    days = {name: date.fromisocalendar(2026, int(name[-2:]), 1) for name in weeks}
    nothing = Mean(mean=None, asked=3, scored=0, failed=3)
    figure = charts.figure(
        over_time("Value", dict.fromkeys(weeks, FULL) | {"2026-W05": nothing}, days)
    )
    (line,) = figure.data
    # The week without a value is a gap of two weeks between its neighbours.
    assert [line.x[at] - line.x[0] for at in (0, 3, 4)] == [0, 21, 35]
    assert set(line.y) == {0.5}
    assert (line.error_y.array[0], line.error_y.arrayminus[0]) == (0.25, 0.25)
    assert line.customdata[0] == "2026-W01: 0.50 (0.25 to 0.75), 12 of 12"
    # The last one and every third before it.
    ticks = [f"2026-W{week}<br>n 12" for week in ("03", "07", "10")]
    assert [words for words in figure.layout.xaxis.ticktext if words] == ticks


@pytest.mark.parametrize(("mean", "is_share"), [(0.5, True), (4.0, False), (-0.5, False)])
def test_the_axis_of_a_value_fits_what_lies_outside_of_0_to_1(mean, is_share):
    own = Mean(mean=mean, asked=1, scored=1)
    [low, *_, high] = over_time("Value", {"a": own}, {"a": date(2026, 1, 1)}).y_ticks
    assert ((low[0], high[0]) == (0, 1)) == is_share
    assert low[0] <= mean <= high[0]
    axis = dots._axis([Dot("a", own)])
    assert ((axis.ticks[0][0], axis.ticks[-1][0]) == (0, 1)) == is_share
    assert 0 <= axis.place(mean) <= 100
