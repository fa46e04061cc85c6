"""A sheet to print: answers with empty boxes that a class ticks, and the key to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from evaluators.catalogue import labels_sentences
from evaluators.document.blocks import Table
from evaluators.errors import ParameterError
from evaluators.people.labellers import labeller_title
from evaluators.records import LabelEvidence, Sample, Sentences
from evaluators.report import coloured, page, shortened
from evaluators.report.samples import MOST_OF_A_QUESTION
from evaluators.rounds.records import MOST_ANSWERS
from evaluators.runs import rounds, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.formulas import formula_of
from evaluators.runs.rounds import USUAL
from evaluators.runs.run_view import WHAT_COUNTS, RunView
from evaluators.text.claimed import NO_CLAIM
from evaluators.text.language import mark, say
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.trace.definitions import definition_named
from evaluators.trace.labelling import GOLD, labellings
from evaluators.trace.metrics import TRACEScores, fractions
from evaluators.trace.values import FOUR, METRICS

STYLE = Path(__file__).with_name("sheet.css")
BOXES = (mark("supported"), mark("partly"), mark("not"))
ASKED = mark("What do the documents say?")
HOW = mark(
    "Read the documents, then tick one box for each sentence of the answer. Supported: the "
    "documents say all of it. Partly: they say some of it. Not: no document says it."
)


class SheetAnswer(NamedTuple):
    """An answer on a sheet, and what labellers say of it by their names: gold first, if any."""

    position: int
    sample: Sample
    by_labeller: Mapping[str, TRACEScores]

    @property
    def sentences(self) -> Sentences:
        return next(iter(self.by_labeller.values())).sentences

    @property
    def verdicts(self) -> dict[str, dict[str, str]]:
        """What each labeller says of each sentence."""
        return {
            by: coloured.verdicts(scores.sentences, scores.labels)
            for by, scores in self.by_labeller.items()
        }


def is_possible(view: RunView) -> bool:
    """Whether the run has answers whose sentences are labelled."""
    return labels_sentences(view.run.evaluator) and bool(view.counts.scored)


def sheet(view: RunView, n: int = USUAL, written: datetime | None = None) -> str:
    """A page of the `n` most instructive answers of a TRACE run, three boxes for each sentence.

    No label stands on it; `sheet_key` has those of the same answers. Raises `ParameterError` for a
    run without sentence labels, and for fewer than 1 or more than 20 answers.
    """
    answers = _answers_of_sheet(view, n, WHAT_COUNTS)
    head = [
        f'<p class="sheet-name"><span>{say("Your name")}</span><span>{say("Date")}</span></p>',
        # Not the run's title, which may name a model and so what to expect of it.
        page.head(say(ASKED), [view.run.dataset_name]),
        page.words(say(HOW)),
        page.words(say(NO_CLAIM)),
    ]
    articles = map(_with_boxes, answers)
    return _page_of_answers(say(ASKED), head, articles, written)


def sheet_key(
    view: RunView,
    n: int = USUAL,
    counted: View = WHAT_COUNTS,
    written: datetime | None = None,
) -> str:
    """The key to the sheet of the same `n`: gold and the run's own labels, the values of both.

    Raises `ParameterError` as `sheet` does.
    """
    answers = _answers_of_sheet(view, n, counted)
    title = say("Key: {sheet}", sheet=say(ASKED))
    run = view.run
    facts = [run.title, run.dataset_name, *run_facts.method(run)]
    definition = definition_named(formula_of(run, counted.definition))
    head = [
        page.head(title, facts),
        page.words(say(definition.in_full or definition.meaning)),
    ]
    articles = map(_with_labels, answers)
    return _page_of_answers(title, head, articles, written)


def _answers_of_sheet(view: RunView, n: int, counted: View) -> list[SheetAnswer]:
    if not 1 <= n <= MOST_ANSWERS:
        raise ParameterError(
            say("A sheet has 1 to {most} answers, not {n}.", most=MOST_ANSWERS, n=n)
        )
    chosen = rounds.instructive(view, n)
    answers = []
    for answer, content in view.contents(chosen).items():
        # The leading metric: what was measured beside it labels no sentences.
        result = content.results.get(0)
        score = result.score if result else None
        if score is None or not isinstance(score.evidence, LabelEvidence):
            continue
        # Gold in front: the key shows first what counts as right.
        names = [GOLD] if GOLD in labellings(score, content.sample) else []
        names += [score.evidence.counted.by]
        by_labeller = {}
        for by in names:
            chosen_by = counted._replace(by=by)
            own = view.labelled_sentences(answer, content, chosen_by)
            if own is not None:
                by_labeller[by] = own
        if by_labeller:
            answers.append(SheetAnswer(answer.position, content.sample, by_labeller))
    if not answers:
        raise ParameterError(say("A sheet takes a TRACE run that has labelled an answer."))
    return answers


def _page_of_answers(
    title: str,
    head: Sequence[str],
    articles: Iterable[str],
    written: datetime | None,
) -> str:
    moment = written or datetime.now(UTC)

    def make(some: Sequence[tuple[int, str]]) -> str:
        numbered = [
            f'<article class="on-sheet"><h3>{number}</h3>{body}</article>\n'
            for number, body in some
        ]
        return page.page(title, [*head, *numbered], moment, [STYLE])

    return page.within_size(make, list(enumerate(articles, start=1)))


def _with_boxes(answer: SheetAnswer) -> str:
    """Question and documents, and the answer's sentences with empty boxes."""
    # Of long documents that part is left in sight which any labeller refers to.
    by_key: dict[str, str] = {}
    for verdicts in answer.verdicts.values():
        by_key |= {key: verdict for key, verdict in verdicts.items() if verdict}
    texts = shortened.sentences(answer.sentences.documents, by_key, ())
    documents = coloured.documents_by_verdict(texts, {}, (), answer.sample)
    box = '<td><span class="box"></span></td>' * len(BOXES)
    rows = []
    for sentence in answer.sentences.response:
        text = html(page.clipped(sentence.text, shortened.MOST_OF_A_SENTENCE))
        key = f'<span class="pl-key">{html(sentence.key)}</span>'
        rows.append(f'<tr><th scope="row" dir="auto">{key}{text}</th>{box}</tr>')
    titles = "".join(
        f'<th scope="col">{html(say(title))}</th>' for title in (mark("Answer"), *BOXES)
    )
    return (
        f'{_question(answer)}<div class="passages">{documents}</div>'
        f'<table class="boxes"><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _with_labels(answer: SheetAnswer) -> str:
    """What each labeller says of every sentence, and the values that follow from it."""
    verdicts = answer.verdicts
    labellers = list(map(labeller_title, verdicts))
    sentences = []
    for sentence in answer.sentences.response:
        said = []
        for own in verdicts.values():
            verdict = own.get(sentence.key, coloured.NO_LABEL)
            said.append(coloured.verdict_in_words(verdict))
        sentences.append([f"{sentence.key} {sentence.text}", *said])
    lines = []
    for by, scores in answer.by_labeller.items():
        relevant = _listed(scores.labels.relevant_keys)
        used = _listed(scores.labels.utilized_keys)
        values = [_value(scores, name) for name in METRICS]
        lines.append([labeller_title(by), relevant, used, *values])
    titles = [value.heading for value in FOUR]
    headings = [mark("Labels by"), mark("Relevant"), mark("Used"), *titles]
    where = page.words(say("Sample {number:,} of the run", number=answer.position + 1), "facts")
    labels = page.html_table(Table([mark("Answer"), *labellers], sentences))
    values_table = page.html_table(Table(headings, lines))
    return f"{_question(answer)}{where}{labels}{values_table}"


def _question(answer: SheetAnswer) -> str:
    text = page.clipped(answer.sample.question, MOST_OF_A_QUESTION)
    return f'<p class="question" dir="auto">{html(text)}</p>'


def _listed(keys: Iterable[str]) -> str:
    # A judge may name a sentence twice.
    return ", ".join(dict.fromkeys(keys)) or "–"


def _value(scores: TRACEScores, name: str) -> str:
    """The value, behind what was divided for it."""
    value = scores.values()[name]
    fraction = "" if value is None else fractions(scores).get(name, "")
    # Adherence is not its fraction: of 1/2 the value is 0.
    if fraction and name != "adherence":
        return f"{fraction} = {SCORE.shown(value)}"
    return SCORE.shown(value)
