"""Systems by data sets and abilities: their means, and ranks that paired tests tell apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

from evaluators.catalogue import metric_named
from evaluators.comparison import words
from evaluators.comparison.compare import compared_in
from evaluators.comparison.paired import Difference, holm
from evaluators.comparison.settings import changes
from evaluators.comparison.sides import Side, values_of
from evaluators.comparison.whose_labels import labellers_of
from evaluators.errors import ParameterError
from evaluators.params import parameters
from evaluators.people import labellers
from evaluators.people.correction import EstimatedMean
from evaluators.records import Run
from evaluators.runs import rulings, run_facts
from evaluators.runs.aggregate import Counted, Mean
from evaluators.runs.checks import corrected_headlines, corrected_means
from evaluators.runs.naming import PARTS, metric_title, parts_apart
from evaluators.runs.run_options import in_words
from evaluators.runs.shown_values import is_of_few
from evaluators.text.language import mark, say
from evaluators.text.normalise import one_line
from evaluators.text.printable import printable
from evaluators.text.scale import BY_KIND, Scale
from evaluators.text.words import (
    counted,
    in_a_line,
    in_brackets,
    joined_by_and,
    name_and_text,
    readable,
    short_name,
)
from evaluators.trace.labelling import CORRECTED

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_SYSTEMS = 50
MOST_ROWS = 30_000
"""Rows of all pairs up to which each pair is compared: a quarter of a minute. Beyond that each
system is compared with the best of its column alone, and that up to twice as many rows.
"""
SETTING_SHOWN = 60
OF_MEAN = {"mean", "low", "high", "scored", "asked", "not_applicable", "failed", "estimated"}
OF_COLUMNS = ("data set", "model", "models", "metrics", "labels", "formula", "rules")
"""Settings that are systems, or that have columns of their own."""

RANKS = mark(
    "A rank is 1 and one more for each system that is shown to be better: question by question, "
    "with p below 0.05 counting every pair of all columns (Holm), and an interval that misses 0. "
    "Equal ranks are not told apart."
)
WITH_BEST = mark(
    "Of so many systems each is compared with the best of its column alone: rank 2 says that it is "
    "shown to be worse than that one, and no more."
)
OF_OTHERS = mark(
    "Other labellers, formulas, rules or parameters have columns of their own: no number of one is "
    "held against one of another."
)


class Place(NamedTuple):
    """What a system reached in a column: its mean, and its rank where it has one.

    `behind` is the difference from the highest mean, this one minus that one. `corrected` is what
    people's labels of a random draw make of the mean; ranks are by the labeller's means.
    """

    run: Run
    model: int
    mean: Mean
    rank: int | None = None
    behind: Difference | None = None
    corrected: EstimatedMean | None = None


@dataclass(frozen=True)
class Column:
    """A value over the same questions, counted in the same way, with the places of systems by name.

    `counted_by` says by whom and by what it is counted, `unranked` why nobody has a rank.
    """

    title: str
    data: str
    value: str
    scale: Scale
    counted_by: str
    places: Mapping[str, Place]
    unranked: str = ""

    def sentence(self) -> str:
        """Who is first, to be read out, or why nobody is."""
        if self.unranked:
            return name_and_text(self.title, self.unranked)
        ranks = {name: place.rank for name, place in self.places.items() if place.rank}
        # Systems that failed on other questions may be better in a ring: then nobody has rank 1.
        best = min(ranks.values())
        first = [name for name, rank in ranks.items() if rank == best]
        text = mark("{names} share rank {rank} of {systems}: they cannot be told apart.")
        if len(first) == 1:
            text = mark("{names} alone has rank {rank} of {systems}.")
        systems = counted(len(ranks), "system")
        found = say(text, names=joined_by_and(first), rank=best, systems=systems)
        return name_and_text(self.title, found)


@dataclass(frozen=True, repr=False)
class Leaderboard:
    """Systems by columns; `costs` are what each one's answers cost, the best in the first column
    first.

    A system is a model as it is asked; where answers were given with the data, the title of their
    run. `headlines` are what people's labels make of runs, `notes` what to know of the numbers.
    """

    columns: tuple[Column, ...]
    costs: Mapping[str, Sequence[float | None]]
    headlines: tuple[str, ...]
    notes: tuple[str, ...]

    def sentences(self) -> tuple[str, ...]:
        """Who is first in each column, to be read out."""
        return tuple(column.sentence() for column in self.columns)

    def lines(self) -> Iterator[dict[str, object]]:
        """A row for each place of each system."""
        for system, costs in self.costs.items():
            is_known = costs and None not in costs
            for column in self.columns:
                if (place := column.places.get(system)) is None:
                    continue
                yield {
                    "system": system,
                    "data": column.data,
                    "value": column.value,
                    "rank": place.rank,
                    **place.mean.model_dump(include=OF_MEAN),
                    "corrected": place.corrected and place.corrected.mean,
                    "behind_best": place.behind and place.behind.difference,
                    "behind_low": place.behind and place.behind.low,
                    "behind_high": place.behind and place.behind.high,
                    "p_adjusted": place.behind and place.behind.adjusted,
                    "unranked": column.unranked,
                    "counted_by": column.counted_by,
                    "cost": math.fsum(filter(None, costs)) if is_known else None,
                    "run": place.run.title,
                }

    def summary(self) -> dict[str, object]:
        """All of it for a program."""
        said = {"sentences": self.sentences(), "headlines": self.headlines, "notes": self.notes}
        return {"places": list(self.lines()), **{name: [*own] for name, own in said.items()}}

    def to_pandas(self) -> DataFrame:
        """One row for each system in each column: rank, mean, interval, coverage, cost."""
        from pandas import DataFrame

        return DataFrame(list(self.lines()))

    def __repr__(self) -> str:
        return "\n".join(map(printable, [*self.headlines, *self.sentences(), *self.notes]))


class _Entry(NamedTuple):
    """A value of a system, which has a row of the board."""

    row: int
    side: Side
    value: Counted
    mean: Mean


class _Key(NamedTuple):
    """What a column is of, whatever the data are called.

    Of RGB the questions are those of one ability, which a run of that ability alone has too.
    """

    value: str
    questions: Hashable
    how: tuple[tuple[str, str], ...]


_Columns = Mapping[_Key, Sequence[_Entry]]
_Pair = tuple[_Entry, _Entry]


def leaderboard(sides: Sequence[Side], values: Sequence[str] = ()) -> Leaderboard:
    """These systems over all of their data, in these values, or in those that lead their runs.

    Raises `ParameterError` for the same system twice, for too many, for values that none has, and
    where no two systems have a value over the same questions in common.
    """
    columns: dict[_Key, list[_Entry]] = {}
    rows: dict[tuple[Hashable, int], Side] = {}
    asked: dict[tuple[Hashable, _Key], int] = {}
    for side in sides:
        own = dict(_values_by_column(side, values))
        # What was asked again over the same questions has a row of its own: neither is left out.
        system = _system(side)
        again = max((asked.get((system, key), 0) for key in own), default=0)
        asked |= {(system, key): again + 1 for key in own}
        rows.setdefault((system, again), side)
        number = [*rows].index((system, again))
        for key, value in own.items():
            columns.setdefault(key, []).append(_Entry(number, side, value, value.mean))
    _check(sides, values, columns, len(rows))
    names = _names([*rows.values()])
    ranked, notes = _ranked(columns)
    shown = []
    for title, key, (ranks, why) in zip(_titles(columns), columns, ranked, strict=True):
        places = {names[entry.row]: _place(entry, ranks) for entry in columns[key]}
        how = in_a_line(map(_shown_setting, key.how))
        scale = BY_KIND[columns[key][0].value.record.kind]
        shown.append(Column(title, _data(columns[key]), key.value, scale, how, places, why))
    best_first = sorted(names, key=lambda name: [_order(own.places.get(name)) for own in shown])
    every = [*chain(*columns.values())]
    costs = {
        name: tuple(_costs(own for own in every if names[own.row] == name)) for name in best_first
    }
    headlines = [
        name_and_text(side.run.title, line)
        for side in {side.run.id: side for side in sides}.values()
        for line in corrected_headlines(side.view, side.counted)
    ]
    notes += _notes(shown, columns)
    if headlines:
        notes.append(say("Ranks and means are the labeller's; corrected means have no rank."))
    return Leaderboard(tuple(shown), costs, tuple(headlines), tuple(notes))


def _values_by_column(side: Side, values: Sequence[str]) -> Iterator[tuple[_Key, Counted]]:
    """The values of these names, else the verdicts on each ability and what leads other metrics."""
    own = values_of(side)
    for metric in sorted({value.metric for value in own.values()}):
        of_metric = {name: value for name, value in own.items() if value.metric == metric}
        leading = [
            name for name, value in of_metric.items() if value.record.of and value.record.verdict
        ] or [min(of_metric, key=lambda name: of_metric[name].record.rank)]
        for name, value in of_metric.items():
            if not {name, value.record.name}.isdisjoint(values or leading):
                asked = {row.prompt: (one_line(row.question), row.noise) for row in value.rows}
                questions = frozenset(Counter(asked.values()).items())
                yield _Key(value.record.name, questions, tuple(_how(side, value))), value


def _how(side: Side, value: Counted) -> Iterator[tuple[str, str]]:
    """By what and whom a value is counted: where any of it differs there are two columns."""
    spec = side.run.evaluators[value.metric]
    # Another labeller's labels are the same, whichever metric the run has.
    if side.counted.by is None or value.metric:
        yield mark("metric"), say(metric_title(spec))
        cls = metric_named(spec.name)
        titles = {each.name: each.title for each in parameters(cls)} if cls else {}
        for name, parameter in spec.params.items():
            if name not in rulings.RULINGS:
                yield titles.get(name, name), in_words(parameter)
    if names := labellers_of(side, value):
        yield mark("labels"), say(" and ").join(map(labellers.in_a_sentence, sorted(names)))
    if not value.metric:
        for name, text in rulings.how_counted(side.run, side.counted).items():
            yield rulings.RULINGS[name], text


def _system(side: Side) -> Hashable:
    """A model as it is asked; where answers were given, what their run is called."""
    return side.run.models[side.model] if side.run.models else side.run.title


def _check(sides: Sequence[Side], values: Sequence[str], columns: _Columns, rows: int) -> None:
    text = ""
    if len({(side.run.id, side.model) for side in sides}) < len(sides):
        text = mark("A run is named twice. Name each once.")
    # A mean of some labels of people, and of a labeller's for all else, is neither's.
    elif any(side.counted.by == CORRECTED for side in sides):
        text = mark("Corrected labels are of two labellers: they rank nobody. Choose one of these.")
    elif not 0 < len(sides) <= MOST_SYSTEMS:
        text = mark("There are {number:,} systems. From 1 to {most} are ranked together.")
    elif not columns:
        text = mark("None of these runs has an answer checked by {values}.")
    # By another labeller or formula it stands beside, and that is said.
    elif rows > 1 and len({key[:2] for key in columns}) == sum(map(len, columns.values())):
        text = mark(
            "No two of these systems have a value over the same questions in common. Run the same "
            "metric over the same data."
        )
    if text:
        names = in_a_line(values) or say("any metric")
        raise ParameterError(say(text, number=len(sides), most=MOST_SYSTEMS, values=names))


def _shown_setting(setting: tuple[str, str]) -> str:
    # A prompt of one's own may be of any length.
    name, text = setting
    return name_and_text(say(name), text[:SETTING_SHOWN])


def _names(sides: Sequence[Side]) -> list[str]:
    """A model's title, or what is its own in that of a run; both where models are alike."""
    given = [side.run.title for side in sides if not side.run.models]
    apart = dict(zip(given, parts_apart(given), strict=True))
    names = [
        short_name(run_facts.titles(side.run)[side.model])
        if side.run.models
        else apart[side.run.title]
        for side in sides
    ]
    titled = [
        PARTS.join([name, side.run.title]) if names.count(name) > 1 else name
        for name, side in zip(names, sides, strict=True)
    ]
    return run_facts.numbered_where_alike(titled)


