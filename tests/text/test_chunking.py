"""Windows and units over words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.errors import ParameterError
from evaluators.text.chunking import spans, units, windows

SENTENCES = [(10, 14), (14, 18), (18, 20)]


def test_texts_lie_one_after_the_other():
    assert spans([3, 0, 2]) == [(0, 3), (3, 3), (3, 5)]


def test_windows_overlap_and_the_last_ends_with_the_text():
    assert windows(10, chunk_size=4, chunk_overlap=1) == [(0, 4), (3, 7), (6, 10)]


def test_a_short_text_is_one_window():
    assert windows(3, chunk_size=50, chunk_overlap=10) == [(0, 3)]


@pytest.mark.parametrize("overlap", [50, 51, -1])
def test_an_overlap_as_large_as_the_window_is_refused_with_the_remedy(overlap):
    with pytest.raises(ParameterError, match="Choose an overlap"):
        windows(10, chunk_size=50, chunk_overlap=overlap)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [("sentence", SENTENCES), ("document", [(10, 20)]), ("dense", [(10, 16), (14, 20)])],
)
def test_each_strategy_cuts_a_document_in_its_own_way(strategy, expected):
    assert units(strategy, SENTENCES, chunk_size=6, chunk_overlap=2) == expected


@pytest.mark.parametrize("strategy", ["sentence", "document", "dense"])
def test_a_document_without_sentences_has_no_unit(strategy):
    assert units(strategy, [], chunk_size=6, chunk_overlap=2) == []


@given(st.integers(0, 500), st.integers(1, 60), st.integers(0, 59))
def test_windows_cover_every_word_and_none_is_longer_than_asked(length, size, overlap):
    cut = windows(length, size, min(overlap, size - 1))
    assert {word for start, end in cut for word in range(start, end)} == set(range(length))
    assert all(end - start <= size for start, end in cut)
    assert len(set(cut)) == len(cut)
