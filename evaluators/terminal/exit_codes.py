"""How a run came out, for a script: the exit code, and in words what is wanting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluators.api.evaluation import Results, failures, means
from evaluators.base import Evaluator, missing
from evaluators.catalogue import from_spec, ships
from evaluators.dry_run import rehearsed
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.records import EvaluatorSpec, Run, Sample
from evaluators.runs.aggregate import Mean
from evaluators.runs.store import Outline
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.text.printable import printable

FINE, BELOW, WRONG, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
MEANINGS = {
    FINE: "all is scored, and every mean is as demanded",
    BELOW: "a mean is below --fail-under, or stands on fewer samples than --min-coverage demands",
    WRONG: "wrong input: the message says what to write instead",
    INCOMPLETE: (
        "incomplete: the run stopped (a cap, a limit, no connection), or samples failed; "
        "resume goes on"
    ),
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
            f"--fail-under {printable(text)[:60]} is not understood. Write NAME=NUMBER, "
            "for example adherence=0.8."
        ) from error


def _number(text: str) -> float:
    value = float(text)
    if not value < float("inf"):
        raise ValueError(text)
    return value


def check_names(
    demanded: Sequence[Demand],
    specs: Sequence[EvaluatorSpec],
    samples: Sequence[Sample],
    judges: Sequence[object],
) -> None:
    """Raises `ParameterError` for a demand that could never be met, before anything is sent.

    Nothing is refused where a metric of one's own, or one that needs a real judge, leaves open
    which values it gives.
    """
    if not demanded:
        return
    known = value_names(list(map(from_spec, specs)), samples, judges)
    for name, least in demanded if known else ():
        if name not in known:
            raise ParameterError(
                f"There is no value {printable(name)} here. There are: {', '.join(known)}."
            )
        if least > 1:
            raise ParameterError(
                f"--fail-under {printable(name)}={least:g} can never be met: values are at most 1."
            )


def value_names(
    metrics: Sequence[Evaluator], samples: Sequence[Sample], judges: Sequence[object]
) -> list[str]:
    """The names that the results will have, found by a rehearsal; none where they are not known
    before.
    """
    rows: list[Outline] = []
    for number, metric in enumerate(metrics):
        found = [
            row
            for each in _one_of_each(metric, samples)
            if (row := _rehearsed(number, metric, each, judges))
        ]
        if not found or not ships(type(metric)):
            return []
        rows += found
    return list(means([metric.spec() for metric in metrics], rows))


def _one_of_each(metric: Evaluator, samples: Sequence[Sample]) -> Iterable[Sample]:
    """A sample for each ability of RGB, or for none, that has what the metric needs."""
    usable = (
        sample for sample in samples if not missing(metric.needed, sample, has_generator=True)
    )
    return {sample.rgb and sample.rgb.ability: sample for sample in usable}.values()


def _rehearsed(
    number: int, metric: Evaluator, sample: Sample, judges: Sequence[object]
) -> Outline | None:
    stand_in = (
        from_spec(EvaluatorSpec(name="trace")) if metric.leads == "trace" else metric
    )  # the same values
    score = rehearsed(stand_in, sample, has_judge=bool(judges))
    ability = sample.rgb.ability if sample.rgb else None
    row = Outline(
        position=0,
        metric=number,
        sample_id=sample.id,
        question="",
        ability=ability,
        status="scored",
    )
    return row.model_copy(update={"values": score.values}) if score else None


def outcome(
    results: Results, demanded: Iterable[Demand] = (), least_coverage: float = 1.0
) -> Outcome:
    """What to make of the run; raises `ParameterError` where a demanded value
    does not exist in it.
    """
    counts = results.counts
    if counts.open:
        stopped = [reason.worded(IN_TERMINAL) for reason in results.stop_reasons]
        return Outcome(
            INCOMPLETE, (f"{counts.open:,} of {counts.asked:,} results are still open.", *stopped)
        )
    if below := [words for demand in demanded for words in _below(demand, results, least_coverage)]:
        return Outcome(BELOW, tuple(below))
    if counts.failed and counts.scored < least_coverage * counts.asked:
        return Outcome(INCOMPLETE, tuple(_failed(results)))
    return Outcome(FINE, tuple(_failed(results)))


def _below(demand: Demand, results: Results, least_coverage: float) -> Iterator[str]:
    for number in range(max(1, len(results.run.models))):
        means = results.summary(number)
        if demand.name not in means and not results.counts.failed:
            raise ParameterError(
                f"There is no value {printable(demand.name)} here. There are: {', '.join(means)}."
            )
        yield from _wanting(demand, means, least_coverage, _whose(results.run, number))


def _wanting(
    demand: Demand, means: Mapping[str, Mean], least_coverage: float, whose: str
) -> Iterator[str]:
    name, mean = f"{printable(demand.name)}{whose}", means.get(demand.name)
    if mean is None or mean.mean is None:
        yield f"{name}: no sample was judged, and {demand.least:g} is demanded."
        return
    if mean.mean < demand.least - ROUNDING:
        yield f"{name} is {mean.mean:.4g}, and {demand.least:g} is demanded."
    if (covered := (mean.scored + mean.not_applicable) / mean.asked) < least_coverage:
        yield f"{name} covers {covered:.1%} of the samples, and {least_coverage:.1%} are demanded."


def _whose(run: Run, number: int) -> str:
    return f" of {printable(model_title(run.models[number]))}" if len(run.models) > 1 else ""


def _failed(results: Results) -> Iterator[str]:
    counts, reasons = (
        results.counts,
        failures(results.store.results.failures(results.run.id), IN_TERMINAL),
    )
    if counts.failed:
        yield f"{counts.failed:,} of {counts.asked:,} results failed; resume tries them again."
    for message, count in list(reasons.items())[:REASONS]:
        yield f"{count:,}: {printable(message)}"
    if len(reasons) > REASONS:
        yield f"... and {len(reasons) - REASONS} more reasons; show lists them all."
