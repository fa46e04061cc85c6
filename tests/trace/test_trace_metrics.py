"""The TRACE formulas: every worked example of the two documents, the code tables, and RAGBench's
published scores.

Where a document's narration and its code disagree, the test says which of them it follows.
"""

import pytest

from evaluators.datasets.ragbench import sample as ragbench_sample
from evaluators.errors import DatasetError, StoreError
from evaluators.records import (
    Labelling,
    Labels,
    Sample,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.text import language
from evaluators.trace.definitions import DEFINITIONS, Definition, Step
from evaluators.trace.metrics import (
    arithmetic,
    fractions,
    from_score,
    to_score,
    trace_scores,
    why_missing,
)

FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE


def sentences(document_keys, response_keys=""):
    """One document that holds these keys, and a response that holds those."""
    document = tuple(Sentence(key=key, text=f"Sentence {key}.") for key in document_keys)
    response = tuple(Sentence(key=key, text=f"Answer {key}.") for key in response_keys)
    return Sentences(documents=(document,), response=response)


def labels(relevant=(), utilized=(), **support):
    entries = tuple(SentenceSupport(key=key, support=level) for key, level in support.items())
    return Labels(
        relevant_keys=tuple(relevant), utilized_keys=tuple(utilized), sentence_support=entries
    )


def numbered(count):
    return [f"0{number}" for number in range(count)]


def scores(document_keys=("0a", "0b"), definition="sentence", relevant=(), utilized=(), **support):
    return trace_scores(
        sentences(document_keys, support), labels(relevant, utilized, **support), definition
    )


def test_12_relevant_of_30_sentences_give_relevance_0_40():
    assert scores(numbered(30), relevant=numbered(12)).context_relevance == pytest.approx(0.40)


def test_8_utilized_of_12_relevant_give_utilization_0_67():
    found = scores(numbered(30), relevant=numbered(12), utilized=numbered(8))
    assert found.context_utilization == pytest.approx(8 / 12)


def test_4_of_7_relevant_sentences_used_give_completeness_0_57():
    relevant, utilized = ["0a", "0b", "1a", "1c", "2a", "2b", "3a"], ["0a", "0b", "1c", "2a"]
    assert scores(relevant, relevant=relevant, utilized=utilized).completeness == pytest.approx(
        4 / 7
    )


def test_the_three_steps_of_the_gpt_labelling_document():
    """R = 0a 0b 1a, U = 0a 1a 1b: U / R = 3 / 3; in both are 0a and 1a, so 2 / 3; b is not fully
    supported.
    """
    keys = ["0a", "0b", "1a", "1b"]
    found = scores(keys, relevant=keys[:3], utilized=["0a", "1a", "1b"], a=FULL, b=PARTIAL)
    assert found.utilization == 1.0
    assert found.completeness == pytest.approx(2 / 3)
    assert found.adherence == 0.0
    assert found.supported_share == 0.5


def test_step_3_divides_by_20_as_the_code_does_and_not_by_the_four_sentences_it_shows():
    """The narration says "3 / ~20 = 0.15" and defines "/ total": its code is `fixed_20`, its words
    `sentence`.
    """
    found = scores(["0a", "0b", "1a", "1b"], relevant=["0a", "0b", "1a"])
    assert found.under("fixed_20").relevance == pytest.approx(0.15)
    assert found.relevance == pytest.approx(0.75)


MACHINE_LEARNING = {
    "document_keys": ["0a", "0b", "0c", "1a", "1b", "2a", "2b"],
    "relevant": ["0a", "0b", "1a", "1b"],
    "utilized": ["0a", "0b", "1a", "1b"],
    "a": FULL,
    "b": FULL,
    "c": PARTIAL,
}


def test_the_complete_example_averages_0_55_under_the_definition_of_its_code():
    """4 / 20, 4 / 4, 4 / 4 and 0: (0.20 + 1 + 1 + 0) / 4 = 0.55."""
    found = scores(**MACHINE_LEARNING, definition="fixed_20")
    assert found.to_dict() == {
        "context_relevance": 0.2,
        "context_utilization": 1.0,
        "completeness": 1.0,
        "adherence": 0.0,
        "average": pytest.approx(0.55),
        "supported_share": pytest.approx(2 / 3),
    }


def test_the_complete_example_under_the_definition_that_both_documents_state():
    """4 of 7 sentences are relevant, although the document's narration divides by "~20 average
    sentences".
    """
    assert scores(**MACHINE_LEARNING).context_relevance == pytest.approx(4 / 7)


def test_the_complete_example_as_ragbench_counts_it():
    """4 / 7 twice, 4 / 4, and adherent: `c` is partly supported, and RAGBench asks only for
    unsupported sentences.
    """
    found = scores(**MACHINE_LEARNING, definition="ragbench")
    assert found.relevance == found.utilization == pytest.approx(4 / 7)
    assert (found.completeness, found.adherence) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("levels", "adherence", "share"),
    [((FULL, FULL, FULL), 1.0, 1.0), ((FULL, NONE, FULL), 0.0, 2 / 3)],
)
def test_adherence_examples_1_and_2_one_unsupported_sentence_decides(levels, adherence, share):
    found = scores(**dict(zip("abc", levels, strict=True)))
    assert found.adherence == adherence
    assert found.supported_share == pytest.approx(share)


