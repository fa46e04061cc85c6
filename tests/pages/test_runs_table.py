"""The table of runs: what a row says, what the search and filters leave, what is done with several;
and the name of a run on its page.
"""

from __future__ import annotations

import io
import re
import zipfile

from streamlit.testing.v1 import AppTest

from evaluators.api.results import Results
from evaluators.people.records import PersonLabel
from evaluators.records import Call, Cell, Completion
from evaluators.run_files.contents import SUFFIX
from evaluators.run_files.together import written_together
from evaluators.runs.examples import INVENTED
from evaluators.runs.notes import Note
from evaluators.runs.store import Answer
from tests.comparison.made import MODELS, results
from tests.pages.conftest import checked
from tests.pages.screen import button, listed, markdown, press, runs, said, select
from ui import session

QUESTIONS = ["Who?", "When?", "Why?"]
NOW = "2026-11-23T10:00:00+00:00"
HOSTILE = "<img src=x onerror=alert(1)> ![](http://evil.example/a.png) **b** =1+1"


def made(title: str, *values: list[float | str | None], **facts: object) -> Results:
    return results(session.store(), title, QUESTIONS, *values, **facts)


def ids(at: AppTest) -> set[str]:
    return set(listed(at))


def fill() -> None:
    """Three runs: one finished, one with a failure, one of two models that stopped."""
    made("Old", [1.0, 0.5, None])
    made("New", [1.0, "failed", 0.0])
    made("Models", [1.0, 1.0], [0.0, 1.0, 1.0], models=MODELS, metric="llm_judge")
    session.store().runs.save_title("Old", "Old", "Short documents.", ["slides"])
    session.store().runs.save_baseline(session.store().runs.newest("local")[-1])


def test_a_row_says_what_a_run_was_and_what_came_of_it(open_page):
    fill()
    call = Call(key="k", model="groq/small", completion=Completion(text="-"), cost=0.25)
    session.store().calls.save("Models", [call])

    rows = listed(open_page("runs"))

    assert list(rows) == ["Models", "New", "Old"]
    assert rows["Old"] == {
        "Title": "Old",
        "Data": "made",
        "Method": "Answer match",
        "Models": "",
        "State": "3 answers checked",
        "Results": "Answer match 0.75 · 2 / 3",  # the third has no true answer
        "Cost": "",
        "Date": "22 Nov 2026, 09:00 UTC",
        "tags": ["slides"],
        "note": "Short documents.",
        "baseline": True,
    }
    assert (rows["New"]["State"], rows["New"]["Results"]) == (
        "2 of 3 checked · 1 failed",
        "Answer match 0.50 · 2 / 3",
    )
    assert rows["Models"]["State"] == "Stopped · 5 of 6 checked"
    assert rows["Models"]["Cost"] == "$0.25"
    assert rows["Models"]["Results"] == "\n".join(
        (
            "small: LLM as judge 1.00 · 2 / 3",
            "large: LLM as judge 0.67 · 3 / 3",
        )
    )


def test_a_row_keeps_its_labeller_s_results_whatever_a_person_says(open_page):
    fill()
    assert listed(open_page("runs"))["Old"]["Results"] == "Answer match 0.75 · 2 / 3"
    label = PersonLabel(person="Anna", label="verdict", key="answer_match", value="no", created=NOW)
    session.store().person_labels.save("Old", Cell(0), label)
    assert listed(open_page("runs"))["Old"]["Results"] == "Answer match 0.75 · 2 / 3"


FILTERS = [
    ("runs_search", "documents SHORT", {"Old"}),
    ("runs_search", "slides", {"Old"}),
    ("runs_search", "large", {"Models"}),
    ("runs_search", "made", {"Old", "New", "Models"}),
    ("runs_search", "nothing like it", set()),
    ("runs_Method", "LLM as judge", {"Models"}),
    ("runs_Data", "made", {"Old", "New", "Models"}),
    ("runs_State", "With failures", {"New"}),
    ("runs_State", "Stopped", {"Models"}),
    ("runs_Tag", "slides", {"Old"}),
    ("runs_baselines", True, {"Old"}),
]


def test_search_and_filters_leave_what_matches(open_page):
    fill()
    at = open_page("runs")
    for key, value, left in FILTERS:
        fields = {each.key: each for each in (*at.text_input, *at.selectbox, *at.toggle)}
        before = fields[key].value
        fields[key].set_value(value)
        checked(at.run())
        assert (key, value, ids(at)) == (key, value, left)
        assert ("No run matches." in said(at)) == (not left)
        fields = {each.key: each for each in (*at.text_input, *at.selectbox, *at.toggle)}
        fields[key].set_value(before)
        checked(at.run())


