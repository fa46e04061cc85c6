"""A run at work: how far it is, what it costs, why it stopped, what failed, how to go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from evaluators.document import tables as document_tables
from evaluators.errors import ParameterError
from evaluators.llm.estimate import duration
from evaluators.records import Cap, Remedy, Run
from evaluators.runs.counts import checked_in_words, failed_in_words
from evaluators.runs.engine import registry
from evaluators.runs.failures import HEADINGS, failures
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Counts
from evaluators.text.language import say, translated
from evaluators.text.words import ordinal
from ui import run_views, session
from ui.parts import problems, remedies, spending, tables
from ui.parts.untrusted import plain
from ui.runs import by_tomorrow

TICK = 1.0
"""Seconds between two drawings of a run's state."""
TICKS_A_SECOND = 4
"""Of all runs at work together, as far as one who looks at each of them makes them."""

REDRAW = (3.0, 10.0)
"""Seconds between two drawings of a run's partial results, least and most, where it is alone."""
SAMPLES_A_SECOND = 400
"""So many samples add a second to that: a run of more takes longer to draw."""

# More would push what the run found off a screen of 720 lines.
REASONS = 3


def redrawn(run: Run, body: Callable[[RunView], None]) -> None:
    """Draws the run's state and then `body`; while the run is at work both are drawn again."""
    moves = is_moving(run)

    def draw(part: Callable[[], None]) -> None:
        if is_moving(run) != moves:
            # Begun or ended since: the whole page, as only that starts or stops the ticks.
            st.rerun()
        with problems.caught():
            part()

    # Streamlit knows a fragment by the name of its function and its place on the page, and ignores
    # a tick whose fragment is no longer there. So what ticks has other names than what rests: a
    # late tick that is run just as the last drawing of the page ends can keep Streamlit from
    # cleaning up after that, and an old card would stay beside the new one
    # (streamlit/streamlit#9921).
    def ticking_state() -> None:
        draw(lambda: show_state(run))

    def ticking_results() -> None:
        draw(lambda: _draw_results(run, body))

    def resting_state() -> None:
        draw(lambda: show_state(run))

    def resting_results() -> None:
        draw(lambda: _draw_results(run, body))

    if moves:
        every = _seconds_to_redraw(run)
        tick = max(TICK, registry.at_work / TICKS_A_SECOND)
        st.fragment(ticking_state, run_every=tick, key=f"state_{run.id}")()
        st.fragment(ticking_results, run_every=every, key=f"body_{run.id}")()
    else:
        st.fragment(resting_state, key=f"state_{run.id}")()
        st.fragment(resting_results, key=f"body_{run.id}")()


def _seconds_to_redraw(run: Run) -> float:
    least, most = REDRAW
    samples = session.store().results.counts(run).asked
    seconds = min(max(least, samples / SAMPLES_A_SECOND), most)
    # Sooner, there is nothing new to be drawn.
    return max(seconds, run_views.seconds_between(samples, registry.at_work))


def _draw_results(run: Run, body: Callable[[RunView], None]) -> None:
    body(run_views.watched(run))


def show_state(run: Run) -> None:
    """While there is something to do a line and a bar, with what can be done; why it stopped.

    Of a finished run only what failed: the head of its page says all else.
    """
    # Not from a view, which may be some seconds old: the bar moves with every tick.
    counts = session.store().results.counts(run)
    at_work = registry.is_at_work(run.id, session.store())
    moves = is_moving(run)
    if moves or counts.open:
        with st.container(horizontal=True, vertical_alignment="center"):
            facts = [state_now(run, counts, at_work), *cost_so_far(run), *pace(run)]
            _progress_bar(counts, " · ".join(facts))
            actions(run, counts, at_work)
    elif counts.failed:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(failed_in_words(counts), icon=":material/error:")
            actions(run, counts, at_work)
            if run.cap != Cap():
                # What failed for want of money leaves no stop reason behind once all was tried.
                _cap_button(run)
    if not at_work:
        by_tomorrow.show(run)
    problems.show(run.id)
    _why_it_stopped(run)


