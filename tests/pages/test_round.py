"""A round on its three screens: the form, the wall, and what a participant sees.

Numbers are those of the table in `tests.lesson`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from evaluators.own_command import own_command
from evaluators.records import Dataset, Run, Sample, SampleResult
from evaluators.rounds import limits
from evaluators.rounds.codes import spoken
from evaluators.rounds.limits import RateLimit
from evaluators.rounds.records import Asking, Participant, Round, RoundKind
from evaluators.runs import round_content, rounds
from evaluators.runs.examples import INVENTED
from evaluators.runs.store import Answer
from evaluators.trace_evaluator import TRACEEvaluator
from tests import lesson
from tests.lesson import FULL, HOSTILE, NO_CLAIM, NONE, PARTIAL
from tests.pages.conftest import OpenPage, checked
from tests.pages.screen import button, html, markdown, press, said
from ui import run_views, session
from ui.round import qr, reach

SetOption = Callable[[str, object], None]

TEXT = re.compile("<[^>]*>")
BUTTONS = ("Supported", "Partly", "Not")


@pytest.fixture
def run() -> Run:
    return lesson.run(session.store())


@pytest.fixture
def made(run: Run) -> Round:
    return lesson.started(session.store(), run)


@pytest.fixture(autouse=True)
def fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of a process that nobody came to yet."""
    most_of_one = {"wrong_codes": 3, "labels_given": 100, "joins_of_session": 3, "joins": 5}
    for name, most in most_of_one.items():
        limit: RateLimit = getattr(limits, name)
        monkeypatch.setattr(limit, "_by_whom", type(limit._by_whom)())
        monkeypatch.setattr(limit, "_most_of_one", most)


@pytest.fixture
def set_option() -> Iterator[SetOption]:
    """Sets an option of Streamlit, as the command line would; afterwards it is as it was."""
    before: dict[str, object] = {}

    def set_to(name: str, value: object) -> None:
        before.setdefault(name, st.get_option(name))
        st.config.set_option(name, value)

    yield set_to
    for name, value in before.items():
        st.config.set_option(name, value)


def words(at: AppTest) -> str:
    """All that is HTML, as somebody reads it."""
    return " ".join(TEXT.sub(" ", html(at)).split())


def join(open_page: OpenPage, made: Round, nickname: str) -> AppTest:
    at = open_page("round", join=made.join)
    at.text_input[0].set_value(nickname)
    return press(at, "Join")


def label(at: AppTest, *supports: str) -> AppTest:
    for word in supports:
        at = press(at, word)
    return at


def ann_in(made: Round) -> Participant:
    (ann,) = session.store().rounds.participants(made.id)
    return ann


# The form


def test_a_run_leads_to_the_form_and_the_form_to_the_wall(open_page, run):
    at = press(open_page("trace", run=run.id), "Start a round …")
    assert at.query_params["run"] == run.id
    at = open_page("round", run=run.id)
    assert at.text_input[0].value.startswith("Class of ")
    # Gold and judge differ on a sentence of each.
    assert sorted(at.multiselect[0].value) == [f"{n} · What does mill {n} grind?" for n in (1, 2)]
    # Why they are proposed would tell the class, so it stands there on demand alone.
    assert not at.dataframe
    at = checked(at.toggle[0].set_value(True).run())
    assert list(at.dataframe[0].value["Why"]) == ["labellers differ"] * 2

    at.text_input[0].set_value("Class 7b")
    press(at, "Start with 2 answers")

    (kept,) = session.store().rounds.of_run(run.id)
    assert (kept.name, kept.state, len(kept.answers)) == ("Class 7b", "open", 2)
    assert kept.has_board
    at = open_page("round", run=run.id)
    assert "Class 7b · Label sentences · 2 answers · 0 participants · open" in said(
        at, "markdown"
    ).replace("*", "")


def test_without_a_run_there_is_no_round(open_page):
    assert "Open a run" in said(open_page("round", run=""), "info")


