"""Is the other system better: every value of both, over the answers that both were judged on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice
from typing import NamedTuple

from evaluators.comparison import data, groups, whose_labels, words
from evaluators.comparison.paired import Pair, holm, paired
from evaluators.comparison.result import Because, Compared, Comparison, RowPair
from evaluators.comparison.settings import changes, unlike
from evaluators.comparison.sides import (
    NOISE,
    WRONG_OUTCOMES,
    Matched,
    Side,
    at_each_noise,
    matched,
    titles,
    values_of,
)
from evaluators.errors import ParameterError
from evaluators.runs.aggregate import Counted, mean_noise, units
from evaluators.runs.store import Outline
from evaluators.text.language import say
from evaluators.text.words import in_a_line, name_and_text
from evaluators.trace.labelling import CORRECTED, has_heuristic
from evaluators.values import Value

MOST_ROWS_OF_PAIRS = 6_000
"""Rows of all pairs of groups up to which each pair has its own p-value: some seconds."""


def compared(first: Side, second: Side, *, with_outcomes: bool = True) -> Comparison:
    """The second system against the first; raises `ParameterError` where nothing is common."""
    return against_first([first, second], with_outcomes=with_outcomes)[0]


def against_first(sides: Sequence[Side], *, with_outcomes: bool = True) -> tuple[Comparison, ...]:
    """Each further system against the first one, with p-values that count all of them together.

    There are at least two. Raises `ParameterError` where one has nothing in common with the first.
    For outcomes the texts of some thousand answers of each are read, where they were not before;
    groups have none. Of groups the first is the best of all, so p-values count every pair of them.
    """
    names = titles(sides)
    reference = _reference(names[0], sides[0])
    comparisons = [
        _laid_side_by_side(reference, side, name, with_outcomes)
        for side, name in zip(sides[1:], names[1:], strict=True)
    ]
    # Holm counts all that stands together on the screen.
    every = [each for own in comparisons for each in (*own.values, *own.by_noise)]
    are_groups = sides[0].group is not None
    beside = _p_of_other_pairs(sides, names, comparisons) if are_groups else ()
    together = iter(_adjusted(every, beside))
    # A look at why, beside what was asked: it makes no other p-value larger.
    outcomes = iter(_adjusted([each for own in comparisons for each in own.outcomes]))
    return tuple(
        replace(
            comparison,
            values=tuple(islice(together, len(comparison.values))),
            by_noise=tuple(islice(together, len(comparison.by_noise))),
            outcomes=tuple(islice(outcomes, len(comparison.outcomes))),
        )
        for comparison in comparisons
    )


def _p_of_other_pairs(
    sides: Sequence[Side], names: Sequence[str], with_first: Sequence[Comparison]
) -> list[float | None]:
    """The p-values of all pairs but those with the first.

    Where they take too long to work out, each counts as 1: it makes no other p-value smaller.
    """
    pairs = list(combinations(zip(sides[1:], names[1:], strict=True), 2))
    rows = max(len(value.rows) for own in with_first for value in own.values)
    if len(pairs) * rows > MOST_ROWS_OF_PAIRS:
        of_pair = max(sum(not value.because for value in own.values) for own in with_first)
        return [1.0] * (len(pairs) * of_pair)
    found: list[float | None] = []
    for (one, name), (other, title) in pairs:
        # Two of which each has questions in common with the first need not have any themselves.
        with suppress(ParameterError):
            comparison = _laid_side_by_side(_reference(name, one), other, title, False)
            found += _p_values(comparison.values)
    return found


class _Reference(NamedTuple):
    """The first system with its values, read once for all that are compared with it."""

    title: str
    side: Side
    values: Mapping[str, Counted]
    by_noise: Mapping[str, Counted]


def _reference(title: str, side: Side) -> _Reference:
    own = values_of(side)
    by_noise = at_each_noise(own[NOISE]) if NOISE in own else {}
    return _Reference(title, side, own, by_noise if len(by_noise) > 1 else {})


def _laid_side_by_side(
    reference: _Reference, side: Side, title: str, with_outcomes: bool
) -> Comparison:
    """Two systems, with p-values that count nothing else."""
    first = reference.side
    # Two labellers, formulas or rules: whoever lays these side by side asks for how they differ.
    same_answers = first.answers == side.answers
    if not same_answers:
        whose_labels.check_same_labels(first, side)
    is_same_data = first.has_same_data(side)
    with_outcomes = with_outcomes and first.group is None
    partners = matched(first.rows(), side.rows(), is_same_data)
    if not partners.pairs:
        raise ParameterError(
            say(
                "{first} and {second} have no sample and no question in common. Compare runs over "
                "the same data set, or over data sets with the same questions.",
                first=reference.title,
                second=title,
            )
        )
    if first.counted.by == CORRECTED and not same_answers:
        first, side = whose_labels.relabelled_on_both(first, side, partners.pairs)
        reference = _reference(reference.title, first)
    own, others = reference.values, values_of(side)
    common = _common_values(reference, title, others)
    by_noise = reference.by_noise if NOISE in common else {}
    in_data = data.differences(first, side, partners.pairs)
    values = [_compared_value(name, own[name], others[name], partners) for name in common]
    if not same_answers:
        by = first.counted.by, side.counted.by
        values = [
            _of_systems(value, own, others, by, in_data.decide(value.name)) for value in values
        ]
    labellers = "" if same_answers else whose_labels.different_labellers(first, side)
    return Comparison(
        first=reference.title,
        second=title,
        values=tuple(values),
        by_noise=tuple(
            _at_level(level, at_level, others[NOISE], partners)
            for level, at_level in by_noise.items()
        ),
        only_first=tuple(name for name in own if name not in others),
        only_second=tuple(name for name in others if name not in own),
        matched=len(partners.pairs),
        alone=partners.alone,
        is_same_data=is_same_data,
        changes=changes(first, side),
        warnings=tuple(
            filter(
                None,
                (
                    whose_labels.labels_in_words(first, side),
                    *in_data.in_words(),
                    *_of_documents(values),
                    groups.without_group(first),
                    labellers,
                    *unlike(first, side),
                    *_damage_in_words((reference.title, first), (title, side)),
                ),
            )
        ),
        different_labellers=labellers,
        same_documents=in_data.same_documents,
        same_answers=same_answers,
        outcomes=tuple(_outcomes(first, side, partners)) if with_outcomes else (),
        outcome_notes=tuple(_of_outcomes(first, side)) if with_outcomes else (),
    )


def compared_in(first: Side, own: Counted, second: Side, other: Counted) -> Compared:
    """One value of two systems, counted alike, with a p-value that counts nothing else."""
    name = own.record.name
    partners = matched(first.rows(), second.rows(), first.has_same_data(second))
    is_of_data = name in (data.OF_DOCUMENTS, data.OF_DATA) and data.differences(
        first, second, partners.pairs
    ).decide(name)
    by = first.counted.by, second.counted.by
    value = _compared_value(name, own, other, partners)
    return _of_systems(value, {name: own}, {name: other}, by, is_of_data)


def _outcomes(first: Side, second: Side, partners: Matched) -> Iterator[Compared]:
    """How often each answers wrongly, for what the documents hold, over what is known of both."""
    rates = [{one.name: one.rate for one in side.flaws().outcomes} for side in (first, second)]
    ours, theirs = (Counted(side.outcomes(), Value("")) for side in (first, second))
    for name in WRONG_OUTCOMES if all(rates) else ():
        record = Value(name, kind="rate")
        compared = _compared_value(
            name, ours._replace(record=record), theirs._replace(record=record), partners
        )
        yield replace(compared, rates=tuple(own[name] for own in rates))


def _of_outcomes(first: Side, second: Side) -> Iterator[str]:
    """What to beware of in the outcomes of two systems."""
    both = [side.flaws() for side in (first, second)]
    if any(flaws.read < flaws.drawn_from for flaws in both):
        yield say(
            "Of many answers some thousand are drawn at random; the differences count those that "
            "were drawn of both."
        )
    ours, theirs = (in_a_line(map(say, sorted(flaws.bases))) for flaws in both)
    if ours and theirs and ours != theirs:
        yield say(
            "Whether the documents hold the answer is told by {first} for the first, by {second} "
            "for the second: a difference may be due to that.",
            first=ours,
            second=theirs,
        )


def _damage_in_words(*sides: tuple[str, Side]) -> Iterator[str]:
    """What of each run cannot be read, once for each."""
    titles = {side.run.id: (title, side) for title, side in reversed(sides)}
    for title, side in reversed(titles.values()):
        if damage := side.view.damage_in_sight().sentence():
            yield name_and_text(title, damage)


def _of_systems(
    value: Compared,
    own: Mapping[str, Counted],
    others: Mapping[str, Counted],
    by: tuple[str | None, str | None],
    is_of_data: bool,
) -> Compared:
    """The value with no more than is known of the systems, and why it is no more."""
    of_heuristic = [
        _prompts_of_heuristic(values[value.name].rows, labeller)
        for values, labeller in zip((own, others), by, strict=True)
    ]
    first, second = of_heuristic
    guessed = sum(
        pair.first_position in first or pair.second_position in second for pair in value.rows
    )
    because: Because = "heuristic" if guessed else ""
    if not guessed and is_of_data:
        because = "documents"
    if not because or value.difference is None:
        return value
    return replace(
        value,
        difference=value.difference.as_of_no_system,
        of_labels=value.difference,
        because=because,
        by_heuristic=guessed,
    )


def _prompts_of_heuristic(rows: Iterable[Outline], labeller: str | None) -> set[int]:
    """The prompts whose answers have labels of the heuristic, in the view of this labeller."""
    # What people corrected are the labels of the run, for all that they left.
    is_of_run = labeller in (None, CORRECTED)
    return {
        row.prompt
        for row in rows
        if row.by and has_heuristic([row.by if is_of_run else str(labeller)])
    }


def _of_documents(values: Iterable[Compared]) -> list[str]:
    """That a labeller judged the same documents otherwise, where one did."""
    names = []
    for value in values:
        difference = value.difference
        if value.because == "documents" and difference and difference.ties < difference.rows:
            names.append(value.name)
    return [words.of_same_documents(names)] if names else []


def _common_values(reference: _Reference, title: str, others: Mapping[str, Counted]) -> list[str]:
    """The values that both systems have, in the first one's order; none in common is an error."""
    own = reference.values
    for name, values in ((reference.title, own), (title, others)):
        if not values:
            raise ParameterError(
                say(
                    "{name} has no checked answer yet. Finish the run, or choose another one.",
                    name=name,
                )
            )
    common = [name for name in own if name in others]
    if not common:
        raise ParameterError(
            say(
                "{first} and {second} have no value in common: the first has {values}, the second "
                "{others}. Run the same metric on both.",
                first=reference.title,
                second=title,
                values=", ".join(own),
                others=", ".join(others),
            )
        )
    return common


