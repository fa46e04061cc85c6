"""The reproducibility card: what a run was, as text to copy, the same wherever the run is."""

import hashlib
import json

import pytest

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.datasets.bundled import TRACE_SAMPLES
from evaluators.people.records import PersonLabel
from evaluators.records import Cell
from evaluators.run_files.reading import opened
from evaluators.run_files.writing import written
from evaluators.runs.card import WIDTH, results_hash, run_card
from evaluators.runs.environment import Environment, Versions, changed_versions
from evaluators.runs.examples import NOISE, find
from evaluators.runs.store import Store
from tests.comparison.made import MODELS, results
from tests.pages.conftest import finish
from tests.runs import paid


@pytest.fixture
def heuristic(data_folder):
    return evaluate(TRACE_SAMPLES, ["trace", "answer_match"], progress=False)


def facts(card):
    """The facts of a card by their labels, each on one line."""
    by_label = {}
    label = ""
    for line in card.splitlines()[2:]:
        label = line[:14].strip() or label
        by_label[label] = f"{by_label.get(label, '')} {line[14:].strip()}".strip()
    return by_label


def test_the_card_says_what_the_run_was(heuristic):
    known = facts(heuristic.card())

    assert heuristic.card().startswith(f"{heuristic.run.title}\n=====")
    assert known["State"] == "24 answers checked"
    assert known["Data"] == "TRACE sample (English), 24 samples"
    assert known["Data hash"] == heuristic.run.fingerprint
    assert known["Formula"] == "sentence"
    assert known["Labelled by"] == "heuristic 24"
    assert known["Seed"] == "0"
    assert known["Versions"].startswith("Plumbline 0.")
    assert "Python 3." in known["Versions"]
    assert "pydantic" in known["Versions"]
    assert "chunk_size=512" in heuristic.card()
    assert facts(heuristic.under("ragbench").card())["Formula"] == (
        "ragbench (the run's own is sentence)"
    )


def test_the_hash_is_of_every_state_and_value_in_order(store):
    made = results(store, "Made", ["a", "b"], [0.5, "failed"])
    lines = [
        json.dumps([0, 0, 0, "scored", {"answer_match": 0.5}]),
        json.dumps([1, 0, 0, "failed", None]),
    ]

    digest = hashlib.sha256(b"".join(line.encode() + b"\n" for line in lines)).hexdigest()

    assert results_hash(store, made.run) == digest
    assert facts(made.card())["Results hash"] == digest


def test_an_equal_run_has_the_same_hash_and_another_one_does_not(heuristic):
    again = evaluate(TRACE_SAMPLES, ["trace", "answer_match"], progress=False)
    other = evaluate(TRACE_SAMPLES, "trace", sample=5, progress=False)

    hashes = [results_hash(each.store, each.run) for each in (heuristic, again, other)]

    assert hashes[0] == hashes[1] != hashes[2]


def test_an_opened_file_has_the_card_of_the_run_that_it_was(heuristic):
    store = Store(":memory:")
    run = opened(written(heuristic.store, heuristic.run), store, "elsewhere")

    assert Results(run, store).card() == heuristic.card()
    assert "local" not in run_card(store, run)


def test_models_stand_as_asked_and_as_served_with_their_bill_and_without_a_key(store, loopback):
    server = loopback(key="sk-secret-loopback")
    run = paid.paid_run(store, paid.dataset(2))
    finish(run, store, paid.keys(server.base_url, "sk-secret-loopback"))

    card = run_card(store, run)
    known = facts(card)

    assert known["Model"].startswith("openai/gpt-6-luna, temperature left to the model")
    assert known["Model"].endswith("answered as gpt-6-luna")
    assert known["Spent"].startswith("openai/gpt-6-luna: 2 calls, ")
    assert "for a million (2026-" in known["Spent"]
    assert known["Prompt"].startswith("of its own, SHA-256 ")
    assert known["Prompt"].endswith("… $documents $question")
    assert "sk-secret" not in card
    store.calls.forget_answers(run.workspace)
    assert run_card(store, run) == card
    again = Store(":memory:")
    assert run_card(again, opened(written(store, run), again, "w")) == card


def test_people_who_labelled_are_counted(store):
    made = results(store, "Made", ["a", "b"], [1.0, 0.0])
    for position in (0, 1):
        label = PersonLabel(
            person="Anna", label="verdict", key="answer_match", value="no", created="2026-11-23"
        )
        store.person_labels.save("Made", Cell(position), label)

    assert "by people, answers: Anna 2" in made.card()


@pytest.mark.parametrize("title", ["x" * 300, "\x1b[2J\u202eevil\nSeed 9", "好" * 100, ""])
def test_no_line_is_wider_than_80_columns_and_none_steers_a_terminal(store, title):
    made = results(store, title, ["a"], [1.0], [0.0], models=MODELS, prompt="wide " * 100)

    lines = made.card().splitlines()

    assert max(map(len, lines)) <= WIDTH
    assert all(line.isprintable() for line in lines)


def test_what_was_not_kept_is_said_so(store):
    example = find(store, NOISE)

    assert facts(run_card(store, example))["Versions"] == "not recorded"


def test_versions_that_differ_are_named():
    old = Versions(plumbline="0.1.0", judging="a", python="3.11.7", packages={"nltk": "3.9"})
    new = old.model_copy(update={"plumbline": "0.2.0", "judging": "b", "packages": {"nltk": "4"}})
    checkout = old.model_copy(update={"judging": "b"})
    before, after, beside = (Environment(versions=(each,)) for each in (old, new, checkout))

    assert changed_versions(before, before) == []
    assert changed_versions(before, after) == ["Plumbline 0.1.0 → 0.2.0", "nltk 3.9 → 4"]
    assert changed_versions(before, beside) == ["rules and prompts of Plumbline a → b"]
    assert changed_versions(before, Environment()) == ()


def test_a_run_that_goes_on_after_an_update_names_both_versions(store):
    made = results(store, "Made", ["a"], [1.0])
    old = Versions(plumbline="0.0.9", judging="a", python="3.11.7", packages={})
    store.environments.save("Made", Environment(versions=(old,)))

    store.environments.begin(made.run)
    store.environments.begin(made.run)

    assert facts(made.card())["Versions"].startswith("Plumbline 0.0.9 (rules and prompts a)")
    assert facts(made.card())["then"].startswith("Plumbline 0.")
    assert len(store.environments.of(made.run).versions) == 2
