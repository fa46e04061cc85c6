"""The data sets that come with Plumbline, written by hand for it."""

from __future__ import annotations

from functools import cache

from evaluators.config import ROOT
from evaluators.datasets.mapping import checked, open_table
from evaluators.datasets.readers import read_own
from evaluators.datasets.rgb import BedRow, TestBed
from evaluators.records import Dataset
from evaluators.text.language import mark

FOLDER = ROOT / "data" / "samples"
ENGLISH_BED, CHINESE_BED, TRACE_SAMPLES, CHINESE_TRACE = (
    mark("RGB sample (English)"),
    mark("RGB sample (Chinese)"),
    mark("TRACE sample (English)"),
    mark("TRACE sample (Chinese)"),
)


@cache
def bundled() -> dict[str, TestBed | Dataset]:
    """All bundled data by name; read once per process."""
    return {
        ENGLISH_BED: _joined_bed(ENGLISH_BED, "en"),
        CHINESE_BED: _joined_bed(CHINESE_BED, "zh"),
        TRACE_SAMPLES: _read_sample("trace_en").model_copy(update={"name": TRACE_SAMPLES}),
        CHINESE_TRACE: _read_sample("trace_zh").model_copy(update={"name": CHINESE_TRACE}),
    }


def _joined_bed(name: str, language: str) -> TestBed:
    rows: list[BedRow] = []
    for ability in ("noise", "integration", "counterfactual"):
        bed = _read_sample(f"rgb_{language}_{ability}")
        if isinstance(bed, TestBed):
            rows += bed.rows
    return TestBed(name=name, rows=tuple(rows))


def _read_sample(stem: str) -> TestBed | Dataset:
    path = FOLDER / f"{stem}.jsonl"
    loaded = open_table(path.name, read_own(path.name, path.read_bytes()))
    return checked(path.name, loaded)