def test_over_an_example_a_round_is_held_on_a_copy_and_a_second_one_asks_other_answers(open_page):
    at = open_page("round", run=INVENTED)
    # Thirteen to fifteen only decline, which would puzzle a class.
    first = set(at.multiselect[0].value)
    numbers = {int(option.partition(" ")[0]) for option in first}
    assert len(numbers) == 8
    assert not numbers & {13, 14, 15}

    press(at, "Start with 8 answers")

    (copied,) = session.store().runs.newest(session.workspace())
    assert copied.id != INVENTED
    # From Home too, where the way begins with the example again.
    at = open_page("round", run=INVENTED)
    assert "Rounds" in [each.value for each in at.header]
    second = set(at.multiselect[0].value)
    assert len(second) == 8
    assert not first & second
    (made,) = session.store().rounds.of_run(copied.id)
    wall = press(open_page("round", lead=made.id), "Reveal")
    assert "Models and judges of this example are made up" in words(wall)


@pytest.mark.parametrize(("port", "end"), [(8501, ""), (8600, " --port 8600")])
def test_the_command_for_phones_keeps_the_port(port, end):
    assert reach.command(port) == f"{own_command()} app --class{end}"


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        ("http://localhost:8501/round", True),
        ("http://127.0.0.1:8501/round", True),
        ("http://127.8.8.8/round", True),
        ("http://[::1]:8501/round", True),
        ("http://plumbline.localhost:8501/round", True),
        ("http://192.168.1.20:8501/round", False),
        ("http://[fd00::7]:8501/round", False),
        ("http://laptop.local:8501/round", False),
        ("https://someone-plumbline.hf.space/round", False),
    ],
)
def test_an_address_is_for_this_machine_alone_or_for_phones(address, is_local):
    assert qr.is_local(address) is is_local


@pytest.mark.parametrize(
    ("opened_as", "started_for", "expected"),
    [
        # as `plumbline app --class` starts it, opened on the laptop itself or as phones do
        ("http://localhost:8600/round", "192.168.1.20", "http://192.168.1.20:8600/round"),
        ("http://192.168.1.20:8600/round", "192.168.1.20", "http://192.168.1.20:8600/round"),
        # for this machine alone, and in a container, which does not know its host's address
        ("http://localhost:8501/round", "localhost", "http://localhost:8501/round"),
        ("https://team.example/round", "localhost", "https://team.example/round"),
    ],
)
def test_phones_get_the_address_that_the_app_was_started_for(
    opened_as, started_for, expected, set_option
):
    set_option("browser.serverAddress", started_for)

    assert qr.reachable(opened_as) == expected


LOCAL_URL = "http://localhost:8501/round"


def test_where_phones_can_come_the_wall_has_the_picture_and_no_red_line(
    open_page, run, made, monkeypatch, set_option
):
    monkeypatch.setattr(type(st.context), "url", LOCAL_URL)
    set_option("browser.serverAddress", "192.168.1.20")

    wall = open_page("round", lead=made.id)

    assert "192.168.1.20:8501/round" in words(wall)
    assert '<img class="pl-qr"' in html(wall)
    assert not wall.error
    assert not open_page("round", run=run.id).error


# The way in


def test_a_code_is_typed_and_leads_to_the_nickname(open_page, made):
    at = open_page("round")
    at.text_input[0].set_value(f"{made.code[:4].lower()} {made.code[4:]}")
    at = press(at, "Continue")
    assert at.query_params["join"] == made.join
    at.text_input[0].set_value("  Ann  ")
    at = press(at, "Join")

    assert [each.nickname for each in session.store().rounds.participants(made.id)] == ["Ann"]
    assert dict(at.query_params) == {"me": ann_in(made).token}
    assert "Mill 1 grinds rye." in words(at)


def test_a_code_may_stand_in_the_address(open_page, made):
    assert open_page("round", code=made.code).query_params["join"] == made.join


def test_who_lost_the_tab_types_the_own_code_and_goes_on(open_page, made):
    at = label(join(open_page, made, "Ann"), "Supported")
    ann = ann_in(made)
    assert f"Your own code, to come back: {spoken(ann.code)}" in words(at)

    at = open_page("round")
    at.text_input[0].set_value(spoken(ann.code).lower())
    at = press(at, "Continue")

    assert dict(at.query_params) == {"me": ann.token}
    assert "1 of 4" in words(at) + " ".join(each.proto.text for each in at.get("progress"))


