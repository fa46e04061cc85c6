"""What will be sent: sizes and keys of prompts, for each model its own."""

from evaluators.llm.catalogue import OFFLINE, find
from evaluators.llm.estimate import SHORT_ANSWER
from evaluators.llm.prompt_sizes import prompt_sizes, sizes_to_come
from evaluators.prompts import Prompt

LUNA = find("openai/gpt-6-luna").spec()
SOL = find("openai/gpt-6-sol").spec()
PROMPTS = [(Prompt(text="a" * 40), 1), (Prompt(text="b" * 80), 1)]
"""10 and 20 tokens, and 8 for the frame around each."""


def test_prompts_are_measured_once_and_have_a_key_for_each_llm():
    sizes = prompt_sizes(PROMPTS, [OFFLINE, LUNA, SOL])

    assert sizes.tokens == (18, 28)
    assert set(sizes.keys) == {LUNA, SOL}
    assert len({key for keys in sizes.keys.values() for key in keys}) == 4


def test_a_schema_makes_another_request():
    plain, shaped = (
        prompt_sizes([(Prompt(text="a", schema_text=text), 1)], [LUNA]).keys[LUNA]
        for text in ("", "{}")
    )

    assert plain != shaped


def test_what_is_to_come_is_taken_to_be_short_and_can_have_no_stored_judgement():
    sizes = sizes_to_come(prompt for prompt, _ in PROMPTS)

    assert sizes == ((18 + SHORT_ANSWER, 28 + SHORT_ANSWER), {})
