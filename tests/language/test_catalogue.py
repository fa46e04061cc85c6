"""The catalogue: every text of the code has its Chinese, with the same blanks and marks."""

import re

from tests.language.messages import Text, texts_of_code, translations

BLANK = re.compile(r"\{(\w+)[^{}]*\}")
MARKS = re.compile(r":material/\w+:|</?\w+|\*\*|`")
"""What Markdown and HTML make of a text; a translation has as many of each."""


def test_every_text_is_translated():
    said = translations()
    texts = texts_of_code()
    missing = [f"{where}: {text.english!r}" for text, where in texts.items() if not said.get(text)]
    assert not missing, "python -m tests.language lists them"


def test_the_catalogue_has_nothing_that_no_code_says():
    assert not translations().keys() - texts_of_code().keys()


def blanks(text):
    if text.context in ("counted", "places"):
        return [{"counted": "number", "places": "places"}[text.context]]
    return sorted(set(BLANK.findall(text.english)))


def test_a_translation_has_the_blanks_and_marks_of_its_text():
    faulty = {
        text: said
        for text, said in translations().items()
        if sorted(set(BLANK.findall(said))) != blanks(text) or marks(said) != marks(text.english)
    }
    assert not faulty


def marks(text):
    return sorted(MARKS.findall(text))


def test_spaces_at_the_ends_stay():
    def ends(text):
        return text[:1].isspace(), text[-1:].isspace()

    # " and " and " or " stand between Chinese words without spaces.
    joining = {Text(None, " and "), Text(None, " or "), Text(None, ", "), Text(None, "; ")}
    differing = {
        text: said for text, said in translations().items() if ends(text.english) != ends(said)
    }
    assert not differing.keys() - joining
