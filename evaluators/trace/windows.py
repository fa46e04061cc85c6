"""Windows of whole sentences, for samples that are too long for a judge, and their merging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from evaluators.records import Labels, Sentence, Sentences, SentenceSupport
from evaluators.text.chunking import Span
from evaluators.text.similarity import terms
from evaluators.trace.labelling import STRICTEST_FIRST
from evaluators.trace.labelling_prompt import keyed_line

MOST_REPEATED = 1_000_000
"""Tokens that the windows of a sample may repeat: its response stands in each."""


class Extent(NamedTuple):
    """How long a text is: its words, and its size in bytes within the prompt."""

    words: int
    size: int


def windows_within(
    extents: Sequence[Extent],
    most: Extent,
    overlap: int,
) -> Iterator[Span]:
    """Windows (start, end) over sentences of these extents, each as long as `most` allows.

    A window shares sentences of at most `overlap` words with the one before and always goes on
    beyond it; it holds at least one sentence, even one that is longer than `most`.
    """
    window = 0, _end_of_window(extents, 0, most)
    yield window
    while window[1] < len(extents):
        window = _next_window(extents, window, most, overlap)
        yield window


def parts_within(
    sentences: Sentences,
    size: Callable[[Sentences], int],
    budget: int | None,
    chunks: tuple[int, int],
) -> list[Sentences]:
    """The sample whole, or in windows where its prompt has a `size` of more tokens than `budget`.

    `chunks` are the most words of a window, and those that neighbours share.
    """
    if budget is None or size(sentences) <= budget:
        return [sentences]
    # A token is counted as four bytes; what no window can make fit is sent whole.
    without_documents = size(part(sentences, (0, 0)))
    bytes_left = 4 * (budget - without_documents)
    if bytes_left <= 0:
        return [sentences]
    extents = []
    for sentence in chain.from_iterable(sentences.documents):
        # With the line breaks around it. Half a character has no bytes of its own.
        length = len(keyed_line(sentence).encode(errors="replace")) + 2
        # A published sentence without words counts as one: else windows of thousands are shared.
        extents.append(Extent(len(terms(sentence.text)) or 1, length))
    # Where questions are asked about each sentence, these take more than its text.
    beside = 4 * (size(sentences) - without_documents) - sum(extent.size for extent in extents)
    each = max(0, beside // max(1, len(extents)))
    extents = [extent._replace(size=extent.size + each) for extent in extents]
    words, overlap = chunks
    # No more of them are made than may be asked about.
    most_windows = MOST_REPEATED // max(1, without_documents)
    every = windows_within(extents, Extent(words, bytes_left), overlap)
    windows = list(islice(every, most_windows + 1))
    if len(windows) > most_windows:
        return [sentences]
    return [part(sentences, window) for window in windows]


def part(sentences: Sentences, span: Span) -> Sentences:
    """The sentences of one window, with the whole response.

    The span counts document sentences through all documents.
    """
    start, end = span
    documents: list[tuple[Sentence, ...]] = []
    first = 0
    for document in sentences.documents:
        # A negative index would count from the end of the document.
        begin = max(start - first, 0)
        finish = max(end - first, 0)
        documents.append(document[begin:finish])
        first += len(document)
    # Every document stays, be it empty: keys and numbers of documents are those of the whole.
    return Sentences(documents=tuple(documents), response=sentences.response, turns=sentences.turns)


def merge_windows(windows: Sequence[Labels], parts: Sequence[Sentences]) -> Labels:
    """The labels of all windows as one: each response sentence by its best window."""
    if len(windows) == 1:
        return windows[0]
    all_keys = chain.from_iterable(part.document_keys for part in parts)
    # Windows overlap, so that a key can stand in two of them.
    keys = tuple(dict.fromkeys(all_keys))
    relevant = [labels.relevant_keys for labels in windows]
    utilized = [labels.utilized_keys for labels in windows]
    return Labels(
        relevant_keys=_in_any_window(relevant, keys),
        utilized_keys=_in_any_window(utilized, keys),
        sentence_support=_best_supports(windows, keys, parts[0].response),
    )


def _next_window(
    extents: Sequence[Extent],
    last: Span,
    most: Extent,
    overlap: int,
) -> Span:
    last_start, last_end = last
    start = last_end
    shared = 0
    # Back over as many sentences as may be shared, but never to the start of the last window.
    while start - 1 > last_start:
        shared += extents[start - 1].words
        if shared > overlap:
            break
        start -= 1
    end = _end_of_window(extents, start, most)
    # Where what is shared leaves no room for a further sentence, less is shared.
    while end <= last_end:
        start += 1
        end = _end_of_window(extents, start, most)
    return start, end


def _end_of_window(extents: Sequence[Extent], start: int, most: Extent) -> int:
    end = start
    words = size = 0
    while end < len(extents):
        words += extents[end].words
        size += extents[end].size
        is_too_long = words > most.words or size > most.size
        if is_too_long and end > start:
            break
        end += 1
    return end


def _in_any_window(named: Iterable[Sequence[str]], keys: Sequence[str]) -> tuple[str, ...]:
    chosen = set(chain.from_iterable(named))
    return tuple(key for key in keys if key in chosen)


def _best_supports(
    windows: Sequence[Labels],
    keys: Sequence[str],
    response: Sequence[Sentence],
) -> tuple[SentenceSupport, ...]:
    by_key: dict[str, list[SentenceSupport]] = {sentence.key: [] for sentence in response}
    for labels in windows:
        for support in labels.sentence_support:
            by_key[support.key].append(support)
    judged = [supports for supports in by_key.values() if supports]
    return tuple(_highest_support(supports, keys) for supports in judged)


def _highest_support(supports: Sequence[SentenceSupport], keys: Sequence[str]) -> SentenceSupport:
    """The highest support, in the words of the window that gave it.

    It rests on all the sentences that carry it in any window.
    """
    heights = [STRICTEST_FIRST.index(support.support) for support in supports]
    best = supports[heights.index(max(heights))]
    carrying = _in_any_window([support.supporting_keys for support in supports], keys)
    return best.model_copy(update={"supporting_keys": carrying})
