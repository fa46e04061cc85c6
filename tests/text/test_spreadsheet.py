"""Cells that no spreadsheet runs, and the way back."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.text.spreadsheet import safe, unsafe


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "|x", "%x", "\t=1", " =1", "\u00a0=1", "a\n=1", "a\r@x"])
def test_what_may_be_a_formula_is_guarded(text):
    assert safe(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "1+1", "a=b", "it's", "'quoted'", "a - b"])
def test_anything_else_stays_as_it_is(text):
    assert safe(text) == unsafe(text) == text


def test_a_text_of_line_breaks_takes_no_longer_than_others():
    start = time.process_time()

    safe(" \n" * 500_000)

    assert time.process_time() - start < 5  # it took hours


@given(st.text().filter(lambda text: not text.startswith("'")))
def test_the_guard_comes_off_again(text):
    assert unsafe(safe(text)) == text
