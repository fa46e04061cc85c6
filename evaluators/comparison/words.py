"""What a comparison found, in a sentence to be read out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluators.comparison.paired import Difference

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

    def in_favour(is_higher: bool, how: str) -> str:
        return f"{second if is_higher else first} is {how}"

    return _sentence(differences, in_favour)


def against_reference(differences: Sequence[Named]) -> str:
    """The same of one system, which a list names before: "Better in adherence by 6 points"."""

    def better_or_worse(is_higher: bool, how: str) -> str:
        opposites = {"better": "worse", "higher": "lower"}
        return how if is_higher else opposites[how]

    words = _sentence(differences, better_or_worse)
    return words[0].upper() + words[1:]


def _sentence(differences: Sequence[Named], told: Callable[[bool, str], str]) -> str:
    """`told` words that a value is higher or not, where that means better or only higher."""
    told_apart: dict[str, list[str]] = {}
    alike = []
    same = []
    for name, difference in differences:
        if difference.ties == difference.rows:
            same.append(readable(name))
        elif not difference.is_told_apart:
            alike.append((name, difference))
        else:
            how = "higher" if name in NEITHER_BETTER else "better"
            who = told(difference.difference > 0, how)
            told_apart.setdefault(who, []).append(f"{readable(name)} by {_size(difference)}")
    parts = [f"{who} in {_joined_by_and(by)}" for who, by in told_apart.items()]
    if alike:
        names = _joined_by_and([readable(name) for name, _ in alike])
        parts.append(f"{names} cannot be told apart")
        parts += _samples_needed([difference for _, difference in alike])
    if same:
        verb = "is" if len(same) == 1 else "are"
        parts.append(f"{_joined_by_and(same)} {verb} the same on every sample")
    if parts and not told_apart:
        # A title stands as it was written; what begins without one gets a capital.
        parts[0] = parts[0][0].upper() + parts[0][1:]
    return f"{'; '.join(parts) or 'No sample was checked for both'}."


def noise_sentence(first: str, second: str, levels: Sequence[tuple[float, Difference]]) -> str:
    """Who is more often right at which noise, and by how much; `levels` are shares of noise."""
    told_apart: dict[str, list[str]] = {}
    for noise, difference in levels:
        if difference.is_told_apart:
            higher = second if difference.difference > 0 else first
            by = f"at {100 * noise:.0f} % noise by {_size(difference)}"
            told_apart.setdefault(higher, []).append(by)
    if not told_apart:
        return f"At no single level of noise can {first} and {second} be told apart."
    parts = [
        f"{title} is more often right {_joined_by_and(by)}" for title, by in told_apart.items()
    ]
    if sum(map(len, told_apart.values())) < len(levels):
        parts.append("elsewhere the two cannot be told apart")
    return f"{'; '.join(parts)}."


def in_points(difference: Difference | None) -> str:
    """The difference with its interval in points: "+6 (2 to 10)"; "none" without samples."""
    if difference is None:
        return "none"
    points = f"{100 * difference.difference:+.1f}"
    if difference.low is None or difference.high is None:
        return points
    return f"{points} ({100 * difference.low:.1f} to {100 * difference.high:.1f})"


def p_value(p: float | None) -> str:
    """A p-value to three digits, never as 0; empty for none."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def readable(name: str) -> str:
    return name.replace("_", " ")


def _size(difference: Difference) -> str:
    """By how much the higher one is higher: "6 points (2 to 10)"."""
    sign = 1 if difference.difference > 0 else -1
    size = _points(sign * difference.difference)
    words = f"{size} {'point' if size == '1' else 'points'}"
    if difference.low is None or difference.high is None:
        return words
    low, high = sorted((sign * difference.low, sign * difference.high))
    return f"{words} ({_points(low)} to {_points(high)})"


def _samples_needed(alike: Sequence[Difference]) -> list[str]:
    """For the value that takes most: what would show a difference of `EXAMPLE`."""
    needed = [difference.rows_needed(EXAMPLE) for difference in alike]
    most = max((rows for rows in needed if rows is not None), default=None)
    if most is None:
        return []
    # To two digits: what is needed is known no better.
    step: int = 10 ** max(0, len(str(most)) - 2)
    rounded = -(-most // step) * step
    return [f"to tell {_points(EXAMPLE)} points apart takes about {rounded:,} samples"]


def _points(share: float) -> str:
    """A share in points of a hundred, with a decimal below ten."""
    return f"{100 * share:.1f}".removesuffix(".0") if abs(share) < 0.1 else f"{100 * share:.0f}"


def _joined_by_and(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
