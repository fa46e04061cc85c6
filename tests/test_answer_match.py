"""Answer match: HotpotQA's normalisation, and what happens to answers that are none."""

import math
from pathlib import Path

import numpy as np
import pytest

from evaluators.answer_match import AnswerMatchAcc, hotpotqa_words
from evaluators.errors import MissingInputError
from evaluators.records import Sample


class Mute:
    def __str__(self):
        raise RuntimeError("no words")


def sample(response, truth):
    return Sample(id="1", question="q", response=response, ground_truth=truth)


def value(match, response, truth):
    return AnswerMatchAcc(type=match).score(sample(response, truth)).values["answer_match"]


# Any object


def test_exact_match_is_the_default():
    assert AnswerMatchAcc() == AnswerMatchAcc(type="exact_match")


@pytest.mark.parametrize(
    ("y", "y_gt", "matches"),
    [(5, "5", 1.0), (5, 5.0, 0.0), (True, "true", 1.0), (np.array(5), "5", 1.0), (Path("b 1"), "b 1", 1.0),
     ("东京。", "东京。", 1.0), ("东京", "北京", 0.0)],
)  # fmt: skip
def test_anything_with_a_text_is_compared(y, y_gt, matches):
    assert AnswerMatchAcc().compute_single_item(y, y_gt) == matches


@pytest.mark.parametrize("answer", [["x"], ("x", "y"), {"x"}, {"x": 1}, b"x", np.array(["x"])])
def test_what_holds_several_things_is_no_answer(answer):
    with pytest.raises(MissingInputError, match=r"The answer is .* Give one string"):
        AnswerMatchAcc().compute_single_item(answer, "x")


@pytest.mark.parametrize(
    ("truths", "matches"),
    [(["Paris"], 1.0), ([["Lyon", "Paris"]], 1.0), (["Lyon", "Paris"], 0.0), (np.array(["Paris"]), 1.0)],
)  # fmt: skip
def test_a_list_of_true_answers_is_read_as_that_of_a_sample(truths, matches):
    assert AnswerMatchAcc().compute_single_item("Paris", truths) == matches


# Normalisation


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The Eiffel Tower!", ["eiffel", "tower"]),
        ("  a\tcat \n and an\u00a0owl ", ["cat", "and", "owl"]),
        ("U.S.A. won't", ["usa", "wont"]),
        ("theatre another", ["theatre", "another"]),
        ("t.h.e a.n", []),
        (
            "“the” cat",
            ["“", "”", "cat"],
        ),  # curly quotes are no ASCII punctuation, and yet end a word
        ("the–end", ["–end"]),
        ("an\x00owl", ["\x00owl"]),
        ("a\x1cb", ["b"]),
        ("ÉCOLE the ٣", ["école", "٣"]),
        ("the 答案", ["答案"]),
        ("the答案", ["the答案"]),
        ("half \ud800 the", ["half", "\ud800"]),
        ("", []),
        (" ?! ", []),
    ],
)
def test_case_punctuation_articles_and_spaces_do_not_count(text, left):
    assert hotpotqa_words(text) == left


# Values


@pytest.mark.parametrize(
    ("y", "y_gt", "exact", "fuzzy", "f1"),
    [
        ("The cat.", "cat", 1.0, 1.0, 1.0),
        ("cat", "black cat", 0.0, 0.0, 2 / 3),  # P = 1/1, R = 1/2
        ("a black cat sat", "cat sat", 0.0, 1.0, 4 / 5),  # P = 2/3, R = 2/2
        (
            "cat cat",
            "cat",
            0.0,
            1.0,
            2 / 3,
        ),  # a word counts as often as both have it: P = 1/2, R = 1
        ("cat dog", "dog cat", 0.0, 0.0, 1.0),
        ("concatenate", "cat", 0.0, 1.0, 0.0),  # contained as letters, not as a word
        ("dog", "cat", 0.0, 0.0, 0.0),
        ("", "cat", 0.0, 0.0, 0.0),
    ],
)
def test_a_pair_is_judged_by_the_chosen_rule(y, y_gt, exact, fuzzy, f1):
    assert AnswerMatchAcc(type="exact_match").compute_single_item(y, y_gt) == exact
    assert AnswerMatchAcc(type="fuzzy_match").compute_single_item(y, y_gt) == fuzzy
    assert AnswerMatchAcc(type="f1_score").compute_single_item(y, y_gt) == pytest.approx(f1)


