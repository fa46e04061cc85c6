"""RGB verdicts per second by policy and ability, on answers of the offline reader; the median of
several rounds.

Integration has a verdict on each required answer, as in the benchmark's own labels; planted errors
have two.
"""

import json
import statistics

from evaluators.records import Ability, Sample
from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.rgb_rules import Policy
from tests.benchmarks.common import answered, timed

SAMPLES = 5_000
ROUNDS = 9


def verdict_count(sample: Sample) -> int:
    assert sample.rgb is not None
    if sample.rgb.ability is Ability.INTEGRATION:
        return len(sample.ground_truth or ())
    return 2 if sample.rgb.ability is Ability.COUNTERFACTUAL else 1


def per_second(evaluator: RGBEvaluator, samples: list[Sample]) -> int:
    rounds = []
    for _ in range(ROUNDS):
        with timed() as clock:
            for sample in samples:
                evaluator.verdicts(sample)
        rounds.append(clock.seconds)
    return round(sum(map(verdict_count, samples)) / statistics.median(rounds))


def figures(policy: Policy, samples: list[Sample]) -> dict[str, int]:
    evaluator = RGBEvaluator(policy=policy)
    by_ability = {a.value: [s for s in samples if s.rgb and s.rgb.ability is a] for a in Ability}
    return {
        name: per_second(evaluator, group)
        for name, group in [("all", samples), *by_ability.items()]
    }


if __name__ == "__main__":
    samples = list(answered(SAMPLES).samples)
    print(json.dumps({policy: figures(policy, samples) for policy in ("documented", "paper")}))