def _data(entries: Sequence[_Entry]) -> str:
    names = {entry.side.run.dataset_name for entry in entries}
    # Answers of several systems to the same questions mostly have files of their own.
    questions = len({row.prompt for row in entries[0].value.rows})
    return names.pop() if len(names) == 1 else counted(questions, "question")


def _titles(columns: _Columns) -> list[str]:
    """What tells each column from the others; of a single one what it is of."""
    titles = []
    for key, entries in columns.items():
        alike = [{*other.how} for other in columns if other[:2] == key[:2]]
        own = [each for each in key.how if each not in set.intersection(*alike)]
        parts = [_data(entries), *map(_shown_setting, own), readable(key.value)]
        titles.append(PARTS.join(parts))
    if len(titles) == 1:
        return [readable(key.value) for key in columns]
    return run_facts.numbered_where_alike(parts_apart(titles))


def _notes(shown: Sequence[Column], columns: _Columns) -> Iterator[str]:
    counted_alike: dict[str, list[str]] = {}
    for column in shown:
        value = readable(column.value)
        named = column.title if value in column.title else in_brackets(column.title, value)
        counted_alike.setdefault(column.counted_by, []).append(named)
    for how, titles in counted_alike.items():
        yield name_and_text(in_a_line(titles), how)
    asked = len({key[:2] for key in columns})
    if asked < len(columns):
        yield say(OF_OTHERS)
    if len({(column.data, column.value) for column in shown}) < asked:
        yield say("Other questions under one name have columns of their own.")
    yield say("No interval covers what a labeller gets wrong.")


