"""A run at work: how far it is, what it costs, why it stopped, what failed, and the buttons to go
on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from evaluators.errors import ParameterError
from evaluators.llm.estimate import duration
from evaluators.records import Cap, Run
from evaluators.runs.engine import registry
from evaluators.runs.store import Counts
from ui import session
from ui.parts import problems, remedies, spending
from ui.parts.untrusted import plain
from ui.parts.words import ordinal

TICK = 1.0
"""Seconds between two drawings of a run's state."""

REDRAW = (3.0, 10.0)
SAMPLES_A_SECOND = 400
"""Seconds between two drawings of partial results, least and most: a run of more samples takes
longer to draw.
"""

REASONS = 5

MANY = 0.1
"""From more failures than this part of what was asked, their reasons are shown without a click."""


def watched(run: Run, body: Callable[[Run], None]) -> None:
    """Draws the run's state and then `body`; while the run is at work both are drawn again."""
    moves = is_moving(run)

    def follow(draw: Callable[[], None]) -> None:
        if is_moving(run) != moves:
            # begun or ended: the whole page, because only that sets or stops the ticking
            st.rerun()
        with problems.told():
            draw()

    def results() -> None:
        spending.show(run)
        notes(run)
        failures(run)
        body(run)

    st.fragment(
        lambda: follow(lambda: state(run)), run_every=TICK if moves else None, key=f"state_{run.id}"
    )()
    st.fragment(
        lambda: follow(results), run_every=_redraw(run) if moves else None, key=f"body_{run.id}"
    )()


