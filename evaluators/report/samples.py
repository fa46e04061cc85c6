"""Samples of a run in a report: question, answer, documents with their evidence, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluators import rgb_words
from evaluators.catalogue import goes_by_rules
from evaluators.llm import catalogue
from evaluators.people import labellers
from evaluators.records import JudgeEvidence, LabelEvidence, Sample
from evaluators.report import coloured, marked, page, shortened
from evaluators.report.picked import Picked
from evaluators.runs import rulings, run_facts
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import Content, RunView
from evaluators.runs.shown_values import title, value_titles
from evaluators.text.language import say, translated
from evaluators.text.markup import html
from evaluators.text.scale import SCORE
from evaluators.text.words import accepted, in_a_line, name_and_text
from evaluators.trace.labelling import labellings

MOST_OF_A_QUESTION = 4_000
MOST_OF_A_DOCUMENT = 2_000
MOST_DOCUMENTS = 20
"""Documents that are shown whatever they hold."""
MOST_OF_A_REASON = 1_000
MOST_REASONS = 30
"""Sentences of an answer whose verdict is explained."""


class _ArticleParts(NamedTuple):
    """What stands beside what; all of it markup."""

    facts: str
    answer: str
    documents: str


def articles(view: RunView, counted: View, every: Sequence[Picked]) -> str:
    """The samples one below the other; one that cannot be read is left out."""
    contents = view.contents([one.answer for one in every])
    models = run_facts.titles(view.run)
    parts = []
    for one in every:
        content = contents.get(one.answer)
        if content is None:
            continue
        whose = f" · {models[one.answer.model]}" if len(models) > 1 else ""
        number = say("Sample {number:,}", number=one.answer.position + 1)
        heading = f"{number}{whose}"
        beside = _parts_of_article(view, counted, one, content)
        parts.append(_article(heading, one, content, beside))
    return "".join(parts)


def legend_of_verdicts(texts: str) -> str:
    """What the colours and signs in these labelled texts mean, each with its words."""
    entries = []
    for words in (*filter(None, coloured.USES.values()), *coloured.SUPPORTS.values()):
        entries.append(f'<span class="pl-s {coloured.colour(words)}">{html(say(words))}</span>')
    if (sign := coloured.sign_of_dispute()) in texts:
        entries.append(f"<span>{sign} {html(say('labellers differ'))}</span>")
    return f'<p class="pl-legend">{"".join(entries)}</p>'


def _article(heading: str, one: Picked, content: Content, parts: _ArticleParts) -> str:
    question = page.clipped(content.sample.question, MOST_OF_A_QUESTION)
    expected = content.sample.ground_truth
    true_answer = ""
    if expected is not None:
        clipped = page.clipped(accepted(expected), MOST_OF_A_QUESTION)
        true_answer = page.words(say("True answer: {answer}", answer=clipped), "facts")
    answer, documents = html(say("Answer")), html(say("Documents"))
    why = f'<span class="why">{html(translated(one.why))}</span>'
    return (
        f'<article><div class="intro"><h3 dir="auto">{html(heading)}{why}</h3>'
        f'<p class="question" dir="auto">{html(question)}</p>{parts.facts}</div>'
        f'<div class="columns"><div><h4>{answer}</h4>{parts.answer}{true_answer}</div>'
        f'<div><h4>{documents}</h4><div class="passages">{parts.documents}</div></div>'
        "</div></article>\n"
    )


def _parts_of_article(view: RunView, counted: View, one: Picked, content: Content) -> _ArticleParts:
    if parts := _labelled_parts(view, counted, one, content):
        return parts
    if goes_by_rules(view.run.evaluator):
        return _ruled_parts(view, counted, content)
    return _ArticleParts(
        _metric_items(view, content),
        _plain(content.response or ""),
        plain_documents(content.sample),
    )


# TRACE


def _labelled_parts(
    view: RunView, counted: View, one: Picked, content: Content
) -> _ArticleParts | None:
    """The sentences in the colours of their labels; `None` where there are none."""
    scores = view.labelled_sentences(one.answer, content, counted)
    score = content.results[0].score if 0 in content.results else None
    if scores is None or score is None or not isinstance(score.evidence, LabelEvidence):
        return None
    by_key = coloured.verdicts(scores.sentences, scores.labels)
    by_labeller = labellings(score, content.sample)
    verdicts = {
        by: coloured.verdicts(scores.sentences, own.labels) for by, own in by_labeller.items()
    }
    disputed = []
    for key in by_key:
        said = {own[key] for own in verdicts.values()}
        if len(said) > 1:
            disputed.append(key)
    (answer,) = shortened.sentences([scores.sentences.response], by_key, disputed)
    documents = shortened.sentences(scores.sentences.documents, by_key, disputed)
    values = []
    for name, value in scores.values().items():
        values.append(f"{title(name)} {SCORE.shown(value)}")
    reasons = coloured.said(scores.sentences, scores.labels, score.evidence.counted.by)
    shown_reasons = {item.key: reasons[item.key] for item in answer if item.key in reasons}
    reading = coloured.response(answer, by_key, disputed)
    reading += _explained(shown_reasons, verdicts, disputed)
    reading += page.items(_flaws(view, counted, one, content)[:MOST_REASONS])
    bodies = [coloured.sentences_by_verdict(own, by_key, disputed) for own in documents]
    are_judged = [any(by_key.get(item.key) for item in own) for own in documents]
    return _ArticleParts(
        # The values of the first metric are TRACE's own, which stand in the line above.
        page.words(" · ".join(values), "facts") + _metric_items(view, content, first=1),
        reading,
        _numbered_documents(bodies, content.sample, are_judged),
    )


def _flaws(view: RunView, counted: View, one: Picked, content: Content) -> list[str]:
    """What is wrong with the sentences of an answer beside their labels."""
    rows = view.page([one.answer], counted)
    first = view.flaws(one.answer.model, counted).first_document
    return [
        page.clipped(name_and_text(key, say("; ").join(words)), MOST_OF_A_REASON)
        for row in rows
        for key, words in view.flaws_of(row, content, counted, first).by_sentence().items()
    ]


def _explained(
    reasons: Mapping[str, str],
    verdicts: Mapping[str, Mapping[str, str]],
    disputed: Sequence[str],
) -> str:
    """Why the sentences have their verdicts, and what each labeller says where they differ."""
    explained = []
    for key, reason in reasons.items():
        explained.append(page.clipped(f"{key}: {reason}", MOST_OF_A_REASON))
    differ = []
    # Of the answer only: document sentences would be too many to read.
    for key in disputed:
        if key in reasons:
            said = []
            for by, own in verdicts.items():
                said.append(f"{labellers.labeller_title(by)} {coloured.verdict_in_words(own[key])}")
            differ.append(name_and_text(key, in_a_line(said)))
    items = page.items(explained[:MOST_REASONS])
    if differ:
        items += page.words(say("Labellers differ:"), "facts") + page.items(differ[:MOST_REASONS])
    return items


# RGB


def _ruled_parts(view: RunView, counted: View, content: Content) -> _ArticleParts:
    """What the answer does, the rule that decided it, and the words that it decided on."""
    run = view.run
    result = content.results.get(0)
    score = result.score if result else None
    answered = content.answered
    evaluator = rulings.rgb_evaluator(run, counted.policy)
    verdicts = rulings.verdicts_by(run, evaluator, answered, score)
    marks = marked.Marks.of(answered, verdicts)
    facts = page.words(" · ".join(rgb_words.task_facts(answered)), "facts")
    if headline := rgb_words.headline(evaluator, answered, verdicts):
        mark = "✓" if headline.passed else "✗"
        facts += page.words(f"{headline.question} {mark} {headline.answer}")
    reasons: list[str] = []
    if score:
        judge = catalogue.model_title(run.judge) if run.judge else say("judge")
        response = answered.response or ""
        reasons += map(_in_words, rgb_words.decisions(verdicts, score, response, judge))
    answer = _marked_extract(answered.response or "", marks, shortened.ROOM)
    documents = [_marked_extract(words, marks, MOST_OF_A_DOCUMENT) for words in answered.evidence]
    # The legend names only the colours that occur, so it is made of the finished texts.
    return _ArticleParts(
        facts + _metric_items(view, content, first=1),
        answer + marked.legend_of_marks(answer, *documents) + page.items(reasons),
        marked.strip(answered.roles) + _numbered_documents(documents, answered),
    )


def _in_words(decision: rgb_words.Decision) -> str:
    answer = say("yes") if decision.passed else say("no")
    return f"{decision.asked}: {answer}. {page.clipped(decision.why, MOST_OF_A_REASON)}"


def _marked_extract(text: str, marks: marked.Marks, most: int) -> str:
    """The text with its marks; of a long one what stands around them."""
    places = [(start, stop) for start, stop, _ in marks.places(text)]
    parts = shortened.around(text, places, most)
    return "".join(marked.text_with_marks(part, marks) for part in parts)


# Other metrics


def _metric_items(view: RunView, content: Content, first: int = 0) -> str:
    """The values of every metric from this number on, each with the reason that it gave."""
    titles = run_facts.metric_titles(view.run)
    answered = content.answered
    lines = []
    for number, result in sorted(content.results.items()):
        score = result.score
        if number < first:
            continue
        if score is None:
            lines.append(say("{metric}: failed", metric=titles[number]))
            continue
        own = value_titles(view.run, number, score.values)
        parts = [f"{own[name]} {SCORE.shown(value)}" for name, value in score.values.items()]
        reason = score.reason
        if not reason and isinstance(score.evidence, JudgeEvidence):
            reason = score.evidence.reason
        spec = view.run.evaluators[number]
        parts += map(_in_words, rgb_words.decisions_of_score(spec, answered, score))
        parts.append(page.clipped(translated(reason), MOST_OF_A_REASON))
        lines.append(" · ".join(filter(None, parts)))
    return page.items(lines)


def plain_documents(sample: Sample) -> str:
    """The documents without any colours."""
    return _numbered_documents([_plain(words) for words in sample.evidence], sample)


def _plain(words: str) -> str:
    return coloured.uncoloured(page.clipped(words, MOST_OF_A_DOCUMENT))


def _numbered_documents(
    bodies: Sequence[str],
    sample: Sample,
    are_judged: Sequence[bool] = (),
) -> str:
    """The documents with their numbers and sources; of very many those that hold evidence."""
    parts = []
    for number, body in enumerate(bodies):
        is_judged = number < len(are_judged) and are_judged[number]
        if number < MOST_DOCUMENTS or is_judged:
            parts.append(marked.document_with_role(sample, number, body))
    without = len(bodies) - len(parts)
    note = ""
    if without:
        note = page.words(say("{count:,} further documents are left out.", count=without), "facts")
    return "".join(parts) + note or coloured.no_documents()
