"""Labels of sentences, by every labeller, as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from evaluators.catalogue import labels_sentences
from evaluators.errors import ParameterError
from evaluators.exports import ExportFormat
from evaluators.runs import export, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.text.language import mark


def label_lines(view: RunView, by: View) -> Iterable[bytes]:
    """A line for each scored answer; the labels are the same by every view.

    Raises `ParameterError` for a run that labels no sentences.
    """
    run = view.run
    if not labels_sentences(run.evaluator):
        raise ParameterError("This run labels no sentences. Choose the format csv or jsonl.")
    models = run_facts.titles(run)
    lines = export.label_lines(
        view.scored(),
        view.people,
        models,
        export.labelling_prompt(run),
        view.store.notes.by_answer(run.id),
        run.repeats,
    )
    return chain(lines, export.unreadable_lines(view.damage().reasons, models))


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
