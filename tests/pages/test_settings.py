"""Settings: a key is cleaned, tested, kept in memory and nowhere else; a server on this machine
plays the provider.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator

import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from evaluators.datasets.bundled import ENGLISH_BED, bundled
from evaluators.datasets.rgb import TestBed, compose
from evaluators.llm import Access, catalogue, living
from evaluators.llm.providers import PROVIDERS, Provider
from evaluators.prompts import load
from evaluators.records import Ability, Call, Completion, EvaluatorSpec, ModelSpec, Run
from evaluators.runs import inputs
from evaluators.runs.engine import create_run, registry
from evaluators.runs.plan import RunPlan
from tests.loopback import Loopback, in_json
from tests.pages.conftest import KEY, checked
from tests.pages.screen import button, markdown, press, said, table, wait_for_runs
from ui import session
from ui.models import form as model_form

OTHER_KEY = "sk-Another-0123456789-abcdef"
HOSTED = [provider for provider in PROVIDERS.values() if not provider.is_custom]
IMAGE = "![x](http://127.0.0.1:9/x.png)"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """Takes the place of both providers, and lets nobody in without the key."""
    with Loopback(key=KEY) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("GROQ_BASE_URL", server.address)
        yield server


def test_the_page_begins_with_groq_no_key_and_plumblines_own_table_of_models(open_page):
    at = open_page("settings")
    assert at.selectbox(key="provider").options == [one.title for one in PROVIDERS.values()]
    assert "No key yet. Groq makes them at https://console.groq.com/keys" in said(at)
    assert not at.get("success")
    rows = {row["Model"]: row for row in table(at, "Model")}
    assert rows["GPT-OSS 20B"] == {
        "Model": "GPT-OSS 20B",
        "Status": "production",
        "Price in": 0.075,
        "Price out": 0.3,
        "Context": 131_072,
        "Free plan": "30 calls/min, 1,000 calls/day, 8,000 tokens/min, 200,000 tokens/day",
        "Cannot be chosen": "needs a key",
    }
    assert "Test the key to see which of them it may use." in said(at)
    (shown,) = (row for row in displayed(at) if row["Model"] == "GPT-OSS 20B")
    # Prices have two decimals at least.
    assert (shown["Price in"], shown["Price out"]) == ("$0.075", "$0.30")


def test_a_wrong_key_is_refused_also_where_the_list_of_models_is_open_to_everybody(
    open_page, loopback, monkeypatch
):
    served = loopback(key="sk-or-v1-0123456789abcdef", open_list=True)
    monkeypatch.setenv("OPENROUTER_BASE_URL", served.base_url)
    at = enter(open_page("settings"), "openrouter", "sk-or-v1-fedcba9876543210")
    assert "The API key was refused by OpenRouter." in said(at, "error")
    assert "Works: 6 models" in said(
        enter(at, "openrouter", "sk-or-v1-0123456789abcdef"), "success"
    )


def test_a_provider_is_offered_as_soon_as_it_has_a_record(open_page, loopback, monkeypatch):
    key = "q7XvT2mLw9RzK4bNcY8dHs3J"
    served = loopback(key=key, models=["crane-1"])
    record = Provider(
        name="derrick",
        title="Derrick",
        address=served.base_url,
        key_variable="DERRICK_API_KEY",
        address_variable="DERRICK_BASE_URL",
    )
    monkeypatch.setitem(PROVIDERS, "derrick", record)
    at = enter(open_page("settings"), "derrick", key)
    assert "Works: 1 model offered, 0 of them known here." in said(at, "success")
    assert "In use. Kept until" in said(at, "caption")
    assert [row["Model"] for row in table(at, "Model")] == ["crane-1"]


def test_a_good_key_is_answered_with_what_it_opens(open_page, server):
    # Together with a key much is copied.
    at = enter(open_page("settings"), "groq", f'"Bearer {KEY}"\n')
    assert "Works: 6 models offered, 3 of them known here." in said(at, "success")
    assert f"In use at {server.address}" in said(at, "caption")
    assert "Kept until the app stops." in said(at)


def test_on_a_persons_own_machine_a_reload_keeps_the_key(open_page, server):
    enter(open_page("settings"), "openai", KEY)
    reloaded = choose(open_page("settings"), "openai")
    assert "Kept until the app stops." in said(reloaded)
    assert "forgotten" not in said(reloaded, "warning")
    press(reloaded, "Forget")
    assert "No key yet." in said(choose(open_page("settings"), "openai"))


def test_what_cannot_be_a_key_is_refused_with_the_reason_and_not_sent(open_page, server):
    at = enter(open_page("settings"), "openai", "sk-01234 56789")
    assert "The key contains a space." in said(at, "error")
    assert "Copy it again from the provider's page" in said(at, "error")
    assert "No key yet." in said(at)
    assert "56789" not in said(at, "caption", "error", "code")


def test_a_first_key_that_could_not_be_tested_is_kept_and_said_to_be_untested(
    open_page, loopback, monkeypatch
):
    with Loopback() as gone:
        monkeypatch.setenv("OPENAI_BASE_URL", gone.base_url)
    at = enter(open_page("settings"), "openai", KEY)
    assert "Not tested: Cannot reach 127.0.0.1" in said(at, "error")
    assert not at.get("success")
    assert "Not tested at" in said(at, "caption")
    assert "In use" not in said(at)
    assert session.own_keys()["openai"].key.get_secret_value() == KEY
    monkeypatch.setenv("OPENAI_BASE_URL", loopback(key=KEY).base_url)
    assert "Works" in said(enter(at, "openai", KEY), "success")
    assert "In use at" in said(at, "caption")


def test_a_first_key_that_the_provider_refuses_is_not_taken_and_the_details_are_told(
    open_page, server
):
    at = enter(open_page("settings"), "openai", OTHER_KEY)
    details = "\n".join(code.value for code in at.code)
    assert "HTTP 401" in details
    assert "req_loopback" in details
    assert OTHER_KEY not in details
    assert (
        "Not taken: The API key was refused by OpenAI. Check that it is complete and active."
        in said(at, "error")
    )
    assert "No key yet. OpenAI" in said(at)
    assert session.own_keys() == {}


def test_a_key_that_is_none_or_is_refused_leaves_the_working_one_in_use(open_page, server):
    at = enter(open_page("settings"), "openai", KEY)
    field = at.text_input(key="typed_openai")
    assert (field.value, field.placeholder) == ("", "Type to replace it")
    assert "contains a space" in said(enter(at, "openai", "sk-01234 56789"), "error")
    assert "Works" in said(enter(at, "openai", ""), "success")
    assert "Not taken: The API key was refused" in said(enter(at, "openai", OTHER_KEY), "error")
    assert "The one before stays in use." in said(at, "error")
    assert "In use" in said(at, "caption")
    assert session.own_keys()["openai"].key.get_secret_value() == KEY


def test_a_key_in_use_that_is_refused_later_stays_and_that_is_said(open_page, server, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", OTHER_KEY)
    at = enter(open_page("settings"), "groq", "")
    assert "The API key was refused by Groq." in said(at, "error")
    assert "It stays in use." in said(at, "error")
    assert "Not taken" not in said(at, "error")


def test_a_key_of_another_provider_is_refused_with_the_remedy(open_page):
    at = enter(open_page("settings"), "openai", "gsk_Marked0123456789")
    problem = "This looks like a key of Groq, so it is not sent to OpenAI. Choose Groq"
    assert problem in said(at, "error")
    assert "No key yet." in said(at)


def test_a_key_survives_other_pages_and_leaves_with_forget(open_page, server):
    at = enter(open_page("settings"), "openai", KEY)
    for name in ("home", "rgb", "settings"):
        checked(at.switch_page(f"../pages/{name}.py").run())
    assert "Kept until the app stops" in said(at)
    # The keys of two providers stand side by side.
    assert "No key yet. Groq" in said(choose(at, "groq"))
    enter(at, "groq", KEY)
    assert set(session.own_keys()) == {"openai", "groq"}
    assert "No key yet. OpenAI" in said(press(choose(at, "openai"), "Forget"))
    assert set(session.own_keys()) == {"groq"}


def test_a_forgotten_key_is_held_by_nothing(open_page, loopback, monkeypatch):
    key = "p4Vz8QmT1yXk6RbL3nWc9HsD"
    monkeypatch.setenv("MISTRAL_BASE_URL", loopback(key=key).base_url)
    at = enter(open_page("settings"), "mistral", key)
    assert key in {access.key.get_secret_value() for access in living()}
    press(at, "Forget")
    gc.collect()
    assert key not in {access.key.get_secret_value() for access in living()}


# The environment


def test_a_key_of_the_environment_is_named_used_and_never_shown(open_page, server, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    at = open_page("settings")
    assert "In use: the one from GROQ_API_KEY" in said(at)
    assert not [each for each in at.button if each.label == "Forget"]
    assert "Works" in said(enter(at, "groq", ""), "success")
    assert KEY not in everything(at)
    assert session.own_keys() == {}
    # One that was entered stands before it.
    monkeypatch.setenv("GROQ_API_KEY", OTHER_KEY)
    at = enter(open_page("settings"), "groq", KEY)
    assert "Works" in said(at, "success")
    assert session.keys()["groq"].key.get_secret_value() == KEY
    assert "In use: the one from GROQ_API_KEY" in said(press(at, "Forget"))
    assert session.keys()["groq"].key.get_secret_value() == OTHER_KEY


# A custom endpoint


def test_a_custom_endpoint_works_without_a_key_until_another_one_answers(open_page):
    with Loopback(models=["my-model"]) as local:
        at = enter(open_page("settings"), "custom", "", f" {local.base_url}/ ")
        assert "Works: 1 model offered." in said(at, "success")
        (row,) = table(at, "Model")
        assert (row["Model"], row["Status"]) == ("my-model", None)
        assert all(
            math.isnan(row[name]) for name in ("Price in", "Price out", "Context")
        )  # shown as "unknown"
        assert at.text_input(key="typed_custom").placeholder == ""
        assert session.own_keys()["custom"].base_url == local.base_url

        enter(at, "custom", "", "http://127.0.0.1:9/v1")
        assert (
            "Not taken: Cannot reach 127.0.0.1:9. Check the network, and the base URL. "
            "The one before"
        ) in said(at)
        assert f"In use at {local.base_url}. Kept until" in said(at, "caption")
        assert table(at, "Model")[0]["Model"] == "my-model"


def test_what_cannot_be_an_address_is_refused(open_page):
    at = enter(open_page("settings"), "custom", "", "file:///etc/passwd")
    assert "Give the base URL" in said(at, "error")
    assert session.own_keys() == {}


def test_a_key_of_one_address_is_not_sent_to_another(open_page):
    with Loopback(key=KEY) as mine, Loopback(key=KEY) as other:
        at = enter(open_page("settings"), "custom", KEY, mine.base_url)
        assert "Works" in said(at, "success")
        assert "refused" in said(enter(at, "custom", "", other.base_url), "error")
        assert session.own_keys()["custom"].base_url == mine.base_url


@pytest.mark.parametrize(
    ("provider", "address", "refusal"),
    [
        (
            "azure",
            "https://mine.openai.azure.com/openai/deployments/j/chat/completions?api-version=1",
            "Give https://mine.openai.azure.com/openai/v1; a deployment is named as the model.",
        ),
        ("azure", "my resource", "This is no resource of Azure OpenAI. Give one such as my-res"),
        ("bedrock", "Frankfurt", "This is no region of AWS Bedrock. Give one such as us-east-1"),
        ("bedrock", "", "This is no region of AWS Bedrock."),
    ],
)
def test_an_address_that_is_made_of_a_part_says_what_is_wrong_with_it(
    open_page, provider, address, refusal
):
    at = enter(open_page("settings"), provider, KEY, address)
    assert refusal in said(at, "error")
    assert session.own_keys() == {}


def test_deployments_are_named_by_their_user_and_are_what_can_be_chosen(open_page, loopback):
    server = loopback(key=KEY, models=["gpt-4o", "gpt-6-luna"])
    address = f"{server.address}/openai/v1"
    at = enter(open_page("settings"), "azure", KEY, address)
    assert "Name at least one deployment" in said(at, "error")
    at = enter(at, "azure", KEY, address, models_azure="judge-a, judge b")
    assert "Works: 2 models offered." in said(at, "success")
    assert [row["Model"] for row in table(at, "Model")] == ["judge-a", "judge b"]
    # Another name needs no key again.
    at = enter(at, "azure", "", models_azure="judge-c")
    assert [row["Model"] for row in table(at, "Model")] == ["judge-c"]
    assert {asked.headers.get("authorization") for asked in server.asked} <= {f"Bearer {KEY}"}


def test_several_endpoints_of_ones_own_are_in_use_at_once_each_under_its_name(open_page, loopback):
    mine, lab = loopback(models=["llama3"]), loopback(models=["qwen3"])
    at = enter(open_page("settings"), "custom", "", mine.base_url)
    refused = enter(at, "custom", "", lab.base_url, endpoint_name="our lab")
    assert "A name has 1 to 30 letters" in said(refused, "error")
    at = enter(refused, "custom", "", lab.base_url, endpoint_name="Lab")
    assert "Works: 1 model offered." in said(at, "success")
    assert at.selectbox(key="provider").value == "custom-lab"
    assert [row["Model"] for row in table(at, "Model")] == ["qwen3"]
    assert {name: key.base_url for name, key in session.own_keys().items()} == {
        "custom": mine.base_url,
        "custom-lab": lab.base_url,
    }
    judges = model_form.choices()
    labels = [model_form.label(judges[name]) for name in ("custom/llama3", "custom-lab/qwen3")]
    assert labels == [
        "llama3 · Custom endpoint · price unknown",
        "qwen3 · lab · price unknown",
    ]


def test_the_last_day_that_a_provider_tells_of_a_model_is_shown(open_page, server, monkeypatch):
    entries = [
        {"id": "gpt-6-luna", "shutdown_date": "2099-03-01T00:00:00Z"},
        {"id": "gpt-5.4-mini", "shutdown_date": "2026-11-01"},
        {"id": "new-one", "shutdown_date": "2099-02-01"},
        {"id": "gpt-6-sol", "shutdown_date": "soon"},
    ]
    with Loopback(key=KEY, models=in_json({"data": entries})) as telling:
        monkeypatch.setenv("OPENAI_BASE_URL", telling.base_url)
        at = enter(open_page("settings"), "openai", KEY)
    at.toggle(key="show_retired").set_value(True)
    rows = {row["Model"]: row for row in table(checked(at.run()), "Model")}
    assert rows["GPT-6 Luna"]["Status"] == "deprecated, until 2099-03-01"
    assert rows["new-one"]["Status"] == "deprecated, until 2099-02-01"
    assert rows["GPT-6 Sol"]["Status"] == "production"
    assert rows["GPT-5.4 mini"]["Cannot be chosen"] == "retired 2026-11-01"


def test_what_a_provider_does_otherwise_and_that_nobody_has_tried_it_is_said(open_page, loopback):
    at = choose(open_page("settings"), "anthropic")
    assert "only the prompt asks for JSON" in said(at, "caption")
    assert "Not yet tried with a real key" in said(at, "caption")
    assert "Not yet tried with a real server" in said(choose(at, "ollama"), "caption")
    assert "Not yet tried" not in said(choose(at, "custom"), "caption")


def test_a_list_that_is_open_to_everybody_is_no_test_of_a_key(open_page, loopback, monkeypatch):
    monkeypatch.setenv("HF_ROUTER_BASE_URL", loopback().base_url)
    at = enter(open_page("settings"), "huggingface", "hf_0123456789abcdef")
    assert "Whether the key is right shows at the first call." in said(at, "success")


def test_no_message_on_the_page_sends_to_the_page(open_page):
    with Loopback() as local:
        at = enter(open_page("settings"), "custom", "", local.address)
    assert "the base URL usually ends in /v1. Correct it." in said(at, "error")
    assert "Settings page" not in said(at)


# What is offered


def test_after_a_test_the_table_says_what_the_key_may_not_use_and_why(open_page, monkeypatch):
    with Loopback(models=["openai/gpt-oss-20b", "brand-new", "whisper-large-v3"]) as few:
        monkeypatch.setenv("GROQ_BASE_URL", few.address)
        at = enter(open_page("settings"), "groq", KEY)
    reasons = {row["Model"]: row["Cannot be chosen"] for row in table(at, "Model")}
    assert reasons["GPT-OSS 20B"] == reasons["brand-new"] == ""
    assert reasons["GPT-OSS 120B"] == "not offered to this key"
    assert "whisper-large-v3" not in reasons
    assert "Test the key" not in said(at)
    # Models that can be used come first.
    assert list(map(bool, reasons.values())) == [False] * 2 + [True] * (len(reasons) - 2)
    assert not [reason for reason in reasons.values() if "retired" in reason]
    at.toggle(key="show_retired").set_value(True)
    assert "retired" in table(checked(at.run()), "Model")[-1]["Cannot be chosen"]


def test_hostile_names_of_models_stay_text(open_page):
    with Loopback(models=[IMAGE]) as hostile:
        at = enter(open_page("settings"), "custom", "", hostile.base_url)
    assert table(at, "Model")[0]["Model"] == IMAGE
    assert not [text for text in markdown(at) if "![" in text]


# Stored answers


def test_stored_answers_are_counted_and_cleared_after_a_question(open_page):
    remember_answers(2)
    at = open_page("settings")
    assert "2 answers kept." in said(at)
    assert "0 answers kept." in said(press(at, "Clear for good"))
    assert session.store().calls.answers_kept("local") == 0


# Secrets


def test_a_key_is_in_no_address_and_in_no_stored_file(open_page, server, data_folder):
    at = enter(open_page("settings"), "openai", KEY)
    checked(at.switch_page("../pages/home.py").run())
    run_with_a_model(session.own_keys())
    assert len(server.asked) == 4
    assert KEY not in everything(at)
    assert KEY not in str(at.query_params)
    files = [path for path in data_folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def enter(
    at: AppTest,
    provider: str,
    key: str,
    address: str | None = None,
    **fields: str,
) -> AppTest:
    """Chooses the provider, types the key (and the address of a custom endpoint, and what else it
    asks) and presses the button.
    """
    choose(at, provider)
    at.text_input(key=f"typed_{provider}").set_value(key)
    if address is not None:
        at.text_input(key=f"address_{provider}").set_value(address)
    for field, value in fields.items():
        at.text_input(key=field).set_value(value)
    button(at, "Use this endpoint" if PROVIDERS[provider].is_custom else "Use this key").click()
    return checked(at.run())


def choose(at: AppTest, provider: str) -> AppTest:
    return checked(at.selectbox(key="provider").set_value(provider).run())


def displayed(at: AppTest) -> list[dict[str, str]]:
    """The rows of the first table, as they are written on the screen."""
    values = at.dataframe[0].proto.arrow_data.styler.display_values
    return convert_arrow_bytes_to_pandas_df(values).to_dict("records")


def everything(at: AppTest) -> str:
    """Whatever the server sent to the browser."""
    return "\n".join(
        str(element.proto) for block in (at.main, at.sidebar) for element in leaves(block)
    )


def leaves(block: object) -> Iterator[object]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from leaves(child)


def remember_answers(count: int) -> None:
    run, asked = sample_run([catalogue.OFFLINE]), "groq/openai/gpt-oss-20b"
    said = Completion(text="In May.")
    calls = [Call(key=f"{n:064}", model=asked, completion=said) for n in range(count)]
    session.store().calls.save(run.id, calls)


def run_with_a_model(keys: dict[str, Access]) -> None:
    """Four questions to a model, with the keys that were entered."""
    run = sample_run([catalogue.known_models()["openai/gpt-6-luna"].spec()])
    registry.start(run, session.store(), keys)
    wait_for_runs()


def sample_run(models: list[ModelSpec]) -> Run:
    bed = bundled()[ENGLISH_BED]
    assert isinstance(bed, TestBed)
    data = compose(bed, abilities=[Ability.NOISE], noise_levels=[0.0], passages=2, sample=4, seed=0)
    spec = EvaluatorSpec(name="rgb")
    return create_run(
        session.store(),
        RunPlan(data, inputs.evaluators(spec), title="Four", models=models, prompt=load("rgb_en")),
        workspace="local",
    )
