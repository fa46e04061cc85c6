"""Label: a queue is drawn from a run, labelled one answer after the other, left and gone on with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from evaluators.api.results import Results
from evaluators.errors import ParameterError
from evaluators.people.queues import MOST_PEOPLE, LabelQueue
from evaluators.people.records import PersonLabel
from evaluators.records import Dataset, EvaluatorSpec, Sample, Score
from evaluators.runs import samples
from evaluators.runs.examples import INVENTED
from evaluators.runs.label_queues import Wish, draw
from evaluators.runs.store import Answer
from tests.pages.by_hand import SAMPLES, two_models
from tests.pages.conftest import Filled, OpenPage, checked
from tests.pages.screen import at_work, button, evidence, markdown, press, said, table
from tests.stored import stored_run
from ui import run_views, session

HOSTILE = "<script>![x](http://127.0.0.1:9/x.png)"


@pytest.fixture
def queue() -> LabelQueue:
    """All that can be labelled of the run by hand: 8 answers for accuracy, one of them failed, and
    4 for rejection.
    """
    return stored(Wish(n=50))


def stored(wish: Wish) -> LabelQueue:
    drawn = draw(run_views.latest(two_models()), wish, seed=0)
    session.store().label_queues.save(drawn)
    return drawn


def token(queue: LabelQueue, name: str) -> str:
    """What stands in the address of whoever labels under this name, and has the run as well."""
    return session.store().label_queues.join(queue, name, is_owner=True).token


@pytest.fixture
def opened(open_page: OpenPage) -> Callable[..., AppTest]:
    """`opened(queue, name)`: the page of somebody who labels in the queue."""
    return lambda queue, name="Anna": open_page("label", queue=queue.id, person=token(queue, name))


def bar(at: AppTest) -> dict[str, Any]:
    """What the bar below the answer was told."""
    (proto,) = [each.proto for each in at.get("bidi_component") if each.proto.id.endswith("-label")]
    return json.loads(proto.json)


def act(at: AppTest, *actions: str, **facts: Any) -> AppTest:
    """The page after the bar sent these actions, each as its script sends it."""
    for action in actions:
        told = bar(at)
        sent = {"sample": told["sample"], "number": told["answered"] + 1, "action": action}
        at = send(at, [sent | facts])
    return at


def say(at: AppTest, value: str) -> AppTest:
    """Answers what is asked with yes or no."""
    return act(at, "verdict", key=bar(at)["questions"][0]["name"], value=value)


def send(at: AppTest, changes: Any, name: str = "label") -> AppTest:
    """The page after a component sent something; AppTest itself knows none."""
    (proto,) = [
        each.proto for each in at.get("bidi_component") if each.proto.id.endswith(f"-{name}")
    ]
    states = at._tree.get_widget_states()
    trigger = WidgetState(id=_make_trigger_id(proto.id, "events"))
    trigger.json_trigger_value = json.dumps([{"event": "changed", "value": changes}])
    states.widgets.append(trigger)
    return checked(at._run(states))


def words(queue: LabelQueue, person: str = "Anna") -> list[tuple[str, str]]:
    """What a person said in the queue, in the order in which it was said."""
    kept = session.store().person_labels.history(queue.run_id)
    return [(each.label.label, each.label.value) for each in kept if each.label.person == person]


# From a run to its queue


def test_a_run_leads_to_the_form_and_the_form_to_the_first_answer(open_page, filled):
    at = open_page("rgb", run=filled.rgb.id)
    at = press(at, "Label some …")
    assert at.query_params["run"] == filled.rgb.id
    at = open_page("label", run=filled.rgb.id)
    assert "About 25 minutes." in said(at, "caption")
    assert "known to about ± 8 points" in said(at, "caption")

    at.number_input[0].set_value(10)
    at.text_input[0].set_value("Anna")
    at = checked(button(checked(at.run()), "Label 10 answers").click().run())

    (kept,) = session.store().label_queues.of_run(filled.rgb.id)
    assert at.query_params["queue"] == kept.id
    assert session.store().label_queues.person(at.query_params["person"]).name == "Anna"
    assert (len(kept.answers), kept.drawn, kept.blind) == (10, "by verdict", True)
    assert bar(at)["progress"] == "1 of 10"


def test_the_form_offers_what_there_is_and_on_request_that_of_which_rule_and_judge_differ(
    open_page,
):
    run = two_models()
    at = open_page("label", run=run.id)
    # Two models, six samples each, and one of the twelve answers failed.
    assert at.number_input[0].max == at.number_input[0].value == 2 * SAMPLES - 1
    assert "1 failed sample cannot be labelled." in said(at, "caption")

    at.segmented_control[0].set_value("by doubt")
    assert "cannot correct a mean" in said(checked(at.run()), "caption")
    at.number_input[0].set_value(5)
    checked(button(checked(at.run()), "Label 5 answers").click().run())

    (kept,) = session.store().label_queues.of_run(run.id)
    # The second question for which nothing is in the documents, of both models.
    assert [answer[:2] for answer in kept.answers] == [(5, 0), (5, 1)]


def test_an_example_a_run_at_work_and_no_run_say_what_to_do(open_page, filled):
    example = open_page("label", run=INVENTED)
    assert "same example" in said(example, "info")
    assert button(example, "Make a copy and go on")
    unchecked = open_page("label", run=two_models(results=False).id)
    assert "12 are not checked yet. There is nothing to label." in said(unchecked, "info")
    assert "Open a run and press" in said(open_page("label"), "info")
    assert "Open a run and press" in said(open_page("label", run="unknown"), "info")


def test_a_name_that_nobody_can_see_is_refused(open_page, queue):
    at = open_page("label", queue=queue.id)
    at.text_input[0].set_value("\u202eanna")
    button(checked(at.run()), "Start").click()

    assert "A name has 1 to 40 letters" in said(checked(at.run()), "error")


def test_whoever_has_the_link_enters_a_name_and_begins(open_page, queue):
    at = open_page("label", queue=queue.id)
    assert "11 answers" in said(at, "markdown")
    at.text_input[0].set_value(HOSTILE)
    at = checked(button(checked(at.run()), "Start").click().run())

    at = act(at, "skipped")
    assert words(queue, HOSTILE) == [("sample", "skipped")]
    at = open_page("label", run=queue.run_id)
    assert "1 of 11" in said(at, "markdown")
    assert not any("<script>" in text or "![x]" in text for text in markdown(at))


# One answer after the other


def test_an_answer_is_labelled_and_the_next_one_comes(opened, queue):
    at = opened(queue)
    first = queue.cell(0)
    question = bar(at)["questions"][0]
    assert (question["text"], question["value"]) in [
        ("Gives the true answer?", ""),
        ("Declines?", ""),
    ]

    at = say(at, "yes")
    assert bar(at)["questions"][0]["value"] == "yes"
    at = act(at, "done")

    assert bar(at)["progress"] == "2 of 11"
    assert bar(at)["share"] == pytest.approx(1 / 11)
    verdict, done = session.store().person_labels.by_cell(queue.run_id)[first]
    assert (verdict.person, verdict.label, verdict.key) == ("Anna", "verdict", question["name"])
    assert (done.label, done.value) == ("sample", "done")
    for label in (verdict, done):
        assert (label.blind, label.drawn, label.probability) == (True, "by verdict", 1.0)
        assert label.queue == queue.id


def test_an_answer_without_a_label_is_not_done(opened, queue):
    at = act(opened(queue), "done")

    assert bar(at)["progress"] == "1 of 11"
    assert "Answer with Yes (1) or No (2) first" in bar(at)["note"]
    assert words(queue) == []


def test_what_is_skipped_is_no_label_and_a_queue_goes_on_at_the_first_open_answer(opened, queue):
    act(opened(queue), "skipped", "forward", "cannot tell")

    assert words(queue) == [("sample", "skipped"), ("sample", "cannot tell")]
    assert bar(opened(queue))["progress"] == "2 of 11"
    assert bar(opened(queue, "Ben"))["progress"] == "1 of 11"


def test_undo_takes_back_what_was_said_last_and_then_steps_back(opened, queue):
    at = act(say(opened(queue), "no"), "done")
    at = act(at, "undo")
    assert bar(at)["progress"] == "1 of 11"
    at = act(at, "undo")
    assert bar(at)["questions"][0]["value"] == "no"
    assert bar(at)["share"] == 0
    at = act(at, "undo")
    assert bar(at)["questions"][0]["value"] == ""
    assert "undo" in bar(at)["off"]
    assert session.store().person_labels.by_cell(queue.run_id) == {}


def test_a_label_and_next_that_come_together_are_both_kept(opened, queue):
    at = opened(queue)
    told = bar(at)
    label = {"key": told["questions"][0]["name"], "value": "yes"}
    both = [
        {"sample": told["sample"], "number": 1, "action": "verdict"} | label,
        {"sample": told["sample"], "number": 2, "action": "done"},
    ]
    at = send(at, both)
    # The browser sends again what it has no answer to yet.
    at = send(at, both)

    assert words(queue) == [("verdict", "yes"), ("sample", "done")]
    assert bar(at)["progress"] == "2 of 11"


@pytest.mark.parametrize(
    "changes",
    [
        "nonsense",
        [{"sample": "another", "number": 1, "action": "done"}],
        [{"sample": "", "number": 1, "action": "delete"}],
        [{"sample": "", "number": 1, "action": "verdict", "key": "accuracy", "value": "maybe"}],
        None,
    ],
)
def test_what_does_not_fit_the_answer_on_the_screen_is_passed_over(opened, queue, changes):
    at = send(opened(queue), changes)

    assert bar(at)["progress"] == "1 of 11"
    assert words(queue) == []


# What the judge says


def test_blind_nothing_tells_what_was_judged_until_the_end(opened, queue):
    at = opened(queue)
    for _ in queue.answers:
        assert bar(at)["note"] == ""
        at = act(say(at, "yes"), "done")

    assert "That was the last one: 11 labelled." in said(at, "success")
    # The rule says yes of four for accuracy, and of one for rejection.
    agreed = re.findall(r"agree on (\d) of (\d)", said(at, "markdown"))
    assert agreed == [("3", "4"), ("1", "2"), ("1", "3"), ("0", "2")]  # by model and value
    differing = table(at, r"\#")
    assert len(differing) == 6
    assert {(row["You"], row["Run"]) for row in differing} == {("yes", "no")}
    # Its cells break their lines, so that a phone has room for all of it.
    assert list(at.table[0].value.columns) == [r"\#", "You", "Run", "Question", "Asked"]


def test_after_each_answer_its_labels_are_shown_before_the_next(opened):
    queue = stored(Wish(reveal="after each"))
    at = act(say(opened(queue), "yes"), "done")

    assert bar(at)["progress"] == "1 of 11"
    assert bar(at)["note"].startswith("The rule: ")
    at = act(at, "done")
    assert bar(at)["progress"] == "2 of 11"
    assert words(queue) == [("verdict", "yes"), ("sample", "done")]


def test_what_was_not_blind_confirms_the_run_where_nothing_was_changed(opened):
    queue = stored(Wish(blind=False))
    at = opened(queue)
    assert bar(at)["note"].startswith("The rule: ")

    at = act(at, "done")

    assert bar(at)["progress"] == "2 of 11"
    (label,) = session.store().person_labels.by_cell(queue.run_id)[queue.cell(0)]
    assert (label.value, label.blind) == ("done", False)


# Sentences of TRACE


@pytest.fixture
def of_sentences(filled: Filled) -> Callable[..., LabelQueue]:
    """Draws a queue of five answers of the TRACE run."""

    def store_queue(**wish: Any) -> LabelQueue:
        drawn = draw(run_views.latest(filled.trace), Wish(n=5, **wish), seed=0)
        session.store().label_queues.save(drawn)
        return drawn

    return store_queue


def label_all(at: AppTest) -> AppTest:
    """Calls every sentence of the answer supported, in one message as the script does."""
    view = evidence(at)
    changes = [
        {
            "sample": view["sample"],
            "number": view["answered"] + number,
            "label": "support",
            "key": key,
            "value": "full",
            "blind": True,
        }
        for number, (key, _) in enumerate(view["answer"], start=1)
    ]
    return send(at, changes, name="evidence")


def test_a_blind_answer_is_done_once_all_its_sentences_have_labels(opened, of_sentences):
    queue = of_sentences()
    at = opened(queue)
    assert set(evidence(at)["verdicts"].values()) == {""}
    assert evidence(at)["trueAnswer"] == ""
    assert queue.run_id not in json.dumps([evidence(at), bar(at)])
    at = act(at, "done")
    assert "without a label. All supported (A)?" in bar(at)["note"]

    at = act(label_all(at), "done")

    assert bar(at)["progress"] == "2 of 5"
    *supports, done = session.store().person_labels.by_cell(queue.run_id)[queue.cell(0)]
    assert {(label.value, label.blind, label.queue) for label in supports} == {
        ("full", True, queue.id)
    }
    assert (done.value, done.blind) == ("done", True)


def test_sentences_are_compared_with_the_run_after_each_answer(opened, of_sentences):
    queue = of_sentences(reveal="after each")
    at = act(label_all(opened(queue)), "done")

    assert bar(at)["progress"] == "1 of 5"
    assert bar(at)["note"].startswith("Fully supported? The run: ")
    assert bar(at)["note"].endswith(" · you: yes")
    assert any(evidence(at)["verdicts"].values())
    assert bar(act(at, "done"))["progress"] == "2 of 5"


# What is not there


def test_a_queue_takes_so_many_people_and_no_more(queue):
    table = session.store().label_queues
    first = table.join(queue, "P0")
    for number in range(1, MOST_PEOPLE):
        label = PersonLabel(
            person=f"P{number}", label="sample", value="done", created=queue.created, queue=queue.id
        )
        table.join(queue, f"P{number}")
        session.store().person_labels.save(queue.run_id, queue.cell(0), label)

    # Who has said nothing makes room.
    anna = table.join(queue, "Anna")
    assert table.person(first.token) is None
    label = label.model_copy(update={"person": "Anna"})
    session.store().person_labels.save(queue.run_id, queue.cell(0), label)
    with pytest.raises(ParameterError, match="50 people label here"):
        table.join(queue, "Ben")
    assert table.person(anna.token) == anna


def test_nobody_labels_under_the_name_of_somebody_else(queue):
    table, labels = session.store().label_queues, session.store().person_labels
    own = PersonLabel(person="Owner", label="sample", value="done", created=queue.created)
    labels.save(queue.run_id, queue.cell(0), own)
    anna = table.join(queue, "Anna")

    for name in ("Anna", "ＡＮＮＡ", "anna", "owner", "you"):
        with pytest.raises(ParameterError, match="Somebody labels here under this name"):
            table.join(queue, name)
    # All labels belong to whoever has the run.
    assert table.join(queue, "Anna", is_owner=True) == anna


def test_a_name_in_the_address_is_nobody(open_page, queue):
    anna = token(queue, "Anna")
    act(open_page("label", queue=queue.id, person=anna), "skipped")
    other = queue.model_copy(update={"id": "other"})
    session.store().label_queues.save(other)

    for address in ("Anna", token(other, "Anna"), queue.id, "%"):
        at = open_page("label", queue=queue.id, person=address)
        assert "11 answers" in said(at, "markdown")
        assert not [each for each in at.get("bidi_component") if each.proto.id.endswith("-label")]
    assert words(queue) == [("sample", "skipped")]


def test_undo_in_a_queue_takes_back_nothing_that_was_said_elsewhere(opened, queue):
    by_hand = PersonLabel(
        person="Anna", label="verdict", key="accuracy", value="no", created=queue.created
    )
    at = act(opened(queue), "skipped", "back")
    session.store().person_labels.save(queue.run_id, queue.cell(0), by_hand)

    act(at, "undo", "undo")

    assert session.store().person_labels.by_cell(queue.run_id) == {queue.cell(0): [by_hand]}


def test_whoever_skips_everything_sees_nothing_and_labels_blind(opened):
    queue = stored(Wish(n=50, blind=True))
    at = opened(queue, "Peek")
    at = act(at, *["skipped"] * len(queue.answers))
    at = press(at, "Look at them again")
    assert bar(at)["note"] == ""

    act(say(at, "yes"), "done")

    kept = session.store().person_labels.by_cell(queue.run_id)[queue.cell(0)]
    assert [label.blind for label in kept if label.value in ("yes", "done")] == [True, True]


def test_what_was_revealed_and_taken_back_is_not_labelled_blind_again(opened):
    queue = stored(Wish(n=2, blind=True))
    at = opened(queue, "Peek")
    for _ in queue.answers:
        at = act(say(at, "yes"), "done")
    at = act(press(at, "Look at them again"), "undo", "undo")

    act(say(at, "no"), "done")

    kept = session.store().person_labels.by_cell(queue.run_id)[queue.cell(0)]
    assert [(label.value, label.blind) for label in kept] == [("no", False), ("done", False)]


def test_what_the_browser_says_of_blindness_counts_for_nothing_in_a_queue(opened, of_sentences):
    queue = of_sentences(blind=False)
    at = opened(queue)
    told = evidence(at)
    change = {"sample": told["sample"], "number": told["answered"] + 1, "label": "sample"}
    send(at, [change | {"value": "done", "blind": True}], "evidence")

    (label,) = session.store().person_labels.by_cell(queue.run_id)[queue.cell(0)]
    assert (label.person, label.blind) == ("Anna", False)


def test_an_unknown_queue_and_one_whose_run_was_deleted_say_so(open_page, opened, queue):
    assert "There is no such queue here" in said(open_page("label", queue="unknown"), "warning")

    at = opened(queue)
    session.store().runs.delete(queue.run_id)
    told = bar(at)
    at = send(at, [{"sample": told["sample"], "number": 1, "action": "skipped"}])
    assert "its run was deleted" in said(at, "warning")


def test_on_a_public_host_the_link_opens_the_queue_and_nothing_else(open_page, filled, monkeypatch):
    owner = "mine-4fT9qLx2Vb7Rz1_KcW"
    run = samples.rgb(session.store(), owner)
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    session.store().results.save(run.id, session.store().results.get(filled.rgb.id, 0))
    shared = draw(run_views.latest(run), Wish(), seed=0)
    session.store().label_queues.save(shared)

    at = open_page("label", queue=shared.id)
    at.text_input[0].set_value("Ben")
    at = checked(button(checked(at.run()), "Start").click().run())

    assert bar(at)["progress"] == "1 of 1"
    assert at.query_params["w"] != owner
    at = act(say(at, "yes"), "done")
    assert "That was the last one" in said(at, "success")
    # No way from here to the run.
    assert {each.label for each in at.button} == {"Look at them again", "Projector"}
    assert "no such run here" in said(open_page("rgb", run=run.id), "warning")
    assert "Open a run" in said(open_page("label", run=run.id), "info")


def test_a_judges_question_is_asked_as_the_judge_was_asked_it(opened):
    sample = Sample(id="0", question="When?", response="In May.", ground_truth="In June.")
    data = Dataset(name="By hand", samples=(sample,))
    spec = EvaluatorSpec(name="llm_judge", params={"judgement_query": "Is <b>it</b> kind?"})
    score = Score(values={"llm_judge": 1.0})
    run = stored_run(session.store(), data, spec, scores=[score])
    queue = draw(run_views.latest(run), Wish(), seed=0)
    session.store().label_queues.save(queue)

    at = opened(queue)

    assert bar(at)["questions"] == [
        {"name": "llm_judge", "text": "Is <b>it</b> kind?", "value": ""}
    ]
    assert "True answer: In June." in said(at, "text")


def test_a_run_at_work_is_not_drawn_from(open_page, filled):
    with at_work(filled.trace):
        at = open_page("label", run=filled.trace.id)

        assert "This run is at work. Wait for its end, or stop it" in said(at)
        assert not [each for each in at.button if each.label.startswith("Label ")]


def test_at_the_end_kappa_is_that_of_the_check(opened, filled):
    """Of a no more answers are drawn than of a yes, and each counts for those it stands for."""
    store, view = session.store(), run_views.latest(filled.trace)
    queue = draw(view, Wish(n=12), seed=0)
    store.label_queues.save(queue)
    cells = [queue.cell(place) for place in range(12)]
    contents = view.contents([Answer(cell.position) for cell in cells])
    agreed = 0
    for place, cell in enumerate(cells):
        score = contents[Answer(cell.position)].results[0].score
        # She agrees with every yes and two times no, and turns the other three.
        says_yes = score.values["adherence"] == 1 or agreed == 2
        agreed += not says_yes
        own: dict[str, Any] = {
            "person": "Anna",
            "queue": queue.id,
            "drawn": "by verdict",
            "probability": queue.answers[place].probability,
            "blind": True,
            "created": "2026-11-23T00:30:00+00:00",
        }
        labels = [PersonLabel(label="sample", value="done", **own)]
        for judged in score.evidence.counted.labels.sentence_support:
            value = "full" if says_yes else "none"
            labels.append(PersonLabel(label="support", key=judged.key, value=value, **own))
        store.person_labels.save(filled.trace.id, cell, *labels)

    at = opened(queue)
    shown = re.search(r"kappa (\d\.\d\d)", said(at, "markdown"))
    value = Results(filled.trace, store).correct().values[0]

    # 7 of 16 yes and 5 of 8 no: equal in (16 + 3.2) / 24 = .8, by chance in .6667 * .8667 +
    # .3333 * .1333 = .6222; .1778 / .3778. Unweighted it were .44.
    assert value.kappa == pytest.approx(0.4706, abs=1e-4)
    assert shown
    assert shown[1] == "0.47"
