"""Leaderboards: systems by data sets and abilities, with ranks that can be told apart."""

import time

import pytest

from evaluators import evaluate, leaderboard
from evaluators.errors import ParameterError
from evaluators.records import EvaluatorSpec, ModelSpec
from tests.comparison.made import results
from tests.comparison.test_claims import data
from tests.comparison.test_several import MODELS

SMALL, MEDIUM, LARGE = MODELS
FIRST = [f"Question {number}?" for number in range(10)]
SECOND = [f"Other {number}?" for number in range(10)]
TWO_RIGHT = [1.0, 1.0] + [0.0] * 8
TWO_OTHERS_RIGHT = [0.0, 1.0, 1.0] + [0.0] * 7
ALL_RIGHT = [1.0] * 10


@pytest.fixture
def two_runs(store):
    """Three models on one data set, two of them on another, with a failure."""
    of_three = [TWO_RIGHT, TWO_OTHERS_RIGHT, ALL_RIGHT]
    first = results(store, "On A", FIRST, *of_three, models=MODELS, data_name="A")
    of_two = [[1.0] * 9 + ["failed"], [0.0] + [1.0] * 9]
    second = results(store, "On B", SECOND, *of_two, models=(SMALL, LARGE), data_name="B")
    return [first, second]


def ranks(board):
    """By the title of each column the rank of each system."""
    return {
        column.title: {name: place.rank for name, place in column.places.items()}
        for column in board.columns
    }


def test_a_model_that_is_told_apart_has_a_lower_rank_and_others_share_one(two_runs):
    board = leaderboard(two_runs)

    # On A large is right on 8 questions more than either other one: McNemar's mid-p is
    # 2 (1/2)^8 - (1/2)^8 = 1/256; small and medium are each right on one that the other is not:
    # p = 1. On B one of nine differs: 2 (1/2) - 1/2 = 1/2. Holm over these four: 4/256 for both.
    assert ranks(board) == {
        "A": {"small": 2, "medium": 2, "large": 1},
        "B": {"small": 1, "large": 1},
    }
    behind = board.columns[0].places["medium"].behind
    assert (behind.difference, behind.p, behind.adjusted) == pytest.approx((-0.8, 1 / 256, 4 / 256))
    behind = board.columns[1].places["large"].behind
    assert (behind.difference, behind.p, behind.adjusted) == pytest.approx((-1 / 9, 0.5, 1.0))
    assert board.sentences() == (
        "A: large alone has rank 1 of 3 systems.",
        "B: small and large share rank 1 of 2 systems: they cannot be told apart.",
    )


def test_every_cell_says_on_how_many_answers_it_stands(two_runs):
    board = leaderboard(two_runs)

    table = next(block for block in board.document() if hasattr(block, "rows"))
    assert table.headings == ["System", "A", "B", "Cost of answers"]
    # Wilson's intervals of 10, 2 and 9 of 10, and of 9 of 9; medium was not asked on B.
    assert table.rows == [
        ["large", "#1, 1.00 (0.72 to 1.00), 10 of 10", "#1, 0.90 (0.60 to 0.98), 10 of 10", "–"],
        [
            "small",
            "#2, 0.20 (0.06 to 0.51), 10 of 10",
            "#1, 1.00 (0.70 to 1.00), 9 of 10, 1 failed",
            "–",
        ],
        ["medium", "#2, 0.20 (0.06 to 0.51), 10 of 10", "–", "–"],
    ]


def test_a_table_for_programs_has_a_row_for_each_place(two_runs):
    table = leaderboard(two_runs).to_pandas()

    assert list(table["system"]) == ["large", "large", "small", "small", "medium"]
    assert list(table["rank"]) == [1, 1, 2, 1, 2]
    assert list(table["scored"]) == [10, 10, 10, 9, 10]
    assert set(table["asked"]) == {10}
    assert list(table["failed"]) == [0, 0, 0, 1, 0]


def test_less_than_four_fifths_checked_has_no_rank(store):
    seven = [1.0] * 7 + ["failed"] * 3
    run = results(store, "One", FIRST, TWO_RIGHT, ALL_RIGHT, seven, models=MODELS)

    [column] = leaderboard(run).columns

    assert [place.rank for place in column.places.values()] == [2, 1, None]


def test_one_system_has_nobody_to_be_held_against(store):
    board = leaderboard([results(store, "One", FIRST, ALL_RIGHT, models=(SMALL,))])

    assert board.sentences() == (
        "Answer match: Nobody has a rank: there are not two systems with 80 % of the answers "
        "checked.",
    )


def test_the_same_model_on_the_same_questions_stands_twice(store):
    runs = [
        results(store, title, FIRST, values, models=(SMALL,))
        for title, values in (("Monday", ALL_RIGHT), ("Tuesday", TWO_RIGHT))
    ]

    assert ranks(leaderboard(runs)) == {
        "Answer match": {"small · Monday": 1, "small · Tuesday": 2},
    }


def test_other_questions_under_the_same_name_are_another_column(store):
    runs = [
        results(store, "Old", FIRST, ALL_RIGHT, TWO_RIGHT, models=(SMALL, LARGE), data_name="A"),
        results(store, "New", SECOND, ALL_RIGHT, TWO_RIGHT, models=(SMALL, LARGE), data_name="A"),
    ]

    board = leaderboard(runs)

    assert [column.title for column in board.columns] == [f"A · Answer match ({n})" for n in (1, 2)]
    assert "Other questions under one name have columns of their own." in board.notes


