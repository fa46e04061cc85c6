"""Terms, their weights, and how alike two texts are."""

import math
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from evaluators.errors import ParameterError
from evaluators.text.similarity import (
    STOP,
    Rows,
    Vocabulary,
    content_words,
    cosine,
    coverage,
    embedder,
    incidence,
    rarities,
    rarity,
    term_sets,
    terms,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("learns learned learning", ["learn"] * 3),
        ("The cat", [STOP, "cat"]),
        ("It costs 1,000.5 EUR.", [STOP, "cost", "1000.5", "eur"]),
        ("Ｐａｒｉｓ", ["pari"]),
        ("Café MÜLLER", ["café", "müll"]),
        ("", []),
        ("…!?", []),
    ],
)
def test_a_word_becomes_its_stem_and_a_stop_word_nothing(text, expected):
    assert terms(text) == expected


def test_chinese_characters_become_pairs_and_function_characters_nothing():
    assert terms("巴黎是首都。") == ["巴黎", "黎", STOP, "首都", "都"]


@pytest.mark.parametrize(
    ("text", "by_term"),
    [
        ("Flooded roads: the Flood!", {"flood": "Flooded", "road": "roads"}),
        ("In 1,200 years", {"1200": "1,200", "year": "years"}),
        (
            "我们淹没了广场",
            {
                "我们": "我们",
                "们淹": "们淹",
                "淹没": "淹没",
                "没": "没",
                "广场": "广场",
                "场": "场",
            },
        ),
        # In lower case İ is two characters, after which the word ends.
        ("İzmir", {"zmir": "zmir"}),
        ("It is what it is.", {}),
    ],
)
def test_content_words_are_told_by_their_terms_as_they_are_written_first(text, by_term):
    assert content_words(text) == by_term


def test_chinese_and_english_stand_side_by_side():
    assert terms("北京 2022 Olympics") == ["北京", "京", "2022", "olympic"]


def test_the_rarer_term_weighs_more_and_one_that_no_text_holds_the_most():
    vocabulary = Vocabulary()
    texts = vocabulary.numbered([["cat", "sit", "cat"], ["cat"], [STOP], []])
    vocabulary.numbered([["never seen"]])
    weights = rarities(texts.distinct(vocabulary.size), vocabulary.size)
    assert weights.tolist() == pytest.approx(
        [math.log(1 + 4 / 2.5), math.log(1 + 4 / 1.5), math.log(1 + 4 / 0.5)], abs=1 / 256
    )


def test_sums_of_rarities_and_their_squares_do_not_hang_on_the_order_of_the_terms():
    random = np.random.default_rng(0)
    weights = np.array([rarity(50, held) for held in range(40)], np.float32)
    texts = (random.random((30, 40)) < 0.8).astype(np.float32)
    lengths = np.ones(30, np.float32)
    for _ in range(20):
        order = random.permutation(40)
        as_it_is, otherwise = texts, texts[:, order]
        for one, other in (
            (coverage(as_it_is, as_it_is, weights), coverage(otherwise, otherwise, weights[order])),
            (
                cosine(Rows(as_it_is, lengths), Rows(as_it_is, lengths), weights),
                cosine(Rows(otherwise, lengths), Rows(otherwise, lengths), weights[order]),
            ),
        ):
            assert (one == other).all()


def test_terms_are_numbered_in_the_order_of_appearance_and_a_stop_word_is_none():
    vocabulary = Vocabulary()
    texts = vocabulary.numbered([["cat", "sit", STOP], [], ["cat", "mat"]])
    assert vocabulary == {STOP: -1, "cat": 0, "sit": 1, "mat": 2}
    assert (vocabulary.size, texts.height) == (3, 3)
    assert texts.terms.tolist() == [0, 1, -1, 0, 2]
    assert texts.texts.tolist() == [0, 0, 0, 2, 2]


EQUAL = np.ones(3, np.float32)


