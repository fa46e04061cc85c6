"""Whether a value is high enough, or a system no worse: pass, fail or cannot tell, by the interval.

Every gate has its rulings from here: those of the terminal, of pytest and of a pull request.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple, get_args

from evaluators.api.results import Results
from evaluators.comparison import words
from evaluators.comparison.paired import Difference
from evaluators.comparison.result import Compared, Comparison
from evaluators.comparison.several import Several
from evaluators.errors import IN_PYTHON, ParameterError
from evaluators.llm.catalogue import model_title
from evaluators.records import Words
from evaluators.runs.aggregate import Mean
from evaluators.statistics import ROUNDING, wilson
from evaluators.text.printable import printable

State = Literal["fail", "cannot tell", "pass"]
"""The worst first."""
CannotTell = Literal["pass", "fail", "skip"]
"""What a gate makes of what cannot be told."""
MOST_MORE = 1_000_000
"""Further samples beyond which nobody is told to check more."""


class Demand(NamedTuple):
    """The name of a value in the table of results, and the least that it, or its difference, is."""

    name: str
    least: float


class Ruling(NamedTuple):
    """What became of one demand, in a sentence."""

    name: str
    state: State
    words: str


class Strictness(NamedTuple):
    """What a gate asks for beside its demands, and how its door lets the heuristic's labels count.

    `coverage` is the share of samples that must be judged or not applicable, `at_least` how many
    pairs a comparison must rest on.
    """

    coverage: float = 1.0
    at_least: int = 1
    allow_heuristic: bool = False
    allowing: str = "allow_heuristic=True"

    @property
    def of_the_heuristic(self) -> str:
        """Why a threshold is neither met nor missed."""
        return (
            "its labels are the heuristic's, which reads wording. Have an LLM judge the answers, "
            f"or take the heuristic's word with {self.allowing}."
        )


class Measured(NamedTuple):
    """A value with its 95 % interval, `None` where nothing is known of how others differ."""

    value: float
    low: float | None
    high: float | None
    samples: int


AS_USUAL = Strictness()


def state_of(rulings: Iterable[Ruling]) -> State:
    """That of all together: the worst."""
    states = {ruling.state for ruling in rulings}
    return next(state for state in get_args(State) if state in states or state == "pass")


def unknown_value(name: str, known: Iterable[str]) -> ParameterError:
    """What to raise where somebody asks for a value that is not among the known ones."""
    return ParameterError(
        f"There is no value {printable(name)} here. There are: {', '.join(known)}."
    )


def decided(measured: Measured, least: float) -> State:
    """By which side of the threshold the whole interval lies on."""
    if measured.low is None or measured.high is None:
        return "cannot tell"
    if measured.low >= least - ROUNDING:
        return "pass"
    return "fail" if measured.high < least - ROUNDING else "cannot tell"


def more_samples(measured: Measured, least: float) -> int | None:
    """How many further samples like these would take the threshold out of the interval.

    The interval of shares is Wilson's for as many samples as tell the same, all others become
    narrower by the root of their number. `None` where it is more than anybody has.
    """
    value, low, high, samples = measured
    if low is None or high is None:
        return None
    end = low if value >= least else high
    distance = abs(value - least)
    if distance < ROUNDING:
        return None
    are_shares = 0 <= low < high <= 1 and 0 < least < 1
    variance = least * (1 - least) / (end * (1 - end)) if are_shares else 1.0
    factor = variance * ((value - end) / distance) ** 2
    more = math.ceil(samples * (factor - 1) - ROUNDING)
    return max(1, more) if more <= MOST_MORE else None


def untold(measured: Measured, least: float) -> str:
    """What would help where the threshold lies inside the interval."""
    more = more_samples(measured, least)
    if more is None:
        return "It lies so close to that that more samples would hardly tell."
    about = words.about_samples(more)
    return f"{about[0].upper()}{about[1:]} more, like these, would tell."


# A mean


def unfinished(results: Results, words: Words = IN_PYTHON) -> str:
    """Why nothing can be demanded of a run yet, a sentence a line; empty where all is checked."""
    counts = results.counts
    if not counts.open:
        return results.damage().sentence()
    stopped = [reason.worded(words) for reason in results.stop_reasons]
    not_checked = f"{counts.open:,} of {counts.asked:,} results are not checked yet."
    return "\n".join([not_checked, *stopped])


def run_rulings(
    results: Results, demanded: Iterable[Demand], strictness: Strictness = AS_USUAL
) -> Iterator[Ruling]:
    """What becomes of each demand, for each of the run's models.

    Raises `ParameterError` where a demanded value is not in the run.
    """
    models = results.run.models
    for demand, number in product(demanded, range(max(1, len(models)))):
        summary = results.summary(number)
        # Where all has failed, a value has no name.
        if demand.name not in summary and not results.counts.failed:
            raise unknown_value(demand.name, summary)
        whose = f" of {printable(model_title(models[number]))}" if len(models) > 1 else ""
        name = f"{printable(demand.name)}{whose}"
        yield from mean_rulings(name, demand.least, summary.get(demand.name), strictness)


def mean_rulings(
    name: str, least: float, mean: Mean | None, strictness: Strictness
) -> Iterator[Ruling]:
    """Whether the mean is high enough; further, where that is so, that it rests on too little."""
    if mean is None or mean.mean is None:
        problem = f"{name}: no sample was checked, and at least {least:g} is asked for."
        yield Ruling(name, "fail", problem)
        return
    low, high = mean.low, mean.high
    if mean.estimated and strictness.allow_heuristic:
        # Values of labels are from 0 to 1: none of that mean spread more than those of yes or no.
        low, high = wilson(mean.mean * mean.scored, mean.scored)
    measured = Measured(mean.mean, low, high, mean.scored)
    if mean.estimated and not strictness.allow_heuristic:
        problem = f"{name} cannot be told: {strictness.of_the_heuristic}"
        yield Ruling(name, "cannot tell", problem)
    else:
        yield ruled_value(name, measured, least)
    # What a metric does not apply to was looked at as well: only what failed is not covered.
    covered = (mean.scored + mean.not_applicable) / mean.asked
    if covered < strictness.coverage:
        share = f"{covered:.1%} of the samples, below the {strictness.coverage:.1%} asked for"
        yield Ruling(name, "fail", f"{name} covers {share}.")


def ruled_value(name: str, measured: Measured, least: float) -> Ruling:
    """Whether a value is at least so high."""
    state = decided(measured, least)
    if measured.low is None:
        problem = (
            f"{name} cannot be told: it is {measured.value:.4g}, and nothing is known of how "
            "others differ. Check more questions."
        )
        return Ruling(name, state, problem)
    found = f"{measured.value:.4g} ({measured.low:.4g} to {measured.high:.4g})"
    told = {
        "pass": f"{name} is {found}, at least the {least:g} asked for.",
        "fail": f"{name} is {found}, below the {least:g} asked for.",
        "cannot tell": f"{name} is {found}, which may be below the {least:g} asked for or not.",
    }
    help_for = untold(measured, least) if state == "cannot tell" else ""
    return Ruling(name, state, " ".join(filter(None, [told[state], help_for])))


# A difference


def comparison_rulings(
    comparison: Comparison | Several,
    demanded: Sequence[Demand],
    strictness: Strictness = AS_USUAL,
) -> Iterator[Ruling]:
    """Whether the second system differs by at least that, which is below 0 where it may be worse.

    Of several systems each but the first has to. Raises `ParameterError` for a value that is not
    compared.
    """
    compared = comparison.comparisons if isinstance(comparison, Several) else [comparison]
    for pair, demand in product(compared, demanded):
        value = pair[demand.name]
        name = f"{printable(demand.name)} of {printable(pair.second)}"
        # First, as few samples may look better or worse by chance alone.
        if 0 < len(value.rows) < strictness.at_least:
            few = f"{name} rests on {len(value.rows):,} samples, below {strictness.at_least:,}."
            yield Ruling(name, "fail", few)
            continue
        difference = value.difference
        if strictness.allow_heuristic and value.because == "heuristic":
            difference = value.of_labels
        reason = _why_unknown(pair, value, difference, strictness)
        if reason or difference is None:
            yield Ruling(name, "cannot tell", f"{name} cannot be told: {reason}")
        else:
            yield _ruled_difference(name, difference, demand.least)


def _ruled_difference(name: str, difference: Difference, least: float) -> Ruling:
    measured = Measured(difference.difference, difference.low, difference.high, difference.rows)
    state = decided(measured, least)
    # Demanded is that it is better by so much, or that it is worse by no more than so much.
    is_met, is_missed = ("no less", "less") if least > 0 else ("no more", "more")
    verb = {"pass": "is", "fail": "is", "cannot tell": "may be"}[state]
    how = f"{is_met if state == 'pass' else is_missed} than {100 * abs(least):g} points"
    told = (
        f"{name} {verb} {how} {'better' if least > 0 else 'worse'}: {words.in_points(difference)}."
    )
    help_for = untold(measured, least) if state == "cannot tell" else ""
    return Ruling(name, state, " ".join(filter(None, [told, help_for])))


def _why_unknown(
    pair: Comparison, value: Compared, difference: Difference | None, strictness: Strictness
) -> str:
    """Why nothing is known of how the systems differ in a value, in a sentence; else empty."""
    if pair.same_answers:
        return "the answers are the same, and a difference is the labellers'. Compare two systems."
    if difference is None:
        return "no sample was checked for both. Finish both runs."
    if pair.different_labellers:
        return "each side has another labeller. Have the same one judge both."
    if difference.low is None:
        if value.because == "heuristic":
            return strictness.of_the_heuristic
        if value.because == "documents":
            return "the documents are the same for all pairs. Compare a value of the answers."
        if difference.clusters < 2:
            return "one question tells nothing of others. Compare more questions."
        return "all pairs differ alike, which tells nothing of others. Compare more questions."
    return ""
