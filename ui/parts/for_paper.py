"""Figures and tables for a paper: looked at in a dialog, copied, or taken away as files."""

from __future__ import annotations

import base64
from collections.abc import Callable

import streamlit as st

from evaluators.drawing import SIZES, Size
from evaluators.exports import formats
from evaluators.exports.bundle import Bundle
from evaluators.text.language import ENGLISH, mark, say, speaking
from evaluators.text.markup import html
from evaluators.text.words import readable

WIDTHS = {"single": mark("One column"), "double": mark("Two columns"), "slide": mark("Slide")}

Make = Callable[[Size], Bundle]


def button(key: str, make: Make, stem: str) -> None:
    """Opens the dialog; `make` draws and counts at a width, `stem` begins the files' names."""
    title = say("For a paper")
    if st.button(title, icon=":material/article:", key=f"paper_{key}"):
        # Not as a decorator, which would keep the title of the first reader's language.
        st.dialog(title, width="large")(_show)(make, stem)


def _show(make: Make, stem: str) -> None:
    """Each table as text to copy, each figure as it is printed, and all of them in a zip."""
    place = st.container(horizontal=True, vertical_alignment="bottom")
    with place:
        width = st.segmented_control(
            say("Width of figures"),
            list(WIDTHS),
            default="double",
            format_func=lambda width: say(WIDTHS[width]),
            required=True,
            help=", ".join(f"{size.width:g} mm" for size in SIZES.values()),
            key="paper_width",
        )
    # A paper is English, whatever its author's screen is.
    with speaking(ENGLISH):
        bundle = make(SIZES[width])
    with place:
        st.download_button(
            say("All figures and tables (zip)"),
            bundle.zipped,
            f"{stem}-paper.zip",
            key="paper_zip",
            icon=":material/download:",
            type="primary",
            on_click="ignore",
        )
    tables, figures = st.tabs([say("Tables"), say("Figures")])
    with tables:
        _tables(bundle, stem)
    with figures:
        _figures(bundle, stem)


def _tables(bundle: Bundle, stem: str) -> None:
    with st.container(horizontal=True):
        number = st.selectbox(
            say("Table"),
            range(len(bundle.tables)),
            format_func=lambda number: readable(bundle.tables[number].name),
            key="paper_table",
        )
        # The CSV is for programs, and not for looking at.
        writing = {
            one.title: write
            for one in formats().values()
            if (write := one.of_table) and not one.of_run
        }
        title = st.segmented_control(
            say("As"), list(writing), default="LaTeX", required=True, key="paper_language"
        )
    # Without colours: those for LaTeX take \% for the beginning of a comment.
    text = writing[title](bundle.tables[number]).decode()
    st.code(text, language=None, height=320)
    st.caption(say("The zip also has every table as CSV, with all digits."))


def _figures(bundle: Bundle, stem: str) -> None:
    name = st.selectbox(
        say("Figure"),
        list(bundle.figures),
        format_func=readable,
        key="paper_figure",
    )
    svg = bundle.figures[name]
    # As an image nothing in it could ever run, and black words stand on white, as on paper.
    source = base64.b64encode(svg.encode()).decode()
    style = "background: white; padding: 12px; border-radius: 8px; max-width: 100%"
    alt = html(readable(name))
    st.html(f'<img alt="{alt}" style="{style}" src="data:image/svg+xml;base64,{source}">')
    st.download_button(
        say("This figure (SVG)"),
        svg,
        f"{stem}-{name}.svg",
        "image/svg+xml",
        key="paper_svg",
        icon=":material/download:",
        on_click="ignore",
    )
