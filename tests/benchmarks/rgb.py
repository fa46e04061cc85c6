"""RGB verdicts per second, both policies, on answers of the offline reader."""

import json

from evaluators.rgb_evaluator import RGBEvaluator
from tests.benchmarks.common import answered, timed

SAMPLES = 20_000


def verdicts_per_second(evaluator: RGBEvaluator) -> int:
    samples, count = answered(SAMPLES).samples, 0
    with timed() as clock:
        for sample in samples:
            count += len(evaluator.verdicts(sample))
    return round(count / clock.seconds)


if __name__ == "__main__":
    policies = ("documented", "paper")
    print(json.dumps({f"{policy}_verdicts_per_second": verdicts_per_second(RGBEvaluator(policy=policy)) for policy in policies}))
