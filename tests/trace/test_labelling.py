"""Labellings: who labelled what survives storing, corrections change a copy, and published labels
take the same way.
"""

import pyarrow.parquet as parquet
import pytest

from evaluators.datasets.ragbench import sample as ragbench_sample
from evaluators.people.labels import corrected
from evaluators.people.records import PersonLabel
from evaluators.records import (
    ExpectedShares,
    Judgement,
    Labelling,
    Labels,
    ResultFacets,
    Sample,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.trace.labelling import labelled_score, labellings, sentences_of
from evaluators.trace.metrics import arithmetic, from_score, trace_scores

FULL, PARTIAL, NONE = Support.FULL, Support.PARTIAL, Support.NONE
SENTENCES = Sentences(
    documents=(
        (
            Sentence(key="0a", text="Paris is large."),
            Sentence(key="0b", text="It lies on the Seine."),
        ),
    ),
    response=(Sentence(key="a", text="Paris lies on the Seine."),),
)
LABELS = Labels(
    relevant_keys=("0a", "0b"),
    utilized_keys=("0b",),
    sentence_support=(
        SentenceSupport(key="a", support=PARTIAL, supporting_keys=("0b",), explanation="Half."),
    ),
)
SAMPLE = Sample(
    id="7",
    question="Where?",
    response="Paris lies on the Seine.",
    retrieved_documents=("Paris is large.",),
)


def judged(by, labels=LABELS):
    judgement = Judgement(
        overall_supported=False, outputs=('{"a": 1}',), warnings=("0b: speaks to the judge",)
    )
    return Labelling(by=by, labels=labels, judgement=judgement)


def correction(label, key, value):
    return PersonLabel(label=label, key=key, value=value, created="2026-11-20T10:00:00Z")


# Storing


def test_a_score_gives_back_every_labelling_and_the_counted_one_first():
    other, gold = judged("groq/b", Labels(relevant_keys=("0a",))), Labels(relevant_keys=("0b",))
    sample = SAMPLE.model_copy(update={"labels": gold})
    counted = Labelling(by="jury", labels=Labels(utilized_keys=("0a",)))
    score = labelled_score(sample, SENTENCES, [judged("groq/a"), other], counted)

    found = labellings(Score.model_validate_json(score.model_dump_json()), sample)

    assert list(found) == ["jury", "groq/a", "groq/b", "gold"]
    assert found == {
        "jury": counted,
        "groq/a": judged("groq/a"),
        "groq/b": other,
        "gold": Labelling(by="gold", labels=gold),
    }


def test_a_single_judge_counts_and_keeps_its_words():
    score = labelled_score(SAMPLE, SENTENCES, [judged("groq/a")], judged("groq/a"))
    assert labellings(score, SAMPLE) == {"groq/a": judged("groq/a")}
    assert score.values == {
        "context_relevance": 1.0,
        "context_utilization": 0.5,
        "completeness": 0.5,
        "adherence": 0.0,
        "average": 0.5,
        "supported_share": 0.0,
    }


def test_scores_are_views_of_the_stored_labels():
    score = labelled_score(SAMPLE, SENTENCES, [judged("groq/a")], judged("groq/a"))
    found = from_score(score, SAMPLE, "ragbench")
    assert (found.context_relevance, found.context_utilization, found.completeness) == (
        1.0,
        0.5,
        0.5,
    )
    assert found.adherence == 1.0  # partial support is enough there


def test_a_heuristic_score_is_that_of_one_labeller():
    own = Labelling(by="heuristic", labels=LABELS)
    assert labellings(labelled_score(SAMPLE, SENTENCES, [], own), SAMPLE) == {"heuristic": own}


def test_labels_are_stored_once():
    score = labelled_score(SAMPLE, SENTENCES, [judged("groq/a")], judged("groq/a"))
    assert score.model_dump_json(exclude_defaults=True).count('"relevant_keys"') == 1
    assert score.facets == ResultFacets(by="groq/a")


EXPECTED = ExpectedShares(utilized=0.4, utilized_of_relevant=0.6, completeness=0.7)


@pytest.mark.parametrize(
    ("definition", "relevance", "utilization"),
    [("sentence", 1.0, 0.6), ("fixed_20", 0.1, 0.6), ("ragbench", 1.0, 0.4)],
)
def test_expected_shares_count_in_place_of_labels_that_are_only_likely(
    definition, relevance, utilization
):
    likely = LABELS.model_copy(update={"expected": EXPECTED})
    found = trace_scores(SENTENCES, likely, definition)

    assert (found.context_relevance, found.context_utilization) == (relevance, utilization)
    assert found.completeness == 0.7
    assert arithmetic(found)["completeness"] == (
        "Completeness ≈ 0.70, expected from how likely each label is; counted: sentences both "
        "relevant and used / relevant sentences = 1 / 2 = 0.50"
    )


@pytest.mark.parametrize(
    ("change", "utilization", "completeness"),
    [
        (("utilized", "0a", "yes"), 1.0, 1.0),  # 2 of 2 relevant ones
        (("relevant", "0a", "no"), 1.0, 1.0),  # 1 of 1
        (("support", "a", "full"), 0.6, 0.7),  # says nothing of documents
    ],
)
def test_what_a_person_has_looked_at_is_counted(change, utilization, completeness):
    likely = LABELS.model_copy(update={"expected": EXPECTED})
    found = trace_scores(SENTENCES, corrected(likely, SENTENCES, [correction(*change)]))
    assert (found.context_utilization, found.completeness) == (utilization, completeness)


# Sentences and published labels


def test_published_sentences_are_taken_as_they_are():
    assert sentences_of(SAMPLE.model_copy(update={"sentences": SENTENCES})) is SENTENCES


def test_a_text_is_cut_without_the_reasoning_of_its_model():
    sample = SAMPLE.model_copy(update={"response": "<think>Hm, Rome?</think>It is Paris, I say."})
    assert sentences_of(sample).response == (Sentence(key="a", text="It is Paris, I say."),)


def test_published_rows_reproduce_the_published_scores_through_the_way_of_a_judge(check_data):
    count = 0
    for path in sorted((check_data / "ragbench").rglob("*.parquet")):
        for row in parquet.read_table(path).to_pylist():
            count += 1
            sample = ragbench_sample(row)
            gold = Labelling(by="gold", labels=sample.labels)
            score = labelled_score(sample, sentences_of(sample), [gold], gold)
            found = from_score(
                Score.model_validate_json(score.model_dump_json()), sample, "ragbench"
            )
            assert found.context_relevance == row["relevance_score"], sample.id
            assert found.context_utilization == row["utilization_score"], sample.id
            assert found.completeness == row["completeness_score"], sample.id
            assert found.adherence == row["adherence_score"], sample.id
            assert list(labellings(score, sample)) == ["gold"]
    assert count == 2981


# Corrections


@pytest.mark.parametrize(
    ("corrections", "relevant", "utilized"),
    [
        ([("relevant", "0a", "no")], ("0b",), ("0b",)),
        ([("utilized", "0a", "yes")], ("0a", "0b"), ("0b", "0a")),
        ([("relevant", "0a", "yes")], ("0a", "0b"), ("0b",)),
        ([("relevant", "0a", "no"), ("relevant", "0a", "yes")], ("0a", "0b"), ("0b",)),
    ],
)
def test_a_correction_moves_a_document_sentence_in_or_out(corrections, relevant, utilized):
    labels = corrected(LABELS, SENTENCES, [correction(*each) for each in corrections])
    assert (labels.relevant_keys, labels.utilized_keys) == (relevant, utilized)
    assert labels.sentence_support == LABELS.sentence_support


def test_corrected_support_keeps_what_the_labeller_said_beside_it():
    (support,) = corrected(LABELS, SENTENCES, [correction("support", "a", "full")]).sentence_support
    assert support == SentenceSupport(
        key="a", support=FULL, supporting_keys=("0b",), explanation="Half."
    )
    assert LABELS.sentence_support[0].support is PARTIAL


def test_a_person_names_the_sentence_that_carries_another():
    changes = [correction("support", "a", "full"), correction("supported_by", "a", "0a")]
    (support,) = corrected(LABELS, SENTENCES, changes).sentence_support
    assert (support.support, support.supporting_keys) == (FULL, ("0a",))
    (support,) = corrected(
        LABELS, SENTENCES, [*changes, correction("support", "a", "none")]
    ).sentence_support
    assert (support.support, support.supporting_keys) == (Support.NONE, ())


@pytest.mark.parametrize(
    ("label", "value"),
    [("support", "yes"), ("relevant", "full"), ("utilized", ""), ("other", "no")],
)
def test_a_correction_holds_a_value_of_its_label(label, value):
    with pytest.raises(ValueError, match=label):
        correction(label, "a", value)


def test_a_sentence_without_a_label_can_be_given_one():
    labels = corrected(Labels(), SENTENCES, [correction("support", "a", "full")])
    assert labels.sentence_support == (SentenceSupport(key="a", support=FULL),)
    assert trace_scores(SENTENCES, labels).adherence == 1.0
