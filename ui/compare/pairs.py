"""The samples of a comparison, the greatest difference first, and both answers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from evaluators.comparison.changed import changed_words
from evaluators.comparison.result import Comparison, RowPair
from evaluators.comparison.sides import Side
from evaluators.records import Sentence
from evaluators.report import coloured
from evaluators.runs.run_view import Content
from evaluators.runs.store import Answer
from evaluators.text.words import counted, readable
from ui import session
from ui.parts import samples
from ui.parts.untrusted import plain

ALL, HIGHER, LOWER, EQUAL = "All", "higher", "lower", "Equal"
TEXT_SHOWN = 300


class Both(NamedTuple):
    """The two systems with what they are called."""

    sides: tuple[Side, Side]
    titles: tuple[str, str]


class _Answer(NamedTuple):
    """An answer's sentences, and what the labels say of each by its key."""

    sentences: Sequence[Sentence]
    cues: Mapping[str, str]


def show(comparison: Comparison, sides: tuple[Side, Side]) -> None:
    """A table of samples for one value; a row opens both answers."""
    both = Both(sides, (comparison.first, comparison.second))
    values = {value.name: value for value in comparison.values if value.rows}
    if not values:
        return
    st.header("Samples", anchor="samples")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Value", list(values), format_func=readable, key="compare_value", width=280
        )
        rows = _filtered(values[name].rows, both.titles)
    # What differs most is what there is to learn from.
    rows = sorted(rows, key=lambda row: -abs(row.difference))
    pages = -(-len(rows) // samples.PAGE_ROWS)
    page = 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if pages > 1:
            page = st.pagination(pages, key="compare_page")
        st.caption(f"{counted(len(rows), 'sample')}. Click a row to read both answers.")
    start = (page - 1) * samples.PAGE_ROWS
    of_page = rows[start : start + samples.PAGE_ROWS]
    contents = [_contents(side, of_page, place) for place, side in enumerate(sides)]
    table = samples.component(
        key="compare_samples",
        data=_table_of_pairs(of_page, contents, both),
        # Streamlit tells what was clicked only where somebody listens.
        on_opened_change=lambda: None,
        on_order_change=lambda: None,
    )
    opened = table.opened
    if opened:
        _side_by_side(of_page[opened[0]], contents, both)


def _filtered(rows: Sequence[RowPair], titles: tuple[str, str]) -> list[RowPair]:
    first, second = titles
    kinds = {
        ALL: list(rows),
        f"{second} {HIGHER}": [row for row in rows if row.difference > 0],
        f"{first} {HIGHER}": [row for row in rows if row.difference < 0],
        EQUAL: [row for row in rows if row.difference == 0],
    }
    # A chip that would choose nothing is left out.
    kinds = {name: own for name, own in kinds.items() if own}
    chosen = st.segmented_control(
        "Samples",
        list(kinds),
        default=ALL,
        required=True,
        format_func=lambda name: f"{plain(name)} {len(kinds[name]):,}" if name in kinds else "",
        key="compare_filter",
        label_visibility="collapsed",
    )
    return kinds.get(chosen, kinds[ALL])


def _contents(side: Side, rows: Sequence[RowPair], place: int) -> Mapping[int, Content]:
    """The texts of one side's answers, by where the sample stands in its data."""
    answers = [Answer(_position(row, place), side.model) for row in rows]
    found = side.view.contents(answers)
    return {answer.position: content for answer, content in found.items()}


def _position(row: RowPair, place: int) -> int:
    return row.second_position if place else row.first_position


def _table_of_pairs(
    rows: Sequence[RowPair],
    contents: Sequence[Mapping[int, Content]],
    both: Both,
) -> dict[str, Any]:
    first, second = both.titles
    kinds = [
        ("#", "number"),
        ("Question", "question"),
        (first, "text"),
        (second, "text"),
        ("First", "value"),
        ("Second", "value"),
        ("Difference", "value"),
    ]
    return {
        "columns": [{"title": title, "kind": kind, "order": ""} for title, kind in kinds],
        "order": {},
        "rows": [_pair_row(number, row, contents) for number, row in enumerate(rows)],
        "current": -1,
        "arrival": 0,
    }


def _pair_row(
    number: int,
    row: RowPair,
    contents: Sequence[Mapping[int, Content]],
) -> dict[str, Any]:
    found = [own.get(_position(row, place)) for place, own in enumerate(contents)]
    # The same in both, where both can be read.
    question = next((content.sample.question for content in found if content), "")
    answers = []
    for content in found:
        response = content.response if content else None
        answers.append((response or "")[:TEXT_SHOWN])
    cells = [
        str(row.first_position + 1),
        question[:TEXT_SHOWN],
        *answers,
        f"{row.first:.2f}",
        f"{row.second:.2f}",
        f"{row.difference:+.2f}",
    ]
    return {
        "cells": cells,
        "mark": "",
        "note": "",
        "name": question[:TEXT_SHOWN],
        "answer": [number, 0],
    }


# Both answers


@st.dialog("Both answers", width="large")
def _side_by_side(
    row: RowPair,
    contents: Sequence[Mapping[int, Content]],
    both: Both,
) -> None:
    found = [own.get(_position(row, place)) for place, own in enumerate(contents)]
    question = next((content.sample.question for content in found if content), "")
    st.markdown(f"**{plain(question)}**")
    answers = []
    texts = []
    for place, side in enumerate(both.sides):
        answer = _answer_in_sentences(side, row, place, found[place])
        answers.append(answer)
        texts.append([sentence.text for sentence in answer.sentences])
    marked = changed_words(*texts)
    for place, column in enumerate(st.columns(2)):
        value = row.second if place else row.first
        with column:
            st.markdown(f"**{plain(both.titles[place])}** · {value:.2f}")
            if found[place] is None:
                st.warning("This sample cannot be read.")
                continue
            own = answers[place]
            st.html(coloured.changed(own.sentences, own.cues, marked[place]))
            _link_to_sample(both.sides[place], _position(row, place))
    documents = [content.sample.retrieved_documents for content in found if content]
    if documents:
        is_same = all(own == documents[0] for own in documents)
        title = "Documents" if is_same else f"Documents of {plain(both.titles[0])}"
        with st.expander(title):
            st.html(coloured.passages(documents[0]))


def _link_to_sample(side: Side, position: int) -> None:
    address = session.address(
        run=side.run.id,
        sample=str(position + 1),
        model=str(side.model + 1),
    )
    st.page_link("../pages/sample.py", label="Open with its evidence", query_params=address)


def _answer_in_sentences(
    side: Side,
    row: RowPair,
    place: int,
    content: Content | None,
) -> _Answer:
    """The answer in sentences with what the labels say of each, else as a whole."""
    if content is None:
        return _Answer((), {})
    answer = Answer(_position(row, place), side.model)
    scores = side.view.labelled_sentences(answer, content, side.counted)
    if scores is None:
        return _Answer((Sentence(key="", text=content.response or ""),), {})
    cues = coloured.verdicts(scores.sentences, scores.labels)
    return _Answer(scores.sentences.response, cues)