def test_answers_in_files_of_their_own_are_one_column_by_their_questions(store):
    runs = [
        results(store, title, FIRST, values, data_name=f"{title}.csv")
        for title, values in (
            ("bot_old.csv · TRACE", TWO_RIGHT),
            ("bot_new.csv · TRACE", ALL_RIGHT),
        )
    ]

    [column] = leaderboard(runs).columns

    assert column.data == "10 questions"
    assert {name: place.rank for name, place in column.places.items()} == {
        "bot_old": 2,
        "bot_new": 1,
    }


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        # by another judge
        (
            ({"judges": (SMALL,)}, {"judges": (LARGE,)}),
            ["labels: small", "labels: large"],
        ),
        # by another parameter
        (
            (
                {
                    "evaluators": (
                        EvaluatorSpec(name="llm_judge", params={"question": "Is it so?"}),
                    )
                },
                {"evaluators": (EvaluatorSpec(name="llm_judge", params={"question": "Or not?"}),)},
            ),
            ["question: Is it so?", "question: Or not?"],
        ),
    ],
)
def test_what_is_counted_otherwise_has_a_column_of_its_own(store, facts, words):
    runs = [
        results(store, title, FIRST, values, models=(model,), metric="llm_judge", **own)
        for title, values, model, own in (
            ("One", ALL_RIGHT, SMALL, facts[0]),
            ("Two", TWO_RIGHT, LARGE, facts[1]),
        )
    ]

    board = leaderboard(runs)

    assert [column.title for column in board.columns] == words
    assert all(place.rank is None for column in board.columns for place in column.places.values())
    assert any("no number of one is held against one of another" in note for note in board.notes)


def test_metric_and_parameters_are_called_as_in_a_form(store):
    spec = EvaluatorSpec(name="llm_judge", params={"judgement_query": "Is it so?"})
    runs = [
        results(
            store, title, FIRST, values, models=(model,), metric="llm_judge", evaluators=(spec,)
        )
        for title, values, model in (("One", ALL_RIGHT, SMALL), ("Two", TWO_RIGHT, LARGE))
    ]

    (column,) = leaderboard(runs).columns

    assert column.counted_by.startswith("metric: LLM as judge, Question to the judge: Is it so?")


def trace_values(values):
    return [{"adherence": value, "context_relevance": value} for value in values]


def test_the_heuristic_ranks_nobody(store):
    runs = [
        evaluate(data(name, answer), ["trace"], store=store, progress=False)
        for name, answer in (("True", "Mill {} was built in 1812."), ("False", "Bananas sing."))
    ]

    board = leaderboard(runs)

    assert board.sentences() == (
        "Adherence: By the heuristic, which reads wording: not to be used to choose a system.",
    )
    [column] = board.columns
    assert [(own.mean.low, own.rank) for own in column.places.values()] == [(None, None)] * 2


def test_relevance_is_no_merit_of_a_system(store):
    values = [trace_values(TWO_RIGHT), trace_values(ALL_RIGHT)]
    run = results(store, "One", FIRST, *values, models=(SMALL, LARGE), metric="trace")

    board = leaderboard(run, values=["adherence", "context_relevance"])

    assert ranks(board) == {
        "Adherence": {"small": 2, "large": 1},
        "Context relevance": {"small": None, "large": None},
    }


@pytest.mark.parametrize(
    ("runs", "more", "words"),
    [
        ([], {}, "There are 0 systems. From 1 to 50 are ranked together."),
        (["a", "a"], {}, "A run is named twice. Name each once."),
        (["a", "b"], {}, "No two of these systems have a value over the same questions in common."),
        (["a", "c"], {}, "No two of these systems have a value over the same questions in common."),
        (
            ["a"],
            {"values": ["adherence"]},
            "None of these runs has an answer checked by adherence.",
        ),
        (["open"], {}, "None of these runs has an answer checked by any metric."),
        (["a"], {"labels": "gold"}, "gold"),
    ],
)
def test_what_cannot_be_ranked_is_said(store, runs, more, words):
    made = {
        "a": results(store, "a", FIRST, ALL_RIGHT, models=(SMALL,)),
        # other questions
        "b": results(store, "b", SECOND, ALL_RIGHT, models=(LARGE,)),
        # another metric
        "c": results(store, "c", FIRST, ALL_RIGHT, models=(LARGE,), metric="llm_judge"),
        "open": results(store, "open", FIRST, models=(LARGE,)),
    }

    with pytest.raises(ParameterError, match=words):
        leaderboard([made[name] for name in runs], **more)


def test_fifty_runs_are_ranked_in_bounded_time(store):
    questions = [f"Question {number}?" for number in range(40)]
    runs = []
    for number in range(50):
        values = [((place * 7 + number * 3) % 41) / 41 for place in range(40)]
        model = ModelSpec(provider="groq", model=f"m{number}")
        runs.append(results(store, f"Run {number}", questions, values, models=(model,)))

    began = time.monotonic()
    board = leaderboard(runs)

    assert len(board.costs) == 50
    # 1,225 pairs of 40 rows are more than are compared one by one.
    assert any("with the best of its column alone" in note for note in board.notes)
    assert time.monotonic() - began < 60
