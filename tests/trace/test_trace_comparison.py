"""Sentences compared block by block give what one large table gives, in little memory."""

import random
import tracemalloc

import numpy as np
import pytest

from evaluators.errors import DatasetError
from evaluators.records import Sentence, Sentences
from evaluators.text.chunking import units
from evaluators.text.similarity import rarity
from evaluators.trace.comparison import (
    LEAST_GAIN,
    MOST_CHARACTERS,
    MOST_EMBEDDED,
    MOST_EVIDENCE,
    MOST_SENTENCES,
    TABLE,
    Meaning,
    check_sentence_count,
    compare,
    words_of,
)
from evaluators.trace_evaluator import TRACEEvaluator

SMALL = (12, 9, 30)
"""Sentences of the documents and of the response, and words to choose from: one block."""
LARGE = (1300, 40, 900)
"""Many blocks, of several tables each."""


def texts(chance, count, words):
    return [" ".join(chance.choices(words, k=chance.randint(0, 9))) for _ in range(count)]


def material(seed, size):
    """Random sentences in three documents, some of them empty and some twice."""
    chance, (in_documents, in_response, count) = random.Random(seed), size
    words = [f"w{number}" for number in range(count)]
    flat = [
        Sentence(key=str(number), text=text)
        for number, text in enumerate(texts(chance, in_documents, words))
    ]
    cuts = sorted(chance.choices(range(in_documents), k=2))
    documents = (tuple(flat[: cuts[0]]), tuple(flat[cuts[0] : cuts[1]]), tuple(flat[cuts[1] :]))
    response = texts(chance, in_response, [*words, "elsewhere", "nowhere"])
    sentences = Sentences(
        documents=documents, response=tuple(Sentence(key=text, text=text) for text in response)
    )
    return words_of(sentences, " ".join(chance.choices(words, k=4)))