def test_the_teacher_lets_somebody_in_again_and_takes_somebody_or_all_newcomers_out(
    open_page, made
):
    label(join(open_page, made, "Ann"), "Supported")
    before = ann_in(made)
    refused = open_page("round", join=made.join)
    refused.text_input[0].set_value("Ann")
    refused = press(refused, "Join")
    assert "ask to be let in again" in said(refused, "error")

    wall = open_page("round", lead=made.id)
    wall.selectbox[0].select_index(0)
    wall = press(checked(wall.run()), "Let in again")
    assert "Ann joins again under the same nickname now" in said(wall, "caption")
    at = join(open_page, made, "Ann")

    after = ann_in(made)
    assert after.number == before.number
    assert dict(at.query_params) == {"me": after.token}
    assert session.store().rounds.participant(before.token) is None

    wall.selectbox[0].select_index(0)
    press(checked(wall.run()), "Take out, with all labels")
    assert session.store().rounds.participants(made.id) == []
    assert "you were taken out" in words(checked(at.run()))

    for number in range(20):
        session.store().rounds.join(made.id, f"Flood {number}")
    press(open_page("round", lead=made.id), "Take out all of the last minute")
    assert session.store().rounds.participants(made.id) == []


def type_code(at: AppTest, code: str) -> AppTest:
    at.text_input[0].set_value(code)
    return press(at, "Continue")


def test_wrong_codes_of_a_session_are_refused_and_after_some_right_ones_too(open_page, made):
    at = open_page("round")
    for code in ("ACDEFG34", "nonsense", HOSTILE):
        at = type_code(at, code)
        assert "No round has this code" in said(at, "error")

    at = type_code(at, made.code)

    assert "Too many wrong codes" in said(at, "error")
    assert "join" not in at.query_params
    # Nobody else has guessed: of one address as well, whoever has the code comes in.
    assert type_code(open_page("round"), made.code).query_params["join"] == made.join
    # The link cannot be guessed, and goes on leading there.
    assert "Nickname" in [each.label for each in open_page("round", join=made.join).text_input]


def test_one_session_and_one_address_take_some_places_a_minute_and_no_more(open_page, made, run):
    at = open_page("round", join=made.join)
    for number in range(4):
        at.query_params.clear()
        at.query_params["join"] = made.join
        at = checked(at.run())
        at.text_input[0].set_value(f"Again {number}")
        at = press(at, "Join")
    assert "You joined too often" in said(at, "error")
    for number in range(3):
        at = join(open_page, made, f"Other {number}")
    assert "Very many joined from here" in said(at, "error")
    assert len(session.store().rounds.participants(made.id)) == 5

    # Another class at the same address is not held up.
    asked = [Answer(*answer) for answer in made.answers]
    view = run_views.latest(run)
    other = rounds.start(view, asked, "The other class")
    assert "me" in join(open_page, other, "Ann").query_params


@pytest.mark.parametrize(
    ("nickname", "why"),
    [
        ("a\u202eb", "A nickname has 1 to 24 letters"),
        ("ann", "This nickname is taken"),
    ],
)
def test_a_nickname_that_cannot_be_one_is_refused(open_page, made, nickname, why):
    session.store().rounds.join(made.id, "Ann")

    at = join(open_page, made, nickname)

    assert why in said(at, "error")
    assert len(session.store().rounds.participants(made.id)) == 1


def test_a_hostile_nickname_is_text_on_the_wall_and_in_the_board(open_page, run, made):
    nickname = "<img src=x onerror=a()>"
    at = join(open_page, made, nickname)
    label(at, "Supported", "Not", "Supported", "Partly")
    live = open_page("round", lead=made.id)
    rounds.close(session.store(), run, made, reveal=True)
    revealed = open_page("round", lead=made.id)

    for at in (live, revealed):
        assert "<img src=x" not in html(at)
        assert "&lt;img src=x onerror=a()&gt;" in html(at)
        assert not [text for text in markdown(at) if "<img" in text]


# Labelling


