"""Home's two ways in: look at finished examples, or do it with one's own data and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from evaluators.datasets.bundled import ENGLISH_BED
from evaluators.rounds.kinds import KINDS
from evaluators.runs import examples, samples
from evaluators.text.language import CHINESE, ENGLISH, language, mark, say
from evaluators.text.words import counted
from ui import session
from ui.datasets import upload
from ui.parts import explained, starting
from ui.parts.words import RGB, TRACE

SEE = ":material/visibility:"
INVENTED_SENTENCE = {ENGLISH: "5", CHINESE: "4"}
"""The sample of the TRACE example whose invented sentence only one judge believes."""


def see_it() -> None:
    """The examples that open finished, and a round over one of them."""
    st.header(say("See it"))
    noise, invented, round_of_class = st.columns(3, border=True)
    run = examples.INVENTED_IN[language()]
    with noise:
        st.subheader(say("Why noise hurts"))
        st.markdown(
            say(
                "Two models answer the same questions while more and more of their documents are "
                "beside the point. One holds; the other repeats whatever it finds."
            )
        )
        _button_to_page(
            "rgb",
            mark("See the result"),
            SEE,
            {"run": examples.NOISE_IN[language()]},
            is_main=True,
        )
        st.caption(f"**RGB:** {say(RGB)}", help=explained.help_of("rgb"))
    with invented:
        st.subheader(say("Find the invented sentence"))
        st.markdown(
            say(
                "{answers}, and some say what no document says. A heuristic, three judges, their "
                "jury and the gold labels do not always agree on which.",
                answers=counted(len(examples.data(run).samples), "answer"),
            )
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            _button_to_page("trace", mark("See the result"), SEE, {"run": run}, is_main=True)
            lamp = {"run": run, "sample": INVENTED_SENTENCE[language()]}
            _link_to_page("sample", say("Open one answer"), ":material/search:", lamp)
        st.caption(f"**TRACE:** {say(TRACE)}", help=explained.help_of("trace"))
    with round_of_class:
        st.subheader(say("With a class"))
        st.markdown(
            say(
                "The class answers on its phones, without accounts. The wall shows where it "
                "quarrels, then what is right."
            )
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            icon = ":material/co_present:"
            _button_to_page("round", mark("Start a round"), icon, {"run": run}, is_main=True)
            plan = {"lesson": "plan"}
            _link_to_page("learn", say("Plan, and what to prepare"), ":material/schedule:", plan)
        st.caption(" · ".join(say(kind.title) for kind in KINDS.values()))


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


def _link_to_page(
    page: str,
    label: str,
    icon: str,
    parameters: Mapping[str, str],
) -> None:
    address = session.address(**parameters)
    st.page_link(f"../pages/{page}.py", label=label, icon=icon, query_params=address)