def state(run: Run) -> None:
    """One line and a bar: scored / asked, failures, pace, and what can be done now; below, why it
    stopped.
    """
    counts, at_work = (
        session.store().results.counts(run),
        registry.is_at_work(run.id, session.store()),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        _bar(counts, " · ".join([words(run, counts, at_work), *spent(run), *pace(run)]))
        actions(run, counts, at_work)
        if not is_moving(run) and not counts.open and counts.failed and run.cap != Cap():
            _raise_cap(run)  # a second try at the cap comes to nothing, and leaves no reason
    problems.show(run.id)
    if reasons := session.store().runs.stop_reasons(
        run.id
    ):  # of one model, perhaps, while others go on
        st.warning(plain(" ".join(map(remedies.worded, reasons))), icon=":material/pause_circle:")
    if counts.failed and not counts.open and not is_moving(run):
        results = (
            f"the results are of the other {counts.scored:,}"
            if counts.scored
            else "there is no result"
        )
        st.warning(
            f"{counts.failed:,} of {counts.asked:,} failed: {results}.", icon=":material/error:"
        )


def actions(run: Run, counts: Counts, at_work: bool) -> None:
    """The buttons that fit the run's state; `problems.show(run.id)` tells why one of them came to
    nothing.
    """
    if registry.is_live(run.id) or registry.is_waiting(run.id):
        _button("Cancel", "stop", f"cancel_{run.id}", _cancel, run)
    elif at_work:
        st.caption("At work in another process: stop it there (Ctrl-C).")
    elif counts.open and _stopped_at_cap(run):
        _raise_cap(run)
    elif counts.open:
        _button("Resume", "play_arrow", f"resume_{run.id}", _start, run)
    elif counts.failed:
        _button("Retry failed", "refresh", f"retry_{run.id}", _start, run)


def is_moving(run: Run) -> bool:
    """Whether the run is at work, here or elsewhere, or waits for a place."""
    return registry.is_waiting(run.id) or registry.is_at_work(run.id, session.store())


def words(run: Run, counts: Counts, at_work: bool) -> str:
    """The state in words, the same everywhere."""
    if place := registry.place(run.id):
        about = "" if place.seconds is None else f", about {duration(place.seconds / 60)}"
        return (
            f"Waiting · {ordinal(place.number)}{about} · {counts.scored:,} / {counts.asked:,} "
            "scored"
        )
    head = "Running" if at_work else "Stopped" if counts.open else "Finished"
    failed = f" · {counts.failed} failed" if counts.failed else ""
    return f"{head} · {counts.scored:,} / {counts.asked:,} scored{failed}"


def spent(run: Run) -> list[str]:
    """What the run has cost, nothing where it asked no LLM."""
    paid = session.store().calls.spent(run.id)
    return [spending.words(paid)] if paid else []


def pace(run: Run, *, brief: bool = False) -> list[str]:
    """How fast a live run is, how long it will take, and what it waits for; who is told this
    watches the run.
    """
    registry.watch(run.id)
    progress = registry.progress(run.id)
    if progress is None:
        return []
    told = [f"{progress.rate:.0f} a minute"] if progress.rate and not brief else []
    if progress.seconds_left is not None:
        told.append(_left(progress.seconds_left))
    return [*told, progress.waiting] if progress.waiting else told


def notes(run: Run) -> None:
    """What of the requests a provider would not accept,
    so that the run's card alone would mislead.
    """
    if noted := session.store().results.notes(run.id):
        st.caption(plain(f"Not all was asked as chosen: {'; '.join(noted)}."))


def failures(run: Run) -> None:
    """The most frequent reasons why samples failed."""
    reasons = session.store().results.failures(run.id)
    if not reasons:
        return
    counts = session.store().results.counts(run)
    are_many = counts.failed > MANY * counts.asked
    with st.expander(
        "Why samples failed", are_many, icon=":material/error:", key=f"failures_{run.id}"
    ):
        rows = [
            {"Samples": count, "Reason": remedies.worded(reason)}
            for reason, count in reasons[:REASONS]
        ]
        st.dataframe(rows, hide_index=True, alt="Failures by reason")
        if len(reasons) > REASONS:
            st.caption(f"The {REASONS} most frequent of {len(reasons)} reasons.")


def sidebar() -> None:
    """The runs of this workspace that are at work or wait, on every page."""
    live = registry.live(session.workspace())
    if not live:
        return

    @st.fragment(run_every=TICK)
    def watch() -> None:
        with problems.told():
            for run in live:
                counts = session.store().results.counts(run)
                _bar(counts, run.title)
                told = [
                    words(run, counts, registry.is_live(run.id)),
                    *spent(run),
                    *pace(run, brief=True),
                ]
                st.caption(plain(" · ".join(told)))
        if not all(map(is_moving, live)):
            st.rerun()

    watch()


def _redraw(run: Run) -> float:
    least, most = REDRAW
    return min(max(least, session.store().results.counts(run).asked / SAMPLES_A_SECOND), most)


def _button(label: str, icon: str, key: str, callback: Callable[[Run], None], run: Run) -> None:
    on_click = problems.guarded(callback, run.id)
    st.button(label, icon=f":material/{icon}:", key=key, on_click=on_click, args=(run,))


def _bar(counts: Counts, text: str) -> None:
    st.progress((counts.asked - counts.open) / max(counts.asked, 1), text=plain(text))


def _left(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"


def _stopped_at_cap(run: Run) -> bool:
    reasons = session.store().runs.stop_reasons(run.id)
    return run.cap != Cap() and any(reason.kind == "cap" for reason in reasons)


def _raise_cap(run: Run) -> None:
    kind: Literal["primary", "secondary"] = "primary" if _stopped_at_cap(run) else "secondary"
    with st.popover("Raise the cap", type=kind, icon=":material/payments:", key=f"cap_{run.id}"):
        form = st.form(f"cap_form_{run.id}", border=False)
        if calls := run.cap.calls:
            form.number_input("Calls in all", value=2 * calls, key=f"cap_calls_{run.id}")
        if cost := run.cap.cost:
            form.number_input("US dollars in all", value=2 * cost, key=f"cap_cost_{run.id}")
        on_click = problems.guarded(_resume_with_more, run.id)
        form.form_submit_button("Raise and resume", type="primary", on_click=on_click, args=(run,))


def _resume_with_more(run: Run) -> None:
    """Raises the cap and starts the run; raises `ParameterError` where the new one is lower, or as
    high.
    """
    chosen = {name: st.session_state.get(f"cap_{name}_{run.id}") for name in Cap.model_fields}
    capped = [
        (before, chosen[name]) for name, before in run.cap.model_dump(exclude_none=True).items()
    ]
    for before, after in capped:
        if after is not None and after < before:
            raise ParameterError(
                f"{after:g} is less than the cap of {before:g} that the run had. Enter more."
            )
    if all(before == after for before, after in capped):
        raise ParameterError("This is the cap that the run had. Enter more.")
    cap = Cap(**chosen)
    session.store().runs.set_cap(run.id, cap)
    _start(run.model_copy(update={"cap": cap}))


def _start(run: Run) -> None:
    registry.start_or_wait(run, session.store(), session.keys(), session.visitor())


def _cancel(run: Run) -> None:
    registry.cancel(run.id)
