"""How often a gate is red, green or cannot tell over 50 runs of a system that has not changed: its
answers are the same, and a replayed judge errs at random. And how often over one that became worse.
"""

import json
from collections import Counter
from collections.abc import Iterator

import numpy as np

from evaluators.api.gate import Measured, State, decided
from evaluators.comparison.paired import Pair, paired
from evaluators.statistics import wilson

RUNS = 50
HISTORIES = 40
"""Histories of 50 runs, each with a baseline of its own."""
MARGIN = 0.05
LEAST = 0.75
TRUE = 0.8
"""The share of answers that are supported."""
CASES = [
    (questions, error, drop)
    for questions in (100, 300, 1000)
    for error in (0.05, 0.15)
    for drop in (0.0, 0.15)
]


def states(
    questions: int, error: float, drop: float, seed: int, histories: int = HISTORIES
) -> Iterator[tuple[State, State]]:
    """What the gate says of each run: compared with the baseline, and of its mean alone."""
    draw = np.random.default_rng(seed)
    for _ in range(histories):
        truth = draw.random(questions) < TRUE
        worse = truth & (draw.random(questions) >= drop)
        first = truth ^ (draw.random(questions) < error)
        for _ in range(RUNS):
            second = worse ^ (draw.random(questions) < error)
            pairs = [
                Pair(float(old), float(new), place)
                for place, (old, new) in enumerate(zip(first, second, strict=True))
            ]
            found = paired(pairs)
            right = int(second.sum())
            yield (
                decided(Measured(found.difference, found.low, found.high, questions), -MARGIN),
                decided(Measured(0.0, *wilson(right, questions), questions), LEAST),
            )


def shares(found: list[State]) -> dict[str, float]:
    counts = Counter(found)
    return {
        state: round(counts[state] / len(found), 4) for state in ("pass", "fail", "cannot tell")
    }


if __name__ == "__main__":
    for number, (questions, error, drop) in enumerate(CASES):
        compared, alone = zip(*states(questions, error, drop, seed=number), strict=True)
        line = {"questions": questions, "judge_errs": error, "worse_by": round(drop * TRUE, 2)}
        told = {"not_worse_than_5_points": shares(list(compared))}
        if not drop:
            told["at_least_0.75"] = shares(list(alone))
        print(json.dumps(line | told), flush=True)
