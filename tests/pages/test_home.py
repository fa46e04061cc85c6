"""Home: one click from an empty workspace to a real evaluation."""

from itertools import pairwise

import pytest

from evaluators.runs.examples import INVENTED, INVENTED_ZH, NOISE, NOISE_ZH
from evaluators.text.language import CHINESE
from tests.pages.conftest import checked
from tests.pages.screen import cards, press, said, segments, state, wait_for_runs
from ui import language


def test_an_empty_workspace_says_where_to_begin(open_page):
    assert "No run yet." in said(open_page("home"))


@pytest.mark.parametrize(
    ("label", "name", "asked"),
    [("Run the RGB sample", "rgb", 216), ("Run the TRACE sample", "trace", 24)],
)
def test_a_sample_button_leads_to_the_finished_run(open_page, label, name, asked):
    at = open_page("home")
    press(at, label)
    assert [title.value for title in at.title] == [name.upper()]
    wait_for_runs()
    assert state(open_page(name, run=at.query_params["run"])) == f"{asked} answers checked"


@pytest.mark.parametrize(
    ("page", "label", "run", "checked_cells"),
    [("rgb", "See the result", NOISE, 648), ("trace", "See the result", INVENTED, 24)],
)
def test_an_example_opens_finished_and_says_that_it_is_an_illustration(
    open_page, page, label, run, checked_cells
):
    at = open_page("home")
    checked(at.button(key=f"home_{label}_{page}").click().run())
    assert at.query_params["run"] == run
    assert "not measurements of a named model" in said(at)
    assert f"{checked_cells}" in state(at)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"question,response\nWhen?,In May.", "Evaluate on the TRACE page"),
        (b"no,column\nof,ours", "Which column is what in own.csv?"),
        (b"{oops", "own.csv"),
    ],
)
def test_a_file_given_on_home_is_read_and_told_of_on_the_datasets_page(open_page, content, told):
    at = open_page("home")
    checked(at.file_uploader[0].upload("own.csv", content, "text/csv").run())
    assert [title.value for title in at.title] == ["Datasets"]
    links = [link.proto.label for link in at.get("page_link")]
    assert told in "\n".join([said(at), said(at, "markdown"), *links])


def test_whoever_leads_a_class_is_one_click_from_the_form_of_a_round(open_page):
    at = open_page("home")
    links = {link.proto.label: link.proto for link in at.get("page_link")}

    assert "Find the planted error · Which answer is better?" in said(at, "caption")
    plan = links["Plan, and what to prepare"]
    assert (plan.page, plan.query_string) == ("learn", "lesson=plan")
    # Whoever joins sees nothing of the workspace, and no run.
    assert links["Join a round"].query_string == ""
    press(at, "Start a round")
    assert at.query_params["run"] == INVENTED
    assert "Start with 8 answers" in [each.label for each in at.button]


@pytest.mark.parametrize(
    ("page", "button", "run"),
    [
        ("rgb", "See the result", NOISE_ZH),
        ("trace", "See the result", INVENTED_ZH),
        ("round", "Start a round", INVENTED_ZH),
    ],
)
def test_whoever_reads_chinese_is_shown_chinese_examples(open_page, page, button, run):
    at = open_page("home")
    segments(at, language.SWITCH).set_value(CHINESE)
    checked(at.run())
    assert "12 个回答" in said(at, "markdown")
    checked(at.button(key=f"home_{button}_{page}").click().run())
    assert at.query_params["run"] == run
    assert not at.exception


def test_a_model_is_tested_by_an_open_form(open_page):
    at = open_page("home")
    press(at, "Test a model")
    assert [title.value for title in at.title] == ["RGB"]
    assert "Ask 216 questions" in [each.label for each in at.button]


def test_recent_runs_are_listed_newest_first_and_open(open_page, filled):
    at = open_page("home")
    lines = said(at, "markdown").splitlines()
    titles = [title.strip(" *") for title, about in pairwise(lines) if "UTC" in about]
    assert titles == [filled.trace.title, filled.rgb.title]
    at.button(key=f"open_{filled.trace.id}").click().run()
    assert at.query_params["run"] == filled.trace.id
    assert "Adherence" in cards(at)


def test_a_data_folder_that_cannot_be_used_is_named_with_the_remedy(
    open_page, data_folder, monkeypatch
):
    (data_folder / "file").touch()
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PLUMBLINE_DATA_DIR", str(data_folder / "file"))
        at = open_page("home")
    assert "Set PLUMBLINE_DATA_DIR to a writable folder." in said(at, "error").replace("\\", "")
