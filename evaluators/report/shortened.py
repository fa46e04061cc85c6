"""Long texts cut to what a report has room for: what was judged stays, gaps say how long they are.

A document may have millions of characters, a report has at most 6 MB.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from evaluators.records import Sentence
from evaluators.report.page import gap_in_words

ROOM = 5_000
"""Characters of a sample's documents, or of its answer, that need not be cut."""
BESIDE = 300
"""Characters of a document that are shown whatever its sentences are."""
MOST_MARKED = 30_000
MOST_SENTENCES = 300
"""What is shown of a sample's judged sentences at most: nobody reads as many on paper."""
MOST_OF_A_SENTENCE = 4_000
AROUND = 200
"""Characters on both sides of marked words."""


def sentences(
    texts: Sequence[Sequence[Sentence]],
    by_key: Mapping[str, str],
    disputed: Collection[str],
) -> list[list[Sentence]]:
    """The texts with every sentence that has a verdict; of the others only some where all is long.

    A gap is a sentence without a key.
    """
    if sum(len(sentence.text) for own in texts for sentence in own) <= ROOM:
        return [list(own) for own in texts]
    room, count = MOST_MARKED, MOST_SENTENCES
    shortened: list[list[Sentence]] = []
    for own in texts:
        parts: list[Sentence] = []
        # The room for judged sentences is the sample's, that for the others each document's own:
        # a long first document must not take the beginnings of all the next ones.
        beside, gap = BESIDE, 0
        for sentence in own:
            is_judged = bool(by_key.get(sentence.key)) or sentence.key in disputed
            text = sentence.text[:MOST_OF_A_SENTENCE]
            fits = count > 0 and (len(text) <= room if is_judged else len(text) <= beside)
            if not fits:
                gap += len(sentence.text)
                continue
            if gap:
                parts.append(_gap(gap))
            # What a single long sentence loses is said in the gap behind it.
            gap = len(sentence.text) - len(text)
            parts.append(sentence.model_copy(update={"text": text}))
            count -= 1
            if is_judged:
                room -= len(text)
            else:
                beside -= len(text)
        if gap:
            parts.append(_gap(gap))
        shortened.append(parts)
    return shortened


def around(text: str, places: Sequence[tuple[int, int]], most: int) -> Iterator[str]:
    """The beginning of a long text and what stands around the marked places, with the gaps."""
    if len(text) <= most:
        yield text
        return
    kept = [(0, BESIDE)]
    room = most - BESIDE
    for start, stop in places:
        first, last = max(0, start - AROUND), min(len(text), stop + AROUND)
        if last - first > room:
            break
        room -= last - first
        # Stretches that touch become one, or the words between them would be shown twice.
        if first <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(last, kept[-1][1]))
        else:
            kept.append((first, last))
    end = 0
    for first, last in kept:
        if first > end:
            yield gap_in_words(first - end)
        yield text[first:last]
        end = last
    if end < len(text):
        yield gap_in_words(len(text) - end)


def _gap(number: int) -> Sentence:
    return Sentence(key="", text=gap_in_words(number))
