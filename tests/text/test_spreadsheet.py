"""Cells that no spreadsheet runs, however it separates them, and the way back."""

import re
import unicodedata
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluators.text.spreadsheet import IGNORED, SEPARATORS, SIGNS, safe, unsafe
from tests.hostile import processor_seconds

BEGINNINGS = ["", *" \t\r\n\x00\u00a0\u200b\ufeff\u3000\x1f\"'", " \u2060\t"]


def cells(text):
    """What a program that splits by anything makes of the cell, without what it may drop."""
    return [
        re.sub(f"^[{IGNORED}]*", "", part) if part[:1] != "'" else "text"
        for part in re.split(f"[{SEPARATORS}]", text)
    ]


def test_what_may_be_a_formula_is_guarded():
    for beginning, sign in product(BEGINNINGS, "=+-@|%＝＋－＠﹦⁼−"):
        guarded = safe(f"{beginning}{sign}1+1")
        assert guarded.startswith(f"'{beginning[:1]}"), (beginning, sign)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Who?", "Who?"),
        ("5 - 3 = 2?", "5 - 3 = 2?"),
        ("-3 degrees?", "'-3 degrees?"),
        ("a\n=1", "'a\n'=1"),
        ("a\r@x", "'a\r'@x"),
        ("a;=1+1", "'a;'=1+1"),
        ("a; \u200b=1;b;-2", "'a;' \u200b=1;b;'-2"),
        ('a;"=1', "'a;'\"=1"),
        ("\tindented", "'\tindented"),
        ("\x00", "'\x00"),
    ],
)
def test_a_formula_behind_a_separator_is_guarded_as_well(text, cell):
    assert safe(text) == cell


@pytest.mark.parametrize(
    "text", ["", "1+1", "a=b", "it's", "'quoted'", "a - b", "a; b", "3.5", "Is it so?\nYes."]
)
def test_anything_else_stays_as_it_is(text):
    assert safe(text) == unsafe(text) == text


def test_every_form_of_a_sign_and_every_invisible_character_is_known():
    for character in map(chr, (*range(0xD800), *range(0xE000, 0x10000))):
        if unicodedata.normalize("NFKC", character)[:1] in tuple("=+-@|%"):
            assert re.match(f"[{SIGNS}]", character), hex(ord(character))
        if unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp"):
            assert re.match(f"[{IGNORED}{SEPARATORS}]", character), hex(ord(character))


@pytest.mark.parametrize("piece", [" \n", "\n", " ", ";", ";'", "' ", "\t;", "=;", "'"])
def test_long_texts_take_no_longer_than_others(piece):
    seconds = processor_seconds(lambda text: unsafe(safe(text)), piece * 100_000 + "x", 10)

    assert seconds < 5  # it took hours


def test_the_guard_of_earlier_versions_comes_off_too():
    assert unsafe("'a\n=1") == "a\n=1"


HOSTILE = st.text(alphabet="=-＝;'\"\t\n\r a\x00\u200b")


@given(st.text() | HOSTILE)
@example("'=1")
@example("';'=1")
@example("'\tx")
def test_the_guard_comes_off_again(text):
    assert unsafe(safe(text)) == text


@given(HOSTILE)
def test_no_part_of_a_guarded_text_begins_as_a_formula(text):
    assert not any(re.match(f"[{SIGNS}]", cell) for cell in cells(safe(text)))
