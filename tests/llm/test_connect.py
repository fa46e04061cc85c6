"""What may be given as a judge: each kind at each door, with a provider on this computer."""

import json
from datetime import date
from types import SimpleNamespace

import groq
import openai
import pytest

from evaluators import (
    AdvancedRAGEvaluator,
    ContextRecall,
    FakeLLM,
    GEvalJudgeEvaluator,
    GEvalLLMJudge,
    LLMasJudge,
    Prompt,
    RGBEvaluator,
    Sample,
    TRACEEvaluator,
    UnifiedEvaluationPipeline,
    connect,
    estimate,
    evaluate,
)
from evaluators.catalogue import catalogue
from evaluators.errors import AccessError, ParameterError
from evaluators.evaluation_pipeline import HybridEvaluator
from evaluators.llm import LLMClient
from evaluators.llm.catalogue import OFFLINE, known_models
from evaluators.llm.judges import as_client
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Ability, Cap, Completion, ModelSpec, RGBTask
from tests import judge

GPT_OSS = "groq/openai/gpt-oss-20b"
DOCUMENT = "Mina Osei designed the bridge. It opened in May."
SAMPLE = Sample(
    id="1",
    question="Who designed the bridge?",
    response="Mina Osei designed the bridge.",
    retrieved_documents=(DOCUMENT,),
    ground_truth="Mina Osei.",
)
CASE = (SAMPLE.question, SAMPLE.response, SAMPLE.retrieved_documents)
BATCH_CASE = dict(zip(("query", "response", "retrieved_documents"), CASE, strict=True))
DECLINED = SAMPLE.model_copy(
    update={"response": "No document says so.", "rgb": RGBTask(ability=Ability.REJECTION)}
)


def says(text):
    """An answer that suits every door: all fields of all, and the line that RGB reads."""
    fields = {
        "reason": "So it is.",
        "verdict": "yes",
        "score": 5,
        "rating": 5,
        "classification": [{"key": "a", "attributed": True}],
    }
    labels = judge.labels(text) if judge.is_labelling(text) else {}
    return json.dumps({**fields, **labels}) + "\nVerdict: yes"


def mean_of(batch):
    """The mean of a batch in which nothing failed; a case that fails would raise no error."""
    assert batch["num_scored"] == 1
    return batch["average"]


class Plain:
    """Somebody's own object: takes text, gives text."""

    def complete(self, prompt):
        assert isinstance(prompt, str)
        return says(prompt)


class Whole:
    """One that knows our types."""

    model, prompt_budget = "mine", 100_000

    def complete(self, prompt):
        return Completion(text=says(prompt.text))


