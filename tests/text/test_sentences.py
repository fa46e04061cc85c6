"""Sentences and their keys, by the specification's examples and by the published sentences."""

import re
from functools import cache

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer

from evaluators.advanced_rag_evaluator import DocumentSentencizer
from evaluators.text import punkt
from evaluators.text.normalise import without_spaces
from evaluators.text.sentences import letters, split_sentences
from evaluators.text.word_lists import words_in

ANY_TEXT = st.text(st.characters())  # lone surrogates included
PROSE = st.lists(
    st.sampled_from(
        [
            "word",
            "Word",
            "3.5",
            ".",
            "!",
            "? ",
            " ",
            "\n",
            '"',
            ")",
            "e.g.",
            "U.S.",
            "我们",
            "。",
            "！",
            "”",
        ]
    )
).map("".join)
WITHOUT_DEADLINE = settings(deadline=None)  # the first call reads lists of words


def keyed(sentences):
    return {sentence.key: sentence.text for sentence in sentences}


def documents(*texts):
    return keyed(
        sentence
        for document in DocumentSentencizer().sentencize_documents(texts)
        for sentence in document
    )


def response(text):
    return keyed(DocumentSentencizer().sentencize_response(text))


def test_the_example_of_the_first_step_is_keyed_as_documented():
    assert documents(
        "Machine learning is AI. It learns from data.",
        "Neural networks are models. They mimic brains.",
    ) == {
        "0a": "Machine learning is AI.",
        "0b": "It learns from data.",
        "1a": "Neural networks are models.",
        "1b": "They mimic brains.",
    }
    assert response("Machine learning uses neural networks. They learn patterns.") == {
        "a": "Machine learning uses neural networks.",
        "b": "They learn patterns.",
    }


def test_the_complete_example_is_keyed_as_documented():
    assert documents(
        (
            "Machine learning is a subset of AI. It learns patterns from data.\nAlgorithms "
            "improve through experience."
        ),
        "Deep learning uses neural networks. It's popular in computer vision.",
        "Supervised learning needs labeled data. Unsupervised learning finds patterns.",
    ) == {
        "0a": "Machine learning is a subset of AI.",
        "0b": "It learns patterns from data.",
        "0c": "Algorithms improve through experience.",
        "1a": "Deep learning uses neural networks.",
        "1b": "It's popular in computer vision.",
        "2a": "Supervised learning needs labeled data.",
        "2b": "Unsupervised learning finds patterns.",
    }
    assert response(
        "Machine learning is a field of AI that learns from data. "
        "Deep learning uses neural networks. It's powerful for image recognition."
    ) == {
        "a": "Machine learning is a field of AI that learns from data.",
        "b": "Deep learning uses neural networks.",
        "c": "It's powerful for image recognition.",
    }


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (0, "a"),
        (25, "z"),
        (26, "aa"),
        (27, "ab"),
        (51, "az"),
        (52, "ba"),
        (701, "zz"),
        (702, "aaa"),
        (18277, "zzz"),
    ],
)
def test_positions_are_named_like_spreadsheet_columns(index, name):
    assert letters(index) == name


@pytest.mark.parametrize(
    ("count", "last"), [(26, "z"), (27, "aa"), (702, "zz"), (703, "aaa"), (5000, "gjh")]
)
def test_long_texts_go_on_after_z(count, last):
    text = " ".join(["This is a sentence."] * count)
    assert list(response(text))[-1] == last
    assert list(documents("", text))[-1] == "1" + last


def test_documents_keep_their_number_when_one_is_empty():
    assert DocumentSentencizer().sentencize_documents(["", "One two three."])[0] == ()
    assert documents("", "One two three.") == {"1a": "One two three."}
    assert DocumentSentencizer().sentencize_documents([]) == ()


