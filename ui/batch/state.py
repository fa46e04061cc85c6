"""What a batch is and how far it is, in words."""

from __future__ import annotations

from evaluators.batch import kept
from evaluators.batch.folder import Folder
from evaluators.batch.results import BatchResults
from evaluators.errors import UnreadableRowError
from evaluators.llm.catalogue import model_title
from evaluators.runs.naming import metric_title
from evaluators.runs.store import FileBatch
from evaluators.text.language import say
from evaluators.text.words import counted, in_a_line


def results_of(batch: FileBatch) -> BatchResults:
    """What the batch came to; raises `UnreadableRowError` where that cannot be read."""
    try:
        return kept.results_of(batch)
    except ValueError as error:
        raise UnreadableRowError(
            say("What this batch came to cannot be read. Give its command again.")
        ) from error


def method(batch: FileBatch) -> list[str]:
    """By which metrics it is judged, and who judges."""
    metrics = in_a_line(say(metric_title(spec)) for spec in kept.metrics_of(batch))
    judges = in_a_line(model_title(spec) for spec in kept.judges_of(batch))
    if not judges:
        return [metrics]
    return [say("{metrics} by {judges}", metrics=metrics, judges=judges)]


def in_words(batch: FileBatch) -> str:
    """How far it is: "360 rows of 3 files judged, 9 failed"."""
    if is_at_work(batch):
        return say("At work in a terminal or in Python")
    try:
        results = results_of(batch)
    except UnreadableRowError as error:
        return error.message
    rows, files = counted(results.rows, "row"), counted(results.files, "file")
    if not results.is_complete:
        return say(
            "Stopped: {done:,} of {files} judged, {rows}",
            done=len(results.finished),
            files=files,
            rows=rows,
        )
    failed = sum(own.failed for own in results.by_file.values())
    if failed:
        return say(
            "{rows} of {files} judged, {failed:,} failed", rows=rows, files=files, failed=failed
        )
    return say("{rows} of {files} judged", rows=rows, files=files)


def is_at_work(batch: FileBatch) -> bool:
    """Whether a process of this machine works on the folder of the batch."""
    # Another machine tells nobody whether it works on an address, and asking it would take long.
    return "://" not in batch.folder and Folder(batch.folder).is_held