def test_every_sentence_is_labelled_by_one_of_three_targets(open_page, made):
    at = join(open_page, made, "Ann")
    assert [each.label for each in at.button if each.label in BUTTONS] == list(BUTTONS)
    asked = words(at).partition("Do the documents say this?")[2]
    assert f"{NO_CLAIM} all of it a part of it none of it" in asked
    at = label(at, "Supported", "Not", "Partly")
    assert "3 of 4 sentences" in at.get("progress")[0].proto.text
    # One may go back and say another thing.
    at = press(press(at, "Back"), "Supported")
    at = label(at, "Partly")

    assert "Done. Wait for the reveal" in words(at)
    labels = session.store().rounds.labels_of(ann_in(made))
    assert list(labels.values()) == lesson.GOLD


def test_an_empty_answer_has_nothing_to_label(open_page, run):
    store = session.store()
    data = Dataset(
        name="Empty",
        samples=(Sample(id="1", question="What?", response="", retrieved_documents=("A.",)),),
    )
    empty = run.model_copy(update={"id": "empty", "fingerprint": data.fingerprint})
    store.runs.save(empty, data)
    score = TRACEEvaluator().score(data.samples[0])
    store.results.save(empty.id, SampleResult(position=0, status="scored", score=score))
    made = rounds.start(lesson.view(store, empty), [Answer(0, 0)], "Class")

    assert "There is nothing to label here." in words(join(open_page, made, "Ann"))
    assert "1 participant Ann Waiting" in words(open_page("round", lead=made.id))
    press(open_page("round", lead=made.id), "Reveal")


def test_a_second_tap_that_comes_late_labels_nothing(open_page, made):
    at = join(open_page, made, "Ann")
    # The screen of the first sentence, while the second one is drawn.
    at.session_state[f"round_step_{ann_in(made).number}"] = 1
    at = label(at, "Not")

    assert session.store().rounds.labels_of(ann_in(made)) == {}
    assert "It is painted blue" in words(at)


def test_a_sentence_can_be_passed_and_is_asked_for_at_the_end(open_page, made):
    at = press(join(open_page, made, "Ann"), "Next")
    at = label(at, "Not", "Supported", "Partly")
    assert "1 sentence without a label." in words(at)
    at = label(press(at, "Label them"), "Supported")

    assert list(session.store().rounds.labels_of(ann_in(made)).values()) == lesson.GOLD


def test_a_reload_in_the_middle_goes_on_where_it_was(open_page, made):
    at = label(join(open_page, made, "Ann"), "Supported", "Not")
    again = open_page("round", me=at.query_params["me"])

    assert "2 of 4 sentences" in again.get("progress")[0].proto.text
    assert "What does mill 2 grind?" in words(again)
    label(again, "Supported", "Partly")
    assert list(session.store().rounds.labels_of(ann_in(made)).values()) == lesson.GOLD


def test_a_paused_round_takes_no_label(open_page, made):
    at = join(open_page, made, "Ann")
    press(open_page("round", lead=made.id), "Pause")
    # What was on the screen before is refused as well.
    assert "paused: the label was not kept" in said(label(at, "Supported"), "error")
    paused = open_page("round", me=at.query_params["me"])
    assert "The round is paused" in said(paused, "info")
    assert all(button(paused, name).disabled for name in BUTTONS)

    press(open_page("round", lead=made.id), "Go on")
    label(open_page("round", me=at.query_params["me"]), "Supported")
    assert list(session.store().rounds.labels_of(ann_in(made)).values()) == [FULL]


def test_a_closed_round_takes_no_label_and_nobody_more(open_page, made):
    at = label(join(open_page, made, "Ann"), "Supported")
    press(open_page("round", lead=made.id), "Close")

    refused = label(at, "Supported")
    assert "The round is closed. You labelled 1 of 4." in words(refused)
    late = open_page("round", join=made.join)
    assert "This round is over" in words(late)
    assert not late.text_input


def test_too_many_labels_a_minute_are_refused(open_page, made, monkeypatch):
    monkeypatch.setattr(limits.labels_given, "_most_of_one", 2)

    at = label(join(open_page, made, "Ann"), "Supported", "Not", "Supported")

    assert "too fast" in said(at, "error")
    assert list(session.store().rounds.labels_of(ann_in(made)).values()) == [FULL, NONE]