@pytest.mark.parametrize("text", ["", " ", "\n", " \n\t\r\n\u3000", "\x1f\x85"])
def test_a_blank_text_has_no_sentences(text):
    assert split_sentences(text) == []
    assert DocumentSentencizer().sentencize_response(text) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "The value is 3.14 in all cases.",
        "See https://example.com/a.b?c=d!e for the details.",
        "Open file.txt and README.md with v1.2.3 of it.",
        "Dr. Smith met Mrs. Jones and Prof. Lee in St. Louis.",
        "The U.S. patients came from Washington D.C. and stayed.",
        "Martin Luther King Jr. Day falls on Jan. 18 this year.",
        "J. R. R. Tolkien wrote the book himself.",
        "As shown by Lee et al. Figure 2 is wrong.",
        "Some animals (e.g. cats and dogs) are pets (cf. Fig. 3).",
        "Fruits, e.g. Apples or pears, are healthy.",
        "He brought pens, paper, etc. Everything was there.",
        "Apple Inc. reported that Foo Ltd. and Bar Corp. had merged.",
        "It is 5 ft. tall, weighs 10 lbs. and costs less.",
        "The song reached No. 5 in the charts.",
        "The meeting is at 7 p.m. on Monday at noon.",
        "Wait ... what did he just say?",
        "Yahoo!",
        "Is it ; or : that ends a sentence?",
    ],
)
def test_one_sentence_stays_whole(sentence):
    assert split_sentences(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is made in the U.S. The rest is not.", ["It is made in the U.S.", "The rest is not."]),
        (
            "I think so, no. Batteries last for long.",
            ["I think so, no.", "Batteries last for long."],
        ),
        (
            "What is that? It is great! We like it.",
            ["What is that?", "It is great!", "We like it."],
        ),
        ('He said "that is it." Then he left.', ['He said "that is it."', "Then he left."]),
        ("(This is in brackets.) This is not so.", ["(This is in brackets.)", "This is not so."]),
        ("Two spaces come here.  The next one.", ["Two spaces come here.", "The next one."]),
        (
            "A title without stop\nThe first sentence.",
            ["A title without stop", "The first sentence."],
        ),
        ("One two three.\r\nFour five six.\r\n", ["One two three.", "Four five six."]),
        (
            "  Indented first line.\n  Indented second line.",
            ["  Indented first line.", "  Indented second line."],
        ),
        ("- first item here\n- second item here", ["- first item here", "- second item here"]),
        ("1. Open the lid.\n2. Close the lid.", ["1. Open the lid.", "2. Close the lid."]),
        ("It works well. Yes. It really does.", ["It works well. Yes.", "It really does."]),
        ("Yes. It works well.", ["Yes. It works well."]),
        ("Yes.\nNo.", ["Yes. No."]),
        ("Short line\nThen comes a longer line.", ["Short line Then comes a longer line."]),
        ("The year was 1990. Nobody knew it.", ["The year was 1990.", "Nobody knew it."]),
    ],
)
def test_text_is_cut_and_short_pieces_are_glued(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("我们学习。他们工作！你呢？", ["我们学习。", "他们工作！", "你呢？"]),
        ("第一点；第二点。", ["第一点；", "第二点。"]),
        ("真的吗?真的!好的。", ["真的吗?", "真的!", "好的。"]),
        ("他说：“你好。”然后走了。", ["他说：“你好。”", "然后走了。"]),
        ("什么？！不可能……", ["什么？！", "不可能……"]),
        (
            "圆周率是3.14。网址是https://a.cn/b?c=d。",
            ["圆周率是3.14。", "网址是https://a.cn/b?c=d。"],
        ),
        ("　第一句。 　第二句。", ["　第一句。", "第二句。"]),
        ("标题\n第一句。", ["标题", "第一句。"]),
        ("北京是首都。Beijing is the capital.", ["北京是首都。", "Beijing is the capital."]),
    ],
)
def test_chinese_is_cut_at_chinese_stops(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Machine learning is a subset of\nartificial intelligence that learns\nfrom data. It is"
            " used\nwidely.",
            [
                "Machine learning is a subset of artificial intelligence that learns from data.",
                "It is used widely.",
            ],
        ),
        ("The tower was built \n  in 1889.", ["The tower was built in 1889."]),
        ("The tower was built\r\nin 1889.\r\n", ["The tower was built in 1889."]),
        ("It costs approx.\nfive dollars in all.", ["It costs approx. five dollars in all."]),
        (
            "Cities such as Paris,\ne.g. those in France, are large.",
            ["Cities such as Paris, e.g. those in France, are large."],
        ),
        (  # a chunk that begins within a sentence: its first line is as long as one of a paragraph
            "of the machine which learns from all of this data\nand predicts what comes.",
            ["of the machine which learns from all of this data and predicts what comes."],
        ),
        (
            "• open the lid of\n  the big box\n• close the lid again",
            ["• open the lid of the big box", "• close the lid again"],
        ),
    ],
)
def test_a_line_break_within_a_sentence_does_not_end_it(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "To make the dough, take:\nfresh whole milk\nthree large eggs",
            ["To make the dough, take:", "fresh whole milk", "three large eggs"],
        ),
        (
            "the lid of it;\nthe box of it; and\nthe key to it.",
            ["the lid of it;", "the box of it; and", "the key to it."],
        ),
        ("a) open the lid\nb) close the lid", ["a) open the lid", "b) close the lid"]),
        ("(i) open the lid\nii) close the lid", ["(i) open the lid", "ii) close the lid"]),
        ("All the new devices\niPhone 15 Pro Max", ["All the new devices", "iPhone 15 Pro Max"]),
        ("The first chapter\n\nthe beginning of it", ["The first chapter", "the beginning of it"]),
        (
            "Tyger Tyger, burning bright,\nIn the forests of the night;",
            ["Tyger Tyger, burning bright,", "In the forests of the night;"],
        ),
        (
            "my heart leaps up when I behold\na rainbow in the sky",
            ["my heart leaps up when I behold", "a rainbow in the sky"],
        ),
        ("北京是中国的首都，\n也是文化中心。", ["北京是中国的首都，", "也是文化中心。"]),
    ],
)
def test_the_lines_of_lists_headings_and_poems_stay_apart(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "GPUs help with two tasks:\n1. **Faster Training** of models.\n2. Lower cost",
            ["GPUs help with two tasks:", "1. **Faster Training** of models.", "2. Lower cost"],
        ),
        (
            "It has two tasks: 1. Faster training. 2. Lower cost. 3. It is all.",
            ["It has two tasks:", "1. Faster training.", "2. Lower cost.", "3. It is all."],
        ),
        ("1. Paris\n2. Rome", ["1. Paris", "2. Rome"]),
        ("It says so: 5. That is the number.", ["It says so: 5.", "That is the number."]),
        ("It lasts.\n\n**Price**\n20 dollars", ["It lasts.", "**Price**", "20 dollars"]),
        ("## Price\nit is 20 dollars", ["## Price", "it is 20 dollars"]),
        (
            "|Model|Hours|\n|---|---|\n|Falcon|20|\n|Hawk|30|",
            ["|Model|Hours| |---|---|", "|Falcon|20|", "|Hawk|30|"],
        ),
        ("It lasts 20 hours.\nSource: a.pdf", ["It lasts 20 hours.", "Source: a.pdf"]),
        ("Yes [1]. It works well [2].", ["Yes [1]. It works well [2]."]),
        ("Paris\nHappy to help!", ["Paris", "Happy to help!"]),
    ],
)
def test_items_headings_rows_and_source_lines_stay_apart(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Birds fly. Fish swim.", ["Birds fly.", "Fish swim."]),
        (
            "Birds fly. Elephants cannot do it at all.",
            ["Birds fly.", "Elephants cannot do it at all."],
        ),
        (
            "The tower stands in Paris. It burned. Nobody was hurt.",
            ["The tower stands in Paris.", "It burned.", "Nobody was hurt."],
        ),
        ("Prices doubled! Then they fell.", ["Prices doubled!", "Then they fell."]),
        ("It’s free. You can take it.", ["It’s free.", "You can take it."]),
        ("Ice melts. Yes. It takes an hour.", ["Ice melts. Yes.", "It takes an hour."]),
        ("It works well. Thank you.", ["It works well. Thank you."]),
        ("It works well. Cancer Research.", ["It works well. Cancer Research."]),
        ("It works well. Need help? Call us now.", ["It works well. Need help?", "Call us now."]),
        ("No. Batteries last for long.", ["No. Batteries last for long."]),
        ("No.", ["No."]),
    ],
)
def test_two_words_are_a_sentence_only_with_a_verb(text, sentences):
    assert split_sentences(text) == sentences


