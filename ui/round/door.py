"""The way into a round: by its link or its code, then a nickname."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from evaluators.errors import ParameterError
from evaluators.rounds.codes import typed
from evaluators.rounds.limits import wrong_codes
from evaluators.rounds.records import LONGEST_NICKNAME, Participant, Round
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from ui import session
from ui.parts import people, problems
from ui.round import frame, reading

CODE, JOIN, ME = "code", "join", "me"
"""The query parameters of a participant: what was typed, what was scanned, who one is."""

UNKNOWN = mark("There is no such round here: the link is incomplete, or its run was deleted.")
WRONG = mark("No round has this code now. Look at the code once more.")


def show() -> None:
    """Asks for the code where none came with the address, then for a nickname."""
    frame.bare_style()
    with problems.caught():
        if JOIN not in st.query_params:
            _code()
            return
        made = session.store().rounds.with_join(st.query_params[JOIN])
        if made is None or reading.run_of(made) is None:
            frame.note(say(UNKNOWN))
        elif made.is_over:
            frame.note(say("This round is over: nobody can join any more."))
        else:
            _nickname(made)


def _code() -> None:
    """A code that holds becomes the link in the address, so that it is looked up once."""
    st.html(f"<h1 class=pl-round-title>{html(say('Join a round'))}</h1>")
    with st.form("round_code", border=False):
        entered = st.text_input(say("Code"), placeholder="ABCD 3467")
        is_sent = st.form_submit_button(say("Continue"), type="primary", width="stretch")
    st.caption(say("The code on the wall; or your own, which stood on your phone, to come back."))
    # Taken out of the address: else a wrong code would count again at every drawing.
    text = st.query_params.pop(CODE, "") or (entered if is_sent else "")
    if not text:
        return
    # Before it is looked up: who guesses too often must not learn which guess was right.
    wrong_codes.check(session.tab())
    code = typed(text)
    rounds = session.store().rounds
    made = rounds.with_code(code) if code else None
    # Whoever was in already comes back as the same person.
    if made is None and code and (again := rounds.with_own_code(code)):
        _go_in(again)
    if made is None:
        wrong_codes.count(session.tab())
        st.error(say(WRONG), icon=":material/error:")
        return
    st.query_params[JOIN] = made.join
    st.rerun()


def _nickname(made: Round) -> None:
    st.html(f"<h1 class=pl-round-title>{html(made.name)}</h1>")
    with st.form("round_nickname", border=False):
        entered = st.text_input(say("Nickname"), max_chars=LONGEST_NICKNAME)
        is_sent = st.form_submit_button(say("Join"), type="primary", width="stretch")
    st.caption(say("Everybody in the room sees it, and your labels are kept under it."))
    if not is_sent:
        return
    nickname = " ".join(entered.split())
    # A browser may send more than its field holds.
    if not people.is_name(nickname) or len(nickname) > LONGEST_NICKNAME:
        raise ParameterError(
            say(
                "A nickname has 1 to {most} letters that can be seen. Enter another one.",
                most=LONGEST_NICKNAME,
            )
        )
    session.check_join(made.id)
    _go_in(session.store().rounds.join(made.id, nickname))


def _go_in(participant: Participant) -> NoReturn:
    st.query_params.clear()
    # In the address: a reload, or a phone that slept, comes back as the same person.
    st.query_params[ME] = participant.token
    st.rerun()