KINDS = {
    "a model id": lambda server: GPT_OSS,
    "a spec": lambda server: ModelSpec(
        provider="groq", model="openai/gpt-oss-20b", base_url=server.address
    ),
    "a connected id": lambda server: connect(GPT_OSS, api_key="gsk_another-key"),
    "groq.Groq": lambda server: connect(
        groq.Groq(api_key="gsk_of-the-object", base_url=server.address), model="openai/gpt-oss-20b"
    ),
    "groq.AsyncGroq": lambda server: connect(
        groq.AsyncGroq(api_key="gsk_of-the-object", base_url=server.address), model=GPT_OSS
    ),
    "groq.Groq as it is": lambda server: groq.Groq(
        api_key="gsk_of-the-object", base_url=server.address
    ),
    "a list of groq.Groq as it is": lambda server: [KINDS["groq.Groq as it is"](server)],
    "a tuple of groq.Groq as it is": lambda server: (KINDS["groq.Groq as it is"](server),),
    "openai.OpenAI": lambda server: connect(
        openai.OpenAI(api_key="any", base_url=server.base_url), model="gpt-oss"
    ),
    "an object that gives text": lambda server: Plain(),
    "an object that gives a completion": lambda server: Whole(),
    "FakeLLM": lambda server: FakeLLM(says),
    "a list of one": lambda server: [Plain()],
}
DOORS = {
    "LLMasJudge": lambda llm: LLMasJudge(llm_client=llm).score(SAMPLE),
    "LLMasJudge(llm_judge=)": lambda llm: LLMasJudge(llm_judge=llm).score(SAMPLE),
    "GEvalJudgeEvaluator": lambda llm: GEvalJudgeEvaluator(llm_client=llm).score(SAMPLE),
    "GEvalLLMJudge": lambda llm: GEvalLLMJudge(model_client=llm)(SAMPLE.response, SAMPLE.question),
    "ContextRecall": lambda llm: ContextRecall(llm_client=llm).score(SAMPLE),
    "PromptMetric": lambda llm: PromptMetric(llm_client=llm).score(SAMPLE),
    "RGBEvaluator": lambda llm: RGBEvaluator(llm_client=llm).score(DECLINED),
    "a metric of one's own": lambda llm: catalogue()["names_its_source"](llm_client=llm).score(
        SAMPLE
    ),
    "AdvancedRAGEvaluator": lambda llm: AdvancedRAGEvaluator(llm_client=llm).evaluate(*CASE),
    "HybridEvaluator": lambda llm: HybridEvaluator(llm_client=llm).evaluate(*CASE),
    "UnifiedEvaluationPipeline": lambda llm: UnifiedEvaluationPipeline(llm_client=llm).evaluate(
        *CASE, method="gpt_labeling"
    ),
    "AdvancedRAGEvaluator.evaluate_batch": lambda llm: mean_of(
        AdvancedRAGEvaluator(llm_client=llm).evaluate_batch([BATCH_CASE])
    ),
    "HybridEvaluator.evaluate_batch": lambda llm: mean_of(
        HybridEvaluator(llm_client=llm).evaluate_batch([BATCH_CASE])
    ),
    "UnifiedEvaluationPipeline.evaluate_batch": lambda llm: mean_of(
        UnifiedEvaluationPipeline(llm_client=llm).evaluate_batch([BATCH_CASE], "gpt_labeling")
    ),
}
RETIRED = next(model for model in known_models().values() if model.is_retired(date.today()))
JURIES = tuple(door for door in DOORS if door.startswith(("Advanced", "Hybrid", "Unified")))


@pytest.fixture
def server(loopback, monkeypatch):
    """A provider on this computer that the environment names for Groq."""
    found = loopback(answer=says)
    monkeypatch.setenv("GROQ_API_KEY", "gsk_of-the-environment")
    monkeypatch.setenv("GROQ_BASE_URL", found.address)
    return found


def crossed(kinds, usual):
    """Every kind at one door, and every door with one kind, the usual one: all go through one reader."""
    return [
        *((kind, "LLMasJudge") for kind in kinds),
        *((usual, door) for door in DOORS if door != "LLMasJudge"),
    ]


@pytest.mark.parametrize(("kind", "door"), crossed(KINDS, "a list of groq.Groq as it is"))
def test_every_kind_of_judge_works_at_every_door(server, kind, door):
    assert DOORS[door](KINDS[kind](server)) is not None


class Derived(LLMClient):
    """A client that derives from ours, as somebody wrote it for version 0.1.0."""

    model, room = "mine", 4_000

    def complete(self, prompt):
        return Completion(text=says(prompt.text))


@pytest.mark.parametrize(
    ("llm", "prompt_budget"),
    [
        (Plain(), None),
        (Whole(), 100_000),
        (SimpleNamespace(complete=says, room=4_000), 4_000),  # its name in version 0.1.0
        (SimpleNamespace(complete=says, room=4_000, prompt_budget=8_000), 8_000),
        (SimpleNamespace(complete=says, room="large"), None),
        (Derived(), 4_000),
        (FakeLLM(prompt_budget=8_000), 8_000),
    ],
)
def test_how_long_a_prompt_may_be_is_read_under_its_name_and_under_the_old_one(llm, prompt_budget):
    assert as_client(llm).prompt_budget == prompt_budget


@pytest.mark.parametrize("together", [list, tuple])
@pytest.mark.parametrize("door", JURIES)
def test_several_are_a_jury_where_one_may_judge(server, door, together):
    fake = FakeLLM(says)

    assert DOORS[door](together([GPT_OSS, Plain(), fake])) is not None
    assert (len(server.asked), fake.calls) == (1, 1)


def own_async():
    class Slow:
        async def complete(self, prompt):
            return "yes"

    return Slow()


