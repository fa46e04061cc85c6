"""How a run came out, for a script: the exit code, and in words what is wanting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from evaluators.api.results import Results
from evaluators.base import Evaluator, missing
from evaluators.catalogue import from_spec, ships
from evaluators.comparison import words
from evaluators.comparison.paired import Difference
from evaluators.comparison.result import Compared, Comparison
from evaluators.comparison.several import Several
from evaluators.dry_run import dry_score
from evaluators.errors import ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.records import Ability, EvaluatorSpec, Sample
from evaluators.runs.aggregate import Mean, named_values
from evaluators.runs.store import Outline
from evaluators.terminal.remedies import IN_TERMINAL
from evaluators.text.printable import printable

if TYPE_CHECKING:
    from evaluators.batch.columns import MetricColumns
    from evaluators.batch.results import BatchResults

# Click itself leaves with 2 for wrong options, a shell calls 130 what Ctrl-C ended.
FINE, BELOW, WRONG, INCOMPLETE, CANNOT_TELL, INTERRUPTED = 0, 1, 2, 3, 4, 130
MEANINGS = {
    FINE: "everything is checked, and every mean is high enough",
    BELOW: (
        "a mean is below --fail-under, or rests on fewer samples than --min-coverage asks for; "
        "compare: the second may be worse than --fail-if-worse allows; again: the two differ; "
        "open: a value does not follow from the run's rows"
    ),
    WRONG: "wrong input: the message says what to write instead",
    INCOMPLETE: (
        "incomplete: the run stopped (its budget, a limit, no connection), waits for answers by "
        "tomorrow, or samples failed; resume goes on; or rows of a run cannot be read in the "
        "store, as the message says"
    ),
    CANNOT_TELL: (
        "cannot tell, so --fail-under or --fail-if-worse is neither met nor missed: the labels are "
        "the heuristic's (unless --allow-heuristic); compare: nothing is known of how others "
        "differ, or the value cannot differ, as the documents are the same; where 1 applies too, "
        "it is 1"
    ),
    INTERRUPTED: "stopped by Ctrl-C; everything is kept",
}

OF_THE_HEURISTIC = (
    "its labels are the heuristic's, which reads wording. Have an LLM judge the answers, or take "
    "the heuristic's word with --allow-heuristic."
)
"""Why a threshold is neither met nor missed."""

ROUNDING = 1e-9
"""What arithmetic may lose: the mean of 0.6, 0.8 and 1.0 is a little below 0.8."""


class Demand(NamedTuple):
    """A value that must not be lower, by the name it has in the table of results."""

    name: str
    least: float


class ExitOutcome(NamedTuple):
    """The exit code, and what to say."""

    code: int
    words: tuple[str, ...] = ()


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


def unknown_value(name: str, known: Iterable[str]) -> ParameterError:
    """What to raise where somebody asks for a value that is not among the known ones."""
    return ParameterError(
        f"There is no value {printable(name)} here. There are: {', '.join(known)}."
    )


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
    least_coverage: float = 1.0,
    *,
    allow_heuristic: bool = False,
) -> ExitOutcome:
    """What to make of the run; raises `ParameterError` where a demanded value is not in it."""
    counts = results.counts
    if counts.open:
        stopped = [reason.worded(IN_TERMINAL) for reason in results.stop_reasons]
        not_checked = f"{counts.open:,} of {counts.asked:,} results are not checked yet."
        return ExitOutcome(INCOMPLETE, (not_checked, *stopped))
    if results.damage().sentence():
        return ExitOutcome(INCOMPLETE)
    verdict = _DemandVerdict(least_coverage, allow_heuristic)
    for demand in demanded:
        _demand_of_run(demand, results, verdict)
    if verdict.code:
        return ExitOutcome(verdict.code, verdict.words)
    # A sample to which a metric does not apply has not failed.
    is_covered = not counts.failed or counts.scored >= least_coverage * counts.asked
    told: tuple[str, ...] = ()
    if counts.failed:
        # Why stands below the means.
        told = (f"{counts.failed:,} of {counts.asked:,} results failed; resume tries them again.",)
    return ExitOutcome(FINE if is_covered else INCOMPLETE, told)


@dataclass
class _DemandVerdict:
    """What is wanting of the demands so far, and of which it cannot be told."""

    least_coverage: float
    allow_heuristic: bool
    unmet: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def code(self) -> int:
        return BELOW if self.unmet else CANNOT_TELL if self.unknown else FINE

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.unmet, *self.unknown)

    def add(self, name: str, least: float, mean: Mean | None) -> None:
        is_estimate = mean is not None and mean.estimated and not self.allow_heuristic
        if is_estimate:
            # How many samples are checked is known all the same.
            least = -math.inf
            self.unknown.append(f"{name} cannot be told: {OF_THE_HEURISTIC}")
        self.unmet += unmet_by_mean(name, least, mean, self.least_coverage)


def _demand_of_run(demand: Demand, results: Results, verdict: _DemandVerdict) -> None:
    """Adds what is wanting of one demand, for each of the run's models."""
    models = results.run.models
    for number in range(max(1, len(models))):
        summary = results.summary(number)
        # Where all has failed, a value has no name.
        if demand.name not in summary and not results.counts.failed:
            raise unknown_value(demand.name, summary)
        whose = f" of {printable(model_title(models[number]))}" if len(models) > 1 else ""
        name = f"{printable(demand.name)}{whose}"
        verdict.add(name, demand.least, summary.get(demand.name))


