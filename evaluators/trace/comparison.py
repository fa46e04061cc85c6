"""What the TRACE heuristic compares: the sentences of a sample, block by block.

So no table grows with both sides.
Of the likeness of every document sentence with every response sentence only the maxima are kept,
and the few that are the evidence of a claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from evaluators.errors import DatasetError
from evaluators.records import Sentences
from evaluators.text.chunking import Span, spans
from evaluators.text.language import mark, say
from evaluators.text.similarity import (
    Embed,
    Matrix,
    Numbered,
    Numbers,
    Rows,
    TermSets,
    Vocabulary,
    cosine,
    coverage,
    distinct,
    incidence,
    rarities,
    ratio,
    term_sets,
    terms,
)

# 94 % of RAGBench's response sentences name no more than three.
MOST_EVIDENCE = 3
"""Document sentences that are the evidence of one claim."""
LEAST_GAIN = 0.2
"""The share of a claim's weight that each further sentence must add to be part of its evidence."""

# Half of them on each side is the worst: some 200 MB, and about a minute where all sentences share
# words. Two texts of a megabyte in sentences of three words have 108,000.
MOST_SENTENCES = 110_000
"""In documents and response together."""
# A cell of a file may have a megabyte: one for the documents, one for the response, and some room.
MOST_CHARACTERS = 2_500_000
"""In documents and response together."""
# Some minutes of work without a graphics card.
MOST_EMBEDDED = 10_000
"""Sentences that an embedding model reads for one sample."""

# With more, their tables grow faster than the work gets less.
CLAIMS = 16
"""Response sentences that are compared at a time."""
TABLE = 2**20
"""Numbers in the largest table of a block: 4 MB."""


class Words(NamedTuple):
    """The terms of one sample, sentence by sentence.

    Document sentences stand in one list through all documents.
    """

    documents: list[list[str]]
    places: list[list[Span]]
    """Per document, where its sentences lie in the words of all documents."""
    response: list[list[str]]
    question: list[str]


class Meaning(NamedTuple):
    """Embeddings, a row of length 1 for each sentence."""

    documents: Matrix
    response: Matrix
    question: Matrix


class Likeness(NamedTuple):
    """One sample compared. Per document sentence: its likeness to question and response, 0 to 1."""

    question_cosine: Matrix
    response_cosine: Matrix
    """With the response sentence that it is most like."""
    response_share: Matrix
    """How much of the whole response it holds."""
    question_in_unit: Matrix
    """How much of the question the best unit around it holds."""
    response_in_unit: Matrix
    shared_pairs: Numbers
    """Its pairs of neighbouring words that the response has as well."""
    claims: Claims
    whole_response_in_unit: float
    """How much of the whole response the best of all units holds."""
    response_terms: int


class Claims(NamedTuple):
    """Per response sentence: what it says, and its evidence in the documents."""

    best_sentence: Matrix
    """How much of it the document sentence holds that holds most."""
    nearest: list[int]
    """The document sentence that holds most of it; -1 where none holds anything."""
    evidence: list[list[int]]
    """Up to `MOST_EVIDENCE` document sentences, the best first, each adding `LEAST_GAIN`."""
    words: Numbers
    """Its content words."""
    words_in_evidence: Numbers
    """Those of them that stand in its evidence."""


def words_of(sentences: Sentences, question: str) -> Words:
    in_documents = chain.from_iterable(sentences.documents)
    documents = [terms(sentence.text) for sentence in in_documents]
    lengths = [len(sentence) for sentence in documents]
    places = iter(spans(lengths))
    by_document = []
    for document in sentences.documents:
        by_document.append(list(islice(places, len(document))))
    return Words(
        documents=documents,
        places=by_document,
        response=[terms(sentence.text) for sentence in sentences.response],
        question=terms(question),
    )


