"""Each provider as its documents say that it is asked and refuses, through the real SDK, against a
server on this computer: nothing here was tried with a key.
"""

import json
import socket
from itertools import count
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr

from evaluators.errors import (
    AccessError,
    LLMError,
    ParameterError,
    RunStoppedError,
    UnreachableError,
)
from evaluators.llm import Access, ModelRequest
from evaluators.llm.catalogue import find, unlisted
from evaluators.llm.clients import ask_models, spec_for
from evaluators.llm.connect import connect
from evaluators.llm.keys import address_of, keys_from_environment, provider_at
from evaluators.llm.providers import PROVIDERS, named_endpoint
from evaluators.runs.engine import RunRegistry
from tests import judge
from tests.llm.test_connection import with_connection
from tests.loopback import Asked, Response, in_json, problem
from tests.runs import paid

KEY = "Shape-0123456789-abcdefghij"
ROWS = 200
ASKED = {"temperature": 0, "answer_tokens": 1000}


def google(status: int, message: str, *reasons: str) -> Response:
    """As Google refuses: a list of one error."""
    details = [{"reason": reason, "violations": [{"quotaId": reason}]} for reason in reasons]
    error = {"code": status, "message": message, "status": "GOOGLE_WORD", "details": details}
    return in_json([{"error": error}], status)


def anthropic(status: int, message: str, *_: str) -> Response:
    error = {"type": "some_error", "message": message}
    return in_json({"type": "error", "error": error, "request_id": "req_1"}, status)


def azure(status: int, message: str, *_: str) -> Response:
    return in_json({"error": {"code": str(status), "message": message}}, status)


def amazon(status: int, message: str, *_: str) -> Response:
    return in_json({"message": message}, status)


def hub(status: int, message: str, *_: str) -> Response:
    return in_json({"error": message}, status)


def openai(status: int, message: str, *_: str) -> Response:
    return problem(status, message)


SHAPES = {
    # Provider: the model, the path before /chat/completions, how JSON is asked for, its refusals.
    "gemini": ("gemini-3.5-flash-lite", "/v1beta/openai", "json_schema", google),
    "anthropic": ("claude-haiku-5-5", "/v1", "none", anthropic),
    "azure": ("our-judge", "/openai/v1", "json_schema", azure),
    "bedrock": ("openai.gpt-oss-20b", "/v1", "json_schema", amazon),
    "huggingface": ("openai/gpt-oss-20b", "/v1", "json_schema", hub),
    "ollama": ("qwen3:8b", "/v1", "json_schema", openai),
}


def access_at(server, name: str) -> Access:
    path = SHAPES[name][1]
    return Access(provider=name, base_url=f"{server.address}{path}", key=SecretStr(KEY))


def spec_at(name: str, access: Access):
    model = find(f"{name}/{SHAPES[name][0]}") or unlisted(name, SHAPES[name][0])
    return spec_for(model, {name: access}, **ASKED)


def failure(access: Access) -> LLMError:
    spec = spec_at(access.provider, access)
    request = ModelRequest(spec=spec, text="Say: London")
    with pytest.raises(LLMError) as caught:
        with_connection(access, lambda connection: connection.complete(request))
    return caught.value


def with_faults(refusal):
    """Of ten requests one is refused for a moment and one for an error; both repeat the key."""
    numbers = count()

    def respond(asked: Asked) -> Response | None:
        number = next(numbers) % 10
        if number == 3:
            return refusal(429, f"Slow down, {KEY}. Please retry in 0.05s.")
        if number == 6:
            return refusal(503, f"Overloaded: {KEY}")
        return None

    return respond


@pytest.mark.parametrize("name", SHAPES)
def test_200_rows_are_labelled_whatever_is_refused_broken_or_unreadable(
    store, loopback, tmp_path, name
):
    _, prefix, form, refusal = SHAPES[name]
    unreadable = count()
    server = loopback(
        key=KEY,
        answer=judge.labels_for,
        respond=with_faults(refusal),
        fault=lambda asked: "no json" if next(unreadable) % 20 == 9 else "",
    )
    access = access_at(server, name)
    run = paid.labelled_run(store, paid.answered(ROWS), (spec_at(name, access),))
    RunRegistry().start(run, store, {name: access}).wait(120)
    assert store.results.counts(run).scored == ROWS
    budget = PROVIDERS[name].answer_budget
    for asked in server.asked:
        assert asked.path == f"{prefix}/chat/completions"
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert "x-api-key" not in asked.headers
        assert asked.body[budget] == 1000
        assert asked.body.get("response_format", {}).get("type", "none") == form
    assert {200, 429, 503} == {asked.status for asked in server.asked}
    stored = [file.read_bytes() for file in tmp_path.iterdir() if file.is_file()]
    assert not [content for content in stored if KEY.encode() in content]


