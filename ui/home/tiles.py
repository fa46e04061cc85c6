"""Home's two ways in: look at finished examples, or do it with one's own data and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from evaluators.datasets.bundled import ENGLISH_BED
from evaluators.runs import samples
from evaluators.runs.examples import INVENTED, NOISE, NOISE_ZH
from evaluators.text.language import mark, say
from ui import session
from ui.datasets import upload
from ui.parts import explained, starting
from ui.parts.words import RGB, TRACE

SEE = ":material/visibility:"
INVENTED_SENTENCE = "5"
"""The sample of the TRACE example whose invented sentence only one judge believes."""


def see_it() -> None:
    """The examples that open finished."""
    st.header(say("See it"))
    noise, invented = st.columns(2, border=True)
    with noise:
        st.subheader(say("Why noise hurts"))
        st.markdown(
            say(
                "Two models answer the same questions while more and more of their documents are "
                "beside the point. One holds; the other repeats whatever it finds."
            )
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            _button_to_page("rgb", mark("See the result"), SEE, {"run": NOISE}, is_main=True)
            _link_to_example("rgb", say("In Chinese"), ":material/translate:", {"run": NOISE_ZH})
        st.caption(f"**RGB:** {say(RGB)}", help=explained.help_of("rgb"))
    with invented:
        st.subheader(say("Find the invented sentence"))
        st.markdown(
            say(
                "24 answers, and some say what no document says. A heuristic, three judges, their "
                "jury and the gold labels do not always agree on which."
            )
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            _button_to_page("trace", mark("See the result"), SEE, {"run": INVENTED}, is_main=True)
            lamp = {"run": INVENTED, "sample": INVENTED_SENTENCE}
            _link_to_example("sample", say("Open one answer"), ":material/search:", lamp)
        st.caption(f"**TRACE:** {say(TRACE)}", help=explained.help_of("trace"))


def do_it() -> None:
    """One's own file, a model, and the bundled samples computed anew."""
    st.header(say("Do it"))
    file, other = st.columns([2, 3], gap="medium")
    with file:
        upload.elsewhere(say("**Evaluate my file:** CSV, JSON, XLSX or Parquet"))
    with other:
        st.caption(say("Test a model, or compute a sample now:"))
        with st.container(horizontal=True):
            _button_to_page(
                "rgb", mark("Test a model"), ":material/science:", {session.NEW_RUN: ENGLISH_BED}
            )
            rgb = starting.button(say("Run the RGB sample"), "home_rgb", primary=False)
            trace = starting.button(say("Run the TRACE sample"), "home_trace", primary=False)
    st.caption(
        say(
            "No key, no account, no telemetry: the samples run on this machine in seconds. "
            "Models of a provider need a key: enter it under Settings."
        )
    )
    if rgb:
        starting.start(samples.rgb_plan(), "home_rgb")
    if trace:
        starting.start(samples.trace_plan(), "home_trace")


def _button_to_page(
    page: str,
    label: str,
    icon: str,
    parameters: Mapping[str, str],
    *,
    is_main: bool = False,
) -> None:
    kind: Literal["primary", "secondary"] = "primary" if is_main else "secondary"
    if st.button(say(label), type=kind, icon=icon, key=f"home_{label}_{page}"):
        st.switch_page(f"../pages/{page}.py", query_params=session.address(**parameters))


def _link_to_example(
    page: str,
    label: str,
    icon: str,
    parameters: Mapping[str, str],
) -> None:
    address = session.address(**parameters)
    st.page_link(f"../pages/{page}.py", label=label, icon=icon, query_params=address)