@pytest.mark.parametrize(
    ("relevant", "utilized", "relevance", "utilization", "completeness"),
    [
        (0, 0, 0.0, 0.0, 1.0),
        (0, 2, 0.0, 0.0, 0.0),
        (2, 0, 2 / 20, 0.0, 0.0),
        (2, 5, 2 / 20, 1.0, 1.0),
        (5, 2, 5 / 20, 2 / 5, 2 / 5),
        (25, 25, 1.0, 1.0, 1.0),
    ],
)
def test_the_code_table_of_the_gpt_labelling_document(
    relevant, utilized, relevance, utilization, completeness
):
    found = scores(
        numbered(30), "fixed_20", relevant=numbered(relevant), utilized=numbered(utilized)
    )
    assert found.context_relevance == pytest.approx(relevance)
    assert found.context_utilization == pytest.approx(utilization)
    assert found.completeness == pytest.approx(completeness)


@pytest.mark.parametrize(
    ("support", "adherence"),
    [
        ({}, 1.0),
        ({"a": FULL}, 1.0),
        ({"a": PARTIAL}, 0.0),
        ({"a": NONE}, 0.0),
        ({"a": FULL, "b": PARTIAL}, 0.0),
    ],
)
def test_the_code_table_of_adherence(support, adherence):
    assert scores(**support).adherence == adherence


def test_of_a_labeller_that_judges_the_answer_alone_there_is_adherence_and_no_average():
    alone = labels(a=FULL, b=NONE).model_copy(update={"of_support_alone": True})
    scores = trace_scores(sentences(["0a", "0b"], "ab"), alone)

    values = {name: value for name, value in scores.values().items() if value is not None}
    assert values == {"adherence": 0.0, "supported_share": 0.5}
    assert "judges the answer alone" in why_missing(scores)["average"]


def test_repeated_and_unknown_keys_count_only_under_ragbench():
    found = scores(numbered(4), relevant=["00", "00", "9z"], utilized=["00", "9z"])
    assert (found.relevance, found.utilization, found.completeness) == (1 / 4, 1.0, 1.0)
    published = found.under("ragbench")
    assert (published.relevance, published.utilization) == (3 / 4, 2 / 4)
    assert published.completeness == pytest.approx(2 / 3)


def test_ragbench_calls_an_answer_complete_when_nothing_is_relevant():
    assert scores(definition="ragbench", utilized=["0a"]).completeness == 1.0


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_without_documents_only_adherence_applies(definition):
    found = scores((), definition, a=NONE)
    assert (found.relevance, found.utilization, found.completeness, found.adherence) == (
        None,
        None,
        None,
        0.0,
    )
    assert found.average() == 0.0
    assert "do not apply" in found.reason