def sets_of(*texts):
    """The texts over "cat", "sit" and "mat", where every word has a weight of 1."""
    vocabulary = Vocabulary()
    vocabulary.numbered([["cat", "sit", "mat"]])
    distinct = vocabulary.numbered(texts).distinct(20)
    return term_sets(distinct, np.ones(20), 3)


def rows(*texts):
    sets = sets_of(*texts)
    return Rows(incidence(sets.texts, sets.columns, (len(texts), 3)), sets.lengths)


def test_a_text_is_the_terms_of_the_vocabulary_that_it_holds_each_once():
    sets = sets_of(["cat", "dog", STOP, "cat"], [], ["mat", "sit"])
    assert sets.texts.tolist() == [0, 2, 2]
    assert sets.columns.tolist() == [0, 1, 2]
    assert sets.lengths.tolist() == pytest.approx([math.sqrt(2), 0, math.sqrt(2)])
    assert sets.sums(np.array([1, 10, 100], np.float32)).tolist() == [1, 0, 110]


def test_a_part_of_the_texts_is_numbered_from_0_again():
    part = sets_of(["cat"], ["mat"], [], ["sit", "cat"], ["mat"]).part(1, 4)
    assert part.texts.tolist() == [0, 2, 2]
    assert part.columns.tolist() == [2, 0, 1]
    assert part.lengths.tolist() == pytest.approx([1, 0, math.sqrt(2)])
    assert part.weighted(np.array([5, 6, 7], np.float32)).tolist() == [5, 6, 7]
    assert part.part(1, 2).weighted(EQUAL).tolist() == [0, 0, 0]


def test_coverage_is_the_share_of_weight_that_the_other_text_holds():
    table = rows(["cat", "sit", "mat"], ["cat", "cat"]).incidence
    found = coverage(table, table, np.array([2, 1, 1], np.float32))
    assert found.tolist() == [[1.0, 1.0], [0.5, 1.0]]


def test_cosine_counts_the_words_outside_the_vocabulary_in_the_length():
    """Four words that weigh 1 each have length 2; one of them is shared: 1 / (2 * 1)."""
    assert cosine(rows(["cat", "dog", "cow", "hen"]), rows(["cat"]), EQUAL).tolist() == [[0.5]]


def test_a_text_without_terms_is_like_nothing():
    empty = rows([])
    assert coverage(empty.incidence, empty.incidence, EQUAL).tolist() == [[0.0]]
    assert cosine(empty, empty, EQUAL).tolist() == [[0.0]]


def test_lexical_needs_no_embedding():
    assert embedder("lexical") is None


def test_an_unknown_embedding_names_the_choices():
    with pytest.raises(ParameterError, match="Use 'lexical' or a name like sentence-transformers/"):
        embedder("word2vec")


@pytest.mark.skipif(
    find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed"
)
def test_a_missing_package_is_named_with_the_command_that_installs_it():
    with pytest.raises(ParameterError, match=r'pip install "sentence-transformers==6\.2\.0"'):
        embedder("sentence-transformers/all-mpnet-base-v2")


FAKE_PACKAGE = """
import numpy
LOADED = []
class SentenceTransformer:
    def __init__(self, name):
        if name.endswith("broken"):
            raise OSError("no such model")
        LOADED.append(name)
    def encode(self, texts, normalize_embeddings):
        return numpy.array([[1.0, 0.0] if "car" in text else [0.0, 1.0] for text in texts])
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A stand-in `sentence_transformers`: texts with "car" point one way, all others another."""
    (tmp_path / "sentence_transformers.py").write_text(FAKE_PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    yield
    sys.modules.pop("sentence_transformers", None)


@pytest.mark.usefixtures("package")
def test_a_model_is_loaded_once_per_name():
    embed = embedder("sentence-transformers/once")
    assert embedder("sentence-transformers/once") is embed
    assert sys.modules["sentence_transformers"].LOADED == ["sentence-transformers/once"]
    assert embed(["a car", "a tree"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.usefixtures("package")
def test_a_model_that_cannot_be_loaded_is_named_with_the_remedy():
    with pytest.raises(ParameterError, match="no such model"):
        embedder("sentence-transformers/broken")
