"""A run done again: reproduced, or differing in exactly what differs, with what may be why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluators import Dataset, Sample, compose, evaluate, load_data
from evaluators.comparison.repeated import repeated
from evaluators.datasets.bundled import ENGLISH_BED, TRACE_SAMPLES
from evaluators.errors import AccessError
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs.again import plan_again
from evaluators.runs.engine import create_run
from evaluators.runs.environment import Environment, Versions
from evaluators.runs.store import Store
from tests.comparison.made import MODELS, results
from tests.pages.conftest import finish
from tests.runs import paid

ROOT = Path(__file__).parents[2]
WITHOUT_AN_LLM = ["answer_match", "retriever_recall", "context_recall_lexical"]


def again(store, run, keys=None, **options):
    """The same run, done again to its end."""
    second = create_run(store, plan_again(store, run, **options), workspace=run.workspace)
    finish(second, store, keys)
    return repeated(store, run, second)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(*[st.text(max_size=40)] * 4).filter(lambda texts: texts[0].strip()),
        min_size=1,
        max_size=5,
    ),
    metric=st.sampled_from(["trace", *WITHOUT_AN_LLM]),
)
def test_what_asks_nobody_is_reproduced_in_another_store(rows, metric):
    samples = [
        Sample(
            id=str(number),
            question=question,
            response=response,
            retrieved_documents=(document,),
            ground_truth=truth,
            gold_documents=(document,),
        )
        for number, (question, response, document, truth) in enumerate(rows)
    ]
    store, other = Store(":memory:"), Store(":memory:")
    made = evaluate(Dataset(name="d", samples=tuple(samples)), metric, store=store, progress=False)

    found = again(other, opened(written(store, made.run), other, "w"))

    assert found.is_reproduced, found.summary()
    assert found.reasons == ()


def test_a_composed_run_by_the_offline_reader_is_reproduced_with_its_answers(store):
    bed = load_data(ENGLISH_BED, store=store)
    data = compose(bed, bed.abilities, sample=2)
    made = evaluate(data, "rgb", model="offline/offline-reader", store=store, progress=False)

    found = again(store, made.run)

    assert found.sentence().startswith("Reproduced: all ")
    assert (found.answers, found.reworded) == (len(data.samples), 0)
    assert found.second.again_of == made.run.id
    assert store.runs.again_of(made.run) == [found.second]


@pytest.mark.usefixtures("data_folder")
def test_another_process_with_an_empty_store_reproduces_a_run_file(tmp_path, store):
    made = evaluate(TRACE_SAMPLES, ["trace", "answer_match"], store=store, progress=False)
    path = made.save(tmp_path / "made.plumbline")
    folder = tmp_path / "elsewhere"

    done = subprocess.run(
        [sys.executable, "-m", "evaluators", "again", str(path)],
        cwd=ROOT,
        env=os.environ | {"PLUMBLINE_DATA_DIR": str(folder), "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "Reproduced: all 168 values are the same.\n")


def answering(words):
    """A provider whose answer to each question is in `words`, by a part of the question."""

    def answer(text):
        return next(own for part, own in words.items() if part in text)

    return answer


PEOPLE = {f"number {number}?": f"Number {number} is Mina Osei." for number in range(4)}


def test_a_provider_that_answers_the_same_is_asked_anew_and_the_run_is_reproduced(store, loopback):
    server = loopback(answer=answering(PEOPLE))
    run = paid.paid_run(store, paid.dataset(4))
    finish(run, store, paid.keys(server.base_url))

    found = again(store, run, paid.keys(server.base_url))

    assert found.sentence() == "Reproduced: all 4 values are the same."
    assert (server.answered, found.reused) == (8, 0)
    stored = again(store, run, paid.keys(server.base_url), use_cache=True)
    assert (server.answered, stored.reused) == (8, 4)


def test_changed_answers_differ_in_exactly_those(store, loopback):
    words = dict(PEOPLE)
    server = loopback(answer=lambda text: answering(words)(text))
    run = paid.paid_run(store, paid.dataset(4))
    finish(run, store, paid.keys(server.base_url))
    words["number 1?"] = "Nobody knows."
    words["number 3?"] = "It is Mina Osei."

    found = again(store, run, paid.keys(server.base_url))

    assert [(each.position, each.kinds) for each in found.differing] == [(1, ("verdict",))]
    assert [each.model_dump() for each in found.differing[0].changes] == [
        {"setting": "accuracy", "first": "1", "second": "0"}
    ]
    assert found.reworded == 1
    assert found.sentence().startswith(
        "Differs in 1 of 4 answers: 1 verdict; noise robustness -25.0 ("
    )
    assert found.reasons == ("GPT-6 Luna chooses its own temperature: its answers vary by chance.",)


def test_without_a_key_nothing_begins_and_the_missing_one_is_named(store):
    run = paid.paid_run(store, paid.dataset(1))
    second = create_run(store, plan_again(store, run), workspace="w")

    with pytest.raises(AccessError, match="OpenAI"):
        finish(second, store)


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ([1.0, 0.5], [1.0, 0.5], "Reproduced: all 2 values are the same."),
        ([1.0, None], [1.0, None], "Reproduced: all 2 values are the same."),
        (["failed", 1.0], ["failed", 1.0], "Reproduced: the value is the same."),
        ([1.0, 0.5], [0.0, 0.5], "Differs in 1 of 2 answers: 1 verdict; answer match -50.0"),
        ([1.0, 0.5], [1.0, 0.6], "Differs in 1 of 2 answers: 1 value; answer match +5.0"),
        ([1.0, 0.5], [1.0, None], "Differs in 1 of 2 answers: 1 value."),
        ([1.0, 0.5], ["failed", 0.5], "Differs in 1 of 2 answers: 1 failure."),
        ([1.0, 0.5], [1.0], "1 result of the first run not there yet."),
    ],
)
def test_what_differs_is_said(store, first, second, sentence):
    runs = [results(store, title, ["a", "b"], own) for title, own in (("A", first), ("B", second))]

    found = repeated(store, runs[0].run, runs[1].run)

    assert found.sentence().startswith(sentence)
    assert found.is_reproduced == sentence.startswith("Reproduced")


def test_other_models_and_versions_are_told(store):
    first, second = (
        results(store, title, ["a"], [value], [1.0], models=MODELS)
        for title, value in (("A", 1.0), ("B", 0.0))
    )
    old = Versions(plumbline="0.1.0", judging="a", python="3.11.7", packages={})
    for results_of, name, version in ((first, "small-1", "0.1.0"), (second, "small-2", "0.2.0")):
        environment = Environment(versions=(old.model_copy(update={"plumbline": version}),))
        run = results_of.run
        models = store.environments.of(run).models
        asked = models[0].model_copy(update={"served": (name,)})
        kept = environment.model_copy(update={"models": (asked, *models[1:])})
        store.environments.save(run.id, kept)

    assert repeated(store, first.run, second.run).reasons == (
        "groq/small answered as small-1, now as small-2.",
        "Versions differ: Plumbline 0.1.0 → 0.2.0.",
        "An LLM may answer otherwise at temperature 0 as well.",
    )
