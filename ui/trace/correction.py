"""A person's word on the labels: stored beside the original with its time, and can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from evaluators.people.labels import sentence_hash
from evaluators.people.records import ALLOWED, YOU, PersonLabel
from evaluators.records import Cell, Labels, Record, Sentences
from evaluators.trace.labelling import CORRECTED
from ui import session
from ui.parts import tables
from ui.parts.highlight import SUPPORTS

SHOWN = "labels_by"
"""Where the session keeps whose labels the page shows; the corrected ones until others are chosen.
"""

TITLES = {
    ("relevant", "yes"): "relevant",
    ("relevant", "no"): "not relevant",
    ("utilized", "yes"): "used",
    ("utilized", "no"): "not used",
} | {("support", support.value): words for support, words in SUPPORTS.items()}


class RunCell(NamedTuple):
    """A cell of a run, where corrections belong."""

    run_id: str
    cell: Cell

    @property
    def name(self) -> str:
        return f"{self.run_id}_{self.cell.position}_{self.cell.model}"


class Change(Record):
    """What a person did in the evidence view, as the browser tells it.

    `number` counts the changes of one sample. The browser sends a change again until it was
    answered, as what comes while the page is drawn may replace what came before.
    """

    sample: str
    number: int
    label: Literal["relevant", "utilized", "support", "supported_by", "undo", "undo all"]
    key: str = ""
    value: str = ""


_CHANGES = TypeAdapter(list[Change])


def keep(place: RunCell, changes: Any, sentences: Sentences, original: Labels) -> None:
    """Stores what the browser sent; what does not fit this sample is passed over."""
    try:
        sent = _CHANGES.validate_python(changes)
    except ValidationError:
        return
    for change in sent:
        if change.sample == place.name and change.number > answered(place):
            st.session_state[_answered_key(place)] = change.number
            _keep_change(place, change, sentences, original)


def answered(place: RunCell) -> int:
    """The number of the last change of this sample that the session has dealt with."""
    number: int = st.session_state.get(_answered_key(place), 0)
    return number


def by_sentence(given: Sequence[PersonLabel]) -> dict[str, list[dict[str, str]]]:
    """What holds of a person's labels, by sentence: the words, and when."""
    holding: dict[str, dict[str, dict[str, str]]] = {}
    for label in given:
        of_sentence = holding.setdefault(label.key, {})
        if label.label == "support":
            of_sentence.pop("supported_by", None)
        words = {"what": in_words(label), "at": label.created}
        of_sentence[label.label] = words
    return {key: list(labels.values()) for key, labels in holding.items()}


def in_words(label: PersonLabel) -> str:
    """What a label says."""
    if label.label == "supported_by":
        return f"by {label.value}"
    return TITLES[label.label, label.value]


def list_all(given: Sequence[PersonLabel]) -> None:
    """Every label with its time, in order."""
    with st.expander("Corrections", icon=":material/edit:", key="corrections"):
        rows = []
        for label in given:
            created = datetime.fromisoformat(label.created)
            when = created.strftime("%d %b %Y, %H:%M:%S UTC")
            rows.append(
                {
                    "Sentence": label.key,
                    "Set to": in_words(label),
                    "When": when,
                }
            )
        tables.plain_rows(rows, "Corrections")


def _keep_change(place: RunCell, change: Change, sentences: Sentences, original: Labels) -> None:
    table = session.store().person_labels
    if change.label == "undo":
        table.undo(*place, YOU)
    elif change.label == "undo all":
        table.withdraw_all(*place, YOU)
    elif _fits(change, sentences):
        # A label set back to what its labeller said is not a correction.
        if change.value == _before(change, original):
            table.withdraw(*place, YOU, change.label, change.key)
            if change.label == "support":
                table.withdraw(*place, YOU, "supported_by", change.key)
        else:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            parts = (*sentences.documents, sentences.response)
            texts = {own.key: own.text for part in parts for own in part}
            label = PersonLabel(
                label=change.label,
                key=change.key,
                value=change.value,
                sentence=sentence_hash(texts[change.key]),
                created=now,
            )
            table.save(*place, label)
        st.session_state[SHOWN] = CORRECTED


def _fits(change: Change, sentences: Sentences) -> bool:
    """Whether the sample has the sentences that are named, and the label may have the value."""
    documents = sentences.document_keys
    response = [sentence.key for sentence in sentences.response]
    keys = documents if change.label in ("relevant", "utilized") else response
    values = ALLOWED.get(change.label, documents)
    return change.key in keys and change.value in values


def _before(change: Change, original: Labels) -> str | None:
    """What the labeller said, in the words of a correction; `None` where it said nothing."""
    if change.label in ("relevant", "utilized"):
        return "yes" if change.key in getattr(original, f"{change.label}_keys") else "no"
    for item in original.sentence_support:
        if item.key == change.key and change.label == "support":
            return item.support.value
    return None


def _answered_key(place: RunCell) -> str:
    return f"answered_{place.name}"
