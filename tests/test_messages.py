"""Messages: kept with their template and blanks, and said in the language of whoever reads."""

import pickle
import tracemalloc

import pytest
from pydantic import ValidationError

from evaluators.errors import DatasetError
from evaluators.messages import MOST_NESTED, STORED, Text, as_stored, from_stored
from evaluators.records import Reason, Record
from evaluators.runs.store.bodies import from_body, to_body
from evaluators.surrogates import without_surrogates
from evaluators.text.language import CHINESE, ENGLISH, mark, say, speaking, translated
from evaluators.text.words import (
    counted,
    in_a_line,
    joined_by_and,
    joined_sentences,
    of_sample,
    places,
)
from tests.language.messages import texts_of_code

HOSTILE = ["{row}", "{0} {problem!r} %s {", "{problem.__class__}", "<b>bold</b> **bold**", "Home"]


class Kept(Record):
    text: Text = ""
    texts: tuple[Text, ...] = ()


def in_chinese(text):
    with speaking(CHINESE):
        return translated(text)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (say("Home"), "Home", "首页"),
        (mark("Nothing is kept yet."), "Nothing is kept yet.", "尚未保存任何内容。"),
        (counted(1, "row"), "1 row", "1 行"),
        (counted(2000, "row"), "2,000 rows", "2,000 行"),
        (places([3]), "row 3", "第 3 行"),
        (places([5, 3]), "rows 3, 5", "第 3、5 行"),
        (
            say("Row {row:d}: {problem}", row=7, problem=say("Nothing is kept yet.")),
            "Row 7: Nothing is kept yet.",
            "第 7 行：尚未保存任何内容。",
        ),
        (
            joined_sentences([say("Nothing is kept yet."), "", "Nobody said this."]),
            "Nothing is kept yet. Nobody said this.",
            "尚未保存任何内容。Nobody said this.",
        ),
        (in_a_line(say("Home") for _ in range(2)), "Home, Home", "首页、首页"),
        (joined_by_and(["a", "b"]), "a and b", "a和b"),
        (of_sample("3", "empty."), "Sample 3: empty.", "样本 3：empty."),
        # What is not a message stays as it is, whatever it says.
        ("Home", "Home", "Home"),
        ("Row 7: Nothing is kept yet.", "Row 7: Nothing is kept yet.", None),
    ],
)
def test_a_message_is_said_in_the_language_of_its_reader_also_when_it_was_stored(
    said, english, chinese
):
    stored = from_body(Kept, to_body(Kept(text=said, texts=(said,))))

    assert said == stored.text == stored.texts[0] == english
    assert in_chinese(said) == in_chinese(stored.text) == (chinese or english)
    assert in_chinese(pickle.loads(pickle.dumps(said))) == in_chinese(said)


def test_what_was_said_in_chinese_is_english_where_it_was_stored():
    with speaking(CHINESE):
        body = to_body(Kept(text=say("Row {row:d}: {problem}", row=7, problem=say("Home"))))
        stored = from_body(Kept, body).text

    assert stored == "Row 7: Home"


def test_only_what_is_stored_has_templates():
    kept = Kept(text=counted(3, "row"))

    assert kept.model_dump_json() == '{"text":"3 rows","texts":[]}'
    assert kept.model_dump(mode="json", context=STORED)["text"] == {"counted": [3, "row"]}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_fills_a_blank_is_never_a_template(hostile):
    said = say("Row {row:d}: {problem}", row=7, problem=hostile)
    nested = say("{name} was put away meanwhile. {problem}", name=hostile, problem=said)
    stored = from_stored(as_stored(nested))

    assert stored == nested == f"{hostile} was put away meanwhile. Row 7: {hostile}"
    assert f"第 7 行：{hostile}" in in_chinese(stored)


@pytest.mark.parametrize(
    "stored",
    [
        '{"say": ["{row.__class__}"], "blanks": {"row": 1}}',
        '{"say": ["{row[0]}"], "blanks": {"row": "a"}}',
        '{"say": ["{row:99999}"], "blanks": {"row": 1}}',
        '{"say": ["{row:{row}}"], "blanks": {"row": 1}}',
        '{"say": ["{row}"], "blanks": {"other": 1}}',
        '{"say": ["{row}"], "blanks": 3}',
        '{"say": ["{"], "blanks": {"row": 1}}',
        '{"say": ["{}"], "blanks": {"row": 1}}',
        '{"say": [], "counted": [1, "row"]}',
        '{"say": 5}',
        '{"say": []}',
        '{"eval": ["1"]}',
        '{"translated": ["1"]}',
        '{"counted": ["many", "row"]}',
        '{"joined_sentences": [[1]]}',
        "{}",
        "3",
        "null",
        '["a"]',
    ],
)
def test_what_no_message_can_be_is_refused(stored):
    with pytest.raises(ValidationError):
        Kept.model_validate_json(f'{{"text": {stored}}}')


def nested(depth):
    """A text in so many messages, each of which repeats it."""
    text = "x" * 100
    for _ in range(depth):
        text = {"say": ["{a}" * 100], "blanks": {"a": text}}
    return text


LONG = {"say": ["{a}" * 990], "blanks": {"a": "x" * 1000}}
"""4 KB, of which a megabyte would be made."""


@pytest.mark.parametrize(
    "stored",
    [
        LONG,
        nested(MOST_NESTED - 1),
        *({maker: [[LONG] * 300]} for maker in ("in_a_line", "side_by_side", "joined_by_and")),
        {"joined_sentences": [[nested(2)] * 300]},
        {"say": ["{a}"], "blanks": {"a": "x", "b": LONG}},
        {"say": [{"joined_sentences": [[LONG]]}]},
        # Five characters, of which a template makes five hundred.
        {"say": ["{a:,.99f}" * 500], "blanks": {"a": 1e308}},
    ],
)
def test_messages_in_a_file_cannot_become_much_longer_than_the_file(stored):
    tracemalloc.start()
    with pytest.raises(ValueError, match="too long"):
        from_stored(stored)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_messages_in_a_file_are_not_nested_without_end():
    one = {"say": ["{a}"], "blanks": {"a": "x"}}
    for _ in range(MOST_NESTED):
        one = {"say": ["{a}"], "blanks": {"a": one}}
    with pytest.raises(ValueError, match="too deep"):
        from_stored(one)


def test_a_long_text_in_many_messages_is_read_again():
    text = "x" * 100_000
    said = say("{name} was put away meanwhile. {problem}", name=text, problem=text)
    for row in range(3):
        said = say("Row {row:d}: {problem}", row=row, problem=said)
    assert from_stored(as_stored(said)) == said


def test_an_error_keeps_the_message_and_half_characters_are_cleaned_in_it():
    error = DatasetError(say("{name} was put away meanwhile.", name="a\ud800.csv"))

    assert error.reason.message == "a\ufffd.csv was put away meanwhile."
    stored = from_body(Reason, to_body(error.reason))
    assert stored == error.reason
    assert in_chinese(stored.message) == in_chinese(error.reason.message)
    assert without_surrogates("a\ud800") == "a\ufffd"


def test_every_template_of_the_code_is_stored_and_said_again():
    for text in texts_of_code():
        if text.context is None:
            said = mark(text.english)
            stored = from_stored(as_stored(said))
            with speaking(ENGLISH):
                assert translated(stored) == said
            assert in_chinese(stored) == in_chinese(said)
