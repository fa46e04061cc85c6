"""An RGB sample: the answer, the documents it was given, and how the rules decided."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from evaluators.catalogue import from_spec
from evaluators.llm import catalogue
from evaluators.records import Ability, RuleEvidence, Run, Sample, SampleResult, Score, Verdict
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_rules import BY_WORDS
from evaluators.text.accepted import spellings
from ui.parts import highlight
from ui.parts.untrusted import plain
from ui.sample import texts


def show(run: Run, sample: Sample, result: SampleResult | None) -> None:
    """An answer of an RGB run beside its documents, and the rules that decided about it."""
    evaluator = from_spec(run.evaluator)
    assert isinstance(evaluator, RGBEvaluator)
    _task(sample, evaluator.policy)
    score = result.score if result else None
    by_rules = score.evidence if score else None
    verdicts = by_rules.verdicts if isinstance(by_rules, RuleEvidence) else {}
    left, right = st.columns([1, 1], gap="large")
    with left:
        _answer(sample, verdicts)
        texts.expected_answer(sample)
        if score:
            _verdict_badges(run, verdicts, score)
    with right:
        _documents(sample, verdicts)
    if verdicts:
        _rules_in_order(evaluator, sample)
    if run.prompt:
        texts.generator_prompt("Prompt", run.prompt, sample)


def _task(sample: Sample, policy: str) -> None:
    task = sample.rgb
    if task is None:
        return
    facts = [task.ability.label]
    # Counterfactual prompts have no noise levels.
    if task.noise is not None and task.ability is not Ability.COUNTERFACTUAL:
        facts.append(f"noise {100 * task.noise:.0f} %")
    if task.effective_noise is not None:
        facts.append(f"effective noise {100 * task.effective_noise:.0f} %")
    st.caption(" · ".join([*facts, f"policy {policy}"]))


def _answer(sample: Sample, verdicts: Mapping[str, Verdict]) -> None:
    st.subheader("Answer")
    if sample.response is None:
        st.caption("There is no answer.")
        return
    expected = spellings(sample.ground_truth)
    decided = _words_that_decided(verdicts)
    whole = _are_whole_words(verdicts)
    st.html(highlight.marked_text(sample.response, decided, expected, whole=whole))


def _documents(sample: Sample, verdicts: Mapping[str, Verdict]) -> None:
    st.subheader("Documents")
    expected = spellings(sample.ground_truth)
    if expected:
        st.caption(
            "Marked here and in the answer: the words that decided, and the expected answer."
        )
    passages = highlight.passages(
        sample.retrieved_documents,
        _words_that_decided(verdicts),
        expected,
        whole=_are_whole_words(verdicts),
        sources=sample.sources,
    )
    st.html(passages)


def _words_that_decided(verdicts: Mapping[str, Verdict]) -> list[str]:
    return [word for verdict in verdicts.values() for word in verdict.evidence]


def _are_whole_words(verdicts: Mapping[str, Verdict]) -> bool:
    return any(verdict.rule == BY_WORDS for verdict in verdicts.values())


def _verdict_badges(run: Run, verdicts: Mapping[str, Verdict], score: Score) -> None:
    """What the rules decided, and beside it what a judge said."""
    judged = score.evidence.judged if isinstance(score.evidence, RuleEvidence) else {}
    judge = f"judge {catalogue.model_title(run.judge)}" if run.judge else "judge"
    for name, verdict in verdicts.items():
        _verdict_badge(name, verdict.passed, verdict.rule)
        if name in judged:
            _verdict_badge(name, judged[name].passed, judge)
            st.text(judged[name].words)
    if score.reason:
        st.caption(plain(score.reason))


def _verdict_badge(name: str, passed: bool, by: str) -> None:
    badge = st.success if passed else st.warning
    icon = ":material/check_circle:" if passed else ":material/cancel:"
    answer = "yes" if passed else "no"
    badge(f"**{name.capitalize()}: {answer}** · decided by: {plain(by)}", icon=icon)


def _rules_in_order(evaluator: RGBEvaluator, sample: Sample) -> None:
    outcomes = {None: "does not decide", True: "yes", False: "no"}
    rows = []
    for step in evaluator.steps(sample):
        passed = step.verdict.passed if step.verdict else None
        words = step.verdict.evidence if step.verdict else ()
        rows.append(
            {
                "Asked": step.question,
                "Rule": step.rule,
                "Outcome": outcomes[passed],
                "Words": ", ".join(words),
            }
        )
    st.subheader("Rules, in the order in which they are tried")
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Rules in order")
