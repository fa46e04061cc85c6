"""The language is switched in the middle of work: what was chosen stays, and files stay English."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.runs import examples
from evaluators.text.language import CHINESE, ENGLISH, say, speaking
from tests.comparison.made import MODELS, results
from tests.pages.conftest import checked
from tests.pages.screen import said, samples, segments
from ui import language, script, session

QUESTIONS = [f"Question {number}?" for number in range(8)]
FIRST, SECOND, THIRD = [1.0] * 2 + [0.0] * 6, [1.0] * 8, [0.0] * 8


def switched(at: AppTest, code: str = CHINESE) -> AppTest:
    segments(at, language.SWITCH).set_value(code)
    # A test is no reader, but labels its choices as the page does that it looks at.
    with speaking(ENGLISH if code == CHINESE else CHINESE):
        return checked(at.run())


def again(at: AppTest) -> AppTest:
    with speaking(CHINESE):
        return checked(at.run())


def headline(at: AppTest) -> str:
    return said(at, "header").splitlines()[0]


def test_a_filter_and_an_order_outlive_the_switch(open_page, filled):
    run = filled.trace.id
    at = open_page("trace", run=run)
    segments(at, f"filter_{run}").set_value("Unsupported")
    at.selectbox(key=f"order_{run}").set_value("completeness, lowest first")
    before = samples(checked(at.run()))

    at = switched(at)

    assert samples(at)[0]["问题"] == before[0]["Question"]
    assert len(samples(at)) == len(before) < 24
    assert at.selectbox(key=f"order_{run}").value == "completeness, lowest first"
    assert segments(at, f"filter_{run}").value == "Unsupported"
    # And back again.
    assert samples(switched(at, ENGLISH)) == before


def test_a_comparison_outlives_the_switch(open_page):
    for title, values in (("One", FIRST), ("Two", SECOND), ("Three", THIRD)):
        results(session.store(), title, QUESTIONS, values)
    at = open_page("compare", first="One.1", second="Two.1", more="Three.1")
    at = checked(segments(at, "compare_closer").set_value(1).run())
    at = checked(segments(at, "compare_filter").set_value("first").run())

    at = switched(at)

    assert segments(at, "compare_closer").value == 1
    assert segments(at, "compare_filter").value == "first"
    assert at.selectbox(key="compare_second").value == "Two.1"


def test_what_is_held_of_a_comparison_is_not_in_the_language_of_another_visitor(open_page):
    store = session.store()
    results(store, "Given", QUESTIONS, SECOND)
    results(store, "Asked", QUESTIONS, FIRST, models=MODELS[:1])
    store.runs.save_title("Asked", "Given")
    address = {"first": "Given.1", "second": "Asked.1"}
    chinese = switched(open_page("compare", **address))
    english = open_page("compare", **address)

    assert "数据自带的回答" in headline(chinese)
    assert "given answers" in headline(english)
    assert "数据自带的回答" in headline(again(chinese))


def test_a_paper_stays_english(open_page):
    at = switched(open_page("rgb", run=examples.NOISE))
    at.button(key=f"paper_{examples.NOISE}").click()
    at = again(at)
    with speaking(CHINESE):
        assert at.selectbox(key="paper_table").label == say("Table")
    assert any("Noise robustness" in code.value for code in at.code)
    assert not any("噪声" in code.value for code in at.code)


@pytest.mark.parametrize("script_text", ['say("A")', 'mark("A"),', 'said("A", { of: 1 })'])
def test_the_texts_of_a_script_are_found(script_text):
    assert script.texts_of(f"const text = {script_text}; // unsaid('B') aside('C')") == ["A"]


def test_a_script_has_its_own_english_and_is_told_all_else():
    assert script.words_of("label") == {}
    with speaking(CHINESE):
        assert script.words_of("label")["Undo"] == "撤销"
