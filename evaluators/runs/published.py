"""Figures typed in from papers, to lay under one's own."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache

from evaluators.config import ROOT
from evaluators.datasets.given_scores import baseline_of


# The files come with the app and never change while it runs; a page draws them at every click.
@cache
def published_noise_curves(least: float, most: float) -> dict[str, list[tuple[float, float]]]:
    """Published English accuracies by model, as (noise in percent, accuracy in percent).

    Only those from the `least` noise to the `most`, where they compare. From arXiv 2309.01431.
    """
    curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in _rows_of_published_file("rgb_noise_en"):
        point = float(row["noise"]), float(row["accuracy"])
        # Noise that was reached may differ from what was asked for by half a percent.
        if least - 0.5 <= point[0] <= most + 0.5:
            curves[row["model"]].append(point)
    return dict(curves)


@cache
def other_figures() -> list[dict[str, str]]:
    """Published English figures on rejection, integration and planted errors, a mapping each."""
    return _rows_of_published_file("rgb_other_en")


@cache
def ragbench_judges() -> list[dict[str, str]]:
    """How near judges came to RAGBench's labels on its test rows, by set; arXiv 2407.11005."""
    return _rows_of_published_file("ragbench_judges")


def published_figure(subset: str, column: str, value: str) -> str:
    """The AUROC or RMSE that the paper gives for such a column of this set; else empty."""
    judge = baseline_of(column)
    for row in ragbench_judges():
        if (row["set"], row["judge"]) == (subset, judge):
            return row.get(value, "")
    return ""


def _rows_of_published_file(name: str) -> list[dict[str, str]]:
    path = ROOT / "data" / "published" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