@pytest.mark.parametrize("screen", ["me", "lead", "join"])
def test_a_run_that_is_deleted_meanwhile_takes_the_round_along(open_page, run, made, screen):
    ann = session.store().rounds.join(made.id, "Ann")
    address = {"me": ann.token, "lead": made.id, "join": made.join}[screen]
    at = open_page("round", **{screen: address})
    session.store().runs.delete(run.id)

    for after in (checked(at.run()), open_page("round", **{screen: address})):
        assert "deleted" in words(after)
        assert "Mill" not in words(after)


# The wall


def test_the_wall_shows_who_is_in_the_spread_and_the_agreement(open_page, made):
    at = open_page("round", lead=made.id)
    assert spoken(made.code) in words(at)
    assert "data:image/svg+xml;base64," in html(at)
    assert "0 participants Waiting for the first label." in words(at)
    # Whoever looks up knows what to do.
    assert "Do the documents say this?" in words(at)
    lesson.take_part(session.store(), made)

    shown = words(checked(at.run()))

    # Alpha is 36 / 76; the quarrels are 1, 2/3, 0 and 0.
    assert (
        "3 participants · 11 of 12 labels · agreement beyond chance: moderate (α 0.47 (−0.99 to 1.00)) Ann Ben Cid"
        in shown
    )
    order = re.findall(r"(\d · [ab]) (?:Mill|It)", shown)
    assert order == ["2 · a", "1 · b", "1 · a", "2 · b"]
    assert "1 supported 1 partly" in shown
    assert "1 supported 2 not" in shown
    # Nothing tells what is right before the reveal.
    assert "Gold" not in shown
    assert "Judge" not in shown


def test_the_reveal_sets_class_judge_and_estimate_beside_gold(open_page, made):
    lesson.take_part(session.store(), made)
    at = open_page("round", lead=made.id)

    shown = words(press(at, "Reveal"))

    # Of four: all but the tie; two; two.
    assert (
        "The class 75 % (3 of 4), judge-by-hand 50 % (2 of 4), "
        "the heuristic 50 % (2 of 4) right against gold" in shown
    )
    assert "1 tie" in shown
    assert "The most frequent label counts, a tie goes to the stricter one." in shown
    assert "Most like gold Ann 4 of 4 Ben 3 of 4 Cid 2 of 3" in shown
    disputed = shown.partition("2 · a")[2].partition("1 · b")[0]
    assert "Class: partly ✗ judge-by-hand: supported ✓ Heuristic: supported ✓" in disputed
    assert "Gold: supported" in disputed
    at.toggle[0].set_value(False)
    assert "Most like" not in words(checked(at.run()))


def test_equals_share_a_place_on_the_board_and_the_last_one_is_not_cut(open_page, made):
    # Right four times, five times twice, and never.
    said = [lesson.GOLD, *[[FULL, FULL, FULL, NONE]] * 5, [NONE, PARTIAL, NONE, NONE]]
    rounds = session.store().rounds
    for number, labels in enumerate(said):
        pupil = rounds.join(made.id, f"Pupil {number}")
        for place, support in zip(lesson.PLACES, labels, strict=True):
            rounds.label(pupil, place, support)
    wall = press(open_page("round", lead=made.id), "Reveal")
    board = re.findall(r'<li value="(\d)"><span dir="auto">Pupil (\d)', html(wall))
    assert board == [("1", "0"), *[("2", str(number)) for number in range(1, 6)]]


def test_the_reveal_shows_what_nobody_labelled_last(open_page, made):
    at = press(join(open_page, made, "Ann"), "Next")
    label(at, "Not")

    wall = press(open_page("round", lead=made.id), "Reveal")

    for shown in (words(wall), words(open_page("round", me=ann_in(made).token))):
        order = re.findall(r"(\d · [ab]) (?:Mill|It)", shown)
        assert order == ["1 · b", "1 · a", "2 · a", "2 · b"]
        assert "Class: no label" in shown.partition("2 · b")[2]
        assert "Gold: partly" in shown.partition("2 · b")[2]
    assert "Reopen" not in [each.label for each in wall.button]
    # All three are measured on the sentence that the class labelled.
    measured = "The class 100 % (1 of 1), judge-by-hand 0 % (0 of 1), the heuristic "
    assert re.search(rf"{re.escape(measured)}\d+ % \(\d of 1\)", words(wall))


