"""Texts in the language of the reader."""

import threading

import pytest

from evaluators.text.language import CHINESE, ENGLISH, say, speaking
from evaluators.text.words import (
    accepted,
    counted,
    joined_by_and,
    joined_sentences,
    ordinal,
    places,
    readable,
)


@pytest.fixture(autouse=True)
def _reader_of_chinese():
    with speaking(CHINESE):
        yield


def test_a_text_is_said_in_the_language_of_the_moment():
    assert say("Home") == "首页"
    with speaking(ENGLISH):
        assert say("Home") == "Home"
    assert say("Home") == "首页"


def test_a_text_that_nobody_translated_stays_english():
    assert say("Nobody says {this}.", this=1_000) == "Nobody says 1000."


def test_without_blanks_a_brace_is_a_brace():
    assert say("{not a blank}") == "{not a blank}"


def test_what_fills_a_blank_is_never_read_as_a_blank():
    assert say("{number}th", number="{number}") == "第 {number} 个"


@pytest.mark.parametrize(
    ("words", "chinese", "english"),
    [
        (lambda: counted(1, "answer"), "1 个回答", "1 answer"),
        (lambda: counted(2000, "answer"), "2,000 个回答", "2,000 answers"),
        (lambda: counted(2, "unheard of"), "2 unheard ofs", "2 unheard ofs"),
        (lambda: places([5, 3]), "第 3、5 行", "rows 3, 5"),
        (lambda: places([3]), "第 3 行", "row 3"),
        (lambda: places(range(1, 5), most=2), "第 1、2 及另外 2 行", "rows 1, 2 and 2 more"),
        (lambda: ordinal(2), "第 2 个", "2nd"),
        (lambda: readable("ground_truth"), "标准答案", "True answer"),
        (lambda: readable("ragbench"), "RAGBench", "RAGBench"),
        (lambda: accepted([["a", "b"], "c"]), "(a 或 b)和c", "(a or b) and c"),
        (lambda: joined_by_and(["a"]), "a", "a"),
        (lambda: joined_by_and(["a", "b", "c"]), "a、b和c", "a, b and c"),
        # What nobody translated is English among Chinese sentences.
        (lambda: joined_sentences(["一。", "Two.", "", "三。"]), "一。Two. 三。", "一。Two. 三。"),
    ],
)
def test_numbers_and_names_in_words(words, chinese, english):
    assert words() == chinese
    with speaking(ENGLISH):
        assert words() == english


def test_a_thread_of_its_own_speaks_english():
    heard = []
    thread = threading.Thread(target=lambda: heard.append(say("Home")))
    thread.start()
    thread.join()
    assert heard == ["Home"]
