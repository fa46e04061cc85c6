"""The offline reader: a deterministic baseline that quotes the best supported sentences, without an LLM."""

from __future__ import annotations

import math
import re
from collections import Counter
from difflib import SequenceMatcher
from typing import NamedTuple

from evaluators.prompts import MARKERS, Prompt
from evaluators.text.normalise import is_chinese, nfkc
from evaluators.text.sentences import split_sentences
from evaluators.text.similarity import STOP, terms
from evaluators.types import Completion

MIN_SCORE = 0.6
FLOOR = 1
SHARP = 1
CONTEXT = 0.3
KIND_BONUS = 0.1
AGREEMENT_BONUS = 0.2
SAME_STATEMENT = 0.6
LONGEST_SENTENCE = 400
LONGEST_CHANGE = 6

ASKING = re.compile(
    r"\b(?:(?:which|what|the) )?(?:date|year|month|day|time|location|name) (?:of )?|take place|took place|how (?:many|much)"
    "|什么时候|是什么|什么|是?多少[个人]?|何时|时间|日期|哪[一几]?[个些年天月日号家部里座位颗]?|几[个年月日号位]"
    "|是?谁|分别|都?有|[的了是在吗呢请]", re.I)
PARTS = re.compile(r"\band\b|[,;，、；？]|[和与及]", re.I)

KINDS = {
    "date": re.compile(r"\b(when|date|time|(which|what) (year|day|month))\b|时间|日期|哪.?[天年]|何时|什么时候|几[月号日]", re.I),
    "number": re.compile(
        r"\bhow (?!do|does|did|is|are|was|were|can|could|to\b)\w+|\b(number|percentage|revenue|price)\b"
        r"|多[少高长大远]|几|数量|人数|[率量额]", re.I),
    "name": re.compile(r"\b(who|whom|whose|where)\b", re.I),
}
MONTH = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?"
DATE = re.compile(
    rf"{MONTH} \d{{1,2}}\b|\b\d{{1,2}} {MONTH}|{MONTH}|\b(?:1\d|20)\d\d\b|\d{{1,2}}:\d\d"
    r"|\d{2,4}年|\d{1,2}月\d{1,2}[日号]|\d{1,2}月|[一二三四五六七八九十]+月[一二三四五六七八九十]+日|[一二三四五六七八九十〇零]{4}年",
    re.I)
NUMBER = re.compile(
    r"\d+(?:[.,]\d+)*|[一二三四五六七八九十百千万两]{2,}"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.I)
NAME = re.compile(r"\b[A-Z][\w'’-]+")


class Line(NamedTuple):
    """A sentence of a document, and the words in it."""

    text: str
    document: int
    words: tuple[str, ...]


class Part(NamedTuple):
    """One thing that a question asks for: the kind of answer, and the weight of each word."""

    kind: str
    weights: dict[str, float]


def words(text: str) -> tuple[str, ...]:
    return tuple(term for term in terms(nfkc(text)) if term != STOP)


def asked_words(q: str) -> tuple[str, ...]:
    return tuple(w for p in PARTS.split(q) for w in words(ASKING.sub(" ", p)))


def kind(text: str) -> str:
    k = next((name for name, pattern in KINDS.items() if pattern.search(text)), "")
    return k


def values(kind: str, line: Line, asked: set[str]) -> set[str]:
    if kind == "date":
        found = DATE.findall(line.text)
    elif kind == "number":
        found = NUMBER.findall(DATE.sub(" ", line.text))
    elif kind == "name":
        found = NAME.findall(line.text)
        return {w for v in found for w in words(v)} - asked
    else:
        return set(line.words) - asked
    return {v.lower() for v in found if not set(words(v)) <= asked}


def read(documents: tuple[str, ...]) -> list[Line]:
    return [
        Line(piece, number, words(piece))
        for number, document in enumerate(documents)
        for gap in re.split(r"\s*(?:\.\.\.|…)\s*", document)
        for sentence in split_sentences(gap)
        for piece in re.findall(rf"\S.{{0,{LONGEST_SENTENCE}}}(?!\w)|\S.{{0,{LONGEST_SENTENCE}}}", sentence, re.S)
    ]


def parts(question: str, pages: list[set[str]]) -> list[Part]:
    asked = asked_words(question)
    sharp = set(words(" ".join(re.findall(r"\b[A-Z]\w*|\b\d+", question))))
    df = {w: sum(w in page for page in pages) for w in asked}
    weight = {w: math.log(1 + len(pages) / max(df[w], FLOOR)) * (SHARP if w in sharp else 1) for w in asked}
    pieces = [p for p in PARTS.split(question) if asked_words(p)]
    found = []
    for p in pieces:
        own = asked_words(p)
        found.append(Part(kind(p) or kind(question), {w: weight[w] for w in asked if w in own or df[w] > len(pages) / 2}))
    return found


def coverage(part: Part, held: set[str]) -> float:
    return sum(weight for word, weight in part.weights.items() if word in held) / sum(part.weights.values())


def best(part: Part, asked, lines: list[Line], pages, zh) -> Line | None:
    pagecov = [coverage(part, page) for page in pages]
    k = "" if zh and part.kind == "name" else part.kind
    cov = [(1 - CONTEXT) * coverage(part, set(l.words)) + CONTEXT * pagecov[l.document] for l in lines]
    vals = [values(k, l, asked) if c >= 0.3 else set() for l, c in zip(lines, cov)]
    counts = Counter(v for v, d in {(v, l.document) for l, vs in zip(lines, vals) for v in vs})
    top, chosen = MIN_SCORE, None
    for line, c, vs in zip(lines, cov, vals):
        if not vs:
            continue
        agree = sum(sorted((counts[v] - 1 for v in vs), reverse=True)[:2]) / 2 / max(1, len(pages) - 1)
        score = c + AGREEMENT_BONUS * agree + (KIND_BONUS * min(2, len(vs)) / 2 if k else KIND_BONUS)
        if score > top:
            top, chosen = score, line
    return chosen


def other_side(line: Line, asked: set[str], lines: list[Line]) -> Line | None:
    for other in lines:
        if other.document == line.document:
            continue
        a, b = set(line.words), set(other.words)
        if len(a & b) < SAME_STATEMENT * max(len(a), len(b)) or a == b:
            continue
        ops = SequenceMatcher(None, line.words, other.words, autojunk=False).get_opcodes()
        if any(op == "replace" and not (set(line.words[i:j]) | set(other.words[k:l])) & asked and j - i <= LONGEST_CHANGE and l - k <= LONGEST_CHANGE for op, i, j, k, l in ops):
            return other
    return None


class OfflineReader:
    model = "offline-reader"
    title = "Offline reader (baseline, no key)"

    def complete(self, prompt: Prompt) -> Completion:
        zh = is_chinese(prompt.question)
        markers = MARKERS["zh" if zh else "en"]
        lines = read(prompt.documents)
        asked = set(asked_words(prompt.question))
        pages = [set() for _ in prompt.documents]
        for l in lines:
            pages[l.document].update(l.words)
        if not lines or not asked:
            return Completion(text=markers.rejection)
        found = [l for l in (best(p, asked, lines, pages, zh) for p in parts(prompt.question, pages)) if l]
        if not found:
            return Completion(text=markers.rejection)
        text = " ".join(dict.fromkeys(l.text for l in found))
        if any(other_side(l, asked, lines) for l in found):
            text = markers.errors + " " + text
        return Completion(text=text)
