"""A person's word on the labels: stored beside the original with its time, and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import streamlit as st

from evaluators.records import Cell, Labels, Support
from evaluators.trace.labelling import CORRECTED, Correction
from ui import session
from ui.parts import problems, tables
from ui.parts.highlight import SUPPORTS
from ui.parts.untrusted import plain
from ui.parts.words import counted

SHOWN = "labels_by"
"""Where the session keeps whose labels the page shows; the corrected ones until others are chosen.
"""

TITLES = {
    ("relevant", "yes"): "relevant",
    ("relevant", "no"): "not relevant",
    ("utilized", "yes"): "used",
    ("utilized", "no"): "not used",
} | {("support", support.value): words for support, words in SUPPORTS.items()}
ANSWERS = {True: "yes", False: "no"}
SWITCHES = {"Relevant": "relevant", "Used": "utilized"}


class RunCell(NamedTuple):
    """A cell of a run, where corrections belong."""

    run_id: str
    cell: Cell

    @property
    def name(self) -> str:
        return f"{self.run_id}_{self.cell.position}_{self.cell.model}"


def of_response(place: RunCell, key: str, labels: Labels, original: Labels) -> None:
    """The support of one response sentence, as it stands; another choice is stored."""
    widget = f"support_{place.name}_{key}"
    # Set at every drawing: what counts is in the store, perhaps from another tab.
    st.session_state[widget] = _support_or_none(labels, key)
    st.segmented_control(
        "Correct the label",
        list(SUPPORTS),
        format_func=SUPPORTS.__getitem__,
        required=True,
        key=widget,
        on_change=problems.guarded(_keep_correction, place.name),
        args=(place, "support", key, widget, _support_or_none(original, key)),
        wrap=True,
    )


def of_document(place: RunCell, key: str, labels: Labels, original: Labels) -> None:
    """Whether a document sentence is relevant and used; a switch that is turned is stored."""
    st.caption("Correct the labels")
    with st.container(horizontal=True):
        for title, field in SWITCHES.items():
            widget = f"{field}_{place.name}_{key}"
            st.session_state[widget] = key in getattr(labels, f"{field}_keys")
            before = key in getattr(original, f"{field}_keys")
            on_change = problems.guarded(_keep_correction, place.name)
            args = place, field, key, widget, before
            st.toggle(
                title,
                key=widget,
                on_change=on_change,
                args=args,
            )


def history(place: RunCell, corrections: Sequence[Correction]) -> None:
    """How many labels were corrected, the newest, and the way back."""
    problems.show(place.name)
    if not corrections:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        newest = corrections[-1]
        number = counted(len(corrections), "correction")
        st.caption(f"{number} · newest: {plain(newest.key)} {_new_label(newest)}", width="content")
        _undo_button("Undo", session.store().corrections.undo, place)
        if len(corrections) > 1:
            _undo_button("Undo all", session.store().corrections.reset, place)


def list_all(corrections: Sequence[Correction]) -> None:
    """Every correction with its time, in order."""
    with st.expander("Corrections", icon=":material/edit:", key="corrections"):
        rows = []
        for correction in corrections:
            created = datetime.fromisoformat(correction.created)
            when = created.strftime("%d %b %Y, %H:%M:%S UTC")
            rows.append(
                {
                    "Sentence": correction.key,
                    "Set to": _new_label(correction),
                    "When": when,
                }
            )
        tables.plain_rows(rows, "Corrections")


def _support_or_none(labels: Labels, key: str) -> Support | None:
    for item in labels.sentence_support:
        if item.key == key:
            return item.support
    return None


def _keep_correction(
    place: RunCell,
    field: str,
    key: str,
    widget: str,
    before: Support | bool | None,
) -> None:
    """Keeps what was chosen; a label set back to what its labeller said is not a correction."""
    chosen = st.session_state[widget]
    if chosen == before:
        session.store().corrections.drop(place.run_id, place.cell, field, key)
        return
    value = chosen.value if isinstance(chosen, Support) else ANSWERS[chosen]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    correction = Correction(
        label=field,
        key=key,
        value=value,
        created=now,
    )
    session.store().corrections.save(place.run_id, place.cell, correction)
    st.session_state[SHOWN] = CORRECTED


def _undo_button(label: str, undo: Callable[[str, Cell], object], place: RunCell) -> None:
    on_click = problems.guarded(undo, place.name)
    st.button(
        label,
        icon=":material/undo:",
        key=f"{label}_{place.name}",
        on_click=on_click,
        args=place,
    )


def _new_label(correction: Correction) -> str:
    return TITLES[correction.label, correction.value]
