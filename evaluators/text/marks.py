"""Marks of layout in an answer: citations, list numbers, emphasis, headings, tables, source lines.

They say where a claim comes from and how it is set, and claim nothing themselves. What could be a
claim after all is none of them: a heading or a source line that holds a verb or a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from evaluators.text.normalise import IDEOGRAPHS
from evaluators.text.word_lists import words_in

_SOURCE_WORD = (
    r"(?:sources?|references?|refs?|citations?|cite|docs?|documents?|footnotes?|quellen?"
    r"|dokumente?|fußnoten?|来源|出处|文档|文献|资料|参考(?:资料|文献|来源)?)(?![a-zß])"
)
_FILE = r"\b[\w%+-][\w%+.-]{0,80}\.(?:pdf|docx?|txt|html?|md|csv|json|xlsx?|pptx?)\b"
_ADDRESS = r"(?:https?://|www\.)[^\s)\]】]{1,200}"
_PLACE = (
    r"(?:\b(?:pages?|pp?|seiten?|s|sections?|sec|abschnitt|chapters?|kapitel|kap|lines?|zeilen?"
    r"|paragraphs?|figures?|fig|tables?|tab|vol|volume|no|nr|version|v|isbn|doi)(?![a-z])[.:]?|[§#]"
    r"|\b(?:chunks?|docs?|documents?|dokumente?|quellen?|sources?|refs?)(?![a-z]))"
    r"\s?\d[\d.,:/–-]{0,20}"
    r"(?:\s(?:and|und|to|bis)\s\d{1,4})?"
    r"|第\s?[\d一二三四五六七八九十百]{1,5}\s?[页章节条款段行]|(?:文档|来源|资料)\s?\d{1,3}"
)
_YEAR = r"\b(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?\b"
_REFERENCE = re.compile(f"{_ADDRESS}|{_FILE}|{_PLACE}|{_YEAR}", re.IGNORECASE)
"""What names a source or a place in it: numbers in it are no claims."""

_SOURCE_NAME = re.compile(f"{_ADDRESS}|{_FILE}", re.IGNORECASE)

_NUMBERS = r"\^?\d{1,3}[a-z]?(?:\s?[,;，、–-]\s?\^?\d{1,3}[a-z]?){0,9}"
_CITATION = re.compile(
    # "The result is [1, 2, 3]." is a value.
    r"[\[【［⟦](?<! is \[)(?<! are \[)(?<! was \[)(?<!= \[)(?<!: \[)"
    rf"(?:{_NUMBERS}|\^[\w-]{{1,30}}|\d{{1,3}}(?::\d{{1,3}})?†[^\]】\n]{{0,80}})[\]】］⟧]"
    r"(?:\((?:https?://|#)[^\s()]{1,200}\))?"
)
_NUMBERED = r"(?:passage|context|chunk|snippet|excerpt|text|id)(?=[\s.:_#-]*\d)"
_NUMBERED_SOURCE = re.compile(
    rf"(?:{_SOURCE_WORD}|{_NUMBERED})[\s.:_#-]*+\d{{1,3}}(?:\s?[,;&-]\s?\d{{1,3}}){{0,9}}",
    re.IGNORECASE,
)
_FURTHER_NUMBERS = re.compile(r"(?:\s?(?:[,;&、]|and\b|und\b|和|与)\s?\d{1,3}){1,9}")
_SOURCE_CELL = re.compile(
    rf"(?<=\|)\s*+(?:{_FILE}|{_ADDRESS}|{_SOURCE_WORD}\s?\d{{1,3}})\s*+(?=\|)", re.IGNORECASE
)
_NAMED_CITATION = re.compile(
    r"[\[【［(（](?:see |according to |vgl\. |siehe |laut |见|根据)?"
    rf"((?:{_SOURCE_WORD}|{_NUMBERED}|{_FILE}|{_PLACE}|[\w-]{{2,30}} et al\b)"
    r"[^\[\]【】()（）\n]{0,120})[\]】］)）]",
    re.IGNORECASE,
)
# "(1)" behind the last word of a sentence; "The score is (1)." and "f(1)" are values.
_BRACKETED = r"[(（]{1,2}\d{1,2}(?:\s?[,;，、–-]\s?\d{1,2}){0,9}[)）]{1,2}"
_NUMBER_IN_BRACKETS = re.compile(
    rf"(?:(?<=[^\W\d_]\s)(?<! is\s)(?<! are\s)(?<! was\s)|(?<=\d\d\s)|(?<=[\"'”’)%]\s)"
    rf"|(?<=[{IDEOGRAPHS}])){_BRACKETED}(?=\s*+[.!?。！？])"
    rf"|(?:(?<=[.!?]\s)|(?<=[.!?。！？])){_BRACKETED}(?=\s*+$)"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,120})\]\((?:https?://|#)[^\s()]{1,200}\)")
# "km²" and "10⁶" are no footnotes.
_SUPERSCRIPT = re.compile(
    r"[¹²³⁰⁴-⁹](?:(?<=[^\W\d_]{2}.)(?<![kcdmµ]m.)|(?<=\d{4}.)"
    rf"|(?<=[{IDEOGRAPHS}.,;:!?。，；：！？\"”)）].))[¹²³⁰⁴-⁹]*+(?:[,，][¹²³⁰⁴-⁹]++){{0,9}}"
    r"|<sup>(?:(?<=[^\W\d_]{2}<sup>)(?<![kcdmµ]m<sup>)|(?<=\d{4}<sup>)"
    r"|(?<=[.,;:!?\"”)*]<sup>))\W?\d{1,3}\W?</sup>"
    r"|<(cite|ref)\b[^<>]{0,60}>\W?\d{1,3}\W?</\1>"
    r"|\^(?:(?<=[^\W\d_]{3}\^)|(?<=\d{4}\^)|(?<=[.,;:!?\"”)]\^))\d{1,2}(?!\w)"
)
_SUPERSCRIPTS = frozenset("¹²³⁰⁴⁵⁶⁷⁸⁹<^")
_TAG = (
    r"</?(?:[biup]|em|strong|br|[uo]l|li|table|t[rdh]|tbody|thead|span|div|h[1-6]|code|pre|mark)"
    r"(?:\s[^<>]{0,100})?/?>"
)
_KEYCAP = r"[\d#*]\ufe0f?\u20e3"
_EMPHASIS = re.compile(
    rf"{_TAG}|{_KEYCAP}|```[a-z]{{0,12}}(?=\s|$)|"
    r"[*_]{2,3}|(?<!\w)[*_](?=\w)|(?<=[\w.!?,:;)])[*_](?!\w)|`+"
)

_ITEM = (
    r"(?:(?:step|part|phase|option|tip|fact|point|reason|schritt|teil|punkt|grund|步骤|第)\s?)?\(?(\d{1,2})"
    rf"(?:[.)](?=[\W_]|$|[{IDEOGRAPHS}])|[:：、．）](?=\D|$)|[步点条](?=[:：，、]))"
)
# It matches what may stand before a number even where none follows: a run of line breaks is then
# looked at once, not again from each of its breaks.
_ITEM_NUMBER = re.compile(
    rf"(^|[.:;,!?](?=[\s(])|[。：；，！？\n]|\b(?:and|or|und|oder)\b)[\s*_#>(•-]*+(?:{_ITEM})?+",
    re.IGNORECASE,
)
_MAY_NUMBER = re.compile(r"[0-9](?<![0-9]{3})[.):：、．）步点条](?![0-9])")
_LINE_OPENS = r"[\s*_#>•-]*+"
_ITEM_OPENS = re.compile(rf"{_LINE_OPENS}{_ITEM}(?=[\s*_]*+[^\W_])", re.IGNORECASE)
_ONLY_NUMBER = re.compile(rf"{_LINE_OPENS}\(?(\d{{1,2}})[.)][*_]*+")
_FIRST_NUMBER = re.compile(r"[:：]\s*+(\(?1[.)])$")

_HASHES = re.compile(r"\s*+#{1,6}\s")
_BOLD_LINE = re.compile(
    r"\s*+(?:[-•]\s++|\(?\d{1,2}[.)]\s++)?(?:\*{2,3}|__)(?![*_\s])([^*\n]{1,120})(?:\*{2,3}|__)"
    r"\s*+[:：]?\s*+"
)
_BOLD_LABEL = re.compile(
    r"(?:\*{2,3}|__)[^*\n]{1,60}(?:(?:\*{2,3}|__)(?=\s?[:：–—-])|[:：](?:\*{2,3}|__))"
)
_OPENINGS = frozenset("0123456789#*_|[(【（>•-¹²³⁰⁴⁵⁶⁷⁸⁹SRCQFLDPOTsrcqfldpot来出文资参步第")
"""What a heading, an item, a row or a source line can begin with."""
_ROW = re.compile(r"\s*+\|[^|]*+\|")
_NUMBER_OF_ROW = re.compile(r"^(\s*+\|)\s*+(\d{1,2})(?=[\s.)]*+\|)")
_FOOTNOTE = re.compile(r"\s*+(?:\[(?:\^\w{1,10}|\d{1,3})\](?!\()|【\d{1,3}】|[¹²³⁰⁴-⁹]++)\s?[:：]?")
_MORE_IN = re.compile(
    r"\W*(?:for (?:more|further|additional) (?:information|details?),? (?:please )?"
    r"(?:see|refer to|consult|check|visit)"
    r"|(?:weitere|mehr) (?:informationen|details) (?:siehe|in))\b",
    re.IGNORECASE,
)
_SOURCE_LINE = re.compile(
    rf"[\s*_#>•(（\[-]*+{_SOURCE_WORD}[\s*_]*+(?:[:：–—]|$)[\s*_]*+", re.IGNORECASE
)

# Beside those of `verbs.txt`, which are the verbs of two-word sentences.
_VERBS_TEXT = """
cost costs contains provides includes requires allows makes made takes took gives gave shows means
holds held gets got weighs measures uses founded built born
ist sind war waren hat haben hatte wird werden wurde kann können muss soll gilt kostet hält beträgt
"""
_VERBS = words_in("verbs.txt").union(_VERBS_TEXT.split())
# With a capital letter, as in a heading, others may well be nouns.
_FINITE_TEXT = """
is are was were has had does did can cannot could would should must fell rose grew became began
took gave went came costs lasts
"""
_FINITE = frozenset(_FINITE_TEXT.split())
# What labels and headings of all answers say: "**Short answer:** ...".
_LAYOUT_TEXT = """
the short final direct answer summary conclusion explanation overview note notes details in key
point points takeaway takeaways tl dr bottom line response
antwort zusammenfassung fazit hinweis kurz 答案 回答 总结 结论 说明 注意
"""
_OF_LAYOUT = frozenset(_LAYOUT_TEXT.split())
_ASKING = re.compile(
    r"\W*(?:how|what|why|when|where|who|which|wie|was|warum|wann|wo|wer)\b", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W\d_]+")
_STATED_IN_CHINESE = re.compile("是|了|可以|能够|必须")
_WORD = re.compile(r"[^\W_]")
_DIGIT = re.compile(r"\d")
_VALUE_BEHIND_COLON = re.compile(r"[:：][\s*_]*+\w")
_SENTENCE_END = re.compile(r"[.!。！][\s*_]*+$")
_POINTS_BACK = re.compile(r"\W*(?:it|he|she|they|er|sie|es)\b|\W*[它他她]", re.IGNORECASE)

MOST_OF_A_SOURCE = 25
"""Words of a source line."""
MOST_OF_A_HEADING = 12


def without_citations(text: str) -> str:
    """The text without what says in which document a claim stands."""
    if text.isascii() and not any(sign in text for sign in "[(<^|"):
        return text
    if "(" in text or "（" in text:
        text = _NUMBER_IN_BRACKETS.sub("", text)
    text = _NAMED_CITATION.sub(_without_citation, _CITATION.sub("", text))
    if "|" in text:
        text = _SOURCE_CELL.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return text if _SUPERSCRIPTS.isdisjoint(text) else _SUPERSCRIPT.sub("", text)


def _without_citation(citation: re.Match[str]) -> str:
    source = citation[1]
    is_source = _NUMBERED_SOURCE.fullmatch(source) or names_a_source(source)
    return "" if is_source else citation[0]


def citations(text: str) -> list[tuple[int, str]]:
    """Where an answer names documents, and how: "[1, 2]", "Doc 3", "handbook.pdf".

    A place in a document, such as a page, names none.
    """
    if text.isascii() and not any(sign in text for sign in "[(<^"):
        return []
    found: dict[int, str] = {}
    for named in _NAMED_CITATION.finditer(text):
        if _without_citation(named):
            continue
        for source in _NUMBERED_SOURCE.finditer(named[1]):
            further = _FURTHER_NUMBERS.match(named[1], source.end())
            found[named.start(1) + source.start()] = source[0] + (further[0] if further else "")
        for source in _SOURCE_NAME.finditer(named[1]):
            found[named.start(1) + source.start()] = source[0]
    for pattern in (_CITATION, _NUMBER_IN_BRACKETS, _SUPERSCRIPT):
        for mark in pattern.finditer(text):
            # "[^1]: handbook.pdf" says what a footnote is.
            if not text.startswith((":", "："), mark.end()):
                # What follows in brackets is the address of a link.
                found[mark.start()] = mark[0].partition("(http")[0].partition("(#")[0]
    return sorted(found.items())


def without_emphasis(text: str) -> str:
    """The text without signs of emphasis; the label of a list item loses its capital letters.

    "**Battery Life**: 20 hours" names nobody who is called Life.
    """
    if "*" in text or "_" in text:
        text = _BOLD_LABEL.sub(_in_lower_case, text)
    return _EMPHASIS.sub("", text)


def _in_lower_case(label: re.Match[str]) -> str:
    words = label[0].lower()
    return "" if _OF_LAYOUT.issuperset(_LETTERS.findall(words)) else words


def opens_sentence(piece: str) -> bool:
    """Whether a piece, however short, is no part of the sentence before it."""
    if piece.lstrip()[:1] not in _OPENINGS:
        return False
    return bool(
        _ITEM_OPENS.match(piece)
        or is_heading_line(piece)
        or (_ROW.match(piece) and has_word(piece))
        or is_source_line(piece)
    )


def is_heading_line(text: str) -> bool:
    """Whether it is set as a heading: behind #, or as a bold line alone."""
    return bool(_HASHES.match(text)) or is_bold_line(text)


