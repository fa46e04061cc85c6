"""A person's word on the labels: stored beside the original with its time, and can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import streamlit as st
from pydantic import TypeAdapter, ValidationError

from evaluators.people.labels import last_words, sentence_hash
from evaluators.people.records import (
    ALLOWED,
    CANNOT_TELL,
    DONE,
    SKIPPED,
    YOU,
    Drawn,
    PersonLabel,
)
from evaluators.records import Cell, Labels, Record, Sentences
from evaluators.report.coloured import SUPPORTS
from evaluators.text.language import mark, say
from ui import session
from ui.parts import tables

SHOWN = "labels_by"
"""Where the session keeps whose labels the page shows, once others than the run's were chosen."""

TITLES = {
    ("relevant", "yes"): mark("relevant"),
    ("relevant", "no"): mark("not relevant"),
    ("utilized", "yes"): mark("used"),
    ("utilized", "no"): mark("not used"),
    ("sample", DONE): mark("done"),
    ("sample", CANNOT_TELL): mark("cannot tell"),
    ("sample", SKIPPED): mark("skipped"),
} | {("support", support.value): words for support, words in SUPPORTS.items()}


class RunCell(NamedTuple):
    """A cell of a run, where corrections belong."""

    run_id: str
    cell: Cell

    @property
    def name(self) -> str:
        """What the browser calls it; the link of a queue must not tell which run it is of."""
        run = hashlib.sha256(self.run_id.encode()).hexdigest()[:32]
        return f"{run}_{self.cell.position}_{self.cell.model}"


class EvidenceChange(Record):
    """What a person did in the evidence view, as the browser tells it.

    `number` counts the changes of one sample. The browser sends a change again until it was
    answered, as what comes while the page is drawn may replace what came before.
    """

    sample: str
    number: int
    label: Literal["relevant", "utilized", "support", "supported_by", "sample", "undo", "undo all"]
    key: str = ""
    value: str = ""
    blind: bool = False


_CHANGES = TypeAdapter(list[EvidenceChange])
# A person's are a few: those since the last drawing.
MOST_CHANGES = 50
"""Changes in one message of the browser; what follows them is not looked at."""


class Origin(NamedTuple):
    """Who labels, and how the answer came before that person; see `PersonLabel`.

    `blind` is `None` where the browser says it, of a person's own run alone.
    """

    person: str = YOU
    drawn: Drawn = "by hand"
    probability: float | None = None
    queue: str = ""
    blind: bool | None = None


def keep_changes(
    place: RunCell,
    changes: Any,
    sentences: Sentences,
    original: Labels,
    origin: Origin,
) -> None:
    """Stores what the browser sent, so many changes at most; it sends again what is not answered.

    What does not fit this sample is passed over. Raises `HostLimitError` where labels come too
    fast.
    """
    # From the browser, so it may be anything at all.
    try:
        sent = _CHANGES.validate_python(changes[:MOST_CHANGES] if changes else [])
    except (ValidationError, TypeError, KeyError):
        return
    given = session.store().person_labels.by_cell(*place).get(place.cell, [])
    for told in sent:
        is_blind = told.blind if origin.blind is None else origin.blind
        change = told.model_copy(update={"blind": is_blind})
        if change.sample == place.name and change.number > last_answered(place):
            # First: what cannot be stored must not be tried again at every drawing.
            st.session_state[_answered_key(place)] = change.number
            session.check_pace(f"{session.tab()} {place.run_id}")
            given = _keep_change(place, change, sentences, original, origin, given)


def last_answered(place: RunCell) -> int:
    """The number of the last change of this sample that the session has dealt with."""
    number: int = st.session_state.get(_answered_key(place), 0)
    return number


def by_sentence(own: Sequence[PersonLabel]) -> dict[str, list[dict[str, str]]]:
    """What holds of a person's labels, by sentence: the label, its words, and when."""
    holding: dict[str, list[dict[str, str]]] = {}
    # "supported by 0a": what carries a sentence comes last.
    last = sorted(last_words(own).items(), key=lambda item: item[0][0] == "supported_by")
    for (kind, key), label in last:
        if kind != "sample":
            facts = {"label": kind, "value": label.value, "at": label.created}
            holding.setdefault(key, []).append(facts | {"what": label_in_words(label)})
    return holding