def check_text_length(texts: Iterable[str]) -> None:
    """Raises `DatasetError` where documents and response have more text than may be compared."""
    count = sum(map(len, texts))
    if count > MOST_CHARACTERS:
        raise DatasetError(
            say(
                "Documents and answer have {count:,} characters, and the heuristic compares "
                "{most:,} at most. Shorten them, or split the sample.",
                count=count,
                most=MOST_CHARACTERS,
            )
        )


def check_sentence_count(sentences: Sentences, is_embedded: bool) -> None:
    """Raises `DatasetError` where the sample has more sentences or text than may be compared."""
    both = [*chain.from_iterable(sentences.documents), *sentences.response]
    most = MOST_SENTENCES
    text = mark(
        "Documents and answer have {count:,} sentences, and the heuristic compares {most:,} at "
        "most. Shorten them, or split the sample."
    )
    if is_embedded:
        most = MOST_EMBEDDED
        text = mark(
            "Documents and answer have {count:,} sentences, and with an embedding model the "
            "heuristic compares {most:,} at most. Shorten them, or split the sample."
        )
    if len(both) > most:
        raise DatasetError(say(text, count=len(both), most=most))
    check_text_length(sentence.text for sentence in both)


def embedded(sentences: Sentences, question: str, embed: Embed) -> Meaning:
    documents = [sentence.text for sentence in chain.from_iterable(sentences.documents)]
    response = [sentence.text for sentence in sentences.response]
    rows = embed([*documents, *response, question])
    count = len(documents)
    return Meaning(
        documents=rows[:count],
        response=rows[count:-1],
        question=rows[-1:],
    )


def compare(
    words: Words,
    units: Sequence[Span],
    meaning: Meaning | None = None,
) -> Likeness:
    """The likeness of the sentences; with embeddings it is averaged with theirs."""
    vocabulary = Vocabulary()
    # All at once: for an ordinary sample, each further array takes as long as the work in it.
    texts = vocabulary.numbered([words.question, *words.response, *words.documents])
    size = vocabulary.size
    first_document = 1 + len(words.response)
    in_documents = texts.part(first_document, texts.height)
    # What only the documents hold has no column: nobody looks for it.
    width = 1 + int(texts.part(0, first_document).terms.max(initial=-1))
    held = texts.distinct(size)
    all_weights = rarities(held.part(first_document, texts.height), size)
    weights = all_weights[:width].astype(np.float32)
    sets = term_sets(held, all_weights, width)
    question = sets.part(0, 1)
    response = sets.part(1, first_document)
    documents = sets.part(first_document, texts.height)
    of_question = question.weighted(weights)
    of_response = response.weighted(weights)

    shared_with_question = documents.sums(of_question**2)
    question_cosine = ratio(shared_with_question, documents.lengths * question.lengths)
    if meaning:
        near_question = _embedding_cosines(meaning.documents, meaning.question)[:, 0]
        question_cosine = (question_cosine + near_question) / 2

    bounds = _bounds(units)
    in_units = _terms_in_units(in_documents.terms, bounds, width)
    question_by_unit = in_units.coverage(of_question)
    response_by_unit = in_units.coverage(of_response)
    around = _UnitsAround(_bounds(list(chain.from_iterable(words.places))), bounds)
    response_cosine, claims = _compare_blocks(documents, response, weights, meaning)
    return Likeness(
        question_cosine=question_cosine,
        response_cosine=response_cosine,
        response_share=ratio(documents.sums(of_response), of_response.sum()),
        question_in_unit=around.best(question_by_unit),
        response_in_unit=around.best(response_by_unit),
        shared_pairs=_shared_pairs(texts, first_document, size),
        claims=claims,
        whole_response_in_unit=float(response_by_unit.max(initial=0)),
        response_terms=int(np.count_nonzero(of_response)),
    )


