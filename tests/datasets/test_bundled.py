"""The bundled data: complete, true to its own rules, and with sentence keys that exist."""

import pytest

from evaluators.advanced_rag_evaluator import DocumentSentencizer
from evaluators.datasets.bundled import (
    CHINESE_BED,
    CHINESE_TRACE,
    ENGLISH_BED,
    TRACE_SAMPLES,
    bundled,
)
from evaluators.datasets.rgb import compose
from evaluators.records import Ability, Support
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.text.normalise import without_spaces
from evaluators.trace.metrics import from_score
from evaluators.trace_evaluator import TRACEEvaluator

BEDS = (ENGLISH_BED, CHINESE_BED)
ROWS = [
    pytest.param(row, id=f"{name}-{row.abilities[0]}-{row.id}")
    for name in BEDS
    for row in bundled()[name].rows
]
TRACE = [
    pytest.param(sample, id=sample.id)
    for name in (TRACE_SAMPLES, CHINESE_TRACE)
    for sample in bundled()[name].samples
]
SITUATIONS = {
    "fully grounded",
    "one hallucinated sentence",
    "unused relevant context",
    "irrelevant context",
    "refusal",
    "contradiction",
    "numbers changed",
    "long documents",
}


def groups(answer):
    """The accepted answers as groups of spellings."""
    parts = [answer] if isinstance(answer, str) else answer
    return [[part] if isinstance(part, str) else list(part) for part in parts]


def holds(text, spellings):
    return any(
        without_spaces(spelling.lower()) in without_spaces(text.lower()) for spelling in spellings
    )


@pytest.mark.parametrize(
    ("name", "noise", "integration", "counterfactual"),
    [(ENGLISH_BED, 24, 12, 12), (CHINESE_BED, 8, 4, 4)],
)
def test_a_bed_holds_so_many_rows_of_each_kind(name, noise, integration, counterfactual):
    abilities = [row.abilities[0] for row in bundled()[name].rows]

    counts = [
        abilities.count(kind)
        for kind in (Ability.NOISE, Ability.INTEGRATION, Ability.COUNTERFACTUAL)
    ]
    assert counts == [noise, integration, counterfactual]


def test_the_trace_samples_are_three_for_each_situation():
    situations = [sample.situation for sample in bundled()[TRACE_SAMPLES].samples]

    assert {situation: situations.count(situation) for situation in situations} == dict.fromkeys(
        SITUATIONS, 3
    )


def test_the_chinese_trace_samples_have_answers_of_every_kind():
    kinds = [
        frozenset(support.support for support in sample.labels.sentence_support)
        for sample in bundled()[CHINESE_TRACE].samples
    ]
    full, partial, none = Support.FULL, Support.PARTIAL, Support.NONE
    # Refusals among those that are full, be they right or not.
    assert {kind: kinds.count(kind) for kind in kinds} == {
        frozenset([full]): 7,
        frozenset([full, partial]): 2,
        frozenset([full, none]): 3,
    }


def test_bundled_data_is_read_once():
    assert bundled() is bundled()


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_a_question_an_answer_and_documents(row):
    assert row.query.strip()
    assert row.negative
    assert row.positive or row.positive_wrong
    assert all(spelling.strip() for group in groups(row.answer) for spelling in group)


@pytest.mark.parametrize("row", ROWS)
def test_the_positives_hold_the_answer(row):
    if Ability.INTEGRATION in row.abilities:
        assert len(row.positive) == len(groups(row.answer))
        lacking = [
            text
            for texts, spellings in zip(row.positive, groups(row.answer), strict=True)
            for text in texts
            if not holds(text, spellings)
        ]
    else:
        lacking = [
            text
            for text in row.positive
            if not all(holds(text, group) for group in groups(row.answer))
        ]

    assert not lacking


@pytest.mark.parametrize("row", ROWS)
def test_the_negatives_do_not_hold_the_answer(row):
    assert not [
        text for text in row.negative if any(holds(text, group) for group in groups(row.answer))
    ]


@pytest.mark.parametrize("row", ROWS)
def test_no_document_stands_twice(row):
    texts = [
        text for group in row.positive for text in ([group] if isinstance(group, str) else group)
    ]

    assert len({*texts, *row.negative}) == len(texts) + len(row.negative)


@pytest.mark.parametrize("row", [row for row in ROWS if Ability.NOISE in row.values[0].abilities])
def test_a_noise_row_fills_five_passages_with_either_kind(row):
    assert len(row.positive) >= 5
    assert len(row.negative) >= 5


@pytest.mark.parametrize(
    "row", [row for row in ROWS if Ability.COUNTERFACTUAL in row.values[0].abilities]
)
def test_the_planted_error_replaces_the_truth_in_every_document(row):
    (planted,), (truth,) = groups(row.fakeanswer), groups(row.answer)

    assert len(row.positive_wrong) == len(row.positive)
    assert [holds(text, planted) for text in row.positive_wrong] == [True] * len(row.positive_wrong)
    assert not [text for text in row.positive_wrong if holds(text, truth)]
    assert not [text for text in row.positive if holds(text, planted)]


@pytest.mark.parametrize("name", BEDS)
def test_a_bed_reaches_every_nominal_noise_level(name):
    asked = compose(bundled()[name], [Ability.NOISE]).samples

    assert all(sample.rgb.effective_noise == pytest.approx(sample.rgb.noise) for sample in asked)
    assert {len(sample.retrieved_documents) for sample in asked} == {5}


@pytest.mark.parametrize("name", BEDS)
def test_the_answer_itself_is_judged_correct(name):
    answers = {
        "; ".join(group[0] for group in groups(row.answer)): row.answer
        for row in bundled()[name].rows
    }

    assert not [
        said for said, truth in answers.items() if not RGBEvaluator().is_correct(said, truth)
    ]


@pytest.mark.parametrize("sample", TRACE)
def test_every_gold_key_names_a_sentence_of_the_documents(sample):
    sentences = DocumentSentencizer().sentencize_documents(sample.retrieved_documents)
    keys = {sentence.key for document in sentences for sentence in document}
    gold = {*sample.labels.relevant_keys, *sample.labels.utilized_keys}
    gold |= {key for support in sample.labels.sentence_support for key in support.supporting_keys}

    assert gold <= keys


@pytest.mark.parametrize("sample", TRACE)
def test_every_sentence_of_the_response_is_labelled_once(sample):
    sentences = DocumentSentencizer().sentencize_response(sample.response)

    assert [support.key for support in sample.labels.sentence_support] == [
        sentence.key for sentence in sentences
    ]


@pytest.mark.parametrize("sample", TRACE)
def test_the_gold_labels_follow_their_own_rules(sample):
    labels = sample.labels
    unsupported = [
        support for support in labels.sentence_support if support.support is Support.NONE
    ]
    supporting = {key for support in labels.sentence_support for key in support.supporting_keys}

    assert not [support.key for support in unsupported if support.supporting_keys]
    assert supporting == set(labels.utilized_keys)
    assert len(set(labels.relevant_keys)) == len(labels.relevant_keys)
    assert sample.ground_truth


def test_the_heuristic_reads_chinese_sentences():
    support = {}
    for sample in bundled()[CHINESE_TRACE].samples:
        labels = from_score(TRACEEvaluator().score(sample), sample).labels
        support[sample.id] = [label.support for label in labels.sentence_support]
    full, partial, none = Support.FULL, Support.PARTIAL, Support.NONE
    assert support["zh-grounded-3"] == [full, full]
    assert support["zh-invented-1"] == [full, full, none]
    # 29 stands nowhere, 140 does.
    assert support["zh-numbers-1"] == [partial, full]