NUMBERS_AND_CHOICES = [
    # normalisation leaves nothing of the ground truth: it is compared as it stands
    ("B", "A", "hotpotqa", 0.0, 0.0, 0.0),
    ("A", "A", "hotpotqa", 1.0, 1.0, 1.0),
    ("(A)", "A.", "hotpotqa", 1.0, 1.0, 1.0),
    ("Answer: B", "A", "hotpotqa", 0.0, 0.0, 0.0),  # the A of "Answer" is no choice
    ("It is a dog", "A", "hotpotqa", 0.0, 0.0, 0.0),  # nor is an article
    ("The answer is A.", "A", "hotpotqa", 0.0, 1.0, 2 / 5),  # P = 1/4, R = 1
    ("?", "?", "hotpotqa", 1.0, 1.0, 1.0),
    ("!", "?", "hotpotqa", 0.0, 0.0, 0.0),
    # HotpotQA drops the point and the sign
    ("3.5", "35", "hotpotqa", 1.0, 1.0, 1.0),
    ("-5", "5", "hotpotqa", 1.0, 1.0, 1.0),
    ("3.5", "35", "none", 0.0, 0.0, 0.0),
    ("35", "3.5", "none", 0.0, 0.0, 0.0),
    ("-5", "5", "none", 0.0, 0.0, 0.0),
    ("5", "-5", "none", 0.0, 0.0, 0.0),
    ("It is -5.", "-5", "none", 0.0, 1.0, 1 / 2),  # P = 1/3, R = 1
    ("It costs 3.5.", "3.5", "none", 0.0, 1.0, 1 / 2),
    ("paris", "Paris", "none", 0.0, 0.0, 0.0),
    ("the cat", "cat", "none", 0.0, 1.0, 2 / 3),  # P = 1/2, R = 1
    ("答案是北京。", "北京", "none", 0.0, 1.0, 0.0),  # Chinese has no spaces between words
    ("anything", "+", "none", 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("y", "y_gt", "normalise", "exact", "fuzzy", "f1"), NUMBERS_AND_CHOICES)
def test_letters_to_choose_and_numbers_as_they_stand(y, y_gt, normalise, exact, fuzzy, f1):
    for match, expected in [("exact_match", exact), ("fuzzy_match", fuzzy), ("f1_score", f1)]:
        metric = AnswerMatchAcc(type=match, normalise=normalise)
        assert metric.compute_single_item(y, y_gt) == pytest.approx(expected)
        assert metric.score(sample(y, y_gt)).values["answer_match"] == pytest.approx(expected)


@pytest.mark.parametrize("truth", ["", " \n"])
def test_an_empty_ground_truth_is_left_out_of_the_average(truth):
    result = AnswerMatchAcc(type="fuzzy_match").compute(["x", "y"], ["x", truth])

    assert result.per_item_scores == [1.0, None]
    assert result.errors[1].startswith("The true answer is empty")


def test_a_result_is_read_like_a_pair():
    result = AnswerMatchAcc().compute(["x", "y"], ["x", "x"])

    assert (result[0], result[1], len(result)) == (0.5, [1.0, 0.0], 2)
    assert tuple(result) == (0.5, [1.0, 0.0])


@pytest.mark.parametrize("match", ["exact_match", "fuzzy_match", "f1_score"])
def test_values_are_floats(match):
    assert all(
        type(AnswerMatchAcc(type=match).compute_single_item(y, "cat")) is float
        for y in ("cat", "dog")
    )


# Lists that are not as they should be


def test_a_pair_that_cannot_be_compared_is_named_and_left_out_of_the_average():
    result = AnswerMatchAcc().compute(
        ["x", None, Mute(), "y", "z", math.nan], ["x", "x", "x", "x", None, "nan"]
    )

    assert result.per_item_scores == [1.0, None, None, 0.0, None, None]
    assert result.avg_score == 0.5
    assert result.errors == {
        1: "There is no answer (None). Give one, or leave the pair out.",
        2: "The answer is a Mute without a text (RuntimeError('no words')). Give a string.",
        4: "There is no true answer (None). Give one, or leave the pair out.",
        5: "There is no answer (nan). Give one, or leave the pair out.",
    }


# In a run


@pytest.mark.parametrize(
    ("truth", "exact", "fuzzy"),
    [
        ("Paris", 0.0, 1.0),
        ((("Lutetia", "It is Paris"),), 1.0, 1.0),  # any spelling of the one required answer
        (("Paris", "is"), 0.0, 1.0),
        (("Paris", "Rome"), 0.0, 0.0),  # both are required
        ((("Rome", "Paris"), "it is paris"), 0.0, 1.0),
    ],
)
def test_the_best_spelling_and_the_worst_required_answer_count(truth, exact, fuzzy):
    assert value("exact_match", "It is Paris.", truth) == exact
    assert value("fuzzy_match", "It is Paris.", truth) == fuzzy


def test_f1_of_several_required_answers_is_that_of_the_worst():
    assert value("f1_score", "black cat", ("cat", "black")) == pytest.approx(2 / 3)
    assert value("f1_score", "black cat", (("cat", "black cat"), "cat")) == pytest.approx(2 / 3)


def test_the_texts_that_were_compared_are_told():
    score = AnswerMatchAcc().score(sample("The Seine!", (("Loire", "A Seine"),)))

    assert score.details == {"compared": {"response": "seine", "ground_truth": "seine"}}


def test_of_equal_spellings_the_first_is_told():
    score = AnswerMatchAcc().score(sample("dog", (("cat", "horse"),)))

    assert score.details["compared"]["ground_truth"] == "cat"


@pytest.mark.parametrize("truth", ["", " ", ("cat", ""), (("", " "),)])
@pytest.mark.parametrize("match", ["exact_match", "fuzzy_match", "f1_score"])
def test_an_empty_ground_truth_does_not_apply(match, truth):
    score = AnswerMatchAcc(type=match).score(sample("cat", truth))

    assert score.values == {"answer_match": None}
    assert score.reason.startswith("The true answer is empty")


@pytest.mark.parametrize("truth", [None, ()])
def test_without_a_ground_truth_nothing_applies(truth):
    score = AnswerMatchAcc().score(sample("cat", truth))

    assert (score.values, score.reason) == (
        {"answer_match": None},
        "There is no true answer to compare with.",
    )


def test_an_empty_answer_is_judged():
    assert value("exact_match", "", "cat") == 0.0
