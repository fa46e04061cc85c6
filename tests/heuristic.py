"""Measures the heuristic on RAGBench's published labels, through the door that users take.

`make heuristic` writes `data/heuristic.csv`, the tables of docs/heuristic.md and what README's
example prints; tests hold that they are what is measured today. It needs PLUMBLINE_CHECK_DATA.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from evaluators import Results, evaluate
from evaluators.config import ROOT
from evaluators.records import Dataset
from evaluators.runs import inputs
from evaluators.runs.store import Store
from evaluators.trace import quality
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.quality import COLUMNS, FILE, SHARES, Quality
from tests.benchmarks.common import check_data

DOCS, README = ROOT / "docs" / "heuristic.md", ROOT / "README.md"
SENTENCE = re.compile(r"Against published labels its verdicts .*")
"""In what README's example prints."""
TABLES = re.compile(r"(<!-- `make heuristic` -->\n).*?(<!-- end -->)", re.DOTALL)
"""Where the tables stand in the docs."""
TITLES = {"sentence": "Sentence", "ragbench": "RAGBench"}
"""The formulas whose tables the docs show; `fixed_20` differs from `sentence` in relevance."""


def main() -> None:
    folder = check_data()
    if folder is None:
        sys.exit("PLUMBLINE_CHECK_DATA is not set: it names the folder that holds ragbench/.")
    rows = [row for kind in kinds(folder) for row in measured(kind)]
    FILE.write_text(as_csv(rows), encoding="utf-8")
    quality.by_kind.cache_clear()
    text = DOCS.read_text(encoding="utf-8")
    DOCS.write_text(TABLES.sub(rf"\g<1>{as_tables()}\g<2>", text), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    of_verdicts = quality.verdicts_in_words(quality.by_kind("sentence"))
    README.write_text(SENTENCE.sub(of_verdicts, text), encoding="utf-8")


def kinds(folder: Path) -> list[Path]:
    return sorted((folder / "ragbench").iterdir())


def measured(kind: Path) -> Iterator[Quality]:
    """One kind of data by each formula, as a run over it and its check against gold say."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store.sqlite3")
        results = evaluate(_all_splits(kind), "trace", store=store, progress=False)
        yield from (_quality(results, kind.name, formula) for formula in DEFINITIONS)
        store.close()


def _all_splits(kind: Path) -> Dataset:
    paths = sorted(kind.glob("*.parquet"))
    splits = [inputs.load_data(path, on_remark=lambda _: None) for path in paths]
    samples = tuple(sample for split in splits for sample in split.samples)
    return splits[0].model_copy(update={"samples": samples})


def _quality(results: Results, kind: str, formula: str) -> Quality:
    values = {value.name: value for value in results.under(formula).correct(against="gold").values}
    verdict = values["adherence"]
    assert verdict.table
    assert verdict.alone
    right = len(verdict.table.both_yes) + len(verdict.table.both_no)
    says = len(verdict.table.both_yes) + len(verdict.table.only_labeller)
    distances = {name: values[name].distance for name in SHARES}
    return Quality(
        kind=kind,
        formula=formula,
        answers=verdict.labelled,
        right=right / verdict.labelled,
        always_yes=verdict.alone.mean,
        says=says / verdict.labelled,
        kappa=verdict.kappa or 0,
        auroc=verdict.auroc or 0,
        rmse={name: (own.rmse, own.rmse_of_constant) for name, own in distances.items() if own},
    )


def as_csv(rows: Iterable[Quality]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for *figures, rmse in rows:
        cells = [*figures, *(number for name in SHARES for number in rmse[name])]
        writer.writerow(f"{cell:.3f}" if isinstance(cell, float) else cell for cell in cells)
    return file.getvalue()


def as_tables() -> str:
    """What the file holds, as the docs show it."""
    return "\n".join(_table(formula, title) for formula, title in TITLES.items())


def _table(formula: str, title: str) -> str:
    lines = [
        f"| formula {title}: data | answers | adherence: right | always yes | says yes | kappa "
        "| AUROC | relevance | utilization | completeness |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for own in quality.by_kind(formula):
        shares = (own.right, own.always_yes, own.says)
        numbers = [f"{100 * share:.0f} %" for share in shares]
        numbers += [f"{number:.2f}" for number in (own.kappa, own.auroc)]
        numbers += ["{:.3f} / {:.3f}".format(*own.rmse[name]) for name in SHARES]
        lines.append(f"| {own.kind} | {own.answers:,} | {' | '.join(numbers)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
