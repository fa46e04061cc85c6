"""The head of a run's page: what it was and what can be done with it, details folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from evaluators.comparison import groups
from evaluators.config import config
from evaluators.records import Run
from evaluators.runs import run_facts
from evaluators.runs.card import run_card
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from ui import run_views, session
from ui.models import assigned
from ui.parts import (
    check_link,
    chosen_view,
    command,
    compare_with,
    label_some,
    present,
    problems,
    spending,
    start_round,
)
from ui.parts.moments import local_time
from ui.parts.present import Block
from ui.parts.untrusted import plain
from ui.runs import files, hub, naming, progress, recount, repeated, run_again


def new_run(shown: Run | None, form: Callable[[], None]) -> None:
    """The form of a new run; shut where a run is shown, and then drawn only if it is opened."""
    # Another run begins with another expander, shut: after Start its results are in sight.
    place = f"new_run_{shown.id}" if shown else "new_run"
    box = st.expander(
        say("New run"),
        expanded=shown is None,
        icon=":material/tune:",
        key=place,
        # Without this its forty fields are drawn unseen, which takes a browser as long as results.
        on_change="rerun",
    )
    if box.open:
        with box:
            form()


def watched(
    run: Run,
    card: Callable[[Run], None],
    results: Callable[[RunView], None],
) -> None:
    """The page of a run: its state while it is at work, its head with the card, its results."""

    def body(view: RunView) -> None:
        show(view, card)
        results(view)

    progress.redrawn(run, body)


def is_presented(run: Run) -> bool:
    """Whether the run's results are shown block by block: not before they stand."""
    return present.is_on() and not progress.is_moving(run)


def presented_run(run: Run, blocks: Callable[[RunView], Sequence[Block]]) -> None:
    """The results, block by block; nothing else is on the page."""
    with problems.caught():
        present.show(blocks(run_views.latest(run)))


def show(view: RunView, card: Callable[[Run], None]) -> None:
    """The head; `card` draws what else the run was, among the details."""
    run = view.run
    with st.container(horizontal=True, vertical_alignment="center", key=f"head_{run.id}"):
        state = []
        # While the run is at work the line above says both, as they are now.
        if not progress.is_moving(run):
            state = [progress.counts_in_words(run, view.counts), *progress.cost_so_far(run)]
        facts = [*run_facts.method_beside_title(run), *state, local_time(run.created)]
        st.markdown(f"**{plain(run.title)}** · {plain(' · '.join(facts))}")
        # Together, so that no single button has a line of its own.
        with st.container(horizontal=True, width="content"):
            _buttons(view, card)
    naming.line_of_names(run)
    if not progress.is_moving(run):
        if damage := view.damage_in_sight().sentence():
            st.warning(damage, icon=":material/broken_image:")
        assigned.hand_in(run)
    recount.show(view)
    repeated.show(view)
    progress.why_samples_failed(view)


def _buttons(view: RunView, card: Callable[[Run], None]) -> None:
    """What is done most with a run, and all else in a menu."""
    run = view.run
    has_ended = not progress.is_moving(run)
    has_groups = has_ended and groups.can_be_compared(view)
    with st.popover(say("Share"), icon=":material/share:", key=f"share_{run.id}"):
        _link(run)
        if has_ended:
            files.download(view)
            hub.form(view)
        files.assignment_link(run)
    if has_groups:
        compare_with.groups_button(run, groups.column_of(run))
    elif has_ended:
        compare_with.button(run)
    label_some.button(run)
    with st.popover(say("More"), icon=":material/more_horiz:", key=f"more_{naming.place_of(run)}"):
        with st.popover(say("Details"), icon=":material/info:", key=f"details_{run.id}"):
            card(run)
            _details_of_all_runs(view)
        run_again.button(run)
        if has_groups:
            compare_with.button(run)
        if has_ended:
            check_link.button(run)
            start_round.button(run)
            present.button(run.id)
        naming.form(run)
    if has_ended:
        # The menu's own button hears its key only while the menu is open.
        with st.container(key="by_key"):
            present.button("by_key")


def _details_of_all_runs(view: RunView) -> None:
    """What is folded away of every run, whatever it measures."""
    run = view.run
    spending.show(view)
    progress.what_was_refused(view)
    command.show(run)
    repeated.links(run)
    _card_text(view)


def _card_text(view: RunView) -> None:
    """The reproducibility card to copy; made only when it is opened, as it reads every value."""
    box = st.expander(say("Reproducibility card"), key=f"card_{view.run.id}", on_change="rerun")
    if box.open:
        text = run_card(view.store, view.run, chosen_view.of(view.run))
        box.code(text, language=None)


def _link(run: Run) -> None:
    address = (st.context.url or "").partition("?")[0]
    query = "&".join(f"{name}={value}" for name, value in session.address(run=run.id).items())
    st.code(f"{address}?{query}", language=None, wrap_lines=True)
    if config().public:
        st.caption(say("Whoever has this link sees and changes all that is in your workspace."))
    else:
        st.caption(say("Opens this run on this machine."))
    # In a public host's frame there would be the way to a workspace, for whoever reads that page.
    frames = config().framed_by
    if frames and (not config().public or run.workspace != session.workspace()):
        st.caption(plain(say("For a page of {sites}, which shows it in a frame", sites=frames)))
        frame = f'<iframe src="{address}?run={run.id}&embed=true" title="Plumbline"'
        st.code(f'{frame} width="100%" height="800"></iframe>', language=None, wrap_lines=True)
