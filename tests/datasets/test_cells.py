"""Lists that cells hold as text, in every way that programs write them."""

import warnings
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.datasets.cells import (
    MAX_LITERAL,
    MAX_PARTS,
    lines,
    lists_in_time,
    object_in,
    unpack,
)
from evaluators.datasets.table import UnusableRowError
from evaluators.errors import DatasetError
from tests.hostile import check, repeated


@pytest.mark.parametrize(
    ("cell", "unpacked"),
    [
        ('["a", "b"]', ["a", "b"]),
        (' [["a"], "b"]\n', [["a"], "b"]),
        ("['a', \"it's\"]", ["a", "it's"]),
        ("('a', 'b')", ["a", "b"]),
        ("[('a', 'b'), 'c']", [["a", "b"], "c"]),
        ("[{'text': 'a'}]", [{"text": "a"}]),
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("[['a' 'b']\n ['c']]", [["a", "b"], ["c"]]),
        ("""['he said "x" "y"', 'b']""", ['he said "x" "y"', "b"]),
        ("['a', None]", ["a", None]),
        ("[1, 2]", [1, 2]),
        ("[]", []),
        ("a|||b ||| c", ["a", "b", "c"]),
        ("a|||", ["a"]),
    ],
)
def test_a_list_is_read_however_it_is_written(cell, unpacked):
    assert unpack(cell) == unpacked


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "a | b || c",
        "one\ntwo",
        "[1] see below",
        "(see above)",
        "('a')",
        "['a', 'b'",
        "['a'] and more",
        "[__import__('os').system('x')]",
        "['a' + 'b']",
        "['a'\0]",
        "[" * 100_000,
        "[" * 300 + "'a'" + "]" * 300,
        5,
        None,
        ["a"],
        {"a": 1},
    ],
    ids=lambda cell: str(cell)[:20],
)
def test_anything_else_stays_as_it_is(cell):
    assert unpack(cell) == cell


def test_a_list_in_pythons_writing_that_is_too_long_is_refused():
    with pytest.raises(DatasetError, match=r"in Python's writing has .* Write it as JSON\."):
        unpack(f"['{'a' * MAX_LITERAL}']")


MANY = "[" + (MAX_PARTS // 2 + 1) * "'a' " + "]"


def test_a_list_in_pythons_writing_of_very_many_parts_is_refused():
    with pytest.raises(DatasetError, match=r"20,000 quotation marks and commas"):
        unpack(MANY)


@pytest.mark.parametrize(
    ("cell", "entries"),
    [
        ("['a b' 'c'\n \"d\" ]", ["a b", "c", "d"]),
        ("[['a' 'b']\n ['c']]", [["a", "b"], ["c"]]),
        (r"['it\'s [1] \'a\' \'b\'' 'b']", ["it's [1] 'a' 'b'", "b"]),
        ("['a' 'b", "['a' 'b"),
    ],
)
def test_entries_that_numpy_puts_no_comma_between_are_parted(cell, entries):
    assert unpack(cell) == entries


@pytest.mark.parametrize("unit", ["'a' ", "\\'", "'a'", "] ", " ", "'a',", '" [', "('"])
def test_lists_in_pythons_writing_take_linear_time(unit):
    def read(text):
        with suppress(DatasetError):
            unpack(text)

    check(read, [repeated("['", unit, ""), repeated("['a' ", unit, "]")])
    check(read, [repeated("[1, f'", f"{{{unit}}}", "']")])


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("One.\nTwo.\n\nThree!", ["One.", "Two.", "Three!"]),
        ("- one\n- two", ["one", "two"]),
        ("1. one\n2) two", ["one", "two"]),
        ("[1] one\n[2] two", ["one", "two"]),
        ("一。\n二。", ["一。", "二。"]),
        ("A line that was\nwrapped.", ["A line that was\nwrapped."]),
        ("One.", ["One."]),
        ("- one", ["- one"]),
        ("", [""]),
    ],
)
def test_lines_are_entries_unless_they_are_wrapped_prose(text, entries):
    assert lines(text) == entries


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        (
            "[Document(page_content='a', metadata={'page': 1}), Document(page_content=\"it's b\")]",
            ["a", "it's b"],
        ),
        ("[Document(id='1', metadata={'at': datetime.now()}, page_content='a')]", ["a"]),
        ("[Document(text='a')]", "[Document(text='a')]"),
        ("[Document(page_content='a'), 'b']", "[Document(page_content='a'), 'b']"),
        ("[Document(page_content=exit())]", "[Document(page_content=exit())]"),
        ("[Document(page_content='a'", "[Document(page_content='a'"),
    ],
)
def test_documents_of_langchain_are_read_as_python_prints_them(cell, texts):
    assert unpack(cell) == texts


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
def test_what_python_prints_is_read_back(texts):
    assert unpack(repr(texts)) == texts


@given(st.text(alphabet="[]()'\"\\ ,\n1aN{}:.|"))
def test_any_text_is_unpacked_or_kept(text):
    assert unpack(text) == text or isinstance(unpack(text), list)


@pytest.mark.parametrize(
    "cell",
    [
        r"[1, f'\q{x}']",
        r"[1, rb'\q']",
        r"['a', F'\q{x}']",
        r"[1, '''it's''', f'\q{x}']",
        "[1, # '\n" + r"f'\q{x}']",
        r"[Document(page_content=f'\q{x}')]",
    ],
)
def test_code_in_a_cell_is_never_given_to_the_compiler(cell):
    # It warns of \q where it reads one.
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert unpack(cell) == cell
        assert object_in("{'a': " + cell[4:-1] + "}") is None
    assert not warned


def test_texts_of_python_with_marks_of_code_in_them_are_read():
    cell = r"""['it\'s f"x"', "don't, {x} # no", '\u00e9', -1.5e3, None, True]"""
    assert unpack(cell) == ['it\'s f"x"', "don't, {x} # no", "é", -1500.0, None, True]


def test_lists_of_one_file_take_a_bounded_time_and_those_in_json_go_on():
    with lists_in_time(0):
        with pytest.raises(UnusableRowError, match="Write them as JSON"):
            unpack("['a']")
        assert unpack('["a"]') == ["a"]
    assert unpack("['a']") == ["a"]