def test_two_are_compared_the_baseline_first(open_page):
    fill()
    at = select(open_page("runs"), "New", "Old")
    at = press(at, "Compare")
    sides = [at.selectbox(key=f"compare_{name}").value for name in ("first", "second")]
    assert sides == ["Old.1", "New.1"]


def test_more_than_two_are_compared_with_the_baseline(open_page):
    fill()
    made("Last", [1.0, 1.0, 1.0])
    at = select(open_page("runs"), "Last", "New", "Old")
    at = press(at, "Compare")
    # These runs are of one moment: beside the baseline they stand newest first, as in the table.
    systems = [at.query_params[name] for name in ("first", "second", "more")]
    assert systems == ["Old.1", "Last.1", "New.1"]


def test_the_page_of_a_run_offers_its_baseline_first(open_page):
    fill()
    assert button(open_page("metrics", run="Old"), "Compare")
    at = open_page("metrics", run="New")
    at = press(at, "Compare with the baseline")
    sides = [at.selectbox(key=f"compare_{name}").value for name in ("first", "second")]
    assert sides == ["Old.1", "New.1"]


def test_several_are_deleted_after_it_was_said_what_is_lost(open_page):
    fill()
    label = PersonLabel(person="Anna", label="verdict", key="answer_match", value="no", created=NOW)
    session.store().person_labels.save("Old", Cell(0), label)
    session.store().notes.save("Old", Answer(0), Note(text="Odd.", tags=(), created=NOW))
    at = select(open_page("runs"), "New", "Old", "gone")
    assert "Lost: 5 results, 1 label of people, 1 note." in said(at)
    checked(at.button(key="runs_delete_for_good").click().run())
    assert [run.id for run in runs()] == ["Models"]
    assert not [each for each in at.button if each.key == "runs_clear"]


def test_several_go_into_one_zip_and_one_into_a_run_file(open_page):
    fill()
    at = select(open_page("runs"), "New", "Old")
    (export,) = (each for each in at.get("download_button") if each.proto.label == "Export")
    assert export
    packed = zipfile.ZipFile(io.BytesIO(written_together(session.store(), runs()[1:])))
    assert packed.namelist() == [f"new-New{SUFFIX}", f"old-Old{SUFFIX}"]


def test_several_are_ranked_on_a_page_of_their_own(open_page):
    fill()
    at = press(select(open_page("runs"), "New", "Old"), "Leaderboard")
    assert at.multiselect(key="compare_ranked").value == ["New", "Old"]


def test_a_stopped_run_resumes_from_the_table(open_page):
    made("Stopped before", [1.0])
    made("Stopped last", [1.0])
    at = open_page("runs")
    assert [each.key for each in at.button if each.label == "Resume"] == ["resume_Stopped-last"]
    at = select(at, "Stopped-before")
    assert {each.key for each in at.button if each.label == "Resume"} == {
        "resume_Stopped-last",
        "resume_Stopped-before",
    }


# The name of a run on its page


def rename(at: AppTest, title: str, note: str = "", *, baseline: bool = False) -> AppTest:
    fields = {each.key: each for each in (*at.text_input, *at.text_area, *at.toggle)}
    for name, value in (("title", title), ("note", note), ("baseline", baseline)):
        (key,) = (key for key in fields if str(key).startswith(f"{name}_"))
        fields[key].set_value(value)
    return press(at, "Save")


def test_a_run_is_renamed_on_its_page(open_page):
    fill()
    at = rename(open_page("metrics", run="New"), "Second try", "With a judge.", baseline=True)
    assert "**Second try** · Answer match" in said(at, "markdown")
    assert ":material/flag: Baseline of made · With a judge." in said(at)
    row = listed(open_page("runs"))["New"]
    assert (row["Title"], row["note"], row["baseline"]) == ("Second try", "With a judge.", True)
    # A data set has one baseline for each kind of evaluator.
    assert listed(open_page("runs"))["Old"]["baseline"] is False
    rename(open_page("metrics", run="New"), "", baseline=False)
    assert listed(open_page("runs"))["New"]["Title"] == "made · Answer match"
    assert listed(open_page("runs"))["New"]["baseline"] is False


def test_an_example_has_no_name_to_change(open_page):
    assert "Save" not in [each.label for each in open_page("trace", run=INVENTED).button]


def test_a_hostile_title_stays_text_on_every_page(open_page):
    fill()
    rename(open_page("metrics", run="New"), HOSTILE, HOSTILE)
    pages = {"runs": {}, "home": {}, "metrics": {"run": "New"}, "compare": {"first": "New.1"}}
    for name, query in pages.items():
        texts = "\n".join(markdown(open_page(name, **query)))
        assert not re.search(r"(?<!\\)<img|!\[\]\(|\*\*b\*\*", texts), name
    assert listed(open_page("runs"))["New"]["Title"] == HOSTILE
