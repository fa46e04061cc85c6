"""Windows hold whole sentences and leave none out; labels are merged without losing a key."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.records import Labels, Sentence, Sentences, SentenceSupport, Support
from evaluators.trace.windows import Extent, merge_windows, part, parts_within, windows_within

FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE
WIDE = 10**9


def keyed(*keys):
    return tuple(Sentence(key=key, text=f"Sentence {key}.") for key in keys)


SENTENCES = Sentences(
    documents=(keyed("0a", "0b"), (), keyed("2a", "2b", "2c")), response=keyed("a", "b")
)


@pytest.mark.parametrize(
    ("words", "most", "overlap", "expected"),
    [
        ([10, 10, 10, 10], 20, 0, [(0, 2), (2, 4)]),
        ([10, 10, 10, 10], 20, 10, [(0, 2), (1, 3), (2, 4)]),
        ([10, 10, 10, 10], 20, 9, [(0, 2), (2, 4)]),
        ([10, 10, 10, 10], 40, 10, [(0, 4)]),
        ([5, 5, 10, 5], 20, 10, [(0, 3), (2, 4)]),
        ([30, 10, 30], 20, 10, [(0, 1), (1, 2), (2, 3)]),
        (
            [5, 5, 20, 5],
            20,
            10,
            [(0, 2), (2, 3), (3, 4)],
        ),  # with the overlap the next sentence would not fit
        ([], 20, 10, [(0, 0)]),
    ],
)
def test_windows_hold_whole_sentences_up_to_so_many_words(words, most, overlap, expected):
    found = windows_within([Extent(count, 1) for count in words], Extent(most, WIDE), overlap)
    assert list(found) == expected


def test_windows_hold_no_more_than_fits():
    found = windows_within([Extent(1, 40)] * 5, Extent(WIDE, 100), 0)
    assert list(found) == [(0, 2), (2, 4), (4, 5)]


def test_what_only_windows_of_a_sentence_would_fit_is_sent_whole():
    # Each window repeats the 6,000 tokens of the response: 1,000 windows 6 million tokens.
    response = keyed("a")
    many = Sentences(documents=(keyed(*map(str, range(1000))),), response=response)
    few = Sentences(documents=(keyed(*map(str, range(100))),), response=response)

    def size(own):
        return 6000 + len(own.document_keys)

    assert parts_within(many, size, 6001, (1000, 0)) == [many]
    assert len(parts_within(few, size, 6001, (1000, 0))) == 100


def test_sentences_without_words_are_shared_as_others_are():
    empty = tuple(Sentence(key=f"{number:04}a", text="") for number in range(3000))
    sample = Sentences(documents=(empty,), response=keyed("a"))

    def size(own):
        return 10 * len(own.document_keys)

    # 1,000 to a window, of which 50 stand in the next one too.
    parts = parts_within(sample, size, 15_000, (1000, 50))
    assert [len(own.document_keys) for own in parts] == [1000, 1000, 1000, 150]


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(1, 60), st.integers(0, 59)
)
def test_windows_leave_no_sentence_out_and_always_move_on(words, most, overlap):
    extents = [Extent(count, count) for count in words]
    found = list(windows_within(extents, Extent(most, WIDE), overlap))
    assert found[0][0] == 0
    assert found[-1][1] == len(words)
    for (start, end), (next_start, next_end) in pairwise(found):
        assert start < next_start <= end < next_end
        assert sum(words[next_start:end]) <= overlap
    assert all(sum(words[start:end]) <= most or end == start + 1 for start, end in found)


@pytest.mark.parametrize(
    ("span", "keys"),
    [
        ((0, 5), "0a 0b 2a 2b 2c"),
        ((1, 3), "0b 2a"),
        ((2, 3), "2a"),
        ((3, 5), "2b 2c"),
        ((0, 0), ""),
    ],
)
def test_a_part_keeps_keys_documents_and_the_whole_response(span, keys):
    found = part(SENTENCES, span)
    assert found.document_keys == tuple(keys.split())
    assert (len(found.documents), found.response) == (3, SENTENCES.response)


def support(key, level, *keys, why=""):
    return SentenceSupport(key=key, support=level, supporting_keys=keys, explanation=why)


def test_merging_takes_each_key_once_in_order_and_the_best_support_with_all_its_keys():
    first = Labels(
        relevant_keys=("0b", "0a"),
        utilized_keys=("0b",),
        sentence_support=(support("a", PARTIAL, "0b", why="Half of it."), support("b", NONE)),
    )
    second = Labels(
        relevant_keys=("2a", "0b"),
        utilized_keys=(),
        sentence_support=(
            support("a", FULL, "2a", why="All of it."),
            support("b", NONE, why="Nothing."),
        ),
    )
    labels = merge_windows([first, second], [part(SENTENCES, (0, 2)), part(SENTENCES, (1, 5))])
    assert labels.relevant_keys == ("0a", "0b", "2a")
    assert labels.utilized_keys == ("0b",)
    assert labels.sentence_support == (
        support("a", FULL, "0b", "2a", why="All of it."),
        support("b", NONE),
    )


def test_a_single_window_is_kept_as_the_judge_said_it():
    labels = Labels(relevant_keys=("0b", "0b", "9z"), dropped_keys=1)
    assert merge_windows([labels], [SENTENCES]) is labels
