"""How a run came out, for a script: the exit code, and in words what is wanting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from evaluators.errors import ParameterError
from evaluators.llm.catalogue import title
from evaluators.runs.aggregate import Mean
from evaluators.runs.evaluation import Results
from evaluators.runs.given import shown
from evaluators.types import Run

FINE, BELOW, WRONG, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
MEANINGS = {
    FINE: "all is scored, and every mean is as demanded",
    BELOW: "a mean is below --fail-under, or stands on fewer samples than --min-coverage demands",
    WRONG: "wrong input: the message says what to write instead",
    INCOMPLETE: "incomplete: the run stopped (a cap, a limit, no connection), or samples failed; resume goes on",
    INTERRUPTED: "stopped by Ctrl-C; everything is kept",
}
REASONS = 3
ROUNDING = 1e-9
"""What arithmetic may lose: the mean of 0.6, 0.8 and 1.0 is a little below 0.8."""


class Demand(NamedTuple):
    """A value that must not be lower, by the name it has in the table of results."""

    name: str
    least: float


class Outcome(NamedTuple):
    """The exit code, and what to tell."""

    code: int
    words: tuple[str, ...] = ()


def demands(texts: Iterable[str]) -> tuple[Demand, ...]:
    """What `--fail-under` asks for; raises `ParameterError` for what is not NAME=NUMBER."""
    return tuple(map(_demand, texts))


def _demand(text: str) -> Demand:
    name, _, value = text.rpartition("=")
    try:
        return Demand(name.strip(), _number(value))
    except ValueError as error:
        raise ParameterError(
            f"--fail-under {shown(text)[:60]} is not understood. Write NAME=NUMBER, for example adherence=0.8."
        ) from error


def _number(text: str) -> float:
    value = float(text)
    if not value < float("inf"):
        raise ValueError(text)
    return value


def outcome(results: Results, demanded: Iterable[Demand] = (), least_coverage: float = 1.0) -> Outcome:
    """What to make of the run; raises `ParameterError` where a demanded value does not exist in it."""
    counts = results.counts
    if counts.open:
        stopped = [results.stopped] if results.stopped else []
        return Outcome(INCOMPLETE, (f"{counts.open:,} of {counts.asked:,} results are still open.", *stopped))
    if below := [words for demand in demanded for words in _below(demand, results, least_coverage)]:
        return Outcome(BELOW, tuple(below))
    if counts.failed and counts.scored < least_coverage * counts.asked:
        return Outcome(INCOMPLETE, tuple(_failed(results)))
    return Outcome(FINE, tuple(_failed(results)))


def _below(demand: Demand, results: Results, least_coverage: float) -> Iterator[str]:
    for number in range(max(1, len(results.run.models))):
        means = results.summary(number)
        if demand.name not in means and not results.counts.failed:
            raise ParameterError(f"There is no value {shown(demand.name)} here. There are: {', '.join(means)}.")
        yield from _wanting(demand, means, least_coverage, _whose(results.run, number))


def _wanting(demand: Demand, means: Mapping[str, Mean], least_coverage: float, whose: str) -> Iterator[str]:
    name, mean = f"{shown(demand.name)}{whose}", means.get(demand.name)
    if mean is None or mean.mean is None:
        yield f"{name}: no sample was judged, and {demand.least:g} is demanded."
        return
    if mean.mean < demand.least - ROUNDING:
        yield f"{name} is {mean.mean:.4g}, and {demand.least:g} is demanded."
    if (covered := (mean.scored + mean.not_applicable) / mean.asked) < least_coverage:
        yield f"{name} covers {covered:.1%} of the samples, and {least_coverage:.1%} are demanded."


def _whose(run: Run, number: int) -> str:
    return f" of {shown(title(run.models[number]))}" if len(run.models) > 1 else ""


def _failed(results: Results) -> Iterator[str]:
    counts, failures = results.counts, results.failures
    if counts.failed:
        yield f"{counts.failed:,} of {counts.asked:,} results failed; resume tries them again."
    for message, count in list(failures.items())[:REASONS]:
        yield f"{count:,}: {shown(message)}"
    if len(failures) > REASONS:
        yield f"... and {len(failures) - REASONS} more reasons; show tells them all."
