"""What the rules of RGB say of an answer, in sentences for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluators.abilities import RGB_VALUES
from evaluators.catalogue import declared_values
from evaluators.records import (
    Ability,
    DocumentRole,
    EvaluatorSpec,
    RGBTask,
    RuleEvidence,
    Sample,
    Score,
    Verdict,
)
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
from evaluators.text.language import mark, say, translated
from evaluators.text.normalise import is_chinese
from evaluators.text.phrases import as_written
from evaluators.text.scale import RATE
from evaluators.text.words import joined_sentences, name_and_text, readable

OUTCOMES = {
    Outcome.RIGHT: mark(": it gives the true answer."),
    Outcome.PARTLY: mark(": it gives only a part of the true answer."),
    Outcome.WRONG: mark(": it does not give the true answer."),
    Outcome.DECLINES: mark(": it declines."),
    Outcome.ANSWERS: mark(": it answers all the same."),
    Outcome.NOTICES_AND_CORRECTS: mark(", and it gives the true answer."),
    Outcome.NOTICES: mark(", but it does not give the true answer."),
    Outcome.CORRECTS: mark(", but it gives the true answer."),
    Outcome.REPEATS: mark(": it repeats it."),
    Outcome.EMPTY: mark(": the answer is empty."),
}
"""What stands behind "Yes" or "No"."""

ASKED = {value.in_score: value.verdict for value in RGB_VALUES if value.verdict}
"""What is asked of an answer, by the name of the verdict."""

SAYS = mark("It says {words}.")
RULES = {
    CONTAINED: mark("It contains {words}."),
    "short answer": mark("It is a part of the true answer: {words}."),
    BY_WORDS: mark("It has at least 80 % of the words of the true answer: {words}."),
    ONLY_PLANTED: mark("It contains {words}, the planted error, and not the true answer."),
    "empty": mark("The answer is empty."),
    "primary phrase": SAYS,
    "keyword": SAYS,
    "marker phrase": SAYS,
    "Chinese marker phrase": SAYS,
    "denies the planted answer": SAYS,
    NO_MATCH.rule: mark("The true answer is not in it."),
    NO_REJECTION.rule: mark("It says no phrase that declines, such as “insufficient information”."),
    NO_DETECTION.rule: mark("It says no phrase such as “incorrect” or “factual errors”."),
}
"""What a rule that decided says, by its name in the verdict."""

BY_JUDGE = "judged"
"""What stands for a rule where a judge decided."""

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
    answer = say("Yes") if first.passed else say("No")
    answer += say(OUTCOMES[evaluator.outcome(sample, verdicts)])
    return Headline(say(sample.rgb.ability.question), first.passed, answer)


def rule_in_words(verdict: Verdict, response: str) -> str:
    """The one rule that decided, as a sentence; its words as they stand in the answer."""
    written = as_written(response, verdict.evidence)
    words = say(", ").join(f"“{word}”" for word in written)
    if sentence := RULES.get(verdict.rule):
        return say(sentence, words=words)
    # Several required answers: "1 of 2 required answers".
    rule = translated(verdict.rule)
    if words:
        return say("It gives {rule}: {words}.", rule=rule, words=words)
    return say("It gives {rule}.", rule=rule)


def of_its_language(steps: Iterable[TriedRule], response: str) -> list[TriedRule]:
    """The rules tried without those for another language, which did not decide."""
    foreign = ENGLISH_RULES if is_chinese(response) else CHINESE_RULES
    return [step for step in steps if step.verdict or step.rule not in foreign]


class Decision(NamedTuple):
    """What was asked of an answer, whether the answer is yes, and the reason in a sentence.

    `rule` is the name of what decided; of a judge the glossary's word for it.
    """

    asked: str
    passed: bool
    why: str
    rule: str


def decisions_of_score(spec: EvaluatorSpec, sample: Sample, score: Score) -> list[Decision]:
    """The verdicts that a metric stored as the evidence of its values; none where it has others."""
    if not isinstance(score.evidence, RuleEvidence):
        return []
    asked = {value.in_score: value.verdict or value.heading for value in declared_values(spec.name)}
    decided = []
    for name, verdict in score.evidence.verdicts.items():
        why = rule_in_words(verdict, sample.response or "")
        if verdict.rule not in RULES:
            written = as_written(sample.response or "", verdict.evidence)
            why = name_and_text(verdict.rule, say(", ").join(f"“{word}”" for word in written))
        question = asked.get(name) or readable(name)
        decided.append(Decision(say(question), verdict.passed, why, verdict.rule))
    return decided


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
        why = rule_in_words(verdict, response)
        decided.append(Decision(say(ASKED[name]), verdict.passed, why, verdict.rule))
        if name not in judged:
            continue
        of_judge = judged[name]
        # The words of a judge stay, but for those that stand for its silence.
        sentences = [translated(of_judge.words)]
        if of_judge.passed != verdict.passed:
            sentences.append(say("Rule and judge differ."))
        why = joined_sentences(sentences)
        decided.append(Decision(say("Judge {judge}", judge=judge), of_judge.passed, why, BY_JUDGE))
    return decided


def task_facts(sample: Sample) -> list[str]:
    """What an RGB prompt tests, and under how much noise or with how many forged documents."""
    task = sample.rgb
    if task is None:
        return []
    facts = [say(task.ability.label)]
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
    return say("{forged} of {documents} documents forged", forged=forged, documents=documents)


def _noise_fact(asked: float, effective: float | None) -> str:
    # What reads alike is not told twice, however many digits differ.
    words = RATE.shown(asked)
    if effective is None or RATE.shown(effective) == words:
        return say("noise {noise}", noise=words)
    return say("noise {noise} (asked for {asked})", noise=RATE.shown(effective), asked=words)


def share_in_words(roles: Sequence[DocumentRole]) -> str:
    counts = Counter(roles)
    if forged := counts[DocumentRole.PLANTED]:
        return say("{forged} of {documents} documents forged", forged=forged, documents=len(roles))
    return say(
        "{holding} of {documents} documents hold the answer",
        holding=counts[DocumentRole.ANSWER],
        documents=len(roles),
    )
