"""Lists that cells hold as text, in every way that programs write them."""

import importlib
import inspect
import re
import warnings
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.config import ROOT
from evaluators.datasets.cells import (
    MAX_LITERAL,
    MAX_PARTS,
    lines,
    lists_in_time,
    object_in,
    unpack,
)
from evaluators.datasets.columns import names_of
from evaluators.datasets.mapping import open_table, open_with, preview
from evaluators.datasets.readers import read
from evaluators.datasets.shapes import recognise
from evaluators.datasets.table import PythonLists, Table, UnusableRowError
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
    with pytest.raises(DatasetError, match=r"20,000 quotation marks, commas, colons and brackets"):
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
        r"['\q'][0]",
        r"[1, ('\q')(0)]",
        r"[[1], ['\q'] [0][0]]",
        r"[1, {'\q': 1} [0]]",
        r"['\q', f(1)]",
        r"['\q', 1 < 2 < 3]",
        r"['\q', --1]",
        r"['\q', 1 - 1]",
        r"['\q', 1 1]",
        r"['\q', 'a' if 1 else 2]",
        r"['\q', lambda: 1]",
        r"[Document(page_content='\q')(0)]",
        r"[Document(page_content='\q', at=a.b.c.d.e.f.g())]",
        r"[Document(page_content='\q', at=a[0])]",
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


@lists_in_time
def _unpacked(table, cell):
    return unpack(cell)


def test_lists_of_one_file_take_a_bounded_time_and_those_in_json_go_on():
    spent = Table([], [], "CSV", lists=PythonLists(seconds=0))
    with pytest.raises(UnusableRowError, match="Write them as JSON"):
        _unpacked(spent, "['a']")
    assert _unpacked(table=spent, cell='["a"]') == ["a"]
    assert unpack("['a']") == ["a"]


def test_brackets_in_pythons_writing_are_counted_as_its_parts_are():
    cell = "[1, " + "()" * (MAX_PARTS + 1) + "]"
    with pytest.raises(DatasetError, match="Write it as JSON"):
        unpack(cell)
    assert object_in("{'a': " + cell + "}") is None


def test_what_the_same_list_holds_is_remembered_and_each_who_asks_has_one_of_their_own():
    table = Table([], [], "CSV")
    for no_list in (False, True):
        cell = "['a', ['b']" + "]" * (not no_list)
        first = _unpacked(table, cell)
        spent = table.lists.seconds
        if not no_list:
            first[1].append("c")
        assert _unpacked(table, cell) == (cell if no_list else ["a", ["b"]])
        assert table.lists.seconds == spent < PythonLists().seconds
    assert table.lists.known == {"['a', ['b']]": ["a", ["b"]], "['a', ['b']": None}


def test_no_more_is_remembered_than_there_is_room():
    table = Table([], [], "CSV", lists=PythonLists(room=1000))
    for number in range(100):
        assert _unpacked(table, f"['a', {number}]") == ["a", number]
    # Eight characters, and four marks of eighty bytes
    assert len(table.lists.known) == 3
    assert table.lists.room == 1000 - 3 * (8 + 4 * 80)


def _file(rows: int) -> bytes:
    header = "question,answer,contexts,metadata\n"
    row = "q{0},\"['a{0}', 'b']\",\"['a passage of text number {0}', 'b']\",\"{{'k': {0}}}\"\n"
    return (header + "".join(map(row.format, range(rows)))).encode()


def _guesses(table):
    recognise(table)
    names_of(table)
    preview(table)
    open_table("a.csv", table)
    open_with("a.csv", table, {"question": "question"})


def test_a_cell_of_a_table_is_read_once_by_all_guesses():
    table = read("a.csv", _file(3))
    _guesses(table)
    spent = table.lists.seconds
    assert 0 < spent < PythonLists().seconds
    # Three rows of three lists
    assert len(table.lists.known) == 9
    _guesses(table)
    assert table.lists.seconds == spent


def test_lists_of_a_file_are_counted_in_whatever_is_asked_of_its_table():
    table = read("a.csv", _file(3))
    table.lists.known.clear()
    table.lists.seconds = 0
    for door in (recognise, names_of, preview, lambda table: open_table("a.csv", table)):
        with pytest.raises(UnusableRowError, match="took too long"):
            door(table.with_rows(table.rows[:2], ""))
    with pytest.raises(UnusableRowError, match="took too long"):
        recognise(read("a.csv", _file(3), lists=table.lists))


def _counts_lists(function) -> bool:
    while hasattr(function, "__wrapped__"):
        if function.__code__.co_qualname.startswith("lists_in_time"):
            return True
        function = function.__wrapped__
    return False


def test_whatever_others_ask_of_a_table_counts_its_lists():
    inside, outside = ROOT / "evaluators/datasets", [ROOT / "ui", ROOT / "evaluators"]
    files = [path for folder in outside for path in folder.rglob("*.py")]
    sources = [path.read_text() for path in files if inside not in path.parents]
    called = set(re.findall(r"\b\w+(?=\()", "".join(sources)))
    uncounted = set()
    for path in inside.glob("*.py"):
        module = importlib.import_module(f"evaluators.datasets.{path.stem}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            types = [own for of, own in function.__annotations__.items() if of != "return"]
            if (
                name[0] != "_"
                and name in called
                and "Table" in types
                and not _counts_lists(function)
            ):
                uncounted.add(name)
    # They read no cell, or leave that to others
    assert uncounted == {"first_rows", "open_with"}
