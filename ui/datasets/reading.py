"""What was read from a file.

Its kind, how many rows can be used, which were left out, and what is odd about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any

import streamlit as st

from evaluators.datasets.alphabets import TITLES
from evaluators.datasets.checks import Finding
from evaluators.datasets.columns import names_of
from evaluators.datasets.encoding_guess import EncodingGuess, title_of
from evaluators.datasets.guess import Guess
from evaluators.datasets.mapping import Loaded, rejected
from evaluators.datasets.readers import read
from evaluators.datasets.shapes import recognise
from evaluators.datasets.table import Problem, PythonLists, Row, Table
from evaluators.text.language import LANGUAGES, language, mark, say, speaking, translated
from evaluators.text.words import counted, places
from ui.held import weight
from ui.parts.untrusted import plain

GROUPS_SHOWN = 20
WORDS_SHOWN = 400
HEAD = 300
HEAD_BYTES = 2 * 2**20
"""Rows, and bytes of them, that are kept to look at while a person decides on the columns."""

PART_SHOWN = 40


@dataclass(frozen=True)
class Reading:
    """A file of this visitor: what it seems to be and, once it is kept, what became of its rows.

    `head` is the table's first rows and `names` are all its columns; `given` is the column for each
    field, as guessed, remembered or said. `loaded` comes without the data, which the store keeps
    under `kept_as`: `usable` rows; `taken` says in each language what became what. `is_stored`
    where this file brought them there, and others were not there before. `part` is the list or
    sheet that was chosen of several, `encoding` the one that was chosen for a text, and `written`
    how it was guessed to be written before.
    """

    name: str
    content: bytes | Table
    head: Table
    names: tuple[str, ...]
    guess: Guess
    given: Mapping[str, str]
    origin: Mapping[str, Any]
    key: str
    part: str = ""
    encoding: str = ""
    written: EncodingGuess | None = None
    is_remembered: bool = False
    kept_as: str = ""
    is_stored: bool = False
    loaded: Loaded | None = None
    usable: int = 0
    taken: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_sure(self) -> bool:
        """Whether nobody need be asked: the guess is sure, or a person said it of such a file
        before, and what its letters are is clear.
        """
        is_legible = self.head.encoding is None or self.head.encoding.is_sure
        return is_legible and (self.guess.is_sure or self.is_remembered)

    def table(self) -> Table:
        """The whole table; a file is read again."""
        if isinstance(self.content, Table):
            return self.content
        return read(self.name, self.content, self.part, self.encoding, self.head.lists)

    def proposing(self, columns: Mapping[str, str]) -> Reading:
        return replace(self, given=dict(columns), is_remembered=True)

    def kept(self, loaded: Loaded, name: str, *, is_stored: bool) -> Reading:
        """The same after its data were stored under that name."""
        given = dict(loaded.guess.columns)
        is_remembered = self.is_remembered and given == dict(self.given)
        # Now, while the data are at hand.
        taken = {}
        for code in LANGUAGES:
            with speaking(code):
                taken[code] = loaded.taken
        return replace(
            self,
            given=given,
            is_remembered=is_remembered,
            kept_as=name,
            is_stored=is_stored,
            loaded=replace(loaded, data=None),
            usable=loaded.usable,
            taken=taken,
        )


def begin(
    name: str,
    content: bytes | Table,
    origin: Mapping[str, Any],
    part: str = "",
    encoding: str = "",
    lists: PythonLists | None = None,
) -> tuple[Reading, Table]:
    """What a file seems to be, and its table; raises `DatasetError` where there is none.

    `lists` are those of the same file, where it was read before.
    """
    table = content if isinstance(content, Table) else read(name, content, part, encoding, lists)
    guess = recognise(table)
    reading = Reading(
        name=name,
        content=content,
        head=replace(table, rows=list(_first(table)), problems=[]),
        names=names_of(table),
        guess=guess,
        given=dict(guess.columns),
        origin=origin,
        # Of its own for each reading, or the widgets of another file would keep their choices
        key=f"reading_{token_hex(4)}",
        part=part,
        encoding=encoding,
        written=table.encoding,
    )
    return reading, table


def doubt(reading: Reading) -> None:
    """Why a person is asked for the columns."""
    remembered = mark("The columns are as you chose them for such a file before.")
    words = remembered if reading.is_remembered else reading.guess.why
    note = reading.head.note
    # Its readings stand in the choice of encoding
    if reading.head.encoding and reading.head.encoding.doubt:
        words = translated(words).replace(reading.head.encoding.doubt, "").strip()
        note = mark("The text is not UTF-8. Choose the encoding in which its letters are right.")
    for part in filter(None, (words, note, mark("Nothing is kept yet."))):
        st.caption(plain(translated(part)))


def summary(reading: Reading) -> None:
    """What the file was taken for, and how many of its rows can be used."""
    if loaded := reading.loaded:
        rows = say(
            "{rows} in the file, {usable:,} usable",
            rows=counted(loaded.total, "row"),
            usable=reading.usable,
        )
        title = say(loaded.guess.title)
        words = say("{rows} · read as {title}.", rows=rows, title=title)
        if reading.is_remembered:
            words = say(
                "{rows} · read as {title}, with the columns as you chose them for such a file "
                "before.",
                rows=rows,
                title=title,
            )
        st.caption(plain(f"{words} {translated(loaded.note)}"))
        st.caption(plain(reading.taken[language()]))


def chosen_part(reading: Reading) -> str:
    """The list or sheet that a person wants of a file with several; empty for what is read now."""
    parts = {part.name: part for part in reading.head.parts}
    if len(parts) < 2 or isinstance(reading.content, Table):
        return ""
    read_now = [part for part in parts.values() if part.is_read]
    together = f"{len(read_now)} with the same columns"
    options = list(parts)
    if len(read_now) > 1:
        options.insert(0, together)

    def title(name: str) -> str:
        if name == together:
            rows = sum(part.rows for part in read_now)
            words = say("{number} with the same columns", number=len(read_now))
            return f"{words} · {counted(rows, 'row')}"
        part = parts[name]
        # A long list would be cut where the numbers stand
        return say(
            "{name} · {rows}, {columns}",
            name=name[:PART_SHOWN],
            rows=counted(part.rows, "row"),
            columns=counted(part.columns, "column"),
        )

    now = together if len(read_now) > 1 else read_now[0].name
    label = say("Sheet") if reading.head.format == "XLSX" else say("List")
    return _other(label, options, now, title, f"{reading.key}_part")


def chosen_encoding(reading: Reading) -> str:
    """The encoding that a person wants of a text that is not UTF-8; empty for what is read now."""
    if reading.written is None or isinstance(reading.content, Table):
        return ""
    excerpts = dict(reading.written.readings)
    options = list(dict.fromkeys([*excerpts, *TITLES]))
    now = reading.encoding or reading.written.encoding

    def title(encoding: str) -> str:
        excerpt = excerpts.get(encoding)
        return f"{title_of(encoding)} · {excerpt}" if excerpt else title_of(encoding)

    return _other(say("Encoding"), options, now, title, f"{reading.key}_encoding")


def _other(
    label: str, options: Sequence[str], now: str, title: Callable[[str], str], key: str
) -> str:
    """What a person chooses in place of what is read now; empty where that stays."""
    index = options.index(now)
    chosen = st.selectbox(label, options, index=index, format_func=title, key=key)
    return "" if chosen == now else chosen


def left_out(reading: Reading) -> None:
    """The rows that cannot be used, by reason, and a file of them; nothing where all can."""
    loaded = reading.loaded
    if loaded is None or not loaded.problems:
        return
    label = say("{rows} left out", rows=counted(len(loaded.problems), "row"))
    with st.expander(label, icon=":material/rule:", key="left_out"):
        # By reason: thousands of rows mostly share one.
        groups = list(_grouped(loaded.problems))
        for message, rows in groups[:GROUPS_SHOWN]:
            _entry(counted(len(rows), "row"), places(rows), translated(message))
        if len(groups) > GROUPS_SHOWN:
            more = counted(len(groups) - GROUPS_SHOWN, "reason")
            st.caption(say("And {reasons} more.", reasons=more))
        stem = reading.name.rpartition(".")[0] or reading.name
        st.download_button(
            say("Download these rows"),
            # Made on a click: it may be as large as the file
            lambda: rejected(loaded),
            f"{stem} - rows left out.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
            help=say("A CSV table with the number, the reason and the beginning of each row."),
            key="download_left_out",
        )


def remarks(findings: Sequence[Finding], noun: str) -> None:
    """What is odd about the data, in a closed expander; nothing where nothing is.

    `noun` is what the numbers count.
    """
    if findings:
        with st.expander(counted(len(findings), "remark"), icon=":material/flag:", key="remarks"):
            for finding in findings:
                title, words = translated(finding.title), translated(finding.words)
                is_sample = noun == "sample"
                rows = places(finding.rows, "sample") if is_sample else places(finding.rows)
                _entry(title, rows, words)


def _first(table: Table) -> Iterator[Row]:
    size = 0
    for row in table.rows[:HEAD]:
        yield row
        size += weight(row)
        if size > HEAD_BYTES:
            return


def _grouped(problems: Iterable[Problem]) -> Iterator[tuple[str, list[int]]]:
    """The reasons with their rows, the most frequent first; of one kind the first message."""
    groups: dict[str, tuple[str, list[int]]] = {}
    for problem in problems:
        kind = problem.kind or problem.message
        if kind not in groups:
            groups[kind] = (problem.message, [])
        _, rows = groups[kind]
        rows.append(problem.row)
    yield from sorted(groups.values(), key=lambda group: len(group[1]), reverse=True)


def _entry(title: str, where: str, words: str) -> None:
    sentence = words[:1].upper() + words[1:WORDS_SHOWN]
    entry = f"**{plain(title)}** · {where}  \n:gray[{plain(sentence)}]"
    st.markdown(entry)
