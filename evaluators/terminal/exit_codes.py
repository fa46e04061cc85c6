"""How a run came out, for a script: the exit code, and in words what is wanting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evaluators.api import gate
from evaluators.api.gate import (
    AS_USUAL,
    CannotTell,
    Demand,
    Ruling,
    Strictness,
    state_of,
    unknown_value,
)
from evaluators.api.results import Results
from evaluators.base import Evaluator, missing
from evaluators.catalogue import from_spec, ships
from evaluators.comparison.result import Comparison
from evaluators.comparison.several import Several
from evaluators.dry_run import dry_score
from evaluators.errors import ParameterError
from evaluators.records import Ability, EvaluatorSpec, Sample
from evaluators.runs.aggregate import named_values
from evaluators.runs.store import Outline
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.text.printable import printable

if TYPE_CHECKING:
    from evaluators.batch.columns import MetricColumns
    from evaluators.batch.results import BatchResults

# Click itself leaves with 2 for wrong options, a shell calls 130 what Ctrl-C ended.
FINE, BELOW, WRONG, INCOMPLETE, CANNOT_TELL, INTERRUPTED = 0, 1, 2, 3, 4, 130
MEANINGS = {
    FINE: "everything is checked, and every mean is shown to be high enough",
    BELOW: (
        "the interval of a mean lies below --fail-under, or the mean rests on fewer samples than "
        "--min-coverage asks for; compare: the second is worse than --fail-if-worse allows; again: "
        "the two differ; open: a value does not follow from the run's rows"
    ),
    WRONG: "wrong input: the message says what to write instead",
    INCOMPLETE: (
        "incomplete: the run stopped (its budget, a limit, no connection), waits for answers by "
        "tomorrow, or samples failed; resume goes on; or rows of a run cannot be read in the "
        "store, as the message says"
    ),
    CANNOT_TELL: (
        "cannot tell, so --fail-under or --fail-if-worse is neither met nor missed (--cannot-tell "
        "makes it 0 or 1): the threshold lies inside the interval, and the message says how many "
        "more samples would tell; the labels are the heuristic's (unless --allow-heuristic); "
        "nothing is known of how others differ; compare: the value cannot differ, as the documents "
        "are the same; where 1 applies too, it is 1"
    ),
    INTERRUPTED: "stopped by Ctrl-C; everything is kept",
}
CODES = {"pass": FINE, "fail": BELOW, "cannot tell": CANNOT_TELL, "skip": CANNOT_TELL}


class Gate(NamedTuple):
    """What a command demands, how strictly, what it makes of what cannot be told, and its files."""

    demanded: tuple[Demand, ...] = ()
    strictness: Strictness = Strictness()
    cannot_tell: CannotTell = "skip"
    junit: Path | None = None
    markdown: Path | None = None


class ExitOutcome(NamedTuple):
    """The exit code, and what to say."""

    code: int
    words: tuple[str, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    """What became of each demand, of those that are met as well."""


def demands(texts: Iterable[str], option: str = "--fail-under") -> tuple[Demand, ...]:
    """What the option asks for; raises `ParameterError` for what is not NAME=NUMBER."""
    return tuple(_read_demand(text, option) for text in texts)


def _read_demand(text: str, option: str) -> Demand:
    # From the right: a number holds no such sign, the name of a value may.
    name, _, value = text.rpartition("=")
    try:
        least = float(value)
        if not least < math.inf:  # not a number is refused as well
            raise ValueError(value)
    except ValueError as error:
        raise ParameterError(
            f"{option} {printable(text)[:60]} is not understood. Write NAME=NUMBER, "
            "for example adherence=0.8."
        ) from error
    return Demand(name.strip(), least)


def check_names(
    demanded: Sequence[Demand],
    metrics: Sequence[Evaluator],
    samples: Sequence[Sample],
    judges: Sequence[object],
) -> None:
    """Raises `ParameterError` for a demand that could never be met, before anything is sent.

    Nothing is refused where a metric of one's own, or one that needs a real judge, leaves open
    which values it gives.
    """
    if not demanded:
        return
    known = value_names(metrics, samples, judges)
    for name, least in demanded if known else ():
        if name not in known:
            raise unknown_value(name, known)
        _check_least(name, least)


def check_names_of_batch(
    demanded: Iterable[Demand],
    metrics: Sequence[Evaluator],
    columns: Sequence[MetricColumns],
) -> None:
    """The same for a batch, of which all values are known beforehand."""
    metric_of = {}
    for metric, own in zip(metrics, columns, strict=True):
        metric_of.update(dict.fromkeys(own.values.values(), metric))
    for name, least in demanded:
        if name not in metric_of:
            raise unknown_value(name, metric_of)
        # One of a person's own may give any number.
        if ships(type(metric_of[name])):
            _check_least(name, least)


def _check_least(name: str, least: float) -> None:
    if least > 1:
        raise ParameterError(
            f"--fail-under {printable(name)}={least:g} can never be met: values are at most 1."
        )


def value_names(
    metrics: Sequence[Evaluator],
    samples: Sequence[Sample],
    judges: Sequence[object],
) -> list[str]:
    """The names that the results will have, found by a dry run.

    Empty where a metric leaves them open until it has judged.
    """
    rows: list[Outline] = []
    for number, metric in enumerate(metrics):
        outlines = [
            _dry_outline(number, metric, sample, judges)
            for sample in _one_of_each_ability(metric, samples)
        ]
        scored = [outline for outline in outlines if outline]
        # A metric of one's own may name its values by what it finds.
        if not scored or not ships(type(metric)):
            return []
        rows += scored
    return list(named_values([metric.spec() for metric in metrics], rows))


def _one_of_each_ability(metric: Evaluator, samples: Sequence[Sample]) -> Iterable[Sample]:
    """A sample for each ability of RGB, or for none, that has what the metric needs."""
    by_ability: dict[Ability | None, Sample] = {}
    # What may come from who answers.
    given = ("response", "retrieved_documents")
    for sample in samples:
        ability = sample.rgb.ability if sample.rgb else None
        if ability in by_ability or missing(metric.needed, sample, given=given):
            continue
        by_ability[ability] = sample
    return by_ability.values()


def _dry_outline(
    number: int,
    metric: Evaluator,
    sample: Sample,
    judges: Sequence[object],
) -> Outline | None:
    # All TRACE methods give the same values, and the heuristic does so without a judge.
    cheap = from_spec(EvaluatorSpec(name="trace")) if metric.evidence == "sentences" else metric
    score = dry_score(cheap, sample, has_judge=bool(judges))
    if score is None:
        return None
    return Outline(
        position=0,
        metric=number,
        sample_id=sample.id,
        question="",
        ability=sample.rgb.ability if sample.rgb else None,
        status="scored",
        values=score.values,
    )


def run_outcome(
    results: Results,
    demanded: Iterable[Demand] = (),
    strictness: Strictness = AS_USUAL,
) -> ExitOutcome:
    """What to make of the run; raises `ParameterError` where a demanded value is not in it."""
    counts = results.counts
    if problem := gate.unfinished(results, IN_TERMINAL):
        # Damage is said where rows are read.
        return ExitOutcome(INCOMPLETE, tuple(problem.splitlines()) if counts.open else ())
    outcome = outcome_of(gate.run_rulings(results, demanded, strictness))
    if outcome.code:
        return outcome
    # A sample to which a metric does not apply has not failed.
    is_covered = not counts.failed or counts.scored >= strictness.coverage * counts.asked
    told: tuple[str, ...] = ()
    if counts.failed:
        # Why stands below the means.
        told = (f"{counts.failed:,} of {counts.asked:,} results failed; resume tries them again.",)
    return ExitOutcome(FINE if is_covered else INCOMPLETE, told, outcome.rulings)


def outcome_of(rulings: Iterable[Ruling]) -> ExitOutcome:
    """The code of the worst, and what is missed before what cannot be told."""
    every = tuple(rulings)
    unmet = [ruling.words for ruling in every if ruling.state == "fail"]
    unknown = [ruling.words for ruling in every if ruling.state == "cannot tell"]
    return ExitOutcome(CODES[state_of(every)], (*unmet, *unknown), every)


def batch_outcome(
    results: BatchResults,
    demanded: Iterable[Demand] = (),
    strictness: Strictness = AS_USUAL,
) -> ExitOutcome:
    """What to make of a batch, in which all demanded values are."""
    told = results.shortcomings()
    if results.failures:
        told.append(
            "A corrected file is judged again by the same command, other rows that failed with "
            "--retry-failed."
        )
    if results.stopped or not results.is_complete:
        return ExitOutcome(INCOMPLETE, tuple(told))
    rulings: list[Ruling] = []
    for name, least in demanded:
        mean = results.means[name]
        rulings += gate.mean_rulings(printable(name), least, mean, strictness)
    outcome = outcome_of(rulings)
    if outcome.code:
        return outcome._replace(words=(*outcome.words, *told))
    means = results.means.values()
    is_covered = all(mean.asked - mean.failed >= strictness.coverage * mean.asked for mean in means)
    return ExitOutcome(FINE if is_covered else INCOMPLETE, tuple(told), outcome.rulings)


def comparison_outcome(
    comparison: Comparison | Several,
    margins: Iterable[Demand],
    strictness: Strictness = AS_USUAL,
) -> ExitOutcome:
    """Whether the second system, and each further one, is worse by no more than the margins."""
    demanded = [Demand(name, -margin) for name, margin in margins]
    return outcome_of(gate.comparison_rulings(comparison, demanded, strictness))
