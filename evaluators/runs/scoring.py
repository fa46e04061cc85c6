"""What becomes of one sample, in a run's threads and in worker processes: a score or a failure."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from typing import NamedTuple

from evaluators import custom_files
from evaluators.base import Evaluator
from evaluators.errors import (
    NoAnswerError,
    ParameterError,
    PlumblineError,
    RunStoppedError,
    StoreError,
)
from evaluators.llm import LLMClient
from evaluators.llm.keys import mask
from evaluators.prompts import fill
from evaluators.records import Completion, Reason, Sample, Score
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say


class Outcome(NamedTuple):
    """What a metric says of a sample: a score, or the error that it failed with."""

    score: Score | None = None
    error: BaseException | None = None


def outcome_of(score: Callable[[], Score]) -> Outcome:
    """What comes of scoring a sample: the one place where an exception becomes a failed result.

    Raises only what stops the whole run.
    """
    try:
        return Outcome(score())
    except (RunStoppedError, StoreError, CancelledError):
        raise
    # A metric of one's own may do anything, also leave by `sys.exit`.
    except (Exception, SystemExit) as error:
        return Outcome(error=error)


def generated_response(sample: Sample, prompt: str, llm: LLMClient) -> str:
    """What the model answers to the prompt, filled with the sample's question and documents."""
    return generated(sample, prompt, llm).text


def generated(sample: Sample, prompt: str, llm: LLMClient) -> Completion:
    """The same with what a system retrieved for it.

    To say nothing is an answer, as it is in a file of answers.
    """
    try:
        completion = llm.complete(fill(prompt, sample.question, sample.evidence))
    except NoAnswerError as error:
        return Completion(text="", documents=error.documents)
    documents = completion.documents
    if documents is not None:
        documents = tuple(map(without_surrogates, documents))
    text = without_surrogates(completion.text)
    return completion.model_copy(update={"text": text, "documents": documents})


def checked_score(evaluator: Evaluator, sample: Sample) -> Score:
    """What the evaluator says; raises where that could not be stored.

    So it fails this sample, and not the run when the result is to be stored.
    """
    score = evaluator.score(sample)
    if not isinstance(score, Score):
        kind = type(score).__name__
        raise ParameterError(
            say(
                "{metric} gave a {kind}, not a Score. Let its score method return a Score.",
                metric=evaluator.title,
                kind=kind,
            )
        )
    # Details may hold what JSON cannot.
    score.model_dump_json()
    return score


def failure_reason(error: BaseException) -> Reason:
    """Why a sample failed.

    Our own errors speak for themselves, and a mistake in a person's own file is shown with its
    line. Of any other error only the class is named: its text may hold anything, also a key.
    """
    if isinstance(error, PlumblineError):
        return error.reason
    if mistake := custom_files.mistake(error):
        own_words = without_surrogates(mask(mistake.message)).rstrip(".")
        message = mark("{file}, line {line}: {message}. Fix the file, then retry.").format(
            file=mistake.file, line=mistake.line, message=own_words
        )
        return Reason(kind="own_code", message=message)
    message = mark("Unexpected {kind}. Try again; if it happens again, report it.").format(
        kind=type(error).__name__
    )
    return Reason(kind="unexpected", message=message)


def failure_details(error: BaseException) -> str:
    """What our own errors add for the curious; of any other its kind and where it happened."""
    if isinstance(error, PlumblineError):
        return without_surrogates(str(getattr(error, "details", "")))
    # Where it came up, without its text, which may hold a key.
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    file = Path(frame.f_code.co_filename).name
    return without_surrogates(f"{type(error).__name__} in {file}, line {line}")
