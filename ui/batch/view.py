"""The page of a batch: what it came to, how that drifts, why rows failed; its rows are a run's."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators.batch.as_run import MOST_ROWS, part_of
from evaluators.batch.results import BatchResults, Means
from evaluators.runs.shown_values import Dot, Group, title
from evaluators.runs.store import FileBatch
from evaluators.text.language import say
from evaluators.text.words import counted, in_a_line, name_and_text
from ui import session
from ui.batch import groups, listing, state
from ui.parts import dots, problems, spending, tables
from ui.parts.moments import local_time
from ui.parts.untrusted import plain

MOST_REASONS = 20
MOST_FILES = 100
REASON_SHOWN = 300


def chosen() -> FileBatch | None:
    """The batch in the address, if it is one of this workspace."""
    # Only an id comes from the address; where the files are, the store says.
    return session.store().file_batches.get(session.workspace(), st.query_params.get("batch", ""))


def nothing_shown() -> None:
    st.info(
        say(
            "There is no such batch here: it was taken out of the list, or the address is "
            "incomplete."
        ),
        icon=":material/link_off:",
    )
    st.page_link("../pages/runs.py", label=say("All runs"), icon=":material/history:")


def show(batch: FileBatch) -> None:
    """All of it; raises `UnreadableRowError` where what it came to cannot be read."""
    results = state.results_of(batch)
    _head(batch, results)
    if results.means:
        titles = {name: title(name) for name in results.means}
        dots.show([Group("", "", _dots(results.means, titles))])
        for caution in results.cautions:
            st.caption(caution)
        groups.show(results, titles)
    _failures(results)
    _unread_files(results.problems)


def _dots(means: Means, titles: Mapping[str, str]) -> list[Dot]:
    return [Dot(titles[name], mean, term=name) for name, mean in means.items()]


def _head(batch: FileBatch, results: BatchResults) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="batch_head"):
        facts = [*state.method(batch), state.in_words(batch), local_time(batch.created)]
        if results.spent:
            facts.append(spending.words(results.spent))
        st.markdown(f"**{plain(batch.title)}** · {plain(' · '.join(facts))}")
        with st.container(horizontal=True, width="content"):
            with st.popover(say("Details"), icon=":material/info:", key="batch_details"):
                _details(batch)
            if results.rows:
                _open_as_run(batch, results.rows)
            listing.delete_button(batch.id, batch.folder)
    if results.stopped:
        st.warning(plain(results.stopped), icon=":material/pause_circle:")
    if state.is_at_work(batch):
        words = say("Its rows are summed up when the command ends; the figures are older.")
        st.info(words, icon=":material/hourglass_empty:")
    elif not results.is_complete:
        st.info(say("Give the same command again to go on."), icon=":material/play_circle:")


def _open_as_run(batch: FileBatch, rows: int) -> None:
    """Opens the rows with all that was judged of each; of very many a part."""
    first = 1
    if rows > MOST_ROWS:
        first = st.selectbox(
            say("Which rows"),
            range(1, rows + 1, MOST_ROWS),
            format_func=lambda start: say(
                "Rows {first:,} to {last:,}", first=start, last=min(rows, start - 1 + MOST_ROWS)
            ),
            label_visibility="collapsed",
            width=240,
        )
    if st.button(say("Open as a run"), icon=":material/open_in_new:", type="primary"):
        with problems.caught():
            session.open_run(part_of(batch, session.store(), first))


def _details(batch: FileBatch) -> None:
    st.caption(say("Judged files"))
    st.code(str(batch.settings["data"]), language=None, wrap_lines=True)
    st.caption(say("Results"))
    st.code(batch.folder, language=None, wrap_lines=True)
    columns = [name_and_text(field, column) for field, column in batch.settings["columns"].items()]
    st.caption(plain(say("Columns: {columns}", columns=in_a_line(columns))))
    st.caption(plain(say("Judged by version {version}.", version=batch.settings["plumbline"])))
    st.caption(
        say(
            "Opened as a run, its rows are read, compared, checked and exported as those of any "
            "other, {most:,} at a time. They are Parquet files, which pandas, Polars, DuckDB and "
            "Spark read.",
            most=MOST_ROWS,
        )
    )


def _failures(results: BatchResults) -> None:
    """Why rows failed, the most frequent reasons first."""
    if not results.failures:
        return
    st.header(say("Failures"))
    reasons = list(results.failures.items())
    lines = [
        {
            say("Rows"): failed.rows,
            say("First file"): failed.file,
            say("First row"): failed.row,
            say("Reason", "failure"): reason[:REASON_SHOWN],
        }
        for reason, failed in reasons[:MOST_REASONS]
    ]
    tables.plain_rows(lines, say("Failures"))
    if len(reasons) > MOST_REASONS:
        more = counted(len(reasons) - MOST_REASONS, "reason")
        st.caption(say("{reasons} more are rarer.", reasons=more))
    st.caption(
        say(
            "A corrected file is judged again by the same command, other rows that failed with "
            "`--retry-failed`."
        )
    )


def _unread_files(problems: Mapping[str, str]) -> None:
    if not problems:
        return
    st.header(say("Files that cannot be read"))
    names = list(problems)[:MOST_FILES]
    lines = [
        {say("File"): name, say("Reason", "failure"): problems[name][:REASON_SHOWN]}
        for name in names
    ]
    tables.plain_rows(lines, say("Files that cannot be read"))
    if len(problems) > MOST_FILES:
        st.caption(say("The first {most} of {all:,} files.", most=MOST_FILES, all=len(problems)))
