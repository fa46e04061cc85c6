"""Files to take away: the values of a run as a table, and every labeller's labels with a person's
corrections.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluators.records import Cell, Labels, Sample, Score
from evaluators.runs.aggregate import merged
from evaluators.runs.store import Outline
from evaluators.text.spreadsheet import safe
from evaluators.trace.labelling import Correction, corrected, labellings


def table(
    rows: Sequence[Outline],
    models: Sequence[str] = (),
    responses: Mapping[tuple[int, int], str] | None = None,
    definition: str = "",
) -> bytes:
    """The rows, one for each answer, as CSV (UTF-8 with a mark, as spreadsheets want it).

    A value that does not apply is an empty cell, and so is one of a metric that failed. `models`
    names the run's models where there are several; `responses` by position and model get a column,
    where there are some, and so do ability and noise of RGB, and the `definition` by which TRACE
    is counted. Text that looks like a formula is quoted by an apostrophe.
    """
    rows = merged(rows)
    names = dict.fromkeys(name for row in rows for name in row.values)
    file = io.StringIO()
    writer = csv.writer(file)
    model, response = ["model"] if len(models) > 1 else [], ["response"] if responses else []
    task = ["ability", "noise"] if any(row.ability for row in rows) else []
    counted_by = ["definition"] if definition else []
    facts: list[object] = ["sample", "id", *model, *task, "status"]
    facts += ["labels_by", "corrections", *counted_by]
    writer.writerow([*facts, *map(safe, names), "question", *response])
    for row in rows:
        answered = [safe(models[row.model])] if model else []
        asked = [row.ability, row.noise] if task else []
        facts = [
            row.position + 1,
            safe(row.sample_id),
            *answered,
            *asked,
            row.status or "open",
            safe(row.by),
            row.corrected,
            *([definition] if definition else []),
        ]
        texts = [row.question, (responses or {}).get((row.position, row.model), "")][
            : 1 + len(response)
        ]
        writer.writerow([*facts, *(row.values.get(name) for name in names), *map(safe, texts)])
    return file.getvalue().encode("utf-8-sig", errors="replace")


def labels(
    scored: Iterable[tuple[Cell, Sample, Score]],
    corrections: Mapping[Cell, Sequence[Correction]],
    models: Sequence[str] = (),
) -> Iterator[bytes]:
    """A JSON line for each scored answer: whose labels count, all labellers' labels, corrections
    and their outcome.

    `models` names the run's models where there are several.
    """
    for cell, sample, score in scored:
        found = {by: labelling.labels for by, labelling in labellings(score, sample).items()}
        made = corrections.get(cell, ())
        counted = next(iter(found))
        changed = {"corrected": _plain(corrected(found[counted], made))} if made else {}
        facts = {
            "sample": cell.position + 1,
            "id": sample.id,
            **({"model": models[cell.model]} if len(models) > 1 else {}),
            "question": sample.question,
            "labels_by": counted,
            "labels": {by: _plain(each) for by, each in found.items()} | changed,
            "corrections": [each.model_dump(mode="json") for each in made],
        }
        yield json.dumps(facts).encode() + b"\n"


def _plain(each: Labels) -> dict[str, object]:
    return each.model_dump(mode="json")
