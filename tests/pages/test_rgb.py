"""RGB: the form counts what it will ask, the run shows rates that can be worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.records import Ability, Dataset, RGBTask, Sample
from tests.pages.conftest import OpenPage, Upload, checked, finished
from tests.pages.screen import (
    button,
    cards,
    html,
    jsonl,
    lines,
    runs,
    said,
    samples,
    segments,
    settled,
    started,
    state,
    table,
    value_table,
)

BED = "RGB sample (English)"
PREDICTIONS = tuple(
    {"id": n, "query": "Who?", "ans": "Mina Osei", "prediction": answer}
    | {"noise_rate": 0.4, "docs": ["d"]}
    for n, answer in enumerate(("It was Mina Osei.", "Osei", "Osei and Mina", "Jan Brandt"), 1)
)
"""Right under both policies; a part of the answer; all its words; wrong."""


def test_an_empty_page_shows_the_form_and_needs_no_key(open_page):
    at = open_page("rgb")
    assert "The offline reader, and checking answers, need no key" in said(at)
    assert at.button(key="rgb_start").label == "Ask 216 questions"


def test_the_form_counts_the_prompts_and_says_what_is_missing(open_page):
    at = open_page("rgb")
    labels = [
        ([Ability.NOISE], [0.0, 0.8], "Ask 48 questions"),  # 24 rows at two levels
        ([Ability.REJECTION], [0.0, 0.8], "Ask 24 questions"),  # 24 rows, always only negatives
        ([Ability.INTEGRATION, Ability.COUNTERFACTUAL], [0.2], "Ask 24 questions"),  # 12 and 12
        ([], [0.2], "Choose an ability to start"),
        ([], [], "Choose an ability to start"),
        ([Ability.NOISE], [], "Choose a noise level to start"),
    ]
    for abilities, levels, label in labels:
        start = asked(at, abilities, levels).button(key="rgb_start")
        assert (start.label, start.disabled) == (label, not label.startswith("Ask"))


def test_without_a_model_or_a_whole_prompt_the_button_says_what_is_missing(open_page):
    at = open_page("rgb")
    at.multiselect(key="rgb_models").set_value([])
    assert checked(at.run()).button(key="rgb_start").label == "Choose a model to start"
    at.text_area(key="rgb_prompt_en").set_value("Answer $question")
    assert checked(at.run()).button(key="rgb_start").label == "Correct the prompt to start"
    remedy = "The prompt lacks $documents. Put it where the documents should stand."
    assert remedy in said(at, "error")
    assert at.button(key="rgb_start").disabled


def test_a_chinese_bed_brings_its_own_prompt(open_page):
    at = open_page("rgb")
    checked(at.selectbox(key="rgb_data").set_value("RGB sample (Chinese)").run())
    assert "请根据文档回答问题" in at.text_area(key="rgb_prompt_zh").value
    at.button(key="rgb_start").click()
    assert state(settled(at.run())) == "72 answers checked"  # a third of the English rows
    # Published curves are of English questions.
    assert not [select for select in at.multiselect if "published" in select.label]


def test_a_finished_run_shows_what_it_was_and_every_rate(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    assert state(at) == "216 answers checked"
    assert "Rules: Documented · Model: Offline reader" in said(at)
    assert f"**{BED} · Offline reader** · RGB · 216 answers checked" in said(at, "markdown")
    assert {row["Rate"]: row["Checked"] for row in table(at, "Rate")} == {
        "Noise robustness": "120 / 120 (24 questions)",
        "Negative rejection": "24 / 24",
        "Integration": "60 / 60 (12 questions)",
        "Error detection": "12 / 12",
        "Error correction": "12 / 12",
        "Correction if detected": table(at, "Rate")[-1]["Checked"],
    }
    assert len(at.get("plotly_chart")) == 1
    # No error was detected, so none could be corrected
    assert cards(at)["Correction if detected"] == "–"
    # By hand from the bundled bed: 18 of 24 answers at 80 % noise, all at 0 %
    assert (
        "With 80 % noise Offline reader still answers 75 % (55 to 88) of the questions right; "
        "with no noise 100 %."
    ) in html(at)
    [robust] = [line for line in lines(at) if line.title == "Noise robustness"]
    assert robust.meaning.endswith("; 5 noise levels")
    assert robust.coverage.endswith(" of 120 right, 24 questions")
    # The charts tell their findings to who does not see them.
    [chart] = at.get("plotly_chart")
    assert (
        "Noise robustness: accuracy falls from 100 % at 0 % noise to 75 % at 80 %."
        in chart.proto.alt
    )
    assert "Noise robustness: 100 % (" in chart.proto.alt
    assert cards(at)["Integration"] == "28 %"
    assert "17 of 60 right, 12 questions" in {line.coverage for line in lines(at)}


def test_samples_can_be_narrowed_to_an_ability_and_an_outcome(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    segments(at, f"ability_{filled.rgb.id}").set_value(Ability.REJECTION)
    assert "24 samples." in said(checked(at.run()))
    counts = []
    for outcome in ("Right", "Wrong"):
        segments(at, f"filter_{filled.rgb.id}").set_value(outcome)
        counts.append(int(said(checked(at.run())).split(" samples.")[0].split()[-1]))
    assert sum(counts) == 24
    # A chip that would choose nothing is not there.
    assert segments(at, f"filter_{filled.rgb.id}").options == [
        "All 24",
        f"Right {counts[0]}",
        f"Wrong {counts[1]}",
    ]


def test_published_curves_underneath_can_be_told_apart_and_leave_the_plot_its_height(
    open_page, filled
):
    at = open_page("rgb", run=filled.rgb.id)
    height = figure(at)["layout"]["height"]
    choice = at.multiselect(key=f"published_{filled.rgb.id}")
    choice.set_value(choice.options)
    chart = figure(checked(at.run()))
    curves = [curve for curve in chart["data"] if "(paper)" in curve["name"]]
    assert [curve["name"] for curve in curves][:1] == ["ChatGPT (paper)"]
    assert (
        len({(curve["line"]["dash"], curve["marker"]["symbol"][0]) for curve in curves})
        == len(curves)
        == 6
    )
    assert all("fullData.name" in curve["hovertemplate"] for curve in curves)
    assert chart["layout"]["height"] >= height
    assert "From the paper (other prompt and questions): look at the shape." in said(at)


def test_planted_errors_alone_have_no_chart_of_noise(open_page):
    at = asked(open_page("rgb"), [Ability.COUNTERFACTUAL], [0.0])
    at = started(at, "rgb")
    assert "Accuracy by noise" not in said(at, "header", "subheader")
    assert "notices 0 % (0 to 24) of the planted errors." in html(at)
    assert not at.get("plotly_chart")


def test_the_table_begins_with_the_question_and_has_no_empty_column(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    assert list(samples(at)[0])[:4] == ["#", "Verdict", "Question", "Answer"]
    segments(at, f"ability_{filled.rgb.id}").set_value(Ability.NOISE)
    columns = set(samples(checked(at.run()))[0])
    assert not {"Declines", "Notices error", "Corrects error", "Forged"} & columns
    assert "Noise" in columns
    segments(at, f"ability_{filled.rgb.id}").set_value(Ability.COUNTERFACTUAL)
    row = samples(checked(at.run()))[0]
    assert {"Notices error", "Corrects error"} <= set(row)
    # Planted errors are asked with forged documents alone; noise levels they have none.
    assert row["Forged"] == "100 %"
    assert "Noise" not in row


def test_existing_answers_are_scored_by_the_chosen_policy(open_page, upload):
    at = scoring(open_page, upload, *PREDICTIONS)
    at = started(at.selectbox(key="rgb_score_policy").set_value("paper").run(), "rgb")
    assert "Rules: Paper · Answers: from the file" in said(at)
    (rate,) = table(at, "Rate")
    assert (rate["Rate"], rate["Value"], rate["Checked"]) == (
        "Noise robustness",
        "25 %",
        "4 / 4 (1 question)",
    )
    assert [row["Noise asked"] for row in table(at, "Ability")] == ["40 %"]


def test_rules_by_which_nothing_differs_say_so(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    assert "no verdict differs" not in said(at)
    segments(at, f"policy_{filled.rgb.id}").set_value("paper")
    assert "By these rules no verdict differs from the run's own." in said(checked(at.run()))


def test_the_rules_of_a_finished_run_can_be_switched_and_what_differs_is_listed(open_page, upload):
    at = started(scoring(open_page, upload, *PREDICTIONS), "rgb")
    (run,) = runs()
    assert "With 40 % noise the tested model answers 75 % (" in html(at)
    assert "Verdicts that differ" not in said(at)
    at = checked(segments(at, f"policy_{run.id}").set_value("paper").run())
    # "Osei" and "Osei and Mina" do not hold the true answer as it is written.
    assert "With 40 % noise the tested model answers 25 % (" in html(at)
    assert "Verdicts that differ from the run's own rules: 2." in said(at)
    segments(at, f"filter_{run.id}").set_value("Verdicts differ by rules")
    assert "2 samples." in said(checked(at.run()))


def test_answers_in_groups_have_rates_of_their_own_over_questions(open_page):
    # Easy: both answers to one question right; hard: of two questions one.
    rows = [("easy", "Who?", "Ann"), ("easy", "Who?", "Ann"), ("hard", "A?", "Ann")]
    own = []
    for number, (group, question, answer) in enumerate([*rows, ("hard", "B?", "Tea")]):
        facts = {"question": question, "response": answer, "ground_truth": "Ann"}
        task = RGBTask(ability=Ability.NOISE, noise=0.2)
        own.append(Sample(id=str(number), situation=group, rgb=task, **facts))
    data = Dataset(name="groups", samples=tuple(own))
    run = finished(data, "rgb")
    at = open_page("rgb", run=run.id)
    assert [row["Group"] for row in samples(at)] == ["easy", "easy", "hard", "hard"]
    assert value_table(at, "Group") == {
        "easy": [("Accuracy", "100 %", "2 of 2, 1 question")],
        "hard": [("Accuracy", "50 %", "2 of 2")],
    }


def test_existing_answers_can_be_scored_for_another_ability(open_page, upload):
    refusal = "I can not answer the question because of the insufficient information in documents."
    at = scoring(open_page, upload, PREDICTIONS[0], {**PREDICTIONS[1], "prediction": refusal})
    at = segments(at, "rgb_ability_answers.jsonl").set_value(Ability.REJECTION).run()
    (rate,) = table(started(at, "rgb"), "Rate")
    assert (rate["Rate"], rate["Value"]) == ("Negative rejection", "50 %")


def test_a_row_without_an_answer_fails_with_the_remedy_and_leaves_the_mean(open_page, upload):
    without = {**PREDICTIONS[0], "ans": None}
    at = started(scoring(open_page, upload, without, PREDICTIONS[1], PREDICTIONS[3]), "rgb")
    assert state(at) == "2 of 3 checked · 1 failed"
    (rate,) = table(at, "Rate")
    assert (rate["Value"], rate["Checked"], rate["Failed"]) == ("50 %", "2 / 3 (1 question)", 1)
    at = open_page("sample", run=runs()[0].id, sample="1")
    assert "Sample 1: " in said(at, "error")
    assert "answer" in said(at, "error")
    assert button(at, "Next")


def test_answers_without_true_answers_start_no_run_in_which_every_one_would_fail(open_page, upload):
    at = scoring(open_page, upload, {**PREDICTIONS[0], "ans": None})
    at = segments(at, "rgb_ability_answers.jsonl").set_value(Ability.NOISE).run()
    at = checked(at.button(key="rgb_start").click().run())
    assert "No sample of answers.jsonl has what RGB needs" in said(at, "error")
    assert not runs()


def test_look_alike_characters_that_change_a_verdict_are_counted(open_page, upload):
    at = started(
        scoring(open_page, upload, {**PREDICTIONS[0], "prediction": "Ｍｉｎａ Ｏｓｅｉ"}), "rgb"
    )
    assert "look-alike characters (NFKC): 1" in said(at)


@pytest.mark.parametrize("run_id", ["unknown", "../../etc", "%00", "x" * 5000, "of another kind"])
def test_an_unknown_run_in_the_address_leads_to_the_form(open_page, filled, run_id):
    at = open_page("rgb", run=filled.trace.id if run_id == "of another kind" else run_id)
    assert "There is no such run here" in said(at)
    assert at.button(key="rgb_start")


def test_the_deciding_words_are_marked_in_the_answer(open_page, upload):
    started(scoring(open_page, upload, PREDICTIONS[0]), "rgb")
    at = open_page("sample", run=runs()[0].id)
    verdict = "Gives the true answer: yes. It contains “Mina Osei”."
    assert verdict in said(at, "markdown").replace("**", "")
    assert 'It was <mark class="pl-true">Mina Osei</mark>.' in html(at)


def test_the_expected_answer_is_marked_in_the_documents_and_in_the_answer(open_page, upload):
    docs = ["<b>In 2014</b>, 14 people met MINA OSEI.", "Jan Brandt lost in 2140."]
    facts = {"ans": [["Mina Osei", "Mina"], "14"], "prediction": "Mina, not Jan Brandt."}
    started(scoring(open_page, upload, {**PREDICTIONS[3], **facts, "docs": docs}), "rgb")
    shown = html(open_page("sample", run=runs()[0].id))
    assert (
        '&lt;b&gt;In 2014&lt;/b&gt;, <mark class="pl-true">14</mark> people met <mark '
        'class="pl-true">MINA OSEI</mark>.'
    ) in shown
    assert "Jan Brandt lost in 2140." in shown
    assert '<mark class="pl-true">Mina</mark>, not Jan Brandt.' in shown


def asked(at: AppTest, abilities: list[Ability], levels: list[float]) -> AppTest:
    segments(at, f"rgb_abilities_{BED}").set_value(abilities)
    return checked(at.multiselect(key="rgb_noise").set_value(levels).run())


def scoring(open_page: OpenPage, upload: Upload, *rows: dict[str, Any]) -> AppTest:
    """The form for answers that exist already, with this upload chosen."""
    upload("answers.jsonl", jsonl(*rows))
    return checked(open_page("rgb").selectbox(key="rgb_data").set_value("answers.jsonl").run())


def figure(at: AppTest) -> dict[str, Any]:
    """The chart of accuracy by noise."""
    return json.loads(at.get("plotly_chart")[0].proto.spec)
