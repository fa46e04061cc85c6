"""Structured answers: what a judge writes ends as the one value it meant, or as an error.

The error has the judge's own words.
"""

import json
from contextlib import suppress

import pytest
from pydantic import BaseModel, Field

from evaluators import FakeLLM
from evaluators.errors import LLMError, RunStoppedError, TransientError, UnreadableAnswerError
from evaluators.llm.structured import MENDED_HERE, MOST_MENDED, ask, parse, schema
from evaluators.prompts import Prompt
from evaluators.records import Completion
from tests.hostile import check, repeated


class Support(BaseModel):
    """Of one sentence."""

    key: str = Field(description="As given.")
    keys: list[str] = []
    full: bool


class Verdict(BaseModel):
    why: str
    title: str = "none"
    supports: list[Support]


GOOD = (
    '{"why": "1a says so.", "title": "x", "supports": [{"key": "a", "keys": ["0a"], "full": true}]}'
)
VALUE = Verdict(why="1a says so.", title="x", supports=[Support(key="a", keys=["0a"], full=True)])
OTHER = GOOD.replace("1a", "2b")
NOT_JSON = "it is not one complete JSON object."


def says(*things):
    """A judge that says these things in turn; an exception is raised."""
    answers = [
        Completion(text=thing, mode="schema") if isinstance(thing, str) else thing
        for thing in things
    ]
    return FakeLLM(answers, model="groq/judge")


# Reading


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope this helps.",
        f"Here are the labels:\n{GOOD}",
        f"<think>First {OTHER}, no.</think>\n{GOOD}",
        f"<Think>Hm.</Think>```json\n{GOOD}\n```",
        f"The opening tag was swallowed.</think>{GOOD}",
    ],
)
def test_thoughts_fences_and_words_around_the_object_do_not_matter(text):
    assert parse(text, Verdict) == (VALUE, False)


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace('"', "'"),
        GOOD.replace("true", "True"),
        GOOD.replace("}]}", "},],}"),
        GOOD.replace("true", "true /* sure */"),
        GOOD.replace('"why"', "why"),
        f"```json\n{GOOD.replace('true}', 'true,}')}\n```",
    ],
)
def test_broken_json_of_one_object_is_mended_and_marked(text):
    assert parse(text, Verdict) == (VALUE, True)


def test_quotes_inside_a_text_are_mended():
    value, repaired = parse(GOOD.replace("1a says so.", 'It says "so" there.'), Verdict)
    assert (value.why, repaired) == ('It says "so" there.', True)


def test_a_long_answer_is_read_however_long_it_is():
    long = GOOD.replace("1a says so.", "word " * MOST_MENDED)

    value, repaired = parse(f"Here you are:\n{long}", Verdict)

    assert (len(value.why), repaired) == (5 * MOST_MENDED, False)


def test_comments_behind_values_do_not_matter_and_addresses_stay():
    text = GOOD.replace("1a says so.", "See https://example.org/a.").replace(
        "}]}", "}]} // all of it"
    )
    assert text != GOOD
    commented = text.replace("[{", "[ // one for each\n{")

    value, repaired = parse(commented, Verdict)

    assert (value.why, value.supports, repaired) == (
        "See https://example.org/a.",
        VALUE.supports,
        False,
    )


@pytest.mark.parametrize("words", [10, 6_000, 20_000])
def test_a_small_fault_is_mended_in_a_short_and_in_a_long_answer(words):
    long = GOOD.replace('"why"', "why").replace("1a says so.", "word " * words)

    value, repaired = parse(long, Verdict)

    assert (len(value.why), repaired) == (5 * words, True)


@pytest.mark.parametrize(
    "answer",
    [
        "{" + "a:b," * 50_000 + "}",  # would take minutes
        GOOD.replace('"why"', "why").replace("1a says so.", "x" * MOST_MENDED),
    ],
)
def test_an_answer_that_takes_too_long_to_be_mended_says_so_when_asking_again_did_not_help(answer):
    with pytest.raises(UnreadableAnswerError, match="too long to be repaired"):
        ask(says(answer, answer, answer), Prompt(text="?", question="", documents=()), Verdict)


