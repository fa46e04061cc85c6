"""A test bed from documents: who is positive, who negative, what is planted, what is doubted."""

import itertools
import json

import pytest

from evaluators import compose, evaluate, load_data, make_bed
from evaluators.errors import DatasetError, PlumblineError
from evaluators.records import Ability, Sample
from evaluators.retrieval import bed
from evaluators.retrieval.dataset import Settings
from evaluators.retrieval.documents import Document
from evaluators.retrieval.doubts import Answer, Comparable, Reading, as_words

MILL = (
    "The mill was built in 1812 by Anna Berg. The mill grinds rye. The mill has a wheel of oak. "
    "The mill was moved by Karl Stein in 1906. The mill is open in May. The mill is near Altdorf. "
    "The mill has 3 floors."
)
TOWER = "The tower is 330 metres tall. Gustave Eiffel led the work on the tower."


def made(*questions, text=MILL, **facts):
    asked = [
        Sample(id=str(number), question=question, ground_truth=truth)
        for number, (question, truth) in enumerate(questions, start=1)
    ]
    documents = [Document("mill.txt", text), Document("tower.txt", TOWER)]
    return bed.make_bed(documents, asked, Settings(chunking_strategy="sentence"), **facts)


def test_positives_hold_the_answer_and_negatives_do_not():
    plain, planted = made(("When was the mill built?", "1812")).rows

    assert plain.row.positive == ("The mill was built in 1812 by Anna Berg.",)
    # All others that share a word with the question, the nearest first
    assert len(plain.row.negative) == 6
    assert not any("1812" in text for text in plain.row.negative)
    assert plain.sources == ("mill.txt, part 1 of 7",)
    assert plain.row.abilities == (Ability.NOISE, Ability.REJECTION)
    assert planted.row.abilities == (Ability.COUNTERFACTUAL,)


def test_a_planted_number_is_another_one_of_the_documents_as_long():
    _, planted = made(("When was the mill built?", "1812")).rows

    # 3 is a number too, and no year.
    assert planted.row.fakeanswer == "1906"
    assert planted.row.positive_wrong == ("The mill was built in 1906 by Anna Berg.",)
    assert planted.row.id == "1 planted"


def test_a_planted_name_is_another_one_of_the_documents():
    _, planted = made(("Who built the mill?", "Anna Berg")).rows

    [wrong] = planted.row.positive_wrong
    assert "Anna Berg" not in wrong
    assert planted.row.fakeanswer in wrong
    assert {*planted.row.fakeanswer.split()} <= {*MILL.replace(".", "").split()}


def test_the_same_seed_plants_the_same():
    ask, text = ("When was the mill built?", "1812"), f"{MILL} The mill burnt in 1850 and 1870."

    assert made(ask, text=text) == made(ask, text=text)
    planted = {made(ask, text=text, seed=seed).rows[1].row.fakeanswer for seed in range(20)}
    assert planted == {"1906", "1850", "1870"}


def test_of_a_date_the_year_is_replaced_and_a_month_is_no_name():
    text = "The mill was opened on 2 May 2021. The mill shut in June 1990, with Anna of Altdorf."

    date = made(("When was the mill opened?", "2 May 2021"), text=text).rows[1].row
    name = made(("Who shut the mill?", "Anna"), text=text).rows[1]

    assert date.fakeanswer == "2 May 1990"
    assert name.row.fakeanswer == "Altdorf"
    assert "Another name took the answer's place; it may be of another kind." in name.doubts


def test_an_answer_in_two_parts_needs_two_chunks():
    asked = ("Who built and who moved the mill?", ("Anna Berg", ("Karl Stein", "K. Stein")))

    [row] = made(asked).rows

    assert row.row.abilities == (Ability.INTEGRATION,)
    assert row.row.positive == (
        ("The mill was built in 1812 by Anna Berg.",),
        ("The mill was moved by Karl Stein in 1906.",),
    )


def test_a_number_inside_another_one_and_a_word_inside_another_one_do_not_count():
    text = "The house has 3 storeys. The house was built in 1933. The house has floorboards."

    number = made(("How high is the house?", "3"), text=text)
    word = made(("What is in the house?", "floor"), text=text)

    assert number.rows[0].row.positive == ("The house has 3 storeys.",)
    assert [own.reason for own in word.left_out] == ["No chunk near the question holds its answer."]


