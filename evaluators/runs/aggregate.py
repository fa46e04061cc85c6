"""From results to figures: every mean with its interval and with how many samples it stands on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluators.runs.statistics import interval
from evaluators.runs.store import Outline
from evaluators.trace_metrics import Definition, from_score
from evaluators.types import Ability, Cell, Record, Sample, Score


class Mean(Record):
    """The mean of one value with its 95 % interval; `None` where nothing was judged.

    asked = scored + not_applicable + failed + still open.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    asked: int
    scored: int
    not_applicable: int = 0
    failed: int = 0

    @property
    def coverage(self) -> str:
        return f"{self.scored} / {self.asked}"


class NoisePoint(Record):
    """The accuracy at one noise level; `effective_noise` is the mean share of negatives that prompts really held."""

    noise: float
    effective_noise: float | None
    accuracy: Mean


def summarise(rows: Sequence[Outline], name: str) -> Mean:
    """The mean of the value `name` over the judged among these rows."""
    judged = [value for row in rows if (value := row.values.get(name)) is not None]
    low, high = interval(judged) or (None, None)
    return Mean(
        mean=sum(judged) / len(judged) if judged else None,
        low=low,
        high=high,
        asked=len(rows),
        scored=len(judged),
        not_applicable=sum(row.status == "scored" and row.values.get(name) is None for row in rows),
        failed=sum(row.status == "failed" for row in rows),
    )


def under(
    rows: Iterable[Outline], scored: Iterable[tuple[Cell, Sample, Score]], definition: Definition
) -> list[Outline]:
    """The rows with their TRACE values counted by another definition, from the stored labels."""
    values = {cell: from_score(score, sample, definition).values() for cell, sample, score in scored}
    return [row.model_copy(update={"values": values.get(Cell(row.position, row.model), {})}) for row in rows]


def of_model(rows: Iterable[Outline], model: int) -> list[Outline]:
    """The rows of one of the run's models, by its number from 0."""
    return [row for row in rows if row.model == model]


def with_ability(rows: Iterable[Outline], ability: Ability) -> list[Outline]:
    return [row for row in rows if row.ability == ability]


def accuracy_by_noise(rows: Iterable[Outline], ability: Ability) -> list[NoisePoint]:
    """One point for each noise level that the ability was asked at, lowest first."""
    levels: dict[float, list[Outline]] = {}
    for row in with_ability(rows, ability):
        if row.noise is not None:
            levels.setdefault(row.noise, []).append(row)
    return [_point(noise, levels[noise]) for noise in sorted(levels)]


def rgb_rates(rows: Sequence[Outline]) -> dict[str, Mean]:
    """The headline rates of the abilities that were asked, by title; a judge's rates where a judge was asked."""
    wanted = (
        ("Noise robustness", Ability.NOISE, "accuracy"),
        ("Negative rejection", Ability.REJECTION, "rejection"),
        ("Integration", Ability.INTEGRATION, "accuracy"),
        ("Error detection", Ability.COUNTERFACTUAL, "detection"),
        ("Error correction", Ability.COUNTERFACTUAL, "correction"),
        ("Correction if detected", Ability.COUNTERFACTUAL, "correction_among_detected"),
        ("Negative rejection (judge)", Ability.REJECTION, "rejection_judged"),
        ("Error detection (judge)", Ability.COUNTERFACTUAL, "detection_judged"),
    )
    asked = [(title, with_ability(rows, ability), name) for title, ability, name in wanted]
    judged = {name for row in rows for name in row.values}
    return {
        title: summarise(group, name)
        for title, group, name in asked
        if group and (name in judged or not name.endswith("_judged"))
    }


def _point(noise: float, rows: Sequence[Outline]) -> NoisePoint:
    effective = [row.effective_noise for row in rows if row.effective_noise is not None]
    return NoisePoint(
        noise=noise,
        effective_noise=sum(effective) / len(effective) if effective else None,
        accuracy=summarise(rows, "accuracy"),
    )