def test_english_punctuation_beside_a_chinese_word_is_left_alone():
    text = "The word 北京 means Beijing; it is not Nanjing!surely."
    assert split_sentences(text) == [text]


def test_half_characters_become_replacement_characters_in_keyed_sentences():
    assert response("A half \ud800 character.") == {"a": "A half \ufffd character."}


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "a." * 100_000, "a?" * 100_000, "." * 200_000, '"' * 200_000]
)
def test_a_long_line_without_spaces_is_one_sentence(text):
    assert split_sentences(text) == [text]


def test_a_long_line_full_of_stops_is_not_refused():
    assert without_spaces(split_sentences("word " + ". " * 20_000)[0]) == "word" + "." * 20_000


@WITHOUT_DEADLINE
@given(ANY_TEXT | PROSE)
def test_no_text_is_lost(text):
    assert without_spaces("".join(split_sentences(text))) == without_spaces(text)


WORDS = ["The", "end", "no", "Dr", "a", "J", "5", "5", "well-known", "U.S", "mill's", "(so", "so)"]
ENDS = [". ", ". ", ". ", ".  ", "? ", ".) ", ".. ", ". . . ", ", ", " ", ".", '." ', ".\t"]
LINE = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDS)).map("".join), min_size=1)


class EnglishBefore(PunktLanguageVars):
    """As nltk read it before 3.10, by which the published sentences were cut."""

    re_boundary_realignment = re.compile(r"""["')\]}]+?(?:\s+|(?=--)|$)""", re.MULTILINE)
    _re_non_word_chars = r"""(?:[)";}\]*:@'({\[?!])"""


