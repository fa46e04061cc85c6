"""The Compare page: what can be chosen, what it says first, and what it refuses."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from evaluators.datasets.mapping import load
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, ModelSpec, Sample
from evaluators.runs.examples import INVENTED, NOISE
from tests.comparison.made import MODELS, results
from tests.pages.conftest import checked
from tests.pages.screen import button, said
from ui import session

QUESTIONS = [f"Question {number}?" for number in range(8)]
THREE = tuple(ModelSpec(provider="groq", model=name) for name in ("small", "medium", "large"))
OLD = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
NEW = [1.0] * 8


def old_and_new() -> None:
    """Two runs over the same questions, of which the newer is better."""
    results(session.store(), "Old", QUESTIONS, OLD)
    results(session.store(), "New", QUESTIONS, NEW)


def headline(at: AppTest) -> str:
    return said(at, "header").splitlines()[0]


def forest(at: AppTest) -> str:
    return next(
        element.proto.body for element in at.get("html") if "pl-forest" in element.proto.body
    )


def table(at: AppTest) -> str:
    """The table of all systems."""
    return next(
        element.proto.body for element in at.get("html") if "pl-values" in element.proto.body
    )


def rows(at: AppTest) -> list[list[str]]:
    [component] = at.main.get("bidi_component")
    return [row["cells"] for row in json.loads(component.proto.json)["rows"]]


def test_without_a_run_it_leads_to_the_examples(open_page):
    assert "No run yet" in said(open_page("compare"))


def test_two_runs_over_the_same_data_are_what_is_likeliest_meant(open_page):
    results(session.store(), "Elsewhere", ["Another?"], [1.0])
    old_and_new()

    at = open_page("compare", first="Old.1")

    assert at.selectbox(key="compare_second").value == "New.1"
    options = at.selectbox(key="compare_first").options
    assert "New · 2026-11-22 09:00 · Answer match" in options
    assert headline(at) == "New is better in answer match by 75.0 points (18.2 to 92.9)."
    assert "+75.0 (18." in forest(at)
    # On a phone the head is not there: each mean says whose it is.
    assert 'data-title="Old">0.25</td>' in forest(at)
    assert 'data-title="New">1.00</td>' in forest(at)
    # The greatest difference first
    assert [row[-1] for row in rows(at)] == ["+1.00"] * 6 + ["0.00"] * 2
    assert [button.label for button in at.get("download_button")] == ["Report (HTML)"]
    # All samples count, and nothing was set otherwise.
    assert not [each for each in at.expander if each.label.startswith("What does not count")]
    assert "All settings are the same." in said(at)


def test_the_baseline_of_the_data_is_the_first(open_page):
    baseline = results(session.store(), "Old", QUESTIONS, OLD).run
    results(session.store(), "New", QUESTIONS, NEW)
    session.store().runs.save_baseline(baseline)

    at = open_page("compare")

    assert at.selectbox(key="compare_first").value == "Old.1"
    assert headline(at).startswith("New is better")


def test_the_choice_stands_in_the_address(open_page):
    results(session.store(), "Both", QUESTIONS, OLD, NEW, models=MODELS)
    at = open_page("compare", first="Both.1", second="Both.2")
    assert headline(at).startswith("large is better")

    at = checked(at.selectbox(key="compare_first").set_value("Both.2").run())

    assert at.query_params["first"] == "Both.2"
    assert "Both are the same. Choose another run or model for one of them." in said(at)


def test_runs_without_anything_in_common_say_so(open_page, filled):
    at = open_page("compare", first=f"{filled.rgb.id}.1", second=f"{filled.trace.id}.1")

    assert " have no sample and no question in common." in said(at)


def test_the_models_of_the_example_over_the_noise(open_page):
    at = open_page("compare", first=f"{NOISE}.1", second=f"{NOISE}.2")

    assert "Model A is better in noise robustness by 23.3 points (16.1 to 32.6)" in headline(at)
    noise = "Model A is more often right at 60 % noise by 41.7 points (22.1 to 61.2) and at 80 % noise by 58.3 "
    assert noise in said(at, "markdown")
    chart, difference = at.get("plotly_chart")
    assert "-58.3 (-75.5 to -36.5) at 80 % noise" in difference.proto.alt
    upper = json.loads(chart.proto.spec)["data"]
    assert [trace["name"] for trace in upper if trace.get("name")] == ["Model A", "Model B"]
    assert "Answers to one question resemble each other and count as one." in said(at)
    assert "What differs: model (Model A → Model B)." in said(at)
    at.number_input(key="compare_points").set_value(10.0)
    assert "Noise robustness: " in said(checked(at.run()), "markdown")


def test_each_of_three_is_compared_with_the_first_and_one_is_read_closely(open_page):
    results(session.store(), "Three", QUESTIONS, OLD, OLD, NEW, models=THREE)
    at = open_page("compare", first="Three.1", second="Three.2", more="Three.3")

    assert headline(at) == "Each against small"
    assert "**large:** Better in answer match by 75.0 points (18.2 to" in said(at, "markdown")
    assert "▲ +75.0 (18." in table(at)
    assert "<bdi>medium</bdi>" in forest(at)
    at = checked(at.segmented_control(key="compare_closer").set_value("large").run())

    assert "<bdi>large</bdi>" in forest(at)
    assert [row[-1] for row in rows(at)] == ["+1.00"] * 6 + ["0.00"] * 2


def test_further_systems_that_are_not_there_are_left_out(open_page):
    results(session.store(), "Three", QUESTIONS, OLD, OLD, NEW, models=THREE)

    for more in ("nobody.1", "Three.1", "<script>", "Three.1.gold", "Three.9"):
        at = open_page("compare", first="Three.1", second="Three.3", more=more)
        assert at.multiselect(key="compare_more").value == []
        assert headline(at).startswith("large is better")


def test_a_further_system_that_becomes_the_second_is_left_out(open_page):
    results(session.store(), "Three", QUESTIONS, OLD, OLD, NEW, models=THREE)
    at = open_page("compare", first="Three.1", second="Three.2", more="Three.3")

    at = checked(at.selectbox(key="compare_second").set_value("Three.3").run())

    assert at.multiselect(key="compare_more").value == []
    at = checked(at.multiselect(key="compare_more").set_value(["Three.2"]).run())
    assert headline(at) == "Each against small"
    assert at.query_params["more"] == "Three.2"


def test_three_labellers_of_one_run(open_page):
    labels = {"first_labels": "heuristic", "second_labels": "gold", "more": f"{INVENTED}.1.jury"}

    at = open_page("compare", first=f"{INVENTED}.1", second=f"{INVENTED}.1", **labels)

    assert headline(at) == "Each against Heuristic"
    assert all(f"<bdi>{name}</bdi>" in table(at) for name in ("Heuristic", "Gold", "Jury"))


def test_what_does_not_count_is_listed(open_page):
    results(session.store(), "Old", QUESTIONS, [*OLD[:6], None, "failed"])
    results(session.store(), "New", [*QUESTIONS[2:], "Further?"], [1.0] * 5 + ["failed", 1.0])

    at = open_page("compare", first="Old.1", second="New.1")

    folded = next(each for each in at.expander if each.label.startswith("What does not count"))
    assert folded.label == "What does not count: 3 samples without a partner"
    assert folded.dataframe[0].value.to_dict("records") == [
        {"Only in": "Old", "#": 1, "Question": "Question 0?"},
        {"Only in": "Old", "#": 2, "Question": "Question 1?"},
        {"Only in": "New", "#": 7, "Question": "Further?"},
    ]
    assert "Answer match: checked 1 only for New, 1 for neither" in said(at, "markdown")
    assert "4 / 6" in forest(at)


def test_two_labellers_go_by_their_names_and_change_places_with_their_run(open_page):
    labels = {"first_labels": "heuristic", "second_labels": "gold"}

    at = open_page("compare", first=f"{INVENTED}.1", second=f"{INVENTED}.1", **labels)

    assert "<bdi>Heuristic</bdi>" in forest(at)
    assert at.selectbox(key="compare_second_labels").value == "gold"
    assert len(rows(at)) == 24

    at = checked(at.button(key="compare_swap").click().run())

    assert at.selectbox(key="compare_first_labels").value == "gold"
    assert at.query_params["second_labels"] == "heuristic"


def test_an_address_that_leads_nowhere_chooses_the_newest(open_page):
    results(session.store(), "Old", QUESTIONS, OLD)

    for first in ("nobody.1", "<script>", "", "Old", "Old.9"):
        at = open_page("compare", first=first)
        assert at.selectbox(key="compare_first").value == "Old.1"


def test_names_of_strangers_are_text(open_page):
    results(session.store(), "<img src=x>", QUESTIONS, OLD)
    results(session.store(), "![x](http://x)", QUESTIONS, NEW)

    at = open_page("compare")

    assert "<img" not in forest(at)
    assert "&lt;img src=x&gt;" in forest(at)


@pytest.mark.parametrize("comes_from", ["Old", "New", ""])
def test_the_older_run_comes_first_and_both_change_places(open_page, comes_from):
    results(session.store(), "New", QUESTIONS, NEW, created="2026-11-22T12:00:00+00:00")
    results(session.store(), "Old", QUESTIONS, OLD, created="2026-11-22T09:30:00+00:00")

    at = open_page("compare", run=comes_from)

    first, second = at.selectbox(key="compare_first"), at.selectbox(key="compare_second")
    assert (first.label, second.label) == ("First (before)", "Second (after)")
    assert (first.value, second.value) == ("Old.1", "New.1")
    assert headline(at).startswith("New is better")
    assert "+75.0" in forest(at)

    at = checked(at.button(key="compare_swap").click().run())

    assert at.selectbox(key="compare_first").value == "New.1"
    assert at.query_params["second"] == "Old.1"
    assert "-75.0" in forest(at)


def verdicts_of_ann(run_id: str, *positions: int) -> None:
    """Ann calls the answers right."""
    for position in positions:
        label = PersonLabel(
            person="Ann",
            label="verdict",
            key="answer_match",
            value="yes",
            created="2026-11-22T10:00:00+00:00",
        )
        session.store().person_labels.save(run_id, Cell(position), label)


def test_two_systems_are_counted_by_one_labeller_that_both_have(open_page):
    """Ann calls the first two answers right, which both runs have as wrong: 1.00 on both sides."""
    results(session.store(), "Old", QUESTIONS, [0.0] * 8)
    results(session.store(), "New", QUESTIONS, [0.0] * 6 + [1.0] * 2)
    verdicts_of_ann("Old", 0, 1)
    verdicts_of_ann("New", 0, 1)

    at = open_page("compare", first="Old.1", second="New.1")

    fields = [field for field in at.selectbox if "abels" in field.label]
    assert [field.label for field in fields] == ["Labels"]
    assert fields[0].options == ["Those of each run", "Corrected", "People", "Ann"]
    assert "+25.0" in forest(at)
    at = checked(fields[0].set_value("person:Ann").run())
    assert "0 · 2 · 0" in forest(at)
    assert at.query_params["labels"] == "person:Ann"

    results(session.store(), "Third", QUESTIONS, NEW)
    verdicts_of_ann("Third", 0, 1)
    more = {"more": "Third.1", "labels": "person:Ann"}
    at = open_page("compare", first="Old.1", second="New.1", **more)
    assert headline(at) == "Each against Old"
    assert table(at).count(">1.00<") == 3


def test_labels_of_one_side_alone_are_not_offered(open_page):
    old_and_new()
    verdicts_of_ann("New", 0)

    at = open_page("compare", first="Old.1", second="New.1", labels="person:Ann")

    assert not [field for field in at.selectbox if "abels" in field.label]
    assert headline(at).startswith("New is better")


def test_two_labellers_of_one_run_have_a_field_each_in_every_kind_of_run(open_page):
    results(session.store(), "Old", QUESTIONS, [0.0] * 8)
    verdicts_of_ann("Old", 0, 1)

    at = open_page("compare", first="Old.1", second="Old.1", second_labels="person:Ann")

    fields = [field.label for field in at.selectbox if "abels" in field.label]
    assert fields == ["Labels of the first", "Labels of the second"]
    assert "+100.0" in forest(at)


def test_a_run_leads_to_its_comparison(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    button(at, "Compare").click()

    at = checked(at.run())

    assert at.selectbox(key="compare_first").value == f"{filled.rgb.id}.1"


def test_who_declined_is_folded_and_its_samples_are_those_of_a_value(open_page):
    """The old one declines twice, the new one at the second: one of three differs."""
    declines = "I cannot answer this."
    for name, answers in (
        ("Old", (declines, declines, "Rome.")),
        ("New", ("Rome.", declines, "Rome.")),
    ):
        samples = tuple(
            Sample(
                id=f"s{number}",
                question=QUESTIONS[number],
                response=answer,
                ground_truth="Rome",
                retrieved_documents=("Rome is a capital.",),
            )
            for number, answer in enumerate(answers)
        )
        right = [float(answer != declines) for answer in answers]
        results(session.store(), name, Dataset(name=name, samples=samples), right)
    at = open_page("compare", first="Old.1", second="New.1")

    folded = "Answered or declined, with evidence or without"
    assert folded in [each.label for each in at.expander]
    assert "p counts these alone (Holm), and not the values compared above." in said(at)
    value = at.selectbox(key="compare_value")
    assert "Declined although there was evidence" in value.options
    at = checked(value.set_value("declined although there was evidence").run())
    assert [row[-1] for row in rows(at)] == ["-1.00", "0.00", "0.00"]


VERSIONS = "question,response,ground_truth,prompt_version,owner\n" + "\n".join(
    f"What is {n} plus {n}?,{2 * n if version == 'v2' or n < 2 else 'No idea'},{2 * n},{version},"
    f"{'ann' if version == 'v1' else 'bo'}"
    for version in ("v1", "v2")
    for n in range(8)
)


def versions() -> Dataset:
    data = load("two.csv", VERSIONS.encode())
    assert isinstance(data, Dataset)
    return data


def test_the_groups_of_a_run_are_compared_the_best_first(open_page):
    results(session.store(), "Two", versions(), [*OLD, *NEW], origin=versions().origin)

    at = open_page("compare", groups="Two.1")

    assert headline(at) == "v2 is better in answer match by 75.0 points (18.2 to 92.9)."
    assert at.multiselect[0].label == "Groups by prompt\\_version"
    assert at.multiselect[0].value == ["v1", "v2"]
    assert "group (v2 → v1)" in said(at)
    at.multiselect[0].set_value(["v1"])
    assert "Choose two groups or more." in said(checked(at.run()))
    results(session.store(), "Old", QUESTIONS, OLD)
    button(at, "Compare runs").click()
    assert at.run().selectbox(key="compare_first")


def test_of_many_groups_some_are_offered_before_any_is_counted(open_page):
    data = Dataset(
        name="ids",
        samples=tuple(
            Sample(id=str(n), question=f"Q{n}?", response="Yes.", situation=f"id {n:05}")
            for n in range(3000)
        ),
    )
    results(session.store(), "Ids", data, [1.0] * 3000)

    at = checked(open_page("compare", groups="Ids.1"))

    assert len(at.multiselect[0].options) == 50
    assert "The first 50 of 3,000 groups." in said(at)


def test_groups_that_cannot_be_compared_are_a_sentence(open_page):
    data = Dataset(
        name="topics",
        samples=tuple(
            Sample(id=str(n), question=f"Q{n}?", response="Yes.", situation=topic)
            for n, topic in enumerate(["**cats**", "<b>dogs</b>"])
        ),
    )
    results(session.store(), "Topics", data, [1.0, 0.0])

    at = checked(open_page("compare", groups="Topics.1"))

    assert "have no sample and no question in common" in said(at)
    assert "Compare by" not in str(
        [each.label for each in open_page("metrics", run="Topics").button]
    )


def test_an_address_of_no_run_and_of_no_model_shows_what_there_is(open_page):
    results(session.store(), "Two", versions(), [*OLD, *NEW], origin=versions().origin)

    assert not open_page("compare", groups="nobody.1").multiselect
    assert headline(open_page("compare", groups=f"Two.{'9' * 5000}")).startswith("v2 is better")


def test_a_page_of_a_run_leads_to_its_groups(open_page):
    results(session.store(), "Two", versions(), [*OLD, *NEW], origin=versions().origin)

    at = open_page("metrics", run="Two")

    assert [each.label for each in at.button if "Compare by" in each.label] == [
        "Compare by prompt\\_version"
    ]
