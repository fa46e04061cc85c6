"""The Chinese of the catalogue: full-width marks, one word for each thing, one way to say you."""

import re

import pytest

from tests.language.messages import translations

CHINESE = "[\u4e00-\u9fff]"
LINK = re.compile(r"\]\([^)]*\)")
"""The address of a link in Markdown."""
HALF_WIDTH = re.compile(rf"{CHINESE}[”》）`*]*[:,;?!(]|[:,;?!)][*“《（`]*{CHINESE}")
SPACED = re.compile(r"[，。：；！？）] ")
ONE_WORD = {
    "你": "您",
    "篇文档": r"份文档|[^一-鿿]个文档(?!句)|[一几多每整]个文档(?!句)",
    "植入错误": "植入的错误",
    "虚假的文档": "(?<!植入)错误的文档",
    "更正": "纠正",
    "启发式方法": "启发式(?!方法|）)",
    "课堂活动": "(?<!课堂)活动",
    "检验 (the page)": "点击“核对”|^核对$",
}
"""What is said, and what was said beside it for the same thing."""


@pytest.mark.parametrize("pattern", [HALF_WIDTH, SPACED], ids=["half-width", "spaced"])
def test_marks_in_chinese_are_full_width_and_nothing_stands_behind_them(pattern):
    assert not [said for said in translations().values() if pattern.search(LINK.sub("]", said))]


@pytest.mark.parametrize(("word", "other"), ONE_WORD.items())
def test_one_thing_has_one_word(word, other):
    assert not [said for said in translations().values() if re.search(other, said)]
