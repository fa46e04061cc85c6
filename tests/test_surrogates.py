"""Half characters are replaced, so that any text can be written, stored and sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.surrogates import without_surrogates

ANY_TEXT = st.text(st.characters())  # lone surrogates included


@pytest.mark.parametrize(
    ("text", "whole"), [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("é", "é"), ("a", "a")]
)
def test_half_characters_are_replaced(text, whole):
    assert without_surrogates(text) == whole


@given(ANY_TEXT)
def test_any_text_can_be_written_once_its_half_characters_are_replaced(text):
    assert without_surrogates(text).encode().decode() == without_surrogates(text)
