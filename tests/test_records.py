"""Data sets are the same exactly where all of every sample is the same: they are stored once, for
all visitors.
"""

import pytest

from evaluators.records import (
    Ability,
    Dataset,
    DocumentRole,
    Labels,
    Nugget,
    RGBTask,
    Sample,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)

SAMPLE = Sample(id="s", question="q")
SENTENCE = Sentence(key="0a", text="t")
CHANGES = {
    "id": "other",
    "question": "other",
    "response": "r",
    "retrieved_documents": ("d",),
    "ground_truth": "g",
    "rgb": RGBTask(ability=Ability.NOISE),
    "situation": "other",
    "generator": "other",
    "sentences": Sentences(documents=((SENTENCE,),), response=()),
    "labels": Labels(
        sentence_support=(SentenceSupport(key="a", support=Support.FULL, explanation="e"),)
    ),
    "gold_documents": ("g",),
    "roles": (DocumentRole.BESIDE,),
    "sources": ("a.txt",),
    "conversation": "c",
    "earlier_turns": ("before",),
    "scores": {"toxicity": 0.5},
    "nuggets": (Nugget(text="n"),),
    "repeat": 2,
}


def fingerprint(*samples, **described):
    return Dataset(name="d", samples=samples).model_copy(update=described).fingerprint


def test_every_field_of_a_sample_is_among_the_cases():
    assert CHANGES.keys() | {"id", "question"} == set(Sample.model_fields)


@pytest.mark.parametrize("field", CHANGES)
def test_samples_that_differ_anywhere_are_not_the_same(field):
    assert fingerprint(SAMPLE.model_copy(update={field: CHANGES[field]})) != fingerprint(SAMPLE)


def test_samples_with_other_sources_are_not_the_same():
    named = [SAMPLE.model_copy(update={"sources": (name,)}) for name in ("a.txt", "b.txt")]
    assert fingerprint(named[0]) != fingerprint(named[1])


def test_order_and_number_count_and_name_and_origin_do_not():
    other = SAMPLE.model_copy(update={"id": "t"})
    assert len({fingerprint(SAMPLE), fingerprint(SAMPLE, other), fingerprint(other, SAMPLE)}) == 3
    assert fingerprint(SAMPLE, name="e", origin={"file": "f"}) == fingerprint(SAMPLE)


def test_samples_without_later_fields_have_the_name_that_older_runs_know():
    assert fingerprint(SAMPLE) == "24100efbf0f7f00289d0024d3414c443f4cd9d44134e0ffa3f179ae38a130db9"
    composed = SAMPLE.model_copy(update={"roles": (DocumentRole.ANSWER,)})
    assert fingerprint(composed) != fingerprint(SAMPLE)


def test_repeated_samples_stand_together_and_are_told_by_the_fingerprint_of_the_data():
    other = Sample(id="t", question="q")
    data = Dataset(name="d", samples=(SAMPLE, other))

    three = data.repeated(3)

    places = [(sample.id, sample.repeat) for sample in three.samples]
    assert places == [("s", 1), ("s", 2), ("s", 3), ("t", 1), ("t", 2), ("t", 3)]
    assert (data.repeats, three.repeats) == (1, 3)
    assert three.fingerprint.split("*")[0] == data.fingerprint
    assert len({each.fingerprint for each in (data, data.repeated(2), three)}) == 3
    assert three.repeated(3) == three
    assert three.repeated(1) == data


def test_a_repeat_that_holds_something_else_makes_other_data():
    forged = SAMPLE.model_copy(update={"repeat": 2, "question": "other"})
    honest = Dataset(name="d", samples=(SAMPLE,)).repeated(2)

    assert fingerprint(SAMPLE, forged) != honest.fingerprint
