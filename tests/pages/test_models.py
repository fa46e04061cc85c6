"""Runs of several models: each has its own curve, bars, numbers and answers, and none is mixed with
another.
"""

from __future__ import annotations

import json
import re

import pytest

from evaluators.llm.catalogue import model_title
from evaluators.records import Cap, Cell, Dataset, ModelSpec
from tests.pages.by_hand import JUDGE, LUNA, OSS, SAMPLES, TITLES, save, two_models
from tests.pages.conftest import checked
from tests.pages.screen import html, lines, markdown, press, said, samples, segments, state, table
from ui import session

IMAGE = "![x](http://127.0.0.1:9/x.png)"


def test_every_model_has_its_own_curve_rates_and_columns(open_page):
    run = two_models()
    at = open_page("rgb", run=run.id)
    rows = table(at, "Rate")
    assert [
        (row["Rate"], row["Model"], row["Value"], row["Checked"], row["Failed"]) for row in rows
    ] == [
        ("Noise robustness", TITLES[0], "75 %", "4 / 4", 0),
        ("Noise robustness", TITLES[1], "33 %", "3 / 4", 1),
        ("Negative rejection", TITLES[0], "50 %", "2 / 2", 0),
        ("Negative rejection", TITLES[1], "0 %", "2 / 2", 0),
        ("Negative rejection (judge)", TITLES[0], "100 %", "2 / 2", 0),
        ("Negative rejection (judge)", TITLES[1], "50 %", "2 / 2", 0),
    ]
    rows = table(at, "Ability")
    assert [(row["Model"], row["Noise asked"], row["Value"]) for row in rows] == [
        (TITLES[0], "0 %", "100 %"),
        (TITLES[0], "40 %", "50 %"),
        (TITLES[1], "0 %", "50 %"),
        (TITLES[1], "40 %", "0 %"),
    ]
    verdicts = [row["Declines (judge)"] for row in samples(at)[-4:]]
    assert verdicts == ["1.00", "0.00", "1.00", "1.00"]
    [chart] = at.get("plotly_chart")
    curves = json.loads(chart.proto.spec)["data"]
    assert {curve["name"]: curve["y"] for curve in curves} == {
        TITLES[0]: [1.0, 0.5],
        TITLES[1]: [0.5, 0.0],
    }
    # A judge stands below the rule.
    assert [(line.title, re.split("[.;] ", line.meaning)[0], line.mean) for line in lines(at)] == [
        (row["Rate"], row["Model"], row["Value"]) for row in table(at, "Rate")
    ]
    colours = [curve["line"]["color"] for curve in curves]
    assert re.findall('--hue: ([^"]+)', html(at)) == 3 * colours
    assert len(set(colours)) == 2
    # Rule and judge stand side by side.
    assert [list(row.values())[:6] for row in table(at, "Asked")] == [
        ["Declines", TITLES[0], 1, 0, 1, 0],
        ["Declines", TITLES[1], 0, 0, 1, 1],
    ]
    segments(at, f"filter_{run.id}").set_value("Rule and judge differ")
    assert "2 answers." in said(checked(at.run()))


def test_samples_name_their_model_and_can_be_narrowed_to_it(open_page):
    run = two_models()
    at = open_page("rgb", run=run.id)
    assert "12 answers." in said(at)
    assert [(row["#"], row["Model"]) for row in samples(at)[:3]] == [
        ("1", TITLES[0]),
        ("1", TITLES[1]),
        ("2", TITLES[0]),
    ]
    at = checked(segments(at, f"model_{run.id}").set_value(TITLES[1]).run())
    assert "6 answers." in said(at)
    assert {row["Model"] for row in samples(at)} == {TITLES[1]}
    segments(at, f"filter_{run.id}").set_value("Failed")
    assert [row["#"] for row in samples(checked(at.run()))] == ["4"]


def test_the_card_says_who_was_asked_and_how(open_page):
    run = two_models(Cap(calls=500, cost=0.5), use_cache=False)
    card = said(open_page("rgb", run=run.id), "caption")
    for fact in (
        f"Models: {TITLES[0]} (temperature 0, effort low, up to 1,024 answer tokens), "
        f"{TITLES[1]} (temperature left to the model, up to 2,048 answer tokens)",
        f"Judge: {model_title(JUDGE)} (temperature 0, effort low, up to 1,024 answer tokens)",
        "Budget: 500 calls, $0.50",
        "Stored answers not used",
    ):
        assert fact in card


