"""Documents are cut as documented, ranked for each question, and keep where they stood."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from evaluators.datasets.bundled import CHINESE_BED, ENGLISH_BED, bundled
from evaluators.errors import DatasetError, ParameterError
from evaluators.records import Labels, Sample
from evaluators.retrieval.dataset import Settings, chunks, retrieve
from evaluators.retrieval.documents import Document, document
from evaluators.retrieval.index import BM25Index, EmbeddingIndex
from tests.retrieval import files

LINE = Document("line.txt", "The plumb line hangs from a point. It shows what is vertical.")
LEVEL = Document(
    "level.txt", "The spirit level holds a bubble in a tube. It shows what is horizontal."
)
BY_SENTENCE = Settings(chunking_strategy="sentence", k=2)


def ask(*questions):
    return [
        Sample(id=str(number), question=question)
        for number, question in enumerate(questions, start=1)
    ]


def silent(share):
    pass


@pytest.mark.parametrize(
    ("settings", "cut"),
    [
        (
            Settings(chunking_strategy="sentence"),
            [
                ("The plumb line hangs from a point.", "line.txt, part 1 of 2"),
                ("It shows what is vertical.", "line.txt, part 2 of 2"),
            ],
        ),
        (Settings(chunking_strategy="document"), [(LINE.text, "line.txt")]),
        (Settings(chunking_strategy="dense"), [(LINE.text, "line.txt")]),
    ],
)
def test_a_document_is_cut_by_the_strategy(settings, cut):
    assert chunks([LINE], settings) == cut


def test_windows_count_words_and_overlap():
    text = " ".join(f"w{number}" for number in range(1, 101))

    first, second = chunks([Document("a", text)], Settings(chunk_size=60, chunk_overlap=10))

    assert (first.text.split()[0], first.text.split()[-1]) == ("w1", "w60")
    assert (second.text.split()[0], second.text.split()[-1]) == ("w51", "w100")


def test_a_chunk_is_the_text_as_it_stands_and_a_chinese_character_is_a_word():
    text = "铅垂线，\n显示 what is vertical。" * 10

    first, *_ = chunks([Document("a", text)], Settings(chunk_size=50, chunk_overlap=0))

    assert text.startswith(first.text)
    assert first.text.endswith("。铅垂")  # eight words a time: 铅 垂 线， 显 示 what is vertical。


@pytest.mark.parametrize("strategy", ["sentence", "dense"])
def test_a_chunk_of_a_pdf_knows_its_pages(strategy):
    pages = [
        [f"Page {name} has words of its own, which are {name}." for _ in range(8)]
        for name in ("one", "two")
    ]

    settings = Settings(chunking_strategy=strategy, chunk_overlap=0, chunk_size=50)
    cut = chunks([document("a.pdf", files.pdf(*pages))], settings)

    held = {
        (True, False): "a.pdf, page 1",
        (False, True): "a.pdf, page 2",
        (True, True): "a.pdf, pages 1-2",
    }
    assert [chunk.source for chunk in cut] == [
        held["one" in chunk.text, "two" in chunk.text] for chunk in cut
    ]
    assert ("a.pdf, pages 1-2" in {chunk.source for chunk in cut}) == (strategy == "dense")


def test_two_documents_of_one_name_are_told_apart():
    cut = chunks([LINE, Document("line.txt", "Other.")], Settings(chunking_strategy="document"))

    assert [chunk.source for chunk in cut] == ["line.txt", "line.txt (2)"]


def test_each_question_gets_its_best_chunks_with_their_sources():
    found = retrieve([LINE, LEVEL], ask("What is vertical?", "Where is the bubble?"), BY_SENTENCE)

    first, second = found.samples
    assert first.retrieved_documents == ("It shows what is vertical.",)
    assert first.sources == ("line.txt, part 2 of 2",)
    assert second.retrieved_documents == ("The spirit level holds a bubble in a tube.",)


def test_the_ranking_is_bm25_worked_out_by_hand():
    texts = ["line line", "line bubble", "tube tube"]
    frequency = math.log(
        1 + (3 - 2 + 0.5) / (2 + 0.5)
    )  # of "line", in two of three texts, each of mean length
    twice, once = 2 / (2 + 1.5), 1 / (1 + 1.5)

    scores = BM25Index(texts, silent)._ranking.get_scores([0])

    assert scores.tolist() == pytest.approx([frequency * twice, frequency * once, 0])
    assert BM25Index(texts, silent).best("the line", 5) == [0, 1]
    assert BM25Index(texts, silent).best("the line", 1) == [0]


def test_of_equal_chunks_the_earlier_comes_first():
    assert BM25Index(["a tube"] * 50 + ["a line"], silent).best("tube", 3) == [0, 1, 2]


@pytest.mark.parametrize("question", ["", "?", "the of and", "zzz qqq"])
def test_a_question_without_a_shared_word_finds_nothing(question):
    assert BM25Index(["the line", "a tube"], silent).best(question, 3) == []


def test_embeddings_rank_by_cosine():
    rows = {"up": [1.0, 0.0], "down": [-1.0, 0.0], "near": [0.6, 0.8]}

    index = EmbeddingIndex(
        ["down", "near", "up"], lambda texts: np.array([rows[text] for text in texts]), silent
    )

    assert index.best("up", 2) == [2, 1]
    assert index.best("up", 9) == [2, 1, 0]


@pytest.mark.parametrize("name", [ENGLISH_BED, CHINESE_BED])
def test_the_documents_of_a_test_bed_are_found_for_their_question(name):
    rows = [
        row for row in bundled()[name].rows if row.positive and isinstance(row.positive[0], str)
    ]
    texts = list(dict.fromkeys(text for row in rows for text in (*row.positive, *row.negative)))
    documents = [Document(f"{number}", text) for number, text in enumerate(texts)]

    found = retrieve(
        documents, [Sample(id=row.id, question=row.query) for row in rows], Settings(k=3)
    )

    pairs = zip(rows, found.samples, strict=True)
    hits = [not set(row.positive).isdisjoint(sample.retrieved_documents) for row, sample in pairs]
    assert sum(hits) >= 0.9 * len(hits)


def test_what_is_known_of_a_question_stays_and_labels_of_other_documents_do_not():
    question = Sample(
        id="q", question="What is vertical?", response="The line.", ground_truth="A line.", generator="m",
        gold_documents=("gold",), retrieved_documents=("old",), sources=("old.txt",), labels=Labels(),
    )  # fmt: skip

    [sample] = retrieve([LINE], [question], Settings(chunking_strategy="document")).samples

    assert sample == question.model_copy(
        update={"retrieved_documents": (LINE.text,), "sources": ("line.txt",), "labels": None}
    )


def test_the_settings_are_the_origin_of_the_data_set():
    found = retrieve([LINE, LEVEL], ask("What?"), BY_SENTENCE)

    assert found.name == "line.txt and 1 more document"
    assert found.origin == {
        "retrieval": {
            "k": 2,
            "chunking_strategy": "sentence",
            "chunk_size": 120,
            "chunk_overlap": 20,
            "embedding_model": "lexical",
            "chunks": 4,
            "documents": [
                {"name": "line.txt", "characters": 61},
                {"name": "level.txt", "characters": 71},
            ],
        }
    }


def test_the_same_text_from_another_file_is_other_data_whose_sources_are_its_own():
    found = retrieve([LINE], ask("What is vertical?"), BY_SENTENCE)
    renamed = retrieve([Document("other.txt", LINE.text)], ask("What is vertical?"), BY_SENTENCE)

    assert found.samples[0].sources != renamed.samples[0].sources
    assert found.fingerprint != renamed.fingerprint


def test_the_same_input_gives_the_same_data_and_progress_goes_from_nothing_to_all():
    shares: list[float] = []

    first, second = (
        retrieve([LINE, LEVEL], ask("It?", "What tube?"), BY_SENTENCE, shares.append)
        for _ in range(2)
    )

    assert first == second
    assert shares[: len(shares) // 2] == sorted(shares[: len(shares) // 2])
    assert (shares[0], shares[-1]) == (0, 1)


@pytest.mark.parametrize(
    ("documents", "questions", "message"),
    [
        ([], ask("What?"), "There are no documents. Add at least one."),
        ([LINE], [], "There are no questions. Add at least one."),
        (
            [LINE] * 1001,
            ask("What?"),
            "1,001 documents; the limit is 1,000. Join or leave out some.",
        ),
        (
            [Document("a", "the of")],
            ask("What?"),
            "The documents hold no words to search for. Choose others.",
        ),
        (
            [Document("a", " \n")],
            ask("What?"),
            "The documents hold no words to search for. Choose others.",
        ),
        (
            [Document("a", "x" * 21_000_000)],
            ask("What?"),
            "The documents hold 21 million characters; the limit is 20 million.",
        ),
    ],
)
def test_what_cannot_be_retrieved_from_is_refused(documents, questions, message):
    with pytest.raises(DatasetError) as caught:
        retrieve(documents, questions)

    assert str(caught.value).startswith(message)


def test_a_data_set_that_would_become_too_large_is_refused(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_DECODED_BYTES", "100")

    with pytest.raises(DatasetError, match="Take fewer or smaller chunks per question"):
        retrieve([LINE], ask("What is vertical?", "What hangs?"))


def test_settings_out_of_range_and_models_that_are_not_there_are_refused():
    with pytest.raises(ValidationError):
        Settings(k=0)
    with pytest.raises(ParameterError, match="chunk_overlap is 50 words and chunk_size 50"):
        Settings(chunk_size=50, chunk_overlap=50)
    with pytest.raises(ParameterError, match="embedding_model is 'other'"):
        retrieve([LINE], ask("What?"), Settings(embedding_model="other"))


def test_chinese_windows_hold_as_much_as_others_do():
    text = "磨坊建于一八一二年，由石头和橡木建成，为三个村庄磨黑麦。" * 40

    first, *_ = chunks([Document("a.txt", text)], Settings())

    characters = sum(map(str.isalnum, first.text))
    assert 290 <= characters <= 310
