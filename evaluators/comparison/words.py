"""What a comparison found, in a sentence to be read out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluators.comparison.paired import Difference
from evaluators.text import words
from evaluators.text.language import ENGLISH, language, say
from evaluators.text.words import joined_by_and

Named = tuple[str, Difference]
"""The difference of a value, with its name."""

NEITHER_BETTER = ("context_relevance", "context_utilization")
"""Values of which a higher one is not a better answer: they tell of the documents and their use."""
EXAMPLE = 0.03
"""The difference for which the samples that are needed are said: three points."""


def sentence(first: str, second: str, differences: Sequence[Named]) -> str:
    """Who is better in what and by how much, what cannot be told apart, and what that would take.

    `differences` are those of the values by name, second minus first.
    """

    def in_favour(is_higher: bool, is_better: bool, values: str) -> str:
        title = second if is_higher else first
        if is_better:
            return say("{title} is better in {values}", title=title, values=values)
        return say("{title} is higher in {values}", title=title, values=values)

    return _sentence(differences, in_favour)


def against_reference(differences: Sequence[Named]) -> str:
    """The same of one system, which a list names before: "Better in adherence by 6 points"."""

    def better_or_worse(is_higher: bool, is_better: bool, values: str) -> str:
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
            by = say("at {noise:.0f} % noise by {size}", noise=100 * noise, size=size)
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


def in_points(difference: Difference | None) -> str:
    """The difference with its interval in points: "+6 (2 to 10)"; "none" without samples."""
    if difference is None:
        return say("none")
    points = f"{100 * difference.difference:+.1f}"
    if difference.low is None or difference.high is None:
        return points
    return say(
        "{points} ({low:.1f} to {high:.1f})",
        points=points,
        low=100 * difference.low,
        high=100 * difference.high,
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


def _size(difference: Difference) -> str:
    """By how much the higher one is higher: "6 points (2 to 10)"."""
    sign = 1 if difference.difference > 0 else -1
    size = _points(sign * difference.difference)
    points = say("{size} points", size=size)
    if size == "1":
        points = say("{size} point", size=size)
    if difference.low is None or difference.high is None:
        return points
    low, high = sorted((sign * difference.low, sign * difference.high))
    return say("{points} ({low} to {high})", points=points, low=_points(low), high=_points(high))


def _samples_needed(alike: Sequence[Difference]) -> list[str]:
    """For the value that takes most: what would show a difference of `EXAMPLE`."""
    needed = [difference.rows_needed(EXAMPLE) for difference in alike]
    most = max((rows for rows in needed if rows is not None), default=None)
    if most is None:
        return []
    # To two digits: what is needed is known no better.
    step: int = 10 ** max(0, len(str(most)) - 2)
    rounded = -(-most // step) * step
    return [
        say(
            "to tell {points} points apart takes about {samples:,} samples",
            points=_points(EXAMPLE),
            samples=rounded,
        )
    ]


def _points(share: float) -> str:
    """A share in points of a hundred, with a decimal below ten."""
    return f"{100 * share:.1f}".removesuffix(".0") if abs(share) < 0.1 else f"{100 * share:.0f}"
