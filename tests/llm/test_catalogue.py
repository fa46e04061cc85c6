import tomllib
from datetime import date

import pytest
from pydantic import SecretStr, ValidationError

from evaluators.config import ROOT
from evaluators.llm import Access
from evaluators.llm.catalogue import (
    OFFLINE,
    Model,
    find,
    known_models,
    model_choices,
    model_title,
    successor,
)
from evaluators.llm.providers import PROVIDERS
from evaluators.records import ModelSpec, Usage

TODAY = date(2026, 11, 21)
KEYS = {name: Access(provider=name, base_url="", key=SecretStr("")) for name in PROVIDERS}
KNOWN = [model for model in known_models().values() if model.id != OFFLINE.id]
SERVED = [model for model in KNOWN if model.status != "retired"]
LASTING = [model for model in SERVED if model.status != "deprecated"]
LEAVING = [model for model in KNOWN if model not in LASTING]
WITH_MODELS = [provider.name for provider in PROVIDERS.values() if provider.key_page]
# The models at Azure are deployments, which have names of their own.
WITH_MODELS.remove("azure")


def known(model_id):
    model = find(model_id)
    assert model is not None
    return model


def test_every_entry_of_the_file_is_a_model_of_its_own():
    entries = tomllib.loads((ROOT / "data" / "models.toml").read_text())["model"]
    assert len(entries) == len(KNOWN)
    assert next(iter(known_models())) == OFFLINE.id


def test_at_least_nine_models_are_here_to_stay():
    assert len(LASTING) >= 9


@pytest.mark.parametrize("model", SERVED, ids=lambda model: model.id)
def test_a_model_that_is_served_says_what_it_takes_and_costs(model):
    assert model.provider in WITH_MODELS
    assert model.title
    assert model.context >= (model.most_answer_tokens or 1) > 0
    assert model.context != model.most_answer_tokens or model.provider not in ("groq", "openai")
    # Hugging Face's router passes on what others serve, at their prices.
    if model.provider == "huggingface":
        assert model.price_in is model.price_out is model.most_answer_tokens is None
    else:
        assert 0 < model.price_in <= model.price_out
        assert model.most_answer_tokens
    # Anthropic's door ignores the form of answers.
    assert (model.json_mode == "none") == (model.provider == "anthropic")
    assert model.effort in (model.efforts or [""])
    assert model.free or model.provider != "groq"


@pytest.mark.parametrize("model", KNOWN, ids=lambda model: model.id)
def test_a_model_names_its_source_and_the_source_s_date(model):
    assert model.source
    assert date.fromisoformat(model.source_date) <= date.today()


@pytest.mark.parametrize("model", LEAVING, ids=lambda model: model.id)
def test_a_model_that_leaves_says_when_and_what_takes_its_place(model):
    assert model.status_date[:2] == "20"
    assert known(model.replacement).provider == model.provider
    assert successor(model, date.max) in LASTING


@pytest.mark.parametrize(
    "model", [model for model in SERVED if model.status == "deprecated"], ids=lambda model: model.id
)
def test_a_deprecated_model_says_on_which_day_it_leaves(model):
    assert date.fromisoformat(model.status_date)


NO_FREE_PLAN = {"free"}
NO_BATCHES = {"batch_in", "batch_out", "batch_source", "batch_source_date"}
NO_PLAN_OR_EFFORT = {"free", "efforts"} | NO_BATCHES


@pytest.mark.parametrize("provider", WITH_MODELS)
def test_a_provider_has_one_default_and_it_is_in_production_and_fully_known(provider):
    (model,) = [model for model in KNOWN if model.provider == provider and model.default]
    may_lack = {
        "groq": set(),
        "openai": NO_FREE_PLAN,
        "anthropic": NO_PLAN_OR_EFFORT | {"json_mode"},
        "huggingface": NO_PLAN_OR_EFFORT | {"price_in", "price_out", "most_answer_tokens"},
    }.get(provider, NO_PLAN_OR_EFFORT)
    assert model.status == "production"
    unset = {name for name, value in model if value in (None, "", (), "unknown", "none")}
    assert unset <= {"status_date", "replacement", "effort"} | may_lack
    assert model.effort or not model.efforts