def _shared_pairs(texts: Numbered, first_document: int, size: int) -> Numbers:
    pairs = _pairs(texts, size)
    of_response = pairs.part(1, first_document)
    of_documents = pairs.part(first_document, texts.height)
    # Before all of them stands what is no pair, so that there is one before every place.
    copied = distinct(np.append(of_response.terms, -1))
    place = copied.searchsorted(of_documents.terms, "right") - 1
    is_copied = copied[place] == of_documents.terms
    return np.bincount(of_documents.texts[is_copied], minlength=of_documents.height)


def _pairs(words: Numbered, size: int) -> Numbered:
    """The neighbouring words of each text, but for two of no content, a number for each pair."""
    left, right = words.terms[:-1], words.terms[1:]
    texts = words.texts[1:]
    is_pair = (words.texts[:-1] == texts) & ((left >= 0) | (right >= 0))
    pairs = (left + 1) * (size + 1) + right + 1
    return Numbered(texts[is_pair], pairs[is_pair], words.height)


# Units: only two texts are looked for in them, question and response


class _TermsInUnits(NamedTuple):
    """The terms that are looked for, each once in a unit.

    Units come in order, so that those which a word is the first of its term in stand in a row: they
    end after it, and begin after the same term came last. That takes as long as the words are many,
    however far the units overlap.
    """

    terms: Numbers
    """The term of each word."""
    first: Numbers
    """The first unit that the word is the first of its term in."""
    end: Numbers
    """The first unit after those."""
    units: int

    def coverage(self, weights: Matrix) -> Matrix:
        """The share of all these weights that each unit holds."""
        # One more than there are units: a stretch may end behind the last of them.
        count = self.units + 1
        begun = np.bincount(self.first, weights[self.terms], count)
        ended = np.bincount(self.end, weights[self.terms], count)
        held = np.cumsum(begun - ended)[:-1]
        return ratio(held.astype(np.float32), weights.sum())


def _terms_in_units(
    words: Numbers,
    units: tuple[Numbers, Numbers],
    width: int,
) -> _TermsInUnits:
    """`words` are the numbers of terms, of which those from 0 to `width` are looked for."""
    starts, ends = units
    position = ((words >= 0) & (words < width)).nonzero()[0]
    term = words[position]
    # Stable, so that the places of one term stay in the order of the text.
    order = np.argsort(term, kind="stable")
    earlier = order[:-1]
    later = order[1:]
    is_again = term[later] == term[earlier]
    # Where the same term came last; -1 lies before every unit.
    before = np.full(len(position), -1)
    before[later[is_again]] = position[earlier[is_again]]

    begin_later = starts.searchsorted(before, "right")
    end_later = ends.searchsorted(position, "right")
    first = np.maximum(begin_later, end_later)
    begin_before = starts.searchsorted(position, "right")
    return _TermsInUnits(term, first, np.maximum(begin_before, first), len(starts))


class _UnitsAround:
    """The units that each sentence lies in, at least in part."""

    def __init__(
        self,
        places: tuple[Numbers, Numbers],
        units: tuple[Numbers, Numbers],
    ) -> None:
        begins, finishes = places
        starts, ends = units
        first = ends.searchsorted(begins, "right")
        end = starts.searchsorted(finishes, "left")
        self._has_unit = first < end
        self._stretches = np.empty(2 * len(first), int)
        self._stretches[::2] = first
        self._stretches[1::2] = np.maximum(first, end)

    def best(self, values: Matrix) -> Matrix:
        """For each sentence the highest value of its units; 0 where it has none."""
        # `reduceat` also gives the stretch from each pair to the next: every other value is of
        # those. The 0 at the end is for a sentence behind the last unit, as no index may lie beyond
        # the array.
        nothing = np.float32(0)
        best = np.maximum.reduceat(np.append(values, nothing), self._stretches)[::2]
        return np.where(self._has_unit, best, nothing)


def _bounds(of: Sequence[Span]) -> tuple[Numbers, Numbers]:
    """Where they start, and where they end; two empty arrays where there are none."""
    starts, ends = np.array(of, int).reshape(-1, 2).T
    return starts, ends


