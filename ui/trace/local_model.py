"""The choice of a model on this computer: what is known of it, and its download with progress."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import streamlit as st

from evaluators.errors import PlumblineError
from evaluators.text.language import say
from evaluators.trace import local_models
from ui.parts import problems
from ui.parts.forms import KEPT
from ui.parts.untrusted import plain


def choose() -> str:
    """Draws the choice, with the figures that are published of the model; an id or a folder."""
    # With what was typed, which else is gone from the list.
    typed = st.session_state.get("trace_model") or next(iter(local_models.KNOWN))
    model: str = st.selectbox(
        say("Model"),
        list(dict.fromkeys([*local_models.KNOWN, typed])),
        accept_new_options=True,
        help=say("A classifier of the Hugging Face hub (owner/name), or a folder that holds one."),
        key="trace_model",
        **KEPT,
    )
    own = local_models.known(model)
    if own is None:
        st.caption(
            say(
                "No published figures are known here. See on Check your judge how far it can be "
                "trusted on your data."
            )
        )
        return model
    words = say(
        "{size} parameters, licence {license}. Published, not measured here: {published} "
        "({source}, {date}).",
        size=own.size,
        license=own.license,
        published=own.published,
        source=own.source,
        date=own.source_date,
    )
    st.caption(plain(words))
    return model


def is_here(params: Mapping[str, Any]) -> bool:
    """Whether the model lies on this computer; where it does not, its download is offered.

    What is wrong with it, or not installed, is told where the run is planned.
    """
    model, revision = params["model"], params["revision"]
    with suppress(PlumblineError):
        local_models.check_installed()
        if local_models.place(model, revision) is None:
            _offer(model, revision)
            return local_models.place(model, revision) is not None
    return True


def _offer(model: str, revision: str) -> None:
    if not st.button(
        say("Download the model"),
        icon=":material/download:",
        help=say("It is fetched once from the Hugging Face hub, without a key, and kept here."),
        key="trace_download",
    ):
        return
    told = [(0, 1)]
    bar = st.progress(0.0)
    # Drawn from here: the hub's library tells how far it is in threads of its own.
    with problems.caught(), ThreadPoolExecutor(1) as pool:
        fetching = pool.submit(local_models.fetch, model, revision, lambda *own: told.append(own))
        while not fetching.done():
            done, total = told[-1]
            here, in_all = (f"{size / 2**20:,.0f} MB" for size in (done, total))
            bar.progress(done / total, text=say("{done} of {total}", done=here, total=in_all))
            time.sleep(0.2)
        fetching.result()
    bar.empty()