def test_no_two_models_have_the_same_name_on_the_screen():
    titles = [model.title for model in known_models().values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("field", ["price_in", "price_out"])
def test_a_price_is_never_negative(field):
    with pytest.raises(ValidationError):
        Model(provider="groq", model="m", title="M", **{field: -0.1})


@pytest.mark.parametrize(
    ("model_id", "prompt", "answer", "cost"),
    [
        ("groq/openai/gpt-oss-20b", 1_000_000, 100_000, 0.105),  # 0.075 + 0.1 * 0.30
        ("openai/gpt-6-luna", 20_000, 2_000, 0.003),  # 0.02 * 0.10 + 0.002 * 0.50
        ("openai/gpt-4o", 0, 0, 0.0),
        ("offline/offline-reader", 5_000, 100, 0.0),
        ("groq/llama-3.3-70b-versatile", 5_000, 100, None),
    ],
)
def test_a_cost_is_tokens_times_price(model_id, prompt, answer, cost):
    found = known(model_id).cost(Usage(prompt_tokens=prompt, answer_tokens=answer))
    assert found == (cost if cost is None else pytest.approx(cost))


@pytest.mark.parametrize(
    ("model_id", "options", "temperature", "effort"),
    [
        ("groq/openai/gpt-oss-20b", {}, 0.0, "low"),
        ("groq/openai/gpt-oss-20b", {"effort": "high", "temperature": 0.7}, 0.7, "high"),
        ("groq/qwen/qwen3.8-27b", {}, 0.0, "none"),
        ("openai/gpt-6-luna", {}, 0.0, "none"),
        ("openai/gpt-6-luna", {"effort": "low", "temperature": 0.7}, None, "low"),
        ("openai/gpt-6.1-terra", {}, None, "none"),
        ("openai/gpt-6.1-sol", {}, None, "low"),
        ("openai/gpt-4o-mini", {}, 0.0, ""),
        ("openai/gpt-5-mini", {}, None, "low"),
    ],
)
def test_a_temperature_is_asked_for_only_where_the_model_takes_one(
    model_id, options, temperature, effort
):
    spec = known(model_id).spec(**options)
    assert (spec.id, spec.temperature, spec.effort) == (model_id, temperature, effort)


def test_the_offline_reader_is_one_spec():
    assert known(OFFLINE.id).spec() == OFFLINE


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (OFFLINE, "Offline reader (baseline, no key)"),
        (ModelSpec(provider="groq", model="openai/gpt-oss-20b"), "GPT-OSS 20B"),
        (ModelSpec(provider="openai", model="gpt-4"), "GPT-4"),
        (ModelSpec(provider="custom", model="llama3.1:8b"), "llama3.1:8b"),
    ],
)
def test_a_model_is_shown_by_its_name_or_by_what_its_provider_calls_it(spec, name):
    assert model_title(spec) == name


def test_without_keys_only_the_offline_reader_can_be_chosen():
    found = model_choices({}, {}, TODAY)
    assert [name for name, choice in found.items() if not choice.problem] == [OFFLINE.id]
    assert found["groq/openai/gpt-oss-20b"].problem == "needs a key"


def test_a_provider_that_was_not_asked_yet_hides_nothing():
    found = model_choices({"groq": KEYS["groq"]}, {}, TODAY)
    assert found["groq/openai/gpt-oss-120b"].problem == ""
    assert found["openai/gpt-6-luna"].problem == "needs a key"


def test_what_a_provider_lists_decides_what_its_key_may_use():
    found = model_choices(KEYS, {"groq": ["openai/gpt-oss-20b"]}, TODAY)
    assert found["groq/openai/gpt-oss-20b"].problem == ""
    assert found["groq/openai/gpt-oss-120b"].problem == "not offered to this key"


def test_a_listed_model_that_nobody_knows_can_be_chosen_and_its_price_is_unknown():
    choice = model_choices(KEYS, {"custom": ["qwen2.5:7b-instruct"]}, TODAY)[
        "custom/qwen2.5:7b-instruct"
    ]
    assert (choice.problem, choice.model.title, choice.model.status) == (
        "",
        "qwen2.5:7b-instruct",
        "production",
    )
    assert choice.model.price_in is choice.model.free is choice.model.context is None
    assert choice.model.spec().temperature == 0.0


