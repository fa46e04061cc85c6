"""The catalogue: every text of the code has its Chinese, with the same blanks and marks."""

import re

import pytest

from tests.language.messages import Text, texts_of_code, translations

TEXTS = texts_of_code()
SAID = translations()
BLANK = re.compile(r"\{(\w+)[^{}]*\}")
MARKS = re.compile(r":material/\w+:|</?\w+|\*\*|`")
"""What Markdown and HTML make of a text; a translation has as many of each."""


def test_every_text_is_translated():
    missing = [f"{where}: {text.english!r}" for text, where in TEXTS.items() if not SAID.get(text)]
    assert not missing, "python -m tests.language lists them"


def test_the_catalogue_has_nothing_that_no_code_says():
    assert not SAID.keys() - TEXTS.keys()


def blanks(text):
    if text.context:
        return [{"counted": "number", "places": "places"}[text.context]]
    return sorted(set(BLANK.findall(text.english)))


@pytest.mark.parametrize("text", sorted(SAID, key=str), ids=str)
def test_a_translation_has_the_blanks_and_marks_of_its_text(text):
    said = SAID[text]
    assert sorted(set(BLANK.findall(said))) == blanks(text)
    if text.context is None:
        assert sorted(MARKS.findall(said)) == sorted(MARKS.findall(text.english))


def test_spaces_at_the_ends_stay():
    def ends(text):
        return text[:1].isspace(), text[-1:].isspace()

    # " and " and " or " stand between Chinese words without spaces.
    joining = {Text(None, " and "), Text(None, " or "), Text(None, ", "), Text(None, "; ")}
    differing = [text for text in SAID.keys() - joining if ends(text.english) != ends(SAID[text])]
    assert not differing
