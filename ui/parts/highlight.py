"""Evidence coloured inside the text: relevant / used sentences, support, the words that decided a
verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from evaluators.config import ROOT
from evaluators.records import Labels, Sentence, Sentences, Support
from evaluators.text.phrases import Phrase, places
from ui.parts.untrusted import html

STYLE = ROOT / "ui" / "static" / "highlight.css"
USES = {
    (True, False): "relevant",
    (False, True): "used",
    (True, True): "relevant + used",
    (False, False): "",
}
"""What is said of a document sentence that is relevant or not, utilized or not."""

SUPPORTS = {
    Support.FULL: "supported",
    Support.PARTIAL: "partly supported",
    Support.NONE: "not supported",
}
NO_LABEL = "no label"
COLOURS = {
    "relevant": "pl-relevant",
    "used": "pl-used",
    "relevant + used": "pl-both",
    "supported": "pl-full",
    "partly supported": "pl-partial",
    "not supported": "pl-none",
}


def style() -> None:
    """Sends the style sheet; once per page, before any highlighted text."""
    st.html(STYLE)


def verdicts(sentences: Sentences, labels: Labels) -> dict[str, str]:
    """What the labels say of each sentence, by its key; of a document sentence that is neither,
    nothing.
    """
    relevant, used = set(labels.relevant_keys), set(labels.utilized_keys)
    support = {item.key: SUPPORTS[item.support] for item in labels.sentence_support}
    uses = {key: USES[key in relevant, key in used] for key in sentences.document_keys}
    return uses | {
        sentence.key: support.get(sentence.key, NO_LABEL) for sentence in sentences.response
    }


def documents(
    texts: Sequence[Sequence[Sentence]],
    said: Mapping[str, str],
    framed: Collection[str] = (),
    disputed: Collection[str] = (),
    sources: Sequence[str] = (),
) -> str:
    """The documents with each sentence coloured by its verdict; `disputed` keys are those that
    labellers differ on.
    """
    parts = []
    for number, sentences in enumerate(texts, start=1):
        marked = _marked(sentences, said, framed, disputed)
        parts.append(f'<div class="pl-doc pl-text">{_title(number, sources)}{marked}</div>')
    return "".join(parts) or '<p class="pl-text"><i>No documents.</i></p>'


def response(
    sentences: Sequence[Sentence],
    said: Mapping[str, str],
    framed: Collection[str] = (),
    disputed: Collection[str] = (),
) -> str:
    """The response with each sentence coloured by its verdict."""
    marked = _marked(sentences, said, framed, disputed)
    return f'<div class="pl-text">{marked or "<i>The response is empty.</i>"}</div>'


def evidence(sentences: Sequence[Sentence]) -> str:
    """A few sentences by themselves, one a line."""
    lines = (f"<div>{_key(sentence)}{html(sentence.text)}</div>" for sentence in sentences)
    return f'<div class="pl-evidence pl-text">{"".join(lines)}</div>'


def words(
    text: str, evidence: Sequence[str], expected: Sequence[str] = (), *, whole: bool = False
) -> str:
    """A text with the deciding words and an expected answer marked, however they are spaced and in
    either letter case.

    Look-alike characters count as those they look like. `whole` marks whole deciding words only; of
    the expected answer only whole words count. What a model thinks aloud in `<think>` is never
    marked.
    """
    wanted = [Phrase(each, "whole words" if whole else "anywhere") for each in evidence]
    wanted += [Phrase(each, "answer") for each in expected]
    if not text:
        return '<div class="pl-text"><i>The answer is empty.</i></div>'
    end = text.lower().rfind("</think>") + 1
    parts = [html(text[:end])]
    for start, stop in places(text, wanted, end):
        parts += [html(text[end:start]), f'<mark class="pl-word">{html(text[start:stop])}</mark>']
        end = stop
    return f'<div class="pl-text">{"".join(parts)}{html(text[end:])}</div>'


def passages(
    texts: Sequence[str],
    evidence: Sequence[str] = (),
    expected: Sequence[str] = (),
    *,
    whole: bool = False,
    sources: Sequence[str] = (),
) -> str:
    """Plain documents, numbered, with words marked."""
    marked = (words(text, evidence, expected, whole=whole) for text in texts)
    parts = (
        f'<div class="pl-doc">{_title(number, sources)}{text}</div>'
        for number, text in enumerate(marked, 1)
    )
    return "".join(parts) or '<p class="pl-text"><i>No documents.</i></p>'


def _title(number: int, sources: Sequence[str]) -> str:
    """The number of a document, and where it stands where that is known."""
    source = f" · {html(sources[number - 1])}" if number <= len(sources) else ""
    return f"<h4>Document {number}{source}</h4>"


def _marked(
    sentences: Sequence[Sentence],
    said: Mapping[str, str],
    framed: Collection[str],
    disputed: Collection[str],
) -> str:
    return " ".join(
        _sentence(s, said[s.key], s.key in framed, s.key in disputed) for s in sentences
    )


def _sentence(sentence: Sentence, verdict: str, framed: bool, disputed: bool) -> str:
    classes = " ".join(filter(None, ["pl-s", COLOURS.get(verdict), "pl-chosen" if framed else ""]))
    badge = f'<span class="pl-cue">{verdict}</span>' if verdict else ""
    differs = '<span class="pl-disputed" title="Labellers differ">≠</span>' if disputed else ""
    return f'<span class="{classes}">{_key(sentence)}{html(sentence.text)}{badge}{differs}</span>'


def _key(sentence: Sentence) -> str:
    return f'<span class="pl-key">{html(sentence.key)}</span>'