def test_an_unknown_model_of_openai_is_not_asked_for_a_temperature():
    choice = model_choices(KEYS, {"openai": ["gpt-7"]}, TODAY)["openai/gpt-7"]
    assert choice.model.spec().temperature is None


@pytest.mark.parametrize(
    "name",
    [
        "whisper-large-v3-turbo",
        "playai-tts",
        "canopylabs/orpheus-v1-english",
        "text-embedding-3-small",
        "nomic-embed-text:latest",
        "meta-llama/llama-guard-4-12b",
        "meta-llama/llama-prompt-guard-2-86m",
        "omni-moderation-latest",
        "gpt-image-1",
        "dall-e-3",
        "sora-2",
        "gpt-realtime-mini",
        "gpt-4o-audio-preview",
        "gpt-4o-transcribe",
        "gpt-4o-mini-tts",
        "gpt-3.5-turbo-instruct",
        "davinci-002",
        "gpt-5.5-pro",
        "o3-deep-research",
        "mistral-ocr-latest",
        "black-forest-labs/FLUX.2-pro",
    ],
)
def test_models_that_do_not_chat_are_left_out(name):
    assert f"openai/{name}" not in model_choices(KEYS, {"openai": [name]}, TODAY)


@pytest.mark.parametrize(
    "name", ["gpt-6-luna-2026-09-22", "gemini-3-pro", "mistral-7b-instruct", "o3", "ministral:3b"]
)
def test_models_that_chat_are_not_left_out(name):
    assert model_choices(KEYS, {"custom": [name]}, TODAY)[f"custom/{name}"].problem == ""


def test_a_known_model_is_kept_whatever_its_name():
    name = "openai/gpt-oss-safeguard-20b"
    assert model_choices(KEYS, {"groq": [name]}, TODAY)[f"groq/{name}"].problem == ""


def test_the_offline_reader_comes_first_and_retired_models_last():
    names = list(model_choices(KEYS, {"custom": ["a"]}, TODAY))
    assert names[0] == OFFLINE.id
    assert names[-1] == "openai/gpt-4.1-nano"
    assert (
        names.index("openai/gpt-5.4-nano")
        < names.index("custom/a")
        < names.index("groq/llama-3.3-70b-versatile")
    )


@pytest.mark.parametrize("offered", [{}, {"groq": ["llama-3.3-70b-versatile"]}])
def test_a_retired_model_says_since_when_and_what_to_use(offered):
    found = model_choices(KEYS, offered, TODAY)
    assert found["groq/llama-3.3-70b-versatile"].problem == "retired 2026-08-16; use GPT-OSS 120B"


@pytest.mark.parametrize(
    ("day", "problem"),
    [(date(2026, 12, 10), ""), (date(2026, 12, 11), "retired 2026-12-11; use GPT-5.6 Luna")],
)
def test_a_deprecated_model_can_be_chosen_until_its_day(day, problem):
    assert model_choices(KEYS, {}, day)["openai/gpt-5-mini"].problem == problem


@pytest.mark.parametrize(
    ("day", "name"), [(TODAY, "GPT-4o mini"), (date(2027, 1, 14), "GPT-6 Luna")]
)
def test_a_replacement_that_is_gone_leads_on_to_its_own(day, name):
    old = Model(
        provider="openai",
        model="old",
        title="Old",
        status="retired",
        replacement="openai/gpt-4o-mini",
    )
    assert successor(old, day).title == name


@pytest.mark.parametrize("model", KNOWN, ids=lambda model: model.id)
def test_a_batch_costs_half_by_a_source_of_its_own(model):
    usage = Usage(prompt_tokens=3_000_000, answer_tokens=1_000_000)
    if not model.takes_batches:
        assert model.cost(usage, in_batch=True) is None
        return
    assert PROVIDERS[model.provider].batches
    assert model.batch_source
    assert model.batch_source_date[:4] == "2026"
    assert model.cost(usage, in_batch=True) == pytest.approx(model.cost(usage) / 2)