@pytest.mark.parametrize(
    ("sdk_object", "model"),
    [
        (groq.Groq(api_key="gsk_any-key"), "groq/openai/gpt-oss-20b"),
        (openai.OpenAI(api_key="sk-any-key"), "openai/gpt-6-luna"),
    ],
    ids=["groq", "openai"],
)
def test_an_object_of_an_sdk_alone_asks_the_usual_model_of_its_provider(sdk_object, model):
    assert known_models()[model].default
    assert connect(sdk_object).model == model
    assert LLMasJudge(sdk_object).llm_client.model == model


NO_JUDGES = {
    "no id": (lambda: "gpt-oss-20b", "Write provider/model"),
    "nobody's model": (lambda: "nobody/gpt", "No model is called “nobody/gpt”"),
    "a provider alone": (lambda: "groq/", "Write provider/model"),
    "the offline reader": (lambda: OFFLINE.id, "cannot judge. Name an LLM"),
    "its spec": (lambda: OFFLINE, "cannot judge. Name an LLM"),
    "openai.OpenAI of a server of one's own": (
        lambda: openai.OpenAI(api_key="any", base_url="http://127.0.0.1:9/v1"),
        r'does not say which model to ask. Write connect\(client, model="..."\)',
    ),
    "a class": (lambda: FakeLLM, r"is a class. Give an object: FakeLLM\(...\)"),
    "any object": (object, "of type object cannot be asked. Give a model id"),
    "a number": (lambda: 7, "of type int cannot be asked. Give a model id"),
    "a function": (lambda: says, r"or an object whose complete\(prompt\) returns text"),
    "an async object": (own_async, "complete is an async function. Give one that returns text"),
    "a list in a list": (lambda: [[GPT_OSS]], "of type list cannot be asked"),
}


@pytest.mark.parametrize(("kind", "door"), crossed(NO_JUDGES, "any object"))
def test_what_cannot_be_asked_is_refused_with_the_remedy(server, kind, door):
    given, remedy = NO_JUDGES[kind]
    with pytest.raises(ParameterError, match=remedy):
        DOORS[door](given())
    assert server.asked == []


@pytest.mark.parametrize("door", [door for door in DOORS if door not in JURIES])
def test_several_are_refused_where_one_judge_is_asked(door):
    with pytest.raises(ParameterError, match="asks one judge, and 2 are given"):
        DOORS[door]([FakeLLM(says), FakeLLM(says)])


@pytest.mark.parametrize("door", JURIES)
def test_a_jury_has_its_limit(door):
    with pytest.raises(ParameterError, match="asks at most 5 judges, and 6 are given"):
        DOORS[door]([FakeLLM(says)] * 6)


@pytest.mark.parametrize("answer", [None, {"verdict": "yes"}, b"yes"])
def test_an_object_that_gives_no_text_is_named(answer):
    class Odd:
        model = "odd"

        def complete(self, prompt):
            return answer

    with pytest.raises(ParameterError, match=r"odd: complete\(prompt\) returned a .+, not text"):
        LLMasJudge(llm_client=Odd()).score(SAMPLE)


def test_a_metric_that_asks_nobody_does_not_look_at_its_client():
    assert TRACEEvaluator(llm_client=object()).evaluate(*CASE).adherence == 1.0


# Runs


WITH_AN_ID = [
    kind for kind in KINDS if "object" not in kind and kind not in ("FakeLLM", "a list of one")
]


@pytest.mark.parametrize("kind", WITH_AN_ID)
def test_a_run_takes_what_has_an_id(server, store, kind):
    results = evaluate(
        [SAMPLE.model_dump()], "llm_judge", judge=KINDS[kind](server), store=store, progress=False
    )

    assert results.counts.scored == 1
    assert len(server.asked) == 1


def test_a_run_has_a_jury_of_connected_models(server, store):
    jury = [connect(GPT_OSS), KINDS["openai.OpenAI"](server)]
    results = evaluate(
        [SAMPLE.model_dump()], "gpt_labeling", judge=jury, store=store, progress=False
    )

    assert [spec.id for spec in results.run.judges] == [GPT_OSS, "custom/gpt-oss"]
    assert results.counts.scored == 1


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        (object(), "of type object cannot be asked. Give a model id"),
        (Plain, r"Plain is a class. Give an object: Plain\(...\)"),
    ],
)
def test_a_run_refuses_what_cannot_be_asked(store, given, remedy):
    with pytest.raises(ParameterError, match=remedy):
        evaluate([SAMPLE.model_dump()], "llm_judge", judge=given, store=store, progress=False)