def test_a_reveal_without_a_label_shows_all_and_can_be_reopened(open_page, run, made):
    ann = session.store().rounds.join(made.id, "Ann")
    wall = press(open_page("round", lead=made.id), "Reveal")

    assert "Waiting" not in words(wall)
    assert "Gold: partly" in words(wall).partition("2 · b")[2]
    phone = words(open_page("round", me=ann.token))
    assert "Nobody labelled anything." in phone
    assert "Gold: partly" in phone.partition("2 · b")[2]

    press(wall, "Reopen")
    label(open_page("round", me=ann.token), "Supported")
    press(open_page("round", lead=made.id), "Close")
    # They have seen what is right.
    assert session.store().person_labels.by_cell(run.id) == {}


def test_a_participant_sees_the_reveal_beside_the_own_labels(open_page, run, made):
    joined = lesson.take_part(session.store(), made)
    rounds.close(session.store(), run, made, reveal=True)

    shown = words(open_page("round", me=joined["Cid"].token))

    assert "You: 67 % like gold (2 of 3) The class: 75 % like gold (3 of 4)" in shown
    assert "You: no label Class: partly ✗ Gold: supported" in shown
    # What a sentence is about, and a folded piece with all that belongs to it.
    assert "What does mill 2 grind? Documents 2 · a" in shown
    assert "Back What does mill 2 grind? Mill 2 grinds rye. It is painted blue" in shown
    assert "Its wheel is made of oak." in shown


def test_what_is_disputed_most_is_outlined_among_the_documents_from_the_reveal_on(
    open_page, run, made
):
    joined = lesson.take_part(session.store(), made)
    assert 'pl-here"' not in html(open_page("round", lead=made.id))
    rounds.close(session.store(), run, made, reveal=True)

    for who in ({"lead": made.id}, {"me": joined["Ann"].token}):
        outlined = re.findall('pl-here" dir="auto">([\\w ]*)', html(open_page("round", **who)))
        # Of the first mill its second sentence, of the second one its first.
        assert outlined == ["It is painted blue ", "Mill 2 grinds rye"]


def test_a_reopened_round_goes_on_under_a_new_code(open_page, run, made):
    at = label(join(open_page, made, "Ann"), "Supported")
    wall = press(open_page("round", lead=made.id), "Close")
    assert session.store().person_labels.by_cell(run.id)
    press(wall, "Reopen")

    assert session.store().person_labels.by_cell(run.id) == {}
    assert made.code not in words(open_page("round", lead=made.id)).replace(" ", "")
    label(open_page("round", me=at.query_params["me"]), "Not")
    assert list(session.store().rounds.labels_of(ann_in(made)).values()) == [FULL, NONE]


def test_the_class_can_be_checked_against_as_any_labeller(open_page, run, made):
    lesson.take_part(session.store(), made)
    rounds.close(session.store(), run, made)

    checks = said(open_page("check", run=run.id))
    assert "2 labels of answers that were chosen" in checks
    labeller = next(
        each for each in open_page("trace", run=run.id).selectbox if each.label == "Labeller"
    )
    assert "Class of 22 November" in labeller.options


# Guess the verdict


def test_a_class_guesses_what_the_judge_will_say(open_page, run):
    made = lesson.started(session.store(), run, "guess")
    at = join(open_page, made, "Ann")
    assert "How many of its sentences does judge-by-hand call supported?" in words(at)
    at = label(at, "All", "All")
    assert "Done. Wait for the reveal" in words(at)
    label(join(open_page, made, "Ben"), "Some", "Some")

    shown = words(press(open_page("round", lead=made.id), "Reveal"))

    # The judge: all of the first, some of the second. A tie of "all" and "some" is "some".
    assert "The class 50 % (1 of 2), the heuristic 50 % (1 of 2) like judge-by-hand" in shown
    assert "1 all 1 some" in shown
    # What is guessed is the judge's verdict, so that nothing says how gold compares with it.
    assert "gold" not in shown
    assert "Gold" not in shown
    own = words(open_page("round", me=at.query_params["me"]))
    assert "You: 50 % like judge-by-hand (1 of 2)" in own


