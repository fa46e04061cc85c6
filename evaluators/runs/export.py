"""Files to take away: the values of a run as a table, and all labels with their corrections."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from evaluators.catalogue import labels_sentences
from evaluators.people.labels import as_labels, fitting, labels_by_labeller
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Labels, Run, Sample, Score
from evaluators.runs.aggregate import merged
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer, Outline
from evaluators.text.spreadsheet import safe

UNREADABLE = "unreadable"
"""The status in files of an answer whose sample or result cannot be read."""


def labelling_prompt(run: Run) -> str:
    """The name of the prompt by which the run's judges label; empty where none do."""
    if not labels_sentences(run.evaluator):
        return ""
    return str(run.evaluator.params.get("prompt", ""))


class _Column(NamedTuple):
    heading: str
    cell: Callable[[Outline], object]


def results_csv(
    rows: Sequence[Outline],
    models: Sequence[str] = (),
    responses: Mapping[tuple[int, int], str] | None = None,
    definition: str = "",
    prompt: str = "",
    facts: Mapping[Answer, Mapping[str, object]] | None = None,
    by: str = "",
    unreadable: Mapping[Answer, str] | None = None,
) -> bytes:
    """The rows, one for each answer, as CSV (UTF-8 with a mark, as spreadsheets want it).

    A value that does not apply is an empty cell, and so is one of a metric that failed. `models`
    names the run's models where there are several; `responses` by position and model get a column,
    where there are some, and so do the numbers of repeats, groups, ability and noise of RGB, the
    `definition` by which TRACE is counted, the `prompt` by which judges labelled, further `facts`
    of each answer by column, and who labelled: `by` where somebody else's labels were chosen than
    those of the run. Answers that are `unreadable` have a status of their own and a column that
    says why. Text that looks like a formula is quoted by an apostrophe.
    """
    rows = merged(rows)
    columns = [
        _Column("sample", lambda row: row.position + 1),
        _Column("id", lambda row: safe(row.sample_id)),
    ]
    if any(row.repeat > 1 for row in rows):
        columns.append(_Column("repeat", lambda row: row.repeat))
    if len(models) > 1:
        columns.append(_Column("model", lambda row: safe(models[row.model])))
    columns += _sample_columns(rows)
    columns += _status_columns(unreadable or {})
    columns += _label_columns(rows, definition, prompt, by)
    for name in dict.fromkeys(chain.from_iterable(row.values for row in rows)):
        columns.append(_value_column(name))
    columns.append(_Column("question", lambda row: safe(row.question)))
    if responses:
        columns.append(_response_column(responses))
    if facts:
        for name in dict.fromkeys(chain.from_iterable(facts.values())):
            columns.append(_fact_column(name, facts))

    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(column.heading for column in columns)
    for row in rows:
        writer.writerow(column.cell(row) for column in columns)
    # A text may hold half a character, which UTF-8 cannot write.
    return file.getvalue().encode("utf-8-sig", errors="replace")


def _sample_columns(rows: Iterable[Outline]) -> list[_Column]:
    """The group of a sample and what it tests, where some have one."""
    columns = []
    if any(row.situation for row in rows):
        columns.append(_Column("group", lambda row: safe(row.situation)))
    if any(row.ability for row in rows):
        columns.append(_Column("ability", lambda row: row.ability))
        columns.append(_Column("noise", lambda row: row.noise))
    return columns


def _status_columns(unreadable: Mapping[Answer, str]) -> list[_Column]:
    def why(row: Outline) -> str:
        return unreadable.get(Answer(row.position, row.model), "")

    columns = [_Column("status", lambda row: UNREADABLE if why(row) else row.status or "open")]
    return [*columns, _Column("error", why)] if unreadable else columns


def _label_columns(
    rows: Iterable[Outline],
    definition: str,
    prompt: str,
    by: str,
) -> list[_Column]:
    """Who labelled and corrected, and by which formula and prompt; of RGB and metrics none."""
    columns = []
    if by or any(row.by or row.corrected for row in rows):
        columns.append(_Column("labels_by", lambda row: safe(by or row.by)))
        columns.append(_Column("corrections", lambda row: row.corrected))
    if definition:
        columns.append(_Column("definition", lambda row: definition))
    if prompt:
        columns.append(_Column("labelling_prompt", lambda row: prompt))
    return columns


