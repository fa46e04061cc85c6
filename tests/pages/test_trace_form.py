"""Judges that label: who can be chosen, which samples they are asked about, what it takes, and that
a run is so.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.llm import Access
from evaluators.llm.catalogue import Choice, Model, find
from evaluators.records import Cap, Dataset, Sample
from evaluators.runs import inputs
from evaluators.runs.engine import create_run
from evaluators.runs.plan import RunPlan
from tests import judge
from tests.loopback import Loopback
from tests.pages.conftest import KEY, OpenPage, checked, keep_upload
from tests.pages.screen import jsonl, runs, said, samples, segments, started, state, table
from ui import session
from ui.models.form import is_generator
from ui.trace.form import HEURISTIC, HYBRID, JUDGE, JURY

OSS, LUNA, MINI = "groq/openai/gpt-oss-20b", "openai/gpt-6-luna", "openai/gpt-4o-mini"
SAMPLES = 24
JUDGES = {JURY: "trace_jury", HYBRID: "trace_hybrid"}
"""Where the judges of a method are chosen."""


@pytest.fixture
def provider(serving: Callable[..., Loopback]) -> Loopback:
    """Groq and OpenAI are both this server,
    whose models label by the words that sentences share.
    """
    return serving(judge.labels_for, groq=True)


# Choosing


@pytest.mark.parametrize(
    ("method", "without_key"),
    [
        (JUDGE, "GPT-OSS 20B needs a key"),
        (JURY, "GPT-OSS 20B, GPT-6 Luna, GPT-OSS 120B (Together) need keys"),
        (HYBRID, "GPT-OSS 20B needs a key"),
    ],
)
def test_without_a_key_the_price_is_said_and_only_start_is_shut(open_page, method, without_key):
    at = form(open_page, method)
    assert f"{without_key}; the price is shown without one." in said(at)
    assert "Evaluate all 24 samples, " in at.button(key="trace_start").label
    assert "0\\.0" in at.button(key="trace_start").label
    assert table(at, "Model")[0]["Model"] == "GPT-OSS 20B"
    prices = at.radio(key="trace_method").proto.captions
    assert prices[:2] == ["free, finds suspects", "free, takes processor time"]
    assert all("\\$" in price for price in prices[2:])
    assert [link.proto.label for link in at.get("page_link")].count(
        "Enter a key on the Settings page"
    ) == 1
    assert at.button(key="trace_start").disabled


def test_without_a_key_each_provider_has_a_model_among_the_first(open_page):
    options = form(open_page, JUDGE).selectbox(key="trace_judge").options
    providers = (
        "Groq", "OpenAI", "Together", "OpenRouter", "Mistral", "Gemini", "Anthropic", "Bedrock", "Hugging Face",
    )  # fmt: skip
    assert [name for name, option in zip(providers, options, strict=False) if name in option] == [
        *providers
    ]


def test_the_key_that_was_missing_is_enough(open_page, loopback):
    at = form(open_page, JURY, OSS)
    assert "GPT-OSS 20B needs a key" in said(at)
    checked(at.switch_page("../pages/settings.py").run())
    address = loopback().address
    session.own_keys().update(
        {"groq": Access(provider="groq", base_url=address, key=SecretStr(KEY))}
    )
    checked(at.switch_page("../pages/trace.py").run())
    assert at.multiselect(key="trace_jury").value == [OSS]
    assert not at.button(key="trace_start").disabled


def test_the_heuristic_asks_for_no_judge(open_page, provider):
    at = form(open_page, HEURISTIC)
    assert [widget.label for widget in at.multiselect] == ["Also measure"]
    assert not [widget for widget in at.selectbox if widget.label == "Judge"]
    assert not at.button(key="trace_start").disabled


def test_several_judges_are_a_jury_and_the_offline_reader_is_none(open_page, provider):
    jury = form(open_page, JURY).multiselect(key="trace_jury")
    assert len(jury.value) == 3
    assert "a tie goes to the stricter one" in jury.help
    assert not [name for name in jury.options if "Offline" in name]


@pytest.mark.parametrize(
    ("generator", "is_the_judge"),
    [
        ("gpt-4o-mini", True),
        ("gpt-4o-mini-2024-07-18", True),
        ("openai/GPT-4o-mini", True),
        ("GPT-4o mini", True),
        ("gpt-4o", False),
        ("gpt-4o-mini-audio", False),
        ("", False),
    ],
)
def test_the_author_of_an_answer_is_recognised_by_its_name(generator, is_the_judge):
    model = find(MINI)
    assert model
    assert is_generator(Choice(model=model), generator) is is_the_judge


def test_a_judge_that_wrote_the_responses_is_pointed_out(open_page, provider):
    facts = {"question": "When?", "response": "In May.", "retrieved_documents": ("It was in May.",)}
    written = Sample(id="a", generator="gpt-4o-mini-2024-07-18", **facts)
    keep_upload("own", written, Sample(id="b", **facts))
    assert "may favour its own" not in said(form(open_page, JURY, LUNA, data="own"), "warning")
    words = said(form(open_page, JURY, LUNA, MINI, data="own"), "warning")
    assert "GPT-4o mini also wrote 1 answer of this data, and may favour its own." in words


def test_a_model_without_a_name_of_its_own_is_no_author():
    assert not is_generator(Choice(model=Model(provider="custom", model="x", title="x")), "")


# What it will take


def test_each_judge_labels_each_sample_with_one_call(open_page, provider):
    at = form(open_page, JURY, OSS, LUNA)
    assert at.button(key="trace_start").label.startswith("Evaluate all 24 samples, ")
    rows = table(at, "Model")
    assert [(row["Model"], row["Calls"], row["Stored"]) for row in rows] == [
        ("GPT-OSS 20B", SAMPLES, 0),
        ("GPT-6 Luna", SAMPLES, 0),
        ("LLMs together", 2 * SAMPLES, 0),
    ]
    assert rows[0]["Answer tokens"] == f"{SAMPLES * 200:,} to {SAMPLES * 2048:,}"


def test_hybrid_judges_at_most_so_many_samples_and_says_the_rule(open_page, provider):
    at = form(open_page, HYBRID, LUNA, most=7)
    (row,) = table(at, "Model")
    assert 0 < row["Calls"] <= 7
    assert f"Judges get the {row['Calls']} that the heuristic is least sure of." in said(at)
    at.number_input(key="trace_judged_24").set_value(SAMPLES)
    (row,) = table(checked(at.run()), "Model")
    assert row["Calls"] == SAMPLES


def test_more_equally_doubtful_samples_than_allowed_are_not_judged(open_page, upload, provider):
    row = {"question": "When?", "response": "In May.", "retrieved_documents": ["It was in May."]}
    upload("alike.jsonl", jsonl(row, row))
    at = form(open_page, HYBRID, LUNA, data="alike.jsonl", most=1)
    assert "None would be judged" in said(at)
    assert at.button(key="trace_start").label == "Allow more samples for the judges to start"
    assert at.button(key="trace_start").disabled


def test_a_sample_that_nobody_answers_is_not_counted(open_page, upload, provider):
    row = {"question": "When?", "response": "In May.", "retrieved_documents": ["It was in May."]}
    upload("half.jsonl", jsonl(row, {**row, "response": None}))
    at = form(open_page, JURY, LUNA, data="half.jsonl")
    assert at.button(key="trace_start").label.startswith("Evaluate all 2 samples, ")
    at.multiselect(key="trace_models").set_value([])
    assert checked(at.run()).button(key="trace_start").label.startswith("Evaluate 1 sample, ")


@pytest.mark.parametrize(
    ("chosen", "number", "label"),
    [
        ("all", None, "Evaluate all 24 samples"),
        ("other", 7, "Evaluate 7 samples"),
    ],
)
def test_a_part_at_random_is_labelled(open_page, chosen, number, label):
    at = form(open_page, HEURISTIC)
    checked(segments(at, "trace_count").set_value(chosen).run())
    if number:
        checked(at.number_input(key="trace_count_number").set_value(number).run())
    assert at.button(key="trace_start").label == label
    started(at, "trace")
    (run,) = runs()
    assert session.store().results.counts(run).asked == (number or SAMPLES)
    assert run.dataset_name == "TRACE sample (English)"
    assert run.seed == (None if chosen == "all" else 0)


def test_the_choice_of_a_part_is_forgotten_where_other_data_are_too_few(open_page, upload):
    row = {"question": "When?", "response": "In May.", "retrieved_documents": ["It was in May."]}
    upload("few.jsonl", jsonl(row, row))
    at = form(open_page, HEURISTIC)
    checked(segments(at, "trace_count").set_value("20").run())
    at.selectbox(key="trace_dataset").set_value("few.jsonl")
    assert checked(at.run()).button(key="trace_start").label == "Evaluate all 2 samples"


def test_judges_are_asked_in_the_words_of_ragbench_where_these_are_chosen(open_page, provider):
    at = form(open_page, JURY, LUNA)
    at.selectbox(key="trace_prompt").set_value("ragbench")
    at = started(checked(at.run()), "trace")

    assert all(asked.text.startswith("I asked someone") for asked in provider.asked)
    assert "Labelling prompt: RAGBench" in said(at)


def test_data_without_documents_say_so_before_start(open_page, upload):
    upload("bare.jsonl", jsonl({"question": "When?", "response": "In May."}))
    at = form(open_page, HEURISTIC, data="bare.jsonl")
    assert "documents missing in 1 sample. Add a column: " in said(at, "warning")
    assert at.button(key="trace_start").label == "Choose other data to start"
    assert at.button(key="trace_start").disabled


# Starting


def test_labels_that_were_paid_for_serve_again(open_page, provider):
    at = form(open_page, JURY, LUNA)
    at.selectbox(key="trace_unit").set_value("calls")
    checked(at.run()).number_input(key="trace_calls").set_value(50)
    at = started(checked(at.run()), "trace")
    assert state(at).startswith("24 answers checked")
    (run,) = runs()
    assert (run.evaluator.name, [spec.id for spec in run.judges], run.cap) == (
        "gpt_labeling",
        [LUNA],
        Cap(calls=50),
    )
    assert run.judges[0].answer_tokens == 2048
    assert len(provider.asked) == SAMPLES

    (row,) = table(form(open_page, JURY, LUNA), "Model")
    assert (row["Calls"], row["Stored"], row["Cost"]) == (0, SAMPLES, "free")


def test_a_hybrid_run_asks_about_the_doubtful_samples_only(open_page, provider):
    at = form(open_page, HYBRID, LUNA, most=6)
    judged = table(at, "Model")[0]["Calls"]
    at = started(at, "trace")
    assert len(provider.asked) == judged
    assert f"{judged} of 24 samples, those that the heuristic was least" in said(at, "info")
    assert [row["Labeller"] for row in samples(at)].count("GPT-6 Luna") == judged


def form(
    open_page: OpenPage, method: str, *judges: str, data: str = "", most: int | None = None
) -> AppTest:
    """The form with this much chosen."""
    at = open_page("trace")
    if data:
        at.selectbox(key="trace_dataset").set_value(data)
    checked(at.radio(key="trace_method").set_value(method).run())
    if judges:
        checked(at.multiselect(key=JUDGES[method]).set_value(list(judges)).run())
    if most:
        next(
            widget for widget in at.number_input if widget.label == "Samples for the judges"
        ).set_value(most)
    return checked(at.run())


# What was chosen last


def judged_last() -> None:
    data = bundled()[TRACE_SAMPLES]
    assert isinstance(data, Dataset)
    luna = find(LUNA)
    assert luna is not None
    plan = RunPlan(data, inputs.evaluators(["gpt_labeling"]), judges=(luna.spec(),))
    create_run(session.store(), plan, workspace="local")


def test_the_judge_of_the_last_run_is_proposed_where_it_can_be_asked(open_page, provider):
    judged_last()
    at = open_page("trace")
    assert at.radio(key="trace_method").value == JUDGE
    assert at.selectbox(key="trace_judge").value == LUNA
    # One's own choice stays, and nothing is proposed again.
    at.radio(key="trace_method").set_value(HEURISTIC)
    checked(at.run())
    checked(at.switch_page("../pages/runs.py").run())
    checked(at.switch_page("../pages/trace.py").run())
    assert at.radio(key="trace_method").value == HEURISTIC
    assert not at.button(key="trace_start").disabled


def test_a_last_judge_without_a_key_is_not_proposed(open_page):
    judged_last()
    assert open_page("trace").radio(key="trace_method").value == HEURISTIC