def test_a_class_guesses_how_high_a_value_is(open_page, run):
    at = open_page("round", run=run.id)
    kinds = ["Label sentences", "Guess the verdict", "Guess the score"]
    assert at.segmented_control[0].options == kinds
    at = checked(at.segmented_control[0].set_value("score").run())
    assert at.segmented_control[1].options == [
        "Context relevance",
        "Context utilization",
        "Completeness",
    ]
    at = checked(at.segmented_control[1].set_value("context_relevance").run())
    assert reasons(at) == {"1": "high", "2": "middle"}
    press(at, "Start with 2 answers")
    (made,) = session.store().rounds.of_run(run.id)
    assert (made.kind, made.value) == ("score", "context_relevance")

    at = join(open_page, made, "Ann")
    assert "How high is the context relevance?" in words(at)
    assert "0.67 or more 0.34 to 0.66 0.33 or less" in words(at)
    right = {0: "High", 1: "Middle"}
    at = label(at, right[made.answers[0].position], "Low")
    shown = words(press(open_page("round", lead=made.id), "Reveal"))

    assert "The class 50 % (1 of 2) like the metric" in shown
    assert "Context relevance: 1.00" in shown
    assert "Context relevance: 0.50" in shown
    own = words(open_page("round", me=at.query_params["me"]))
    assert "You: 50 % like the metric (1 of 2)" in own
    assert "Context relevance: 1.00" in own


# Find the planted error, and which answer is better


@pytest.fixture
def errors() -> Run:
    return lesson.run_with_errors(session.store())


def started(run: Run, kind: RoundKind) -> Round:
    answers = [Answer(0, 0), Answer(1, 0)]
    return rounds.start(lesson.view(session.store(), run), answers, "Class", Asking(kind))


def reasons(at: AppTest) -> dict[str, str]:
    """Why each answer is chosen, by the number of its sample."""
    at.toggle[0].set_value(True)
    table = checked(at.run()).dataframe[0].value
    return {
        answer.partition(" ")[0]: why for answer, why in zip(*map(table.get, table), strict=True)
    }


def test_the_form_of_two_models_offers_planted_errors_and_pairs(open_page, errors):
    at = open_page("round", run=errors.id)
    kinds = at.segmented_control[0]
    assert kinds.options == ["Find the planted error", "Which answer is better?"]
    assert reasons(at) == {"1": "noticed by a model", "2": "no model notices"}
    at = checked(at.segmented_control[0].set_value("better").run())
    assert reasons(at) == {"1": "the metric prefers one", "2": "alike for the metric"}
    press(at, "Start with 2 answers")

    (made,) = session.store().rounds.of_run(errors.id)
    assert (made.kind, made.models, made.hides_spread) == ("better", (0, 1), True)


def test_a_class_finds_the_planted_errors(open_page, errors):
    made = started(errors, "planted")
    at = join(open_page, made, "Ann")
    assert "1 · A Does this document hold a planted error?" in words(at)
    assert "All embassies are in Perth" in words(at)
    # A and C of both are forged: all right but the last one.
    at = label(at, "Error", "No error", "Error", "Error", "No error", "Not sure")
    ben = label(join(open_page, made, "Ben"), "No error")
    wall = open_page("round", lead=made.id)
    # Before the reveal only how many said something, in the order of the round.
    shown = words(wall)
    question = "What is the capital of Australia? Documents"
    assert f"{question} 1 · A The capital of Australia is Perth. 2 of 2 {question} 1 · B" in shown
    assert "1 error" not in shown

    shown = words(press(wall, "Reveal"))

    # A tie goes to the stricter one, so the class is right on all but the last one.
    assert "The class 83 % (5 of 6) of the documents right" in shown
    assert "model-by-hand: noticed 1 of 2, corrected 1 of 2" in shown
    assert "other-by-hand: noticed 0 of 2, corrected 0 of 2" in shown
    assert "Most often right Ann 5 of 6" in shown
    assert "1 no error 1 error Class: error ✓ In truth: error" in shown
    assert "You: 83 % right (5 of 6)" in words(open_page("round", me=at.query_params["me"]))
    assert "You: 0 % right (0 of 1)" in words(open_page("round", me=ben.query_params["me"]))


