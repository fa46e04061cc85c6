"""A decision model labels: what it is asked, what its probabilities become, and its faults."""

import json

import pytest

import evaluators
from evaluators import FakeLLM, evaluate
from evaluators.decision_evaluator import DecisionEvaluator
from evaluators.dry_run import prompts_of
from evaluators.errors import ParameterError, UnreadableAnswerError
from evaluators.llm.decisions import MODE, MOST_QUESTIONS, decide, received
from evaluators.llm_judge import LLMasJudge
from evaluators.prompt_metric import PromptMetric, as_file
from evaluators.prompts import Prompt, Question
from evaluators.records import (
    Ability,
    Cap,
    Probabilities,
    RGBTask,
    Sample,
    Sentence,
    Sentences,
    Support,
)
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.trace.labelling import sentences_of
from tests.loopback import Loopback

SAMPLE = Sample(
    id="1",
    question="Who built the bridge, and when?",
    response="Mina built it. It opened in 1931. It is blue.",
    retrieved_documents=("Mina built the bridge. It is long.", "The bridge opened in 1931."),
)
ROW = SAMPLE.model_dump(include={"id", "question", "response", "retrieved_documents"})
LIKELY = {
    "supported_a": 0.9,
    "carried_a": {"0a": 0.8, "0b": 0.1, "1a": 0.05, "none": 0.05},
    "supported_b": 0.7,
    "carried_b": {"0a": 0.3, "0b": 0.0, "1a": 0.5, "none": 0.2},
    "supported_c": 0.2,
    "carried_c": {"0a": 0.1, "0b": 0.1, "1a": 0.1, "none": 0.7},
    "relevant_0a": 0.95,
    "used_0a": 0.85,
    "relevant_0b": 0.5,
    "used_0b": 0.49,
    "relevant_1a": 0.6,
    "used_1a": 1,
}


def of_table(text, name, options):
    return LIKELY[name]


@pytest.fixture
def custom(monkeypatch, tmp_path):
    """Makes a loopback server the custom endpoint."""

    def make(server):
        monkeypatch.setenv("PLUMBLINE_CUSTOM_BASE_URL", server.base_url)
        monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))

    return make


def test_labels_are_what_is_at_least_as_likely_as_the_threshold():
    labels = DecisionEvaluator(FakeLLM(json.dumps(LIKELY))).score(SAMPLE).evidence.counted.labels

    assert labels.relevant_keys == ("0a", "0b", "1a")
    assert labels.utilized_keys == ("0a", "1a")
    assert [(item.key, item.support, item.supporting_keys) for item in labels.sentence_support] == [
        ("a", Support.FULL, ("0a",)),
        ("b", Support.FULL, ("0a", "1a")),
        ("c", Support.NONE, ()),
    ]
    assert labels.probabilities == Probabilities(
        relevant={"0a": 0.95, "0b": 0.5, "1a": 0.6},
        utilized={"0a": 0.85, "0b": 0.49, "1a": 1.0},
        supported={"a": 0.9, "b": 0.7, "c": 0.2},
    )


def test_the_values_follow_from_the_labels():
    scores = DecisionEvaluator(FakeLLM(json.dumps(LIKELY))).score(SAMPLE).values

    # 3 of 3 relevant; 2 used of 3 relevant; both 2 of 3; c is not supported; 2 of 3 are.
    assert scores["context_relevance"] == 1.0
    assert scores["context_utilization"] == pytest.approx(2 / 3)
    assert scores["completeness"] == pytest.approx(2 / 3)
    assert scores["adherence"] == 0.0
    assert scores["supported_share"] == pytest.approx(2 / 3)


def test_another_threshold_gives_other_labels():
    strict = (
        DecisionEvaluator(FakeLLM(json.dumps(LIKELY)), threshold=0.8)
        .score(SAMPLE)
        .evidence.counted.labels
    )

    assert strict.relevant_keys == ("0a",)
    assert [item.support for item in strict.sentence_support] == [
        Support.FULL,
        Support.PARTIAL,
        Support.NONE,
    ]


def test_one_request_has_a_question_for_each_sentence():
    model = FakeLLM(json.dumps(LIKELY))
    DecisionEvaluator(model).score(SAMPLE)

    (prompt,) = model.prompts
    assert [question.name for question in prompt.questions] == list(LIKELY)
    assert prompt.questions[1].options == ("0a", "0b", "1a", "none")
    assert "0a: Mina built the bridge." in prompt.text


@pytest.mark.parametrize(
    ("paths", "shape"),
    [(("/v1/decisions",), "input"), (("/v1/systemone",), "state")],
)
def test_both_shapes_give_the_same_labels(custom, paths, shape):
    with Loopback(decide=of_table, decision_paths=paths) as server:
        custom(server)
        run = evaluate([ROW], "decisions", judge="custom/laya")

    assert run.summary()["supported_share"].mean == pytest.approx(2 / 3)
    assert shape in server.asked[-1].body


