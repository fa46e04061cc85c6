"""Judges of known error, and how often a corrected rate holds the true one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluators.people.correction import Estimate, Stratum, corrected_rate, labelled_rate

JUDGED, LABELLED = 1000, 50
LEAST_OF_A_VERDICT = 5


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
    def of(cls, estimates: list[Estimate], truth: float) -> Held:
        held = [estimate.low <= truth <= estimate.high for estimate in estimates]
        halves = [estimate.half for estimate in estimates]
        return cls(float(np.mean(held)), float(np.mean(halves)))


def drawn_by_verdict(
    verdicts: np.ndarray, count: int, rng: np.random.Generator
) -> dict[bool, np.ndarray]:
    """Answers drawn inside each verdict, in proportion, at least 5 where there are so many."""
    places = {verdict: np.flatnonzero(verdicts == verdict) for verdict in (True, False)}
    share = round(count * len(places[False]) / len(verdicts))
    of_no = min(len(places[False]), max(LEAST_OF_A_VERDICT, share))
    of_yes = min(len(places[True]), count - of_no)
    return {
        True: rng.choice(places[True], of_yes, replace=False),
        False: rng.choice(places[False], of_no, replace=False),
    }


def strata(
    truths: np.ndarray, verdicts: np.ndarray, drawn: dict[bool, np.ndarray]
) -> list[Stratum]:
    """What is known once the drawn answers are labelled."""
    return [
        Stratum(int((verdicts == verdict).sum()), len(places), int(truths[places].sum()))
        for verdict, places in drawn.items()
    ]


def repetition(scenario: Scenario, rng: np.random.Generator) -> tuple[Estimate, Estimate]:
    """The rate corrected by labels drawn inside verdicts, and that of as many random ones alone."""
    truths = rng.random(JUDGED) < scenario.rate
    said_yes = np.where(truths, scenario.sensitivity, 1 - scenario.specificity)
    verdicts = rng.random(JUDGED) < said_yes
    drawn = drawn_by_verdict(verdicts, LABELLED, rng)
    corrected = corrected_rate(strata(truths, verdicts, drawn), seed=int(rng.integers(2**32)))
    at_random = truths[rng.choice(JUDGED, LABELLED, replace=False)]
    return corrected, labelled_rate(at_random.tolist())


def coverage(scenario: Scenario, repetitions: int, seed: int) -> Held:
    return both(scenario, repetitions, seed)[0]


def both(scenario: Scenario, repetitions: int, seed: int) -> tuple[Held, Held]:
    """The corrected rate and the labels alone."""
    rng = np.random.default_rng(seed)
    corrected, alone = zip(*(repetition(scenario, rng) for _ in range(repetitions)), strict=True)
    return Held.of(list(corrected), scenario.rate), Held.of(list(alone), scenario.rate)
