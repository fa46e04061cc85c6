"""RGB verdicts per second, both policies, on answers of the offline reader; the median of several rounds."""

import json
import statistics

from evaluators.rgb_evaluator import RGBEvaluator
from evaluators.types import Sample
from tests.benchmarks.common import answered, timed

SAMPLES = 5_000
ROUNDS = 9


def verdicts_per_second(evaluator: RGBEvaluator, samples: tuple[Sample, ...]) -> float:
    with timed() as clock:
        count = sum(len(evaluator.verdicts(sample)) for sample in samples)
    return count / clock.seconds


if __name__ == "__main__":
    samples = answered(SAMPLES).samples
    evaluators = {policy: RGBEvaluator(policy=policy) for policy in ("documented", "paper")}
    rounds = {
        policy: [verdicts_per_second(evaluator, samples) for _ in range(ROUNDS)]
        for policy, evaluator in evaluators.items()
    }
    print(json.dumps({f"{policy}_per_second": round(statistics.median(each)) for policy, each in rounds.items()}))
