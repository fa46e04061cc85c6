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
ROWS = [row for name in BEDS for row in bundled()[name].rows]
TRACE = [sample for name in (TRACE_SAMPLES, CHINESE_TRACE) for sample in bundled()[name].samples]
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


def is_complete(row):
    spellings = [spelling for group in groups(row.answer) for spelling in group]
    return row.query.strip() and row.negative and positives(row) and all(map(str.strip, spellings))


def positives(row):
    return row.positive or row.positive_wrong


def is_answered_by_every_positive(row):
    if Ability.INTEGRATION not in row.abilities:
        return all(holds(text, group) for text in row.positive for group in groups(row.answer))
    return len(row.positive) == len(groups(row.answer)) and all(
        holds(text, spellings)
        for texts, spellings in zip(row.positive, groups(row.answer), strict=True)
        for text in texts
    )


def is_answered_by_no_negative(row):
    return not any(holds(text, group) for text in row.negative for group in groups(row.answer))


def holds_no_document_twice(row):
    texts = [
        text for group in row.positive for text in ([group] if isinstance(group, str) else group)
    ]
    return len({*texts, *row.negative}) == len(texts) + len(row.negative)


def fills_five_passages_with_either_kind(row):
    return Ability.NOISE not in row.abilities or min(len(row.positive), len(row.negative)) >= 5


def plants_the_error_in_place_of_the_truth_in_every_document(row):
    if Ability.COUNTERFACTUAL not in row.abilities:
        return True
    (planted,), (truth,) = groups(row.fakeanswer), groups(row.answer)
    return len(row.positive_wrong) == len(row.positive) and (
        all(holds(text, planted) and not holds(text, truth) for text in row.positive_wrong)
        and not any(holds(text, planted) for text in row.positive)
    )


def has_an_answer_that_is_judged_correct(row):
    answer = "; ".join(group[0] for group in groups(row.answer))
    return RGBEvaluator().is_correct(answer, row.answer)


@pytest.mark.parametrize(
    "rule",
    [
        is_complete,
        is_answered_by_every_positive,
        is_answered_by_no_negative,
        holds_no_document_twice,
        fills_five_passages_with_either_kind,
        plants_the_error_in_place_of_the_truth_in_every_document,
        has_an_answer_that_is_judged_correct,
    ],
)
def test_every_row_of_a_bed_keeps_the_rules_of_a_bed(rule):
    assert [(row.abilities[0], row.id) for row in ROWS if not rule(row)] == []


@pytest.mark.parametrize("name", BEDS)
def test_a_bed_reaches_every_nominal_noise_level(name):
    asked = compose(bundled()[name], [Ability.NOISE]).samples

    assert all(sample.rgb.effective_noise == pytest.approx(sample.rgb.noise) for sample in asked)
    assert {len(sample.retrieved_documents) for sample in asked} == {5}


def has_gold_keys_of_its_sentences(sample):
    sentences = DocumentSentencizer().sentencize_documents(sample.retrieved_documents)
    keys = {sentence.key for document in sentences for sentence in document}
    gold = {*sample.labels.relevant_keys, *sample.labels.utilized_keys}
    gold |= {key for support in sample.labels.sentence_support for key in support.supporting_keys}
    return gold <= keys


def labels_every_sentence_once(sample):
    sentences = DocumentSentencizer().sentencize_response(sample.response)
    labelled = [support.key for support in sample.labels.sentence_support]
    return labelled == [sentence.key for sentence in sentences]


def names_support_where_there_is_some(sample):
    labels = sample.labels
    supporting = {key for support in labels.sentence_support for key in support.supporting_keys}
    return (
        not any(s.supporting_keys for s in labels.sentence_support if s.support is Support.NONE)
        and supporting == set(labels.utilized_keys)
        and len(set(labels.relevant_keys)) == len(labels.relevant_keys)
        and sample.ground_truth
    )


@pytest.mark.parametrize(
    "rule",
    [
        has_gold_keys_of_its_sentences,
        labels_every_sentence_once,
        names_support_where_there_is_some,
    ],
)
def test_the_gold_labels_of_every_sample_keep_the_rules_of_labels(rule):
    assert [sample.id for sample in TRACE if not rule(sample)] == []


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
