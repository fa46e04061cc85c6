"""Marks of true answers in the documents of a sample: one look never takes long."""

import time

import pytest

from evaluators.records import Sample
from evaluators.report.marked import Marks, documents_with_roles

ALIKE = ["a" * length for length in range(1, 1001)]
NEARLY = [f"{'a' * 600}{chr(1000 + number)}{'a' * 600}" for number in range(1000)]
"""As many accepted answers as a row may have."""


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("a" * 1000, ALIKE),
        ("a" * 1000, ALIKE[:1]),
        ("a " * 500, ALIKE),
        ("-ab" * 400, ["-ab" * length + "-a" for length in range(1000)]),
        ("a" * 2_499, NEARLY),
    ],
    ids=["inside", "one", "beside", "ends inside", "nearly"],
)
def test_one_look_at_any_row_takes_less_than_two_seconds(text, answers):
    sample = Sample(
        id="1", question="Which?", ground_truth=(tuple(answers),), retrieved_documents=[text] * 1000
    )
    began = time.thread_time()
    assert documents_with_roles(sample, Marks.of(sample, {})).count("pl-doc") == 1000
    assert time.thread_time() - began < 2


def test_every_document_of_a_usual_row_has_its_marks():
    words = "The answer is Paris. " * 100
    sample = Sample(
        id="1",
        question="Where?",
        ground_truth=(("Paris", "City of Light", "Paris, France"),),
        retrieved_documents=[words] * 100,
    )
    assert documents_with_roles(sample, Marks.of(sample, {})).count("<mark") == 10_000
