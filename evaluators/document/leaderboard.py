"""A leaderboard, as blocks for every door."""

from __future__ import annotations

import math

from evaluators.comparison import words
from evaluators.comparison.charts import places
from evaluators.comparison.leaderboard import Leaderboard, Place
from evaluators.document.blocks import Block, Charts, Passage, Section, Table
from evaluators.document.tables import DIFFERENCES, NUMBERS, filled_columns, mean_cells
from evaluators.drawing import draw
from evaluators.llm.money import dollars_together
from evaluators.runs.shown_values import coverage
from evaluators.text.language import mark, say
from evaluators.text.scale import NO_VALUE
from evaluators.text.words import in_a_line

COLUMN, SYSTEM, RANK = mark("Column"), mark("System"), mark("Rank")
COST = mark("Cost of answers")
CORRECTED = mark("Corrected by people")


def leaderboard(board: Leaderboard) -> list[Block]:
    """Who leads each column, all systems by columns, what to know of that, every place in full."""
    said = [Passage(text, "finding") for text in (*board.headlines, *board.sentences())]
    notes = [Passage(note, "facts") for note in board.notes]
    chart = Charts(lambda size: {"leaderboard": draw(places(board), size)})
    full = Section(say("In full"), [in_full(board)], is_folded=True)
    return [*said, overview(board), *notes, chart, full]


def overview(board: Leaderboard) -> Table:
    """Each system with its rank, mean, interval and coverage in every column, and its cost."""
    rows = []
    for system, costs in board.costs.items():
        cells = []
        for column in board.columns:
            place = column.places.get(system)
            words_of = [column.scale.estimate(place.mean), coverage(place.mean)] if place else []
            rank = [f"#{place.rank}"] if place and place.rank else []
            cells.append(in_a_line([*rank, *words_of]) or NO_VALUE)
        rows.append([system, *cells, dollars_together(costs) if costs else NO_VALUE])
    return Table([SYSTEM, *(column.title for column in board.columns), COST], rows, [COST])


def in_full(board: Leaderboard) -> Table:
    """Every place, the best of each column first, with its difference from the highest mean."""
    lines = []
    for column in board.columns:
        ranked = sorted(board.costs, key=lambda name: _rank(column.places.get(name)))
        for system in filter(column.places.__contains__, ranked):
            place = column.places[system]
            behind, corrected = place.behind, place.corrected
            line = {COLUMN: column.title, SYSTEM: system, RANK: str(place.rank or "")}
            line |= zip(NUMBERS, mean_cells(place.mean, column.scale), strict=True)
            line[CORRECTED] = column.scale.estimate(corrected) if corrected else ""
            line[DIFFERENCES[0]] = words.in_points(behind) if behind else ""
            line[DIFFERENCES[1]] = words.p_value(behind.adjusted) if behind else ""
            lines.append(line)
    return filled_columns(lines, (RANK, *NUMBERS, CORRECTED, *DIFFERENCES))


def _rank(place: Place | None) -> float:
    return place.rank if place and place.rank else math.inf