def is_bold_line(text: str) -> bool:
    line = _BOLD_LINE.fullmatch(text)
    return line is not None and not _SENTENCE_END.search(line[1])


def is_source_line(text: str) -> bool:
    """Whether a line names its source and claims nothing: "Source: handbook.pdf, p. 3"."""
    if _ROW.match(text):
        rest, sources = _NUMBERED_SOURCE.subn("", text)
        rest, names = _SOURCE_NAME.subn("", rest)
        return bool(sources or names) and not _WORD.search(_REFERENCE.sub("", rest))
    source = _SOURCE_LINE.match(text) or _MORE_IN.match(text)
    if source:
        return names_a_source(text[source.end() :])
    note = _FOOTNOTE.match(text)
    if note is None:
        return False
    rest = text[note.end() :]
    is_named = note[0].endswith((":", "：")) or _REFERENCE.search(rest)
    return bool(is_named and _WORD.search(rest) and names_a_source(rest))


def opens_sources(text: str) -> bool:
    """Whether a list of sources follows: "Sources:", "## References"."""
    source = _SOURCE_LINE.match(text)
    return source is not None and not _WORD.search(text[source.end() :])


def names_a_source(text: str, *, is_listed: bool = False) -> bool:
    """Whether a text can be the name of a source: no sentence, and no number but of a place.

    Where it `is_listed` below "Sources:", its numbers are those of volumes and pages.
    """
    rest = _REFERENCE.sub(" ", _without_number(_CITATION.sub("", text)))
    has_value = _DIGIT.search(rest) and not is_listed
    is_long = len(_LETTERS.findall(rest)) > MOST_OF_A_SOURCE
    return not (has_value or is_long or states_something(rest))


