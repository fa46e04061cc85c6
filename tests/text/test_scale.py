"""Numbers as they are shown: what each kind is rounded to, and how an interval is said."""

import re
from pathlib import Path

import pytest

from evaluators.config import ROOT
from evaluators.people.correction import EstimatedMean
from evaluators.text.scale import POINTS, RATE, SCORE


@pytest.mark.parametrize(
    ("scale", "value", "shown"),
    [
        (SCORE, 0.926, "0.93"),
        (SCORE, -0.001, "0.00"),
        (SCORE, None, "–"),
        (RATE, 0.754, "75 %"),
        (RATE, 0.0, "0 %"),
        (RATE, 1.0, "100 %"),
        (RATE, None, "–"),
        # Neither none nor all: not shown as that.
        (RATE, 0.004, "0.4 %"),
        (RATE, 0.997, "99.7 %"),
        # What floats make of all.
        (RATE, 0.9999999999, "100 %"),
        (POINTS, 0.0615, "6.2"),
    ],
)
def test_a_number_is_rounded_by_its_kind(scale, value, shown):
    assert scale.shown(value) == shown


@pytest.mark.parametrize(
    ("scale", "low", "high", "words"),
    [
        (SCORE, 0.85, 0.9749, "0.85 to 0.97"),
        (RATE, 0.6, 0.864, "60 to 86 %"),
        (POINTS, -0.021, 0.1, "-2.1 to 10.0"),
        (SCORE, None, None, ""),
    ],
)
def test_an_interval_is_said_in_one_way(scale, low, high, words):
    assert scale.interval(low, high) == words


def test_a_number_stands_before_its_interval():
    assert SCORE.with_interval(0.92, 0.85, 0.97) == "0.92 (0.85 to 0.97)"
    assert RATE.estimate(EstimatedMean(mean=0.75, low=0.6, high=0.86)) == "75 % (60 to 86)"
    assert RATE.with_interval(0.75, 0.6, 0.86, "by the paper's rule 70 %") == (
        "75 % (60 to 86; by the paper's rule 70 %)"
    )


def test_without_an_interval_the_number_stands_alone():
    assert SCORE.with_interval(0.92) == "0.92"
    assert SCORE.with_interval(None) == "–"
    assert RATE.with_interval(0.75, beside="of few") == "75 % (of few)"


def test_nothing_else_puts_the_ends_of_an_interval_into_words():
    ends = re.compile(r"\{\S*\b(low|least)\b\S*f\} to \{")
    places = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("evaluators", "ui", "pages")
        for path in Path(ROOT, folder).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ends.search(line)
    ]
    assert places == []
