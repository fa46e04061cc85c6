"""What is remembered of texts stays small, however long the texts are."""

import json
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from evaluators.rgb_rules import AnswerReading, tried_on_answer
from evaluators.runs.store import results
from evaluators.text.phrases import as_written
from evaluators.text.remembered import made_once
from evaluators.text.sentences import split_sentences

MB = 2**20
LONG = 100_000


def facets(word: str) -> object:
    return results._result_facets(json.dumps({"by": word}))


def values(word: str) -> object:
    return results._values(json.dumps({word: 1.0}))


@pytest.mark.parametrize(
    "work_out",
    [
        lambda word: as_written(word, [word]),
        lambda word: split_sentences(f"{word}."),
        lambda word: list(tried_on_answer(AnswerReading("documented", True, True), "No.", word)),
        lambda word: list(tried_on_answer(AnswerReading("documented", True, True), word, "No.")),
        facets,
        values,
    ],
    ids=["phrases", "sentences", "spellings", "responses", "facets", "values"],
)
def test_long_texts_do_not_stay_in_memory(work_out) -> None:
    work_out("first")  # what is loaded on first use does not count
    tracemalloc.start()
    try:
        for number in range(20):
            work_out(f"{number}" + "w" * LONG)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < MB


def test_several_who_ask_for_the_first_at_a_time_get_the_same():
    together = Barrier(8)

    @made_once
    def made(_name: str) -> object:
        time.sleep(0.05)
        return object()

    def ask(_: int) -> object:
        together.wait()
        return made("a store")

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1