class _Judged(NamedTuple):
    """A sample's value by both systems, `None` where one was not judged, and its unit."""

    positions: tuple[int, int]
    first: float | None
    second: float | None
    unit: int


def _compared_value(name: str, own: Counted, other: Counted, partners: Matched) -> Compared:
    judged = list(_judged_rows(own, other, partners))
    rows: list[RowPair] = []
    pairs: list[Pair] = []
    for positions, first, second, unit in judged:
        if first is not None and second is not None:
            ours, theirs = positions
            rows.append(
                RowPair(
                    first_position=ours,
                    second_position=theirs,
                    first=first,
                    second=second,
                )
            )
            pairs.append(Pair(first, second, unit))
    only = Counter((each.first is not None, each.second is not None) for each in judged)
    return Compared(
        name=name,
        difference=paired(pairs) if pairs else None,
        matched=len(judged),
        only_first=only[True, False],
        only_second=only[False, True],
        neither=only[False, False],
        rows=tuple(rows),
        kind=own.record.kind,
    )


def _at_level(level: str, own: Counted, other: Counted, partners: Matched) -> Compared:
    """A value at one level of noise, with how much noise the prompts had."""
    at_level = at_each_noise(other).get(level)
    had = [mean_noise(value.rows) for value in (own, at_level) if value]
    compared = _compared_value(level, own, other, partners)
    return replace(compared, noise_had=tuple(noise for noise in had if noise is not None))


