"""The parts of a data set that a check tells apart, by what is known of each sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from evaluators.records import Dataset, Sample
from evaluators.text.language import mark
from evaluators.text.normalise import is_chinese

By = Literal["group", "generator", "language", "length"]
BY: dict[By, str] = {
    "group": mark("Group"),
    "generator": mark("Model"),
    "language": mark("Language of the question"),
    "length": mark("Length of the answer"),
}
SHORT, LONG = 50, 150
"""Words of the longest short answer, and of the longest one that is not long."""


def parts(data: Dataset, by: By | None) -> Iterator[Dataset]:
    """The data set, or its groups in order, each named behind it."""
    if by is None:
        yield data
        return
    groups: dict[str, list[Sample]] = {}
    for sample in data.samples:
        groups.setdefault(_group(sample, by), []).append(sample)
    for group, samples in sorted(groups.items()):
        yield Dataset(name=f"{data.name} · {group or '–'}", samples=tuple(samples))


def _group(sample: Sample, by: By) -> str:
    text = sample.response or ""
    if by == "language":
        return "zh" if is_chinese(sample.question or text) else "other"
    if by == "length":
        # Chinese has no spaces: two of its characters are about a word.
        words = len(text) // 2 if is_chinese(text) else len(text.split())
        if words > LONG:
            return f"over {LONG}"
        return f"1 to {SHORT}" if words <= SHORT else f"{SHORT + 1} to {LONG}"
    return sample.situation if by == "group" else sample.generator
