"""A provider is one record: its address, its keys, its limits, and where it is offered."""

import gc
from base64 import b64encode
from urllib.parse import urlsplit

import openai
import pytest

from evaluators.errors import AccessError
from evaluators.llm.budget import Meter
from evaluators.llm.call_log import CallLog
from evaluators.llm.catalogue import model_choices, unlisted
from evaluators.llm.clients import ModelSession, RunContext, access_for, ask_models, spec_for
from evaluators.llm.connect import connect
from evaluators.llm.keys import allowed_providers, bind, clean_address, keys_from_environment, mask
from evaluators.llm.limits import limiter_for
from evaluators.llm.loop import Scope
from evaluators.llm.providers import CUSTOM, PROVIDERS, Provider
from evaluators.prompts import Prompt
from evaluators.records import Cap, ModelSpec
from tests.llm.test_call_layers import until
from tests.loopback import Response

every_record = pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda one: one.name)
HOSTED = [provider for provider in PROVIDERS.values() if provider.address]
SHAPELESS = "q7XvT2mLw9RzK4bNcY8dHs3J"
"""A key without a beginning, as Mistral's are."""


@pytest.fixture(autouse=True)
def _on_a_laptop(monkeypatch):
    for name in ("SPACE_ID", "PLUMBLINE_PUBLIC"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def added(loopback, monkeypatch):
    """A provider that nothing in the code names, on this computer, and its server."""

    def respond(asked):
        body = b'{"choices": [{"message": {"content": "In May."}, "finish_reason": "stop"}]}'
        limits = {"x-limit-words": "90000", "x-remaining-words": "89000"}
        return Response(200, body, headers=limits)

    server = loopback(respond=respond, models=["crane-1"])
    record = Provider(
        name="derrick",
        title="Derrick",
        address=server.base_url,
        key_variable="DERRICK_API_KEY",
        address_variable="DERRICK_BASE_URL",
        key_page="https://derrick.example/keys",
        limit_headers={("tokens", "minute"): "x-{}-words"},
        answer_budget="max_tokens",
    )
    monkeypatch.setitem(PROVIDERS, record.name, record)
    return record, server


@every_record
def test_a_record_is_sound(provider):
    same = [other for other in PROVIDERS.values() if other is not provider]
    assert PROVIDERS[provider.name] is provider
    assert "/" not in provider.name
    assert {provider.key_variable, provider.address_variable}.isdisjoint(
        name for other in same for name in (other.key_variable, other.address_variable)
    )
    assert all("{}" in name and name == name.lower() for name in provider.limit_headers.values())
    assert provider.title not in [other.title for other in same]


@pytest.mark.parametrize("provider", HOSTED, ids=lambda one: one.name)
def test_a_provider_with_an_address_is_asked_there_and_has_a_page_for_its_keys(provider):
    assert clean_address(provider.address) == provider.address
    assert urlsplit(provider.address).scheme == urlsplit(provider.key_page).scheme == "https"


def test_an_endpoint_whose_address_its_user_gives_is_for_no_public_host():
    assert not [one.name for one in PROVIDERS.values() if one.is_custom and one.public]


def test_a_persons_own_endpoints_are_the_last_and_the_custom_one_behind_them():
    own = [one.name for one in PROVIDERS.values() if one.is_custom]
    assert own == list(PROVIDERS)[-len(own) :]
    assert own[-1] == CUSTOM


# Whose key is it?


@pytest.mark.parametrize(
    ("provider", "key", "owner"),
    [
        ("openai", "sk-or-v1-0123456789", "OpenRouter"),
        ("openrouter", "sk-proj-0123456789", "OpenAI"),
        ("mistral", "tgp_v1_0123456789", "Together"),
        ("together", "gsk_0123456789", "Groq"),
        ("openai", " gsk_0123456789", "Groq"),
        ("groq", "Bearer sk-proj-0123456789", "OpenAI"),
    ],
)
def test_a_key_goes_to_the_provider_with_the_longest_beginning_only(provider, key, owner, caplog):
    refusal = f"This looks like a key of {owner}, so it is not sent"
    with pytest.raises(AccessError, match=refusal) as caught:
        bind(provider, PROVIDERS[provider].address, key)
    assert keys_from_environment({PROVIDERS[provider].key_variable: key}) == {}
    assert refusal in caplog.text
    assert "0123" not in f"{caught.value} {caplog.text}"


@pytest.mark.parametrize("provider", ["groq", "openai", "together", "openrouter", "mistral"])
def test_a_key_without_a_known_beginning_is_anybodys(provider):
    access = bind(provider, PROVIDERS[provider].address, SHAPELESS)
    assert access.key.get_secret_value() == SHAPELESS


def test_two_providers_may_share_a_beginning(added, monkeypatch):
    record, _ = added
    sharing = record.model_copy(update={"key_beginnings": ("sk-",)})
    monkeypatch.setitem(PROVIDERS, "derrick", sharing)
    for name in ("derrick", "openai"):
        assert bind(name, PROVIDERS[name].address, "sk-0123456789").provider == name


# A public host


def test_a_public_host_offers_and_asks_only_what_is_marked_so(added, monkeypatch):
    record, _ = added
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    assert list(allowed_providers()) == ["groq", "openai", "huggingface"]
    assert {name.partition("/")[0] for name in model_choices({}, {})} == {
        "offline",
        *allowed_providers(),
    }
    with pytest.raises(AccessError, match="This public host asks known providers only"):
        bind("derrick", record.address, SHAPELESS)
    monkeypatch.setitem(PROVIDERS, "derrick", record.model_copy(update={"public": True}))
    assert bind("derrick", record.address, SHAPELESS).provider == "derrick"


# Keys are masked by their value


@pytest.fixture
def no_earlier_access():
    # An access of an earlier test, in a circle of references, is masked until it is collected.
    gc.collect()


@pytest.mark.usefixtures("no_earlier_access")
def test_a_key_is_masked_by_its_value_as_long_as_its_access_lives():
    text = f"key {SHAPELESS}, in base64 {b64encode(SHAPELESS.encode()).decode()}"
    assert mask(text) == text
    first, second = (bind("mistral", PROVIDERS["mistral"].address, SHAPELESS) for _ in range(2))
    assert mask(text) == "key ***, in base64 ***"
    del first
    assert mask(text) == "key ***, in base64 ***"
    del second
    # A record that another thread just logs holds every access until it is masked.
    until(lambda: mask(text) == text)


@pytest.mark.usefixtures("no_earlier_access")
def test_keys_of_several_visitors_are_masked_in_one_text():
    keys = (SHAPELESS, "0bX5tVq2Ue8WmZ1yGf7Rk4Pa", "tgp_v1_J6nQs9DhC3oLi0EvBxT5")
    visits = [bind("together", PROVIDERS["together"].address, key) for key in keys]
    assert mask(" and ".join(keys)) == "*** and *** and ***"
    del visits[1]
    assert mask(" and ".join(keys)) == f"*** and {keys[1]} and ***"


@pytest.mark.usefixtures("no_earlier_access")
@every_record
def test_a_key_in_the_environment_is_masked_by_its_value(provider, monkeypatch):
    monkeypatch.setenv(provider.key_variable, f'"{SHAPELESS}"')
    assert mask(f"failed with {SHAPELESS}") == "failed with ***"
    monkeypatch.delenv(provider.key_variable)
    assert mask(f"failed with {SHAPELESS}") == f"failed with {SHAPELESS}"


# Nothing but the record


def test_a_provider_that_only_a_record_names_is_read_from_the_environment(added):
    _, server = added
    keys = keys_from_environment({"DERRICK_API_KEY": SHAPELESS})
    assert (keys["derrick"].base_url, keys["derrick"].provider) == (server.base_url, "derrick")
    assert ask_models(keys["derrick"]) == {"crane-1": ""}
    assert model_choices(keys, {"derrick": ["crane-1"]})["derrick/crane-1"].problem == ""


def test_a_provider_that_only_a_record_names_is_asked_as_the_record_says(added):
    _, server = added
    keys = keys_from_environment({"DERRICK_API_KEY": SHAPELESS})
    spec = spec_for(unlisted("derrick", "crane-1"), keys, temperature=0, answer_tokens=64)
    assert spec.base_url == ""
    session = ModelSession(spec, keys, RunContext(Scope(), Meter(Cap()), None))
    assert session.client(CallLog()).complete(Prompt(text="When?")).text == "In May."
    session.close()
    (asked,) = server.asked
    assert asked.headers["authorization"] == f"Bearer {SHAPELESS}"
    assert (asked.body["max_tokens"], "max_completion_tokens" in asked.body) == (64, False)
    assert limiter_for(keys["derrick"], spec).minute_tokens == 90_000


def test_a_model_whose_provider_has_no_record_any_more_says_so():
    with pytest.raises(AccessError, match="gone is not a provider that Plumbline knows"):
        access_for(ModelSpec(provider="gone", model="m"), {})


@pytest.mark.parametrize(
    ("address", "model"),
    [
        ("https://api.openai.com/v1", "openai/m"),
        ("https://api.together.ai/v1/", "together/m"),
        ("https://api.mistral.ai/v1", "mistral/m"),
        ("https://llm.example.com/v1", "custom/m"),
    ],
)
def test_an_object_of_openais_sdk_is_of_the_provider_at_its_address(address, model):
    client = openai.OpenAI(api_key=SHAPELESS, base_url=address)
    assert connect(client, model="m").spec.id == model


def test_a_missing_key_names_the_variable_of_the_record(added):
    with pytest.raises(AccessError, match=r"No key for Derrick\. .* DERRICK_API_KEY"):
        spec_for(unlisted("derrick", "crane-1"), {}, temperature=0, answer_tokens=64)
