"""For a paper: the tables and figures of a run and of a comparison, to copy and to take away."""

from __future__ import annotations

import base64
import re

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.runs import examples
from tests.comparison.made import results
from tests.pages.conftest import checked
from ui import session


def opened(at: AppTest, key: str) -> AppTest:
    return checked(at.button(key=f"paper_{key}").click().run())


def table(at: AppTest) -> str:
    return next(code.value for code in at.code if "toprule" in code.value or "---" in code.value)


def figure(at: AppTest) -> str:
    """The figure that is shown, as SVG."""
    pages = [element.proto.body for element in at.get("html")]
    [source] = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", "".join(pages))
    return base64.b64decode(source).decode()


def test_a_run_gives_each_table_and_figure_of_what_is_shown(open_page):
    at = open_page("rgb", run=examples.NOISE)

    at = opened(at, examples.NOISE)

    assert r"Noise robustness (\%) & Model A & 95.8 [" in table(at)
    assert at.selectbox(key="paper_table").options == [
        "Values",
        "Accuracy by noise",
        "Accuracy by noise information integration",
    ]
    assert len(at.selectbox(key="paper_figure").options) == 3
    assert 'width="175mm"' in figure(at)
    files = [button.label for button in at.get("download_button")]
    assert files[-2:] == ["All figures and tables (zip)", "This figure (SVG)"]


def test_tables_and_figures_are_english_whatever_language_the_page_is_in(open_page):
    at = opened(open_page("rgb", run=examples.NOISE), examples.NOISE)
    english = table(at), figure(at)

    at.session_state["language"] = "zh_CN"
    at.run()
    at = opened(at, examples.NOISE)

    assert "论文" in at.button(key=f"paper_{examples.NOISE}").label
    assert (table(at), figure(at)) == english


@pytest.mark.parametrize(
    ("key", "choice", "seen", "words"),
    [
        ("paper_width", "single", figure, 'width="85mm"'),
        (
            "paper_language",
            "Markdown",
            table,
            "| Context relevance | 0.30 [0.23, 0.39] | 24 / 24 |",
        ),
        ("paper_table", 1, table, "Jury & 0.30 & 0.63"),
    ],
)
def test_width_table_and_language_are_chosen(open_page, key, choice, seen, words):
    at = open_page("trace", run=examples.INVENTED)
    # A dialog is there for one drawing here, so that the choice is made before it.
    at.session_state[key] = choice

    at = opened(at, examples.INVENTED)

    assert words in seen(at)


def test_a_comparison_gives_its_forest_plot_and_its_differences(open_page):
    questions = [f"Question {number}?" for number in range(4)]
    results(session.store(), "Old", questions, [1.0, 0.0, 0.0, 0.0])
    results(session.store(), "<b>New", questions, [1.0] * 4)
    at = open_page("compare", first="Old.1", second="<b>New.1")

    at = opened(at, "comparison")

    assert r"Answer match & 0.25 & 1.00 & +75.0 [" in table(at)
    assert r"Value & Old & \textless{}b\textgreater{}New &" in table(at)
    assert "&lt;b&gt;New higher →" in figure(at)
