"""The sentence at the top of RGB's results, worked out by hand."""

from __future__ import annotations

import pytest

from evaluators.abilities import RGB_VALUES
from evaluators.records import Ability
from evaluators.runs.findings import sentence_of_values
from evaluators.runs.store import Outline


def rows(ability: Ability, value: str, *of_levels: tuple[float, list[float]]) -> list[Outline]:
    """A row for each question, numbered, at each level of noise."""
    return [
        Outline(
            position=0,
            sample_id="s",
            question=f"q{number}",
            ability=ability,
            noise=noise,
            effective_noise=noise,
            status="scored",
            values={value: right},
        )
        for noise, answers in of_levels
        for number, right in enumerate(answers)
    ]


NOISE = rows(Ability.NOISE, "accuracy", (0.0, [1.0, 1.0]), (0.8, [1.0, 0.0]))
WORSE = rows(Ability.NOISE, "accuracy", (0.0, [1.0, 1.0]), (0.8, [0.0, 0.0]))
PLANTED = rows(Ability.COUNTERFACTUAL, "detection", (0.0, [1.0, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize(
    ("by_model", "expected"),
    [
        (
            # Wilson: 1 of 2 is 9 to 91 %, 0 of 2 up to 66 %
            {"A": NOISE},
            "With 80 % noise A still answers 50 % (9 to 91) of the questions right; with no noise "
            "100 %.",
        ),
        (
            {"": rows(Ability.NOISE, "accuracy", (0.4, [1.0, 0.0]))},
            "With 40 % noise the tested model answers 50 % (9 to 91) of the questions right.",
        ),
        (
            {"B": WORSE, "A": NOISE},
            "With 80 % noise A still answers 50 % (9 to 91) of the questions right, "
            "B 0 % (0 to 66); with no noise 100 %.",
        ),
        (
            {"B": WORSE, "A": NOISE, "C": WORSE},
            "With 80 % noise A (best of 3) still answers 50 % (9 to 91) of the questions right, "
            "C (last of 3) 0 % (0 to 66); with no noise 100 %.",
        ),
        # 1 of 4 is 4.6 to 69.9 %
        ({"A": PLANTED}, "A notices 25 % (5 to 70) of the planted errors."),
        ({"": PLANTED}, "The tested model notices 25 % (5 to 70) of the planted errors."),
        ({"A": []}, ""),
    ],
)
def test_one_sentence_says_what_was_found(by_model, expected):
    assert sentence_of_values(by_model, RGB_VALUES) == expected