@pytest.mark.parametrize("fault", ["no probability", "beyond 1"])
def test_what_has_no_probability_is_asked_once_more_alone(custom, fault):
    def once(asked):
        return fault if len(asked.body["questions"]) == len(LIKELY) else ""

    with Loopback(decide=of_table, fault=once) as server:
        custom(server)
        run = evaluate([ROW], "decisions", judge="custom/laya")

    assert run.summary()["supported_share"].mean == pytest.approx(2 / 3)
    assert [len(asked.body["questions"]) for asked in server.asked] == [len(LIKELY), 1]


@pytest.mark.parametrize("fault", ["no probability", "beyond 1"])
def test_what_never_has_one_fails_the_sample_alone(custom, fault):
    def of_first(asked):
        return fault if "first" in asked.text else ""

    rows = [ROW | {"id": "a", "question": "The first?"}, ROW | {"id": "b"}]
    with Loopback(decide=of_table, fault=of_first) as server:
        custom(server)
        run = evaluate(rows, "decisions", judge="custom/laya")

    assert run.summary()["adherence"].scored == 1


def test_faults_of_the_server_are_tried_again_and_what_was_paid_is_not_asked_anew(custom):
    faults = iter(["429", "500", "503", "truncated", "reset"])
    rows = [ROW | {"id": str(number), "question": f"Who? {number}"} for number in range(12)]
    with Loopback(decide=of_table, fault=lambda asked: next(faults, "")) as server:
        custom(server)
        run = evaluate(rows, "decisions", judge="custom/laya")
        asked = len(server.asked)
        again = evaluate(rows, "decisions", judge="custom/laya")

    assert asked == 12 + 5
    assert len(server.asked) == asked
    assert run.summary()["adherence"].scored == again.summary()["adherence"].scored == 12


def test_answers_to_what_nobody_asked_are_dropped_and_counted():
    said = LIKELY | {"nobody_asked": 0.5, "carried_a": {"0a": 0.8, "9z": 0.2}}
    labels = DecisionEvaluator(FakeLLM(json.dumps(said))).score(SAMPLE).evidence.counted.labels

    assert labels.dropped_keys == 2
    assert labels.sentence_support[0].supporting_keys == ("0a",)


@pytest.mark.parametrize(
    "answer", ["nothing", "[1, 2]", "{", json.dumps({"q": True}), '{"q": NaN}']
)
def test_no_answer_is_taken_for_a_probability(answer):
    prompt = Prompt(text="A text.", questions=(Question(name="q", text="It is."),))
    with pytest.raises(UnreadableAnswerError, match="no probability to 1 of 1"):
        decide(FakeLLM(answer, model="custom/laya"), prompt)


@pytest.mark.parametrize("name", [["q"], {"q": 1}, 7, None, ""])
def test_a_name_that_is_no_text_counts_as_missing(name):
    body = {"answers": [{"name": name, "probability": 0.25}]}
    assert json.loads(received(body, [Question(name="q", text="Is it?")]).text) == {"q": 0.25}


def test_more_pairs_of_sentences_than_a_model_is_asked_about_are_refused_at_once():
    towers = [f"Tower {number} is tall." for number in range(250)]
    response, document = " ".join(towers), " ".join(towers[:201])
    sample = Sample(id="s", question="q", response=response, retrieved_documents=(document,))
    with pytest.raises(ParameterError, match="250 sentences of the answer beside 201 of the do"):
        DecisionEvaluator(FakeLLM("{}")).score(sample)
    assert prompts_of(DecisionEvaluator(), sample) == []


def test_texts_that_the_requests_would_repeat_too_often_are_refused_at_once():
    # One answer sentence beside 10,000: 20,000 questions are 51 requests with 40,000 signs each.
    sample = Sample(
        id="s", question="q", response="So.", retrieved_documents=("山好了。" * 10_000,)
    )
    with pytest.raises(ParameterError, match="1 sentences of the answer beside 10000 of the doc"):
        DecisionEvaluator(FakeLLM("{}")).score(sample)
    assert prompts_of(DecisionEvaluator(), sample) == []
    # Published sentences without a text are asked about by their keys, 60,000 signs of them.
    told = tuple(Sentence(key=f"0{number:05}", text="") for number in range(10_000))
    answer = (Sentence(key="a", text=""),)
    empty = sample.model_copy(update={"sentences": Sentences(documents=(told,), response=answer)})
    assert prompts_of(DecisionEvaluator(), empty) == []
    usual = sample.model_copy(update={"retrieved_documents": ("山好了。" * 500,)})
    assert len(prompts_of(DecisionEvaluator(), usual)) == 3