def _without_number(text: str) -> str:
    number = _ITEM_OPENS.match(text)
    return text[number.end() :] if number else text


def states_something(text: str) -> bool:
    """Whether a text that could be a name holds a verb, by its form."""
    words = _LETTERS.findall(text)
    for word in words:
        if word.islower() and (word in _VERBS or (word.endswith("ed") and len(word) > 4)):
            return True
    return any(word.lower() in _FINITE for word in words[1:]) or bool(
        _STATED_IN_CHINESE.search(text)
    )


def states_in_heading(text: str) -> bool:
    """Whether a heading claims something: "Revenue fell 30 %", "Price: 20 dollars"."""
    plain = _without_number(without_emphasis(without_citations(text)))
    if plain.rstrip().endswith(("?", "？")) or _ASKING.match(plain):
        return False
    is_long = len(_LETTERS.findall(plain)) > MOST_OF_A_HEADING
    return bool(
        is_long
        or _DIGIT.search(plain)
        or _VALUE_BEHIND_COLON.search(plain)
        or states_something(plain)
    )


def is_rule(text: str) -> bool:
    """Whether it is the line below the head of a table: "|---|:--|"."""
    return "--" in text and not _WORD.search(text)


def is_head(text: str, following: str) -> bool:
    """Whether it is the head of a table and claims nothing, as "| Model | Hours |"."""
    if "|" not in text:
        return False
    # The published sentences have the rule behind the head.
    head = text.rstrip("|:+=- ")
    is_above_rule = "--" in text[len(head) :] or is_rule(following)
    return is_above_rule and not _DIGIT.search(head) and not states_something(head)


