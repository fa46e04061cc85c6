"""An RGB sample: what the answer does with its documents, and the rule that decided."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from evaluators import rgb_words as in_words
from evaluators.llm import catalogue
from evaluators.records import (
    Cell,
    Run,
    Sample,
    SampleResult,
    Score,
    Verdict,
)
from evaluators.report import marked
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_words import Decision, Headline
from evaluators.runs import rulings, run_facts
from evaluators.runs.rulings import rgb_evaluator
from evaluators.text.language import say
from evaluators.text.markup import html
from evaluators.text.words import short_name
from ui import session
from ui.parts import chosen_view, explained, highlight, texts, tried
from ui.parts.untrusted import plain
from ui.rgb import rules
from ui.sample import verdict_labels

SHOWN_OF_AN_ANSWER = 300
"""Characters of another model's answer: more than a line of the widest window holds."""


def show(run: Run, cell: Cell, sample: Sample, result: SampleResult | None) -> None:
    """An answer of an RGB run beside its documents, and the rule that decided about it."""
    highlight.style_of_marks()
    story = st.container()
    below = st.container()
    # Drawn first although it stands below: all above depends on the rules that are chosen there.
    with below:
        evaluator = rules.switch(run)
        if run.prompt:
            texts.generator_prompt(say("Prompt"), run.prompt, sample)
    score = result.score if result else None
    verdicts = rulings.verdicts_by(run, evaluator, sample, score)
    with story:
        if headline := in_words.headline(evaluator, sample, verdicts):
            _headline_of_sample(headline)
        if facts := in_words.task_facts(sample):
            st.caption(" · ".join(facts))
        if len(run.models) > 1:
            _every_model(run, cell, evaluator, sample)
        _marked_answer_and_documents(run, cell, evaluator, sample, verdicts, score)


def presented_rgb(run: Run, sample: Sample, result: SampleResult | None) -> None:
    """What the answer does, beside its documents, by the rules chosen on the other pages."""
    highlight.style_of_marks()
    evaluator = rgb_evaluator(run, chosen_view.of(run).policy)
    verdicts = rulings.verdicts_by(run, evaluator, sample, result.score if result else None)
    if headline := in_words.headline(evaluator, sample, verdicts):
        _headline_of_sample(headline)
    marks = marked.Marks.of(sample, verdicts)
    left, right = st.columns(2)
    with left:
        st.html(marked.text_with_marks(sample.response or "", marks))
        texts.expected_answer(sample)
    with right:
        st.html(marked.strip(sample.roles) + marked.documents_with_roles(sample, marks))


def _marked_answer_and_documents(
    run: Run,
    cell: Cell,
    evaluator: RGBEvaluator,
    sample: Sample,
    verdicts: Mapping[str, Verdict],
    score: Score | None,
) -> None:
    marks = marked.Marks.of(sample, verdicts)
    answer = marked.text_with_marks(sample.response or "", marks)
    documents = marked.documents_with_roles(sample, marks)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header(say("Answer"))
        if sample.response is None:
            st.caption(say("There is no answer."))
        else:
            st.html(answer + marked.legend_of_marks(answer, documents))
        texts.expected_answer(sample)
        if score:
            judge = catalogue.model_title(run.judge) if run.judge else say("judge")
            for decision in in_words.decisions(verdicts, score, sample.response or "", judge):
                decision_line(decision)
            asked = {name: say(words) for name, words in in_words.ASKED.items()}
            verdict_labels.ask_verdicts(run, cell, score, asked)
        # What was not checked yet, or failed, no rule has judged.
        if verdicts:
            _rules_in_order(evaluator, sample)
    with right:
        st.header(say("Documents"))
        st.html(marked.strip(sample.roles) + documents)


def _headline_of_sample(headline: Headline) -> None:
    colour = "green" if headline.passed else "red"
    icon = "check_circle" if headline.passed else "cancel"
    answer = f":{colour}[:material/{icon}: {headline.answer}]"
    st.header(f"{headline.question} {answer}", anchor=False)


def decision_line(decision: Decision) -> None:
    """What was asked, the answer, and the rule that decided it."""
    mark = ":green[:material/check_circle:]" if decision.passed else ":red[:material/cancel:]"
    answer = say("yes") if decision.passed else say("no")
    why = f"{plain(decision.why)} {explained.question_mark(decision.rule)}"
    asked = say("{question}: {answer}.", question=plain(say(decision.asked)), answer=answer)
    st.markdown(f"{mark} **{asked}** {why}")


def _rules_in_order(evaluator: RGBEvaluator, sample: Sample) -> None:
    rows, number = tried.rows(evaluator, sample)
    label = say("All rules tried ({number:,})", number=number)
    with st.expander(label, icon=":material/rule:", key="rules_tried"):
        tried.show(rows, number)


def _every_model(run: Run, cell: Cell, evaluator: RGBEvaluator, sample: Sample) -> None:
    """What each model answers to the same prompt, in a line each."""
    store = session.store()
    given = store.samples.get(run.fingerprint, cell.position).response
    rows = []
    for number, name in enumerate(run_facts.titles(run)):
        result = store.results.of_answer(run.id, cell.position, number).get(0)
        response = result.response if result else None
        # Nothing is stored where no model was asked, as the data had an answer.
        if response is None:
            response = given
        own = sample.model_copy(update={"response": response})
        verdicts = rulings.verdicts_by(run, evaluator, own, result.score if result else None)
        headline = in_words.headline(evaluator, own, verdicts)
        answer = html((own.response or "")[:SHOWN_OF_AN_ANSWER])
        cells = [
            f'<th scope="row">{html(short_name(name))}</th>',
            f'<td class="pl-line" dir="auto">{answer}</td>',
            f'<td class="pl-verdict">{_verdict_cell(headline, result)}</td>',
        ]
        kind = ' class="pl-shown"' if number == cell.model else ""
        rows.append(f"<tr{kind}>{''.join(cells)}</tr>")
    heads = (say("Model"), say("Answer"), say("Verdict"))
    titles = "".join(f'<th scope="col">{html(title)}</th>' for title in heads)
    body = f"<thead><tr>{titles}</tr></thead><tbody>{''.join(rows)}</tbody>"
    st.html(f'<table class="pl-models">{body}</table>')


def _verdict_cell(headline: Headline | None, result: SampleResult | None) -> str:
    if headline:
        # A mark as well: colour alone is not seen by everybody.
        return f"{'✓' if headline.passed else '✗'} {html(headline.answer)}"
    return say("failed") if result else say("not checked yet")