def _judged_rows(own: Counted, other: Counted, partners: Matched) -> Iterator[_Judged]:
    ours = _by_prompt(own.rows)
    theirs = _by_prompt(other.rows)
    prompts = [row.prompt for row in own.rows]
    resembling = dict(zip(prompts, units(own.rows).tolist(), strict=True))
    for position, partner in partners.pairs.items():
        # Of RGB only the samples of the value's ability have a row.
        if position in ours and partner in theirs:
            yield _Judged(
                (position, partner),
                _mean_of_repeats(ours[position], own.name),
                _mean_of_repeats(theirs[partner], other.name),
                resembling[position],
            )


def _by_prompt(rows: Iterable[Outline]) -> dict[int, list[Outline]]:
    """The repeats of each prompt, by the position of the first."""
    prompts: dict[int, list[Outline]] = {}
    for row in rows:
        prompts.setdefault(row.prompt, []).append(row)
    return prompts


def _mean_of_repeats(rows: Iterable[Outline], name: str) -> float | None:
    """The mean over those repeats of a prompt that were judged; `None` where none was."""
    # More repeats tell more of the prompt, and do not make it several.
    judged = [value for row in rows if (value := row.values.get(name)) is not None]
    return sum(judged) / len(judged) if judged else None


def _adjusted(
    values: Sequence[Compared], beside: Sequence[float | None] = ()
) -> tuple[Compared, ...]:
    """The same with p-values that count how many are looked at together, with those `beside`."""
    together = []
    for value, p in zip(values, holm([*_p_values(values), *beside]), strict=False):
        difference = value.difference
        if difference is not None:
            difference = difference.model_copy(update={"adjusted": p})
        together.append(replace(value, difference=difference))
    return tuple(together)


def _p_values(values: Iterable[Compared]) -> list[float | None]:
    return [value.difference.p if value.difference else None for value in values]