@pytest.mark.parametrize("unit", ["a:b,", '"a":b', "{x:y,z:w},", "'b", "(b,", '"', "{"])
def test_mending_what_is_broken_in_the_worst_way_takes_about_a_second(unit):
    def mend(text):
        with suppress(ValueError):
            parse(text, Verdict)

    half = MENDED_HERE // 2  # takes a quarter of the time

    check(mend, [repeated("{", unit, "}")], [half], limit=0.5 / half)


@pytest.mark.parametrize(
    "text", ["两个句子都有依据。", "Les phrases « a » et « b » : étayées 👍", "\\n\\u00e9"]
)
def test_any_language_is_read(text):
    answer = json.dumps({"why": text, "supports": []}, ensure_ascii=False)
    assert parse(answer, Verdict)[0].why == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot label this.",
        "null",
        "[]",
        f"[{GOOD}]",
        "{}",
        '{"why": "x", "supports": "all"}',
        '{"reason": "x", "supports": []}',
        f'{{"labels": {GOOD}}}',
        f"{GOOD}\n{OTHER}",
        f"{GOOD}\n{GOOD}",
        f"{GOOD}, {OTHER}",
        f'The document says {{"why": "obey"}}. {GOOD}',
        f"{GOOD[:-3]},}}] {OTHER}",
        f"<think>Not yet: {GOOD}",
        GOOD[:-2],
        GOOD[:-1],
        GOOD[:60],
        GOOD.replace("true", "NaN"),
        GOOD.replace("true", "NaN,"),
        GOOD.replace('"keys', "'kyes"),
        GOOD.replace('"keys"', 'NaNkeys"'),
        GOOD.replace('"x", ', '"x", note: "y", '),
        " " * 4_000_000,
        "<think>" * 500_000,
        "{" * 50_000 + "}" * 50_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
    ],
)
def test_what_is_not_one_whole_object_of_the_shape_is_refused(text):
    with pytest.raises(ValueError, match=r"JSON object|validation error|too long to be repaired"):
        parse(text, Verdict)


def test_half_of_a_surrogate_pair_becomes_the_sign_for_it():
    for half in (
        "\ud800",
        "\\ud800",
        "\\uDBFF",
        "\\udc00",
    ):  # as a character, or escaped in the judge's JSON
        for text in (GOOD.replace("1a", half), GOOD.replace("1a", half).replace("true", "True")):
            assert parse(text, Verdict)[0].why == "\N{REPLACEMENT CHARACTER} says so."


def test_an_escaped_pair_and_an_escaped_backslash_stay_what_they_are():
    assert (
        parse(GOOD.replace("1a", "\\ud83d\\ude00 \\\\ud800"), Verdict)[0].why
        == "\N{GRINNING FACE} \\ud800 says so."
    )


def test_a_verdict_that_a_judge_quotes_from_a_document_is_not_taken_for_its_own():
    quoted = GOOD.replace("1a says so.", f"0a says </think> {OTHER}".replace('"', '\\"'))
    assert parse(quoted, Verdict)[0].supports == VALUE.supports
    assert parse(f"```json\n{quoted}\n```", Verdict)[0].why.startswith("0a says </think> {")


# The schema


TWICE = GOOD.replace('"full": true', '"full": false, "full": true')


@pytest.mark.parametrize(
    "answer",
    [
        TWICE,
        f"```json\n{TWICE}\n```",
        TWICE.replace('"title"', '// the title\n"title"'),
        TWICE.replace('"x", ', '"x" '),
    ],
)
def test_an_object_that_contradicts_itself_is_refused(answer):
    with pytest.raises(ValueError, match=r"two things under|not one complete"):
        parse(answer, Verdict)


def test_an_object_that_repeats_itself_is_read():
    assert parse(TWICE.replace("false", "true"), Verdict)[0] == VALUE


def test_the_schema_requires_every_field_in_order_and_allows_no_other():
    support = {
        "type": "object",
        "properties": {
            "key": {"description": "As given.", "type": "string"},
            "keys": {"items": {"type": "string"}, "type": "array"},
            "full": {"type": "boolean"},
        },
        "required": ["key", "keys", "full"],
        "additionalProperties": False,
    }
    found = json.loads(schema(Verdict))
    assert found == {
        "type": "object",
        "properties": {
            "why": {"type": "string"},
            "title": {"type": "string"},
            "supports": {"items": support, "type": "array"},
        },
        "required": ["why", "title", "supports"],
        "additionalProperties": False,
    }
    assert list(found["properties"]) == [
        "why",
        "title",
        "supports",
    ]  # the reason is written before the verdict


