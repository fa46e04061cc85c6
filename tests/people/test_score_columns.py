"""Scores of another tool as a labeller: what they are of, on which scale, and how far to trust."""

import csv
import json

import pytest

from evaluators import check_scores, evaluate, load_data
from evaluators.errors import ParameterError
from evaluators.people.score_columns import ScoreColumn, column_named
from evaluators.records import Cell
from evaluators.trace.values import TRACE_VALUES

SCORES = [0.9, 0.8, 0.3, 0.6, 0.2]
TRUTHS = [True, True, True, False, False]
"""Of the six pairs of a true and a false one five are in order: all but 0.3 below 0.6."""


def rows(scores=SCORES, column="faithfulness"):
    return [
        {
            "question": f"How tall is tower {number}?",
            "response": "330 metres.",
            "contexts": ["The tower is 330 metres tall."],
            column: score,
            "supported": truth,
        }
        for number, (score, truth) in enumerate(zip(scores, TRUTHS, strict=True))
    ]


def only_value(data, **options):
    (column,) = check_scores(data, **{"against": "supported", "of": "adherence"} | options).columns
    return column.check.values[0]


def test_scores_have_all_that_a_labeller_has():
    value = only_value(rows())

    assert value.auroc == pytest.approx(5 / 6)
    # From 0.5 on a yes: 0.9, 0.8 rightly, 0.6 wrongly
    assert value.table.both_yes == (Cell(0), Cell(1))
    assert value.table.only_labeller == (Cell(3),)
    assert value.table.only_people == (Cell(2),)
    assert value.table.both_no == (Cell(4),)
    assert value.sensitivity.mean == pytest.approx(2 / 3)
    assert value.specificity.mean == pytest.approx(1 / 2)
    assert value.judged == pytest.approx(3 / 5)
    assert "A score counts as a yes from 0.5 on, but for AUROC." in value.warnings


def test_where_a_yes_begins_moves_the_table_and_not_the_auroc():
    value = only_value(rows(), yes_from=0.7)

    assert value.table.only_labeller == ()
    assert value.auroc == pytest.approx(5 / 6)


def test_a_value_between_0_and_1_has_its_distance():
    value = only_value(rows(), of="completeness")

    # The squares of .1, .2, .7, .6, .2
    assert value.distance.rmse == pytest.approx((0.94 / 5) ** 0.5)
    assert value.table is None
    assert value.auroc is None


@pytest.mark.parametrize(
    ("scores", "column", "problem"),
    [
        ([5, 4, 2, 3, 1], "faithfulness", "holds numbers from 1 to 5, not from 0 to 1"),
        (["90 %", "80 %", "30 %", "60 %", "20 %"], "faithfulness", "holds percent (90 %, 80 %, 30"),
        (["good", "good", "bad", "good", "bad"], "faithfulness", "holds words (good, bad)"),
        (SCORES, "hallucination_score", "may be higher where an answer is worse"),
    ],
)
def test_another_scale_is_asked_about_and_never_guessed(scores, column, problem):
    with pytest.raises(ParameterError) as refused:
        only_value(rows(scores, column), scores=column)

    assert problem in str(refused.value)
    assert "as worst:best" in str(refused.value)


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ([5, 4, 2, 3, 1], "1:5"),
        (["90 %", "80 %", "30 %", "60 %", "20 %"], "0:100"),
        ([0.1, 0.2, 0.7, 0.4, 0.8], "1:0"),
    ],
)
def test_a_scale_that_is_told_is_read(scores, scale):
    assert only_value(rows(scores), scale=scale).auroc == pytest.approx(5 / 6)


def test_words_are_a_scale_and_others_are_left_out_and_counted():
    value = only_value(rows(["good", "Good", "bad", "unclear", "bad"]), scale="bad:good")

    assert value.answers == 4
    assert "1 score left out: not on the scale." in value.warnings


@pytest.mark.parametrize("scale", ["1:1", "7:9", "ugly:fair"])
def test_a_scale_on_which_nothing_lies_is_refused(scale):
    with pytest.raises(ParameterError, match=r"No score of .* lies on the scale"):
        only_value(rows(), scale=scale)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ragas_faithfulness", "adherence"),
        ("trulens_groundedness", "adherence"),
        ("gpt35_utilization", "context_utilization"),
        ("Contextual Relevancy", "context_relevance"),
    ],
)
def test_the_name_of_a_column_tells_its_value(name, value):
    assert column_named(name, "", "", 0.5, TRACE_VALUES).value == value


def test_a_column_that_may_be_of_any_value_is_asked_about():
    with pytest.raises(
        ParameterError, match=r"answer_relevancy.* name the column after it: context_relevance"
    ):
        check_scores(rows(column="answer_relevancy"), scores="answer_relevancy")


def test_of_all_columns_those_that_are_not_clear_say_why():
    data = [row | {"rating": 3} for row in rows()]

    unclear = check_scores(data, against="supported", of="adherence").columns[1]

    assert unclear.check is None
    assert "from 3 to 3" in unclear.problem


