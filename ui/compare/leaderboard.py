"""Leaderboard: runs and values are chosen, then who leads each column, all systems, every place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import streamlit as st

from evaluators.catalogue import declared_values
from evaluators.comparison.leaderboard import MOST_SYSTEMS, Leaderboard, leaderboard
from evaluators.comparison.sides import Side
from evaluators.document.leaderboard import COST, in_full
from evaluators.drawing import Size
from evaluators.errors import ParameterError
from evaluators.exports import bundle
from evaluators.exports.bundle import Bundle
from evaluators.llm.money import dollars_together
from evaluators.records import Run
from evaluators.runs.aggregate import View
from evaluators.runs.naming import PARTS
from evaluators.text.language import language, say
from evaluators.text.words import in_a_line, name_and_text, readable
from ui import run_views, session
from ui.compare import choice
from ui.compare.view import files
from ui.held import held
from ui.parts import compare_with, tables, value_table
from ui.parts.compare_with import RANKED
from ui.parts.untrusted import plain
from ui.parts.value_table import Below, Column, Row

VALUES = "values"
PLACE_BYTES = 2_000


def show() -> None:
    runs = _runs()
    if not runs:
        st.info(say("Choose runs, here or on the Runs page."))
        return
    try:
        sides = _sides(runs)
        specs = [spec.name for run in runs for spec in run.evaluators]
        # As declared, since to look into every answer at each click would take too long.
        names = [[own.name for own in declared_values(spec)] or [spec] for spec in specs]
        titles = {name: readable(name) for name in chain(*names)}
        usual = say("Those that lead the runs")
        values = choice.several_field(say("Values"), VALUES, titles, usual)
        board = _counted_once(sides, values)
    except ParameterError as error:
        st.warning(plain(str(error)), icon=":material/leaderboard:")
        return
    for text in (*board.headlines, *board.sentences()):
        st.markdown(f"**{plain(text)}**")

    def make(size: Size) -> Bundle:
        # Anew, as a paper is English, whatever its author's screen is.
        return bundle.bundle_of_leaderboard(_counted_once(sides, values), size)

    files(board, sides, make, "leaderboard")
    columns = [Column(own.title, term=own.value, scale=own.scale) for own in board.columns]
    value_table.show(say("System"), columns, [_row(board, system) for system in board.costs])
    paid = [name_and_text(name, dollars_together(own)) for name, own in board.costs.items() if own]
    costs = [name_and_text(say(COST), in_a_line(paid))] if paid else []
    for note in (*board.notes, *costs):
        st.caption(plain(note))
    with st.expander(say("In full"), icon=":material/table:"):
        tables.show([in_full(board)], say("Leaderboard"))
    if len(runs) > 1:
        compare_with.several(runs)


def _runs() -> list[Run]:
    """Those that are chosen, in that order; an older one or an example by its address."""
    listed = session.store().runs.newest(session.workspace(), choice.MOST_RUNS)
    named = filter(None, map(session.find_run, st.query_params.get_all(RANKED)))
    by_id = {run.id: run for run in (*listed, *named)}
    titles = {name: PARTS.join([run.title, run.created[:10]]) for name, run in by_id.items()}
    chosen = choice.several_field(say("Runs"), RANKED, titles, say("None"), MOST_SYSTEMS)
    return [by_id[name] for name in chosen]


def _sides(runs: Sequence[Run]) -> list[Side]:
    views = [run_views.latest(run) for run in runs]
    names = [by for by in views[0].labellers() if all(by in view.labellers() for view in views)]
    by = choice.labels_field(names) if names else None
    return [
        Side(view, model, View(by=by))
        for view in views
        for model in range(max(1, len(view.run.models)))
    ]


def _counted_once(sides: Sequence[Side], values: Sequence[str]) -> Leaderboard:
    """The leaderboard, counted once for as long as all runs stay as they are."""
    which = [(*side.answers, side.counted) for side in sides]
    return held.read(
        (leaderboard, session.store(), language(), *values, *which),
        lambda: leaderboard(sides, values),
        tuple(side.view.revision for side in sides),
        lambda board: PLACE_BYTES * sum(len(column.places) for column in board.columns),
    )


def _row(board: Leaderboard, system: str) -> Row:
    places = [column.places.get(system) for column in board.columns]
    return Row(
        system,
        [place and place.mean for place in places],
        below=[
            Below(say("Rank {rank}", rank=place.rank), place.rank == 1)
            if place and place.rank
            else None
            for place in places
        ],
    )
