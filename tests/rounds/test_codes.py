"""Codes: easy to copy, hard to guess."""

import pytest

from evaluators.rounds.codes import ALPHABET, LENGTH, new_code, spoken, typed


def test_a_code_has_nothing_that_looks_like_another_letter():
    assert not set(ALPHABET) & set("01258BILOSUVZ")
    assert len(set(ALPHABET)) == 23
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert {len(code) for code in codes} == {LENGTH}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ACDEFG34", "ACDEFG34"),
        (" acde fg34 ", "ACDEFG34"),
        ("acde-fg34", "ACDEFG34"),
        (spoken("ACDEFG34"), "ACDEFG34"),
        ("ACDEFG3", ""),
        ("ACDEFG344", ""),
        ("ACDEFG30", ""),
        ("", ""),
        ("a" * 10_000_000, ""),
    ],
)
def test_a_code_is_read_as_people_type_it(text, code):
    assert typed(text) == code