@pytest.mark.parametrize(
    ("text", "wanted", "holds"),
    [
        ("a mill of oak", "mill of  oak", True),
        ("watermills and mill", "mill", True),
        ("watermills", "mill", False),
        ("mill_2", "mill", False),
        ("(mill)", "mill", True),
        ("the café's", "caf", False),
        ("cafés", "café", True),  # beyond English letters, ends of words are not told
        ("aaaa", "aa", False),
        ("mill", "", False),
    ],
)
def test_an_answer_stands_in_a_text_as_words_of_its_own(text, wanted, holds):
    assert Answer(wanted).held_in(Comparable.of(text)) == ({0} if holds else set())


def test_a_long_answer_is_paid_by_its_length():
    # Each of these became a pattern of 20,000 words, uncounted: 2 MB took 13 s.
    words = " ".join("abcdefgh"[at % 8] for at in range(20_000))
    counted = Reading(10**9)

    assert Answer(words, counted).held_in(Comparable.of(words)) == {0}
    with pytest.raises(DatasetError, match="takes too long"):
        as_words(words, "", Reading(len(words)))
    with pytest.raises(DatasetError, match="takes too long"):
        as_words("a " * 2000, "a " * 8000, Reading(10**7))


def test_what_takes_longer_than_it_counts_ends_by_the_clock():
    answer = Answer("a" * 90 + "b", Reading(10**12, seconds=0.05))
    texts = itertools.repeat(Comparable.of("a" * 20_000), 10**6)
    with pytest.raises(DatasetError, match="takes too long"):
        any(map(answer.held_in, texts))


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("-" * 2000 + "7", "-" * 8000),
        ("-" * 2000 + " 7", "-" * 8000),
        ("äb" * 1000 + "7", "ÄB" * 4000),
        ("ſ" * 2000, "s" * 8000),  # of one letter with s, where capitals do not count
        ("-=" * 1000, "-=" * 4000),
    ],
)
def test_a_long_answer_is_paid_wherever_its_first_signs_stand(word, text):
    # Compared from each of them on: 400 KB and 50 KB took 23 s.
    with pytest.raises(DatasetError, match="takes too long"):
        as_words(word, text, Reading(5 * 10**6))
    as_words(word, "A mill of oak. " * 500, Reading(5 * 10**6))


def test_chinese_answers_are_found_without_spaces():
    text = "磨坊建于 1812 年。磨坊磨黑麦。磨坊靠近河流。磨坊有三层。"

    row = made(("磨坊建于哪一年？", "1812年"), text=text).rows[0]

    assert row.row.positive == ("磨坊建于 1812 年。",)


@pytest.mark.parametrize(
    ("question", "truth", "reason"),
    [
        ("Is the mill old?", "Yes", "Yes and no stand in texts by chance."),
        ("Who owns the mill?", None, "It has no true answer."),
        ("Who owns the mill?", ("", " "), "It has no true answer."),
        ("Who owns the mill?", "Nobody", "No chunk near the question holds its answer."),
        ("Zzz?", "330 metres", "No other chunk shares a word with it."),
        ("Who?", tuple(map(str, range(50))), "Its true answer has too many parts or spellings."),
    ],
)
def test_a_question_that_makes_no_row_has_its_reason(question, truth, reason):
    [left_out] = made((question, truth)).left_out

    assert (left_out.question, left_out.reason) == (question, reason)


def test_what_is_doubtful_says_why_and_comes_first():
    made_bed = made(
        ("When was the mill built?", "1812"),
        ("How many floors has the mill?", "3"),
        ("What is the tower?", "330 metres tall"),
    )

    first = made_bed.doubtful_first[0]
    assert first.doubts
    by_id = {own.row.id: own.doubts for own in made_bed.rows}
    assert by_id["1"] == ()
    assert "The answer is short and may stand there by chance." in by_id["2"]
    assert any("fewer negative documents" in words for words in by_id["3"])


def test_rows_are_dropped_by_hand():
    made_bed = made(("When was the mill built?", "1812"), ("Who moved the mill?", "Karl Stein"))

    kept = made_bed.without(["1 planted", "2"])

    assert [own.row.id for own in kept.rows] == ["1", "2 planted"]


def test_a_row_is_repaired_and_doubted_anew():
    made_bed = made(("How many floors has the mill?", "3"), ("What has the mill?", "a wheel"))
    before = {own.row.id: own for own in made_bed.rows}

    longer = made_bed.repaired("1", answer="3 floors").rows[0]
    wrong = made_bed.repaired("1", positive=["Rye."], negative=["It has 3."]).rows[0]

    assert before["1"].doubts == ("The answer is short and may stand there by chance.",)
    assert longer.doubts == ()
    assert longer.sources == before["1"].sources
    assert wrong.doubts == (
        "The answer is short and may stand there by chance.",
        "There are fewer negative documents than a prompt has places.",
        "A positive document does not hold the answer.",
        "A negative document holds a part of the answer.",
    )
    assert made_bed.repaired("1", answer="3 floors").rows[1:] == made_bed.rows[1:]


