"""The samples on which two systems differ most: both answers, with what changed and the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from evaluators.comparison.changed import changed_words
from evaluators.comparison.paired import in_points
from evaluators.comparison.result import Comparison, RowPair
from evaluators.comparison.sides import Side
from evaluators.document.blocks import Evidence, Section
from evaluators.records import Sentence
from evaluators.report import coloured, page, samples, shortened
from evaluators.runs.run_view import Content
from evaluators.runs.store import Answer
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.text.words import readable, signed


class DifferingPair(NamedTuple):
    """A sample of which two systems have different values: what they are called, and the value."""

    comparison: Comparison
    sides: tuple[Side, Side]
    value: str
    row: RowPair


def most_different(
    comparison: Comparison,
    sides: tuple[Side, Side],
    most: int,
) -> list[DifferingPair]:
    """The samples that differ most in the value that tells most.

    Of samples that differ alike those of both directions in turn.
    """
    value = comparison.most_telling()
    # Where nothing was checked for both there is none.
    if value is None:
        return []
    higher = [row for row in value.rows if row.difference > 0]
    lower = [row for row in value.rows if row.difference < 0]
    # Sorting keeps the order of equals, so the turns hold among samples that differ alike.
    in_turn = filter(None, chain.from_iterable(zip_longest(higher, lower)))
    rows = sorted(in_turn, key=lambda row: -abs(row.difference))
    return [DifferingPair(comparison, sides, value.name, row) for row in rows[:most]]


def article_of_pair(pair: DifferingPair) -> str:
    """Question, both answers side by side, and the documents; nothing where none can be read."""
    row = pair.row
    positions = (row.first_position, row.second_position)
    contents: list[Content | None] = []
    for side, position in zip(pair.sides, positions, strict=True):
        answer = Answer(position, side.model)
        contents.append(side.view.contents([answer]).get(answer))
    # The two runs have the same question: either one's will do, where the other cannot be read.
    first = next((content for content in contents if content), None)
    if first is None:
        return ""
    answers = [_answer_of_side(*each) for each in zip(pair.sides, positions, contents, strict=True)]
    parts = changed_words(*([item.text for item in own.sentences] for own in answers))
    columns = []
    titles = (pair.comparison.first, pair.comparison.second)
    values = (row.first, row.second)
    for title, value, own, marked in zip(titles, values, answers, parts, strict=True):
        body = coloured.changed(own.sentences, own.cues, marked)
        columns.append(f'<div><h4 dir="auto">{html(title)} · {SCORE.shown(value)}</h4>{body}</div>')
    question = page.clipped(first.sample.question, samples.MOST_OF_A_QUESTION)
    why = say(
        "{value} {points} points",
        value=readable(pair.value),
        points=signed(in_points(row.difference), digits=1),
    )
    documents = Evidence(samples.plain_documents(first.sample))
    folded = page.rendered([Section(say("Documents"), [documents], is_folded=True)])
    number = say("Sample {number:,}", number=row.first_position + 1)
    return (
        f'<article><div class="intro"><h3>{html(number)}'
        f'<span class="why">{html(why)}</span></h3>'
        f'<p class="question" dir="auto">{html(question)}</p></div>'
        f'<div class="columns pair">{"".join(columns)}</div>'
        f"{folded}</article>\n"
    )


class _AnswerInSentences(NamedTuple):
    sentences: Sequence[Sentence]
    cues: Mapping[str, str]


def _answer_of_side(side: Side, position: int, content: Content | None) -> _AnswerInSentences:
    """The answer in sentences with what the labels say of each, else as a whole."""
    if content is None:
        return _AnswerInSentences([Sentence(key="", text=say("This sample cannot be read."))], {})
    answer = Answer(position, side.model)
    scores = side.view.labelled_sentences(answer, content, side.counted)
    if scores is None:
        text = page.clipped(content.response or "", samples.MOST_OF_A_DOCUMENT)
        return _AnswerInSentences([Sentence(key="", text=text)] if text else [], {})
    cues = coloured.verdicts(scores.sentences, scores.labels)
    (sentences,) = shortened.sentences([scores.sentences.response], cues, ())
    return _AnswerInSentences(sentences, cues)
