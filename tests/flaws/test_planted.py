"""A labeller tested by planted errors: what is planted, what is found, and what cannot be tested."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random

import pytest

from evaluators import evaluate
from evaluators.api.results import Results
from evaluators.base import evaluator
from evaluators.errors import ParameterError
from evaluators.flaws.planting import NAME, NEGATION, NUMBER, PLANTED, SENTENCE, Source, planted
from evaluators.records import Cap, Sample, Score
from evaluators.runs.engine import create_run
from evaluators.runs.job import Job
from evaluators.runs.planted import plan_of_planted
from evaluators.trace_evaluator import TRACEEvaluator
from tests import judge
from tests.runs import paid


def changed(text, evidence="", documents="", others=()):
    source = Source(text, evidence or text, documents, list(others))
    return dict(planted(source, Random(1)))


@pytest.mark.parametrize(
    ("text", "documents", "kind", "expected"),
    [
        ("It is 330 metres high.", "Another has 503.", NUMBER, "It is 503 metres high."),
        # No other number is there, or it is the same.
        ("It is 330 metres high.", "It has 330.", NUMBER, None),
        ("It is high.", "Another has 503.", NUMBER, None),
        ("It stands in Paris now.", "It is of Rome here.", NAME, "It stands in Rome now."),
        ("It stands there now.", "It is of Rome here.", NAME, None),
        ("It is high.", "", NEGATION, "It is not high."),
        ("It was not built.", "", NEGATION, "It was built."),
        ("Trains do not stop.", "", NEGATION, "Trains stop."),
        ("It can't float.", "", NEGATION, None),
        ("Trains stop.", "", NEGATION, None),
        ("桥是新的。", "", NEGATION, "桥不是新的。"),
        ("桥没有灯。", "", NEGATION, "桥有灯。"),
        ("桥有灯。", "", NEGATION, "桥没有灯。"),
        ("桥长503米。", "这座桥长509米。", NUMBER, "桥长509米。"),
    ],
)
def test_one_error_of_a_kind_is_planted_where_it_fits(text, documents, kind, expected):
    assert changed(text, documents=documents).get(kind) == expected


def test_in_a_very_long_sentence_no_word_is_replaced():
    text = "It is 330 metres high" + " and wide" * 1000

    assert NUMBER not in changed(text, documents="Another has 503.")


def test_a_sentence_of_another_answer_takes_its_place():
    assert changed("It is old.", others=["Rome is hot."])[SENTENCE] == "Rome is hot."
    assert SENTENCE not in changed("It is old.")


TOWNS = [
    *("Berlin", "Paris", "Rome", "Madrid", "Vienna", "Prague"),
    *("Lisbon", "Dublin", "Athens", "Oslo", "Bern", "Riga"),
]
BRIDGE = (
    "The old stone bridge of {town} near the harbour was opened for carts and horses in {year}."
)
ROWS = [
    {
        "question": f"When was the bridge of {town} opened?",
        "response": BRIDGE.format(town=town, year=1900 + number),
        "retrieved_documents": [
            BRIDGE.format(town=town, year=1900 + number),
            f"A tower stands in {TOWNS[number - 1]} since {1700 + number}.",
        ],
    }
    for number, town in enumerate(TOWNS)
]


@evaluator(
    "test_finds_nothing",
    title="Finds nothing",
    needs=TRACEEvaluator.needs,
    judges="none",
    evidence="sentences",
)
class FindsNothing(TRACEEvaluator):
    """Calls whatever it reads supported."""

    def score(self, sample: Sample) -> Score:
        right = sample.model_copy(update={"response": sample.retrieved_documents[0]})
        return super().score(right)


def test_what_is_found_is_counted_by_kind_beside_false_alarms(store):
    results = evaluate(ROWS, "trace", store=store, progress=False)
    tested = results.plant_errors(progress=False)
    found = {one.kind: one for one in tested.found_errors()}

    # Every answer has a year, a town and a verb; the first has no answer before it.
    assert {kind: one.found.asked for kind, one in found.items()} == {
        "number": 12,
        "name": 12,
        "negation": 12,
        "sentence": 11,
        "untouched": 12,
    }
    assert found["untouched"].found.mean == found["untouched"].suspected.mean == 0
    # A "not" is found by nothing that compares words, and suspected every time.
    assert (found["negation"].found.mean, found["negation"].suspected.mean) == (0, 1)
    assert found["sentence"].found.mean == 1
    assert found["number"].suspected.mean == 1
    # 12 of 12 by Wilson: from 75.7 % on
    assert found["number"].suspected.low == pytest.approx(0.757, abs=0.001)
    assert re.search(r"A negation put in or taken out +12 / 12 ", repr(tested))
    assert results.found_errors() == []


def test_a_labeller_that_calls_everything_supported_finds_nothing(store):
    results = evaluate(ROWS, FindsNothing(), store=store, progress=False)
    found = results.plant_errors(progress=False).found_errors()

    assert {one.found.mean for one in found} == {0.0}


class LooksElsewhere(TRACEEvaluator):
    """Reads the first document alone, and believes no answer that is polite."""

    def score(self, sample: Sample) -> Score:
        documents = sample.retrieved_documents[:1]
        if "I hope" in (sample.response or ""):
            documents = ("Nothing is known.",)
        return super().score(sample.model_copy(update={"retrieved_documents": documents}))


evaluator(
    "test_looks_elsewhere",
    title="Looks elsewhere",
    needs=TRACEEvaluator.needs,
    judges="none",
    evidence="sentences",
)(LooksElsewhere)


@pytest.mark.parametrize(
    ("metric", "rows", "expected"),
    [
        ("trace", ROWS, {"order": (0.0, 12), "length": (0.0, 12)}),
        (LooksElsewhere(), ROWS, {"order": (1.0, 12), "length": (1.0, 12)}),
        # One document has one order.
        (
            "trace",
            [{**row, "retrieved_documents": row["retrieved_documents"][:1]} for row in ROWS],
            {"length": (0.0, 12)},
        ),
        (
            "trace",
            [
                {
                    "question": f"第{number}座桥何时开通？",
                    "response": f"第{number}座石桥是{1900 + number}年由市长开通的。",
                    "retrieved_documents": [
                        f"第{number}座石桥是{1900 + number}年由市长开通的。",
                        "港口有一座塔。",
                    ],
                }
                for number in range(10, 22)
            ],
            {"order": (0.0, 12), "length": (0.0, 12)},
        ),
    ],
    ids=["heuristic", "looks elsewhere", "one document", "Chinese"],
)
def test_how_often_the_same_content_is_judged_in_another_way(store, metric, rows, expected):
    results = evaluate(rows, metric, store=store, progress=False)
    tested = results.plant_errors(progress=False)

    changed = {one.kind: one.changed for one in tested.changed_minds()}
    assert {kind: (own.mean, own.scored) for kind, own in changed.items()} == expected
    assert "A courtesy line at the end" in repr(tested)
    assert results.changed_minds() == []


@pytest.mark.parametrize(
    ("rows", "metric", "said"),
    [
        (ROWS[:9], "trace", "Only 9 answers are called supported"),
        ([{**row, "response": "No idea about that."} for row in ROWS], "trace", "Only 0 answers"),
        ([{**row, "ground_truth": "1900"} for row in ROWS], "answer_match", "take a TRACE run"),
    ],
)
def test_what_cannot_be_tested_is_said(store, rows, metric, said):
    results = evaluate(rows, metric, store=store, progress=False)
    with pytest.raises(ParameterError, match=said):
        results.plant_errors(progress=False)


def test_the_same_seed_plants_the_same_errors(store):
    results = evaluate(ROWS, "trace", store=store, progress=False)
    first, second = (results.plant_errors(seed=3, progress=False) for _ in range(2))
    other = results.plant_errors(seed=4, progress=False)

    assert first.run.fingerprint == second.run.fingerprint != other.run.fingerprint


JUDGE, SECOND, THIRD = (f"openai/{name}" for name in ("gpt-6-luna", "gpt-6-sol", "gpt-6.1-terra"))


def letter_by_letter(prompt_text: str) -> str:
    """The answer of a judge that supports nothing but what stands in the documents as it is."""
    said = judge.labels(prompt_text)
    documents = judge.material(prompt_text, "documents")
    lines = judge.material(prompt_text, "response").splitlines()
    for support, line in zip(said["sentence_support_information"], lines, strict=True):
        support["fully_supported"] = line.partition(": ")[2] in documents
    return json.dumps(said)


@pytest.mark.parametrize("judges", [JUDGE, [JUDGE, SECOND, THIRD]], ids=["judge", "jury"])
@pytest.mark.parametrize(
    ("answer", "share"), [(judge.labels_for, 0.0), (letter_by_letter, 1.0)], ids=["all", "none"]
)
def test_judges_are_tested_as_the_heuristic_is(store, loopback, judges, answer, share):
    server = loopback(answer=answer)
    keys = paid.keys(server.base_url)
    results = evaluate(ROWS, "gpt_labeling", judge=judges, keys=keys, store=store, progress=False)
    asked = len(server.asked)
    tested = results.plant_errors(keys=keys, progress=False)
    found = {one.kind: one for one in tested.found_errors()}

    assert {kind: one.found.mean for kind, one in found.items()} == {
        **dict.fromkeys(PLANTED, share),
        "untouched": 0.0,
    }
    assert found["number"].suspected.mean == 1.0
    # Neither knows that a courtesy line claims nothing.
    assert [one.changed.mean for one in tested.changed_minds()] == [0.0, 1.0]
    # The untouched copies were asked about before: their answers are stored.
    number = 1 if judges == JUDGE else 3
    assert len(server.asked) - asked == number * (12 * 5 + 11)


def test_a_budget_that_ends_in_between_leaves_what_is_not_judged_out_of_the_shares(store, loopback):
    server = loopback(answer=judge.labels_for)
    keys = paid.keys(server.base_url)
    results = evaluate(ROWS, "gpt_labeling", judge=JUDGE, keys=keys, store=store, progress=False)
    plan = replace(plan_of_planted(results.read()), cap=Cap(calls=20))
    run = create_run(store, plan, workspace=results.run.workspace)
    tested = Results(run, store)
    job = Job(run, store, keys)
    job.start()
    job.wait()

    every = [
        *(one.found for one in tested.found_errors()),
        *(one.changed for one in tested.changed_minds()),
    ]
    assert sum(own.asked for own in every) == 12 * 6 + 11
    # One is judged of which the untouched copy may not be: it cannot be held against it.
    assert 0 < sum(own.scored for own in every) <= tested.counts.scored < tested.counts.asked
    assert len(server.asked) == 12 + 20
    store.runs.set_cap(run.id, Cap())
    job = Job(store.runs.get(run.id), store, keys)
    job.start()
    job.wait()
    assert {one.found.scored for one in tested.found_errors()} == {11, 12}
