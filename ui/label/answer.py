"""One answer to label: its texts, what is asked about it, and what the judge said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import streamlit as st

from evaluators.catalogue import declared_values, from_spec, leads
from evaluators.errors import ParameterError
from evaluators.llm_judge import LLMasJudge
from evaluators.people.queues import LabelQueue
from evaluators.prompt_metric import PromptMetric
from evaluators.records import Cell, Run, Sample, Score
from evaluators.report import coloured
from evaluators.runs.run_view import Content
from evaluators.runs.shown_values import title
from evaluators.text.language import say
from evaluators.text.markup import html
from ui import session
from ui.label.bar import Question
from ui.parts import texts

WORDS = {"yes": 1.0, "no": 0.0}
NEEDS_NO_TRUTH = ("rejection",)
"""Values for which the true answer does not matter: there is none in the documents."""


class AnswerToLabel(NamedTuple):
    """An answer of a queue with its texts; `score` is `None` where it cannot be read (any more)."""

    run: Run
    cell: Cell
    values: Sequence[str]
    sample: Sample
    score: Score | None

    @property
    def judge(self) -> str:
        """Who said what the labels stand beside."""
        is_rule = leads(self.run.evaluators[self.cell.metric].name)
        return say("The rule") if is_rule else say("The metric")


def answer_of_cell(run: Run, queue: LabelQueue, cell: Cell) -> AnswerToLabel:
    """The answer as it is stored now."""
    sample = session.store().samples.get(run.fingerprint, cell.position)
    results = session.store().results.of_answer(run.id, cell.position, cell.model)
    result = results.get(cell.metric)
    # Not all of its values are those of this answer: of RGB each ability has others.
    score = result.score if result else None
    asked = [name for name in queue.values if score and score.values.get(name) is not None]
    return AnswerToLabel(
        run=run,
        cell=cell,
        values=asked,
        sample=Content.of(sample, results).answered,
        score=score,
    )


def show(shown: AnswerToLabel) -> None:
    """Question, answer and documents, without a mark that would tell what was judged."""
    sample = shown.sample
    st.html(f'<h2 class="pl-asked" dir="auto">{html(sample.question)}</h2>')
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header(say("Answer"))
        st.html(coloured.uncoloured(sample.response or ""))
        # Where it is not needed it would only sway whoever labels.
        if any(name not in NEEDS_NO_TRUTH for name in shown.values):
            texts.expected_answer(sample)
    with right:
        st.header(say("Documents"))
        st.html(coloured.passages(sample.evidence, sample))


def questions_asked(shown: AnswerToLabel, said: Mapping[tuple[str, str], str]) -> list[Question]:
    """What is asked of each value, with what the person said of it."""
    asked = []
    for name in shown.values:
        words = question_of_value(shown.run, shown.cell.metric, name)
        asked.append(Question(name, words, said.get(("verdict", name), "")))
    return asked


def missing_verdicts(shown: AnswerToLabel, said: Mapping[tuple[str, str], str]) -> str:
    """What has no label yet, in words; empty where nothing is missing."""
    if all(("verdict", name) in said for name in shown.values):
        return ""
    return say("Answer with Yes (1) or No (2) first, or say Cannot tell (C).")


def judged(shown: AnswerToLabel) -> str:
    """What the judge, or the rule, says of each value."""
    values = shown.score.values if shown.score else {}
    lines = []
    for name in shown.values:
        word = say("yes") if values[name] else say("no")
        lines.append(f"{question_of_value(shown.run, shown.cell.metric, name)} {word}")
    return say("{judge}: {verdicts}", judge=shown.judge, verdicts=" · ".join(lines))


def question_of_value(run: Run, metric: int, name: str) -> str:
    """What a value of a metric answers with yes or no."""
    spec = run.evaluators[metric]
    for value in declared_values(spec.name):
        if value.verdict and value.in_score == name:
            return say("{asked}?", asked=say(value.verdict))
    # Of a metric that is gone, or of other parameters by now, the name of the value is left.
    evaluator = None
    with suppress(ParameterError):
        evaluator = from_spec(spec)
    if isinstance(evaluator, LLMasJudge):
        return evaluator.judgement_query
    if isinstance(evaluator, PromptMetric):
        return evaluator.question
    return say("{asked}?", asked=title(name))