class ItemNumbers:
    """The numbers of list items in sentences, one after another: they count up."""

    def __init__(self) -> None:
        self._last = 0

    def removed_from(self, text: str, *, is_last: bool) -> str:
        """The text without them. What ends the last sentence is a value: "The answer is: 1."."""

        def shortened(item: re.Match[str]) -> str:
            opening, number = item.groups()
            ends_all = is_last and not _WORD.search(text, item.end())
            if not number or ends_all or int(number) not in (1, self._last, self._last + 1):
                return item[0]
            self._last = int(number)
            return f"{opening} "

        text = _NUMBER_OF_ROW.sub(shortened, text)
        return _ITEM_NUMBER.sub(shortened, text)


def is_heading(text: str, before: str, following: str) -> bool:
    """Whether a sentence is a heading and claims nothing, by what stands around it.

    What ends an answer, and a bold line beside another one, is an item rather than a heading; and
    "**Berlin**", where "It is ..." follows, is the answer.
    """
    if not is_heading_line(text) or not following:
        return False
    is_answer = not before and _POINTS_BACK.match(following)
    is_item = is_bold_line(before) or is_bold_line(following)
    if is_bold_line(text) and (is_answer or is_item):
        return False
    return not states_in_heading(text)


def has_word(text: str) -> bool:
    return _WORD.search(text) is not None


def may_hold_item_numbers(text: str) -> bool:
    return "|" in text or _MAY_NUMBER.search(text) is not None


def with_item_numbers(pieces: Iterable[str]) -> list[str]:
    """The pieces of a line, where a stop behind the number of an item has cut it off.

    A line may begin with any number; within it they count up from 1.
    """
    line: list[str] = []
    carried, last = "", None
    for piece in pieces:
        piece = f"{carried} {piece}" if carried else piece
        carried = ""
        alone = _ONLY_NUMBER.fullmatch(piece)
        first = _FIRST_NUMBER.search(piece) if piece.endswith(("1.", "1)")) else None
        if alone and (not line or int(alone[1]) - 1 == last):
            carried, last = piece, int(alone[1])
        elif first:
            line.append(piece[: first.start(1)].rstrip())
            carried, last = first[1], 1
        else:
            line.append(piece)
    return [*line, carried] if carried else line
