"""A labeller tested by planted errors: what is planted, what is found, and what cannot be tested."""

from __future__ import annotations

from random import Random

import pytest

from evaluators import evaluate
from evaluators.base import evaluator
from evaluators.errors import ParameterError
from evaluators.flaws.planting import NAME, NEGATION, NUMBER, SENTENCE, Source, planted
from evaluators.records import Sample, Score
from evaluators.trace_evaluator import TRACEEvaluator


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
    assert "A negation put in or taken out" in repr(tested)
    assert results.found_errors() == []


def test_a_labeller_that_calls_everything_supported_finds_nothing(store):
    results = evaluate(ROWS, FindsNothing(), store=store, progress=False)
    found = results.plant_errors(progress=False).found_errors()

    assert {one.found.mean for one in found} == {0.0}


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
