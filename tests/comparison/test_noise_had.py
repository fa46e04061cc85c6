"""A comparison over noise names the noise asked for and the one that prompts had, everywhere."""

import pytest

from evaluators import compare
from evaluators.paper.tables import tables_of_comparison
from evaluators.records import Ability, Dataset, RGBTask, Sample
from evaluators.report.comparison_report import comparison_report
from evaluators.runs.store import Store
from tests.comparison.made import results


def bed(had):
    """Ten questions at a noise of 0 and ten at 0.6, of which the prompts had `had`."""
    samples = [
        Sample(
            id=f"{noise}-{number}",
            question=f"Question {number}?",
            response="Yes.",
            rgb=RGBTask(ability=Ability.NOISE, noise=noise, effective_noise=reached),
        )
        for noise, reached in ((0.0, 0.0), (0.6, had))
        for number in range(10)
    ]
    return Dataset(name="bed", samples=tuple(samples))


def pair(*had):
    """Two runs, the second right where the first is wrong."""
    store = Store(":memory:")
    return compare(
        *(
            results(
                store,
                title,
                bed(reached),
                [{"accuracy": float((place + number) % 3 > 0)} for place in range(20)],
                metric="rgb",
            )
            for number, (title, reached) in enumerate(zip(("A", "B"), had, strict=True))
        )
    )


@pytest.mark.parametrize(
    ("had", "named"),
    [
        ((0.6, 0.6), "60 %"),
        ((0.56, 0.56), "asked 60 % (had 56 %)"),
        ((0.56, 0.6), "asked 60 % (had 56 % and 60 %)"),
    ],
)
def test_both_noises_are_named_where_they_differ(had, named):
    comparison = pair(*had)

    assert [level.noise for level in comparison.by_noise] == ["0 %", named]
    assert [level.has_missed_noise for level in comparison.by_noise] == [False, "had" in named]
    assert [level["noise"] for level in comparison.summary()["by_noise"]] == ["0 %", named]
    assert f"Noise {named}" in comparison_report(comparison, comparison.sides)
    [table] = tables_of_comparison(comparison)
    assert [row[0] for row in table.rows][-1] == f"Accuracy, noise {named}"
    assert [record["noise"] for record in table.records][-1] == named
