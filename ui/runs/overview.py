"""Runs as a list: what it was, how far it is, what can be done."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlencode

import streamlit as st

from evaluators.config import config
from evaluators.errors import RunElsewhereError
from evaluators.prompts import shipped
from evaluators.records import Run
from evaluators.runs.engine import registry
from evaluators.runs.store import Unreadable
from ui import session
from ui.parts import problems, run_facts
from ui.parts.untrusted import plain
from ui.runs import progress

ELSEWHERE = (
    "This run is at work in another process, perhaps a terminal. Stop it there (Ctrl-C) "
    "before you delete it."
)
UNREADABLE = "This run cannot be read."
SHOWN = 8
"""Signs of the id of a run that has no title to show."""

GONE = "it was deleted, or the address is incomplete."
GONE_OR_FOREIGN = (
    "it was deleted, the address is incomplete, or the run belongs to another workspace. "
    "Open that one with its own link."
)


def show(limit: int, *, editable: bool = False) -> None:
    """The newest runs of this workspace; `editable` adds resume, retry and delete."""
    runs = session.store().runs.newest(session.workspace(), limit)
    unreadable = session.store().runs.unreadable(session.workspace(), limit)
    if not runs and not unreadable:
        again = " Had runs here before? Open them with your link." if config().public else ""
        hint = f"No run yet. Start one on the Home, RGB, TRACE or Metrics page.{again}"
        st.info(hint, icon=":material/hourglass_empty:")
    else:
        keep_link()
    keeps_answers = editable and session.store().calls.answers_kept(session.workspace()) > 0
    for run in runs:
        _row(run, editable, keeps_answers)
    for lost in unreadable:
        _unreadable(lost, editable)


def missing(run: Run | None) -> None:
    """What a page says first of all where the address names a run that is not there."""
    if run is None and "run" in st.query_params:
        lost = session.store().runs.unreadable(session.workspace())
        if st.query_params["run"] in {each.name for each in lost}:
            words = f"{UNREADABLE} Save what is stored, or delete it, on the Runs page."
        else:
            words = f"There is no such run here: {GONE_OR_FOREIGN if config().public else GONE}"
        st.warning(words, icon=":material/link_off:")
        _earlier()


def none_shown(hint: str) -> None:
    """What a page says that has no run to show, and whose address names none."""
    if "run" not in st.query_params:
        st.info(hint, icon=":material/play_circle:")
        _earlier()


def keep_link() -> None:
    """On a public host: that the way back to all this is the address alone,
    with the link to keep.
    """
    if config().public:
        link = f"./?{urlencode(session.address())}"
        st.caption(f":material/bookmark: Your workspace is only at [this link]({link}): keep it.")


def _earlier() -> None:
    if session.store().runs.ids(session.workspace()):
        st.page_link("../pages/runs.py", label="Earlier runs", icon=":material/history:")


def _row(run: Run, editable: bool, keeps_answers: bool) -> None:
    counts, at_work = (
        session.store().results.counts(run),
        registry.is_at_work(run.id, session.store()),
    )
    with st.container(border=True):
        what, state, buttons = st.columns([5, 3, 3], vertical_alignment="center")
        what.markdown(f"**{plain(run.title)}**  \n{_kind(run)} · {_when(run)}")
        state.caption(progress.words(run, counts, at_work))
        with buttons.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Open", icon=":material/open_in_new:", key=f"open_{run.id}"):
                session.open_run(run)
            if editable:
                progress.actions(run, counts, at_work)
                _delete(run, at_work, keeps_answers)
        problems.show(run.id)


def _unreadable(lost: Unreadable, editable: bool) -> None:
    with st.container(border=True):
        what, buttons = st.columns([8, 3], vertical_alignment="center")
        what.markdown(f"**{UNREADABLE}**  \n{plain(f'Run {lost.name[:SHOWN]} · {lost.reason}')}")
        if editable:
            with buttons.container(horizontal=True, horizontal_alignment="right"):
                raw = session.store().runs.raw
                st.download_button(
                    "Save as stored",
                    lambda: b"".join(raw(lost.name)),
                    f"{lost.name}.jsonl",
                    "application/jsonl",
                    icon=":material/download:",
                    key=f"raw_{lost.name}",
                    on_click="ignore",
                )
                with st.popover("Delete", icon=":material/delete:", key=f"ask_{lost.name}"):
                    st.write("Delete this run and its results?")
                    on_click = problems.guarded(session.store().runs.delete, lost.name)
                    key = f"delete_{lost.name}"
                    st.button(
                        "Delete for good",
                        type="primary",
                        key=key,
                        on_click=on_click,
                        args=(lost.name,),
                    )
        problems.show(lost.name)


def _delete(run: Run, at_work: bool, keeps_answers: bool) -> None:
    with st.popover("Delete", icon=":material/delete:", key=f"ask_{run.id}"):
        if at_work and not registry.is_live(run.id):
            st.write(ELSEWHERE)
            return
        st.write("Delete this run and its results?")
        if keeps_answers:
            st.caption("Stored answers stay. Clear them on the Settings page.")
        on_click = problems.guarded(_remove, run.id)
        st.button(
            "Delete for good",
            type="primary",
            key=f"delete_{run.id}",
            on_click=on_click,
            args=(run,),
        )


def _remove(run: Run) -> None:
    """Deletes the run; raises `RunElsewhereError` where another process works on it."""
    registry.cancel(run.id)
    if registry.is_at_work(run.id, session.store()):
        raise RunElsewhereError(ELSEWHERE)
    session.store().runs.delete(run.id)


def _kind(run: Run) -> str:
    kind = ", ".join(run_facts.metric_titles(run))
    models = f" with {', '.join(run_facts.titles(run))}" if run.models else ""
    judges = run_facts.judge_titles(run)
    jury = f" · {'jury' if len(judges) > 1 else 'judge'} {', '.join(judges)}" if judges else ""
    own = f" · own prompt {run.prompt_hash}" if run.prompt and run.prompt not in shipped() else ""
    return plain(f"{kind}{models}{jury}{own}")


def _when(run: Run) -> str:
    return datetime.fromisoformat(run.created).strftime("%d %b %Y, %H:%M UTC")
