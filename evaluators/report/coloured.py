"""Evidence coloured inside the text: relevant and used sentences, support."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evaluators.comparison.changed import Parts
from evaluators.records import Labels, Sample, Sentence, Sentences, Support
from evaluators.text.language import mark, say, translated
from evaluators.text.markup import html
from evaluators.trace.labelling import JURY

STYLE = Path(__file__).with_name("coloured.css")
USES = {
    (False, False): "",
    (True, False): mark("relevant"),
    (False, True): mark("used"),
    (True, True): mark("relevant + used"),
}
"""What is said of a document sentence that is relevant or not, utilized or not."""

SUPPORTS = {
    Support.FULL: mark("supported"),
    Support.PARTIAL: mark("partly supported"),
    Support.NONE: mark("not supported"),
}
NO_LABEL = mark("no label")
USED_BY = "used by "
"""How the verdict begins on a sentence that one of two answers used: their names follow."""


class Look(NamedTuple):
    """How a verdict looks: the end of its class in every style sheet, and the sign before it."""

    look: str
    sign: str = ""


LOOKS = {
    "supported": Look("full", "✓"),
    "partly supported": Look("partial", "~"),
    "not supported": Look("none", "✗"),
    NO_LABEL: Look("open", "?"),
    "relevant": Look("relevant"),
    "used": Look("used"),
    "relevant + used": Look("both"),
}


def empty_answer() -> str:
    return f"<i>{html(say('The answer is empty.'))}</i>"


def no_documents() -> str:
    return f'<p class="pl-text"><i>{html(say("No documents."))}</i></p>'


def sign_of_dispute() -> str:
    """Behind a sentence about which labellers do not agree."""
    return f'<span class="pl-disputed" title="{html(say("Labellers differ"))}">≠</span>'


def verdict_in_words(verdict: str) -> str:
    """A verdict as the reader's language has it."""
    if verdict.startswith(USED_BY):
        return say("used by {names}", names=verdict.removeprefix(USED_BY))
    return say(verdict)


def colour(verdict: str) -> str:
    """The class that colours a verdict, in reports and rounds; empty for what has none."""
    # The names that follow are people's, so no table of looks can hold these verdicts.
    if verdict.startswith(USED_BY):
        verdict = "used"
    return f"pl-{LOOKS[verdict].look}" if verdict in LOOKS else ""


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


def documents_by_verdict(
    texts: Sequence[Sequence[Sentence]],
    by_key: Mapping[str, str],
    disputed: Collection[str] = (),
    sample: Sample | None = None,
) -> str:
    """The documents with each sentence coloured by its verdict.

    Labellers differ on the sentences of `disputed` keys. The sample tells where documents are from.
    """
    parts = []
    for number, sentences in enumerate(texts, start=1):
        coloured = sentences_by_verdict(sentences, by_key, disputed)
        parts.append(titled_document(document_title(number, sample), coloured))
    return "".join(parts) or no_documents()


def titled_document(title: str, body: str) -> str:
    """One document; `body` is markup."""
    return f'<div class="pl-doc pl-text"><h3>{html(title)}</h3>{body}</div>'


def response(
    sentences: Sequence[Sentence],
    by_key: Mapping[str, str],
    disputed: Collection[str] = (),
) -> str:
    """The answer with each sentence coloured by its verdict."""
    coloured = sentences_by_verdict(sentences, by_key, disputed)
    return f'<div class="pl-text">{coloured or empty_answer()}</div>'


def changed(
    sentences: Sequence[Sentence],
    by_key: Mapping[str, str],
    parts: Parts,
) -> str:
    """An answer's sentences in the colours of their verdicts, with the words that changed."""
    spans = []
    for sentence, own in zip(sentences, parts, strict=True):
        words = ""
        for part in own:
            words += f"<mark>{html(part.text)}</mark>" if part.is_changed else html(part.text)
        verdict = by_key.get(sentence.key, "")
        # Said in words as well: colour alone is not seen by everybody.
        cue = f'<span class="pl-cue">{html(verdict_in_words(verdict))}</span>' if verdict else ""
        spans.append(f'<span class="pl-s {colour(verdict)}" dir="auto">{words}{cue}</span>')
    body = " ".join(spans) or empty_answer()
    return f'<div class="pl-text pl-changed">{body}</div>'


