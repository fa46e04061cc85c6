"""Sign in with Hugging Face: the visitor's own account, in the place of a key."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

import streamlit as st

from evaluators.llm import sign_in
from evaluators.text.language import say
from evaluators.text.words import joined_sentences
from ui import session
from ui.parts import problems
from ui.parts.untrusted import plain


def show() -> None:
    """The way to sign in, or who is signed in and the way out; nothing where no app is set up."""
    app = sign_in.app_of_host()
    if app is None:
        return
    with problems.caught():
        _finish(app)
    access = session.signed_in()
    if access is None:
        if st.session_state.get(session.SIGN_IN_ENDED):
            words = say("Your sign-in with Hugging Face has ended. Sign in again.")
            st.warning(words, icon=":material/timer_off:")
        address = f"{app.home}{sign_in.START}?{urlencode(session.address())}"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.link_button(
                say("Sign in with Hugging Face"), address, icon=":material/login:", type="primary"
            )
            st.caption(say("No key needed: your own account pays. Go on in the tab that opens."))
        return
    minutes = max(1, round((access.until - datetime.now(UTC)).total_seconds() / 60))
    hours = say("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
    sentences = [
        say("Signed in as {name}, for another {time}.", name=access.name, time=hours),
        say("Your account pays. Kept until this tab is reloaded or closed."),
    ]
    if access.scopes and sign_in.INFERENCE not in access.scopes:
        sentences[1] = say("But you did not allow it to ask models: sign out, and in again.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(plain(joined_sentences(sentences)))
        st.button(
            say("Sign out"),
            icon=":material/logout:",
            on_click=session.forget_key,
            args=(sign_in.PROVIDER,),
        )


def _finish(app: sign_in.OAuthApp) -> None:
    """Takes the token where the browser has just come back; raises `AccessError` without one."""
    if st.query_params.pop(sign_in.RETURNED, None) is None:
        return
    with st.spinner(say("Asking {provider}", provider="Hugging Face")):
        session.keep_key(sign_in.finish(app, st.context.cookies.get(sign_in.COOKIE, "")))
    # The models of the form are those that can be asked now.
    st.session_state["provider"] = sign_in.PROVIDER
