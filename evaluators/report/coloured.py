"""Evidence coloured inside the text: relevant and used sentences, support."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from evaluators.records import Labels, Sentence, Sentences, Support
from evaluators.text.markup import html

STYLE = Path(__file__).with_name("coloured.css")
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


def verdicts(sentences: Sentences, labels: Labels) -> dict[str, str]:
    """What the labels say of each sentence, by its key; empty for an unused, irrelevant one."""
    relevant = set(labels.relevant_keys)
    used = set(labels.utilized_keys)
    support = {item.key: SUPPORTS[item.support] for item in labels.sentence_support}
    verdicts: dict[str, str] = {}
    for key in sentences.document_keys:
        verdicts[key] = USES[key in relevant, key in used]
    for sentence in sentences.response:
        verdicts[sentence.key] = support.get(sentence.key, NO_LABEL)
    return verdicts


def documents(
    texts: Sequence[Sequence[Sentence]],
    by_key: Mapping[str, str],
    disputed: Collection[str] = (),
    sources: Sequence[str] = (),
) -> str:
    """The documents with each sentence coloured by its verdict.

    Labellers differ on the sentences of `disputed` keys.
    """
    parts = []
    for number, sentences in enumerate(texts, start=1):
        coloured = _coloured(sentences, by_key, disputed)
        heading = f"<h3>{html(document_title(number, sources))}</h3>"
        parts.append(f'<div class="pl-doc pl-text">{heading}{coloured}</div>')
    return "".join(parts) or '<p class="pl-text"><i>No documents.</i></p>'


def response(
    sentences: Sequence[Sentence],
    by_key: Mapping[str, str],
    disputed: Collection[str] = (),
) -> str:
    """The answer with each sentence coloured by its verdict."""
    coloured = _coloured(sentences, by_key, disputed)
    return f'<div class="pl-text">{coloured or "<i>The answer is empty.</i>"}</div>'


def text(words: str) -> str:
    """A text without any colours."""
    if not words:
        return '<div class="pl-text"><i>The answer is empty.</i></div>'
    return f'<div class="pl-text" dir="auto">{html(words)}</div>'


def passages(texts: Sequence[str], sources: Sequence[str] = ()) -> str:
    """Plain documents, numbered."""
    parts = []
    for number, words in enumerate(texts, start=1):
        heading = f"<h3>{html(document_title(number, sources))}</h3>"
        parts.append(f'<div class="pl-doc">{heading}{text(words)}</div>')
    return "".join(parts) or '<p class="pl-text"><i>No documents.</i></p>'


def document_title(number: int, sources: Sequence[str]) -> str:
    """The number of a document, and where it stands where that is known."""
    source = f" · {sources[number - 1]}" if number <= len(sources) else ""
    return f"Document {number}{source}"


def _coloured(
    sentences: Sequence[Sentence],
    by_key: Mapping[str, str],
    disputed: Collection[str],
) -> str:
    spans = []
    for sentence in sentences:
        verdict = by_key[sentence.key]
        classes = ["pl-s"]
        if verdict in COLOURS:
            classes.append(COLOURS[verdict])
        text = f'<span class="pl-key">{html(sentence.key)}</span>{html(sentence.text)}'
        # Said in words as well: colour alone is not seen by everybody.
        if verdict:
            text += f'<span class="pl-cue">{verdict}</span>'
        if sentence.key in disputed:
            text += '<span class="pl-disputed" title="Labellers differ">≠</span>'
        spans.append(f'<span class="{" ".join(classes)}" dir="auto">{text}</span>')
    return " ".join(spans)
