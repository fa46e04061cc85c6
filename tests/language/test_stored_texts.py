"""Stored English texts, found again in the catalogue and shown in the language of the reader."""

import pytest

from evaluators.text import stored_texts
from evaluators.text.language import CHINESE, speaking
from evaluators.text.stored_texts import translated


@pytest.fixture(autouse=True)
def _reader_of_chinese():
    with speaking(CHINESE):
        yield


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Home", "首页"),
        ("Nothing of the kind.", "Nothing of the kind."),
        ("", ""),
        # Numbers with a noun, as `counted` and `places` made them.
        ("1 row", "1 行"),
        ("2,000 rows", "2,000 行"),
        ("many rows", "many rows"),
        ("row 3", "第 3 行"),
        ("rows 3, 5 and 2,000 more", "第 3、5 及另外 2,000 行"),
        ("3 rows in the file, 2 usable", "文件中有 3 行，其中 2 行可用"),
        # A text within a text, but for names: a file may be called as a page is.
        ("Row 7: Nothing is kept yet.", "第 7 行：尚未保存任何内容。"),
        (
            "There are other data called Row, so these are called Home.",
            "已有名为 行 的其他数据，因此这份命名为 Home。",
        ),
        # Where a number belongs, only a number fills the blank.
        ("Row seven: Home", "Row seven: Home"),
        # One text after the other.
        (
            "Nothing is kept yet. 3 rows in the file, 2 usable",
            "尚未保存任何内容。文件中有 3 行，其中 2 行可用",
        ),
        ("Nobody said this. Nothing is kept yet.", "Nobody said this. 尚未保存任何内容。"),
        ("context → documents (by name). Not used: c.", "context → 文档（按列名）。未使用：c。"),
        ("Nothing is kept yet. Nobody said this.", "尚未保存任何内容。Nobody said this."),
    ],
)
def test_a_stored_text_is_found_in_the_catalogue(stored, shown):
    assert translated(stored) == shown


def test_a_text_of_thousands_of_texts_is_translated_as_far_as_a_person_would_write_it():
    assert translated("Row 3: " * 10_000) == "第 3 行：" * 4 + "Row 3: " * 9_996


@pytest.mark.parametrize(
    "hostile",
    [
        "{row}",
        "{0} {problem!r} %s {",
        "<b>bold</b> **bold** [link](http://example.com)",
        "x" * 100_000,
        "Row 3:" * 15_000,
        "A. " * 1_000 + "B",
        "A. " * 30_000 + "B",
    ],
    ids=lambda text: text[:10],
)
def test_what_fills_a_blank_of_a_stored_text_stays_text(hostile):
    stored = f"{hostile} was put away meanwhile. To read it otherwise, choose the file again."
    shown = f"{hostile} 在此期间已被清除。如需换一种方式读取，请重新选择该文件。"
    assert translated(stored) == shown
    assert translated(f"Row 1: {hostile}!") == f"第 1 行：{hostile}!"
    assert translated(f"{hostile}!") == f"{hostile}!"


@pytest.mark.parametrize(
    ("parts", "stored", "blanks"),
    [
        (["Row ", "n", " is empty."], "Row 7 is empty.", {"n": "7"}),
        (["Row ", "n", " is empty."], "Row 7 is full.", None),
        (["", "a", " of ", "b", " rows"], "3 of 4 rows", {"a": "3", "b": "4"}),
        (["", "a", " of ", "b", " rows"], "3 of 4 of 5 rows", {"a": "3", "b": "4 of 5"}),
        (["", "a", " of ", "b", ""], "3 and 4", None),
        # The first letters are the last ones too, but stand there once.
        (["aba", "x", "aba"], "aba", None),
        (["aba", "x", "aba"], "ababa", None),
        (["", "x", ""], "", {"x": ""}),
    ],
)
def test_the_blanks_of_a_stored_text_are_found_again(parts, stored, blanks):
    assert stored_texts._blanks_of(stored, parts) == blanks
