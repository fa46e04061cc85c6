"""Which column means what: a choice for each field, and the first rows as they would be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from evaluators.datasets import mapping
from evaluators.datasets.cells import lists_in_time
from evaluators.datasets.columns import first_rows
from evaluators.datasets.names import MEANINGS
from evaluators.datasets.rgb import BedRow
from evaluators.datasets.separators import (
    SEPARATOR_FIELD,
    UNPARTED,
    Separator,
    possible_splits,
    separator_of,
)
from evaluators.datasets.table import Problem, Table, column_names
from evaluators.records import Sample
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say, translated
from evaluators.text.words import accepted, counted, readable
from ui.parts import problems
from ui.parts.untrusted import plain

USUAL = ("question", "response", "retrieved_documents", "ground_truth")
RARE = ("group", "gold_documents", "id", "generator", "labels", "nuggets")

WORDS = {
    Separator.BLANK.value: mark("Blank lines"),
    Separator.LINE.value: mark("Line breaks"),
}
"""The separators that are no signs."""

NOTHING, NO_NAME = mark("not in the file"), mark("(no name)")
MOST_OFFERED = 200
"""Columns in one select box: a browser draws thousands of them slowly, and nobody finds one."""

NAME_SHOWN, CELL = 60, 200


@lists_in_time
def columns(
    table: Table,
    names: Sequence[str],
    given: Mapping[str, str],
    key: str,
) -> dict[str, str] | None:
    """The column for each field, beginning with those `given`.

    `None` where no sample can be made of them. `table` need hold no more than the first rows.
    """
    # Those that are read first, or a choice beyond the limit could not be shown
    of_fields = [given[field] for field in (*USUAL, *RARE) if field in given]
    likely_first = list(dict.fromkeys([*of_fields, *names]))
    likely_first = likely_first[:MOST_OFFERED]
    shown = []
    for name in likely_first:
        shown.append(without_surrogates(name)[:NAME_SHOWN] or say(NO_NAME))
    # As column names are numbered: cut ones may be alike
    offered = dict(zip(likely_first, column_names(shown), strict=True))
    chosen: dict[str, str | None] = {}
    for field, place in zip(USUAL, st.columns(len(USUAL)), strict=True):
        chosen[field] = _column_choice(place, field, offered, given, key)
    with st.expander(say("More fields"), icon=":material/more_horiz:", key=f"{key}_more"):
        for field, place in zip(RARE, st.columns(len(RARE)), strict=True):
            chosen[field] = _column_choice(place, field, offered, given, key)
        if len(names) > MOST_OFFERED:
            st.caption(
                say(
                    "The first {first} of {all_columns} can be chosen.",
                    first=MOST_OFFERED,
                    all_columns=counted(len(names), "column"),
                )
            )
    by_field = {field: column for field, column in chosen.items() if column is not None}
    separator = _separator(table, names, by_field.get("retrieved_documents"), given, key)
    if separator:
        by_field[SEPARATOR_FIELD] = separator
    if not _is_usable(table, by_field):
        return None
    return by_field


@lists_in_time
def has_joined_documents(table: Table, given: Mapping[str, str]) -> bool:
    """Whether it should be seen that documents are split, or may be."""
    splits = possible_splits(given.get("retrieved_documents", ""), [row for _, row in table.rows])
    # A document of one text mostly has paragraphs and lines of its own
    return any(split.separator not in (Separator.BLANK, Separator.LINE) for split in splits)


def _separator(
    table: Table,
    names: Sequence[str],
    column: str | None,
    given: Mapping[str, str],
    key: str,
) -> str:
    """The switch for what parts the documents of a cell; empty where it stays as it is read."""
    if column is None:
        return ""
    rows = [row for _, row in table.rows]
    splits = {split.separator.value: split for split in possible_splits(column, rows)}
    if not splits:
        return ""
    usual = separator_of(column, names, first_rows(table), table.format).value
    now = given.get(SEPARATOR_FIELD, usual).removeprefix(UNPARTED)

    def split_in_words(name: str) -> str:
        if not name:
            return say("Nowhere")
        split = splits[name]
        sign = say(WORDS[name]) if name in WORDS else f"`{name}`"
        return say(
            "{sign} ({rows}, {documents:.1f} documents each)",
            sign=sign,
            rows=counted(split.rows, "row"),
            documents=split.documents,
        )

    chosen = st.segmented_control(
        say("Split documents at"),
        ["", *splits],
        default=now if now in splits else "",
        required=True,
        format_func=split_in_words,
        help=say("Where one cell holds several documents: what stands between them."),
        key=f"{key}_separator_{column}",
    )
    return "" if chosen == usual else chosen or UNPARTED


def _column_choice(
    place: st.delta_generator.DeltaGenerator,
    field: str,
    offered: Mapping[str, str],
    given: Mapping[str, str],
    key: str,
) -> str | None:
    options = [None, *offered]
    return place.selectbox(
        readable(field),
        options,
        index=options.index(given.get(field)),
        format_func=lambda column: say(NOTHING) if column is None else offered[column],
        help=say(MEANINGS[field]),
        key=f"{key}_{field}",
    )


def _is_usable(table: Table, chosen: Mapping[str, str]) -> bool:
    """Whether samples can be made; shows them, or says what is in the way."""
    uses = Counter(chosen.values())
    twice = next((column for column, count in uses.items() if count > 1), None)
    if twice is not None:
        fields = [readable(field) for field in chosen if chosen[field] == twice]
        words = say(
            "{column} is chosen for {fields}. Choose another column for one of them.",
            column=twice[:NAME_SHOWN],
            fields=say(" and ").join(fields),
        )
        st.warning(plain(words))
        return False
    with problems.caught():
        made = mapping.preview(table, chosen)
        if not made:
            st.warning(say("Choose the column of the question or of the answer."))
            return False
        numbers = [number for number, _ in table.rows]
        cells = [_preview_cells(*row) for row in zip(numbers, made, strict=False)]
        # A row with a problem has other cells than one without
        shown = pd.DataFrame(cells).fillna("")
        st.dataframe(shown, hide_index=True, alt=say("The first rows as they would be read"))
        return True
    return False


def _preview_cells(number: int, item: Sample | BedRow | Problem) -> dict[str, object]:
    if isinstance(item, Problem):
        problem = without_surrogates(translated(item.message))
        return {say("Row"): number, say("Problem"): problem[:CELL]}
    if isinstance(item, BedRow):
        documents = say(
            "{positive} positive, {negative} negative",
            positive=len(item.positive),
            negative=len(item.negative),
        )
        cells = {
            say("Question"): item.query,
            say("Documents"): documents,
            say("True answer"): accepted(item.answer),
        }
    else:
        texts = item.retrieved_documents
        documents = f"{len(texts)}: {texts[0]}" if texts else ""
        cells = {
            say("Question"): item.question,
            say("Answer"): item.response or "",
            say("Documents"): documents,
            say("True answer"): accepted(item.ground_truth),
        }
    return {say("Row"): number} | {name: text[:CELL] for name, text in cells.items() if text}