# Ranks

_Ranks = dict[int, tuple[int, Difference | None]]
"""By the row of a system its rank, and its difference from the best."""


def _ranked(columns: _Columns) -> tuple[list[tuple[_Ranks, str]], list[str]]:
    """The ranks of each column, or why it has none, and notes.

    Of pairs that are not compared nothing is known: to Holm each is one more, whose p-value is 1.
    """
    reasons, pairs = [], []
    for key, entries in columns.items():
        able = [own for own in entries if own.mean.scored and not is_of_few(own.mean)]
        able = sorted(able, key=lambda own: -(own.mean.mean or 0))
        reasons.append(_why_unranked(key.value, able))
        pairs.append([] if reasons[-1] else list(combinations(able, 2)))
    every = sum(map(len, pairs))
    with_best = [[pair for pair in own if pair[0] is own[0][0]] for own in pairs]
    notes = [*([say(RANKS)] if every else []), *_unlike(chain(*with_best))]
    if _rows_of(pairs) > MOST_ROWS:
        pairs = with_best
        notes.append(say(WITH_BEST))
    if _rows_of(pairs) > 2 * MOST_ROWS:
        text = mark("These are too many answers to compare at once. Choose fewer runs or values.")
        raise ParameterError(say(text))
    found = [
        [compared_in(one.side, one.value, other.side, other.value) for one, other in own]
        for own in pairs
    ]
    p_values = [one.difference.p if one.difference else None for one in chain(*found)]
    adjusted = iter(holm([*p_values, *[1.0] * (every - len(p_values))]))
    ranked = []
    for key, reason, own, compared in zip(columns, reasons, pairs, found, strict=True):
        worse_than = Counter({entry.row: 0 for entry in chain(*own)})
        behind: dict[int, Difference] = {}
        for (higher, lower), one in zip(own, compared, strict=True):
            p = next(adjusted)
            if one.difference:
                difference = one.difference.model_copy(update={"adjusted": p})
                # Over the answers of both the order may be another one.
                worse = lower if difference.difference < 0 else higher
                worse_than[worse.row] += difference.is_told_apart
                if higher is own[0][0]:
                    behind[lower.row] = difference
        if any(one.because for one in compared):
            worse_than.clear()
            reason = words.of_same_documents([key.value])
        ranks = {row: (1 + count, behind.get(row)) for row, count in worse_than.items()}
        ranked.append((ranks, reason))
    return ranked, notes


