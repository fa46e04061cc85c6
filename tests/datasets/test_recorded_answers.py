"""Files of recorded RGB answers: one ability each, and by the paper's rules the published labels."""

import json

import pytest

from evaluators import RGBEvaluator, evaluate, load_data
from evaluators.datasets.rgb import all_with_ability
from evaluators.records import Ability

OPTIONS_OFF = RGBEvaluator(policy="paper", nfkc=False, remove_reasoning=False)


def row(number, ans="Paris", **more):
    return {
        "id": number,
        "query": f"Where is tower {number}?",
        "ans": ans,
        "prediction": "In Paris.",
        "docs": ["The tower is in Paris."],
        **more,
    }


ONE_PART, TWO_PARTS = [["Paris"]], [["Paris"], ["France"]]
NOISE = [row(number, ONE_PART, noise_rate=0.2, factlabel=0) for number in range(5)]
TWO = row(9, TWO_PARTS, noise_rate=0.2, factlabel=0)


def read(*rows):
    remarks = []
    data = load_data(list(rows), on_remark=remarks.append)
    return {sample.rgb.ability for sample in data.samples}, remarks[-1], data


@pytest.mark.parametrize(
    ("rows", "ability", "remark"),
    [
        (NOISE, Ability.NOISE, "Read as noise robustness."),
        (
            [*NOISE, TWO],
            Ability.NOISE,
            "Read as noise robustness; 1 row with two-part answers.",
        ),
        # Of an integration bed, whatever the noise: a document for each part stays in the prompt.
        (
            [row(number, TWO_PARTS, noise_rate=1.0, factlabel=0) for number in range(3)],
            Ability.INTEGRATION,
            "Read as information integration.",
        ),
        (
            [row(number, ONE_PART, noise_rate=1.0, factlabel=0) for number in range(3)],
            Ability.REJECTION,
            "Read as negative rejection.",
        ),
        # The bed of planted errors writes an answer as one text, where the others have a list.
        (
            [row(1, factlabel=0), row(2, factlabel=1), row(3, ONE_PART, factlabel=0)],
            Ability.COUNTERFACTUAL,
            "Read as counterfactual robustness.",
        ),
        (
            [row(number, fakeanswer="Rome") for number in range(2)],
            Ability.COUNTERFACTUAL,
            "Read as counterfactual robustness.",
        ),
        ([row(number) for number in range(2)], Ability.NOISE, "Read as noise robustness."),
        (
            [*NOISE, row(9, ONE_PART, noise_rate=1.0)],
            Ability.NOISE,
            "Read as noise robustness; 1 row with a noise of 1.",
        ),
    ],
)
def test_a_file_is_one_ability_and_that_is_said(rows, ability, remark):
    found, said, _ = read(*rows)

    assert found == {ability}
    assert said.endswith(remark)


def test_abilities_are_mixed_where_that_is_asked_for():
    _, _, data = read(*NOISE, TWO)

    mixed = all_with_ability(data, "by_row")

    assert [sample.rgb.ability for sample in mixed.samples] == [Ability.NOISE] * 5 + [
        Ability.INTEGRATION
    ]


def test_a_run_says_what_its_answers_were_read_as(data_folder):
    _, _, data = read(*NOISE, TWO)
    results = evaluate(data, "rgb", progress=False)

    assert "Read          Read as noise robustness; 1 row" in results.card()
    assert results.summary()["noise_robustness"].asked == 6


@pytest.mark.parametrize("source", ["prediction", "output"])
def test_whole_files_come_out_as_their_published_labels(check_data, data_folder, source):
    """Below a noise of 1: there the script counts answers that decline as right as well."""
    folders = {
        "Noise Robustness": Ability.NOISE,
        "Information Integration": Ability.INTEGRATION,
        "Counterfactual Robustness": Ability.COUNTERFACTUAL,
    }
    checked = 0
    for folder, ability in folders.items():
        for file in sorted(check_data.glob(f"rgb_predictions/{folder}/{source}_*.json")):
            rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            if rows[0]["noise_rate"] == 1:
                continue
            results = evaluate(file, OPTIONS_OFF, progress=False)
            published = [float(0 not in row["label"] and 1 in row["label"]) for row in rows]
            name = "correction" if ability is Ability.COUNTERFACTUAL else "accuracy"
            assert [row.ability for row in results.rows()] == [ability] * 100, file.name
            assert [row.values[name] for row in results.rows()] == published, file.name
            if ability is Ability.COUNTERFACTUAL:
                noticed = [float(row["factlabel"]) for row in rows]
                assert [row.values["detection"] for row in results.rows()] == noticed, file.name
                # As the script counts them: what is noticed, and is no wrong answer.
                corrected = [1.0 - (0 in row["label"]) for row in rows if row["factlabel"]]
                among = [row.values["correction_among_detected"] for row in results.rows()]
                assert [value for value in among if value is not None] == corrected, file.name
            checked += 1
    assert checked == {"prediction": 39, "output": 11}[source]
