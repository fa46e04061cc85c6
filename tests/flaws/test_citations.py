"""Citations held against labels: cases worked out by hand."""

from __future__ import annotations

import pytest

from evaluators.flaws.citations import (
    MOST_OF_A_MARK,
    MOST_READ,
    Carries,
    citations,
    first_number,
    numbers_cited,
)
from evaluators.records import Labels, SentenceSupport, Support
from evaluators.text.sentences import cut

DOCUMENTS = ["Paris is in France.", "Rome is in Italy.", "Bern is in Switzerland."]
RIGHT, OTHER, NOTHING, FABRICATED = Carries


def cited(answer, carried, sources=(), first=1):
    """The citations of an answer whose sentences are carried by these keys; by none without."""
    sentences = cut(answer, DOCUMENTS)
    support = [
        SentenceSupport(
            key=sentence.key,
            support=Support.FULL if keys else Support.NONE,
            supporting_keys=tuple(keys),
        )
        for sentence, keys in zip(sentences.response, carried, strict=True)
    ]
    return citations(sentences, Labels(sentence_support=tuple(support)), sources, first)


@pytest.mark.parametrize(
    ("answer", "carried", "expected"),
    [
        ("Paris lies in France [1].", [["0a"]], [(0, RIGHT)]),
        ("Paris lies in France [2].", [["0a"]], [(1, OTHER)]),
        ("Paris lies in Spain [1].", [[]], [(0, NOTHING)]),
        ("Paris lies in France [4].", [["0a"]], [(None, FABRICATED)]),
        ("Paris lies in France [0].", [["0a"]], [(None, FABRICATED)]),
        ("Paris lies in France [99].", [["0a"]], [(None, FABRICATED)]),
        ("Paris and Rome are towns [1, 2].", [["0a", "1a"]], [(0, RIGHT), (1, RIGHT)]),
        ("All three are towns [1-3].", [["0a"]], [(0, RIGHT), (1, OTHER), (2, OTHER)]),
        ("Paris and Rome are towns [1][2].", [["0a"]], [(0, RIGHT), (1, OTHER)]),
        ("Paris lies in France [^1].", [["0a"]], [(0, RIGHT)]),
        ("Paris lies in France (Doc 1).", [["0a"]], [(0, RIGHT)]),
        ("Paris and Rome are towns (Documents 1 and 2).", [["0a"]], [(0, RIGHT), (1, OTHER)]),
        ("Paris lies in France (Doc 1, p. 3).", [["0a"]], [(0, RIGHT)]),
        ("Paris lies in France [1](https://example.org/3).", [["0a"]], [(0, RIGHT)]),
        ("巴黎在法国【1】。", [["0a"]], [(0, RIGHT)]),
        ("巴黎在法国【1†source】。", [["0a"]], [(0, RIGHT)]),
        ("巴黎在法国（文档2）。", [["0a"]], [(1, OTHER)]),
        ("Paris lies in France.¹", [["0a"]], [(0, RIGHT)]),
        # Of a formula, a value, a year and a page none is a citation.
        ("The result is [1, 2].", [["0a"]], []),
        ("Here f(1) = 2 holds.", [["0a"]], []),
        ("It was so in 1990 (page 3).", [["0a"]], []),
        ("The score is (1).", [["0a"]], []),
    ],
)
def test_each_way_to_cite_is_held_against_the_labels(answer, carried, expected):
    found = cited(answer, carried).citations
    assert [(one.document, one.carries) for one in found] == expected


def test_a_citation_behind_the_stop_belongs_to_the_sentence_before():
    found = cited("Paris lies in France. [1] Rome lies in Italy. [2]", [["0a"], ["1a"]])
    assert [(one.key, one.carries) for one in found.citations] == [("a", RIGHT), ("b", RIGHT)]


def test_files_are_known_by_the_names_of_their_sources():
    sources = ["data/france.pdf, page 1", "italy.pdf", "swiss.pdf"]
    answer = "Paris lies in France (france.pdf, p. 3). Rome lies in Italy [spain.pdf]."
    found = cited(answer, [["0a"], ["1a"]], sources)
    assert [one.carries for one in found.citations] == [RIGHT, FABRICATED]


def test_a_file_whose_document_nobody_can_name_is_not_judged():
    assert cited("Paris lies in France (france.pdf).", [["0a"]]).citations == ()


def test_precision_and_recall_are_counted_by_hand():
    # a: right and wrong, b: none, c: not supported and cited, d: claims nothing
    answer = "Paris lies in France [1][2]. Rome lies in Italy. Bern lies in Peru [3]. ## Sources"
    found = cited("\n".join(answer.split(". ")), [["0a"], ["1a"], [], []])
    assert found.precision == 1 / 3
    assert found.claims == ("a", "b")
    assert found.recall == 1 / 2
    assert found.uncited == ("b",)


def test_an_answer_that_cites_nothing_has_neither():
    found = cited("Paris lies in France.", [["0a"]])
    assert (found.precision, found.recall, found.uncited) == (None, None, ())


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([("It is so [1].", 3)], 1),
        ([("It is so [0].", 3), ("It is so [2].", 3)], 0),
        # Document 3 of 3: the 0 is a slip.
        ([("It is so [0].", 3), ("It is so [3].", 3)], 1),
        ([("It is so.", 3)], 1),
        ([], 1),
    ],
)
def test_documents_count_from_0_where_the_answers_do(answers, expected):
    assert first_number((numbers_cited(text), count) for text, count in answers) == expected


def test_citations_that_count_from_0_name_the_first_document_by_it():
    found = cited("Paris lies in France [0]. Rome lies in Italy [2].", [["0a"], ["1a"]], first=0)
    assert [one.carries for one in found.citations] == [RIGHT, OTHER]


@pytest.mark.parametrize(
    "answer",
    [
        "Paris lies in France. " + "[1]" * 20_000,
        "Paris lies in France. " + "[1] and so on. " * 5_000,
        "Paris lies in France" + "[1-10]" * 200 + ".",
    ],
)
def test_of_very_many_citations_the_first_are_read(answer):
    sentences = len(cut(answer, DOCUMENTS).response)

    assert len(cited(answer, [["0a"]] * sentences).citations) == MOST_READ


def test_a_citation_is_told_as_far_as_it_can_be_read():
    found = cited("Paris lies in France" + "¹²³" * 60_000 + ".", [["0a"]])

    assert len(found.citations) == MOST_READ
    assert {len(one.words) for one in found.citations} == {MOST_OF_A_MARK}


def test_of_two_documents_from_one_file_the_first_is_named():
    found = cited("Rome lies in Italy [a.pdf].", [["1a"]], ["b.pdf", "x/a.pdf", "a.pdf, page 2"])

    assert [(one.document, one.carries) for one in found.citations] == [(1, RIGHT)]