def test_what_the_search_doubted_is_doubted_until_it_is_asked_otherwise():
    # All eleven sentences hold 1906.
    text = " ".join(f"The mill number {at} was moved in 1906." for at in "abcdefghijk") + MILL
    made_bed = made(("When was the mill moved?", "1906"), text=text)
    many = "Many chunks hold the answer; some may not answer the question."

    assert many in made_bed.rows[0].doubts
    assert many in made_bed.repaired("1", query="When?").rows[0].doubts
    assert many not in made_bed.repaired("1", answer="in 1906").rows[0].doubts


def test_planted_and_parted_rows_are_doubted_after_a_repair():
    made_bed = made(
        ("When was the mill built?", "1812"),
        ("Who built and who moved the mill?", ("Anna Berg", "Karl Stein")),
    )
    by_id = {own.row.id: own.row for own in made_bed.rows}
    planted = "A document with the planted error holds the true answer, or lacks the planted one."
    positive = by_id["2"].positive

    def doubts(id, **changes):
        rows = made_bed.repaired(id, **changes).rows
        return next(own.doubts for own in rows if own.row.id == id)

    assert planted not in doubts("1 planted", query="Since when does it stand?")
    assert planted in doubts("1 planted", positive_wrong=["It was built in 1812, not 1906."])
    assert planted in doubts("1 planted", fakeanswer="1907")
    not_held = "A positive document does not hold the answer."
    assert not_held not in doubts("2", query="Who?")
    assert not_held in doubts("2", positive=positive[:1])


@pytest.mark.parametrize(
    "changes",
    [
        {"query": " "},
        {"answer": ""},
        {"answer": ("1812", "")},
        {"positive": ()},
        {"positive": ((),)},
        {"negative": ["", "It grinds."]},
        {"negative": 3},
        {"answer": tuple(map(str, range(50)))},
    ],
)
def test_a_row_that_lacks_something_is_refused(changes):
    made_bed = made(("When was the mill built?", "1812"))

    with pytest.raises(DatasetError):
        made_bed.repaired("1", **changes)
    with pytest.raises(DatasetError, match="no row"):
        made_bed.repaired("7", query="When?")


def test_files_become_an_official_bed_that_a_run_asks(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "mill.txt").write_text(MILL)
    (folder / "tower.md").write_text(f"# Tower\n\n{TOWER}")
    rows = [
        {"question": "When was the mill built?", "ground_truth": "1812"},
        {"question": "Who moved the mill?", "ground_truth": "Karl Stein"},
    ]

    made_bed = make_bed(folder, rows, chunking_strategy="sentence", on_remark=len)
    path = made_bed.save(tmp_path / "bed.jsonl")

    official = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {"id", "query", "answer", "positive", "negative"} == official[0].keys()
    loaded = load_data(path, on_remark=len)
    assert loaded.rows == made_bed.bed.rows
    samples = compose(loaded, ["noise_robustness", "counterfactual_robustness"], noise_levels=0.4)
    results = evaluate(samples, "rgb", model="offline/offline-reader", progress=False)
    assert results.summary()


def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "a.txt").write_text(MILL)
    rows = [{"question": "When was the mill built?", "ground_truth": "1812"}]

    for documents, questions, facts in (
        (tmp_path / "nowhere.txt", rows, {}),
        ([], rows, {}),
        (tmp_path / "a.txt", "RGB sample (English)", {}),
        (tmp_path / "a.txt", rows, {"chunk_size": 50, "chunk_overlap": 60}),
        (tmp_path / "a.txt", rows, {"chunk_size": 1}),
    ):
        with pytest.raises(PlumblineError):
            make_bed(documents, questions, on_remark=len, **facts)
    with pytest.raises(DatasetError, match="limit is 1,000"):
        make_bed(["a.txt"] * 1001, rows, on_remark=len)


def test_what_is_read_for_all_answers_together_is_bounded():
    # Twenty parts in twenty spellings each, looked for in a text of a megabyte: without a bound
    # 20,000 such questions, which are few bytes, take hours
    parts = tuple(tuple(chr(0x2400 + 20 * part + at) for at in range(20)) for part in range(20))
    asked = [Sample(id=str(at), question="mill", ground_truth=parts) for at in range(2000)]
    documents = [Document("mill.txt", "mill " * 200_000)]

    with pytest.raises(DatasetError, match="Split the questions"):
        bed.make_bed(documents, asked, Settings(chunking_strategy="document"))
