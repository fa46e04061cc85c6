"""A run whose models answer by tomorrow: what is still out, collected or cancelled by a click."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from evaluators.llm.keys import bind
from evaluators.llm.providers import PROVIDERS
from evaluators.records import Run
from evaluators.runs.engine import registry
from evaluators.runs.overnight import on_their_way, state_of_batches
from evaluators.runs.run_options import llms_of
from evaluators.text.language import mark, say
from evaluators.text.words import counted
from ui import session
from ui.parts import problems
from ui.parts.moments import local_time
from ui.parts.untrusted import plain


def state(run: Run) -> str:
    """What the run waits for, in two or three words; empty where nothing is out."""
    found = state_of_batches(session.store(), run.id)
    return say(found) if found else ""


def show(run: Run) -> None:
    """A line for each provider: how many requests it has, and since when."""
    lines = []
    for own in on_their_way(session.store(), run.id):
        words = mark("{provider}: {requests} sent {moment}, {answered:,} answered so far.")
        if own.is_cancelling:
            words = mark(
                "{provider}: {requests} sent {moment}, being cancelled. Collect in a few minutes "
                "what was answered by then."
            )
        lines.append(
            say(
                words,
                provider=own.provider,
                requests=counted(own.requests, "request"),
                moment=local_time(own.since),
                answered=own.answered,
            )
        )
    if lines:
        st.caption("  \n".join(map(plain, lines)))


def actions(run: Run) -> None:
    """Collect and Cancel, behind a field for each key that this visitor has not entered.

    `problems.show(run.id)` shows why one of them came to nothing.
    """
    missing = _providers_without_key(run)
    if not missing:
        _buttons(run, st.button)
        return
    with st.popover(say("Collect"), icon=":material/download:", key=f"keys_{run.id}"):
        form = st.form(f"keys_form_{run.id}", border=False)
        for provider in missing:
            form.text_input(
                say("API key for {provider}", provider=PROVIDERS[provider].title),
                type="password",
                autocomplete="off",
                help=say("It stays in memory: on no disk, in no address, in no log."),
                key=_field_of_key(run, provider),
            )
        with form:
            _buttons(run, st.form_submit_button)


def rest_actions(run: Run) -> None:
    """For what no provider has: when it is to be asked."""
    for label, icon, overnight in (
        (say("Ask by tomorrow"), "bedtime", True),
        (say("Ask now"), "play_arrow", False),
    ):
        st.button(
            label,
            icon=f":material/{icon}:",
            key=f"rest_{overnight}_{run.id}",
            on_click=problems.guarded(_ask_rest, run.id),
            args=(run, overnight),
        )


def warn_before_delete(runs: Sequence[Run]) -> None:
    """Says what providers still have of these runs, and offers to cancel it first."""
    requests = 0
    with_requests = []
    for run in runs:
        batches = session.store().batches.open(run.id)
        # One of which it is not known whether it was sent may be out all the same.
        out = [batch for batch in batches if batch.status in ("sending", "sent")]
        requests += sum(batch.requests for batch in out)
        if out:
            with_requests.append(run)
    if not with_requests:
        return
    st.warning(
        say(
            "{requests} still out: deleting does not stop them, and you pay for what is answered. "
            "Cancel first.",
            requests=counted(requests, "request"),
        ),
        icon=":material/bedtime:",
    )
    st.button(
        say("Cancel the batch"),
        icon=":material/stop:",
        key="runs_cancel_batches",
        on_click=problems.guarded(_withdraw_all, "runs"),
        args=(with_requests,),
    )


def _buttons(run: Run, button: Callable[..., object]) -> None:
    choices: list[tuple[str, str, Callable[[Run], None]]] = [
        (say("Collect"), "download", _collect),
    ]
    if not all(own.is_cancelling for own in on_their_way(session.store(), run.id)):
        choices.append((say("Cancel the batch"), "stop", _withdraw))
    for label, icon, callback in choices:
        button(
            label,
            icon=f":material/{icon}:",
            key=f"{callback.__name__}_{run.id}",
            on_click=problems.guarded(_with_keys, run.id),
            args=(run, callback),
        )


def _providers_without_key(run: Run) -> list[str]:
    keys = session.keys()
    providers = dict.fromkeys(spec.provider for spec in llms_of(run))
    return [provider for provider in providers if provider not in keys]


def _field_of_key(run: Run, provider: str) -> str:
    return f"key_{provider}_{run.id}"


def _with_keys(run: Run, act: Callable[[Run], None]) -> None:
    """Keeps the keys that were typed for it, then acts; raises `AccessError` for what is none."""
    for provider in _providers_without_key(run):
        field = _field_of_key(run, provider)
        typed = st.session_state[field]
        # An empty field: the browser does not hold the key either.
        st.session_state[field] = ""
        session.keep_key(bind(provider, session.address_of(provider), typed))
    act(run)


def _collect(run: Run) -> None:
    registry.start_or_wait(run, session.store(), session.keys(), session.visitor())


def _withdraw(run: Run) -> None:
    registry.start_or_wait(run, session.store(), session.keys(), session.visitor(), withdraws=True)


def _withdraw_all(runs: Sequence[Run]) -> None:
    for run in runs:
        _withdraw(run)


def _ask_rest(run: Run, overnight: bool) -> None:
    # Without a key nothing begins, and the run stays as it was.
    _collect(run.model_copy(update={"overnight": overnight}))
    session.store().runs.set_overnight(run.id, overnight)
