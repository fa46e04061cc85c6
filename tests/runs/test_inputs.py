"""What a person names is found, and what cannot be used is refused with the remedy before anything
is stored.
"""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from evaluators import AnswerMatchAcc, EvaluatorSpec, FakeLLM, LLMasJudge, load_data
from evaluators.errors import AccessError, DatasetError, ParameterError
from evaluators.llm.catalogue import OFFLINE
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Dataset, Sample
from evaluators.runs import inputs
from evaluators.runs.plan import RunPlan, check_asked
from evaluators.text.printable import printable
from tests.loopback import Loopback
from tests.runs import paid

ROWS = [
    {
        "question": "Which capital?",
        "response": "Paris.",
        "retrieved_documents": ["Paris it is.", "Rome."],
    },
    {"question": "Which river?", "response": None, "retrieved_documents": []},
]
SAMPLES = (
    Sample(
        id="1",
        question="Which capital?",
        response="Paris.",
        retrieved_documents=("Paris it is.", "Rome."),
    ),
    Sample(id="2", question="Which river?"),
)
KEYS = paid.keys("https://api.openai.com/v1")


# Data


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        tuple(ROWS),
        iter(ROWS),
        pd.DataFrame(ROWS),
        [{**row, "retrieved_documents": tuple(row["retrieved_documents"])} for row in ROWS],
        [{**row, "retrieved_documents": np.array(row["retrieved_documents"])} for row in ROWS],
        pd.DataFrame(ROWS).assign(
            retrieved_documents=[np.array(row["retrieved_documents"]) for row in ROWS]
        ),
        pd.DataFrame(ROWS).assign(asked=pd.to_datetime(["2026-01-02", None])),
        pd.DataFrame(ROWS, index=["b", "a"]).rename(columns={"question": "query"}),
    ],
)
def test_rows_from_python_are_read_as_those_of_a_file(rows):
    found = load_data(rows, name="from a notebook")

    assert found == Dataset(name="from a notebook", samples=SAMPLES)


@pytest.mark.parametrize("form", [str, lambda path: path])
def test_a_file_is_found_by_its_path(tmp_path, form):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(ROWS), encoding="utf-8")

    assert load_data(form(path)) == Dataset(
        name="rows.json", samples=SAMPLES, origin={"file": str(path)}
    )


def test_data_are_found_by_the_name_that_the_app_shows(store):
    own = Dataset(name="my upload", samples=SAMPLES)
    store.uploads.save("local", own.name, own)

    assert load_data("my upload", store=store) == own
    assert load_data(own) is own
    assert len(load_data("TRACE sample (English)", store=store).samples) == 24


def test_a_name_may_be_anything(store):
    with pytest.raises(DatasetError, match="is neither a file nor the name of a data set"):
        load_data("x" * 5000 + "\0", store=store)


def test_a_name_that_is_not_there_is_told_with_those_that_are_like_it(store):
    with pytest.raises(DatasetError) as caught:
        load_data("TRACE sample", store=store)

    assert str(caught.value).startswith(
        "“TRACE sample” is neither a file nor the name of a data set."
    )
    assert "“TRACE sample (English)”" in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["Which capital?", 7], "is not an object"),
        ([object()], "a object is not text, a number or a list"),
        (7, "Give a Dataset, a path, a name, a DataFrame, or a list"),
        (pd.DataFrame([[1, 2]], columns=["question", "question"]), "Give a Dataset"),
        (
            [{"question": "Which?", "response": "", "retrieved_documents": [1]}],
            "document 1 in retrieved_documents is",
        ),
    ],
)
def test_what_is_no_data_is_refused(rows, words):
    with pytest.raises(DatasetError, match=words):
        load_data(rows)


# Metrics

F1 = AnswerMatchAcc(type="f1_score").spec()


def specs(metrics, saved=None):
    return [metric.spec() for metric in inputs.evaluators(metrics, saved)]


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        ("trace", ["trace"]),
        (["trace", AnswerMatchAcc()], ["trace", "answer_match"]),
        (AnswerMatchAcc(type="f1_score"), ["answer_match"]),
        ((F1,), ["answer_match"]),
    ],
)
def test_metrics_are_names_evaluators_or_specs(metrics, names):
    assert [metric.name for metric in inputs.evaluators(metrics)] == names


def test_a_saved_metric_is_known_by_its_title_and_by_its_slug():
    polite = PromptMetric(title="Is it polite?").spec()
    saved = {"Is it polite?": polite}

    assert specs(["Is it polite?"], saved) == specs("is_it_polite", saved) == [polite]
    with pytest.raises(ParameterError, match="Did you mean “is_it_polite”"):
        inputs.evaluators("is_it_polit", saved)


def test_a_broken_file_says_so_where_a_metric_is_not_found(tmp_path, monkeypatch):
    (tmp_path / "rhyme.py").write_text("def score(:\n", encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(tmp_path))

    with pytest.raises(
        ParameterError,
        match=r"No metric is called “rhyme”.* rhyme.py, line 1, cannot be used: Syntax",
    ):
        inputs.evaluators("rhyme")


