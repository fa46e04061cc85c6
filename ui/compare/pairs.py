"""The samples of a comparison, the greatest difference first, and both answers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import streamlit as st

from evaluators.comparison.changed import changed_words
from evaluators.comparison.result import Comparison, RowPair
from evaluators.comparison.sides import Side
from evaluators.records import Sentence
from evaluators.report import coloured, marked
from evaluators.runs.run_view import Content
from evaluators.runs.store import Answer
from evaluators.text.language import say, tag
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.text.words import counted, readable, signed
from ui import session
from ui.parts import compare_with, samples
from ui.parts.untrusted import plain

ALL, SECOND, FIRST, EQUAL = "all", "second", "first", "equal"
"""Which samples are shown: of all those that are higher in one, or equal in both."""
TEXT_SHOWN = 300


class Both(NamedTuple):
    """The two systems with what they are called."""

    sides: tuple[Side, Side]
    titles: tuple[str, str]


class _Answer(NamedTuple):
    """An answer's sentences, what the labels say of each by its key, and the documents' sentences,
    where there are labels.
    """

    sentences: Sequence[Sentence]
    cues: Mapping[str, str]
    documents: Sequence[Sequence[Sentence]] = ()


def show(comparison: Comparison, sides: tuple[Side, Side]) -> None:
    """A table of samples for one value; a row opens both answers."""
    both = Both(sides, (comparison.first, comparison.second))
    values = {value.name: value for value in (*comparison.values, *comparison.outcomes)}
    values = {name: value for name, value in values.items() if value.rows}
    if not values:
        return
    st.header(say("Samples"), anchor="samples")
    if (named := st.query_params.pop(compare_with.VALUE, "")) in values:
        st.session_state["compare_value"] = named
    telling = comparison.most_telling()
    st.session_state.setdefault("compare_value", telling.name if telling else next(iter(values)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("Value"), list(values), format_func=readable, key="compare_value", width=280
        )
        rows = _filtered(values[name].rows, both.titles)
    # What differs most is what there is to learn from.
    rows = sorted(rows, key=lambda row: -abs(row.difference))
    pages = -(-len(rows) // samples.PAGE_ROWS)
    page = 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if pages > 1:
            page = st.pagination(pages, key="compare_page")
        samples_shown = counted(len(rows), "sample")
        st.caption(say("{samples}. Click a row to read both answers.", samples=samples_shown))
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
    # Not as a decorator, which would keep the title of the first reader's language.
    side_by_side = st.dialog(say("Both answers"), width="large")(_side_by_side)
    # By its number, as who pressed a row may have seen those of before the last choice.
    number = str(table.opened[0]) if table.opened else _number_of_address()
    pair = next((row for row in values[name].rows if str(row.first_position + 1) == number), None)
    if pair:
        own = [_contents(side, [pair], place) for place, side in enumerate(sides)]
        side_by_side(pair, own, both)


def _number_of_address() -> str:
    """The first sample, from 1, of the pair that a link names; once, or it would open for ever."""
    return st.query_params.pop(compare_with.PAIR, "")


def _filtered(rows: Sequence[RowPair], titles: tuple[str, str]) -> list[RowPair]:
    first, second = titles
    kinds = {
        ALL: list(rows),
        SECOND: [row for row in rows if row.difference > 0],
        FIRST: [row for row in rows if row.difference < 0],
        EQUAL: [row for row in rows if row.difference == 0],
    }
    # A chip that would choose nothing is left out.
    kinds = {name: own for name, own in kinds.items() if own}
    words = {
        ALL: say("All"),
        SECOND: say("{name} higher", name=second),
        FIRST: say("{name} higher", name=first),
        EQUAL: say("Equal"),
    }

    def title(kind: str) -> str:
        return f"{plain(words[kind])} {len(kinds[kind]):,}" if kind in kinds else ""

    chosen = st.segmented_control(
        say("Samples"),
        list(kinds),
        default=ALL,
        required=True,
        format_func=title,
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
        (say("Question"), "question"),
        (first, "text"),
        (second, "text"),
        (say("First"), "value"),
        (say("Second"), "value"),
        (say("Difference"), "value"),
    ]
    return {
        "columns": [{"title": title, "kind": kind, "order": ""} for title, kind in kinds],
        "order": {},
        "rows": [_pair_row(row, contents) for row in rows],
        "current": -1,
        "arrival": 0,
        "lang": tag(),
    }


def _pair_row(row: RowPair, contents: Sequence[Mapping[int, Content]]) -> dict[str, Any]:
    found = [own.get(_position(row, place)) for place, own in enumerate(contents)]
    # The same in both, where both can be read.
    question = next((content.sample.question for content in found if content), "")
    answers = []
    for content in found:
        response = content.response if content else None
        answers.append((response or "")[:TEXT_SHOWN])
    number = row.first_position + 1
    cells = [
        str(number),
        question[:TEXT_SHOWN],
        *answers,
        SCORE.shown(row.first),
        SCORE.shown(row.second),
        signed(row.difference, digits=2),
    ]
    return {
        "cells": cells,
        "mark": "",
        "note": "",
        "name": samples.sample_label(number, question),
        "answer": [number, 0],
    }


# Both answers


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
    changed = changed_words(*texts)
    for place, column in enumerate(st.columns(2)):
        value = row.second if place else row.first
        with column:
            st.markdown(f"**{plain(both.titles[place])}** · {SCORE.shown(value)}")
            if found[place] is None:
                st.warning(say("This sample cannot be read."))
                continue
            own = answers[place]
            st.html(coloured.changed(own.sentences, own.cues, changed[place]))
            _link_to_sample(both.sides[place], _position(row, place))
    st.markdown(f"**{say('Documents')}**")
    st.html(_shown_documents(found, answers, both))


def _shown_documents(
    found: Sequence[Content | None],
    answers: Sequence[_Answer],
    both: Both,
) -> str:
    """The documents once where both answers had the same, else those of each."""
    samples = [content.sample for content in found if content]
    is_same = all(sample.evidence == samples[0].evidence for sample in samples)
    first, second = answers
    if is_same and first.documents and second.documents:
        verdicts = _who_used(first, second, both.titles)
        return coloured.documents_by_verdict(first.documents, verdicts, sample=samples[0])
    parts = []
    for content, answer, title in zip(found, answers, both.titles, strict=True):
        if content is None:
            continue
        if not is_same:
            parts.append(f'<p class="pl-text"><b><bdi>{html(title)}</bdi></b></p>')
        if answer.documents:
            parts.append(
                coloured.documents_by_verdict(answer.documents, answer.cues, sample=content.sample)
            )
        else:
            marks = marked.Marks.of(content.sample, {})
            parts.append(marked.documents_with_roles(content.sample, marks))
        if is_same:
            break
    return "".join(parts)


def _who_used(first: _Answer, second: _Answer, titles: tuple[str, str]) -> dict[str, str]:
    """By whom each document sentence is used; empty for one that neither uses."""
    by_key = {}
    for sentence in chain.from_iterable(first.documents):
        users = [
            title
            for title, answer in zip(titles, (first, second), strict=True)
            if "used" in answer.cues.get(sentence.key, "")
        ]
        whom = "both" if len(users) == 2 else "".join(users)
        by_key[sentence.key] = f"{coloured.USED_BY}{whom}" if users else ""
    return by_key


def _link_to_sample(side: Side, position: int) -> None:
    address = session.address(
        run=side.run.id,
        sample=str(position + 1),
        model=str(side.model + 1),
    )
    st.page_link("../pages/sample.py", label=say("Open the sample"), query_params=address)


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
        # Without a sentence it is said that the answer is empty.
        whole = (Sentence(key="", text=content.response),) if content.response else ()
        return _Answer(whole, {})
    cues = coloured.verdicts(scores.sentences, scores.labels)
    return _Answer(scores.sentences.response, cues, scores.sentences.documents)
