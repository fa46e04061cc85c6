"""Runs as a list: what it was, how far it is, what can be done."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from evaluators.config import config
from evaluators.prompts import shipped
from evaluators.records import Run
from evaluators.runs import run_facts
from evaluators.runs.engine import registry
from evaluators.runs.store import Counts, Unreadable
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.language import mark, say, translated
from ui import session
from ui.parts import head as page_head
from ui.parts import problems
from ui.parts.moments import local_time
from ui.parts.untrusted import plain
from ui.runs import by_tomorrow, example, progress

UNREADABLE = mark("This run cannot be read.")
ID_SHOWN = 8
"""Letters of the id of a run that has no title to show."""

GONE = mark("There is no such run here: it was deleted, or the address is incomplete.")
GONE_OR_FOREIGN = mark(
    "There is no such run here: it was deleted, the address is incomplete, or the run belongs to "
    "another workspace. Open that one with its own link."
)


def show(limit: int) -> None:
    """The newest runs of this workspace, each a card that opens."""
    runs = session.store().runs.newest(session.workspace(), limit)
    lost = session.store().runs.unreadable(session.workspace(), limit)
    if not runs and not lost:
        nothing_yet()
        return
    keep_link()
    for run in runs:
        counts = session.store().results.counts(run)
        run_box(run, counts, registry.is_at_work(run.id, session.store()))
    for unreadable in lost:
        with st.container(border=True):
            _unreadable_line(unreadable)


def nothing_yet() -> None:
    """Where to begin, as there is no run."""
    hint = say("No run yet. Start one on the Home, RGB, TRACE or Metrics page.")
    if config().public:
        hint = f"{hint} {say('Had runs here before? Open them with your link.')}"
    st.info(hint, icon=":material/hourglass_empty:")


def head_of_run(title: str, line: str, run: Run | None) -> None:
    """The head of a run's page, which says that it is an example, or that there is no such run."""
    with page_head.row(title):
        if run is not None and run.workspace == EXAMPLES:
            example.banner(run)
        else:
            st.caption(line)
    if run is None and "run" in st.query_params:
        # A run that cannot be read is not gone: what is stored of it can still be saved.
        unreadable = session.store().runs.unreadable(session.workspace())
        if st.query_params["run"] in {lost.name for lost in unreadable}:
            remedy = say("Save what is stored, or delete it, on the Runs page.")
            warning = f"{say(UNREADABLE)} {remedy}"
        else:
            warning = say(GONE_OR_FOREIGN if config().public else GONE)
        st.warning(warning, icon=":material/link_off:")
        _link_to_earlier_runs()


def none_shown(hint: str) -> None:
    """What a page says that has no run to show, and whose address names none."""
    if "run" not in st.query_params:
        st.info(hint, icon=":material/play_circle:")
        _link_to_earlier_runs()


def keep_link() -> None:
    """The link to keep on a public host: there the address alone leads back to all this."""
    if config().public:
        link = f"./?{urlencode(session.address())}"
        words = say("Your workspace is only at [this link]({link}): keep it.", link=link)
        st.caption(f":material/bookmark: {words}")


def _link_to_earlier_runs() -> None:
    if session.store().runs.ids(session.workspace()):
        st.page_link("../pages/runs.py", label=say("Earlier runs"), icon=":material/history:")


def run_box(run: Run, counts: Counts, at_work: bool, *, with_actions: bool = False) -> None:
    """A run in a box: what it was, how far it is, and the way to it."""
    with st.container(border=True):
        what, state, buttons = st.columns([5, 3, 3], vertical_alignment="center")
        facts = run_facts.method_beside_title(run)
        # A prompt of one's own decides what the run can be compared with; a shipped one is usual.
        if run.prompt and run.prompt not in shipped():
            facts.append(say("own prompt {hash}", hash=run.prompt_hash))
        about = plain(" · ".join([*facts, local_time(run.created)]))
        what.markdown(f"**{plain(run.title)}**  \n{about}")
        state.caption(progress.state_now(run, counts, at_work))
        with buttons.container(horizontal=True, horizontal_alignment="right"):
            if st.button(say("Open"), icon=":material/open_in_new:", key=f"open_{run.id}"):
                session.open_run(run)
            if with_actions:
                progress.actions(run, counts, at_work)
        if not at_work:
            by_tomorrow.show(run)
        problems.show(run.id)


def unreadable_run(lost: Unreadable) -> None:
    """One of which only what is stored can be saved."""
    with st.container(border=True):
        what, buttons = st.columns([8, 3], vertical_alignment="center")
        with what:
            _unreadable_line(lost)
        with buttons.container(horizontal=True, horizontal_alignment="right"):
            raw = session.store().runs.raw
            st.download_button(
                say("Save as stored"),
                # Read at the click only, as a run may be large.
                lambda: b"".join(raw(lost.name)),
                f"{lost.name}.jsonl",
                "application/jsonl",
                icon=":material/download:",
                key=f"raw_{lost.name}",
                on_click="ignore",
            )
            with st.popover(say("Delete"), icon=":material/delete:", key=f"ask_{lost.name}"):
                st.write(say("Delete this run and its results?"))
                st.button(
                    say("Delete for good"),
                    type="primary",
                    key=f"delete_{lost.name}",
                    on_click=problems.guarded(session.store().runs.delete, lost.name),
                    args=(lost.name,),
                )
        problems.show(lost.name)


def _unreadable_line(lost: Unreadable) -> None:
    run_id = lost.name[:ID_SHOWN]
    which = say("Run {id}", id=run_id)
    st.markdown(f"**{say(UNREADABLE)}**  \n{plain(f'{which} · {translated(lost.reason)}')}")