def test_what_a_provider_did_not_accept_is_said_beside_the_card(open_page):
    run = two_models()
    assert "as chosen" not in said(open_page("rgb", run=run.id))
    for position in (0, 1):
        result = session.store().results.get(run.id, position)
        assert result
        session.store().results.save(
            run.id, result.model_copy(update={"note": f"temperature not applied {IMAGE}"})
        )
    at = open_page("rgb", run=run.id)
    assert (
        f"Some requests were not made as chosen: temperature not applied {IMAGE}."
        in said(at, "caption").splitlines()
    )
    assert not [text for text in markdown(at) if "![" in text]


def test_the_list_of_runs_names_all_models_and_the_judge(open_page):
    two_models()
    at = open_page("home")
    assert f"RGB by {model_title(JUDGE)} · {TITLES[0]}, {TITLES[1]} · " in said(at, "markdown")
    assert "11 of 12 checked · 1 failed" in said(at)


def test_models_of_the_same_name_are_told_apart(open_page):
    run = two_models(results=False).model_copy(update={"id": "alike", "models": (OSS, OSS, LUNA)})
    session.store().runs.save(
        run, Dataset(name=run.dataset_name, samples=())
    )  # over the samples stored already
    rows = samples(open_page("rgb", run=run.id))
    assert [row["Model"] for row in rows[:3]] == [f"{TITLES[0]} (1)", f"{TITLES[0]} (2)", TITLES[1]]


@pytest.mark.parametrize("name", ["rgb", "runs", "sample"])
def test_the_name_of_a_model_is_shown_as_letters(open_page, name):
    hostile = ModelSpec(provider="custom", model="![x](http://127.0.0.1:9/x.png)")
    run = two_models(results=False).model_copy(
        update={"id": "hostile", "models": (hostile, OSS), "judge": hostile}
    )
    session.store().runs.save(
        run, Dataset(name=run.dataset_name, samples=())
    )  # over the samples stored already
    at = open_page(name, run=run.id)
    options = [option.content for group in at.get("button_group") for option in group.proto.options]
    assert not [text for text in [*markdown(at), *options] if "![" in text]


@pytest.mark.parametrize(
    ("sample", "model", "shown"),
    [
        ("2", "3", (2, 1)),
        ("2", "0", (2, 0)),
        ("2", "x", (2, 0)),
        ("99", "2", (6, 1)),
    ],
)
def test_the_address_names_the_sample_and_the_model(open_page, sample, model, shown):
    run = two_models()
    at = open_page("sample", run=run.id, sample=sample, model=model)
    number, index = shown
    assert f"Sample {number} of {SAMPLES}" in said(at)
    assert segments(at, f"answer_{run.id}").value == TITLES[index]
    assert f"{number} of model {index + 1}." in html(at)
    assert (at.query_params["sample"], at.query_params["model"]) == (str(number), str(index + 1))


def test_the_answers_of_the_models_to_one_sample_can_be_switched_and_the_neighbours_keep_the_model(
    open_page,
):
    run = two_models()
    at = open_page("sample", run=run.id, sample="1")
    assert "1 of model 1." in html(at)
    at = checked(segments(at, f"answer_{run.id}").set_value(TITLES[1]).run())
    assert "1 of model 2." in html(at)
    assert at.query_params["model"] == "2"
    at = press(at, "Next")
    assert "2 of model 2." in html(at)
    assert segments(at, f"answer_{run.id}").value == TITLES[1]


def test_a_run_of_one_model_has_nothing_to_switch(open_page, filled):
    at = open_page("sample", run=filled.rgb.id, sample="1")
    assert not [group for group in at.get("button_group") if group.key.startswith("answer_")]


def test_the_judges_sentence_stands_beside_the_rule_as_text(open_page):
    at = open_page("sample", run=two_models().id, sample="6")
    texts = said(at, "markdown").replace("**", "")
    assert "Declines: no. It says" in texts
    assert f"Judge {model_title(JUDGE)}: yes. ![x](http://127.0.0.1:9/x.png) It declines." in texts
    assert "Rule and judge differ." in texts
    assert not [text for text in markdown(at) if "![" in text]


def test_half_a_run_of_two_models_counts_every_answer(open_page):
    run = two_models(results=False)
    save(run, Cell(0, 0))
    at = open_page("rgb", run=run.id)
    assert state(at).startswith("Stopped · 1 of 12 checked")
    assert [(row["Model"], row["Checked"]) for row in table(at, "Rate")[:2]] == [
        (TITLES[0], "1 / 4"),
        (TITLES[1], "0 / 4"),
    ]
    at = open_page("sample", run=run.id, sample="1", model="2")
    assert "Not judged yet" in said(at)
    assert "There is no answer." in said(at)
