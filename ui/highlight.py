"""Evidence coloured inside the text: relevant / used sentences, support, the words that decided a verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import streamlit as st

from evaluators.text.normalise import nfkc
from evaluators.types import Labels, Sentence, Support
from ui.untrusted import html

STYLE = Path(__file__).parent / "static" / "highlight.css"
CUES = {"relevant": "relevant", "used": "used", "both": "relevant + used"}
SUPPORT_CUES = {Support.FULL: "supported", Support.PARTIAL: "partly supported", Support.NONE: "not supported"}


def style() -> None:
    """Sends the style sheet; once per page, before any highlighted text."""
    st.html(STYLE)


def documents(texts: Sequence[Sequence[Sentence]], labels: Labels, chosen: Iterable[str] = ()) -> str:
    """The documents with each sentence marked as relevant, used, both or neither; `chosen` keys are framed."""
    relevant, used, framed = set(labels.relevant_keys), set(labels.utilized_keys), set(chosen)
    parts = []
    for number, sentences in enumerate(texts, start=1):
        marked = (_sentence(s, *_use(s.key, relevant, used), s.key in framed) for s in sentences)
        parts.append(f'<div class="pl-doc pl-text"><h4>Document {number}</h4>{" ".join(marked)}</div>')
    return "".join(parts) or '<p class="pl-text"><i>No documents.</i></p>'


def response(sentences: Sequence[Sentence], labels: Labels, chosen: str | None = None) -> str:
    """The response with each sentence marked as supported, partly or not."""
    support = {item.key: item.support for item in labels.sentence_support}
    marked = (
        _sentence(s, f"pl-{support[s.key]}", SUPPORT_CUES[support[s.key]], s.key == chosen)
        if s.key in support
        else _sentence(s, "", "no label", s.key == chosen)
        for s in sentences
    )
    return f'<div class="pl-text">{" ".join(marked) or "<i>The response is empty.</i>"}</div>'


def words(text: str, evidence: Sequence[str], *, whole: bool = False) -> str:
    """A text with the deciding words marked; letter case, white space and look-alike characters do not matter.

    `whole` marks whole words only. What a model thinks aloud in `<think>` is never marked.
    """
    wanted = [r"\s*".join(map(re.escape, "".join(word.split()))) for word in evidence if word.strip()]
    if not wanted:
        return f'<div class="pl-text">{html(text) or "<i>The answer is empty.</i>"}</div>'
    pattern, parts, end = "|".join(wanted), [], text.lower().rfind("</think>") + 1
    parts.append(html(text[:end]))
    for match in re.compile(rf"\b(?:{pattern})\b" if whole else pattern, re.IGNORECASE).finditer(_alike(text), end):
        start, stop = match.span()
        parts += [html(text[end:start]), f'<mark class="pl-word">{html(text[start:stop])}</mark>']
        end = stop
    return f'<div class="pl-text">{"".join(parts)}{html(text[end:])}</div>'


def passages(texts: Sequence[str], evidence: Sequence[str] = (), *, whole: bool = False) -> str:
    """Plain documents, numbered, with words marked."""
    marked = (words(text, evidence, whole=whole) for text in texts)
    parts = (f'<div class="pl-doc"><h4>Document {number}</h4>{text}</div>' for number, text in enumerate(marked, 1))
    return "".join(parts) or '<p class="pl-text"><i>No documents.</i></p>'


def _use(key: str, relevant: set[str], used: set[str]) -> tuple[str, str]:
    if key in relevant and key in used:
        return "pl-both", CUES["both"]
    if key in relevant:
        return "pl-relevant", CUES["relevant"]
    return ("pl-used", CUES["used"]) if key in used else ("", "")


def _sentence(sentence: Sentence, css: str, cue: str, framed: bool) -> str:
    classes = " ".join(filter(None, ["pl-s", css, "pl-chosen" if framed else ""]))
    badge = f'<span class="pl-cue">{cue}</span>' if cue else ""
    key = f'<span class="pl-key">{html(sentence.key)}</span>'
    return f'<span class="{classes}">{key}{html(sentence.text)}{badge}</span>'


def _alike(text: str) -> str:
    """The text in one form where every character keeps its place, else as it is."""
    plain = nfkc(text)
    return plain if len(plain) == len(text) else text
