"""The curves and rates of an RGB run, as its page and its report show them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from evaluators.records import Ability
from evaluators.runs import aggregate
from evaluators.runs.aggregate import Mean, NoisePoint
from evaluators.runs.store import Outline, ValueName
from evaluators.text.language import mark, say

Curves = Mapping[Ability, Sequence[NoisePoint]]
"""The points of one model, by ability."""

RATES = {
    mark("Noise robustness"): (
        mark("right in spite of documents beside the point"),
        mark("right"),
    ),
    mark("Negative rejection"): (
        mark("declines when no document holds the answer"),
        mark("declined"),
    ),
    mark("Integration"): (mark("right where several documents are needed"), mark("right")),
    mark("Error detection"): (mark("notices the planted error"), mark("noticed")),
    mark("Error correction"): (
        mark("gives the true answer in spite of the planted error"),
        mark("corrected"),
    ),
    mark("Correction if detected"): (
        mark("gives the true answer, where it noticed the error"),
        mark("detected"),
    ),
}
"""What each rate means, and what the answers that it counts did."""

HEADLINES = tuple(ValueName(0, name) for name in ("accuracy", "rejection", "correction"))
"""The value by which a sample counts as right: for planted errors, the correction."""

NOISE_MISSED_FROM = 0.02
"""From this difference between the noise asked for and reached a point says so."""


def noise_in_percent(point: NoisePoint) -> float:
    """The noise that the prompts had; what was asked for, where nobody knows."""
    noise = point.noise if point.effective_noise is None else point.effective_noise
    return 100 * noise


def missed_noise(point: NoisePoint) -> bool:
    """Whether the prompts had another noise than was asked for."""
    return abs(noise_in_percent(point) - 100 * point.noise) > 100 * NOISE_MISSED_FROM


def noise_named(point: NoisePoint) -> str:
    """The noise asked for and, where the prompts had another one, that: "asked 60 % (had 53 %)"."""
    return asked_and_had(point.noise, [noise_in_percent(point) / 100])


def asked_and_had(asked: float, had: Iterable[float]) -> str:
    """The same of the prompts of several systems; of those that had alike it is said once."""
    words = f"{100 * asked:.0f} %"
    reached = dict.fromkeys(f"{100 * noise:.0f} %" for noise in had)
    if not reached.keys() - {words}:
        return words
    return say("asked {asked} (had {had})", asked=words, had=say(" and ").join(reached))


def noise_curves(rows: Sequence[Outline]) -> Curves:
    curves = {}
    for ability in (Ability.NOISE, Ability.INTEGRATION):
        if points := aggregate.noise_points(rows, ability):
            curves[ability] = points
    return curves


def lines_of_charts(
    curves: Mapping[str, Curves],
) -> list[tuple[str, Mapping[str, Sequence[NoisePoint]]]]:
    """The lines of each chart under its title: a model's abilities, or an ability's models."""
    if len(curves) == 1:
        (own,) = curves.values()
        abilities_of_one = {say(ability.label): own[ability] for ability in own}
        return [(say("Accuracy by noise"), abilities_of_one)] if own else []
    # Not all in one: of two models with two abilities nobody would tell the lines apart.
    of_several: list[tuple[str, Mapping[str, Sequence[NoisePoint]]]] = []
    for ability in dict.fromkeys(itertools.chain.from_iterable(curves.values())):
        lines = {model: own[ability] for model, own in curves.items() if ability in own}
        title = say("{ability}: accuracy by noise", ability=say(ability.label))
        of_several.append((title, lines))
    return of_several


def judged_rates(rates: Mapping[str, Mapping[str, Mean]]) -> list[str]:
    """The rates that have a value: none where no error was detected, as Numbers say."""
    judged = []
    for title in RATES:
        means = [own[title] for own in rates.values() if title in own]
        if any(mean.mean is not None for mean in means):
            judged.append(title)
    return judged