def test_a_run_asks_judges_of_ones_own_under_the_names_that_they_are_given(store):
    judges = [connect(FakeLLM(says), model="claude"), Plain()]
    samples = [SAMPLE.model_dump()]
    results = evaluate(samples, "gpt_labeling", judge=judges, store=store, progress=False)

    assert [spec.id for spec in results.run.judges] == ["own/claude", "own/Plain"]
    assert results.counts.scored == 1


@pytest.mark.parametrize("model_or_judge", ["model", "judge"])
def test_objects_of_sdks_are_counted_before_a_run_and_asked_in_it(server, store, model_or_judge):
    is_model = model_or_judge == "model"
    samples = [{**SAMPLE.model_dump(), "response": None if is_model else SAMPLE.response}]
    metric = "answer_match" if is_model else "gpt_labeling"
    named = {model_or_judge: [KINDS["groq.Groq as it is"](server)]}

    models, judges = estimate(samples, metric, **named, store=store)
    results = evaluate(samples, metric, **named, store=store, progress=False)

    (counted,) = models or judges
    asked = results.run.models or results.run.judges
    assert [spec.id for spec in asked] == [counted.model] == [GPT_OSS]
    assert counted.calls == len(server.asked) == 1
    assert server.asked[0].headers["authorization"] == "Bearer gsk_of-the-object"


@pytest.mark.parametrize(
    "door",
    [
        lambda **named: estimate([SAMPLE.model_dump()], "gpt_labeling", **named),
        lambda **named: evaluate([SAMPLE.model_dump()], "gpt_labeling", progress=False, **named),
    ],
    ids=["estimate", "evaluate"],
)
@pytest.mark.parametrize(("given", "remedy"), NO_JUDGES.values(), ids=NO_JUDGES)
def test_what_cannot_be_asked_begins_no_run(server, store, given, remedy, door):
    with pytest.raises(ParameterError, match=remedy):
        door(judge=given(), store=store)
    with pytest.raises(ParameterError, match=remedy):
        door(judge=[given()], store=store)
    assert store.runs.ids("local") == []


def test_a_model_beside_the_client_is_told_where_it_goes():
    for evaluator in (AdvancedRAGEvaluator, LLMasJudge):
        with pytest.raises(
            ParameterError, match=r'Write llm_client=connect\(client, model="..."\)'
        ):
            evaluator.build(llm_client=openai.OpenAI(api_key="any"), model="gpt-6-luna")


def test_a_run_has_one_key_for_a_provider(server, store):
    jury = [connect(GPT_OSS, api_key="gsk_one-key"), connect(GPT_OSS, api_key="gsk_another")]

    with pytest.raises(ParameterError, match="A run has one key and address for Groq"):
        evaluate([SAMPLE.model_dump()], "gpt_labeling", judge=jury, store=store, progress=False)


# The client


def test_a_key_of_the_environment_or_one_that_is_given_is_sent(server):
    connect(GPT_OSS).complete("Hello")
    connect(GPT_OSS, api_key="gsk_given-here").complete(Prompt(text="Hello"))
    KINDS["groq.Groq"](server).complete("Hello")

    keys = [asked.headers["authorization"].removeprefix("Bearer ") for asked in server.asked]
    assert keys == ["gsk_of-the-environment", "gsk_given-here", "gsk_of-the-object"]


def test_a_missing_or_wrong_key_is_told_with_the_remedy(monkeypatch):
    monkeypatch.delenv("GROQ_API_KEY", raising=False)

    with pytest.raises(AccessError, match=r"No key for Groq\. Set GROQ_API_KEY"):
        connect(GPT_OSS)
    with pytest.raises(AccessError, match="looks like a key of OpenAI"):
        connect(GPT_OSS, api_key="sk-of-openai")
    with pytest.raises(AccessError, match="Set PLUMBLINE_CUSTOM_BASE_URL"):
        connect("custom/llama", api_key="any")


