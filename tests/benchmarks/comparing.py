"""How often equal systems are told apart, and intervals hold the true difference of unequal ones.

2,000 pairs of systems for each kind of value and each number of samples.
"""

from __future__ import annotations

import json

import numpy as np

from evaluators.comparison.paired import Pair, paired

REPETITIONS = 2000
ROWS = (50, 200)
KINDS = ("yes or no", "mean", "clusters")
BETTER = 0.05
"""By so much the second system is better where the interval is looked at."""
NOISE_LEVELS = 5
"""Answers to a question, where questions repeat."""


def pairs(kind: str, rows: int, better: float, seed: int) -> list[Pair]:
    """Both systems' values; of a question some are easy and some hard, for both alike."""
    random = np.random.default_rng(seed)
    if kind == "mean":
        easy = random.uniform(0.2, 0.7, rows)
        first, second = (easy + random.normal(0, 0.1, rows) for _ in range(2))
        return _paired(first, second + better, np.arange(rows))
    times = NOISE_LEVELS if kind == "clusters" else 1
    # Not so near to 0 or 1 that the better system could not be better.
    easy = random.uniform(0.1, 0.9, rows // times)
    questions = np.repeat(np.arange(rows // times), times)
    first = random.random(len(questions)) < easy[questions]
    second = random.random(len(questions)) < easy[questions] + better
    return _paired(first.astype(float), second.astype(float), questions)


def _paired(first: np.ndarray, second: np.ndarray, questions: np.ndarray) -> list[Pair]:
    return [
        Pair(float(one), float(other), int(question))
        for one, other, question in zip(first, second, questions, strict=True)
    ]


def measured(kind: str, rows: int) -> dict[str, float]:
    alarms = held = 0
    widths = []
    for seed in range(REPETITIONS):
        alarms += paired(pairs(kind, rows, 0.0, seed)).is_told_apart
        better = paired(pairs(kind, rows, BETTER, REPETITIONS + seed))
        assert better.low is not None
        assert better.high is not None
        held += better.low <= BETTER <= better.high
        widths.append(better.high - better.low)
    return {
        "equal_told_apart_percent": round(100 * alarms / REPETITIONS, 1),
        "interval_holds_percent": round(100 * held / REPETITIONS, 1),
        "mean_width_points": round(100 * float(np.mean(widths)), 1),
    }


if __name__ == "__main__":
    print(json.dumps({f"{kind}, {rows}": measured(kind, rows) for kind in KINDS for rows in ROWS}))
