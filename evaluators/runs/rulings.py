"""RGB verdicts by other rules than those of the run: stored answers are read anew, nobody is asked.

What a judge said of the answers stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluators.abilities import RGB_VALUES
from evaluators.catalogue import from_spec, goes_by_rules, labels_sentences
from evaluators.records import Cell, EvaluatorSpec, RuleEvidence, Run, Sample, Score, Verdict
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.runs.aggregate import View, units
from evaluators.runs.formulas import formula_of
from evaluators.runs.store import Answer, Outline, Store
from evaluators.statistics import kappa, kappa_interval, tables_of_verdicts
from evaluators.text.language import mark

VERDICTS_OF_JUDGES = tuple(value.judge_of for value in RGB_VALUES if value.judge_of)
"""What a judge may say beside the rules."""
RULINGS = {"definition": mark("formula"), "policy": mark("rules")}
"""What the columns of `how_counted` are called in words."""


def rgb_evaluator(run: Run, policy: str | None = None) -> RGBEvaluator:
    """The evaluator of an RGB run, by its own rules or those of this policy.

    Raises `ParameterError` for an unknown policy.
    """
    spec = run.evaluator
    if policy is not None:
        spec = EvaluatorSpec(name=spec.name, params={**spec.params, "policy": policy})
    evaluator = from_spec(spec)
    assert isinstance(evaluator, RGBEvaluator)
    return evaluator


def policy_of(run: Run, policy: str | None) -> str | None:
    """The policy where it makes a difference to this run; else `None`."""
    if policy is None or not goes_by_rules(run.evaluator):
        return None
    if policy == rgb_evaluator(run).policy:
        return None
    return policy


def how_counted(run: Run, seen: View) -> dict[str, str]:
    """The formula of labels or the set of rules that values are by, under its column in files."""
    if labels_sentences(run.evaluator):
        return {"definition": formula_of(run, seen.definition)}
    if goes_by_rules(run.evaluator):
        return {"policy": seen.policy or rgb_evaluator(run).policy}
    return {}


def read_anew(
    store: Store,
    run: Run,
    scored: Iterable[tuple[Cell, Sample, Score]],
    policy: str,
) -> Iterator[tuple[Cell, Sample, Score]]:
    """Each scored answer with what the rules of the policy say of it; the sample has the answer."""
    evaluator = rgb_evaluator(run, policy)
    responses = store.results.responses(run)
    for cell, sample, score in scored:
        response = responses.get((cell.position, cell.model))
        answered = sample.model_copy(update={"response": response})
        yield cell, answered, _with_judge(evaluator.score(answered), score)


def _with_judge(ruled: Score, stored: Score) -> Score:
    """The new verdicts beside what the judge said then."""
    values = dict(ruled.values)
    for name, value in stored.values.items():
        if name.endswith("_judged"):
            values[name] = value
    evidence = ruled.evidence
    if isinstance(evidence, RuleEvidence) and isinstance(stored.evidence, RuleEvidence):
        judged = stored.evidence.judged
        evidence = evidence.model_copy(update={"judged": judged})
    return ruled.model_copy(update={"values": values, "evidence": evidence})


def verdicts_by(
    run: Run,
    evaluator: RGBEvaluator,
    sample: Sample,
    score: Score | None,
) -> Mapping[str, Verdict]:
    """The stored verdicts, or those of other rules; none of what was not checked.

    The sample has the answer.
    """
    if score is None or not isinstance(score.evidence, RuleEvidence):
        return {}
    if evaluator.policy == run.evaluator.params.get("policy", evaluator.policy):
        return score.evidence.verdicts
    return evaluator.verdicts(sample)


# What differs


def differing(rows: Iterable[Outline], others: Iterable[Outline]) -> tuple[Answer, ...]:
    """The answers of which a verdict differs between two views of a run's rows."""
    by_answer = {Answer(row.position, row.model): row.values for row in others}
    answers = []
    for row in rows:
        answer = Answer(row.position, row.model)
        before = by_answer.get(answer, row.values)
        if row.status == "scored" and row.values != before:
            answers.append(answer)
    return tuple(answers)


def rule_and_judge_differ(rows: Iterable[Outline]) -> tuple[Answer, ...]:
    """The answers of which the judge says another thing than the rules."""
    answers = []
    for row in rows:
        for name in VERDICTS_OF_JUDGES:
            by_rule = row.values.get(name)
            by_judge = row.values.get(f"{name}_judged", by_rule)
            if by_judge != by_rule:
                answers.append(Answer(row.position, row.model))
    return tuple(answers)


class BesideJudge(NamedTuple):
    """How many answers rule and judge say yes or no to, in the four ways that there are.

    Cohen's kappa has its 95 % interval over questions.
    """

    both: int
    rule_only: int
    judge_only: int
    neither: int
    kappa: float | None
    kappa_interval: tuple[float, float] | None


def beside_judge(rows: Sequence[Outline], name: str) -> BesideJudge | None:
    """The rule's verdicts of this name beside the judge's; `None` where nobody judged."""
    keys, by_rule, by_judge = [], [], []
    for row, key in zip(rows, units(rows), strict=True):
        rule, judge = row.values.get(name), row.values.get(f"{name}_judged")
        if rule is not None and judge is not None:
            keys.append(key)
            by_rule.append(rule)
            by_judge.append(judge)
    if not keys:
        return None
    tables = tables_of_verdicts(keys, by_rule, by_judge)
    table = tables.sum(axis=0)
    return BesideJudge(
        both=int(table[1, 1]),
        rule_only=int(table[1, 0]),
        judge_only=int(table[0, 1]),
        neither=int(table[0, 0]),
        kappa=kappa(table),
        kappa_interval=kappa_interval(tables),
    )


# For files


def facts(
    run: Run,
    scored: Iterable[tuple[Cell, Sample, Score]],
    policy: str | None,
) -> dict[Answer, dict[str, object]]:
    """What a file says of each scored answer beside its values, by column."""
    about_run = {
        "policy": policy or rgb_evaluator(run).policy,
        "seed": run.seed,
        "prompt": run.prompt_hash if run.models else None,
    }
    facts_of: dict[Answer, dict[str, object]] = {}
    for cell, sample, score in scored:
        evidence = score.evidence
        if not isinstance(evidence, RuleEvidence):
            continue
        task = sample.rgb
        rules: dict[str, str] = {}
        words: dict[str, str] = {}
        for name, verdict in evidence.verdicts.items():
            rules[name] = verdict.rule
            words[name] = ", ".join(verdict.evidence)
        answer = Answer(cell.position, cell.model)
        facts_of[answer] = {
            "effective_noise": task.effective_noise if task else None,
            "ground_truth": sample.ground_truth,
            "counterfactual": task.counterfactual if task else None,
            "rule": _texts_by_verdict(rules),
            "words": _texts_by_verdict(words),
            "judge_said": " ".join(judged.words for judged in evidence.judged.values()),
            **about_run,
        }
    return facts_of


def _texts_by_verdict(by_verdict: Mapping[str, str]) -> str:
    """One verdict's text as it is; of several each under its name."""
    if len(by_verdict) == 1:
        return next(iter(by_verdict.values()))
    return "; ".join(f"{name}: {text}" for name, text in by_verdict.items())
