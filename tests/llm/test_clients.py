"""What one cell talks to, through all layers.

The schema goes out, the prompt budget is known, useless answers are not kept.
"""

import pytest
from pydantic import BaseModel, SecretStr

from evaluators.errors import AccessError, LLMError, NoAnswerError, UnreadableAnswerError
from evaluators.llm import Access
from evaluators.llm.budget import Meter
from evaluators.llm.call_log import CallLog
from evaluators.llm.catalogue import OFFLINE, unlisted
from evaluators.llm.clients import ModelSession, RunContext, ask_models, spec_for
from evaluators.llm.loop import Scope
from evaluators.llm.structured import ask
from evaluators.prompts import Prompt
from evaluators.records import Call, Cap, Completion, ModelSpec
from tests.loopback import ServerLimits


class Verdict(BaseModel):
    passed: bool


@pytest.fixture
def model_session():
    """`model_session(server, provider, model)` takes a place in a run; all are closed at the end."""
    sessions = []

    def take(server, provider, model, **options):
        url = server.address if provider == "groq" else server.base_url
        keys = {provider: Access(provider=provider, base_url=url, key=SecretStr("sk-any"))}
        spec = ModelSpec(provider=provider, model=model, **options)
        sessions.append(ModelSession(spec, keys, RunContext(Scope(), Meter(Cap()), None)))
        return sessions[-1]

    yield take
    for each in sessions:
        each.close()


@pytest.mark.parametrize(
    ("provider", "model", "mode", "strict"),
    [
        ("groq", "openai/gpt-oss-20b", "strict", True),
        ("openai", "gpt-6-luna", "strict", True),
        ("custom", "qwen3:8b", "schema", False),
    ],
)
def test_a_shaped_answer_comes_through_all_layers(
    loopback, model_session, provider, model, mode, strict
):
    server, call_log = loopback(answer=lambda text: '{"passed": true}'), CallLog()
    answered = ask(
        model_session(server, provider, model).client(call_log), Prompt(text="Judge."), Verdict
    )
    assert answered == (Verdict(passed=True), ('{"passed": true}',), mode, False, False)
    assert server.asked[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "strict": strict,
            "schema": {
                "type": "object",
                "properties": {"passed": {"type": "boolean"}},
                "required": ["passed"],
                "additionalProperties": False,
            },
        },
    }
    assert [call.completion.mode for call in call_log.calls] == [mode]


@pytest.mark.parametrize(
    ("answer", "fault", "kind", "asked"),
    [
        ("I cannot.", "", UnreadableAnswerError, 3),
        ('{"verdict": true}', "", UnreadableAnswerError, 3),
        ('{"passed": true}', "length", LLMError, 1),
        ('{"passed": true}', "empty", NoAnswerError, 2),
    ],
)
def test_a_judge_without_a_usable_answer_fails(loopback, model_session, answer, fault, kind, asked):
    server, call_log = loopback(answer=lambda text: answer, fault=lambda asked: fault), CallLog()
    with pytest.raises(LLMError) as caught:
        ask(
            model_session(server, "openai", "gpt-6-luna").client(call_log),
            Prompt(text="Judge."),
            Verdict,
        )
    assert type(caught.value) is kind
    assert len(server.asked) == len(call_log.calls) == asked


@pytest.mark.parametrize(
    ("provider", "model", "budget", "prompt_budget"),
    [
        (
            "groq",
            "openai/gpt-oss-20b",
            1_024,
            6_576,
        ),  # 8,000 a minute on the free plan - 1,024 - 400 for a schema
        ("groq", "openai/gpt-oss-20b", 9_000, 0),
        ("openai", "gpt-4o-mini", 1_024, 126_576),  # a context of 128,000
        ("custom", "qwen3:8b", 1_024, None),
    ],
)
def test_the_prompt_budget_is_what_context_and_plan_leave(
    loopback, model_session, provider, model, budget, prompt_budget
):
    assert (
        model_session(loopback(), provider, model, answer_tokens=budget)
        .client(CallLog())
        .prompt_budget
        == prompt_budget
    )


def test_the_prompt_budget_follows_the_limit_that_the_provider_names(loopback, model_session):
    server = loopback(limits=ServerLimits(requests=30, tokens=20_000))
    client = model_session(server, "groq", "openai/gpt-oss-120b").client(CallLog())
    assert client.prompt_budget == 6_576
    client.complete(Prompt(text="Hello"))
    assert client.prompt_budget == 18_576  # 20,000 - 1,024 - 400


@pytest.mark.parametrize(
    "address", ["http://me:hidden-word@localhost/v1", "http://localhost/v1?api-key=hidden-word"]
)
def test_an_address_with_a_secret_in_it_comes_into_no_run_and_no_message(address):
    keys = {"custom": Access(provider="custom", base_url=address, key=SecretStr(""))}
    with pytest.raises(
        AccessError, match="The base URL contains a user name, a password or a query"
    ) as caught:
        spec_for(unlisted("custom", "m"), keys, temperature=0, answer_tokens=100)
    assert "hidden" not in str(caught.value)
    with pytest.raises(LLMError) as failed:  # the list of models is asked for before
        ask_models(keys["custom"])
    assert "hidden" not in str(failed.value) + failed.value.details


def test_the_offline_reader_has_no_limit():
    assert (
        ModelSession(OFFLINE, {}, RunContext(Scope(), Meter(Cap()), None))
        .client(CallLog())
        .prompt_budget
        is None
    )


@pytest.mark.parametrize(
    ("texts", "reusable"),
    [((), [True, True, True]), (("b",), [True, False, True]), (("c", "a"), [False, True, False])],
)
def test_only_what_was_of_no_use_is_spoiled(texts, reusable):
    call_log = CallLog()
    call_log.calls = [
        Call(key=text, model="openai/x", completion=Completion(text=text)) for text in "abc"
    ]
    call_log.discard(texts)
    assert [call.reusable for call in call_log.calls] == reusable
