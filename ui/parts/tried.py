"""The rules that were tried on an answer of RGB, in their order, up to the ones that decided."""

from __future__ import annotations

from evaluators import rgb_words
from evaluators.records import Sample
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.text.phrases import as_written

OUTCOMES = {None: "does not decide", True: "yes", False: "no"}


def rows(evaluator: RGBEvaluator, sample: Sample) -> list[dict[str, str]]:
    """What each rule asks, what it says, and on which words of the answer, as they stand there."""
    response = sample.response or ""
    rows = []
    for step in rgb_words.of_its_language(evaluator.steps(sample), response):
        passed = step.verdict.passed if step.verdict else None
        words = step.verdict.evidence if step.verdict else ()
        rows.append(
            {
                "Asked": step.question,
                "Rule": step.rule,
                "Outcome": OUTCOMES[passed],
                "Words": ", ".join(as_written(response, words)),
            }
        )
    return rows
