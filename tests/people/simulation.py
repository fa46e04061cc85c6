"""Judges of known error, and how often a corrected rate holds the true one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluators.people.correction import EstimatedMean, Stratum, corrected_rate, labelled_rate
from evaluators.people.drawing import allocate

JUDGED, LABELLED = 1000, 50


class Scenario(NamedTuple):
    """How many answers are right, and what share of the right and of the wrong a judge sees."""

    rate: float
    sensitivity: float
    specificity: float


SCENARIOS = [
    Scenario(0.95, 0.95, 0.60),
    Scenario(0.90, 0.95, 0.50),
    Scenario(0.85, 0.90, 0.85),
    Scenario(0.70, 0.90, 0.70),
    Scenario(0.60, 0.80, 0.90),
    Scenario(0.97, 0.98, 0.70),
]


class Held(NamedTuple):
    """How often an interval held the truth, and half its mean width."""

    share: float
    half: float

    @classmethod
    def of(cls, estimates: list[EstimatedMean], truth: float) -> Held:
        held = [estimate.low <= truth <= estimate.high for estimate in estimates]
        halves = [estimate.half for estimate in estimates]
        return cls(float(np.mean(held)), float(np.mean(halves)))


def drawn_by_verdict(verdicts: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Places of answers to label, drawn inside each verdict as a queue draws them."""
    places = {str(verdict): np.flatnonzero(verdicts == verdict) for verdict in (True, False)}
    counts = allocate({verdict: len(of) for verdict, of in places.items()}, LABELLED)
    return [rng.choice(places[verdict], count, replace=False) for verdict, count in counts.items()]


def repetition(
    truths: np.ndarray, verdicts: np.ndarray, rng: np.random.Generator
) -> tuple[EstimatedMean, EstimatedMean]:
    """The rate corrected by labels drawn inside verdicts, and that of as many random ones alone."""
    strata = []
    for places in drawn_by_verdict(verdicts, rng):
        judged = int((verdicts == verdicts[places[0]]).sum())
        strata.append(Stratum(judged, len(places), int(truths[places].sum())))
    corrected = corrected_rate(strata, seed=int(rng.integers(2**32)))
    at_random = truths[rng.choice(len(truths), LABELLED, replace=False)]
    return corrected, labelled_rate(at_random.tolist())


def simulated(scenario: Scenario, repetitions: int, seed: int) -> tuple[Held, Held]:
    """How often the corrected rate, and how often the labels alone, hold the scenario's rate."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(repetitions):
        truths = rng.random(JUDGED) < scenario.rate
        said_yes = np.where(truths, scenario.sensitivity, 1 - scenario.specificity)
        pairs.append(repetition(truths, rng.random(JUDGED) < said_yes, rng))
    return held_by_both(pairs, scenario.rate)


def held_by_both(
    pairs: list[tuple[EstimatedMean, EstimatedMean]], truth: float
) -> tuple[Held, Held]:
    corrected, alone = zip(*pairs, strict=True)
    return Held.of(list(corrected), truth), Held.of(list(alone), truth)
