"""`FakeLLM`: where its answers come from, and what it keeps."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluators import FakeLLM, Prompt, YesOrNo, ask
from evaluators.errors import LLMError, ParameterError
from evaluators.records import Completion

PARIS, ROME = Prompt(text="Is Paris a capital?"), Prompt(text="Is Rome?")


@pytest.mark.parametrize(
    ("answers", "texts"),
    [
        ("yes", ["yes", "yes"]),
        (["yes", "no"], ["yes", "no"]),
        (("yes", {"verdict": "no"}), ["yes", '{"verdict": "no"}']),
        ({"Paris": "yes", "": "no"}, ["yes", "no"]),
        (lambda text: text.upper(), ["IS PARIS A CAPITAL?", "IS ROME?"]),
        (lambda text: {"length": len(text)}, ['{"length": 19}', '{"length": 8}']),
        (Completion(text="whole"), ["whole", "whole"]),
    ],
)
def test_answers_come_from_a_text_a_list_a_dict_or_a_function(answers, texts):
    llm = FakeLLM(answers)

    assert [llm.complete(prompt).text for prompt in (PARIS, ROME)] == texts
    assert llm.prompts == [PARIS, ROME]
    assert (llm.asked, llm.calls) == ([PARIS.text, ROME.text], 2)


def test_a_model_of_pydantic_is_sent_as_json():
    verdict = ask(FakeLLM([YesOrNo(reason="It is.", verdict="yes")]), PARIS, YesOrNo)

    assert (verdict.value.value, json.loads(verdict.texts[0])["verdict"]) == (1.0, "yes")


def test_a_completion_keeps_its_facts():
    assert (
        FakeLLM([Completion(text="", finish_reason="length")]).complete(PARIS).finish_reason
        == "length"
    )


@pytest.mark.parametrize(
    "answers", [LLMError("Down."), [LLMError("Down.")], {"Paris": LLMError("Down.")}]
)
def test_an_error_is_raised_and_the_call_counts(answers):
    llm = FakeLLM(answers)

    with pytest.raises(LLMError, match="Down"):
        llm.complete(PARIS)
    assert llm.calls == 1


@pytest.mark.parametrize(
    ("answers", "remedy"),
    [
        ([], r"has 0 answers and was asked 1 times\. Give more"),
        ({"Rome": "yes"}, r"none of \['Rome'\] is in the prompt 'Is Paris a capital\?'"),
    ],
)
def test_where_it_has_no_answer_it_says_so(answers, remedy):
    with pytest.raises(ParameterError, match=remedy):
        FakeLLM(answers).complete(PARIS)


def test_each_answer_of_a_list_is_given_once_also_to_threads():
    llm = FakeLLM([str(number) for number in range(200)])
    with ThreadPoolExecutor(8) as pool:
        texts = [each.text for each in pool.map(llm.complete, [PARIS] * 200)]

    assert sorted(map(int, texts)) == list(range(200))