# Document sentences with response sentences


class _Block(NamedTuple):
    """Some response sentences over their own terms, and the document sentences beside them."""

    claims: Rows
    weights: Matrix
    sentences: Numbers
    """The document sentences, ascending.

    Without embeddings these are only those that hold a term of the claims.
    """
    lengths: Matrix
    places: Numbers
    """Where among them, and in which column, a term of the claims stands."""
    columns: Numbers

    def tables(self) -> Iterator[tuple[slice, Matrix]]:
        """The document sentences over the terms of the claims, table by table."""
        width = len(self.weights)
        height = max(1, TABLE // max(width, CLAIMS))
        for start in range(0, len(self.sentences), height):
            end = min(start + height, len(self.sentences))
            of_part = slice(*self.places.searchsorted([start, end]))
            rows = self.places[of_part] - start
            columns = self.columns[of_part]
            yield slice(start, end), incidence(rows, columns, (end - start, width))


class _BestSentences:
    """The document sentence that gives most to each claim, and the terms that it holds.

    Of equal sentences it is the first.
    """

    def __init__(self, claims: Matrix) -> None:
        self.gain = np.zeros(len(claims), np.float32)
        self.sentence = np.zeros(len(claims), int)
        self.terms = np.zeros(claims.shape, np.float32)

    def take(self, gains: Matrix, sentences: Numbers, table: Matrix) -> None:
        """Takes note of what the sentences of a table (rows) give to the claims (columns)."""
        row = gains.argmax(axis=0)
        every_claim = np.arange(gains.shape[1])
        gain = gains[row, every_claim]
        better = gain > self.gain
        better_row = row[better]
        self.gain[better] = gain[better]
        self.sentence[better] = sentences[better_row]
        self.terms[better] = table[better_row]


def _compare_blocks(
    documents: TermSets,
    response: TermSets,
    weights: Matrix,
    meaning: Meaning | None,
) -> tuple[Matrix, Claims]:
    """Per document sentence the cosine with its likest response sentence; and all of `Claims`."""
    cosines = np.zeros(documents.height, np.float32)
    best = np.zeros(response.height, np.float32)
    words_in_evidence = np.zeros(response.height, int)
    nearest: list[int] = []
    evidence: list[list[int]] = []
    has_meaning = meaning is not None
    for part, block in _blocks(documents, response, weights, has_meaning):
        claims = block.claims.incidence
        likest = _BestSentences(claims)
        total = claims @ block.weights
        tables = _kept(block)
        for rows, table in tables or block.tables():
            sentences = block.sentences[rows]
            in_table = Rows(table, block.lengths[rows])
            alike = cosine(in_table, block.claims, block.weights)
            shares = coverage(table, claims, block.weights)
            if meaning:
                near = _embedding_cosines(meaning.documents[sentences], meaning.response[part])
                alike = (alike + near) / 2
                shares = (shares + near) / 2
            best_of_sentence = alike.max(axis=1, initial=0)
            best_of_claim = shares.max(axis=0, initial=0)
            cosines[sentences] = np.maximum(cosines[sentences], best_of_sentence)
            best[part] = np.maximum(best[part], best_of_claim)
            likest.take(shares * total, sentences, table)
        nearest += np.where(likest.gain > 0, likest.sentence, -1).tolist()
        of_block, lacking = _collect_evidence(block, tables, likest, total)
        evidence += of_block
        words_in_evidence[part] = (claims - lacking).sum(axis=1)
    words = np.bincount(response.texts, minlength=response.height)
    return cosines, Claims(best, nearest, evidence, words, words_in_evidence)


def _blocks(
    documents: TermSets,
    response: TermSets,
    weights: Matrix,
    has_meaning: bool,
) -> Iterator[tuple[slice, _Block]]:
    """The response sentences part by part, with the document sentences to compare them with.

    A sample that fits into one table is one block over all its terms.
    """
    sentences: Numbers = np.arange(documents.height)
    height = max(documents.height, response.height)
    width = max(response.height, len(weights))
    if height * width <= TABLE:
        claims = incidence(response.texts, response.columns, (response.height, len(weights)))
        whole = _Block(
            claims=Rows(claims, response.lengths),
            weights=weights,
            sentences=sentences,
            lengths=documents.lengths,
            places=documents.texts,
            columns=documents.columns,
        )
        yield slice(0, response.height), whole
        return
    for start in range(0, response.height, CLAIMS):
        end = min(start + CLAIMS, response.height)
        part = slice(start, end)
        own = _places_of_terms(response, part)
        terms = distinct(response.columns[own])
        # Embeddings can be alike without a common word: then all sentences are compared.
        if not has_meaning:
            is_own = np.zeros(len(weights), bool)
            is_own[terms] = True
            sentences = distinct(documents.texts[is_own[documents.columns]])
        yield part, _block(documents, response, part, weights, terms, sentences)


def _block(
    documents: TermSets,
    response: TermSets,
    part: slice,
    weights: Matrix,
    terms: Numbers,
    sentences: Numbers,
) -> _Block:
    """A part of the response over these terms, with these sentences of the documents."""
    # By their numbers in the whole sample, where the terms and sentences stand in the block.
    column = np.full(len(weights), -1)
    column[terms] = np.arange(len(terms))
    place = np.full(documents.height, -1)
    place[sentences] = np.arange(len(sentences))

    own = _places_of_terms(response, part)
    shape = (part.stop - part.start, len(terms))
    rows = response.texts[own] - part.start
    claims = incidence(rows, column[response.columns[own]], shape)
    columns = column[documents.columns]
    is_shared = columns >= 0
    return _Block(
        claims=Rows(claims, response.lengths[part]),
        weights=weights[terms],
        sentences=sentences,
        lengths=documents.lengths[sentences],
        places=place[documents.texts[is_shared]],
        columns=columns[is_shared],
    )


def _places_of_terms(response: TermSets, part: slice) -> slice:
    """Where the terms of these texts stand."""
    return slice(*response.texts.searchsorted([part.start, part.stop]))


def _kept(block: _Block) -> list[tuple[slice, Matrix]]:
    """The table of a block that has only one; none where it has more.

    It is then not made again for every piece of evidence.
    """
    width = max(len(block.weights), CLAIMS)
    is_one_table = len(block.sentences) * width <= TABLE
    return list(block.tables()) if is_one_table else []


def _collect_evidence(
    block: _Block,
    tables: list[tuple[slice, Matrix]],
    best: _BestSentences,
    total: Matrix,
) -> tuple[list[list[int]], Matrix]:
    """The evidence of each claim, and the terms of the claim that it lacks.

    After the best sentence comes the one that adds most to those before.
    """
    claims = block.claims.incidence
    evidence: list[list[int]] = [[] for _ in claims]
    lacking = claims.copy()
    rows: Numbers = np.arange(len(claims))
    for number in range(MOST_EVIDENCE):
        adds_enough = best.gain > LEAST_GAIN * total[rows]
        rows = rows[adds_enough]
        for row, sentence in zip(rows.tolist(), best.sentence[adds_enough].tolist(), strict=True):
            evidence[row].append(sentence)
        lacking[rows] *= 1 - best.terms[adds_enough]
        if number == MOST_EVIDENCE - 1 or not len(rows):
            break
        # Only what is still missing counts: a second sentence that says the same adds nothing.
        missing = lacking[rows] * block.weights
        best = _BestSentences(missing)
        for part, table in tables or block.tables():
            best.take(table @ missing.T, block.sentences[part], table)
    return evidence, lacking


def _embedding_cosines(left: Matrix, right: Matrix) -> Matrix:
    """The cosines of embeddings; a negative one counts as 0."""
    likeness: Matrix = np.maximum(left @ right.T, 0)
    return likeness