def test_a_file_without_scores_or_labels_says_what_to_name():
    with pytest.raises(ParameterError, match=r"Nothing can be checked: .* label some answers\."):
        check_scores(rows())
    with pytest.raises(ParameterError, match=r"has no column of scores “typo”\. It has: faithful"):
        check_scores(rows(), scores="typo")


def test_a_truth_that_only_some_answers_have_is_not_called_drawn_at_random():
    data = rows()
    thumbed = [row if place < 3 else row | {"supported": None} for place, row in enumerate(data)]

    assert only_value(data).is_drawn
    value = only_value(thumbed)
    assert value.labelled == 3
    assert not value.is_drawn
    assert any("not told how they were drawn" in warning for warning in value.warnings)


def test_people_s_feedback_on_traces_can_be_the_labels_that_a_run_is_held_against():
    results = evaluate(rows(), "trace", progress=False)
    thumbs = {sample.id: sample.scores["supported"] for sample in load_data(rows()).samples}

    value = results.correct(thumbs).values[0]
    assert (value.name, value.labelled, value.is_drawn) == ("adherence", 5, False)


def test_two_published_scores_beyond_1_are_left_out():
    column = ScoreColumn(name="gpt3_context_relevance", value="context_relevance")

    assert column.read({Cell(0): 0.5, Cell(1): 1.5}) == {Cell(0): 0.5}


def test_the_scores_of_a_run_s_data_stand_in_its_labeller_s_place():
    results = evaluate(rows(), "trace", progress=False)

    with pytest.raises(ParameterError, match="no column of scores “typo”"):
        results.correct(scores="typo")
    check = results.correct(scores="faithfulness")
    assert check.labeller == "faithfulness"
    assert check.values[0].judged == pytest.approx(3 / 5)


# Public data


PUBLISHED = {
    ("covidqa", "gpt3_adherence"): 0.610,
    ("covidqa", "gpt3_context_relevance"): 0.172,
    ("hotpotqa", "gpt3_adherence"): 0.605,
    ("hotpotqa", "gpt3_context_relevance"): 0.125,
    ("msmarco", "gpt3_adherence"): 0.549,
    ("msmarco", "gpt3_context_relevance"): 0.228,
}
"""By pandas and scipy alone: AUROC of adherence, RMSE of relevance."""


def test_the_published_judges_of_ragbench_are_as_far_off_as_worked_out_by_hand(check_data):
    files = sorted((check_data / "ragbench").glob("*/validation*.parquet"))

    found = {}
    for column in check_scores(*files, definition="ragbench").columns:
        if column.check:
            (value,) = column.check.values
            figure = value.auroc if value.distance is None else value.distance.rmse
            found[column.data.split(" ")[0], column.column] = round(figure, 3)

    assert {key: found[key] for key in PUBLISHED} == PUBLISHED


FIELDS = {
    "rel_rmse": ("our_relevance", "ref_relevance", "context_relevance"),
    "util_rmse": ("our_utilization", "ref_utilization", "context_utilization"),
    "comp_rmse": ("our_completeness", "ref_completeness", "completeness"),
    "adh_aucroc": ("our_adherence", "ref_adherence", "adherence"),
}


def test_recorded_figures_of_two_judges_come_out_of_their_spreadsheets(check_data):
    folder = check_data / "judge_swap"
    recorded = list(csv.DictReader((folder / "judge_swap_tracker.csv").open(encoding="utf-8")))
    compared = 0
    for row in recorded:
        for file in folder.glob(f"{row['exp_id']}_*.csv"):
            for figure, (scores, truth, of) in FIELDS.items():
                value = only_value(
                    file, scores=scores, against=truth, of=of, columns={"response": "answer"}
                )
                own = value.auroc if value.distance is None else value.distance.rmse
                assert own == pytest.approx(float(row[figure]))
                compared += 1

    assert compared == 24


def test_a_program_gets_a_mapping_for_each_column():
    listed = check_scores(rows(), against="supported", of="adherence").summary()

    assert json.loads(json.dumps(listed))[0]["scores"] == "faithfulness"
    assert listed[0]["auroc"] == pytest.approx(5 / 6)


def test_answers_are_parted_and_each_part_is_checked():
    data = [row | {"group": "tower" if place < 4 else "hill"} for place, row in enumerate(rows())]
    data[0]["response"] = "metres " * 51

    by_group = check_scores(data, against="supported", of="adherence", by="group").columns
    by_length = check_scores(data, against="supported", of="adherence", by="length").columns

    assert [part.data.split(" · ")[-1] for part in by_group] == ["hill", "tower"]
    # Of the first four 0.9 and 0.8 are above 0.6, and 0.3 is not
    assert by_group[1].check.values[0].auroc == pytest.approx(2 / 3)
    assert [part.data.split(" · ")[-1] for part in by_length] == ["1 to 50", "51 to 150"]
    assert by_length[1].check.values[0].labelled == 1
