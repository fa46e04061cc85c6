"""What a comparison found, in a sentence to be read out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evaluators.comparison import paired
from evaluators.comparison.paired import Difference
from evaluators.text import words
from evaluators.text.language import ENGLISH, language, mark, say
from evaluators.text.scale import NO_VALUE, POINTS, RATE, SCORE, Scale
from evaluators.text.words import counted, in_brackets, joined_by_and, signed

Named = tuple[str, Difference]
"""The difference of a value, with its name."""

NEITHER_BETTER = ("context_relevance", "context_utilization")
"""Values of which a higher one is not a better answer: they tell of the documents and their use."""
EXAMPLE = 0.03
"""The difference for which the samples that are needed are said: three points."""
BY_THE_HEURISTIC = mark("By the heuristic, which reads wording: not to be used to choose a system.")
WHAT_HELPS = mark("Have an LLM judge 20 pairs: they tell how many it takes.")
SAME_DOCUMENTS = mark(
    "The documents are the same for all pairs: {values} differs by the labeller, not by the system."
)


def sentence(
    first: str,
    second: str,
    differences: Sequence[Named],
    *,
    same_answers: bool = False,
) -> str:
    """Who is better in what and by how much, what cannot be told apart, and what that would take.

    `differences` are those of the values by name, second minus first. Of labellers of the
    `same_answers` none is better.
    """

    def in_favour(is_higher: bool, is_better: bool, values: str) -> str:
        title = second if is_higher else first
        if is_better and not same_answers:
            return say("{title} is better in {values}", title=title, values=values)
        return say("{title} is higher in {values}", title=title, values=values)

    return _sentence(differences, in_favour)


def against_reference(differences: Sequence[Named], *, same_answers: bool = False) -> str:
    """The same of one system, which a list names before: "Better in adherence by 6 points"."""

    def better_or_worse(is_higher: bool, is_better: bool, values: str) -> str:
        is_better = is_better and not same_answers
        if is_better and is_higher:
            return say("better in {values}", values=values)
        if is_better:
            return say("worse in {values}", values=values)
        if is_higher:
            return say("higher in {values}", values=values)
        return say("lower in {values}", values=values)

    found = _sentence(differences, better_or_worse)
    return found[0].upper() + found[1:]


def _sentence(
    differences: Sequence[Named],
    told: Callable[[bool, bool, str], str],
) -> str:
    """`told` words that values are higher or not, and whether that means better or only higher."""
    told_apart: dict[tuple[bool, bool], list[str]] = {}
    alike = []
    same = []
    for name, difference in differences:
        if difference.ties == difference.rows:
            same.append(readable(name))
        elif not difference.is_told_apart:
            alike.append((name, difference))
        else:
            how = (difference.difference > 0, name not in NEITHER_BETTER)
            by = say("{value} by {size}", value=readable(name), size=_size(difference))
            told_apart.setdefault(how, []).append(by)
    parts = [told(*how, joined_by_and(by)) for how, by in told_apart.items()]
    if alike:
        names = joined_by_and([readable(name) for name, _ in alike])
        parts.append(say("{values} cannot be told apart", values=names))
        parts += _samples_needed([difference for _, difference in alike])
    if len(same) == 1:
        parts.append(say("{value} is the same on every sample", value=same[0]))
    elif same:
        parts.append(say("{values} are the same on every sample", values=joined_by_and(same)))
    if parts and not told_apart:
        # A title stands as it was written; what begins without one gets a capital.
        parts[0] = parts[0][0].upper() + parts[0][1:]
    return _full_stop(parts) if parts else say("No sample was checked for both.")


def _full_stop(parts: Sequence[str]) -> str:
    """Parts of a sentence, one after another."""
    return say("{sentence}.", sentence=say("; ").join(parts))


def noise_sentence(first: str, second: str, levels: Sequence[tuple[float, Difference]]) -> str:
    """Who is more often right at which noise, and by how much; `levels` are shares of noise."""
    told_apart: dict[str, list[str]] = {}
    for noise, difference in levels:
        if difference.is_told_apart:
            higher = second if difference.difference > 0 else first
            size = _size(difference)
            by = say("at {noise} noise by {size}", noise=RATE.shown(noise), size=size)
            told_apart.setdefault(higher, []).append(by)
    if not told_apart:
        return say(
            "At no single level of noise can {first} and {second} be told apart.",
            first=first,
            second=second,
        )
    parts = [
        say("{title} is more often right {levels}", title=title, levels=joined_by_and(by))
        for title, by in told_apart.items()
    ]
    if sum(map(len, told_apart.values())) < len(levels):
        parts.append(say("elsewhere the two cannot be told apart"))
    return _full_stop(parts)


def by_heuristic(values: Sequence[str], pairs: int, matched: int) -> str:
    """What is said of values by the heuristic's labels.

    `values` are their names where there are others beside them; `pairs` are by the heuristic of
    those that are compared.
    """
    if pairs < matched:
        return say(
            "{part:,} of {all:,} pairs are labelled by the heuristic, which reads wording: not to "
            "be used to choose a system.",
            part=pairs,
            all=matched,
        )
    if values:
        names = joined_by_and([readable(name) for name in values])
        return say(
            "{values}: by the heuristic, which reads wording, not to be used to choose a system.",
            values=names[0].upper() + names[1:],
        )
    return say(BY_THE_HEURISTIC)


def of_same_documents(values: Sequence[str]) -> str:
    """Why values that tell of the documents alone say nothing of systems that had the same."""
    return say(SAME_DOCUMENTS, values=joined_by_and([readable(name) for name in values]))


def in_points(difference: Difference | None) -> str:
    """The difference with its interval in points: "+6.0 (2.1 to 10.0)"; "none" without samples."""
    if difference is None:
        return say("none")
    points = signed(paired.in_points(difference.difference), digits=1)
    ends = POINTS.interval(difference.low, difference.high)
    return in_brackets(points, ends) if ends else points


class Cells(NamedTuple):
    """A value of two systems in words, as every table has it: both means, and how they differ."""

    first: str = NO_VALUE
    second: str = NO_VALUE
    points: str = ""
    p: str = ""
    counts: str = ""
    """On how many samples the second is higher, equal and lower."""


def cells(difference: Difference | None, scale: Scale = SCORE) -> Cells:
    if difference is None:
        return Cells(points=in_points(None))
    return Cells(
        scale.shown(difference.first),
        scale.shown(difference.second),
        in_points(difference),
        p_value(difference.adjusted),
        f"{difference.wins:,} · {difference.ties:,} · {difference.losses:,}",
    )


def p_value(p: float | None) -> str:
    """A p-value to three digits, never as 0; empty for none."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def readable(name: str) -> str:
    """The name of a value inside a sentence."""
    # In Chinese nothing has capitals, so it is called as everywhere else.
    return name.replace("_", " ") if language() == ENGLISH else words.readable(name)


def about_samples(number: int) -> str:
    """How many samples something takes: "about 1,800 samples", to two digits, rounded up."""
    # What is needed is known no better.
    step: int = 10 ** max(0, len(str(number)) - 2)
    return say("about {samples}", samples=counted(-(-number // step) * step, "sample"))


def _size(difference: Difference) -> str:
    """By how much the higher one is higher: "6.0 points (2.1 to 10.0)"."""
    sign = 1 if difference.difference > 0 else -1
    points = say("{size} points", size=POINTS.number(sign * difference.difference))
    if difference.low is None or difference.high is None:
        return points
    ends = sorted((sign * difference.low, sign * difference.high))
    return in_brackets(points, POINTS.interval(*ends))


def _samples_needed(alike: Sequence[Difference]) -> list[str]:
    """For the value that takes most: what would show a difference of `EXAMPLE`."""
    needed = [difference.rows_needed(EXAMPLE) for difference in alike]
    most = max((rows for rows in needed if rows is not None), default=None)
    if most is None:
        return []
    return [
        say(
            "to tell {points:g} points apart takes {samples}",
            points=paired.in_points(EXAMPLE),
            samples=about_samples(most),
        )
    ]
