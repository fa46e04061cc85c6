"""How often 95 % intervals hold the truth where there are few values, or questions repeat.

Each figure stands beside the bar that it must hold. A question's answers resemble each other: an
answer is that of its question with the root of the likeness as its probability, else its own, so
that the likeness is the intraclass correlation. Each cell is printed as it is measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from evaluators import statistics
from evaluators.comparison.paired import Difference, Pair, paired
from evaluators.statistics import interval

REPETITIONS = 1000
LIKENESSES = (0.0, 0.1, 0.3, 0.6, 0.9, 1.0)
SIZES = {"equal": (5,), "unequal": (1, 1, 2, 3, 20)}
MARGIN = 0.02
"""What a gate allows the second system to be worse by."""

Numbers = np.ndarray
Draw = Callable[[np.random.Generator, int], Numbers]


class Shape(NamedTuple):
    """How values are distributed, and their true mean."""

    draw: Draw
    mean: float


def _ones_else_uniform(share: float) -> Draw:
    return lambda rng, count: np.where(rng.random(count) < share, 1.0, rng.random(count))


def _rate(share: float) -> Shape:
    return Shape(lambda rng, count: (rng.random(count) < share).astype(float), share)


RATES = {f"yes {share}": _rate(share) for share in (0.5, 0.8, 0.95, 0.99)}
SHARES = {
    "uniform": Shape(lambda rng, count: rng.random(count), 0.5),
    "beta(8, 2)": Shape(lambda rng, count: rng.beta(8, 2, count), 0.8),
    "beta(2, 2)": Shape(lambda rng, count: rng.beta(2, 2, count), 0.5),
    "beta(.5, .1)": Shape(lambda rng, count: rng.beta(0.5, 0.1, count), 5 / 6),
    "70 % ones": Shape(_ones_else_uniform(0.7), 0.85),
    "90 % ones": Shape(_ones_else_uniform(0.9), 0.95),
}
LEANING = {"lognormal": Shape(lambda rng, count: rng.lognormal(0, 1, count), float(np.exp(0.5)))}


class Held(NamedTuple):
    """How often intervals held the truth, and how wide they were on average."""

    percent: float
    width: float


def alike(rng: np.random.Generator, draw: Draw, keys: Numbers, likeness: float) -> Numbers:
    """Values of which those of one key, a number from 0, resemble each other."""
    own, of_question = draw(rng, len(keys)), draw(rng, int(keys.max()) + 1)[keys]
    return np.where(rng.random(len(keys)) < np.sqrt(likeness), of_question, own)


def held(
    shape: Shape,
    sizes: Sequence[int],
    likeness: float = 0.0,
    repetitions: int = REPETITIONS,
) -> Held:
    """Of intervals over answers to questions that stand so many times."""
    rng = np.random.default_rng(len(sizes))
    keys = np.repeat(np.arange(len(sizes)), sizes)
    hits = count = 0
    widths = 0.0
    for _ in range(repetitions):
        values = alike(rng, shape.draw, keys, likeness)
        ends = interval(values, keys)
        # Where it is said that nothing is known, nothing wrong is said.
        if ends is not None:
            count += 1
            hits += ends[0] <= shape.mean <= ends[1]
            widths += ends[1] - ends[0]
    return Held(100 * hits / count, widths / count)


def always_right_against(failing: float, questions: int, seed: int) -> Difference:
    """A system that is always right, and one that fails whole questions of five answers."""
    rng = np.random.default_rng([questions, seed])
    right = (rng.random(questions) >= failing).astype(float)
    return paired(
        [Pair(1.0, float(right[question]), question) for question in np.arange(questions).repeat(5)]
    )


def pairs_of(
    better: float,
    sizes: Sequence[int],
    likeness: float,
    seed: int,
) -> Difference:
    """Systems of which either is right alone in 15 % of rows, the second in so many more."""
    rng = np.random.default_rng([len(sizes), seed])
    keys = np.repeat(np.arange(len(sizes)), sizes)

    def won(rng: np.random.Generator, count: int) -> Numbers:
        return rng.choice((1, 0, -1), size=count, p=(0.15 + better, 0.70 - better, 0.15))

    outcome = alike(rng, won, keys, likeness)
    return paired(
        [
            Pair(float(each <= 0), float(each >= 0), key)
            for each, key in zip(outcome.tolist(), keys.tolist(), strict=True)
        ]
    )


def labels_of_two(
    true: float, yes: float, answers: int, likeness: float, seed: int
) -> tuple[Numbers, Numbers]:
    """Two labellers' verdicts on five sentences of each answer, whose true kappa is `true`.

    The second one copies so many verdicts of the first and gives the others blindly. Sentences of
    an answer resemble each other in the verdict and in whether it is copied.
    """
    rng = np.random.default_rng([answers, seed])
    keys = np.arange(answers).repeat(5)
    first, blind = (alike(rng, _rate(yes).draw, keys, likeness) for _ in range(2))
    is_copied = alike(rng, _rate(true).draw, keys, likeness)
    return first, np.where(is_copied == 1, first, blind)


def differences_where_one_never_fails(
    repetitions: int = REPETITIONS,
) -> Iterator[dict[str, object]]:
    for questions, failing in product((5, 8, 12, 24, 48, 100), (0.02, 0.05, 0.10)):
        drawn = [always_right_against(failing, questions, seed) for seed in range(repetitions)]
        ends = [(each.low, each.high) for each in drawn if each.low is not None]
        holds = sum(low <= -failing <= high for low, high in ends)
        passes = sum(low >= -MARGIN for low, _ in ends)
        yield {
            "questions": questions,
            "worse_by": failing,
            "no_width": sum(high - low < 1e-9 for low, high in ends),
            "holds": round(100 * holds / repetitions, 1),
            "bar": 93,
            "gate_passes": round(100 * passes / repetitions, 1),
            "gate_bar": 5 if failing == 0.10 else None,
        }


def differences_in_clusters(repetitions: int = REPETITIONS) -> Iterator[dict[str, object]]:
    for kind, questions, likeness, better in product(SIZES, (10, 24, 60), LIKENESSES, (0.0, 0.1)):
        sizes = np.resize(SIZES[kind], questions).tolist()
        drawn = [pairs_of(better, sizes, likeness, seed) for seed in range(repetitions)]
        holds = sum(each.low <= better <= each.high for each in drawn)
        apart = sum(each.is_told_apart for each in drawn)
        yield {
            "sizes": kind,
            "questions": questions,
            "likeness": likeness,
            "better_by": better,
            "holds": round(100 * holds / repetitions, 1),
            "bar": 93,
            "told_apart": round(100 * apart / repetitions, 1),
            "told_apart_bar": None if better else 6,
        }


def means_in_clusters(repetitions: int = REPETITIONS) -> Iterator[dict[str, object]]:
    shapes = {**RATES, **SHARES}
    for kind, questions, name in product(SIZES, (10, 24, 60), shapes):
        sizes = np.resize(SIZES[kind], questions).tolist()
        cells = [held(shapes[name], sizes, likeness, repetitions) for likeness in LIKENESSES]
        yield {
            "sizes": kind,
            "questions": questions,
            "values": name,
            "holds_by_likeness": [round(cell.percent, 1) for cell in cells],
            "bar": 92,
            "width_by_likeness": [round(cell.width, 3) for cell in cells],
        }


def few_values(repetitions: int = REPETITIONS) -> Iterator[dict[str, object]]:
    for name, shape in {**SHARES, **LEANING}.items():
        cells = {count: held(shape, [1] * count, 0.0, repetitions) for count in FEW_COUNTS}
        yield {
            "values": name,
            "holds": {count: round(cell.percent, 1) for count, cell in cells.items()},
            "bar": None if name in LEANING else 90,
            "width": {count: round(cell.width, 3) for count, cell in cells.items()},
        }


def agreement(repetitions: int = REPETITIONS) -> Iterator[dict[str, object]]:
    cells = product((10, 30, 100), (0.3, 0.6, 0.9), (0.5, 0.8), (0.0, 0.3, 0.9))
    for answers, true, yes, likeness in cells:
        keys = np.arange(answers).repeat(5)
        ends: dict[str, list[tuple[float, float] | None]] = {"kappa": [], "alpha": []}
        for seed in range(repetitions):
            first, second = labels_of_two(true, yes, answers, likeness, seed)
            tables = np.zeros((answers, 2, 2))
            np.add.at(tables, (keys, first.astype(int), second.astype(int)), 1)
            ends["kappa"].append(statistics.kappa_interval(tables))
            counts = np.column_stack([first + second, 2 - first - second]).astype(int)
            ends["alpha"].append(statistics.krippendorff_interval(counts, keys))
        known = {name: [each for each in own if each] for name, own in ends.items()}
        yield {
            "answers": answers,
            "true": true,
            "yes": yes,
            "likeness": likeness,
            **{
                f"{name}_holds": round(100 * np.mean([a <= true <= b for a, b in own]), 1)
                for name, own in known.items()
            },
            "kappa_width": round(float(np.mean([b - a for a, b in known["kappa"]])), 2),
            "none": repetitions - len(known["kappa"]),
        }


FEW_COUNTS = (3, 5, 6, 10, 20, 50, 200)

PARTS = {
    "one never fails": differences_where_one_never_fails,
    "few values": few_values,
    "means in clusters": means_in_clusters,
    "agreement": agreement,
    "differences in clusters": differences_in_clusters,
}

if __name__ == "__main__":
    for name, part in PARTS.items():
        for cell in part():
            print(json.dumps({name: cell}), flush=True)
