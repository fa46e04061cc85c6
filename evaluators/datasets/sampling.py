"""A random part of data: the same samples for every run, and a smaller part is a part of a larger.

So runs over a part compare, also where one of them was stopped by its budget.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from evaluators.numbers import whole_number
from evaluators.records import Dataset


def in_random_order(ids: Sequence[str], seed: int = 0) -> list[int]:
    """The positions of all ids in an order that depends on ids and seed alone.

    The first n are a random part of n: the same ids come first wherever they stand in the data and
    whatever else is there.
    """
    keyed: list[tuple[bytes, int]] = []
    for position, sample_id in enumerate(ids):
        text = f"{seed}/{sample_id}"
        key = hashlib.sha256(text.encode()).digest()
        keyed.append((key, position))
    return [position for _, position in sorted(keyed)]


def sampled(dataset: Dataset, count: int | None, seed: int = 0) -> Dataset:
    """So many samples of the data set at random, in its own order; all where it has no more.

    `origin` says of how many they were taken, and by which seed. Raises `ParameterError` for
    what is no number.
    """
    seed = whole_number(seed, "seed", least=None)
    samples = dataset.samples
    if count is None or whole_number(count, "sample", least=1) >= len(samples):
        return dataset
    ids = [sample.id for sample in samples]
    first = in_random_order(ids, seed)[:count]
    chosen = sorted(first)
    origin = {**dataset.origin, "sample": count, "of": len(samples), "seed": seed}
    taken = tuple(samples[position] for position in chosen)
    return dataset.model_copy(update={"samples": taken, "origin": origin})
