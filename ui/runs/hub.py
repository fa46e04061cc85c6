"""Push to the hub: a run as a data set of whoever is signed in, or has a key, at Hugging Face."""

from __future__ import annotations

import streamlit as st

from evaluators.datasets.hub import host
from evaluators.exports import hub
from evaluators.llm.sign_in import SignedIn
from evaluators.runs.run_view import RunView
from evaluators.text.language import say
from ui import session
from ui.parts import chosen_view, problems
from ui.parts.untrusted import plain

EXAMPLE = "owner/name"


def form(view: RunView) -> None:
    """The name of the data set, and what came of the push; nothing without a key."""
    access, run = hub.hub_access(session.keys()), view.run
    if access is None:
        return
    usual = ""
    if isinstance(access, SignedIn):
        usual = f"{access.name}/plumbline-{run.evaluator.name}-{run.created[:10]}"
    with st.form(f"push_{run.id}", border=False):
        name = st.text_input(
            say("Data set of the hub"),
            usual,
            placeholder=EXAMPLE,
            max_chars=200,
            help=say(
                "Results and people's labels, with their names, as Parquet; again replaces them."
            ),
        )
        private = st.checkbox(say("Private: only you see it"), True)
        if st.form_submit_button(say("Push to the hub"), icon=":material/cloud_upload:"):
            with (
                problems.caught(),
                st.spinner(say("Asking {provider}", provider=host())),
            ):
                address = hub.push(view, chosen_view.of(run), name, access.key, private)
                words = say("Pushed: {address}", address=address)
                st.success(plain(words), icon=":material/cloud_done:")
