"""Labels of sentences, by every labeller, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from evaluators.catalogue import labels_sentences
from evaluators.errors import ParameterError
from evaluators.exports import ExportFormat
from evaluators.people.labels import as_labels, fitting, labels_by_labeller
from evaluators.records import Labels
from evaluators.runs import run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.answer_rows import UNREADABLE
from evaluators.runs.formulas import labelling_prompt
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.text.language import mark


def label_lines(view: RunView, by: View) -> Iterable[bytes]:
    """A line for each scored answer; the labels are the same by every view.

    Raises `ParameterError` for a run that labels no sentences.
    """
    if not labels_sentences(view.run.evaluator):
        raise ParameterError("This run labels no sentences. Choose the format csv or jsonl.")
    return (json.dumps(line).encode() + b"\n" for line in _lines(view))


def _lines(view: RunView) -> Iterator[dict[str, object]]:
    """All labels of each answer, and what people said; then what cannot be read, and why.

    `labels_by` says whose labels count; "corrected" are those after what people said, and of people
    who are done there are labels under "person:" and the name. `corrections` are people's labels
    one by one, as in the file of these; `left_over` counts those of sentences that are not there.
    """
    run = view.run
    models = run_facts.titles(run)
    prompt = labelling_prompt(run)
    notes = view.store.notes.by_answer(run.id)
    for cell, sample, score in view.scored():
        given = view.people.get(cell, ())
        sentences, by_labeller = labels_by_labeller(sample, score, given)
        labels: dict[str, object] = {}
        for by, own in by_labeller.items():
            own = own if isinstance(own, Labels) else as_labels(own)
            labels[by] = own.model_dump(mode="json", exclude_none=True)
        facts: dict[str, object] = {"sample": cell.position + 1, "id": sample.id}
        if run.repeats > 1:
            facts["repeat"] = sample.repeat
        if len(models) > 1:
            facts["model"] = models[cell.model]
        facts["question"] = sample.question
        # The labels that count come first.
        facts["labels_by"] = next(iter(labels))
        if prompt:
            facts["labelling_prompt"] = prompt
        facts["labels"] = labels
        facts["corrections"] = [label.model_dump(mode="json") for label in given]
        if left_over := fitting(sentences, given).left_over:
            facts["left_over"] = len(left_over)
        if note := notes.get(Answer(cell.position, cell.model)):
            facts |= {"tags": note.tags, "note": note.text}
        yield facts
    for answer, reason in sorted(view.damage().reasons.items()):
        model = {"model": models[answer.model]} if len(models) > 1 else {}
        yield {"sample": answer.position + 1, **model, "status": UNREADABLE, "error": reason}


FORMAT = ExportFormat(
    "labels",
    mark("Labels (JSON lines)"),
    mark("Every labeller's labels of sentences, people's among them."),
    ".jsonl",
    3,
    of_run=label_lines,
    is_there=lambda view: labels_sentences(view.run.evaluator),
    of_view=False,
)
