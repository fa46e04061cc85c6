"""A person's own RAG system in a run: its answers and documents are kept and judged; it goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluators import Cap, evaluate
from evaluators.datasets.bundled import ENGLISH_BED
from evaluators.errors import AccessError, ParameterError
from evaluators.llm.own import HTTPSystem
from evaluators.runs.engine import registry
from tests.rag_service import RagService

ROOT = Path(__file__).parents[2]
QUESTIONS = [
    {
        "question": "When was the tower built?",
        "ground_truth": "1889",
        "gold_documents": ["The tower was built in 1889."],
    },
    {
        "question": "When was the bridge opened?",
        "ground_truth": "1932",
        "gold_documents": ["The bridge has two towers."],
    },
]
PLACES = {"answer": "result.answer", "documents": "result.sources[].text"}
BUILT = {
    "response": "It was built in 1889.",
    "retrieved_documents": ["The tower was built in 1889. It stands."],
}


def run_of(store, metrics=("answer_match",), data=QUESTIONS, **options):
    return evaluate(data, metrics, store=store, progress=False, **options)


def test_what_a_system_retrieved_is_kept_and_is_what_its_answer_is_judged_by(store):
    results = run_of(
        store, ["retriever_recall", "trace"], data=QUESTIONS[:1], system=lambda q: BUILT
    )

    means = {name: mean.mean for name, mean in results.summary().items()}
    assert means["retriever_recall"] == 1
    assert means["adherence"] == 1
    run = results.run
    assert run.models[0].id == "system/my-rag"
    stored = store.results.get(run.id, 0)
    assert stored.retrieved_documents == tuple(BUILT["retrieved_documents"])
    _, sample, _ = next(store.results.scored(run))
    assert sample.retrieved_documents == stored.retrieved_documents


def test_questions_alone_are_data_and_a_text_alone_is_judged_by_what_needs_no_documents(store):
    data = [{"question": "When?", "ground_truth": "1889", "retrieved_documents": ["Of the data."]}]
    answer = "In 1889."
    results = run_of(store, ["answer_match", "trace"], data=data, system=lambda question: answer)

    assert run_of(store, ["trace"], data=["When?"], system=lambda question: BUILT).counts.scored
    # Those of the data were never shown to it: nothing is judged by them.
    assert (results.counts.scored, results.counts.failed) == (1, 1)
    ((reason, _),) = store.results.failures(results.run.id)
    assert "my-rag does not say what it retrieved, and TRACE (heuristic) needs it" in reason.message


def test_an_exception_fails_its_answer_alone_and_the_same_call_tries_it_again(store):
    broken = True

    def ask(question):
        if "bridge" in question and broken:
            raise ValueError("no index")
        asked.append(question)
        return BUILT

    asked = []
    first = run_of(store, system=ask, run="Shop")
    assert (first.counts.scored, first.counts.failed) == (1, 1)
    failed = [
        result for result in map(store.results.get, [first.run.id] * 2, range(2)) if result.error
    ]
    assert "ask raised ValueError: no index" in str(failed[0].error)
    broken = False
    second = run_of(store, system=ask, run="Shop")
    assert second.run.id == first.run.id
    assert second.counts.scored == 2
    assert len(asked) == 2


def test_another_run_asks_the_system_anew_and_a_budget_of_calls_holds(store):
    asked = []

    def ask(question):
        asked.append(question)
        return "1889"

    run_of(store, system=ask)
    run_of(store, system=ask)
    assert len(asked) == 4
    stopped = run_of(store, system=ask, cap=Cap(calls=1))
    assert stopped.counts.scored == 1
    assert len(asked) == 5


def test_two_systems_stand_side_by_side(store):
    def old(question):
        return "1889"

    def new(question):
        return "1932"

    results = run_of(store, system=[old, new])
    assert [spec.id for spec in results.run.models] == ["system/old", "system/new"]
    assert results.counts.scored == 4


def test_rgb_hands_its_documents_to_a_system_that_takes_them(store):
    given = []

    def ask(question, documents):
        given.append(documents)
        return "I do not know."

    results = run_of(store, "rgb", data=ENGLISH_BED, system=ask, sample=1, noise=[0, 0.4])
    assert results.counts.scored == 6
    assert len(given) == 6
    assert all(given)


def test_a_system_with_documents_of_its_own_is_asked_rgbs_questions_once_without_noise(store):
    def ask(question):
        return BUILT

    with pytest.raises(ParameterError, match="and ask looks for its own"):
        run_of(store, "rgb", data=ENGLISH_BED, system=ask, sample=2)
    results = run_of(
        store, "rgb", data=ENGLISH_BED, system=ask, sample=2, ability="noise_robustness"
    )
    assert results.counts.asked == 2
    (outline, _) = store.results.outlines(results.run)
    assert outline.noise_reached is None


def test_a_run_whose_system_is_not_here_says_how_to_go_on(store):
    results = run_of(store, system=lambda question: "x", cap=Cap(calls=1))
    with pytest.raises(AccessError, match="my-rag is a RAG system that is not at hand"):
        registry.start(results.run, store, {})


def test_a_service_over_http_is_scored_on_retrieval_and_answers(store):
    with RagService() as service:
        access = HTTPSystem(address=f"{service.address}/ask", **PLACES).access()
        results = run_of(store, ["answer_match", "retriever_recall", "trace"], system=access)

    means = {name: mean.mean for name, mean in results.summary().items()}
    # It found the tower's document for its question, and no document has the bridge's gold text.
    assert means["retriever_recall"] == 0.5
    assert store.results.of_answer(results.run.id, 0)[0].response == "The tower was built in 1889."


KILLED = """
import json, sys
from evaluators import evaluate
from evaluators.llm.own import HTTPSystem
questions = [f"When was tower {number} built?" for number in range(40)]
system = HTTPSystem(**json.loads(sys.argv[1])).access()
print(evaluate(questions, ["trace"], system=system, run="Killed", progress=False).counts.scored)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is of POSIX")
def test_after_kill_9_no_answer_that_came_is_asked_again(tmp_path):
    environment = {**os.environ, "PLUMBLINE_DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with RagService(latency=0.1) as service:
        settings = json.dumps({"address": f"{service.address}/ask", **PLACES})
        command = [sys.executable, "-c", KILLED, settings]
        first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while len(service.asked) < 12 and time.monotonic() < end:
            time.sleep(0.02)
        first.kill()
        first.wait()
        again = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert again.stdout.split() == [b"40"]
    asked = [body["question"] for _, _, body in service.asked]
    assert len(set(asked)) == 40
    # What was on its way when it was killed, four at once, or not on the disk yet.
    assert len(asked) < 50
