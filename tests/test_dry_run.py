"""What a judge would be asked: as an evaluator declares it, and as a dry run finds it out."""

import pytest

from evaluators import AdvancedRAGEvaluator, RGBEvaluator
from evaluators.dry_run import answered, prompts_of
from evaluators.records import Ability, RGBTask, Sample

LONG = " ".join(f"Sentence {number} of a long report on mills." for number in range(900))
FACTS = {"question": "Where?", "retrieved_documents": (LONG, "By the river."), "ground_truth": "A"}
ANSWER = {"response": "By the river. It is old."}


class UndeclaredLabels(AdvancedRAGEvaluator):
    """Asks the same, and leaves it to a dry run."""

    def judge_prompts(self, sample, prompt_budget=None):
        return None


class UndeclaredRGB(RGBEvaluator):
    """Asks the same, and leaves it to a dry run."""

    def judge_prompts(self, sample, prompt_budget=None):
        return None


def rgb(ability, **facts):
    return Sample(id="1", rgb=RGBTask(ability=ability), **FACTS | facts)


@pytest.mark.parametrize(
    ("sample", "prompt_budget", "count"),
    [
        (Sample(id="1", **FACTS, **ANSWER), None, 1),
        # 7,200 words in windows of 512, of which neighbours share 50
        (Sample(id="1", **FACTS, **ANSWER), 4_000, 16),
        (answered(Sample(id="1", **FACTS)), 4_000, 16),
        (Sample(id="1", **FACTS), 4_000, 0),  # nobody has answered, so nothing is asked
    ],
)
def test_the_labeller_declares_what_a_dry_run_finds(sample, prompt_budget, count):
    declared = prompts_of(AdvancedRAGEvaluator(), sample, prompt_budget)

    assert declared == prompts_of(UndeclaredLabels(), sample, prompt_budget)
    assert len(declared) == count


@pytest.mark.parametrize(
    ("sample", "count"),
    [
        (rgb(Ability.REJECTION, **ANSWER), 1),
        (rgb(Ability.REJECTION, response=" "), 0),  # an empty answer declines by itself
        (rgb(Ability.REJECTION, ground_truth=None, **ANSWER), 1),
        (rgb(Ability.COUNTERFACTUAL, **ANSWER), 1),
        (rgb(Ability.COUNTERFACTUAL, ground_truth=None, **ANSWER), 0),  # the rules fail first
        (rgb(Ability.NOISE, **ANSWER), 0),
        (Sample(id="1", **FACTS, **ANSWER), 0),
    ],
)
def test_rgb_declares_what_a_dry_run_finds(sample, count):
    declared = prompts_of(RGBEvaluator(), sample)

    assert declared == prompts_of(UndeclaredRGB(), sample)
    assert len(declared) == count