@cache
def punkt_of_nltk():
    parameters = PunktParameters()
    parameters.abbrev_types = set(words_in("abbreviations.txt"))
    parameters.sent_starters = set(words_in("sentence_starters.txt"))
    parameters.collocations = {("no", "##number##")}
    return PunktSentenceTokenizer(parameters, lang_vars=EnglishBefore())


@settings(deadline=None, max_examples=500)
@given(LINE.map("".join) | ANY_TEXT.map(lambda text: text.replace("\n", " ")))
def test_a_line_is_cut_where_the_punkt_of_nltk_cuts_it(line):
    assert punkt.sentences_of(line) == punkt_of_nltk().tokenize(line)


@WITHOUT_DEADLINE
@given(ANY_TEXT | PROSE)
def test_no_sentence_is_blank(text):
    assert all(sentence.strip() for sentence in split_sentences(text))


@WITHOUT_DEADLINE
@given(st.lists(PROSE | ANY_TEXT))
def test_keys_are_unique_and_in_order(texts):
    cut = DocumentSentencizer().sentencize_documents(texts)
    assert [[sentence.key for sentence in document] for document in cut] == [
        [f"{number}{letters(index)}" for index in range(len(document))]
        for number, document in enumerate(cut)
    ]


@given(st.integers(0, 10**6))
def test_a_later_position_has_a_later_name(index):
    def order(name):
        return len(name), name

    assert order(letters(index)) < order(letters(index + 1))


def published(folder, text_column, sentences_column):
    """Distinct texts with their published sentences."""
    frames = [
        pd.read_parquet(file, columns=[text_column, sentences_column])
        for file in folder.rglob("*.parquet")
    ]
    rows = pd.concat(frames).itertuples(index=False)
    return [(text, sentences) for text, sentences in rows if sentences is not None]


def share_reproduced(pairs):
    expected = {text: [sentence for _, sentence in sentences] for text, sentences in pairs}
    same = sum(split_sentences(text) == sentences for text, sentences in expected.items())
    return same / len(expected)


def test_published_ragbench_sentences_are_reproduced(check_data):
    folder = check_data / "ragbench"
    rows = published(folder, "documents", "documents_sentences")
    pairs = [pair for texts, sentences in rows for pair in zip(texts, sentences, strict=True)]
    assert share_reproduced(pairs) >= 0.95
    responses = published(folder, "response", "response_sentences")
    # The numbers of list items stand elsewhere.
    without_lists = [pair for pair in responses if not re.search(r"\d[.)]\s", pair[0])]
    assert len(without_lists) > 2_000
    assert share_reproduced(without_lists) >= 0.98