def test_an_empty_response_is_adherent_and_says_why():
    found = scores(relevant=["0a"])
    assert (found.adherence, found.supported_share) == (1.0, None)
    assert found.reason == "The answer holds no sentence: nothing in it is unsupported."


def test_a_response_sentence_without_a_label_leaves_adherence_unknown():
    found = trace_scores(sentences(["0a"], "ab"), labels(a=FULL))
    assert (found.adherence, found.supported_share) == (None, 1.0)
    assert found.average() == pytest.approx((0 + 0 + 1) / 3)
    assert "1 of 2 sentences of the answer have no label" in found.reason


def test_an_unsupported_sentence_decides_even_where_another_has_no_label():
    assert trace_scores(sentences(["0a"], "ab"), labels(a=NONE)).adherence == 0.0


def test_a_definition_is_a_view_and_leads_back():
    found = scores(**MACHINE_LEARNING)
    assert found.under("fixed_20").under("sentence") == found


def test_the_arithmetic_is_spelled_out_with_the_numbers_of_the_sample():
    assert arithmetic(scores(**MACHINE_LEARNING)) == {
        "context_relevance": "Context relevance = relevant sentences / all document sentences = 4 / 7 = 0.57",
        "context_utilization": "Context utilization = used sentences / relevant sentences = 4 / 4 = 1.00",
        "completeness": (
            "Completeness = sentences both relevant and used / relevant sentences = 4 / 4 = 1.00"
        ),
        "adherence": (
            "Adherence = 1 if every sentence of the answer is fully supported, else 0; 2 of 3 are = 0.00"
        ),
    }


@pytest.mark.parametrize(
    ("definition", "metric", "line"),
    [
        (
            "fixed_20",
            "context_relevance",
            "Context relevance = relevant sentences / 20 = 1 / 20 = 0.05",
        ),
        (
            "sentence",
            "context_utilization",
            (
                "Context utilization = used sentences / relevant sentences, at most 1 = "
                "2 / 1, so 1.00"
            ),
        ),
        (
            "ragbench",
            "context_utilization",
            "Context utilization = used sentences / all document sentences = 2 / 2 = 1.00",
        ),
        (
            "ragbench",
            "adherence",
            "Adherence = 1 if no sentence of the answer is unsupported, else 0; 0 unsupported = 1.00",
        ),
    ],
)
def test_each_definition_has_its_own_arithmetic(definition, metric, line):
    found = scores(definition=definition, relevant=["0a"], utilized=["0a", "0b"], a=PARTIAL)
    assert arithmetic(found)[metric] == line


def test_a_new_definition_counts_as_itself_and_as_no_other(monkeypatch):
    own = Definition(
        title="Own",
        meaning="Constants.",
        relevance=lambda counts: Step(0.11, "= 0.11"),
        utilization=lambda counts: Step(0.12, "= 0.12"),
        completeness=lambda counts: Step(0.13, "= 0.13"),
        adherence=lambda sentences, labels: Step(0.14, "= 0.14"),
    )
    monkeypatch.setitem(DEFINITIONS, "own", own)
    found = scores(**MACHINE_LEARNING, definition="own")

    assert (found.relevance, found.utilization, found.completeness, found.adherence) == (
        0.11,
        0.12,
        0.13,
        0.14,
    )
    assert arithmetic(found)["adherence"] == "Adherence = 0.14"
    assert found.under("sentence").definition == "sentence"