def _why_unranked(value: str, able: Sequence[_Entry]) -> str:
    if any(own.mean.estimated for own in able):
        return say(words.BY_THE_HEURISTIC)
    if value in words.NEITHER_BETTER:
        return say("A higher value is no better answer: nobody has a rank.")
    if len(able) < 2:
        return say("Nobody has a rank: there are not two systems with 80 % of the answers checked.")
    return ""


def _rows_of(pairs: Iterable[Iterable[_Pair]]) -> int:
    return sum(min(own.mean.scored for own in pair) for pair in chain(*pairs))


def _unlike(pairs: Iterable[_Pair]) -> Iterator[str]:
    """What differs from the best ones beside the systems, and may make the difference."""
    sides = {(one.row, other.row): (one.side, other.side) for one, other in pairs}
    settings = {change.setting: 0 for pair in sides.values() for change in changes(*pair)}
    if further := [readable(name) for name in settings if name not in OF_COLUMNS]:
        yield say("What else differs between runs: {settings}.", settings=in_a_line(further))


# What stands beside


def _place(entry: _Entry, ranks: _Ranks) -> Place:
    side, value = entry.side, entry.value
    rank, behind = ranks.get(entry.row, (None, None))
    means = corrected_means(side.view, side.counted, value.metric, side.model)
    corrected = next((own.corrected for own in means if own.name == value.record.name), None)
    return Place(side.run, side.model, entry.mean, rank, behind, corrected)


def _costs(entries: Iterable[_Entry]) -> Iterator[float | None]:
    """What each run paid for the answers; not known where the same model did something else too."""
    for side in {entry.side.run.id: entry.side for entry in entries}.values():
        ids = [spec.id for spec in (*side.run.models, *side.run.judges)]
        bill = side.view.store.calls.spent(side.run.id).get(ids[side.model]) if ids else None
        if bill and side.run.models:
            yield bill.cost if ids.count(ids[side.model]) == 1 else None


def _order(place: Place | None) -> tuple[float, float]:
    if place is None or place.rank is None:
        return math.inf, math.inf if place is None else 0
    return place.rank, -(place.mean.mean or 0)
