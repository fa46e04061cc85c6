"""What the rules of RGB say of an answer, in sentences for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.records import Ability, DocumentRole, RGBTask, RuleEvidence, Sample, Score, Verdict
from evaluators.rgb_evaluator import Outcome, RGBEvaluator
from evaluators.rgb_rules import (
    BY_WORDS,
    CONTAINED,
    NO_DETECTION,
    NO_MATCH,
    NO_REJECTION,
    ONLY_PLANTED,
    TriedRule,
)
from evaluators.text.normalise import is_chinese
from evaluators.text.phrases import as_written

QUESTIONS = {
    Ability.NOISE: "Does it find the true answer in the documents?",
    Ability.REJECTION: "Does it decline when no document holds the answer?",
    Ability.INTEGRATION: "Does it put the answer together from several documents?",
    Ability.COUNTERFACTUAL: "Does it notice the planted error?",
}
OUTCOMES = {
    Outcome.RIGHT: ": it gives the true answer.",
    Outcome.PARTLY: ": it gives only a part of the true answer.",
    Outcome.WRONG: ": it does not give the true answer.",
    Outcome.DECLINES: ": it declines.",
    Outcome.ANSWERS: ": it answers all the same.",
    Outcome.NOTICES_AND_CORRECTS: ", and it gives the true answer.",
    Outcome.NOTICES: ", but it does not give the true answer.",
    Outcome.CORRECTS: ", but it gives the true answer.",
    Outcome.REPEATS: ": it repeats it.",
    Outcome.EMPTY: ": the answer is empty.",
}
"""What stands behind "Yes" or "No"."""

ASKED = {
    "accuracy": "Gives the true answer",
    "rejection": "Declines",
    "detection": "Notices the planted error",
    "correction": "Gives the true answer in spite of it",
}
SAYS = "It says {words}."
RULES = {
    CONTAINED: "It contains {words}.",
    "short answer": "It is a part of the true answer: {words}.",
    BY_WORDS: "It has at least 80 % of the words of the true answer: {words}.",
    ONLY_PLANTED: "It contains {words}, the planted error, and not the true answer.",
    "empty": "The answer is empty.",
    "primary phrase": SAYS,
    "keyword": SAYS,
    "marker phrase": SAYS,
    "Chinese marker phrase": SAYS,
    "denies the planted answer": SAYS,
    NO_MATCH.rule: "The true answer is not in it.",
    NO_REJECTION.rule: "It says no phrase that declines, such as “insufficient information”.",
    NO_DETECTION.rule: "It says no phrase such as “incorrect” or “factual errors”.",
}
"""What a rule that decided says, by its name in the verdict."""

ENGLISH_RULES = ("primary phrase",)
CHINESE_RULES = ("Chinese marker phrase",)


class Headline(NamedTuple):
    """The question of an ability, and the answer to it."""

    question: str
    passed: bool
    answer: str


def headline(
    evaluator: RGBEvaluator,
    sample: Sample,
    verdicts: Mapping[str, Verdict],
) -> Headline | None:
    """What the answer does in words; `None` for a sample of which no ability is known."""
    if sample.rgb is None or not verdicts:
        return None
    # Of planted errors the first verdict is whether the answer notices them.
    first = next(iter(verdicts.values()))
    answer = "Yes" if first.passed else "No"
    answer += OUTCOMES[evaluator.outcome(sample, verdicts)]
    return Headline(QUESTIONS[sample.rgb.ability], first.passed, answer)


def rule_in_words(verdict: Verdict, response: str) -> str:
    """The one rule that decided, as a sentence; its words as they stand in the answer."""
    written = as_written(response, verdict.evidence)
    words = ", ".join(f"“{word}”" for word in written)
    if sentence := RULES.get(verdict.rule):
        return sentence.format(words=words)
    # Several required answers: "1 of 2 required answers".
    return f"It gives {verdict.rule}{f': {words}' if words else ''}."


def of_its_language(steps: Iterable[TriedRule], response: str) -> list[TriedRule]:
    """The rules tried without those for another language, which did not decide."""
    foreign = ENGLISH_RULES if is_chinese(response) else CHINESE_RULES
    return [step for step in steps if step.verdict or step.rule not in foreign]


class Decision(NamedTuple):
    """What was asked of an answer, whether the answer is yes, and the reason in a sentence."""

    asked: str
    passed: bool
    why: str


def decisions(
    verdicts: Mapping[str, Verdict],
    score: Score,
    response: str,
    judge: str,
) -> list[Decision]:
    """The rule that decided each question, and below it what the judge of that name said."""
    judged = score.evidence.judged if isinstance(score.evidence, RuleEvidence) else {}
    decided = []
    for name, verdict in verdicts.items():
        rule = rule_in_words(verdict, response)
        decided.append(Decision(ASKED[name], verdict.passed, rule))
        if name not in judged:
            continue
        of_judge = judged[name]
        differs = "" if of_judge.passed == verdict.passed else " Rule and judge differ."
        decided.append(Decision(f"Judge {judge}", of_judge.passed, f"{of_judge.words}{differs}"))
    return decided


def task_facts(sample: Sample) -> list[str]:
    """What an RGB prompt tests, and under how much noise or with how many forged documents."""
    task = sample.rgb
    if task is None:
        return []
    facts = [task.ability.label]
    if task.ability is Ability.COUNTERFACTUAL:
        if forged := _forged(task, sample):
            facts.append(forged)
    elif task.noise is not None:
        facts.append(_noise_fact(task.noise, task.effective_noise))
    return facts


def _forged(task: RGBTask, sample: Sample) -> str:
    """How many documents hold the planted error; of planted errors all others are noise."""
    if sample.roles:
        return share_in_words(sample.roles)
    if task.effective_noise is None:
        return ""
    documents = len(sample.retrieved_documents)
    forged = round((1 - task.effective_noise) * documents)
    return f"{forged} of {documents} documents forged"


def _noise_fact(asked: float, effective: float | None) -> str:
    # What reads alike is not told twice, however many digits differ.
    if effective is None or f"{effective:.0%}" == f"{asked:.0%}":
        return f"noise {100 * asked:.0f} %"
    return f"noise {100 * effective:.0f} % (asked for {100 * asked:.0f} %)"


def share_in_words(roles: Sequence[DocumentRole]) -> str:
    counts = Counter(roles)
    if forged := counts[DocumentRole.PLANTED]:
        return f"{forged} of {len(roles)} documents forged"
    return f"{counts[DocumentRole.ANSWER]} of {len(roles)} documents hold the answer"
