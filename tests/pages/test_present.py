"""Present: which blocks a page has, in which order, and what is no longer there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.records import Dataset
from evaluators.runs.examples import INVENTED, NOISE, NOISE_ZH
from tests.pages.conftest import checked, finished
from tests.pages.screen import button, evidence, html, lines, markdown, press, said

RATES = ["Noise robustness", "Negative rejection", "Integration", "Error detection"]
GROUPS = [
    "Does what was retrieved help to answer?",
    "Does the answer use it, and all of it?",
    "Does the answer say only what the documents say?",
    "Overall",
]
HOSTILE = "<img src=x> ![](http://evil.example/a.png) $x$"


@pytest.mark.parametrize(
    ("page", "run", "titles"),
    [
        (
            "rgb",
            NOISE,
            [
                "Why noise hurts (illustration)",
                "Noise robustness: accuracy by noise",
                "Information integration: accuracy by noise",
                *RATES,
                "Error correction",
                "Correction if detected",
            ],
        ),
        ("trace", INVENTED, ["Find the invented sentence (illustration)", *GROUPS]),
    ],
)
def test_the_finding_comes_first_then_every_chart_and_group(open_page, page, run, titles):
    at = open_page(page, run=run, present="1")
    assert present(at) == {"titles": titles, "place": ""}
    assert said(at, "title").splitlines() == titles
    # Neither forms nor files nor samples.
    assert not at.button
    assert not at.expander
    assert not at.get("popover")


def test_one_model_has_one_chart_of_its_abilities(open_page, filled):
    titles = present(open_page("rgb", run=filled.rgb.id, present="1"))["titles"]
    # The offline reader notices no planted error, so that there is no correction if detected.
    assert titles == [filled.rgb.title, "Accuracy by noise", *RATES, "Error correction"]


def test_a_metric_with_many_values_takes_several_screens(open_page):
    data = bundled()[TRACE_SAMPLES]
    assert isinstance(data, Dataset)
    run = finished(data, "answer_match", "retriever_recall", title=HOSTILE)
    at = open_page("metrics", run=run.id, present="1")
    shown = present(at)["titles"]
    assert list(dict.fromkeys(shown)) == ["Answer match", "Retriever recall"]
    assert len(lines(at)) > len(shown)


def test_a_title_from_outside_is_text(open_page):
    data = bundled()[TRACE_SAMPLES]
    assert isinstance(data, Dataset)
    run = finished(data, "trace", title=HOSTILE)
    at = open_page("trace", run=run.id, present="1")
    assert present(at)["titles"][0] == HOSTILE
    assert "](http" not in "\n".join(markdown(at))
    assert "<img" not in html(at)


def test_the_button_begins_and_the_script_ends_it(open_page):
    at = open_page("trace", run=INVENTED)
    at = press(at, "Present")
    assert at.query_params["present"] == "1"
    at.query_params["block"] = "3"
    at = leave(at)
    assert set(at.query_params) == {"run"}
    assert button(at, "Present")


def test_a_sample_is_one_block_and_the_steps_lead_to_the_next(open_page):
    at = open_page("sample", run=INVENTED, sample="5", present="1")
    assert present(at) == {"titles": ["Sample 5 of 24"], "place": "5 of 24"}
    assert (
        evidence(at)["question"] == "Who may work from home at Lindqvist Paper, and on which days?"
    )
    at = checked(at.button(key="next_sample").click().run())
    assert present(at)["place"] == "6 of 24"
    assert at.query_params["present"] == "1"
    assert "Present" not in [each.label for each in at.button]


def test_a_sample_of_rgb_shows_question_verdict_answer_and_documents(open_page):
    at = open_page("sample", run=NOISE_ZH, sample="1", present="1")
    assert present(at)["place"] == "1 of 72"
    assert at.text[0].value
    assert at.header[0].value.startswith("Does it find the true answer")
    assert "pl-role" in html(at)
    assert not at.expander


def test_an_address_without_its_run_shows_the_page_as_ever(open_page):
    at = open_page("trace", run="gone", present="1")
    assert "There is no such run here" in said(at)
    assert at.title[0].value == "TRACE"


def present(at: AppTest) -> dict[str, Any]:
    """What the script of a presented page was told."""
    data: dict[str, Any] = json.loads(_script(at).json)
    # What its buttons are called.
    del data["words"]
    return data


def leave(at: AppTest) -> AppTest:
    """The page after Escape, as the script says it."""
    states = at._tree.get_widget_states()
    trigger = WidgetState(id=_make_trigger_id(_script(at).id, "events"))
    trigger.json_trigger_value = json.dumps([{"event": "left", "value": True}])
    states.widgets.append(trigger)
    return checked(at._run(states))


def _script(at: AppTest) -> Any:
    return next(
        element.proto
        for element in at.get("bidi_component")
        if "titles" in json.loads(element.proto.json)
    )