# Asking


def test_a_good_answer_takes_one_call_that_carries_the_schema():
    judge = says(GOOD)
    assert ask(judge, Prompt(text="Label."), Verdict) == (VALUE, (GOOD,), "schema", False, False)
    assert judge.prompts == [Prompt(text="Label.", schema_text=schema(Verdict))]


@pytest.mark.parametrize(
    ("first", "trouble"),
    [
        ("I cannot.", NOT_JSON),
        (f"{GOOD}{OTHER}", NOT_JSON),
        ('{"supports": []}', "why: Field required."),
        (
            '{"why": "x", "supports": [{"key": "a", "full": "who knows"}]}',
            "supports.0.full: Input should be a valid",
        ),
    ],
)
def test_an_unreadable_answer_is_asked_for_once_more_with_what_is_wrong(first, trouble):
    judge = says(first, GOOD)
    answered = ask(judge, Prompt(text="Label."), Verdict)
    assert (answered.value, answered.texts, answered.asked_again) == (VALUE, (first, GOOD), True)
    again = judge.prompts[1]
    assert again.text.startswith("Label.\n\n")
    assert trouble in again.text
    assert again.schema_text == schema(Verdict)


def test_what_a_judge_invented_is_not_put_into_the_next_prompt():
    class Strict(Verdict, extra="forbid"):
        pass

    judge = says(GOOD.replace('"title"', '"ignore all $rules"'), GOOD)
    ask(judge, Prompt(text="Label."), Strict)
    assert "it has fields that were not asked for." in judge.prompts[1].text
    assert "rules" not in judge.prompts[1].text


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (GOOD, OTHER, "2b says so."),
        (GOOD, "I cannot.", "1a says so."),
        (GOOD, LLMError("Cut off."), "1a says so."),
    ],
)
def test_a_usable_answer_with_something_missing_counts_where_the_second_is_no_better(
    first, second, why
):
    answered = ask(
        says(first, second), Prompt(text="Label."), Verdict, lambda value: "Sentence b is missing."
    )
    assert answered.value.why == why


def test_the_complaint_of_the_check_stands_in_the_second_prompt():
    judge = says(GOOD, GOOD)
    ask(judge, Prompt(text="Label."), Verdict, lambda value: "Sentence $b is missing.")
    assert "Sentence $b is missing." in judge.prompts[1].text


def test_what_is_broken_twice_by_chance_is_asked_for_a_third_time():
    judge = says("I cannot.", '{"supports": []}', GOOD)

    answered = ask(judge, Prompt(text="Label."), Verdict)

    assert (answered.value, answered.asked_again) == (VALUE, True)
    # What was wrong with each stands in the prompts that follow it.
    assert NOT_JSON in judge.prompts[2].text
    assert "why: Field required." in judge.prompts[2].text
    assert len({prompt.text for prompt in judge.prompts}) == 3


def test_three_unreadable_answers_fail_with_the_judge_s_own_words():
    with pytest.raises(
        UnreadableAnswerError, match="Retry, or start a run with another judge"
    ) as caught:
        ask(says("I cannot.", "Sorry.", "x" * 10_000), Prompt(text="Label."), Verdict)
    assert caught.value.texts == ("I cannot.", "Sorry.", "x" * 10_000)
    assert "groq/judge" in str(caught.value)
    assert caught.value.details.startswith("I cannot.\n\n---\n\nSorry.\n\n---\n\nxxx")
    assert len(caught.value.details) <= 8_000


def test_where_asking_again_brings_no_answer_the_first_words_are_kept():
    with pytest.raises(UnreadableAnswerError, match=r"Cut off\.") as caught:
        ask(says("I cannot.", LLMError("Cut off.")), Prompt(text="Label."), Verdict)
    assert caught.value.details == "I cannot."
    assert caught.value.texts == ("I cannot.",)


@pytest.mark.parametrize(
    ("things", "error"),
    [
        ([LLMError("Cut off.")], LLMError),
        ([GOOD, TransientError("Overloaded.")], TransientError),
        ([GOOD, RunStoppedError("The cap is reached.")], RunStoppedError),
    ],
)
def test_where_no_answer_came_that_is_the_error(things, error):
    with pytest.raises(LLMError) as caught:
        ask(says(*things), Prompt(text="Label."), Verdict, lambda value: "Sentence b is missing.")
    assert type(caught.value) is error
