"""Text made comparable: Unicode form, reasoning, white space, Chinese or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.text.normalise import is_chinese, nfkc, remove_reasoning, without_spaces

ANY_TEXT = st.text(st.characters())  # lone surrogates included


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", ""),
        ("plain", "plain"),
        ("ﬁne", "fine"),
        ("Ｌｏｎｄｏｎ　２０２２", "London 2022"),
        ("10\xa0km²", "10 km2"),
        ("e\u0301", "é"),
        ("你好！", "你好!"),
    ],
)
def test_look_alike_characters_get_one_form(text, normal):
    assert nfkc(text) == normal


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0301\uff9e", "\u3099\u0316\u0301"])
def test_a_letter_with_thousands_of_accents_is_no_trouble(marks):
    text = nfkc("e" + marks * 100_000 + "ﬁn")  # all at once they would take a minute

    assert text.endswith("fin")
    assert text[0] in "éȩe"


@given(ANY_TEXT)
def test_normalising_twice_changes_nothing_more(text):
    assert nfkc(nfkc(text)) == nfkc(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", ""),
        ("Paris.", "Paris."),
        (" kept as it is \n", " kept as it is \n"),
        ("<think>Rome? No.</think>\n\nParis.", "Paris."),
        ("<think>one</think>Paris, <think>two</think>France.", "Paris, France."),
        ("The template opened the block. So Paris.</think>Paris.", "Paris."),
        ("Paris.<think>But what if", "Paris."),
        ("<think>cut off", ""),
        ("<THINK>loud</Think >Paris.", "Paris."),
        ("<think>a\nb\n</think>Paris.", "Paris."),
        ("<think>I write a <think> tag</think>Paris.", "Paris."),
        ("<think>a<think>b</think>c</think>Paris.", "Paris."),
        ("<think></think>", ""),
        ("<thinking>is another word", "<thinking>is another word"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ],
)
def test_reasoning_is_removed(text, answer):
    assert remove_reasoning(text) == answer


@pytest.mark.parametrize("piece", ["<think>", "</think>", "<think ", "<think", "<"])
def test_a_flood_of_tags_is_no_trouble(piece):
    assert "<think>" not in remove_reasoning(piece * 100_000)


@given(st.lists(st.sampled_from(["<think>", "</think>", "a", " ", "b. "])).map("".join))
def test_no_tag_outlives_the_removal(text):
    assert "think>" not in remove_reasoning(text)


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("", False),
        ("2022 !?", False),
        ("The capital of China is Beijing.", False),
        ("The capital of China is Beijing (北京).", False),
        ("中国的首都是北京。", True),
        ("2022年冬奥会在北京举行", True),
        ("OpenAI 发布了新的模型", True),
        ("東京", True),
        ("naïve café", False),
        ("Москва", False),
    ],
)
def test_a_text_is_chinese_by_its_share_of_chinese_characters(text, chinese):
    assert is_chinese(text) is chinese


def test_thirty_percent_is_not_yet_chinese():
    assert not is_chinese("中国人abcdefg")
    assert is_chinese("中国人abcdef")


def test_all_white_space_is_removed():
    assert without_spaces(" a b\n\tc\u3000d\xa0e ") == "abcde"
