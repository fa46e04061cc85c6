"""Rounds of a run: who may label when, what is kept, and the labeller that a class becomes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from evaluators.errors import ParameterError
from evaluators.people.labels import people_values
from evaluators.people.records import DONE, PersonLabel
from evaluators.records import Cell, Dataset, Sample
from evaluators.rounds.codes import HOLDS, LET_IN, spoken, typed
from evaluators.rounds.records import MOST_ANSWERS, MOST_PARTICIPANTS, AskedPlace, Asking
from evaluators.runs import examples, round_content, rounds
from evaluators.runs.aggregate import View
from evaluators.runs.labelled import labelled
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer
from evaluators.runs.store.bodies import timestamp
from evaluators.trace.labelling import CORRECTED
from tests import lesson
from tests.lesson import FULL, NONE, PARTIAL, PLACES
from tests.spreadsheet import csv_rows


@pytest.fixture
def run(store):
    return lesson.run(store)


@pytest.fixture
def made(store, run):
    return lesson.started(store, run)


# Starting


def test_a_round_is_open_and_found_by_its_code_and_its_link(store, run, made):
    assert made.state == "open"
    for found in (
        store.rounds.get(made.id),
        store.rounds.with_join(made.join),
        store.rounds.with_code(made.code),
        *store.rounds.of_run(run.id),
    ):
        assert found == made
    assert store.rounds.with_join(made.id) is None
    assert store.rounds.get(made.join) is None
    assert len(made.id) >= 22
    assert len(made.join) >= 22


def test_a_code_holds_for_some_hours_only(store, made):
    store.rounds.change(made.id, code_until="2026-11-22T12:00:00+00:00")

    assert store.rounds.with_code(made.code) is None
    assert store.rounds.with_join(made.join) is not None


@pytest.mark.parametrize("count", [0, MOST_ANSWERS + 1])
def test_a_round_has_some_answers_and_not_too_many(store, run, count):
    view = lesson.view(store, run)

    with pytest.raises(ParameterError, match="1 to 20 answers"):
        rounds.start(view, [Answer(0, 0)] * count, "Class")


def test_two_rounds_of_a_day_have_two_names(store, run, made):
    view = lesson.view(store, run)
    today = date(2026, 11, 22)

    assert rounds.class_name(view, today) == "Class of 22 November (2)"
    assert rounds.class_name(view, date(2026, 11, 3)) == "Class of 3 November"
    with pytest.raises(ParameterError, match="labelled under this name"):
        rounds.start(view, [Answer(0, 0)], made.name)


def test_an_example_has_no_round_and_neither_has_a_run_that_is_gone(store, run):
    example = examples.find(store, examples.INVENTED)
    with pytest.raises(ParameterError, match="Make it yours"):
        rounds.start(RunView.read(store, example), [Answer(0, 0)], "Class")
    view = lesson.view(store, run)
    store.runs.delete(run.id)
    with pytest.raises(ParameterError, match="deleted meanwhile"):
        rounds.start(view, [Answer(0, 0)], "Class")


def test_the_samples_that_teach_are_of_every_kind(store):
    example = examples.find(store, examples.INVENTED)
    view = RunView.read(store, example)
    lessons = rounds.lessons(view)
    chosen = rounds.instructive(view, 6)

    assert len(chosen) == len(set(chosen)) == 6
    assert {lessons[answer] for answer in chosen} == set(lessons.values())
    assert chosen == rounds.instructive(view, 6)
    assert set(rounds.instructive(view, 100)) <= set(lessons)


def test_what_a_class_was_asked_before_comes_where_there_is_nothing_else(store):
    view = RunView.read(store, examples.find(store, examples.INVENTED))
    every = rounds.instructive(view, 100)
    first = rounds.instructive(view, 8)
    second = rounds.instructive(view, 8, asked_before=first)
    others = len(every) - 8

    assert len(second) == 8
    assert not set(first) & set(second)
    rest = rounds.instructive(view, others + 2, asked_before=first)
    assert len(set(rest) & set(first)) == 2


# Taking part


def test_nicknames_are_told_apart_in_width_and_case(store, made):
    store.rounds.join(made.id, "Ann")

    for same in ("ann", "ＡＮＮ"):
        with pytest.raises(ParameterError, match="This nickname is taken"):
            store.rounds.join(made.id, same)
    assert [each.nickname for each in store.rounds.participants(made.id)] == ["Ann"]


def test_a_round_is_full_at_some_time(store, made):
    for number in range(MOST_PARTICIPANTS):
        store.rounds.join(made.id, f"Pupil {number}")

    with pytest.raises(ParameterError, match="60 take part, the most"):
        store.rounds.join(made.id, "Late")


def test_who_lost_the_tab_comes_back_by_the_own_code(store, made):
    ann, ben = store.rounds.join(made.id, "Ann"), store.rounds.join(made.id, "Ben")
    store.rounds.label(ann, PLACES[0], FULL)

    back = store.rounds.with_own_code(ann.code)

    assert back == ann
    assert store.rounds.labels_of(back) == {PLACES[0]: FULL}
    assert ann.code != ben.code
    # It is typed like the code of the round, and is none.
    assert typed(spoken(ann.code)) == ann.code
    assert store.rounds.with_code(ann.code) is None
    assert store.rounds.with_own_code(made.code) is None


def test_an_own_code_holds_for_some_hours_only(store, made):
    ann = store.rounds.join(made.id, "Ann")
    with store.database.transaction() as db:
        long_ago = timestamp(datetime.now(UTC) - HOLDS - timedelta(seconds=1))
        db.execute("update round_participants set joined = ?", (long_ago,))

    assert store.rounds.with_own_code(ann.code) is None


def let_in(store, participant, until):
    moment = timestamp(datetime.now(UTC) + until)
    store.rounds.change(participant.round_id, let_in=(participant.number, moment))


def test_the_teacher_lets_somebody_in_again_once_and_the_lost_tab_opens_nothing(store, made):
    ann = store.rounds.join(made.id, "Ann")
    store.rounds.label(ann, PLACES[0], FULL)
    let_in(store, ann, LET_IN)

    back = store.rounds.join(made.id, "ann")

    assert (back.number, back.nickname) == (ann.number, "Ann")
    assert store.rounds.labels_of(back) == {PLACES[0]: FULL}
    assert store.rounds.participants(made.id) == [back]
    assert store.rounds.participant(back.token) == back
    assert store.rounds.participant(ann.token) is None
    assert store.rounds.with_own_code(ann.code) is None
    # Nobody else comes in by it.
    with pytest.raises(ParameterError, match="This nickname is taken"):
        store.rounds.join(made.id, "Ann")


def test_letting_one_in_again_frees_no_other_name_and_ends_by_itself(store, made):
    ann, _ = store.rounds.join(made.id, "Ann"), store.rounds.join(made.id, "Ben")

    let_in(store, ann, LET_IN)
    with pytest.raises(ParameterError, match="This nickname is taken"):
        store.rounds.join(made.id, "Ben")
    let_in(store, ann, -LET_IN)
    with pytest.raises(ParameterError, match="This nickname is taken"):
        store.rounds.join(made.id, "Ann")


def test_into_a_full_round_one_comes_back(store, made):
    first = store.rounds.join(made.id, "Pupil 0")
    for number in range(1, MOST_PARTICIPANTS):
        store.rounds.join(made.id, f"Pupil {number}")
    let_in(store, first, LET_IN)

    assert store.rounds.join(made.id, "Pupil 0").number == first.number


def test_all_who_came_since_a_moment_are_taken_out_and_no_others(store, made):
    ann = store.rounds.join(made.id, "Ann")
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    with store.database.transaction() as db:
        db.execute("update round_participants set joined = ?", (timestamp(hour_ago),))
    for number in range(20):
        store.rounds.join(made.id, f"Flood {number}")

    store.rounds.remove_newest(made.id, timestamp(datetime.now(UTC) - timedelta(minutes=1)))

    assert store.rounds.participants(made.id) == [ann]


def test_a_label_can_be_changed_until_the_round_is_closed(store, run, made):
    ann = store.rounds.join(made.id, "Ann")
    store.rounds.label(ann, PLACES[0], FULL)
    store.rounds.label(ann, PLACES[0], NONE)
    assert store.rounds.labels_of(ann) == {PLACES[0]: NONE}

    store.rounds.change(made.id, state="paused")
    with pytest.raises(ParameterError, match="paused"):
        store.rounds.label(ann, PLACES[0], FULL)
    rounds.close(store, run, made)
    for refused in (
        lambda: store.rounds.label(ann, PLACES[0], FULL),
        lambda: store.rounds.join(made.id, "Late"),
    ):
        with pytest.raises(ParameterError, match="closed"):
            refused()
    assert store.rounds.labels_of(ann) == {PLACES[0]: NONE}

    rounds.reopen(store, run, made)
    store.rounds.label(ann, PLACES[0], PARTIAL)
    assert store.rounds.labels_of(ann) == {PLACES[0]: PARTIAL}


def test_whatever_happens_in_a_round_changes_its_revision_and_no_other(store, run, made):
    other = rounds.start(lesson.view(store, run), [Answer(0, 0)], "Another class")
    seen = [store.rounds.get(made.id).revision]
    ann = store.rounds.join(made.id, "Ann")
    for happens in (
        lambda: store.rounds.label(ann, PLACES[0], FULL),
        lambda: store.rounds.change(made.id, state="paused"),
        lambda: store.rounds.remove(ann),
    ):
        seen.append(store.rounds.get(made.id).revision)
        happens()
    seen.append(store.rounds.get(made.id).revision)

    assert seen == sorted(set(seen))
    assert store.rounds.get(other.id).revision == 0


def test_somebody_who_is_taken_out_is_gone_with_all_labels(store, made):
    joined = lesson.take_part(store, made)
    store.rounds.remove(joined["Cid"])

    assert store.rounds.participant(joined["Cid"].token) is None
    numbers = {label.participant for label in store.rounds.labels(made.id)}
    assert numbers == {joined["Ann"].number, joined["Ben"].number}
    with pytest.raises(ParameterError, match="not there any more"):
        store.rounds.label(joined["Cid"], PLACES[0], FULL)


def test_a_deleted_run_takes_its_rounds_along(store, run, made):
    ann = store.rounds.join(made.id, "Ann")
    store.runs.delete(run.id)

    assert store.rounds.get(made.id) is None
    assert store.rounds.participant(ann.token) is None
    for refused in (
        lambda: store.rounds.label(ann, PLACES[0], FULL),
        lambda: store.rounds.join(made.id, "Late"),
        lambda: store.rounds.change(made.id, state="paused"),
    ):
        with pytest.raises(ParameterError, match="not there any more"):
            refused()


# What stands in it


def test_the_labels_of_all_labellers_stand_side_by_side(store, run, made):
    content = round_content.content(store, run, made)

    assert content.places == PLACES
    assert content.own_labeller == lesson.JUDGE.id
    for by, supports in (
        (lesson.JUDGE.id, lesson.JUDGED),
        ("heuristic", lesson.ESTIMATED),
        ("gold", lesson.GOLD),
    ):
        assert list(content.labels_by(by).values()) == supports
    assert content.labels_by("nobody") == {}
    assert content.text(AskedPlace(1, "a")) == "Mill 2 grinds rye."


def test_where_a_verdict_is_guessed_each_answer_is_asked_about_once(store, run):
    made = lesson.started(store, run, "guess")
    content = round_content.content(store, run, made)

    assert content.places == [AskedPlace(0, ""), AskedPlace(1, "")]
    assert content.text(AskedPlace(1, "")) == "What does mill 2 grind?"
    # By the table: full and full, full and none; gold full and none, full and partial.
    assert list(content.labels_by(lesson.JUDGE.id).values()) == [FULL, PARTIAL]
    assert list(content.labels_by("gold").values()) == [PARTIAL, PARTIAL]


def test_where_a_score_is_guessed_it_is_high_middle_or_low(store, run):
    made = lesson.started(store, run, "score", "context_relevance")
    content = round_content.content(store, run, made)

    assert content.places == [AskedPlace(0, ""), AskedPlace(1, "")]
    # By the judge's labels two and one of two document sentences are relevant.
    assert [answer.value for answer in content.answers.values()] == [1.0, 0.5]
    assert list(content.labels_by("metric").values()) == [FULL, PARTIAL]
    assert content.truth == "metric"
    view = lesson.view(store, run)
    assert list(rounds.lessons(view, Asking("score", value=made.value)).values()) == [
        "high",
        "middle",
    ]


@pytest.mark.parametrize(
    ("value", "support"),
    # Two thirds and one third are shown as 0.67 and 0.33; 0.664 is shown as 0.66.
    [
        *((0, NONE), (0.33, NONE), (1 / 3, NONE), (0.3351, PARTIAL)),
        *((0.664, PARTIAL), (0.665001, FULL), (2 / 3, FULL), (1, FULL)),
    ],
)
def test_how_high_a_value_is_follows_from_the_number_that_is_shown(value, support):
    assert round_content.height(value) is support


@pytest.fixture
def errors(store):
    return lesson.run_with_errors(store)


def round_over(store, run, kind, **options):
    answers = [Answer(0, 0), Answer(1, 0)]
    return rounds.start(lesson.view(store, run), answers, "Class", Asking(kind), **options)


def test_a_run_has_the_kinds_of_round_that_it_has_answers_for(store, run, errors):
    assert rounds.kinds_of(lesson.view(store, run)) == ["support", "guess", "score"]
    view = lesson.view(store, errors)
    assert rounds.kinds_of(view) == ["planted", "better"]
    # By the table: one error of two is noticed by a model, on the other both answers are alike.
    assert list(rounds.lessons(view, Asking("planted")).values()) == ["noticed", "unnoticed"]
    assert list(rounds.lessons(view, Asking("better")).values()) == ["told apart", "alike"]


@pytest.mark.parametrize("kind", ["support", "guess", "score", "planted", "better"])
def test_the_wall_hides_what_is_said_until_the_reveal_where_nothing_else_is_chosen(
    store, run, kind
):
    view = lesson.view(store, run)
    usual = rounds.start(view, [Answer(0, 0)], "Usual", Asking(kind))
    other = rounds.start(view, [Answer(0, 0)], "Other", Asking(kind), hides_spread=False)

    assert (usual.hides_spread, other.hides_spread) == (True, False)


def test_every_document_is_asked_about_and_the_forged_ones_are_known(store, errors):
    made = round_over(store, errors, "planted")
    content = round_content.content(store, errors, made)

    keys = [(place.answer, place.key) for place in content.places]
    assert keys == [(0, "A"), (0, "B"), (0, "C"), (1, "A"), (1, "B"), (1, "C")]
    assert content.text(AskedPlace(0, "B")) == "Australia has a parliament."
    assert content.truth == "planted"
    assert list(content.labels_by("planted").values()) == [NONE, FULL, NONE] * 2
    noticed = [answer.noticed for answer in content.answers.values()]
    assert noticed == [((True, True), (False, False)), ((False, False), (False, False))]


def test_an_answer_of_which_no_document_is_known_to_be_forged_is_not_asked_about(store, errors):
    made = round_over(store, errors, "planted")
    sample = store.samples.get_many(errors.fingerprint, {0})[0]
    assert isinstance(sample, Sample)
    bare = sample.model_copy(update={"roles": ()})
    data = Dataset(name="Bare", samples=(bare,))
    other = errors.model_copy(update={"id": "bare", "fingerprint": data.fingerprint})
    store.runs.save(other, data)
    store.results.save(other.id, store.results.of_answers(errors.id, [Answer(0, 0)])[0, 0][0])

    assert rounds.kinds_of(lesson.view(store, other)) == ["better"]
    assert round_content.content(store, errors, made).places


def test_two_answers_stand_left_and_right_by_chance_and_always_the_same(store, errors):
    orders = set()
    stored = round_over(store, errors, "better")
    for number in range(20):
        made = stored.model_copy(update={"id": f"round {number}"})
        content = round_content.content(store, errors, made)
        assert content == round_content.content(store, errors, made)
        orders.add(tuple(answer.models for answer in content.answers.values()))
        first = content.answers[0]
        assert first.pair == tuple(lesson.SAID_BY_MODELS[model][0] for model in first.models)
        # The metric prefers the first model's answer, wherever it stands, and neither of the next.
        metric = content.labels_by("metric")
        assert metric[AskedPlace(0, "")] is (FULL if first.models == (0, 1) else NONE)
        assert metric[AskedPlace(1, "")] is PARTIAL

    # Each of the two answers stood on either side.
    assert orders == {((a, 1 - a), (b, 1 - b)) for a in (0, 1) for b in (0, 1)}


@pytest.mark.parametrize(
    ("first", "second", "preferred"),
    [
        ({"accuracy": 1}, {"accuracy": 0}, FULL),
        ({"accuracy": 0}, {"accuracy": 1}, NONE),
        ({"accuracy": 1}, {"accuracy": 1}, PARTIAL),
        # Noticed but not corrected is as much as corrected without a word.
        ({"detection": 1, "correction": 0}, {"detection": 0, "correction": 1}, PARTIAL),
        (
            {"context_relevance": 0.1, "adherence": 1},
            {"context_relevance": 0.9, "adherence": 0},
            FULL,
        ),
        # What one of them lacks does not count against it.
        ({"relevance": None, "fluency": 0.5}, {"relevance": 1, "fluency": 0.4}, FULL),
        ({"relevance": None}, {"relevance": 1}, None),
        ({}, {}, None),
    ],
)
def test_which_of_two_answers_a_metric_prefers(first, second, preferred):
    assert round_content.preferred(first, second) is preferred


def test_votes_are_no_labels_of_the_run_and_can_be_taken_away(store, errors):
    planted, better = (
        round_over(store, errors, "planted"),
        rounds.start(lesson.view(store, errors), [Answer(0, 0)], "Other class", Asking("better")),
    )
    ann, ben = store.rounds.join(planted.id, "Ann"), store.rounds.join(better.id, "Ben")
    store.rounds.label(ann, AskedPlace(0, "A"), NONE)
    store.rounds.label(ben, AskedPlace(0, ""), PARTIAL)
    for made in (planted, better):
        rounds.close(store, errors, made, reveal=True)

    assert store.person_labels.by_cell(errors.id) == {}
    (row,) = csv_rows(rounds.labels_csv(store, errors, planted))
    assert (row["sentence"], row["text"]) == ("A", "The capital of Australia is Perth.")
    assert (row["label"], row["class"], row["planted"]) == ("error", "error", "error")
    (row,) = csv_rows(rounds.labels_csv(store, errors, better))
    left, right = round_content.content(store, errors, better).answers[0].models
    assert (row["label"], row["class"]) == ("both alike", "both alike")
    assert row["metric"] == ("left side" if left == 0 else "right side")
    assert (row["left"], row["right"]) == (lesson.MODELS[left].id, lesson.MODELS[right].id)


def test_a_round_of_an_earlier_version_is_read(store, path, made):
    with store.database.transaction() as db:
        added = "json_remove(body, '$.hides_spread', '$.models')"
        db.execute(f"update rounds set body = {added}")

    assert store.rounds.get(made.id) == made


# What it becomes


def test_a_closed_round_is_a_labeller_by_majority(store, run, made):
    lesson.take_part(store, made)
    rounds.close(store, run, made, reveal=True)

    assert store.rounds.get(made.id).state == "revealed"
    given = store.person_labels.by_cell(run.id)
    assert {label.person for own in given.values() for label in own} == {made.name}
    said = [(label.label, label.key, label.value) for label in given[Cell(1)]]
    # A tie of "partial" and "full" goes to the stricter one.
    assert said == [
        ("support", "a", "partial"),
        ("support", "b", "partial"),
        ("sample", "", DONE),
    ]
    view = lesson.view(store, run)
    assert f"person:{made.name}" in view.labellers()
    first, second = labelled(view)
    assert (first.people["adherence"], first.people["supported_share"]) == (0, 0.5)
    assert (second.people["adherence"], second.people["supported_share"]) == (0, 0)
    assert first.blind
    assert first.drawn == "in class"


def test_what_a_class_says_never_changes_the_values_of_the_run(store, run, made):
    corrected = View(by=CORRECTED)
    before = lesson.view(store, run).figures(0, view=corrected)
    lesson.take_part(store, made)
    rounds.close(store, run, made, reveal=True)

    after = lesson.view(store, run)
    assert after.figures(0).means == after.figures(0, view=corrected).means == before.means
    assert after.relabelled() == frozenset()
    # One of them who means to correct does so under a name of their own.
    sentence = lesson.view(store, run).people[Cell(1)][0].sentence
    own = PersonLabel(
        label="support", key="a", value="none", sentence=sentence, created=timestamp()
    )
    store.person_labels.save(run.id, Cell(1), own)
    after = lesson.view(store, run)
    assert after.figures(0).means == before.means
    assert after.figures(0, view=corrected).means != before.means
    assert after.relabelled() == {Answer(1)}


def test_a_reopened_round_is_not_a_labeller_until_it_is_closed_again(store, run, made):
    joined = lesson.take_part(store, made)
    rounds.close(store, run, made)
    rounds.reopen(store, run, made)
    again = store.rounds.get(made.id)

    assert again.state == "open"
    assert again.code != made.code
    assert store.person_labels.by_cell(run.id) == {}
    store.rounds.label(joined["Ben"], AskedPlace(1, "a"), FULL)
    rounds.close(store, run, again)
    given = store.person_labels.by_cell(run.id, Cell(1))[Cell(1)]
    assert [label.value for label in given] == ["full", "partial", DONE]
    rounds.close(store, run, again, reveal=True)
    with pytest.raises(ParameterError, match="seen what is right"):
        rounds.reopen(store, run, again)


def test_guesses_are_not_labels_of_the_run(store, run):
    made = lesson.started(store, run, "guess")
    ann = store.rounds.join(made.id, "Ann")
    store.rounds.label(ann, AskedPlace(0, ""), FULL)
    rounds.close(store, run, made, reveal=True)

    assert store.person_labels.by_cell(run.id) == {}
    (row,) = csv_rows(rounds.labels_csv(store, run, made))
    assert (row["text"], row["label"]) == ("What does mill 1 grind?", "full")


def test_answers_that_nobody_labelled_stay_without_a_label(store, run, made):
    ann = store.rounds.join(made.id, "Ann")
    store.rounds.label(ann, AskedPlace(0, "b"), NONE)
    rounds.close(store, run, made)

    given = store.person_labels.by_cell(run.id)
    assert list(given) == [Cell(0)]
    answer = round_content.content(store, run, made).answers[0]
    labels = answer.sample.labels
    assert labels is not None
    values = people_values(labels, answer.sentences, given[Cell(0)])
    # One sentence is not supported, whatever the other one is; its share is not known.
    assert values == {"adherence": 0}


def test_every_label_can_be_taken_away_and_no_cell_is_a_formula(store, run, made):
    lesson.take_part(store, made)
    joined = store.rounds.join(made.id, "=1+1")
    store.rounds.label(joined, AskedPlace(0, "a"), FULL)

    rows = csv_rows(rounds.labels_csv(store, run, made))

    assert len(rows) == 12
    first = rows[0]
    assert (first["id"], first["sentence"], first["nickname"]) == ("mill-1", "a", "Ann")
    assert (first["label"], first["class"], first["gold"]) == ("full", "full", "full")
    assert [row["class"] for row in rows[:4]] == ["full", "none", "partial", "partial"]
    assert [row["gold"] for row in rows[:4]] == ["full", "none", "full", "partial"]
    assert rows[-1]["nickname"] == "'=1+1"


# The store


def test_a_damaged_round_is_as_good_as_none(store, run, made):
    with store.database.transaction() as db:
        db.execute("update rounds set body = '{}'")

    assert store.rounds.get(made.id) is None
    assert store.rounds.of_run(run.id) == []


def test_of_two_models_each_question_is_proposed_once_while_there_are_others(store):
    run = examples.find(store, examples.NOISE)
    assert run is not None
    view = RunView.read(store, run)
    proposed = rounds.instructive(view, 8, 0, Asking("better"))
    questions = {view.contents([answer])[answer].sample.question for answer in proposed}
    assert len(proposed) == len(questions) == 8