def test_401_questions_are_two_requests():
    names = [f"q{number}" for number in range(MOST_QUESTIONS + 1)]
    prompt = Prompt(
        text="A.", questions=tuple(Question(name=name, text="Is it?") for name in names)
    )
    model = FakeLLM(json.dumps(dict.fromkeys(names, 0.5)))

    assert len(decide(model, prompt).probabilities) == 401
    assert [len(asked.questions) for asked in model.prompts] == [400, 1]


def test_what_is_too_long_is_asked_in_windows_and_the_likelier_counts():
    documents = tuple(f"Sentence {number} is about bridges and rivers." for number in range(60))
    sample = SAMPLE.model_copy(update={"retrieved_documents": documents})

    class Model(FakeLLM):
        def complete(self, prompt):
            self.prompts.append(prompt)
            has_last = "relevant_59a" in {question.name for question in prompt.questions}
            likely = 0.9 if has_last else 0.1
            said = {
                question.name: dict.fromkeys(question.options, 0.1) or likely
                for question in prompt.questions
            }
            return evaluators.records.Completion(text=json.dumps(said))

    model = Model(prompt_budget=1500)
    labels = DecisionEvaluator(model).score(sample).evidence.counted.labels

    assert len(model.prompts) > 1
    # One window of several finds the support, and only its own sentences relevant.
    assert labels.sentence_support[0].support is Support.FULL
    assert "59a" in labels.relevant_keys
    assert "0a" not in labels.relevant_keys


def test_no_answer_and_no_documents_ask_nothing():
    model = FakeLLM("{}")
    sample = SAMPLE.model_copy(update={"response": "", "retrieved_documents": ()})

    assert DecisionEvaluator(model).score(sample).values["adherence"] == 1.0
    assert model.calls == 0