def uncoloured(words: str) -> str:
    """A text without any colours."""
    if not words:
        return f'<div class="pl-text">{empty_answer()}</div>'
    return f'<div class="pl-text" dir="auto">{html(words)}</div>'


def passages(texts: Sequence[str], sample: Sample | None = None) -> str:
    """Plain documents, numbered; the sample that they are of tells where they are from."""
    parts = []
    for number, words in enumerate(texts, start=1):
        parts.append(titled_document(document_title(number, sample), uncoloured(words)))
    return "".join(parts) or no_documents()


def document_title(number: int, sample: Sample | None) -> str:
    """The number of a document, and where it stands where that is known; behind the documents of
    the sample are the earlier turns of its conversation.
    """
    turn = number - len(sample.retrieved_documents) if sample and sample.earlier_turns else 0
    if turn > 0:
        return say("Earlier turn {number}", number=turn)
    sources = sample.sources if sample else ()
    source = f" · {sources[number - 1]}" if number <= len(sources) else ""
    return f"{say('Document {number}', number=number)}{source}"


def sentences_by_verdict(
    sentences: Sequence[Sentence],
    by_key: Mapping[str, str],
    disputed: Collection[str],
) -> str:
    """Sentences in the colours of their verdicts."""
    spans = []
    for sentence in sentences:
        verdict = by_key.get(sentence.key, "")
        text = f'<span class="pl-key">{html(sentence.key)}</span>{html(sentence.text)}'
        # Said in words as well: colour alone is not seen by everybody.
        if verdict:
            text += f'<span class="pl-cue">{html(verdict_in_words(verdict))}</span>'
        if sentence.key in disputed:
            text += sign_of_dispute()
        spans.append(f'<span class="{f"pl-s {colour(verdict)}".strip()}" dir="auto">{text}</span>')
    return " ".join(spans)


def said(sentences: Sentences, labels: Labels, by: str) -> dict[str, str]:
    """What a labeller says of each sentence, with the reason; of most document sentences nothing.

    A key that no sentence has is named as such.
    """
    words_of = {}
    for key, verdict in verdicts(sentences, labels).items():
        if verdict:
            words_of[key] = verdict_in_words(verdict)
    document_keys = set(sentences.document_keys)
    for item in labels.sentence_support:
        # Judges name sentences that the answer does not have.
        if item.key not in words_of:
            continue
        words = verdict_in_words(SUPPORTS[item.support])
        if item.supporting_keys:
            keys = []
            for key in item.supporting_keys:
                exists = key in document_keys
                keys.append(key if exists else say("{key} (does not exist)", key=key))
            words = _with_evidence(words, item.support, ", ".join(keys))
        reason = translated(item.explanation)
        words_of[item.key] = _reason_behind_verdict(
            words, _of_jury(reason) if by == JURY else reason
        )
    for key, likely in _likely(labels).items():
        words_of[key] = f"{words_of[key]} ({likely})" if key in words_of else likely
    return words_of


def _of_jury(reason: str) -> str:
    """The votes, which the jury counts by the labels' names: "full 1, none 2"."""
    for support, label in SUPPORTS.items():
        reason = reason.replace(support.value, say(label))
    return reason


def _likely(labels: Labels) -> dict[str, str]:
    """How likely a labeller holds its labels to be, where it says so, by sentence."""
    found = labels.probabilities
    if found is None:
        return {}
    words = {key: say("supported {likely:.2f}", likely=own) for key, own in found.supported.items()}
    for key, own in found.relevant.items():
        used = found.utilized.get(key, 0.0)
        words[key] = say("relevant {likely:.2f}, used {used:.2f}", likely=own, used=used)
    return words


def _with_evidence(verdict: str, support: Support, keys: str) -> str:
    if support is Support.NONE:
        return say("{verdict}, nearest {keys}", verdict=verdict, keys=keys)
    return say("{verdict} by {keys}", verdict=verdict, keys=keys)


def _reason_behind_verdict(words: str, reason: str) -> str:
    """A count of words fits into brackets, a sentence stands by itself."""
    if not reason:
        return words
    is_sentence = reason.endswith((".", "!", "?", "。"))
    if is_sentence:
        return say("{verdict}. {reason}", verdict=words, reason=reason)
    return say("{verdict} ({reason})", verdict=words, reason=reason)