def label_in_words(label: PersonLabel) -> str:
    """What a label says."""
    if label.label == "supported_by":
        return say("by {keys}", keys=label.value)
    return say(TITLES[label.label, label.value])


def list_all(given: Sequence[PersonLabel]) -> None:
    """Every label with who gave it and when, in order."""
    with st.expander(say("People's labels"), icon=":material/edit:", key="corrections"):
        rows = []
        for label in given:
            created = datetime.fromisoformat(label.created)
            when = created.strftime("%d %b %Y, %H:%M:%S UTC")
            rows.append(
                {
                    say("Who"): label.person,
                    say("Sentence"): label.key or say("all"),
                    say("Said"): label_in_words(label),
                    say("Labels in sight"): say("no") if label.blind else say("yes"),
                    say("When"): when,
                }
            )
        tables.plain_rows(rows, say("People's labels"))


def _keep_change(
    place: RunCell,
    change: EvidenceChange,
    sentences: Sentences,
    original: Labels,
    origin: Origin,
    given: list[PersonLabel],
) -> list[PersonLabel]:
    """What anybody says of the sample after the change, of which this was said before."""
    table, person, queue = session.store().person_labels, origin.person, origin.queue
    own = [label for label in given if label.person == person and queue in ("", label.queue)]
    if not (change.label in ("undo", "undo all") or _fits(change, sentences)):
        return given
    if change.label == "undo":
        table.undo(*place, person, queue)
        gone = own[-1:]
    elif change.label == "undo all":
        table.withdraw_all(*place, person, queue)
        gone = own
    elif not change.blind and _takes_back(change, given, original, person):
        # The sentences that carry it were named for this label and mean nothing without it.
        kinds = ("support", "supported_by") if change.label == "support" else (change.label,)
        for kind in kinds:
            table.withdraw(*place, person, kind, change.key, queue)
        gone = [label for label in own if label.label in kinds and label.key == change.key]
    else:
        label = _as_label(change, sentences, origin)
        table.save(*place, label)
        return [*given, label]
    # By identity: the same can be said twice.
    ids = set(map(id, gone))
    return [label for label in given if id(label) not in ids]


def _as_label(change: EvidenceChange, sentences: Sentences, origin: Origin) -> PersonLabel:
    parts = (*sentences.documents, sentences.response)
    texts = {sentence.key: sentence.text for part in parts for sentence in part}
    return PersonLabel(
        label=change.label,
        key=change.key,
        value=change.value,
        sentence=sentence_hash(texts[change.key]) if change.key else "",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        **origin._replace(blind=change.blind)._asdict(),
    )


def _takes_back(
    change: EvidenceChange,
    given: Sequence[PersonLabel],
    original: Labels,
    person: str,
) -> bool:
    """Whether a label is set back to what its labeller said, where nothing else was said of it."""
    kept = {label.key for label in given if label.person != person or label.blind}
    return change.value == _before(change, original) and change.key not in kept


def _fits(change: EvidenceChange, sentences: Sentences) -> bool:
    """Whether the sample has the sentences that are named, and the label may have the value."""
    if change.label == "sample":
        return (change.key, change.value) == ("", DONE)
    documents = sentences.document_keys
    response = [sentence.key for sentence in sentences.response]
    keys = documents if change.label in ("relevant", "utilized") else response
    values = ALLOWED.get(change.label, documents)
    return change.key in keys and change.value in values


def _before(change: EvidenceChange, original: Labels) -> str | None:
    """What the labeller said, in the words of a correction; `None` where it said nothing."""
    if change.label in ("relevant", "utilized"):
        return "yes" if change.key in getattr(original, f"{change.label}_keys") else "no"
    for item in original.sentence_support:
        if item.key == change.key and change.label == "support":
            return item.support.value
    return None


def _answered_key(place: RunCell) -> str:
    return f"answered_{place.name}"
