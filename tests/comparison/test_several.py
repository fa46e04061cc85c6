"""Three systems or more: each against the first, all of them counted together."""

import pytest

from evaluators import compare
from evaluators.comparison.sides import Side, titles
from evaluators.errors import ParameterError
from evaluators.records import ModelSpec
from evaluators.runs.run_view import RunView
from tests.comparison.made import results

QUESTIONS = [f"Question {number}?" for number in range(8)]
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
BETTER = [1.0] * 8
SAME = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
MODELS = tuple(ModelSpec(provider="groq", model=name) for name in ("small", "medium", "large"))


def test_each_is_compared_with_the_first_and_p_values_count_all(store):
    run = results(store, "Three", QUESTIONS, OLD, SAME, BETTER, models=MODELS)

    several = compare(run, models=(0, 1, 2))

    assert [system.title for system in several.systems] == ["small", "medium", "large"]
    alone = compare(run, models=(0, 2))["answer_match"].difference
    together = several["large"]["answer_match"].difference
    assert alone.p == together.p == pytest.approx(1 / 2**6)
    # Holm: the smaller of two p-values counts twice, the other is 1.
    assert (alone.adjusted, together.adjusted) == pytest.approx((1 / 2**6, 2 / 2**6))
    assert several["medium"]["answer_match"].difference.adjusted == 1.0
    assert several.sentences() == (
        "medium: Answer match cannot be told apart; to tell 3 points apart takes "
        "about 2,200 samples.",
        "large: Better in answer match by 75.0 points (18.2 to 92.9).",
    )


def test_one_that_is_worse_is_said_to_be_worse(store):
    run = results(store, "Three", QUESTIONS, BETTER, SAME, BETTER, models=MODELS)

    several = compare(run, models=(0, 1, 2))

    assert several.sentence() == (
        "Against small: medium: Worse in answer match by 75.0 points (18.2 to 92.9). "
        "large: Answer match is the same on every sample."
    )


def test_a_table_has_a_row_for_each_value_of_each_system(store):
    run = results(store, "Three", QUESTIONS, OLD, [*SAME[:7], "failed"], BETTER, models=MODELS)

    table = compare(run, models=("small", "medium", "large")).to_pandas()

    assert list(table["system"]) == ["small", "medium", "large"]
    # 2 of 8, 2 of the 7 that did not fail, all
    assert list(table["mean"]) == pytest.approx([2 / 8, 2 / 7, 1.0])
    assert list(table["scored"]) == [8, 7, 8]
    assert list(table["told_apart"]) == [None, False, True]
    # Both were judged on seven, of which each was right on two
    assert table.loc[1, "difference"] == 0.0
    assert table.loc[1, "samples"] == 7


def test_three_runs(store):
    runs = [
        results(store, title, QUESTIONS, values)
        for title, values in (("Old", OLD), ("New", BETTER), ("Other", SAME))
    ]

    several = compare(*runs)

    assert [own.second for own in several.comparisons] == ["New", "Other"]
    assert several["New"].first == "Old"
    with pytest.raises(ParameterError, match="'Old' is not compared with Old"):
        several["Old"]


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        # run (its title) and model, in the order in which they are compared
        ([("a", 0), ("a", 1)], ("small", "large")),
        ([("a", 0), ("b", 0)], ("Same (small)", "Same (medium)")),
        ([("a", 0), ("c", 0)], ("Same", "Other")),
        ([("a", 0), ("a", 1), ("c", 0)], ("Same · small", "Same · large", "Other")),
        ([("a", 0), ("b", 0), ("c", 0)], ("Same (small)", "Same (medium)", "Other")),
        ([("a", 0), ("d", 0)], ("Same (2026-11-22 09:00)", "Same (2026-11-22 10:30)")),
        ([("a", 0), ("e", 0)], ("Same (1)", "Same (2)")),
    ],
)
def test_names_tell_the_systems_apart_and_say_no_more(store, chosen, names):
    small, medium, large = MODELS
    runs = {}
    for key, title, models, minute in (
        ("a", "Same", (small, large), "09:00"),
        ("b", "Same", (medium,), "10:30"),
        ("c", "Other", (small,), "09:00"),
        ("d", "Same", (small,), "10:30"),
        ("e", "Same", (small,), "09:00"),
    ):
        values = [OLD] * len(models)
        own = results(store, key, QUESTIONS, *values, models=models).run
        update = {"title": title, "created": f"2026-11-22T{minute}:00+00:00"}
        runs[key] = own.model_copy(update=update)

    sides = [Side(RunView.read(store, runs[key]), model) for key, model in chosen]
    assert titles(sides) == names


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        (
            (
                "bot_old.csv · TRACE (GPT labelling) · by gold",
                "bot_new.csv · TRACE (GPT labelling) · by gold",
            ),
            ("bot_old", "bot_new"),
        ),
        (("a.csv · TRACE", "b.jsonl · TRACE"), ("a.csv", "b.jsonl")),
        (("a.csv · Luna", "a.csv · Luna · seed 2"), ("Luna", "Luna · seed 2")),
        (("a.csv · Luna", "a.csv · Luna (2)"), ("Luna", "Luna (2)")),
        (("a.csv · RGB · Luna", "b.csv · RGB · Sol"), ("a.csv · Luna", "b.csv · Sol")),
        (("Old prompt", "New prompt"), ("Old prompt", "New prompt")),
        ((".csv", "x.csv"), (".csv", "x.csv")),
        (("v1.5", "v2.5"), ("v1.5", "v2.5")),
        (
            ("a.csv · by x", "b.csv · by x", "a.csv · by y"),
            ("a.csv · by x", "b.csv · by x", "a.csv · by y"),
        ),
    ],
)
def test_of_titles_only_what_differs_is_named(store, runs, names):
    sides = []
    for number, title in enumerate(runs):
        run = results(store, f"r{number}", QUESTIONS, OLD).run.model_copy(update={"title": title})
        sides.append(Side(RunView.read(store, run)))

    assert titles(sides) == names
