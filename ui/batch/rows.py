"""The rows of a batch, a page at a time, straight from its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from evaluators.batch.columns import FAILED, SCORED
from evaluators.batch.results import BatchResults
from evaluators.batch.rows import ResultRow, ResultRows
from evaluators.runs.shown_values import title
from evaluators.runs.store import FileBatch
from evaluators.text.language import mark, say, tag
from evaluators.text.scale import SCORE
from evaluators.text.words import counted
from ui import session
from ui.parts import problems, samples
from ui.parts.samples import PAGE_ROWS, REASON_SHOWN, TEXT_SHOWN, Verdict

ALL, ONLY_FAILED = mark("All"), mark("Failed")


def show(batch: FileBatch, results: BatchResults) -> None:
    """A page of rows, all or those that failed; why where the files cannot be read."""
    if not results.rows:
        return
    st.header(say("Rows", "list"), anchor="rows")
    with problems.caught():
        stored = ResultRows(batch, results.by_file)
        failed = sum(own.failed for own in results.by_file.values())
        only_failed = _is_only_failed(batch, results.rows, failed)
        count = failed if only_failed else results.rows
        page = _page_number(batch, count, only_failed=only_failed)
        shown = stored.page((page - 1) * PAGE_ROWS, PAGE_ROWS, only_failed=only_failed)
        _table(batch, shown, results)


def _is_only_failed(batch: FileBatch, rows: int, failed: int) -> bool:
    if not failed:
        return False
    counts = {ALL: rows, ONLY_FAILED: failed}
    choice = st.segmented_control(
        say("Rows", "list"),
        list(counts),
        default=ALL,
        format_func=lambda name: f"{say(name)} {counts[name]:,}",
        required=True,
        key=f"rows_{batch.id}",
        label_visibility="collapsed",
        persist_state="session",
    )
    return choice == ONLY_FAILED


def _page_number(batch: FileBatch, count: int, *, only_failed: bool) -> int:
    pages = -(-count // PAGE_ROWS)
    page = 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if pages > 1:
            # Of each choice its own: the failed ones have fewer pages.
            key = f"rows_page_{batch.id}_{only_failed}"
            page = st.pagination(pages, key=key, persist_state="session")
        st.caption(say("{counted}. Click a row to open it.", counted=counted(count, "row")))
    return page


def _table(batch: FileBatch, rows: Sequence[ResultRow], results: BatchResults) -> None:
    has_files = len(results.by_file) > 1
    columns = [_column(say("Row"), "number"), _column(say("Verdict"), "verdict")]
    if has_files:
        columns.append(_column(say("File"), "text"))
    columns.append(_column(say("Id"), "text"))
    columns += [_column(title(name), "value") for name in results.means]
    last = st.session_state.get(_last_key(batch))
    addresses = [(row.file, row.number) for row in rows]
    chosen = samples.component(
        key=f"batch_rows_{batch.id}",
        data={
            "columns": columns,
            "order": {},
            "rows": [_row(row, results.means, has_files=has_files) for row in rows],
            "current": addresses.index(last) if last in addresses else -1,
            "arrival": 0,
            "lang": tag(),
        },
        on_order_change=lambda: None,
        on_opened_change=lambda: None,
    )
    if chosen.opened:
        file, number = chosen.opened
        st.session_state[_last_key(batch)] = (file, number)
        address = session.address(batch=batch.id, file=str(file), row=str(number))
        st.switch_page("../pages/batch.py", query_params=address)


def _last_key(batch: FileBatch) -> str:
    return f"batch_row_{batch.id}"


def _column(title: str, kind: str) -> dict[str, Any]:
    return {"title": title, "kind": kind, "order": "", "term": None}


def _row(row: ResultRow, values: Mapping[str, object], *, has_files: bool) -> dict[str, Any]:
    verdict = _verdict(row)
    cells = [f"{row.number:,}", verdict.words]
    if has_files:
        cells.append(row.file[:TEXT_SHOWN])
    cells.append((row.cells.get("id") or "")[:TEXT_SHOWN])
    for name in values:
        value = row.cells.get(name)
        cells.append("" if value is None else SCORE.shown(value))
    return {
        "answer": [row.file, row.number],
        "name": say("Row {number:,} of {file}", number=row.number, file=row.file[:TEXT_SHOWN]),
        "mark": verdict.mark,
        "note": "",
        "cells": cells,
    }


def _verdict(row: ResultRow) -> Verdict:
    """What became of the row: failed by one metric is failed."""
    for metric in row.metrics:
        if row.cells[metric.status] == FAILED:
            reason = row.cells[metric.error] or ""
            short = reason if len(reason) <= REASON_SHOWN else f"{reason[:REASON_SHOWN]}…"
            return Verdict(say("failed: {why}", why=short), "failed")
    if any(row.cells[metric.status] == SCORED for metric in row.metrics):
        return Verdict(say("checked"), "good")
    return Verdict(say("not applicable"))
