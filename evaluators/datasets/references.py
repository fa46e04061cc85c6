"""Texts that name a document and do not hold it: ids, files, pages, addresses and titles."""

from __future__ import annotations

import re
from collections.abc import Callable

LEAST_READ = 4
"""Letters from which a text may be an id: "d1" is as often a document of an example."""

MOST_READ = 2000
"""Characters of a text from which it is no list of names; the expressions below need not see it."""

_EXTENSION = r"\.(?:pdf|html?|txt|mdx?|rst|docx?|pptx?|xlsx?|csv|tsv|jsonl?|xml|ya?ml|epub|odt|rtf)"
_PAGE = (
    r"(?:p|pp|pg|pages?|s|seiten?|p[áa]ginas?|стр|§+|sec|sect|sections?|ch|chap|chapters?|slides?"
    r"|sheets?|lines?|rows?|para|paragraphs?|chunks?|abs[äa]tze?|kapitel|abschnitt)"
)
_KIND = (
    r"(?:docs?|documents?|passages?|nodes?|sources?|figures?|fig|tables?|tab|appendix|articles?"
    r"|art|parts?|items?|entry|records?|vol|volume|tickets?|cases?|issues?|pr|refs?|ids?|no|nr"
    r"|isbn|issn|doi|arxiv|pmid|pmcid|rfc|uuid|guid|sha|sha-?1|sha-?256|md5|hash|ur[li]|files?"
    r"|paths?|dokumente?|quellen?|artikel)"
)
# "12", "4.2", "A-17", "3-5", "12(3)", "3 of 10"
_NUMBER = r"[A-Za-z]{0,3}-?\d[\w.,()–/-]*(?:\s?(?:of|/|von|de)\s?\d+)?"
_GAP = r"[#:.\s_–-]{0,3}"
_PLACE = rf"{_PAGE}{_GAP}{_NUMBER}"
# A word with a digit, a slash or the like in it: "doc_17", "10.1000/x", "how-to-pay", "ab12f"
_TOKEN = r"(?=[!-~]*(?:[\d_/\\#@]|[.:-]\w))[!-~À-ÖØ-öø-ɏ]+"

_REFERENCE = re.compile(
    rf"{_TOKEN}"
    rf"|(?:{_PAGE}|{_KIND}){_GAP}{_NUMBER}"
    rf"|{_KIND}\W{{1,3}}(?:{_TOKEN}|[\d -]{{5,30}})(?:\s\[[\w.-]+\])?"
    # "Guide to pay.pdf", "report.pdf (page 3)", "Handbook, p. 3"
    rf"|(?:\S+\s){{0,8}}\S*{_EXTENSION}(?:[\s,;:(\[#–-]+{_PLACE}[)\]]?|[:#]\d[\d,–-]*)?"
    rf"|[^\n]{{1,120}}?\s?[,(\[–:-]\s?{_PLACE}[)\]]?"
    r"|\[[^\]\n]{0,120}\]\(\S+\)|[^\n]{0,120}[(\[<][a-z]{2,10}://\S+"
    # A folder whose names have spaces
    r"|(?:[A-Za-z]:\\|\.{0,2}/)[^\n.!?]{1,200}"
    r"|第?\s?\d+\s?[页頁章节節条條段]|(?:文档|文件|片段|段落|章节|页|資料|文書)\s?\d+",
    re.IGNORECASE,
)
_WORD = re.compile(_TOKEN)
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]{1,10}://|www\.)\S+", re.IGNORECASE)
_FILE = re.compile(
    rf"[^\n]{{0,200}}?{_EXTENSION}(?:[\s,;:(\[#–-]+{_PLACE}[)\]]?)?",
    re.IGNORECASE,
)

_BETWEEN = re.compile(r"[|;\n]|\s[·•/]\s")
_OR_COMMA = re.compile(r"[|;,\n]|\s[·•/]\s")
"""What stands between names; a comma may also stand in one of them."""
_MARK = re.compile(r"(?:[-*•]\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]\s*)(?=\S)")
SENTENCE_END = re.compile(r"[.!?。！？…:;][\"'”’）)\]]*(\s|$)")
"""A full stop or the like that ends a sentence: what has none in it may be a title."""

_SMALL_WORD = 4
"""Letters up to which a word of a title need not begin with a capital."""


def is_reference(text: str) -> bool:
    """Whether a text is nothing but ids, file names, pages or addresses, one or several."""
    is_example = text.isascii() and len(text) < LEAST_READ
    if is_example or len(text) > MOST_READ:
        return False
    return _is_one(text) or _are(_is_one, text) or _are_tokens(text)


def is_address_or_file(text: str) -> bool:
    """Whether a text is an address or the name of a file, which answers no question."""
    text = text.strip()
    return bool(_ADDRESS.fullmatch(text) or _FILE.fullmatch(text))


def is_title(text: str) -> bool:
    """Whether a text reads as titles do: few words, most with a capital, and no full stop."""
    return len(text) <= MOST_READ and _are(_is_titled, text)


def _are(is_name: Callable[[str], bool], text: str) -> bool:
    """Whether most parts of a text are names, parted as people part them."""
    for parts in (_BETWEEN.split(text), _OR_COMMA.split(text)):
        filled = [part for part in map(_without_mark, parts) if part]
        if filled and 2 * sum(map(is_name, filled)) > len(filled):
            return True
    return False


def _without_mark(text: str) -> str:
    """A part without the mark of its entry in a list."""
    text = text.strip()
    mark = _MARK.match(text)
    return text[mark.end() :] if mark else text


def _is_one(text: str) -> bool:
    return _REFERENCE.fullmatch(text.strip(" \t\r\n\"'`<>{}")) is not None


def _are_tokens(text: str) -> bool:
    """Whether ids stand side by side with nothing but spaces between them."""
    words = text.split()
    return len(words) > 1 and all(_WORD.fullmatch(word) for word in words)


def _is_titled(text: str) -> bool:
    # First what is quickly seen: documents are looked at by the thousands.
    if len(text) > 100 or SENTENCE_END.search(text):
        return False
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > _SMALL_WORD]
    if not words:
        return False
    capitals = sum(word[0].isupper() for word in words)
    return 4 * capitals >= 3 * len(words) and text.lstrip("\"'“0123456789. ")[:1].isupper()
