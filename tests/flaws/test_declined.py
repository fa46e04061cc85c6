"""Answered or declined, and whether the documents hold the answer: cases worked out by hand."""

from __future__ import annotations

import pytest

from evaluators.flaws.declined import Basis, Evidence, declines, evidence_for
from evaluators.flaws.facts import facts_of
from evaluators.records import Ability, DocumentRole, Labels, RGBTask, Sample
from evaluators.text.sentences import split_sentences

DOCUMENTS = ("The tower was finished in 1889. It stands in Paris.", "Rome is old.")
RELEVANT = Labels(relevant_keys=("0a",))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The documents do not mention when it was built.", True),
        ("I cannot answer this from the documents. They are about the weather.", True),
        ("I don't know.", True),
        ("Insufficient information.", True),
        ("The context does not say. It only describes the garden.", True),
        ("文档没有提到这一点。", True),
        ("文档信息不足，无法回答。", True),
        ("Paris.", False),
        ("The documents do not say, but it is Paris.", False),
        ("The documents do not say so. However, it is known to be Paris.", False),
        ("文档没有提到。但是答案是巴黎。", False),
        ("It was built in 1889. The documents do not say by whom.", False),
        ("The cause is unknown.", False),
        ("Diabetes is a disease in which the body is unable to store sugar.", False),
        ("It is not possible to determine this.", True),
        ("As a model I cannot give an opinion. However, both were influential.", False),
        ("**Note:** The documents do not mention it.", True),
        ("", False),
        ("...", False),
    ],
)
def test_an_answer_is_declined_by_what_it_claims_first(answer, expected):
    assert declines(split_sentences(answer)) is expected


@pytest.mark.parametrize(
    ("truth", "labels", "expected"),
    [
        ("1889", None, Evidence(True, Basis.TRUTH)),
        ("1890", None, Evidence(False, Basis.TRUTH)),
        # The true answer decides, whatever the labels say.
        ("1890", RELEVANT, Evidence(False, Basis.TRUTH)),
        ((("1890", "1889"),), None, Evidence(True, Basis.TRUTH)),
        # Of two required answers one is there: it says half of it.
        (("1889", "Eiffel"), None, Evidence(True, Basis.TRUTH)),
        (("1890", "Eiffel"), None, Evidence(False, Basis.TRUTH)),
        (
            "The tower was finished in 1889 by the company of Eiffel.",
            None,
            Evidence(False, Basis.TRUTH),
        ),
        ("The tower was finished in 1889. Eiffel died in 1923.", None, Evidence(True, Basis.TRUTH)),
        # "18" stands within "1889".
        ("18", None, Evidence(False, Basis.TRUTH)),
        # A yes stands anywhere, or nowhere.
        ("Yes", RELEVANT, Evidence(True, Basis.LABELS)),
        ("no.", Labels(), Evidence(False, Basis.LABELS)),
        (None, RELEVANT, Evidence(True, Basis.LABELS)),
        (None, None, None),
        ("?", None, None),
    ],
)
def test_whether_documents_hold_the_answer_is_told_by_truth_then_by_labels(truth, labels, expected):
    sample = Sample(id="s", question="?", retrieved_documents=DOCUMENTS, ground_truth=truth)
    assert evidence_for(sample, labels, facts_of(sample)) == expected


def test_chinese_truths_are_found_inside_a_text_without_blanks():
    sample = Sample(
        id="s", question="?", retrieved_documents=("埃菲尔铁塔在巴黎。",), ground_truth="巴黎"
    )
    assert evidence_for(sample, None, facts_of(sample)) == Evidence(True, Basis.TRUTH)


def test_without_documents_nothing_tells():
    sample = Sample(id="s", question="?", retrieved_documents=(" ",), ground_truth="1889")
    assert evidence_for(sample, RELEVANT, facts_of(sample)) is None


@pytest.mark.parametrize(
    ("ability", "roles", "expected"),
    [
        (Ability.NOISE, (DocumentRole.BESIDE, DocumentRole.ANSWER), Evidence(True, Basis.ROLES)),
        (Ability.REJECTION, (DocumentRole.BESIDE,) * 2, Evidence(False, Basis.ROLES)),
        # The answer stands there, and is wrong on purpose.
        (Ability.COUNTERFACTUAL, (DocumentRole.PLANTED, DocumentRole.BESIDE), None),
    ],
)
def test_a_test_bed_knows_what_each_document_is_for(ability, roles, expected):
    sample = Sample(
        id="s",
        question="?",
        retrieved_documents=DOCUMENTS,
        ground_truth="1890",
        rgb=RGBTask(ability=ability),
        roles=roles,
    )
    assert evidence_for(sample, RELEVANT, facts_of(sample)) == expected