def test_calls_and_cost_are_counted_and_failures_tried_again(loopback, monkeypatch):
    faults = iter(["500", "", ""])
    server = loopback(answer=lambda text: "Yes.", fault=lambda asked: next(faults))
    monkeypatch.setenv("GROQ_BASE_URL", server.address)
    llm = connect(GPT_OSS, api_key="gsk_any-key")

    assert llm.complete("Hello").text == "Yes."
    assert (llm.calls, len(server.asked)) == (1, 2)
    once = llm.cost
    llm.complete("Hello")
    assert once > 0
    assert (llm.calls, llm.cost) == (2, pytest.approx(2 * once))


def test_where_no_price_is_known_the_cost_is_unknown(server):
    llm = KINDS["openai.OpenAI"](server)
    llm.complete("Hello")

    assert (llm.calls, llm.cost) == (1, None)


def test_kept_answers_serve_again_also_in_the_next_program(server, tmp_path):
    path = tmp_path / "answers.jsonl"
    first, second = connect(GPT_OSS, cache=path), connect(GPT_OSS, cache=path)
    text = first.complete("Hello").text

    assert (first.complete("Hello").cached, first.calls) == (True, 1)
    assert (connect(GPT_OSS, cache=str(path)).complete("Hello").text, len(server.asked)) == (
        text,
        1,
    )
    assert second.complete("Good evening").text == text
    assert len(path.read_text().splitlines()) == 2
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_cut_off_costs_only_itself(server, tmp_path):
    path = tmp_path / "answers.jsonl"
    connect(GPT_OSS, cache=path).complete("Hello")
    path.write_bytes(path.read_bytes() + b'{"key": "half')
    again = connect(GPT_OSS, cache=path)
    again.complete("Good evening")

    assert again.complete("Hello").cached
    assert connect(GPT_OSS, cache=path).complete("Good evening").cached


def test_a_file_that_cannot_keep_answers_is_refused(server, tmp_path):
    (tmp_path / "results.csv").write_text("question,response\n")

    with pytest.raises(ParameterError, match=r"does not contain kept answers\. Name another file"):
        connect(GPT_OSS, cache=tmp_path / "results.csv")
    for path in (tmp_path, tmp_path / "nowhere" / "answers.jsonl"):
        with pytest.raises(ParameterError, match="cannot be written"):
            connect(GPT_OSS, cache=path)


@pytest.mark.parametrize(
    ("given", "options", "remedy"),
    [
        (GPT_OSS, {"model": "gpt-6-luna"}, 'Write connect\\("provider/model"\\)'),
        (RETIRED.id, {}, rf"retired on {RETIRED.status_date}\. Use "),
        (7, {}, r"of type int cannot be connected\. Give a model id"),
        (
            openai.OpenAI(api_key="any", base_url="http://127.0.0.1:9/v1"),
            {},
            "does not say which model to ask",
        ),
        (groq.Groq(api_key="gsk_any"), {"model": "a", "api_key": "gsk_b"}, "Leave api_key out"),
        (
            openai.OpenAI(api_key="any", organization="org"),
            {"model": "gpt-6-luna"},
            r"a setting of the object would not be sent \(organization\)",
        ),
        (
            openai.OpenAI(api_key="any", default_headers={"X-Team": "7"}),
            {"model": "gpt-6-luna"},
            r"a setting of the object would not be sent \(headers\)",
        ),
        (
            openai.AzureOpenAI(
                api_key="any", api_version="2026-01-01", azure_endpoint="https://example.com"
            ),
            {"model": "gpt-6-luna"},
            "openai.AzureOpenAI: the object needs more than a key",
        ),
    ],
)
def test_what_cannot_be_connected_is_refused_with_the_remedy(server, given, options, remedy):
    with pytest.raises(ParameterError, match=remedy):
        connect(given, **options)


def test_the_offline_reader_is_connected_as_a_model_that_answers(store):
    samples = [{**SAMPLE.model_dump(), "response": None}]
    results = evaluate(
        samples, "answer_match", model=connect(OFFLINE.id), store=store, progress=False, cap=Cap()
    )

    assert results.counts.scored == 1