def test_a_run_that_is_killed_goes_on_and_pays_for_nothing_twice(store, loopback):
    server = loopback(answer=judge.labels_for, latency=0.02)
    access = access_at(server, "anthropic")
    run = paid.labelled_run(store, paid.answered(40), (spec_at("anthropic", access),))
    paid.killed(store, run, access.base_url, workers=4, after=10, to="anthropic")
    RunRegistry().start(run, store, {"anthropic": access}).wait(120)
    assert store.results.counts(run).scored == 40
    assert len(server.asked) <= 40 + 4  # those that were in flight


# What is wrong with a key, a model, an address


@pytest.mark.parametrize(
    ("name", "response", "words"),
    [
        (
            "gemini",
            google(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID"),
            "The API key was refused by Google Gemini.",
        ),
        ("gemini", google(404, "models/x is not found"), "is not available at Google Gemini."),
        (
            "gemini",
            google(429, "Quota exceeded. Please retry in 3s.", "RequestsPerDayPerModel-FreeTier"),
            "The daily limit for",
        ),
        ("anthropic", anthropic(401, "invalid x-api-key"), "The API key was refused by Anthropic."),
        (
            "azure",
            in_json(
                {"error": {"code": "DeploymentNotFound", "message": "It does not exist."}}, 404
            ),
            "Azure OpenAI has no deployment called our-judge there. Name the deployment",
        ),
        ("azure", azure(401, "Access denied"), "The API key was refused by Azure OpenAI."),
        (
            "bedrock",
            amazon(403, "The security token included in the request is invalid."),
            "The API key was refused by AWS Bedrock.",
        ),
        (
            "huggingface",
            hub(402, "You have exceeded your monthly included credits."),
            "The account at Hugging Face has no credit.",
        ),
    ],
)
def test_a_refusal_in_the_provider_s_own_shape_says_what_to_do(loopback, name, response, words):
    access = access_at(loopback(respond=lambda asked: response), name)
    error = failure(access)
    assert isinstance(error, RunStoppedError)
    assert words in str(error)


def test_the_models_of_anthropic_are_listed_by_headers_of_its_own(loopback):
    server = loopback(key=KEY, models=["claude-new"])
    access = access_at(server, "anthropic")
    assert ask_models(access) == {"claude-new": ""}
    with pytest.raises(RunStoppedError, match="key was refused by Anthropic"):
        ask_models(access.model_copy(update={"key": SecretStr("another-key-0123")}))


def test_the_models_of_google_are_named_as_they_are_asked(loopback):
    server = loopback(models=["models/gemini-3.8-flash", "gemini-9"])
    assert ask_models(access_at(server, "gemini")) == {"gemini-3.8-flash": "", "gemini-9": ""}


def test_a_model_that_anthropic_brings_tomorrow_is_asked_by_the_prompt_alone(loopback):
    server = loopback()
    access = access_at(server, "anthropic")
    spec = spec_for(unlisted("anthropic", "claude-9"), {"anthropic": access}, **ASKED)
    request = ModelRequest(spec=spec, text="Say: {}", schema_text=json.dumps({"type": "object"}))
    reply = with_connection(access, lambda connection: connection.complete(request))
    assert reply.completion.mode == "none"
    assert server.asked[0].body.keys() == {"model", "messages", "max_tokens"}


@pytest.mark.parametrize(
    ("name", "text", "address"),
    [
        ("azure", " My-Resource ", "https://my-resource.openai.azure.com/openai/v1"),
        ("azure", "https://R.openai.azure.com/", "https://r.openai.azure.com/openai/v1"),
        ("azure", "https://r.openai.azure.com/openai/v1", "https://r.openai.azure.com/openai/v1"),
        (
            "azure",
            "https://r.services.ai.azure.com",
            "https://r.services.ai.azure.com/openai/v1",
        ),
        ("azure", "https://proxy.example/azure/v1", "https://proxy.example/azure/v1"),
        ("bedrock", "eu-central-1", "https://bedrock-mantle.eu-central-1.api.aws/v1"),
        ("bedrock", "us-gov-west-1", "https://bedrock-mantle.us-gov-west-1.api.aws/v1"),
        ("ollama", "http://localhost:11434/v1/", "http://localhost:11434/v1"),
    ],
)
def test_an_address_is_made_of_what_its_user_gives(name, text, address):
    assert address_of(PROVIDERS[name], text) == address
    if urlsplit(address).netloc.endswith((".azure.com", ".aws")):
        assert provider_at(address, "openai") == name


@pytest.mark.parametrize(
    ("name", "text", "refusal"),
    [
        ("azure", "https://r.openai.azure.com/openai/deployments/j", "Give https://r.openai.azu"),
        ("azure", "https://r.openai.azure.com?api-version=2024-10-21", "Give https://r.openai.az"),
        ("azure", "sk secret", "This is no resource of Azure OpenAI"),
        ("azure", "https://proxy.example/v1?api-version=1", "contains a query"),
        ("bedrock", "Mars", "This is no region of AWS Bedrock. Give one such as us-east-1"),
        ("bedrock", "us-east-1/../x", "This is no region of AWS Bedrock"),
    ],
)
def test_what_is_no_address_says_what_to_give(name, text, refusal):
    with pytest.raises(AccessError) as caught:
        address_of(PROVIDERS[name], text)
    assert refusal in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_region_that_does_not_exist_is_not_reached():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    access = Access(provider="bedrock", base_url=f"http://127.0.0.1:{port}/v1", key=SecretStr(KEY))
    error = failure(access)
    assert isinstance(error, UnreachableError)
    assert "Check that there is such a region, and the network." in str(error)


# The environment


def test_what_is_asked_besides_a_key_is_read_from_the_environment():
    keys = keys_from_environment(
        {
            "AZURE_OPENAI_API_KEY": KEY,
            "AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com/",
            "AZURE_OPENAI_DEPLOYMENT": "judge-a, judge-b",
            "AWS_BEARER_TOKEN_BEDROCK": KEY,
            "AWS_REGION": "us-west-2",
            "OLLAMA_BASE_URL": "http://localhost:11434/v1",
            "PLUMBLINE_CUSTOM_LAB_BASE_URL": "http://lab:8000/v1",
        }
    )
    assert {name: access.base_url for name, access in keys.items()} == {
        "azure": "https://mine.openai.azure.com/openai/v1",
        "bedrock": "https://bedrock-mantle.us-west-2.api.aws/v1",
        "ollama": "http://localhost:11434/v1",
        "custom-lab": "http://lab:8000/v1",
    }
    assert keys["azure"].models == ("judge-a", "judge-b")


def test_a_key_without_its_region_or_resource_is_none_yet():
    assert keys_from_environment({"AWS_BEARER_TOKEN_BEDROCK": KEY}) == {}


def test_two_endpoints_of_ones_own_are_a_jury(loopback, monkeypatch):
    servers = [loopback(models=[model]) for model in ("llama3", "qwen3")]
    monkeypatch.setenv("PLUMBLINE_CUSTOM_ONE_BASE_URL", servers[0].base_url)
    monkeypatch.setenv("PLUMBLINE_CUSTOM_TWO_BASE_URL", servers[1].base_url)
    for name in ("custom-one/llama3", "custom-two/qwen3"):
        assert connect(name).complete("Say: London").text == "London"
    assert [[asked.model for asked in server.asked] for server in servers] == [
        ["llama3"],
        ["qwen3"],
    ]


@pytest.mark.parametrize(("name", "provider"), [("", "custom"), (" Lab2 ", "custom-lab2")])
def test_a_name_of_an_endpoint_is_a_provider(name, provider):
    assert named_endpoint(name) == provider


@pytest.mark.parametrize("name", ["a b", "x/y", "é", "-", "a" * 31])
def test_what_is_no_name_of_an_endpoint_is_told(name):
    assert named_endpoint(name) == ""


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            "azurr/judge",
            "No model is called “azurr/judge”. Write provider/model, with the provider",
        ),
        ("custom-Lab/m", "No model is called"),
    ],
)
def test_an_id_of_no_provider_names_those_there_are(model, words):
    with pytest.raises(ParameterError) as caught:
        connect(model, api_key=KEY)
    assert words in str(caught.value)
    assert "azure, bedrock" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("azure/judge", "No key for Azure OpenAI. Set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPO"),
        ("custom-lab/m", "lab has no address. Set PLUMBLINE_CUSTOM_LAB_BASE_URL."),
        ("gemini/new", "No key for Google Gemini. Set GEMINI_API_KEY"),
    ],
)
def test_what_is_missing_is_named_by_its_variables(monkeypatch, model, words):
    for variable in ("AZURE_OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(AccessError) as caught:
        connect(model)
    assert words in str(caught.value)


def test_the_address_of_a_key_is_asked_for_where_a_part_of_it_is_missing():
    with pytest.raises(AccessError, match="AZURE_OPENAI_ENDPOINT"):
        connect("azure/judge", api_key=KEY)
