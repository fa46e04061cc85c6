"""What will be sent: sizes and keys of prompts, for each model its own."""

from evaluators.llm.catalogue import OFFLINE, find
from evaluators.llm.estimate import SHORT_ANSWER
from evaluators.llm.prompt_sizes import sent, sent_to, to_come, together, what_is_left
from evaluators.prompts import Prompt
from evaluators.text.size import tokens

LUNA = find("openai/gpt-6-luna").spec()
SOL = find("openai/gpt-6-sol").spec()
TEXTS = ["a" * 40, "b" * 80]
"""10 and 20 tokens, and 8 for the frame around each."""


def test_prompts_are_measured_once_and_have_a_key_for_each_llm():
    what = sent(TEXTS, [OFFLINE, LUNA, SOL], judge_prompts=["c" * 4])

    assert what.prompt_tokens == (18, 28)
    assert set(what.keys) == {LUNA, SOL}
    assert len({key for keys in what.keys.values() for key in keys}) == 4
    assert what.judge_tokens == (9 + SHORT_ANSWER,)


def test_a_schema_makes_another_request():
    plain, shaped = (
        sent_to(LUNA, [Prompt(text="a", schema_text=text)]).keys[LUNA] for text in ("", "{}")
    )

    assert plain != shaped
    assert sent(["a"], [LUNA], schema_text="{}").keys[LUNA] == shaped


def test_parts_are_put_together_for_one_model():
    whole = together([sent(TEXTS[:1], [LUNA, SOL]), sent(TEXTS[1:], [LUNA])], LUNA)

    assert whole == sent(TEXTS, [LUNA])._replace(judge_tokens=())


def test_of_stored_answers_the_longest_prompts_are_taken_to_be_open():
    left = what_is_left(LUNA, sent(TEXTS, [LUNA]), stored=1)

    assert (left.calls, left.cached, left.prompt_tokens) == (1, 1, tokens(TEXTS[1]))


def test_answers_to_come_are_measured_as_short_ones_of_each_model():
    assert to_come(sent(TEXTS, [LUNA]), 2) == sent([], [])._replace(
        prompt_tokens=(18 + SHORT_ANSWER, 28 + SHORT_ANSWER) * 2
    )
