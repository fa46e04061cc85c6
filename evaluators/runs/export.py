"""Files to take away: the values of a run as a table, and all labels with their corrections."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from evaluators.catalogue import leads
from evaluators.people.labels import corrected
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Run, Sample, Score
from evaluators.runs.aggregate import merged
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer, Outline
from evaluators.text.spreadsheet import safe
from evaluators.trace.labelling import CORRECTED, labellings
from evaluators.trace.metrics import from_score


def labelling_prompt(run: Run) -> str:
    """The name of the prompt by which the run's judges label; empty where none do."""
    is_labelling = leads(run.evaluator.name) == "trace"
    return str(run.evaluator.params.get("prompt", "")) if is_labelling else ""


def results_csv(
    rows: Sequence[Outline],
    models: Sequence[str] = (),
    responses: Mapping[tuple[int, int], str] | None = None,
    definition: str = "",
    prompt: str = "",
    facts: Mapping[Answer, Mapping[str, object]] | None = None,
) -> bytes:
    """The rows, one for each answer, as CSV (UTF-8 with a mark, as spreadsheets want it).

    A value that does not apply is an empty cell, and so is one of a metric that failed. `models`
    names the run's models where there are several; `responses` by position and model get a column,
    where there are some, and so do ability and noise of RGB, the `definition` by which TRACE is
    counted, the `prompt` by which judges labelled, further `facts` of each answer by column, and
    who labelled. Text that looks like a formula is quoted by an apostrophe.
    """
    rows = merged(rows)
    values = dict.fromkeys(name for row in rows for name in row.values)
    has_models = len(models) > 1
    has_task = any(row.ability for row in rows)
    has_labels = any(row.by or row.corrected for row in rows)
    facts = facts or {}
    columns = list(dict.fromkeys(chain.from_iterable(facts.values())))

    header = ["sample", "id"]
    header += ["model"] if has_models else []
    header += ["ability", "noise"] if has_task else []
    header += ["status"]
    header += ["labels_by", "corrections"] if has_labels else []
    header += ["definition"] if definition else []
    header += ["labelling_prompt"] if prompt else []
    header += [*map(safe, values), "question"]
    header += ["response"] if responses else []
    header += columns

    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(header)
    for row in rows:
        cells: list[object] = [row.position + 1, safe(row.sample_id)]
        cells += [safe(models[row.model])] if has_models else []
        cells += [row.ability, row.noise] if has_task else []
        cells += [row.status or "open"]
        cells += [safe(row.by), row.corrected] if has_labels else []
        cells += [definition] if definition else []
        cells += [prompt] if prompt else []
        cells += [*(row.values.get(name) for name in values), safe(row.question)]
        if responses:
            cells.append(safe(responses.get((row.position, row.model), "")))
        own = facts.get(Answer(row.position, row.model), {})
        cells += [_cell(own.get(column)) for column in columns]
        writer.writerow(cells)
    # A text may hold half a character, which UTF-8 cannot write.
    return file.getvalue().encode("utf-8-sig", errors="replace")


def _cell(value: object) -> object:
    """A number as it is, a text safe for a spreadsheet, several accepted answers as JSON."""
    if isinstance(value, list | tuple):
        value = json.dumps(value, ensure_ascii=False)
    return safe(value) if isinstance(value, str) else value


def label_lines(
    scored: Iterable[tuple[Cell, Sample, Score]],
    given: Mapping[Cell, Sequence[PersonLabel]],
    models: Sequence[str] = (),
    prompt: str = "",
    notes: Mapping[Answer, Note] | None = None,
) -> Iterator[bytes]:
    """A JSON line for each scored answer, with all labellers' labels and a person's corrections.

    `labels_by` says whose labels count; "corrected" are those with the corrections in them.
    `models` names the run's models where there are several, `prompt` that of its judges. An
    answer with one of the `notes` has "tags" and "note".
    """
    notes = notes or {}
    for cell, sample, score in scored:
        labels = {by: labelling.labels for by, labelling in labellings(score, sample).items()}
        counted_by = next(iter(labels))
        changes = given.get(cell, ())
        if changes:
            sentences = from_score(score, sample).sentences
            labels[CORRECTED] = corrected(labels[counted_by], sentences, changes)
        facts: dict[str, object] = {"sample": cell.position + 1, "id": sample.id}
        if len(models) > 1:
            facts["model"] = models[cell.model]
        facts["question"] = sample.question
        facts["labels_by"] = counted_by
        if prompt:
            facts["labelling_prompt"] = prompt
        facts["labels"] = {
            by: own.model_dump(mode="json", exclude_none=True) for by, own in labels.items()
        }
        facts["corrections"] = [change.model_dump(mode="json") for change in changes]
        if note := notes.get(Answer(cell.position, cell.model)):
            facts |= {"tags": note.tags, "note": note.text}
        yield json.dumps(facts).encode() + b"\n"
