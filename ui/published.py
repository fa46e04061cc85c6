"""Figures typed in from papers, to lay under one's own."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache

from ui.session import ROOT


@cache
def noise_curves() -> dict[str, list[tuple[float, float]]]:
    """Published English noise accuracies by model: (noise in percent, accuracy in percent); arXiv 2309.01431."""
    curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with (ROOT / "data" / "published" / "rgb_noise_en.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves[row["model"]].append((float(row["noise"]), float(row["accuracy"])))
    return dict(curves)