def _value_column(name: str) -> _Column:
    return _Column(safe(name), lambda row: row.values.get(name))


def _response_column(responses: Mapping[tuple[int, int], str]) -> _Column:
    def cell(row: Outline) -> object:
        response = responses.get((row.position, row.model), "")
        return safe(response)

    return _Column("response", cell)


def _fact_column(name: str, facts: Mapping[Answer, Mapping[str, object]]) -> _Column:
    def cell(row: Outline) -> object:
        own = facts.get(Answer(row.position, row.model), {})
        return _exported_cell(own.get(name))

    return _Column(name, cell)


def _exported_cell(value: object) -> object:
    """A number as it is, a text safe for a spreadsheet, several accepted answers as JSON."""
    if isinstance(value, list | tuple):
        value = json.dumps(value, ensure_ascii=False)
    return safe(value) if isinstance(value, str) else value


def people_csv(
    run: Run,
    given: Mapping[Cell, Sequence[PersonLabel]],
    models: Sequence[str] = (),
) -> bytes:
    """A row for each label that people gave and did not take back, in the order of the run.

    Times are in UTC. `blind` says whether the labeller's labels were hidden, `drawn` and
    `probability` how the answer came before the person, `queue` in which queue it stood. A
    `verdict` is what a value is in the person's eyes, yes or no.
    """
    fields = [name for name in PersonLabel.model_fields if name != "sentence"]
    has_models = len(models) > 1
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["sample", *(["model"] if has_models else []), "metric", *fields])
    for cell, labels in sorted(given.items()):
        place: list[object] = [cell.position + 1]
        if has_models:
            place.append(safe(models[cell.model]))
        place.append(run.evaluators[cell.metric].name)
        for label in labels:
            values = label.model_dump(mode="json")
            writer.writerow([*place, *(_exported_cell(values[name]) for name in fields)])
    return file.getvalue().encode("utf-8-sig", errors="replace")


def label_lines(
    scored: Iterable[tuple[Cell, Sample, Score]],
    given: Mapping[Cell, Sequence[PersonLabel]],
    models: Sequence[str] = (),
    prompt: str = "",
    notes: Mapping[Answer, Note] | None = None,
    repeats: int = 1,
) -> Iterator[bytes]:
    """A JSON line for each scored answer, with all labellers' labels, and what people said.

    `labels_by` says whose labels count; "corrected" are those after what people said, and of people
    who are done there are labels under "person:" and the name. `corrections` are people's labels
    one by one, as in `people_csv`; `left_over` counts those of sentences that are not there.
    `repeat` is there where each prompt was asked several `repeats`.
    `models` names the run's models where there are several, `prompt` that of its judges. An answer
    with one of the `notes` has "tags" and "note".
    """
    notes = notes or {}
    for cell, sample, score in scored:
        changes = given.get(cell, ())
        sentences, everybody = labels_by_labeller(sample, score, changes)
        labels: dict[str, Labels] = {}
        for by, own in everybody.items():
            labels[by] = own if isinstance(own, Labels) else as_labels(own)
        # The labels that count come first.
        counted_by = next(iter(labels))
        facts: dict[str, object] = {"sample": cell.position + 1, "id": sample.id}
        if repeats > 1:
            facts["repeat"] = sample.repeat
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
        if left_over := fitting(sentences, changes).left_over:
            facts["left_over"] = len(left_over)
        if note := notes.get(Answer(cell.position, cell.model)):
            facts |= {"tags": note.tags, "note": note.text}
        yield json.dumps(facts).encode() + b"\n"


def unreadable_lines(unreadable: Mapping[Answer, str], models: Sequence[str]) -> Iterator[bytes]:
    """A JSON line for each answer of which no labels can be read, and why."""
    for answer, reason in sorted(unreadable.items()):
        facts: dict[str, object] = {"sample": answer.position + 1}
        if len(models) > 1:
            facts["model"] = models[answer.model]
        yield json.dumps({**facts, "status": UNREADABLE, "error": reason}).encode() + b"\n"