@pytest.mark.parametrize(
    ("definition", "divided"),
    [
        ("sentence", ("3/4", "2/3", "1/3", "1/2")),
        ("fixed_20", ("3/20", "2/3", "1/3", "1/2")),
        ("ragbench", ("3/4", "2/4", "1/3", "2/2")),
    ],
)
def test_what_was_divided_is_told_for_each_value(definition, divided):
    found = labels(["0a", "0b", "0c"], ["0c", "0d"], a=FULL, b=PARTIAL)
    found = trace_scores(sentences(["0a", "0b", "0c", "0d"], "ab"), found, definition)
    assert tuple(fractions(found).values()) == divided


def test_nothing_is_divided_where_a_value_is_decided_without():
    empty = trace_scores(Sentences(documents=(), response=()), Labels())
    assert set(fractions(empty).values()) == {""}


def test_the_arithmetic_says_what_does_not_apply():
    lines = arithmetic(scores((), a=FULL))
    assert lines["completeness"] == "Completeness does not apply: the documents hold no sentence."
    assert lines["adherence"].endswith("1 of 1 are = 1.00")


def heuristic(scores):
    return [Labelling(by="heuristic", labels=scores.labels)]


def test_a_stored_score_is_restored_with_the_samples_own_sentences():
    found = scores(**MACHINE_LEARNING)
    owner = Sample(id="1", question="What?", response="So.", sentences=found.sentences)
    stored = to_score(found, owner, heuristic(found))
    assert stored.evidence.sentences is None
    assert stored.values["supported_share"] == pytest.approx(2 / 3)
    assert from_score(stored, owner) == found


def test_a_stored_score_keeps_sentences_that_the_sample_does_not_have():
    found = scores(**MACHINE_LEARNING)
    bare = Sample(id="1", question="What?", response="So.")
    assert from_score(to_score(found, bare, heuristic(found)), bare, "ragbench") == found.under(
        "ragbench"
    )


def test_a_score_without_labels_says_what_to_do():
    bare = Sample(id="1", question="What?")
    stored = to_score(scores(), bare, heuristic(scores())).model_copy(update={"evidence": None})
    with pytest.raises(StoreError, match="Run it again"):
        from_score(stored, bare)


ROW = {
    "dataset_name": "demo_test",
    "id": "7",
    "generation_model_name": "gpt-3.5",
    "question": "Who?",
    "response": "Ada. Bob.",
    "documents": ["Ada did."],
    "documents_sentences": [[["0a", "Ada did."]]],
    "response_sentences": [["a", "Ada."], ["b", "Bob."], ["c", "Or so."]],
    "sentence_support_information": [
        {
            "response_sentence_key": key,
            "fully_supported": full,
            "supporting_sentence_keys": ["0a"],
            "explanation": "x",
        }
        for key, full in (("a.", None), ("b.", False), ("c", False))
    ],
    "unsupported_response_sentence_keys": ["b", "z"],
    "all_relevant_sentence_keys": ["0a", "0a"],
    "all_utilized_sentence_keys": [],
}


def test_a_ragbench_row_becomes_a_sample_with_its_labels_as_published():
    found = ragbench_sample(ROW)
    assert found.id == "demo_test/7/gpt-3.5"
    assert found.labels.relevant_keys == ("0a", "0a")
    levels = {support.key: support.support for support in found.labels.sentence_support}
    assert levels == {"a": FULL, "b": NONE, "c": PARTIAL, "z": NONE}


def test_a_row_of_another_kind_names_the_missing_columns():
    with pytest.raises(DatasetError, match="response_sentences, sentence_support_information"):
        ragbench_sample(
            {
                key: value
                for key, value in ROW.items()
                if not key.endswith(("e_sentences", "information"))
            }
        )


def test_values_ask_for_no_language_and_how_they_came_about_does(monkeypatch):
    """Of thousands of answers nobody reads the words, and a session is slow to say who reads."""
    asked = []
    monkeypatch.setattr(language, "_asked", lambda: asked.append("") or language.CHINESE)

    counted = scores(numbered(4), relevant=["00"], utilized=["00"], a=FULL)
    assert asked == []
    assert arithmetic(counted)["context_relevance"].endswith("= 1 / 4 = 0.25")
    assert asked