def test_a_class_says_which_of_two_answers_is_better(open_page, errors):
    made = started(errors, "better")
    content = round_content.content(session.store(), errors, made)
    # The first model's answer is better to Ann on both, and to Ben on none.
    for_first = [
        "Left side" if answer.models[0] == 0 else "Right side"
        for answer in content.answers.values()
    ]
    at = join(open_page, made, "Ann")
    assert "1 Which answer is better?" in words(at)
    assert "by-hand" not in words(at)
    at = label(at, *for_first)
    label(join(open_page, made, "Ben"), for_first[0], "Both alike")
    wall = open_page("round", lead=made.id)
    assert "by-hand" not in words(wall)

    shown = words(press(wall, "Reveal"))

    # Votes for the first model: 2 of 2, and 1.5 of 2; the metric's: 1, and alike. Of two samples
    # next to nothing is known of others.
    first, second = "model-by-hand", "other-by-hand"
    assert f"The class: {first} wins 88 % (2 to 100), {second} 12 %" in shown
    assert f"The metric: {first} wins 75 % (1 to 99.9), {second} 25 %" in shown
    # The class prefers the first one of the second pair as well, one vote to none.
    assert "The class 50 % (1 of 2) like the metric" in shown
    left, right = content.answers[0].models
    titles = (first, second)
    # The metric has an opinion, which makes nobody right or wrong.
    assert "✓" not in shown
    assert "✗" not in shown
    assert f"Left: {titles[left]} Right: {titles[right]}" in shown
    own = words(open_page("round", me=at.query_params["me"]))
    assert "You: 50 % like the metric (1 of 2)" in own
    assert first in own


def test_the_wall_can_hide_who_says_what_until_the_reveal(open_page, made):
    lesson.take_part(session.store(), made)
    wall = open_page("round", lead=made.id)

    shown = words(checked(wall.toggle[1].set_value(True).run()))

    assert "1 supported 2 not" not in shown
    assert "1 · b It is painted blue" in shown.partition("1 · a")[2]
    assert "11 of 12 labels" in shown
    assert "1 supported 2 not" in words(press(wall, "Reveal"))


# A public host


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> str:
    """The workspace of the teacher."""
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    teacher = "teacher-4fT9qLx2Vb7Rz1_K"
    session.store().mappings.save(teacher, ["question"], {})
    return teacher


def test_a_participant_of_a_public_host_sees_the_round_and_nothing_else(open_page, public):
    run = lesson.run(session.store(), public, "secret-run")
    made = lesson.started(session.store(), run)
    at = join(open_page, made, "Ann")
    token = at.query_params["me"]

    # Neither in the address nor on the page: the run, the workspace, the teacher's link, a label.
    shown = "\n".join([html(at), *markdown(at), str(dict(at.query_params))])
    for secret in (run.id, public, made.id, made.join, lesson.JUDGE.id, "gold", "Gold"):
        assert secret not in shown
    assert dict(at.query_params) == {"me": token}
    assert not at.sidebar.children
    # Nothing that the participant has opens anything else.
    for name, query in (
        ("trace", {"run": run.id}),
        ("trace", {"run": made.id, "w": token}),
        ("sample", {"run": run.id, "sample": "1", "w": made.join}),
        ("round", {"run": run.id}),
        ("round", {"lead": token}),
        ("round", {"lead": made.join}),
        ("label", {"run": run.id}),
        ("check", {"run": run.id, "w": token}),
    ):
        elsewhere = open_page(name, **query)
        everything = "\n".join([html(elsewhere), *markdown(elsewhere)])
        assert "grinds rye" not in everything
        assert public not in everything
        assert public != elsewhere.query_params.get("w", [""])


def test_the_wall_of_a_public_host_has_no_workspace_in_its_address(open_page, public):
    run = lesson.run(session.store(), public)
    at = open_page("round", run=run.id, w=public)
    press(at, "Start with 2 answers")
    (made,) = session.store().rounds.of_run(run.id)

    wall = open_page("round", lead=made.id)

    assert dict(wall.query_params) == {"lead": made.id}
    assert "Back to the run" not in [each.label for each in wall.button]
    assert public not in html(wall)
