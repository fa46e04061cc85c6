"""What one cell talks to, through all layers.

The schema goes out, the prompt budget is known, useless answers are not kept.
"""

import pytest
from pydantic import BaseModel, SecretStr

from evaluators.errors import AccessError, LLMError, UnreadableAnswerError
from evaluators.llm import Access
from evaluators.llm.catalogue import OFFLINE, unlisted
from evaluators.llm.clients import Account, Ledger, Seat, ask_models, spec_for
from evaluators.llm.layers import Meter
from evaluators.llm.loop import Scope
from evaluators.llm.structured import ask
from evaluators.prompts import Prompt
from evaluators.records import Call, Cap, Completion, ModelSpec
from tests.loopback import ServerLimits


class Verdict(BaseModel):
    passed: bool


@pytest.fixture
def seat():
    """`seat(server, provider, model)` takes a place in a run; all are closed at the end."""
    seats = []

    def take(server, provider, model, **options):
        url = server.address if provider == "groq" else server.base_url
        keys = {provider: Access(provider=provider, base_url=url, key=SecretStr("sk-any"))}
        spec = ModelSpec(provider=provider, model=model, **options)
        seats.append(Seat(spec, keys, Account(Scope(), Meter(Cap(), 0, 0.0), None)))
        return seats[-1]

    yield take
    for each in seats:
        each.close()


@pytest.mark.parametrize(
    ("provider", "model", "mode", "strict"),
    [
        ("groq", "openai/gpt-oss-20b", "strict", True),
        ("openai", "gpt-6-luna", "strict", True),
        ("custom", "qwen3:8b", "schema", False),
    ],
)
def test_a_shaped_answer_comes_through_all_layers(loopback, seat, provider, model, mode, strict):
    server, ledger = loopback(answer=lambda text: '{"passed": true}'), Ledger()
    answered = ask(seat(server, provider, model).client(ledger), Prompt(text="Judge."), Verdict)
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
    assert [call.completion.mode for call in ledger.calls] == [mode]


@pytest.mark.parametrize(
    ("answer", "fault", "kind", "asked"),
    [
        ("I cannot.", "", UnreadableAnswerError, 2),
        ('{"verdict": true}', "", UnreadableAnswerError, 2),
        ('{"passed": true}', "length", LLMError, 1),
        ('{"passed": true}', "empty", LLMError, 2),
    ],
)
def test_a_judge_without_a_usable_answer_fails(loopback, seat, answer, fault, kind, asked):
    server, ledger = loopback(answer=lambda text: answer, fault=lambda asked: fault), Ledger()
    with pytest.raises(LLMError) as caught:
        ask(seat(server, "openai", "gpt-6-luna").client(ledger), Prompt(text="Judge."), Verdict)
    assert type(caught.value) is kind
    assert len(server.asked) == len(ledger.calls) == asked


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
    loopback, seat, provider, model, budget, prompt_budget
):
    assert (
        seat(loopback(), provider, model, answer_tokens=budget).client(Ledger()).prompt_budget
        == prompt_budget
    )


def test_the_prompt_budget_follows_the_limit_that_the_provider_names(loopback, seat):
    server = loopback(limits=ServerLimits(requests=30, tokens=20_000))
    client = seat(server, "groq", "openai/gpt-oss-120b").client(Ledger())
    assert client.prompt_budget == 6_576
    client.complete(Prompt(text="Hello"))
    assert client.prompt_budget == 18_576  # 20,000 - 1,024 - 400


@pytest.mark.parametrize(
    "address", ["http://me:hidden-word@localhost/v1", "http://localhost/v1?api-key=hidden-word"]
)
def test_an_address_with_a_secret_in_it_comes_into_no_run_and_no_message(address):
    keys = {"custom": Access(provider="custom", base_url=address, key=SecretStr(""))}
    with pytest.raises(
        AccessError, match="The base URL holds a user name, a password or a query"
    ) as caught:
        spec_for(unlisted("custom", "m"), keys, temperature=0, answer_tokens=100)
    assert "hidden" not in str(caught.value)
    with pytest.raises(LLMError) as failed:  # the list of models is asked for before
        ask_models(keys["custom"])
    assert "hidden" not in str(failed.value) + failed.value.details


def test_the_offline_reader_has_no_limit():
    assert (
        Seat(OFFLINE, {}, Account(Scope(), Meter(Cap(), 0, 0.0), None))
        .client(Ledger())
        .prompt_budget
        is None
    )


@pytest.mark.parametrize(
    ("texts", "reusable"),
    [((), [True, True, True]), (("b",), [True, False, True]), (("c", "a"), [False, True, False])],
)
def test_only_what_was_of_no_use_is_spoiled(texts, reusable):
    ledger = Ledger()
    ledger.calls = [
        Call(key=text, model="openai/x", completion=Completion(text=text)) for text in "abc"
    ]
    ledger.spoil(texts)
    assert [call.reusable for call in ledger.calls] == reusable