def test_parameters_of_an_evaluator_are_kept():
    assert specs(AnswerMatchAcc(type="f1_score")) == specs(F1) == [F1]


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        ("rouge", "No metric is called “rouge”. Known: .*answer_match"),
        ("trase", "No metric is called “trase”. Did you mean “trace”"),
        ([], "No metric is given. Known: .*answer_match"),
        ([7], "7 is not a metric. Give its name"),
        (EvaluatorSpec(name="answer_match", params={"type": "rhyme"}), "type is 'rhyme'"),
        (
            LLMasJudge(llm_client=FakeLLM()),
            "brings an LLM client of its own. Leave it out and name a judge",
        ),
    ],
)
def test_what_is_no_metric_is_refused(metrics, words):
    with pytest.raises(ParameterError, match=words):
        inputs.evaluators(metrics)


# Models


def test_a_model_is_found_by_its_id_and_asked_as_in_the_forms():
    [spec] = inputs.models("openai/gpt-4o-mini", KEYS)

    assert (spec.provider, spec.model, spec.base_url) == ("openai", "gpt-4o-mini", "")
    assert (spec.temperature, spec.answer_tokens) == (0.0, 1024)
    assert inputs.models([OFFLINE.id, spec], KEYS, answer_tokens=50) == (OFFLINE, spec)
    assert inputs.models(None, {}) == ()


def test_an_address_of_ones_own_and_a_model_that_the_catalogue_lacks_can_be_used(loopback):
    server: Loopback = loopback()

    [spec] = inputs.models("openai/our-model-7", paid.keys(server.base_url))

    assert (spec.model, spec.base_url) == ("our-model-7", server.base_url)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (
            "gpt-oss-20b",
            ParameterError,
            "Write provider/model, .* for example groq/openai/gpt-oss-20b",
        ),
        ("mars/rover", ParameterError, "No model is called “mars/rover”"),
        ("groq/", ParameterError, "No model is called “groq/”"),
        (
            "groq/llama-3.3-70b-versatile",
            ParameterError,
            "retired on 2026-08-16. Use groq/openai/gpt-oss-120b",
        ),
        ("groq/openai/gpt-oss-20b", AccessError, "No key for Groq.*GROQ_API_KEY"),
        (paid.LUNA.model_copy(update={"provider": "groq"}), AccessError, "No key for Groq"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused(name, kind, words):
    with pytest.raises(kind, match=words):
        inputs.models(name, KEYS)


# Whether they fit together


def usable(data, metrics, models=(), judges=()):
    prompt = inputs.prompt_for(data) if models else ""
    evaluators = inputs.evaluators(metrics)
    plan = RunPlan(data, evaluators, models=models, judges=judges, prompt=prompt)
    plan.check_data()
    plan.check()


ANSWERED = Dataset(name="answered", samples=SAMPLES[:1])
UNANSWERED = Dataset(name="unanswered", samples=(SAMPLES[0].model_copy(update={"response": None}),))


@pytest.mark.parametrize(
    ("data", "metrics", "models", "judges", "words"),
    [
        (
            ANSWERED,
            "trace",
            (OFFLINE,),
            (),
            "has an answer already, so a model has nothing to answer",
        ),
        (
            UNANSWERED,
            "trace",
            (),
            (),
            r"needs: response missing or empty. Add a column, or fill it: response or .*, or name a "
            r"model that answers, or your own system \(in Python system=ask\)",
        ),
        (
            ANSWERED,
            "answer_match",
            (),
            (),
            "has what Answer match needs: ground_truth missing or empty. Add a column, or fill it: ground_truth or "
            "reference",
        ),
        (ANSWERED, "g_eval", (), (), "G-Eval asks a judge, and none is named. Name one: judge="),
        (ANSWERED, "rgb", (), (), "says which ability of RGB its samples test. Name one"),
        (
            ANSWERED,
            "g_eval",
            (),
            (OFFLINE,),
            "The offline reader only quotes documents and cannot judge",
        ),
    ],
)
def test_what_could_give_no_score_is_refused(data, metrics, models, judges, words):
    with pytest.raises(ParameterError, match=words):
        usable(data, metrics, models, judges)


def test_a_judge_that_nobody_asks_is_refused():
    with pytest.raises(
        ParameterError, match=r"A judge is named, and Answer match asks none. Leave the judge out"
    ):
        check_asked([AnswerMatchAcc()], ["openai/gpt-4o"])
    check_asked([AnswerMatchAcc(), LLMasJudge()], ["openai/gpt-4o"])


@pytest.mark.parametrize(("data", "models"), [(ANSWERED, ()), (UNANSWERED, (OFFLINE,))])
def test_what_fits_together_passes(data, models):
    usable(data, "trace", models)


@pytest.mark.parametrize(("question", "language"), [("Which river?", "en"), ("哪条河最长？", "zh")])
def test_the_prompt_speaks_the_language_of_the_data(question, language):
    data = Dataset(name="one", samples=(Sample(id="1", question=question),))

    assert inputs.prompt_for(data) == inputs.load_prompt(f"rgb_{language}")


def test_text_of_strangers_keeps_to_its_line():
    assert printable("one\x1b[31m\ntwo\u202ethree") == "one [31m two three"


def test_rows_of_ones_own_are_read_without_a_child_however_many(monkeypatch):
    """A process takes longer to start than 200 rows to judge."""
    rows = [{"question": f"Number {n}?", "response": "x" * 6_000} for n in range(200)]

    def no_child(*_, **__):
        raise AssertionError("a child reads what this process holds")

    monkeypatch.setattr(subprocess, "Popen", no_child)

    assert len(load_data(rows, on_remark=lambda _: None).samples) == 200
