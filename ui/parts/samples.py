"""The samples of a run: filters with counts, a search, an order, and a page of rows that open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import streamlit as st

from evaluators.people import labellers
from evaluators.records import Ability, Run
from evaluators.runs import run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.notes import Note, counted_tags
from evaluators.runs.run_view import WHAT_COUNTS, Content, RunView
from evaluators.runs.shown_values import column_scales
from evaluators.runs.store import Answer, Outline, Selection, ValueName
from evaluators.text.language import mark, say, tag
from evaluators.text.markup import html
from evaluators.text.scale import RATE, SCORE
from evaluators.text.words import counted
from ui import run_views, script, session
from ui.parts import chosen_view, explained, remedies, tables
from ui.parts.untrusted import plain

PAGE_ROWS = 50
TEXT_SHOWN = 400
"""Characters of an answer that a row holds: its three lines have room for less."""
REASON_SHOWN = 80
NOTE_SHOWN = 45

ALL = mark("All")
ANY_NOTE = ""
"""The chip of all answers with a note, whatever their tags: no tag is called so."""
MOST_VALUES = 2
"""Values that have columns on a screen of usual width: of more only that of the order has one, as a
question and an answer need the room. The others stand in a line below the answer.
"""
MOST_TAGS_SHOWN = 40
"""Tags with a chip, the most frequent ones: more would push the samples out of sight."""

LAST_TABLE = "table_shown"
"""Where the session keeps what the last table of samples wanted, to step through all of it."""
LAST_SAMPLE = "sample_address"
"""Where the page of a sample keeps its address."""
LEFT_FOR = "run_left_for_a_sample"
"""Where it notes whose sample somebody looks at, until the run's page is drawn again."""
RETURNS = "returns_to_a_run"
"""Where the session counts the ways back."""

component = script.component("samples", '<div class="samples"></div>', "samples.css")


class Verdict(NamedTuple):
    """What became of an answer, in words; `mark` is good, part, bad, failed or nothing."""

    words: str
    mark: str = ""


Judge = Callable[[Answer, Outline, Content | None], Verdict]
"""Words an answer that was checked."""


@dataclass(frozen=True)
class Table:
    """What a table of samples shows.

    `values` and `facets` are the columns' titles by the names of the merged rows: those of values
    as they are shown, those of facets in English. `filters` are what the chips choose, by their
    English names; `filter_titles` has what a chip is called where that is not its name in the
    reader's language. `model` limits the table to one model's answers. `worst` is the value whose
    lowest comes first until somebody chooses another order.
    """

    view: RunView
    values: Mapping[str, str]
    filters: Mapping[str, Selection]
    verdict: Judge
    counts_by: View = WHAT_COUNTS
    model: int | None = None
    ability: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)
    filter_titles: Mapping[str, str] = field(default_factory=dict)
    worst: str = ""

    @property
    def run(self) -> Run:
        return self.view.run

    @cached_property
    def notes(self) -> dict[Answer, Note]:
        """What persons wrote down; read anew for every drawing, as no revision counts it."""
        return self.view.store.notes.by_answer(self.run.id)

    @property
    def everything(self) -> Selection:
        return Selection(model=self.model, ability=self.ability)


