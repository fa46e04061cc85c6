"""Data on the screen: what a file holds is offered, kept, shown with what each evaluator needs of
it, and deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from evaluators.base import Evaluator, missing
from evaluators.catalogue import catalogue
from evaluators.config import config
from evaluators.datasets.bundled import bundled
from evaluators.datasets.checks import Finding, checks
from evaluators.datasets.guess import Shape
from evaluators.datasets.mapping import open_table
from evaluators.datasets.rgb import TestBed
from evaluators.datasets.table import Table, told
from evaluators.errors import DatasetError, HostLimitError, PlumblineError, UnreadableRowError
from evaluators.records import Dataset
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.surrogates import without_surrogates
from evaluators.text.language import mark, say
from evaluators.text.words import counted, in_a_line, readable
from ui import session
from ui.datasets import columns as dataset_columns
from ui.datasets import preview, reading
from ui.datasets.columns import NAME_SHOWN
from ui.datasets.reading import Reading
from ui.held import WORTH_RETURNING, held, weight
from ui.parts import data_choice, origin, problems, uploaded
from ui.parts.untrusted import plain

FIXED = (Shape.BED, Shape.ANSWERS, Shape.RAGBENCH, Shape.LABELS, Shape.VALUES)
"""Shapes that hold more than samples made of columns."""

READING = "reading"
"""Where a session keeps the name of what it read last, and the key under which it is held."""

JUST_KEPT = "just_kept"
"""Where a session keeps the name of the data that are to be chosen next."""

NAMED = "named"
"""Where a session keeps what data were called when they came, and if they were here already."""

ROUND = "upload_round"
"""Where a session counts the files that it put away: each time,
the field for files is a new one.
"""


class _Lacking(NamedTuple):
    """Of how many samples an evaluator can use how many, and in how many each field is missing."""

    usable: int
    samples: int
    by_field: Mapping[str, int]


# Bringing in


def offer(
    name: str,
    content: bytes | Table,
    source: Mapping[str, Any] | None = None,
) -> None:
    """Keeps what a file or a table holds; where a column is in doubt, the page asks before anything
    is kept.

    Raises `DatasetError` where nothing of it can be used, `HostLimitError` where there is no room.
    """
    forget()
    try:
        with uploaded.turn(content):
            _take(*reading.begin(name, content, source or {}))
    except PlumblineError:
        # A small one may be mended by other columns. A large one would be held for nothing, as
        # would those of all others whose files came to nothing.
        if not isinstance(content, bytes) or len(content) > WORTH_RETURNING:
            forget()
        raise


def _take(found: Reading, table: Table) -> None:
    """Holds what was read, and keeps its data where nobody need be asked."""
    remembered = session.store().mappings.get(session.workspace(), found.names)
    found = found.proposing(remembered) if remembered else found
    _hold(found)
    if found.is_sure:
        _keep(found, table, remembered)


def _ask_how_to_read(found: Reading) -> None:
    """The choices of list or sheet, and of encoding; another one is read at once, in place of the
    last.
    """
    part, encoding = reading.chosen_part(found), reading.chosen_encoding(found)
    if not part and not encoding:
        return
    with problems.caught(), st.spinner(say("Reading"), show_time=True):
        with uploaded.turn(found.content):
            other, table = reading.begin(
                found.name,
                found.content,
                found.origin,
                part or found.part,
                encoding or found.encoding,
                found.head.lists,
            )
            # Data that this file brought give way to those of its other part
            other = replace(
                other,
                kept_as=found.kept_as,
                is_stored=found.is_stored,
                written=other.written or found.written,
            )
            _take(other, table)
        st.rerun()


def keep(data: TestBed | Dataset, earlier: str = "") -> tuple[str, bool]:
    """Stores the data for this workspace and chooses them on this page; returns their name, and if
    they were stored.

    A name that other data have is numbered; equal data are not kept twice. `earlier` names what
    these replace.
    """
    name = earlier or next(each for each in _names_to_try(data.name) if _is_free(each, data))
    is_there = not earlier and name in session.sources()
    if not is_there:
        _check_room(name, data)
        named = data.model_copy(update={"name": name})
        session.store().uploads.save(session.workspace(), name, named)
    if not earlier:
        st.session_state[NAMED] = name, data.name, is_there
    st.session_state[JUST_KEPT] = name
    return name, not is_there


def is_kept() -> bool:
    """Whether what was read last is stored."""
    found = _last()
    return found is not None and found.loaded is not None


def forget() -> None:
    """What was read last is put away."""
    _, key = st.session_state.pop(READING, ("", None))
    held.drop(key)


def uploader() -> str:
    """The key of the field for files; a new one when the file in it was put away."""
    return f"upload_{st.session_state.setdefault(ROUND, 0)}"


def empty_uploader() -> None:
    """The field for files is a new one, so that the bytes of the file in it are let go."""
    st.session_state[ROUND] += 1


def question() -> bool:
    """Asks which column means what, where that is in doubt; nothing is kept before. Tells whether
    it asks.
    """
    found = _last()
    if found is None and READING in st.session_state:
        name, _ = st.session_state.pop(READING)
        words = say(
            "{name} was put away meanwhile. To read it otherwise, choose the file again.",
            name=name,
        )
        st.caption(plain(words))
    if found is None or found.loaded:
        return False
    with st.container(border=True):
        headline = say("Which column is what in {name}?", name=found.name)
        st.markdown(f"**{plain(headline)}**")
        reading.doubt(found)
        _ask_how_to_read(found)
        _ask_for_columns(found)
    return True


def choice() -> str | None:
    """Which data to look at: at first those that were kept just now, else those that the address
    names.
    """
    if JUST_KEPT in st.session_state:
        st.session_state["dataset"] = st.session_state.pop(JUST_KEPT)
    elif "data" in st.query_params:
        st.session_state.setdefault("dataset", st.query_params["data"])
    names = session.sources()
    name = data_choice.choose(
        st.container(),
        say("Data set"),
        names,
        "dataset",
        lambda name: say(
            "{name} ({source})",
            name=data_choice.name_shown(name),
            source=say(names[name]),
        ),
    )
    if name is not None:
        st.query_params["data"] = name
    return name


def show(data: TestBed | Dataset) -> None:
    """What it is and what it serves, how it was read, and its first rows."""
    _preselect(data)
    found = _last(data.name)
    if isinstance(data, TestBed):
        unit = "row"
        _about_bed(data)
    else:
        unit = "sample"
        _about(data)
    name, wanted, is_there = st.session_state.get(NAMED, ("", "", False))
    if name == data.name and (words := _about_the_name(name, wanted, is_there)):
        st.info(plain(words), icon=":material/info:")
    if found:
        reading.summary(found)
        _ask_how_to_read(found)
        _compare_by(found)
    origin.show(data)
    if found and found.loaded:
        reading.left_out(found)
        reading.remarks(found.loaded.findings, "row")
        is_open = dataset_columns.has_joined_documents(found.head, found.given)
        columns = say("Columns")
        with st.expander(columns, icon=":material/view_column:", expanded=is_open, key="columns"):
            _ask_for_columns(found)
    else:
        reading.remarks(_findings(session.identity(data.name)), unit)
    preview.show(data)
    if isinstance(data, Dataset):
        _needs(data)


def manage(name: str) -> None:
    """Another name for an upload, or its end."""
    with st.container(horizontal=True):
        with st.popover(say("Rename"), icon=":material/edit:", key=f"rename_{name}"):
            new = st.text_input(say("Name"), value=name, max_chars=80, key=f"new_name_{name}")
            new = new.strip()
            is_taken = new in session.sources()
            if is_taken and new != name:
                st.caption(say("Other data have this name."))
            st.button(
                say("Rename"),
                type="primary",
                disabled=not new or is_taken,
                on_click=problems.guarded(_rename, "upload"),
                args=(name, new),
                key="rename_upload",
            )
        label = say("Delete this upload")
        with st.popover(label, icon=":material/delete:", key=f"ask_{name}"):
            st.write(say("Delete these data? Runs over them stay."))
            st.button(
                say("Delete for good"),
                type="primary",
                on_click=problems.guarded(_delete, "upload"),
                args=(name,),
                key="delete_upload",
            )
    problems.show("upload")


def _last(name: str | None = None) -> Reading | None:
    """What was read last; with a name, if it became the data of that name."""
    _, key = st.session_state.get(READING, ("", None))
    found: Reading | None = held.find(key)
    if found is None or name is None:
        return found
    became_data = found.loaded and found.kept_as == name
    return found if became_data else None


def _hold(found: Reading) -> None:
    """What was read last: in the memory that all visitors share, as a file may be large."""
    held.keep(found.key, found, weight(found))
    st.session_state[READING] = found.name, found.key


def _ask_for_columns(found: Reading) -> None:
    """The choice of columns; a click reads the file by them and keeps what it holds."""
    if found.loaded and found.guess.shape in FIXED:
        st.caption(say("With other columns it is read as a plain table."))
    chosen = dataset_columns.columns(found.head, found.names, found.given, found.key)
    is_as_read = found.loaded is not None and chosen == found.given
    is_new = chosen is not None and not is_as_read
    with st.container(horizontal=True, vertical_alignment="center"):
        use = st.button(
            say("Use these columns"),
            type="secondary" if found.loaded else "primary",
            icon=":material/check:",
            disabled=not is_new,
            key="use_columns",
        )
        if not found.loaded:
            st.button(say("Discard"), icon=":material/close:", on_click=_put_away, key="discard")
        again = st.checkbox(
            say("Remember for files with the same columns"),
            value=True,
            key=f"{found.key}_again",
        )
    if use and chosen:
        with problems.caught(), st.spinner(say("Reading"), show_time=True):
            with uploaded.turn(found.content):
                _keep(found, found.table(), chosen)
            _remember(found, chosen if again else None)
            st.rerun()


def _keep(found: Reading, table: Table, columns: Mapping[str, str] | None) -> None:
    loaded = open_table(found.name, table, columns)
    if loaded.data is None:
        raise DatasetError(told(list(loaded.problems)))
    earlier = found.kept_as if found.is_stored else ""
    origin = dict(found.origin)
    if group := loaded.data.origin.get("group"):
        origin["group"] = group
    name, is_stored = keep(loaded.data.model_copy(update={"origin": origin}), earlier)
    _hold(found.kept(loaded, name, is_stored=is_stored))


def _compare_by(found: Reading) -> None:
    """The column by which answers to the same questions are compared; another one is read at once,
    in place of the last.
    """
    now = found.given.get("group")
    if found.loaded is None or not found.guess.versions:
        return
    options = list(dict.fromkeys([None, now, *found.guess.versions]))
    chosen = st.selectbox(
        say("Compare by"),
        options,
        index=options.index(now),
        format_func=lambda name: (
            say("None") if name is None else without_surrogates(name)[:NAME_SHOWN]
        ),
        help=say(
            "Versions that answered the same questions: after a run they are compared question by "
            "question."
        ),
        # Of its own for each reading by another column, which may be chosen below as well
        key=f"{found.key}_compare_by_{options.index(now)}_{now}",
        width=320,
    )
    if chosen == now:
        return
    columns = {field: column for field, column in found.given.items() if field != "group"}
    if chosen is not None:
        columns["group"] = chosen
    st.session_state[f"{found.key}_group"] = chosen
    with problems.caught(), st.spinner(say("Reading"), show_time=True):
        with uploaded.turn(found.content):
            _keep(found, found.table(), columns)
        st.rerun()


def _remember(found: Reading, columns: Mapping[str, str] | None) -> None:
    """The choice for the next file with the same columns, or none any more."""
    if columns is None:
        session.store().mappings.delete(session.workspace(), found.names)
    else:
        session.check_room()
        session.store().mappings.save(session.workspace(), found.names, columns)


def _check_room(name: str, data: TestBed | Dataset) -> None:
    """Raises `HostLimitError` where a public host keeps no more for this visitor; replacing data is
    no more.
    """
    if not config().public:
        return
    kept = session.store().uploads.names(session.workspace())
    most = config().uploads_per_visitor
    if name not in kept and len(kept) >= most:
        raise HostLimitError(
            say(
                "This host keeps {uploads} for each visitor, and you have that many. "
                "Delete one first.",
                uploads=counted(most, "upload"),
            )
        )
    rows = data.rows if isinstance(data, TestBed) else data.samples
    session.check_room(sum(len(row.model_dump_json(exclude_defaults=True)) for row in rows))


def _names_to_try(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in count(2))


def _is_free(name: str, data: TestBed | Dataset) -> bool:
    """Whether the data can have that name: no others have it."""
    if name not in session.sources():
        return True
    # What cannot be read any more is not equal to anything
    with suppress(UnreadableRowError):
        return session.source(name) == data.model_copy(update={"name": name})
    return False


def _about_the_name(name: str, wanted: str, is_there: bool) -> str:
    """Why the data have that name, where it is not clear."""
    if is_there:
        words = mark("The same data were here already, as {name}. They are not kept twice.")
        return say(words, name=name)
    if name == wanted:
        return ""
    return say(
        "There are other data called {wanted}, so these are called {name}.",
        wanted=wanted,
        name=name,
    )


def _put_away() -> None:
    """What was read last is forgotten, and the field for files is empty again."""
    forget()
    empty_uploader()


def _rename(name: str, new: str) -> None:
    """Gives an upload another name; its runs know it by its samples, and stay as they are."""
    session.store().uploads.rename(session.workspace(), name, new)
    found = _last(name)
    if found:
        _hold(replace(found, kept_as=new))
    for key in ("dataset", *data_choice.FIELDS.values()):
        if st.session_state.get(key) == name:
            st.session_state[key] = new
    st.session_state[JUST_KEPT] = new


def _delete(name: str) -> None:
    session.store().uploads.delete(session.workspace(), name)
    if _last(name):
        _put_away()
    st.session_state["dataset"] = next(iter(bundled()))
    for key in data_choice.FIELDS.values():
        if st.session_state.get(key) == name:
            del st.session_state[key]


# Showing


def _preselect(data: TestBed | Dataset) -> None:
    """The forms begin with what was looked at last."""
    if isinstance(data, TestBed) or _serves_rgb(data):
        st.session_state[data_choice.FIELDS["rgb"]] = data.name
    if isinstance(data, Dataset):
        st.session_state[data_choice.FIELDS["trace"]] = data.name
        st.session_state[data_choice.FIELDS[None]] = data.name


def _about_bed(data: TestBed) -> None:
    words = say(
        "RGB data set · {rows} · tests {abilities}",
        rows=counted(len(data.rows), "row"),
        abilities=say(", ").join(say(ability.label).lower() for ability in data.abilities),
    )
    st.caption(words)
    _link("rgb", say("Ask a model on the RGB page"), data)


def _about(data: Dataset) -> None:
    st.caption(say("Samples · {rows}", rows=counted(len(data.samples), "row")))
    with st.container(horizontal=True):
        _link("trace", say("Evaluate on the TRACE page"), data)
        if _serves_rgb(data):
            _link("rgb", say("Check answers on the RGB page"), data)
        _link("metrics", say("Measure on the Metrics page"), data)


def _link(page: str, label: str, data: TestBed | Dataset) -> None:
    """A link to a page on which these data are chosen."""
    st.page_link(
        f"../pages/{page}.py",
        label=label,
        icon=":material/arrow_forward:",
        query_params=session.address(new=data.name),
    )


def _needs(data: Dataset) -> None:
    title = say("What each evaluator needs")
    with st.expander(title, icon=":material/checklist:", key="needs"):
        evaluators = tuple(cls for cls in catalogue().values() if cls.needs)
        rows = []
        for cls, lacking in zip(
            evaluators, _lacking(session.identity(data.name), evaluators), strict=True
        ):
            rows.append(_needs_row(cls, lacking))
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt=title)


def _serves_rgb(data: Dataset) -> bool:
    return any(not missing(RGBEvaluator.needs, sample) for sample in data.samples)


@lru_cache(maxsize=32)  # looks at every sample
def _findings(identity: session.Identity) -> tuple[Finding, ...]:
    data = session.source(identity.name)
    return checks(data) if data else ()


@lru_cache(maxsize=32)  # looks at every sample for every evaluator
def _lacking(
    identity: session.Identity, evaluators: Sequence[type[Evaluator]]
) -> Sequence[_Lacking]:
    """What the data lack for each of these evaluators."""
    data = session.source(identity.name)
    samples = data.samples if isinstance(data, Dataset) else ()
    found = []
    for cls in evaluators:
        lacking = [missing(cls.needs, sample) for sample in samples]
        by_field = {field: sum(field in fields for fields in lacking) for field in cls.needs}
        found.append(_Lacking(lacking.count([]), len(lacking), by_field))
    return found


def _needs_row(cls: type[Evaluator], lacking: _Lacking) -> dict[str, str]:
    words: list[str] = []
    for field, samples in lacking.by_field.items():
        name = readable(field).lower()
        if samples:
            words.append(say("{field} missing in {count:,}", field=name, count=samples))
        else:
            words.append(f"{name} ✓")
    return {
        say("Evaluator"): say(cls.title),
        say("Usable"): f"{lacking.usable:,} / {lacking.samples:,}",
        say("Needs"): in_a_line(words),
    }
