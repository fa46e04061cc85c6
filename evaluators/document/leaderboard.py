"""A leaderboard, as blocks for every door."""

from __future__ import annotations

from evaluators.comparison import words
from evaluators.comparison.charts import places
from evaluators.comparison.leaderboard import Column, Leaderboard
from evaluators.document.blocks import Block, Charts, Passage, Section, Table
from evaluators.document.tables import DIFFERENCES, NUMBERS, filled_columns, mean_cells
from evaluators.drawing import draw
from evaluators.llm.money import dollars_together
from evaluators.runs.shown_values import coverage
from evaluators.text.language import mark
from evaluators.text.scale import NO_VALUE
from evaluators.text.words import in_a_line

SYSTEM, RANK, COST = mark("System"), mark("Rank"), mark("Cost of answers")
CORRECTED = mark("Corrected by people")


def leaderboard(board: Leaderboard) -> list[Block]:
    """Who leads each column, all systems by columns, each column in full, and what to know."""
    said = [Passage(text, "finding") for text in (*board.headlines, *board.sentences())]
    notes = [Passage(note, "facts") for note in board.notes]
    sections = [Section(own.title, [_in_full(board, own)], is_folded=True) for own in board.columns]
    chart = Charts(lambda size: {"leaderboard": draw(places(board), size)})
    return [*said, overview(board), *notes, chart, *sections]


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


def _in_full(board: Leaderboard, column: Column) -> Table:
    lines = []
    for system in board.costs:
        if (place := column.places.get(system)) is None:
            continue
        behind, corrected = place.behind, place.corrected
        line = {RANK: str(place.rank or ""), SYSTEM: system}
        line |= zip(NUMBERS, mean_cells(place.mean, column.scale), strict=True)
        line[CORRECTED] = ""
        if corrected:
            line[CORRECTED] = column.scale.estimate(corrected)
        further = (words.in_points(behind), words.p_value(behind.adjusted)) if behind else ("", "")
        lines.append(line | dict(zip(DIFFERENCES, further, strict=True)))
    lines.sort(key=lambda line: int(line[RANK] or len(lines) + 1))
    return filled_columns(lines, (*NUMBERS, CORRECTED, *DIFFERENCES))