def show(table: Table) -> None:
    """The samples; nothing lies beyond a page, as the whole run is searched and ordered."""
    selection = _selection(table)
    answers = table.view.answers(selection, table.counts_by)
    st.session_state[LAST_TABLE] = table.run.id, selection, table.counts_by
    if not answers:
        st.info(say("No sample matches."), icon=":material/filter_alt_off:")
        return
    last = _last_sample(table.run)
    is_return = st.session_state.pop(LEFT_FOR, None) == table.run.id and last in answers
    page_key = f"page_{table.run.id}"
    if is_return:
        st.session_state[RETURNS] = st.session_state.get(RETURNS, 0) + 1
        st.session_state[page_key] = answers.index(last) // PAGE_ROWS + 1
    pages = -(-len(answers) // PAGE_ROWS)
    page = 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if pages > 1:
            page = st.pagination(pages, key=page_key, persist_state="session")
        noun = "answer" if len(table.run.models) > 1 else "sample"
        st.caption(say("{counted}. Click a row to open it.", counted=counted(len(answers), noun)))
        chosen_view.say_whose(table.view, table.counts_by)
    of_page = answers[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    # The row is scrolled to once: at a number that no drawing before had.
    _rows(table, of_page, last, st.session_state[RETURNS] if is_return else 0)
    if "situation" in table.facets:
        means = table.view.by_group(table.model, table.counts_by)
        tables.by_group(means, table.values, column_scales(table.view))


def leave_for(run: Run) -> None:
    """Notes that the page of one of its samples is drawn: the way back leads to its row."""
    st.session_state[LEFT_FOR] = run.id


def choose(run: Run, name: str, answers: Sequence[Answer]) -> None:
    """Has the table show what the chip of this name chooses, and scrolls to its first row."""
    st.session_state[_chip_key(run)] = name
    st.session_state[LAST_SAMPLE] = session.address_of_sample(run, answers[0])
    leave_for(run)


def chip(run: Run) -> str:
    """The name of the chip that is chosen."""
    name: str = st.session_state.get(_chip_key(run), ALL)
    return name


def last_answers(run: Run) -> Sequence[Answer]:
    """The answers in the last table of the run, in its order; none where it was another run's."""
    run_id, selection, view = st.session_state.get(LAST_TABLE, ("", None, None))
    if run_id != run.id:
        return ()
    # Selected anew: what was chosen is kept, as a run at work has other answers by now.
    return run_views.latest(run).answers(selection, view)


def last_positions(run: Run, model: int) -> list[int]:
    """The positions of one model's answers in the last table of the run, in its order."""
    return [answer.position for answer in last_answers(run) if answer.model == model]


def skip_link() -> None:
    """For the keyboard: from the head of the page to its samples."""
    st.html(f'<a class="pl-skip" href="#samples">{html(say("To the samples"))}</a>')


def heading() -> None:
    st.header(say("Samples"), anchor="samples")


# What is chosen


def _selection(table: Table) -> Selection:
    chosen = _filter(table)
    noted = _noted(table)
    if noted is not None:
        among = noted if chosen.among is None else noted & set(chosen.among)
        chosen = chosen._replace(among=tuple(sorted(among)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            say("Search in questions and answers"),
            key=f"search_{table.run.id}",
            icon=":material/search:",
            persist_state="session",
            width=340,
        )
        order, descending = _order(table)
    return chosen._replace(text=text.strip(), order=order, descending=descending)


def _filter(table: Table) -> Selection:
    """The selection behind the chip that is chosen; those that would choose nothing are absent."""
    every = table.view.count(_scope(table, ALL), table.everything, table.counts_by)
    counts = {ALL: every}
    selections = {ALL: table.everything}
    for name, selection in table.filters.items():
        narrowed = selection._replace(model=table.model, ability=table.ability)
        count = table.view.count(_scope(table, name), narrowed, table.counts_by)
        if count:
            counts[name] = count
            selections[name] = narrowed

    def title(name: str) -> str:
        # A chip is Markdown, and a run file may name a value as it likes.
        shown = plain(table.filter_titles.get(name) or say(name))
        return f"{shown} {counts[name]:,}" if name in counts else shown

    name = st.segmented_control(
        say("Samples"),
        list(counts),
        default=ALL,
        format_func=title,
        required=True,
        key=_chip_key(table.run),
        label_visibility="collapsed",
        persist_state="session",
    )
    return selections.get(name, table.everything)


def _chip_key(run: Run) -> str:
    return f"filter_{run.id}"


def _noted(table: Table) -> set[Answer] | None:
    """The answers with the tag that is chosen, or with any note; `None` where none is."""
    if not table.notes:
        return None
    scope = set(table.view.answers(table.everything, table.counts_by))
    notes = {answer: note for answer, note in table.notes.items() if answer in scope}
    tags = counted_tags(notes.values())
    counts = {ANY_NOTE: len(notes), **dict(islice(tags.items(), MOST_TAGS_SHOWN))}

    def title(tag: str) -> str:
        name = say("Any note") if tag == ANY_NOTE else plain(tag)
        return f"{name} {counts[tag]:,}" if tag in counts else name

    chosen = st.pills(
        say("Notes"),
        list(counts),
        format_func=title,
        key=f"tag_{table.run.id}",
        label_visibility="collapsed",
        persist_state="session",
    )
    if chosen not in counts:
        return None
    return {answer for answer, note in notes.items() if chosen in (ANY_NOTE, *note.tags)}


def _scope(table: Table, name: str) -> str:
    """What tells the count of a chip from that of others of the same name."""
    return f"{name} {table.model} {table.ability}"


AS_IN_DATA = mark("As in the data")
LOWEST, HIGHEST = "lowest first", "highest first"


def _order(table: Table) -> tuple[ValueName | None, bool]:
    orders: dict[str, tuple[ValueName | None, bool]] = {AS_IN_DATA: (None, False)}
    titles = {AS_IN_DATA: say(AS_IN_DATA)}
    names = {column: value for value, column in table.view.columns().items()}
    for column, title in table.values.items():
        if column in names:
            lowest, highest = f"{column}, {LOWEST}", f"{column}, {HIGHEST}"
            orders |= {lowest: (names[column], False), highest: (names[column], True)}
            titles[lowest] = say("{value}, lowest first", value=title)
            titles[highest] = say("{value}, highest first", value=title)
    first = f"{table.worst}, {LOWEST}"
    choice = st.selectbox(
        say("Order"),
        list(orders),
        index=list(orders).index(first) if first in orders else 0,
        format_func=lambda order: titles.get(order, order),
        key=_order_key(table.run),
        width=280,
        persist_state="session",
    )
    # A choice of an earlier drawing may name a value that this one does not have.
    return orders.get(choice, (None, False))


def _order_key(run: Run) -> str:
    return f"order_{run.id}"


# The rows


def _rows(
    table: Table,
    answers: Sequence[Answer],
    last: Answer | None,
    arrival: int,
) -> None:
    key = f"samples_{table.run.id}"

    def reorder() -> None:
        """A click on a column's head: lowest first, at the second click highest first."""
        column = script.event(key, "order")
        if column is None:
            return
        is_lowest = st.session_state.get(_order_key(table.run)) == f"{column}, {LOWEST}"
        direction = HIGHEST if is_lowest else LOWEST
        st.session_state[_order_key(table.run)] = f"{column}, {direction}"

    chosen = component(
        key=key,
        data=_data(table, answers, last, arrival),
        on_order_change=reorder,
        on_opened_change=lambda: None,
    )
    if chosen.opened:
        session.open_sample(table.run, Answer(*chosen.opened))


def _data(
    table: Table,
    answers: Sequence[Answer],
    last: Answer | None,
    arrival: int,
) -> dict[str, Any]:
    rows = table.view.page(answers, table.counts_by)
    contents = table.view.contents(answers)
    names = run_facts.titles(table.run)
    columns = [
        _column_spec("#", "number"),
        _column_spec(say("Verdict"), "verdict", word="Verdict"),
        _column_spec(say("Question"), "question", word="Question"),
        _column_spec(say("Answer"), "text", word="Answer"),
    ]
    if table.run.repeats > 1:
        columns.append(_column_spec(say("Repeat"), "facet", word="Repeat"))
    if len(names) > 1:
        columns.append(_column_spec(say("Model"), "facet", word="Model"))
    # Where two metrics have a value of one name, a column's name is not the value's own.
    own_names = {column: value.name for value, column in table.view.columns().items()}
    order = _direction(table.run)
    for column, title in table.values.items():
        spec = _column_spec(title, "value", column, own_names.get(column, column))
        is_aside = len(table.values) > MOST_VALUES and column not in order
        columns.append({**spec, "aside": is_aside})
    columns += [_column_spec(say(title), "facet", word=title) for title in table.facets.values()]
    return {
        "columns": columns,
        "order": order,
        "rows": [_row(table, row, contents, names) for row in rows],
        "current": answers.index(last) if last in answers else -1,
        "arrival": arrival,
        "lang": tag(),
    }


def _column_spec(title: str, kind: str, order: str = "", word: str = "") -> dict[str, Any]:
    return {"title": title, "kind": kind, "order": order, "term": explained.link(word or title)}


def sample_label(number: int, question: str) -> str:
    """What a screen reader says of the button that opens a row."""
    return say("Sample {number}: {question}", number=number, question=question[:TEXT_SHOWN])


def _direction(run: Run) -> dict[str, str]:
    """Which column the rows are ordered by, in the words of `aria-sort`."""
    # From the right: a column's name may hold a comma.
    column, _, direction = st.session_state.get(_order_key(run), "").rpartition(", ")
    if not column:
        return {}
    return {column: "ascending" if direction == LOWEST else "descending"}


def _row(
    table: Table,
    row: Outline,
    contents: Mapping[Answer, Content],
    names: Sequence[str],
) -> dict[str, Any]:
    answer = Answer(row.position, row.model)
    content = contents.get(answer)
    verdict = _verdict(table, answer, row, content)
    note = table.notes.get(answer)
    question = content.sample.question if content else row.question
    response = (content and content.response) or ""
    # Repeats of a sample have its number in common.
    number = row.position // table.run.repeats + 1
    cells = [
        str(number),
        verdict.words,
        question[:TEXT_SHOWN],
        response[:TEXT_SHOWN],
    ]
    if table.run.repeats > 1:
        cells.append(say("{part:,} of {all:,}", part=row.repeat, all=table.run.repeats))
    if len(names) > 1:
        cells.append(names[row.model])
    for name in table.values:
        value = row.values.get(name)
        cells.append("" if value is None else SCORE.shown(value))
    cells += [_facet(name, getattr(row, name)) for name in table.facets]
    return {
        "answer": list(answer),
        "name": sample_label(number, question),
        "mark": verdict.mark,
        "note": note.in_a_line(NOTE_SHOWN) if note else "",
        "cells": cells,
    }


def _verdict(
    table: Table,
    answer: Answer,
    row: Outline,
    content: Content | None,
) -> Verdict:
    if row.status == "failed":
        return Verdict(say("failed: {why}", why=_why_failed(table.run, content)), "failed")
    if row.status is None:
        return Verdict(say("not checked yet"))
    return table.verdict(answer, row, content)


def _why_failed(run: Run, content: Content | None) -> str:
    """The metrics that failed where there are several, else the reason."""
    results = content.results if content else {}
    failed = {number: own for number, own in results.items() if own.score is None}
    if len(run.evaluators) > 1:
        titles = run_facts.metric_titles(run)
        return say(", ").join(titles[number] for number in failed)
    reasons = [remedies.worded(result.reason) for result in failed.values()]
    reason = reasons[0] if reasons else say("it cannot be read")
    return reason if len(reason) <= REASON_SHOWN else f"{reason[:REASON_SHOWN]}…"


def _facet(name: str, value: Any) -> str:
    """Noise as a percentage, abilities and labellers under their names, nothing for nothing."""
    if isinstance(value, float):
        return RATE.shown(value)
    if not value:
        return ""
    if name == "ability":
        return say(Ability(value).label)
    return labellers.labeller_title(value) if name == "by" else str(value)


def _last_sample(run: Run) -> Answer | None:
    """The answer of this run that was opened last."""
    address = st.session_state.get(LAST_SAMPLE, {})
    if address.get("run") != run.id:
        return None
    return Answer(int(address["sample"]) - 1, int(address["model"]) - 1)