def actions(run: Run, counts: Counts, at_work: bool) -> None:
    """The buttons that fit the run's state.

    `problems.show(run.id)` shows why one of them came to nothing.
    """
    if registry.is_live(run.id) or registry.is_waiting(run.id):
        _action_button(say("Cancel"), "stop", f"cancel_{run.id}", _cancel, run)
    elif at_work:
        st.caption(say("At work in another process: stop it there (Ctrl-C)."))
    elif by_tomorrow.state(run):
        by_tomorrow.actions(run)
    elif counts.open and _stopped_at_cap(run):
        _cap_button(run)
    elif counts.open and run.overnight:
        by_tomorrow.rest_actions(run)
    elif counts.open:
        _action_button(say("Resume"), "play_arrow", f"resume_{run.id}", _go_on, run)
    elif counts.failed:
        _action_button(say("Retry failed"), "refresh", f"retry_{run.id}", _go_on, run)


def _why_it_stopped(run: Run) -> None:
    """Why it stopped; what was collected of it, and what became of the rest."""
    # One of several models may have stopped while the others go on.
    reasons = session.store().runs.stop_reasons(run.id)
    # What is out is said above, as it is now.
    told = [reason for reason in reasons if reason.remedy != Remedy("collect")]
    of_batches = [reason for reason in told if reason.kind == "batch"]
    others = [reason for reason in told if reason.kind != "batch"]
    if of_batches:
        st.info(plain(" ".join(map(remedies.worded, of_batches))), icon=":material/bedtime:")
    if others:
        st.warning(plain(" ".join(map(remedies.worded, others))), icon=":material/pause_circle:")


def is_moving(run: Run) -> bool:
    """Whether the run is at work, here or elsewhere, or waits for a place."""
    return registry.moves(run.id, session.store())


def state_now(run: Run, counts: Counts, at_work: bool) -> str:
    """The state in words, the same everywhere."""
    scored = counts_in_words(run, counts)
    place = registry.place(run.id)
    if place:
        waiting = say("Waiting · {place}", place=ordinal(place.number))
        if place.seconds is not None:
            minutes = duration(place.seconds / 60)
            waiting = say("{waiting}, about {minutes}", waiting=waiting, minutes=minutes)
        return f"{waiting} · {scored}"
    if at_work and not counts.open:
        return say("Working out the values")
    if at_work:
        return f"{say('Running')} · {scored}"
    if not counts.open:
        return scored
    return f"{by_tomorrow.state(run) or say('Stopped')} · {scored}"


def counts_in_words(run: Run, counts: Counts) -> str:
    """How far a run is: "216 answers checked", "20 of 24 checked · 1 failed"."""
    checked = checked_in_words(run, counts)
    if not counts.failed:
        return checked
    return f"{checked} · {say('{count:,} failed', count=counts.failed)}"


def cost_so_far(run: Run) -> list[str]:
    """What the run has cost, nothing where it asked no LLM."""
    paid = session.store().calls.spent(run.id)
    return [spending.words(paid)] if paid else []


def pace(run: Run, *, brief: bool = False) -> list[str]:
    """How fast a live run is, how long it will take, and what it waits for."""
    # Who sees the pace watches the run, and a public host pauses what nobody watches.
    registry.watch(run.id)
    progress = registry.progress(run.id)
    if progress is None:
        return []
    parts = []
    if progress.rate and not brief:
        parts.append(say("{count:.0f} a minute", count=progress.rate))
    if progress.seconds_left is not None:
        parts.append(_time_left(progress.seconds_left))
    if progress.waiting:
        parts.append(translated(progress.waiting))
    return parts


def what_was_refused(view: RunView) -> None:
    """What providers would not accept of the requests, as the run's card alone would mislead."""
    refused = view.remarks().refused
    if refused:
        listed = "; ".join(map(translated, refused))
        words = say("Some requests were not made as chosen: {which}.", which=listed)
        st.caption(plain(words))


