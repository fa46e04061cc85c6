"""Figures typed in from papers, to lay under one's own."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache

from evaluators.config import ROOT


@cache
def noise_curves() -> dict[str, list[tuple[float, float]]]:
    """Published English accuracies by model, as (noise in percent, accuracy in percent).

    From arXiv 2309.01431.
    """
    curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in _published_rows("rgb_noise_en"):
        point = float(row["noise"]), float(row["accuracy"])
        curves[row["model"]].append(point)
    return dict(curves)


@cache
def other_figures() -> list[dict[str, str]]:
    """Published English figures on rejection, integration and planted errors, a mapping each."""
    return _published_rows("rgb_other_en")


def _published_rows(name: str) -> list[dict[str, str]]:
    path = ROOT / "data" / "published" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
