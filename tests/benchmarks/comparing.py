"""How often equal systems are told apart, and intervals hold the true difference of unequal ones.

2,000 pairs of systems for each kind of value and each number of samples.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from evaluators.comparison.paired import Pair, holm, paired

REPETITIONS = 2000
ROWS = (50, 200)
KINDS = ("yes or no", "mean", "clusters")
BETTER = 0.05
"""By so much the second system is better where the interval is looked at."""
EQUAL_SYSTEMS = 4
NOISE_LEVELS = 5
"""Answers to a question, where questions repeat."""


def systems(
    kind: str,
    rows: int,
    seed: int,
    better: Sequence[float],
) -> tuple[list[np.ndarray], np.ndarray]:
    """Each system's values, by so much better than the easiness of a question, and the questions.

    Some questions are easy and some hard, for all systems alike.
    """
    random = np.random.default_rng(seed)
    if kind == "mean":
        easy = random.uniform(0.2, 0.7, rows)
        values = [easy + random.normal(0, 0.1, rows) + by for by in better]
        return values, np.arange(rows)
    times = NOISE_LEVELS if kind == "clusters" else 1
    # Not so near to 0 or 1 that the better system could not be better.
    easy = random.uniform(0.1, 0.9, rows // times)
    questions = np.repeat(np.arange(rows // times), times)
    chances = [easy[questions] + by for by in better]
    return [(random.random(len(own)) < own).astype(float) for own in chances], questions


def pairs(kind: str, rows: int, better: float, seed: int) -> list[Pair]:
    """Both systems' values, the second by so much better."""
    (first, second), questions = systems(kind, rows, seed, (0.0, better))
    return _paired(first, second, questions)


def any_told_apart(kind: str, rows: int, seed: int) -> bool:
    """Whether of `EQUAL_SYSTEMS` equal ones any is told apart from the first."""
    (first, *others), questions = systems(kind, rows, seed, (0.0,) * EQUAL_SYSTEMS)
    p_values = [paired(_paired(first, other, questions)).p for other in others]
    return any(p is not None and p < 0.05 for p in holm(p_values))


def _paired(first: np.ndarray, second: np.ndarray, questions: np.ndarray) -> list[Pair]:
    return [
        Pair(float(one), float(other), int(question))
        for one, other, question in zip(first, second, questions, strict=True)
    ]


def measured(kind: str, rows: int) -> dict[str, float]:
    alarms = alarms_of_several = held = 0
    widths = []
    for seed in range(REPETITIONS):
        alarms += paired(pairs(kind, rows, 0.0, seed)).is_told_apart
        alarms_of_several += any_told_apart(kind, rows, seed)
        better = paired(pairs(kind, rows, BETTER, REPETITIONS + seed))
        assert better.low is not None
        assert better.high is not None
        held += better.low <= BETTER <= better.high
        widths.append(better.high - better.low)
    return {
        "equal_told_apart_percent": round(100 * alarms / REPETITIONS, 1),
        "any_of_four_equal_told_apart_percent": round(100 * alarms_of_several / REPETITIONS, 1),
        "interval_holds_percent": round(100 * held / REPETITIONS, 1),
        "mean_width_points": round(100 * float(np.mean(widths)), 1),
    }


if __name__ == "__main__":
    print(json.dumps({f"{kind}, {rows}": measured(kind, rows) for kind in KINDS for rows in ROWS}))