def why_samples_failed(view: RunView) -> None:
    """The most frequent reasons why samples failed."""
    reasons = failures(view.remarks().failures, remedies.worded)
    tables.show(document_tables.failures(reasons, REASONS), say(HEADINGS[1]))


def sidebar(page: str) -> None:
    """The runs of this workspace that are at work or wait, but for the one that the page shows."""
    live = registry.live(session.workspace())
    live = [run for run in live if not session.is_on_page(run, page)]
    if not live:
        return

    # By itself: else whatever page is open would be drawn anew with every tick.
    @st.fragment(run_every=TICK)
    def watch() -> None:
        with problems.caught():
            for run in live:
                counts = session.store().results.counts(run)
                # Somebody may have renamed it since it was started.
                renamed = session.find_run(run.id) or run
                _progress_bar(counts, renamed.title)
                state = state_now(run, counts, registry.is_live(run.id))
                facts = [state, *cost_so_far(run), *pace(run, brief=True)]
                st.caption(plain(" · ".join(facts)))
        if not all(map(is_moving, live)):
            # The page may show the run that ended, with buttons for one at work.
            st.rerun()

    watch()


def _action_button(
    label: str,
    icon: str,
    key: str,
    callback: Callable[[Run], None],
    run: Run,
) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        key=key,
        on_click=problems.guarded(callback, run.id),
        args=(run,),
    )


def _progress_bar(counts: Counts, text: str) -> None:
    done = counts.asked - counts.open
    st.progress(done / max(counts.asked, 1), text=plain(text))


def _time_left(seconds: float) -> str:
    # Two digits at most: a forecast is no better than that.
    if seconds < 90:
        return say("{seconds:.0f} s left", seconds=seconds)
    if seconds < 5400:
        return say("{minutes:.0f} min left", minutes=seconds / 60)
    return say("{hours:.1f} h left", hours=seconds / 3600)


def _stopped_at_cap(run: Run) -> bool:
    reasons = session.store().runs.stop_reasons(run.id)
    return run.cap != Cap() and any(reason.kind == "cap" for reason in reasons)


def _cap_button(run: Run) -> None:
    kind: Literal["primary", "secondary"] = "primary" if _stopped_at_cap(run) else "secondary"
    label = say("Raise the budget")
    with st.popover(label, type=kind, icon=":material/payments:", key=f"cap_{run.id}"):
        form = st.form(f"cap_form_{run.id}", border=False)
        calls = run.cap.calls
        cost = run.cap.cost
        # Twice as much is proposed: it can be had without typing, and a little more stops again.
        if calls:
            form.number_input(say("Calls in all"), value=2 * calls, key=f"cap_calls_{run.id}")
        if cost:
            form.number_input(say("US dollars in all"), value=2 * cost, key=f"cap_cost_{run.id}")
        form.form_submit_button(
            say("Raise and resume"),
            type="primary",
            on_click=problems.guarded(_raise_cap, run.id),
            args=(run,),
        )


def _raise_cap(run: Run) -> None:
    """Takes the cap of the form and starts the run.

    Raises `ParameterError` where the new cap is lower than the one before, or the same.
    """
    entered = {}
    for name in Cap.model_fields:
        # A form's fields are read by their keys: a callback comes before they are drawn.
        entered[name] = st.session_state.get(f"cap_{name}_{run.id}")
    before = run.cap.model_dump(exclude_none=True)
    for name, limit in before.items():
        after = entered[name]
        # An emptied field is no limit at all, which is more than before.
        if after is not None and after < limit:
            raise ParameterError(
                say(
                    "{after:g} is less than the budget of {limit:g} that the run had. Enter more.",
                    after=after,
                    limit=limit,
                )
            )
    if all(entered[name] == limit for name, limit in before.items()):
        raise ParameterError(say("This is the budget that the run had. Enter more."))
    cap = Cap(**entered)
    session.store().runs.set_cap(run.id, cap)
    _go_on(run.model_copy(update={"cap": cap}))


def _go_on(run: Run) -> None:
    registry.start_or_wait(run, session.store(), session.keys(), session.visitor())


def _cancel(run: Run) -> None:
    registry.cancel(run.id)