def unmet_by_mean(
    name: str,
    least: float,
    mean: Mean | None,
    least_coverage: float,
) -> Iterator[str]:
    if mean is None or mean.mean is None:
        yield f"{name}: no sample was checked, and at least {least:g} is asked for."
        return
    if mean.mean < least - ROUNDING:
        yield f"{name} is {mean.mean:.4g}, below the {least:g} asked for."
    # What a metric does not apply to was looked at as well: only what failed is not covered.
    covered = (mean.scored + mean.not_applicable) / mean.asked
    if covered < least_coverage:
        share = f"{covered:.1%} of the samples, below the {least_coverage:.1%} asked for"
        yield f"{name} covers {share}."


def batch_outcome(
    results: BatchResults,
    demanded: Iterable[Demand] = (),
    least_coverage: float = 1.0,
    *,
    allow_heuristic: bool = False,
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
    verdict = _DemandVerdict(least_coverage, allow_heuristic)
    covered = []
    for demand in demanded:
        verdict.add(printable(demand.name), demand.least, results.means[demand.name])
    for mean in results.means.values():
        covered.append(mean.asked - mean.failed >= least_coverage * mean.asked)
    if verdict.code:
        return ExitOutcome(verdict.code, (*verdict.words, *told))
    return ExitOutcome(FINE if all(covered) else INCOMPLETE, tuple(told))


def comparison_outcome(
    comparison: Comparison | Several,
    margins: Iterable[Demand],
    at_least: int,
    *,
    allow_heuristic: bool = False,
) -> ExitOutcome:
    """Whether it is shown that the second system is no worse than the margins allow.

    Of several systems each but the first has to show it. Shown is what the lower end of the 95 %
    interval says. Raises `ParameterError` for a value that is not compared.
    """
    unmet, unknown = [], []
    compared = comparison.comparisons if isinstance(comparison, Several) else [comparison]
    for pair, (name, margin) in product(compared, margins):
        value = pair[name]
        what = f"{printable(name)} of {printable(pair.second)}"
        # First, as few samples may look better or worse by chance alone.
        if 0 < len(value.rows) < at_least:
            unmet.append(f"{what} rests on {len(value.rows):,} samples, below {at_least:,}.")
            continue
        difference = value.difference
        if allow_heuristic and value.because == "heuristic":
            difference = value.of_labels
        if reason := _why_unknown(pair, value, difference):
            unknown.append(f"{what} cannot be told: {reason}")
        elif difference and difference.low is not None and difference.low < -margin - ROUNDING:
            points = words.in_points(difference)
            unmet.append(f"{what} may be more than {100 * margin:g} points worse: {points}.")
    code = BELOW if unmet else CANNOT_TELL if unknown else FINE
    return ExitOutcome(code, (*unmet, *unknown))


def _why_unknown(pair: Comparison, value: Compared, difference: Difference | None) -> str:
    """Why nothing is known of how the systems differ in a value, in a sentence; else empty."""
    if pair.same_answers:
        return "the answers are the same, and a difference is the labellers'. Compare two systems."
    if difference is None:
        return "no sample was checked for both. Finish both runs."
    if pair.different_labellers:
        return "each side has another labeller. Have the same one judge both."
    if difference.low is None:
        if value.because == "heuristic":
            return OF_THE_HEURISTIC
        if value.because == "documents":
            return "the documents are the same for all pairs. Compare a value of the answers."
        if difference.clusters < 2:
            return "one question tells nothing of others. Compare more questions."
        return "all pairs differ alike, which tells nothing of others. Compare more questions."
    return ""