def embeddings(words, seed):
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(len(words.documents) + len(words.response) + 1, 8)).astype(
        np.float32
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Meaning(rows[: len(words.documents)], rows[len(words.documents) : -1], rows[-1:])


class Dense:
    """The plain computation: every text a row over all words, every likeness in one table."""

    def __init__(self, words, cut, meaning):
        everything = [
            term
            for text in [words.question, *words.response, *words.documents]
            for term in text
            if term
        ]
        self.columns = {term: column for column, term in enumerate(dict.fromkeys(everything))}
        known = {term for text in [words.question, *words.response] for term in text}
        held = [set(sentence) for sentence in words.documents]
        self.weights = np.array(
            [rarity(len(held), sum(term in text for text in held)) for term in self.columns]
        )
        self.looked_for = np.array([term in known for term in self.columns], bool)
        self.documents, self.response = self.rows(words.documents), self.rows(words.response)
        self.question = self.rows([words.question])
        self.whole = self.response.max(axis=0, initial=0)[None, :]
        flat = [term for sentence in words.documents for term in sentence]
        self.units = self.rows([flat[start:end] for start, end in cut])
        places = [place for document in words.places for place in document]
        self.holds = np.array(
            [[begin < end and finish > start for start, end in cut] for begin, finish in places]
        )

        self.carried = self.coverage(self.response, self.documents).T
        self.cosine = self.cosines(self.documents, self.response)
        self.question_cosine = self.cosines(self.documents, self.question)[:, 0]
        if meaning:
            self.carried = (
                self.carried + np.maximum(meaning.documents @ meaning.response.T, 0)
            ) / 2
            self.cosine = (self.cosine + np.maximum(meaning.documents @ meaning.response.T, 0)) / 2
            alike = np.maximum(meaning.documents @ meaning.question.T, 0)[:, 0]
            self.question_cosine = (self.question_cosine + alike) / 2

    def rows(self, texts):
        table = np.zeros((len(texts), len(self.columns)))
        for row, text in enumerate(texts):
            table[row, [self.columns[term] for term in text if term]] = 1
        return table

    def coverage(self, of, by):
        return (of * self.weights) @ by.T / np.maximum(of @ self.weights, 1e-6)[:, None]

    def cosines(self, left, right):
        lengths = (
            np.sqrt(left @ self.weights**2)[:, None] * np.sqrt(right @ self.weights**2)[None, :]
        )
        return (left * self.weights**2) @ right.T / np.maximum(lengths, 1e-6)

    def in_best_unit(self, row):
        return np.where(self.holds, self.coverage(row, self.units), 0).max(axis=1)

    def gains(self, claim, evidence):
        """What each document sentence would add to this evidence, beside the claim's weight."""
        missing = self.response[claim] * self.weights
        total = missing.sum()
        if not evidence:
            return self.carried[:, claim] * total, total
        return self.documents @ (missing * (1 - self.documents[evidence].max(axis=0))), total


CASES = [
    (SMALL, "dense", (50, 20)),
    (SMALL, "dense", (50, 49)),
    (SMALL, "sentence", (50, 0)),
    (SMALL, "document", (50, 0)),
    (LARGE, "dense", (500, 20)),
]


@pytest.mark.parametrize("has_meaning", [False, True])
@pytest.mark.parametrize(("size", "strategy", "window"), CASES)
def test_blocks_give_what_one_table_of_everything_gives(size, strategy, window, has_meaning):
    for seed in range(20 if size is SMALL else 1):
        words = material(seed, size)
        cut = [unit for place in words.places for unit in units(strategy, place, *window)]
        meaning = embeddings(words, seed) if has_meaning else None
        found, dense = compare(words, cut, meaning), Dense(words, cut, meaning)

        near = {"rtol": 1e-4, "atol": 1e-5}
        np.testing.assert_allclose(found.question_cosine, dense.question_cosine, **near)
        np.testing.assert_allclose(found.response_cosine, dense.cosine.max(axis=1), **near)
        np.testing.assert_allclose(
            found.response_share, dense.coverage(dense.whole, dense.documents)[0], **near
        )
        np.testing.assert_allclose(
            found.question_in_unit, dense.in_best_unit(dense.question), **near
        )
        np.testing.assert_allclose(found.response_in_unit, dense.in_best_unit(dense.whole), **near)
        assert found.whole_response_in_unit == pytest.approx(
            dense.coverage(dense.whole, dense.units).max(), abs=1e-4
        )
        assert found.response_terms == dense.whole.sum()
        np.testing.assert_allclose(found.claims.best_sentence, dense.carried.max(axis=0), **near)
        assert found.claims.words.tolist() == dense.response.sum(axis=1).tolist()
        check_evidence(found.claims, dense)


def check_evidence(claims, dense):
    """Each piece adds most, and enough; fewer than three are there where no other does."""
    for claim, evidence in enumerate(claims.evidence):
        for number, piece in enumerate(evidence):
            gains, total = dense.gains(claim, evidence[:number])
            assert gains[piece] == pytest.approx(gains.max(), rel=1e-4)
            assert gains[piece] >= LEAST_GAIN * total * 0.9999
        if len(evidence) < MOST_EVIDENCE:
            gains, total = dense.gains(claim, evidence)
            assert gains.max() <= LEAST_GAIN * total * 1.0001
        held = dense.documents[evidence].max(axis=0, initial=0) * dense.response[claim]
        assert claims.words_in_evidence[claim] == held.sum()


def test_the_large_case_has_more_than_one_table():
    assert LARGE[0] * LARGE[2] > TABLE > SMALL[0] * SMALL[2]


@pytest.mark.parametrize(
    ("documents", "response"),
    [((), ()), (((),), ("a claim",)), ((("",),), ("",)), ((("of the",),), ("with an",))],
)
def test_without_a_word_in_common_all_is_zero(documents, response):
    sentences = Sentences(
        documents=tuple(
            tuple(Sentence(key="k", text=text) for text in document) for document in documents
        ),
        response=tuple(Sentence(key="r", text=text) for text in response),
    )
    words = words_of(sentences, "")
    found = compare(
        words, [unit for place in words.places for unit in units("dense", place, 50, 0)]
    )
    assert found.claims.evidence == [[] for _ in response]
    assert found.whole_response_in_unit == 0
    assert not found.response_cosine.any()


def long_text(chance, count):
    def word():
        return "".join(chance.choices("bcdfghjklmnpqrtvwxz", k=5))

    return "".join(f"{word()} {word()} {word()}.\n" for _ in range(count))


def test_thousands_of_sentences_on_both_sides_need_little_memory():
    """As tables of sentences x words, these took 100 MB."""
    chance = random.Random(1)
    documents, response = long_text(chance, 1400), long_text(chance, 1400)
    TRACEEvaluator().evaluate("How?", "An answer.", ["A document."])  # imports the sentence cutter
    tracemalloc.start()
    TRACEEvaluator().evaluate("How tall?", response, [documents])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 25 * 2**20


SENTENCE = Sentence(key="a", text="A sentence.")


def many(in_documents, in_response):
    return Sentences(documents=((SENTENCE,) * in_documents,), response=(SENTENCE,) * in_response)


@pytest.mark.parametrize(
    ("sentences", "is_embedded", "message"),
    [
        (
            many(MOST_SENTENCES, 1),
            False,
            r"have 110,001 sentences, and the heuristic compares 110,000 at most. Shorten",
        ),
        (
            many(1, MOST_EMBEDDED),
            True,
            r"have 10,001 sentences, and with an embedding model .* 10,000 at most. Shorten",
        ),
        (
            Sentences(
                documents=(), response=(Sentence(key="a", text="a" * (MOST_CHARACTERS + 1)),)
            ),
            False,
            (
                r"have 2,500,001 characters, and the heuristic compares 2,500,000 at most. "
                r"Shorten them, or split the"
            ),
        ),
    ],
)
def test_a_sample_that_is_too_large_is_refused_with_the_remedy(sentences, is_embedded, message):
    with pytest.raises(DatasetError, match=message):
        check_sentence_count(sentences, is_embedded)


def test_a_sample_at_the_limit_is_taken():
    check_sentence_count(many(MOST_SENTENCES // 2, MOST_SENTENCES // 2), is_embedded=False)


def test_texts_that_are_too_long_are_refused_before_they_are_cut():
    with pytest.raises(DatasetError, match="2,500,001 characters"):
        TRACEEvaluator().evaluate("How?", "a", ["b " * (MOST_CHARACTERS // 2)])
