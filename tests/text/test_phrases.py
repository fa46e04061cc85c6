"""Where words stand in a text: in either letter case, however spaced, whole or anywhere."""

import pytest

from evaluators.text.phrases import LOOK, MOST_COMPARED, Phrase, Search, as_written
from tests.hostile import check, repeated


def marked(text, *phrases, start=0):
    return [text[begin:end] for begin, end, _ in Search(phrases).places(text, start)]


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("Paris, PARIS and paris", Phrase("Paris"), ["Paris", "PARIS", "paris"]),
        ("Parisian", Phrase("Paris"), ["Paris"]),
        ("Parisian in Paris", Phrase("Paris", "whole words"), ["Paris"]),
        ("Parisian in Paris", Phrase("Paris", "answer"), ["Paris"]),
        ("14 of 2014", Phrase("14", "answer"), ["14"]),
        ("1.4 or 11.4", Phrase("1.4", "answer"), ["1.4"]),
        ("他在北京市", Phrase("北京", "answer"), ["北京"]),
        ("New\n York", Phrase("new york"), ["New\n York"]),
        ("NewYork", Phrase("New York"), ["NewYork"]),
        ("２０２０ and 2020", Phrase("2020"), ["２０２０", "2020"]),
        ("ΟΔΟΣ", Phrase("οδος"), ["ΟΔΟΣ"]),
        ("İstanbul", Phrase("stanbul"), ["stanbul"]),
        ("a a a", Phrase("a a"), ["a a"]),
        ("nothing", Phrase(""), []),
        ("", Phrase("a"), []),
    ],
)
def test_a_phrase_is_found_as_a_person_would_find_it(text, phrase, found):
    assert marked(text, phrase) == found


def test_of_two_phrases_at_one_place_the_longer_one_counts_and_none_overlap():
    assert marked("New York City", Phrase("New"), Phrase("York City"), Phrase("New York")) == [
        "New York"
    ]
    assert marked("abcd", Phrase("bcd"), Phrase("ab"), Phrase("d")) == ["ab", "d"]


def test_what_stands_before_the_start_is_not_looked_at():
    assert marked("Paris? Paris!", Phrase("Paris"), start=1) == ["Paris"]


@pytest.mark.parametrize(
    ("text", "words", "written"),
    [
        ("It is Canberra, not PERTH.", ["canberra", "perth"], ["Canberra", "PERTH"]),
        ("In New  York.", ["new york"], ["New  York"]),
        ("Is 北京 it?", ["北京"], ["北京"]),
        ("paris and Paris", ["paris"], ["paris"]),
        ("gone", ["Lyon", "gone"], ["Lyon", "gone"]),
        ("", ["a"], ["a"]),
        ("Perth", [], []),
    ],
)
def test_compared_words_are_shown_as_they_stand_in_the_text(text, words, written):
    assert as_written(text, words) == written


@pytest.mark.parametrize("ends", ["anywhere", "whole words", "answer"])
@pytest.mark.parametrize("unit", ["! ", "1", "a", "ab ", " "])
def test_long_texts_and_long_phrases_take_linear_time(unit, ends):
    def look(text):
        phrases = [
            Phrase(part, ends)
            for part in (text[: len(text) // 2] + "b", text[: len(text) // 2], unit)
        ]
        list(Search(phrases).places(text))

    check(look, [repeated("", unit, ""), repeated("", unit, "b")])


def test_a_phrase_that_is_always_inside_a_longer_word_is_given_up():
    assert marked("1" * (MOST_COMPARED // LOOK) + " 1", Phrase("1", "answer")) == []


def test_of_many_phrases_the_shortest_are_left_out_and_all_texts_share_one_budget():
    letters = MOST_COMPARED // 4_000
    text = f"{'b ' * (letters // 2)} long short"
    phrases = [Phrase("short"), *(Phrase(f"never{'r' * length}") for length in range(100))]
    assert marked(text, *phrases[:2], Phrase("long")) == ["long", "short"]
    assert marked(text, *phrases) == []
    search = Search([Phrase("long")])
    found = [len(list(search.places(text))) for _ in range(40)]
    assert found == sorted(found, reverse=True)
    assert 5 < sum(found) < 40
