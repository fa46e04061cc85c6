"""A test bed that was made of documents: each row before it is used, the doubtful ones first."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex
from typing import Any

import streamlit as st

from evaluators.datasets.rgb import BedRow
from evaluators.errors import HostLimitError
from evaluators.records import Ability, Accepted
from evaluators.retrieval.bed import MadeBed, counts_in_words
from evaluators.text.accepted import groups, on_one_line
from evaluators.text.language import say
from evaluators.text.words import counted, joined_sentences
from ui.datasets import preview
from ui.datasets import view as dataset_view
from ui.held import held, weight
from ui.parts import problems, tables
from ui.parts.forms import LONG_TEXT, LOW
from ui.parts.untrusted import plain

HELD = "made_bed"
"""Where a session keeps under which key what it made last is held."""
MOST_SHOWN = 1000
MOST_LEFT_OUT = 200
TEXT_SHOWN = 200


def hold(made: MadeBed) -> None:
    """Keeps it for the next drawing, in the memory that all visitors share.

    Raises `HostLimitError` where it is too large for that.
    """
    held.drop(st.session_state.get(HELD))
    # By a new name: the fields of a row begin anew with what it holds now.
    key = st.session_state[HELD] = f"{HELD}_{token_hex(4)}"
    rows = [tuple(own.row.model_dump().values()) for own in made.rows]
    held.keep(key, made, weight(rows))
    if held.find(key) is None:
        del st.session_state[HELD]
        raise HostLimitError(say("The test bed is too large for this host. Ask fewer questions."))


def show() -> None:
    """Why rows are doubtful, each row in full at a click, to be repaired or dropped by hand."""
    key = st.session_state.get(HELD)
    if key is None:
        return
    made: MadeBed | None = held.find(key)
    if made is None:
        words = say(
            "The test bed that was made here was not used for long and is gone. Make it again."
        )
        st.caption(words)
        return
    with st.container(border=True), problems.caught():
        st.caption(plain(counts_in_words(made)))
        if made.left_out:
            _left_out(made, key)
        if not made.rows:
            return
        in_doubt = made.doubtful_first
        doubts = {own.row.id: joined_sentences(map(say, own.doubts)) for own in in_doubt}
        rows = [own.row for own in in_doubt]
        selected = preview.table(rows, f"preview_{key}", doubts, MOST_SHOWN)
        with st.container(horizontal=True):
            use = st.button(
                say("Use this test bed"), type="primary", icon=":material/check:", key="use_bed"
            )
            number = counted(len(selected), "row")
            if selected and st.button(
                say("Drop {rows}", rows=number), icon=":material/delete:", key="drop_rows"
            ):
                _go_on_with(made.without(row.id for row in selected))
            number = counted(len(made.doubtful), "row")
            if made.doubtful and st.button(
                say("Drop all to look at ({rows})", rows=number),
                icon=":material/rule:",
                key="drop_doubtful",
            ):
                _go_on_with(made.without(own.row.id for own in made.doubtful))
        if len(selected) == 1:
            _repair(made, selected[0], doubts[selected[0].id], key)
        if use:
            dataset_view.forget()
            dataset_view.keep(made.bed)
            held.drop(key)
            del st.session_state[HELD]
            st.rerun()


def _go_on_with(made: MadeBed) -> None:
    hold(made)
    st.rerun()


def _left_out(made: MadeBed, key: str) -> None:
    label = say("{questions} left out", questions=counted(len(made.left_out), "question"))
    with st.expander(label, icon=":material/rule:", key=f"{key}_left_out"):
        lines = [
            {say("Question"): own.question[:TEXT_SHOWN], say("Why"): say(own.reason)}
            for own in made.left_out[:MOST_LEFT_OUT]
        ]
        tables.plain_rows(lines, label)


def _repair(made: MadeBed, row: BedRow, doubts: str, key: str) -> None:
    """The fields of a row; a click keeps them and says what is doubtful now."""
    with st.form(f"{key}_{row.id}"):
        st.caption(plain(row.id))
        if doubts:
            st.warning(plain(doubts), icon=":material/rule:")
        st.caption(
            say("Empty a document's field to leave it out; the last of each kind is for another.")
        )
        fields = _Fields(f"{key}_{row.id}")
        changes: dict[str, Any] = {}
        changes["query"] = fields.text(say("Question"), row.query)
        changes["answer"] = fields.answer(say("True answer"), row.answer)
        several = len(row.positive_groups) > 1
        positive = []
        for number, documents in enumerate(row.positive_groups, start=1):
            title = say("Positive document of part {number}", number=number)
            positive.append(
                fields.documents(title if several else say("Positive document"), documents)
            )
        kept_parts = tuple(filter(None, positive))
        changes["positive"] = kept_parts if Ability.INTEGRATION in row.abilities else positive[0]
        if row.fakeanswer:
            changes["fakeanswer"] = fields.answer(say("Planted error"), row.fakeanswer)
            title = say("Document with the planted error")
            changes["positive_wrong"] = fields.documents(title, row.positive_wrong)
        # Folded: they are many, and the longest part of the form.
        with st.expander(say("Negative documents")):
            changes["negative"] = fields.documents(say("Negative document"), row.negative)
        if fields.too_long:
            texts = counted(fields.too_long, "text")
            st.caption(say("{texts} too long for a field stay as they are.", texts=texts))
        if st.form_submit_button(say("Keep the changes"), icon=":material/save:", key="keep_row"):
            _go_on_with(made.repaired(row.id, **changes))


class _Fields:
    """The fields of one row, which hold `LONG_TEXT` together; longer texts are not shown."""

    def __init__(self, key: str) -> None:
        self.too_long = 0
        self._key = key
        self._number = 0
        self._left = LONG_TEXT

    def text(
        self, title: str, text: str, words: str | None = None, height: int | None = None
    ) -> str:
        self._number += 1
        if len(text) > self._left:
            self.too_long += 1
            return text
        self._left -= len(text)
        written = st.text_area(
            title,
            text,
            max_chars=LONG_TEXT,
            height=height or "content",
            help=words,
            key=f"{self._key}_{self._number}",
        )
        # What a browser makes of other line ends is no change.
        return text if written.split() == text.split() else written.strip()

    def answer(self, title: str, answer: Accepted) -> Accepted:
        """A line for each required answer, with its spellings beside it."""
        lines = "\n".join(map(on_one_line, groups(answer)))
        words = say("Of several lines each is required; write other spellings behind “ / ”.")
        written = self.text(title, lines, words)
        if written == lines:
            return answer
        required = [tuple(line.split(" / ")) for line in written.splitlines() if line.strip()]
        return required[0][0] if len(required) == len(required[0]) == 1 else tuple(required)

    def documents(self, title: str, texts: Sequence[str]) -> tuple[str, ...]:
        """A field for each, and one for another; without the emptied ones."""
        written = []
        for number, text in enumerate([*texts, ""], start=1):
            written.append(self.text(f"{title} {number}", text, height=LOW))
        return tuple(text for text in written if text)