def test_the_estimate_is_the_bill(custom, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback1234567890abcdefghijklmnop")
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    rows = [ROW | {"id": str(number), "question": f"Who? {number}"} for number in range(20)]
    with Loopback() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        (estimate,) = evaluators.estimate(rows, "decisions", judge="openai/gpt-6-luna").judges
        run = evaluate(rows, "decisions", judge="openai/gpt-6-luna")

    assert estimate.cost_low == estimate.cost_high
    (bill,) = run.store.calls.spent(run.run.id).values()
    assert bill.cost == pytest.approx(estimate.cost_low, rel=0.05)


@pytest.mark.parametrize(
    ("judge", "overnight", "message"),
    [
        ("openai/gpt-4o-mini", False, "not known to be a decision model"),
        ("groq/openai/gpt-oss-20b", False, "not known to be a decision model"),
        ("openai/gpt-6-luna", True, "not known to answer overnight"),
    ],
)
def test_who_cannot_decide_is_refused_before_a_call(monkeypatch, judge, overnight, message):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback1234567890abcdefghijklmnop")
    monkeypatch.setenv("GROQ_API_KEY", "gsk_loopback1234567890abcdefghijklmnop")
    with pytest.raises(ParameterError, match=message):
        evaluate([ROW], "decisions", judge=judge, overnight=overnight)


def test_an_endpoint_without_decision_models_says_so(custom):
    with Loopback(decision_paths=()) as server:
        custom(server)
        run = evaluate([ROW], "decisions", judge="custom/laya")

    assert "has no decision models" in str(run)


def test_sentences_of_the_sample_are_those_that_are_asked_about():
    names = {
        question.name
        for question in DecisionEvaluator().prompts(sentences_of(SAMPLE), "?")[0].questions
    }
    assert names == set(LIKELY)


# Questions of yes or no

TRUE = SAMPLE.model_copy(update={"ground_truth": "Mina, in 1931"})
DECLINING = TRUE.model_copy(update={"rgb": RGBTask(ability=Ability.REJECTION)})


@pytest.mark.parametrize(
    ("metric", "sample", "value", "asked"),
    [
        (LLMasJudge(decides=True), TRUE, "llm_judge", "contain the ground truth answer?"),
        (LLMasJudge(decides=True, judgement_query="Is it kind?"), SAMPLE, "llm_judge", "kind?"),
        (PromptMetric(title="Kind", question="Is it so?", decides=True), SAMPLE, "kind", "so?"),
        (RGBEvaluator(decides=True), DECLINING, "rejection_judged", "The answer declines"),
    ],
)
@pytest.mark.parametrize(("probability", "passed"), [(0.93, 1.0), (0.5, 1.0), (0.49, 0.0)])
def test_a_decision_model_answers_yes_or_no(metric, sample, value, asked, probability, passed):
    model = FakeLLM(json.dumps({"yes": probability}))
    score = metric.model_copy(update={"llm_client": model}).score(sample)

    assert score.values[value] == passed
    evidence = score.evidence
    said = evidence.judged["rejection"] if value == "rejection_judged" else evidence
    assert said.probability == probability
    assert f"{probability:.2f}" in (said.words if said is not evidence else said.reason)
    (prompt,) = prompts_of(metric, sample)
    assert asked in prompt.questions[0].text
    assert sample.response in prompt.text
    assert "JSON" not in prompt.text.replace("verdicts or JSON", "")
    assert "Verdict" not in prompt.text


@pytest.mark.parametrize("answer", ["{}", '{"yes": 1.2}', '{"yes": "no"}', "yes", '{"yes": true}'])
def test_what_is_no_probability_is_no_verdict(answer):
    with pytest.raises(UnreadableAnswerError, match="1 of 1 questions"):
        LLMasJudge(FakeLLM(answer), decides=True).score(TRUE)


def test_an_empty_answer_is_not_sent_to_a_decision_model_of_rgb():
    model = FakeLLM("{}")
    score = RGBEvaluator(llm_client=model, decides=True).score(
        DECLINING.model_copy(update={"response": " "})
    )
    assert (score.values["rejection_judged"], model.calls) == (0.0, 0)


def test_a_decision_model_gives_no_rating():
    with pytest.raises(ParameterError, match="gives no rating"):
        PromptMetric(answer="1 to 5", decides=True)


def test_only_what_is_asked_otherwise_is_stored_otherwise():
    assert "decides" not in LLMasJudge().spec().params
    assert LLMasJudge(decides=True).spec().params["decides"] is True
    assert b"decides" not in as_file(PromptMetric())[1]
    file = as_file(PromptMetric(decides=True))[1].decode()
    made = {}
    exec(file.replace("@evaluator(", "@(lambda *_, **__: lambda cls: cls)("), made)
    assert made["METRIC"].decides
    assert made["OwnQuestion"]().asks_decisions


@pytest.mark.parametrize("metric", [LLMasJudge(decides=True), PromptMetric(decides=True)])
def test_in_a_run_it_has_estimate_cap_and_stored_answers(tmp_path, monkeypatch, metric):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback1234567890abcdefghijklmnop")
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    rows = [
        ROW | {"id": str(number), "question": f"Who? {number}", "ground_truth": "Mina"}
        for number in range(20)
    ]
    with Loopback(decide=lambda text, name, options: 0.75) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        asking = {"metrics": metric, "judge": "openai/gpt-6-luna"}
        (estimate,) = evaluators.estimate(rows, **asking).judges
        part = evaluate(rows, **asking, cap=Cap(calls=5))
        assert len(server.asked) == 5
        run = evaluate(rows, **asking)
        assert len(server.asked) == 20

    assert {asked.path for asked in server.asked} == {"/v1/decisions"}
    assert estimate.cost_low == estimate.cost_high
    bills = [*part.store.calls.spent(part.run.id).values()]
    bills += run.store.calls.spent(run.run.id).values()
    assert sum(bill.cost for bill in bills) == pytest.approx(estimate.cost_low, rel=0.05)
    scores = [score for _, _, score in run.store.results.scored(run.run, 0)]
    assert len(scores) == 20
    assert {(score.evidence.probability, score.evidence.mode) for score in scores} == {(0.75, MODE)}


def test_who_cannot_decide_is_refused_for_a_question_as_well(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk_loopback1234567890abcdefghijklmnop")
    with pytest.raises(ParameterError, match="not known to be a decision model"):
        evaluate([ROW], PromptMetric(decides=True), judge="groq/openai/gpt-oss-20b")


# A jury


def test_a_jury_of_decision_models_has_their_mean_and_each_ones_labels():
    other = LIKELY | {"supported_a": 0.3, "relevant_0b": 0.2, "supported_c": 0.6}
    models = tuple(FakeLLM(json.dumps(likely)) for likely in (LIKELY, other))
    score = DecisionEvaluator(models).score(SAMPLE)

    jury, *judges = score.evidence.labellings
    assert jury.labels.probabilities.supported == pytest.approx({"a": 0.6, "b": 0.7, "c": 0.4})
    assert jury.labels.probabilities.relevant == pytest.approx({"0a": 0.95, "0b": 0.35, "1a": 0.6})
    assert [own.labels.probabilities.supported["a"] for own in judges] == [0.9, 0.3]
    # A tie goes to the stricter one: the second holds neither a nor 0b, the first not c.
    supports = [item.support for item in jury.labels.sentence_support]
    assert supports == [Support.PARTIAL, Support.FULL, Support.NONE]
    assert jury.labels.relevant_keys == ("0a", "1a")
