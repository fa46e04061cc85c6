"""Codes: easy to copy, hard to guess, and guessed only so often."""

from __future__ import annotations

import pytest

from evaluators.errors import HostLimitError
from evaluators.rounds.codes import ALPHABET, LENGTH, WINDOW, Guesses, new_code, spoken, typed


def test_a_code_has_nothing_that_looks_like_another_letter():
    assert not set(ALPHABET) & set("01258BILOSUVZ")
    assert len(set(ALPHABET)) == 23
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert {len(code) for code in codes} == {LENGTH}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ACDEFG", "ACDEFG"),
        (" acd efg ", "ACDEFG"),
        ("acd-efg", "ACDEFG"),
        (spoken("ACDEFG"), "ACDEFG"),
        ("ACDEF", ""),
        ("ACDEFGH", ""),
        ("ACDEF0", ""),
        ("", ""),
        ("a" * 10_000_000, ""),
    ],
)
def test_a_code_is_read_as_people_type_it(text, code):
    assert typed(text) == code


def test_wrong_codes_of_one_address_are_bounded_and_forgotten_after_a_minute():
    guesses = Guesses(most_of_one=2, most_of_all=10)
    for moment in (0, 1):
        guesses.check("a", moment)
        guesses.wrong("a", moment)

    with pytest.raises(HostLimitError, match="Too many wrong codes"):
        guesses.check("a", 2)
    guesses.check("b", 2)
    guesses.check("a", WINDOW + 0.5)


def test_wrong_codes_of_many_addresses_are_bounded_together():
    guesses = Guesses(most_of_one=2, most_of_all=3)
    for address in "abc":
        guesses.wrong(address, 0)

    with pytest.raises(HostLimitError):
        guesses.check("d", 1)
