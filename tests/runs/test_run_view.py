"""A view of a run: of one moment, read once, with a person's corrections where they count."""

import pytest

from evaluators.errors import ParameterError
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    Dataset,
    Labelling,
    Labels,
    Sample,
    SampleResult,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
)
from evaluators.runs.aggregate import View
from evaluators.runs.labelled import labelled
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Selection, ValueName
from evaluators.trace.labelling import CORRECTED, GOLD, HEURISTIC
from evaluators.trace.metrics import to_score, trace_scores
from evaluators.trace.values import METRICS
from tests.stored import run_over

SENTENCES = Sentences(
    documents=((Sentence(key="0a", text="It rained."), Sentence(key="0b", text="It was May.")),),
    response=(Sentence(key="a", text="In May."),),
)
NOT_SUPPORTED = PersonLabel(label="support", key="a", value="none", created="2026-11-22T10:00:00Z")


def labels(*relevant):
    support = SentenceSupport(key="a", support="full", supporting_keys=("0b",))
    return Labels(relevant_keys=relevant, utilized_keys=("0b",), sentence_support=(support,))


def sample(number, gold=None):
    return Sample(
        id=f"s{number}",
        question=f"When? ({number})",
        response="In May.",
        ground_truth="In May.",
        retrieved_documents=("It rained. It was May.",),
        sentences=SENTENCES,
        labels=gold,
    )


DATA = Dataset(
    name="By hand", samples=(sample(0, gold=labels("0a", "0b")), sample(1), sample(2), sample(3))
)
"""The first has published labels: both of its two document sentences are relevant."""


@pytest.fixture
def run(store):
    """Two metrics over four samples: the heuristic finds one relevant sentence of two in the first
    two, the third fails for both metrics and the fourth is open; the second metric fails for the
    second sample as well.
    """
    run = run_over(DATA, "trace", "answer_match", id="r")
    store.runs.save(run, DATA)
    for position in (0, 1):
        scores = trace_scores(SENTENCES, labels("0b"))
        own = Labelling(by="heuristic", labels=scores.labels)
        save(store, position, 0, to_score(scores, DATA.samples[position], [own]))
    save(store, 0, 1, Score(values={"answer_match": 1.0}))
    for position, metric in ((1, 1), (2, 0), (2, 1)):
        save(store, position, metric, None)
    return run


def save(store, position, metric, score):
    outcome = {"status": "scored", "score": score} if score else {"status": "failed", "error": "-"}
    store.results.save("r", SampleResult(position=position, metric=metric, **outcome))


def test_rows_are_every_cell_and_can_be_told_apart_by_metric(store, run):
    view = RunView.read(store, run)

    assert [(row.position, row.metric, row.status) for row in view.rows] == [
        (0, 0, "scored"),
        (0, 1, "scored"),
        (1, 0, "scored"),
        (1, 1, "failed"),
        (2, 0, "failed"),
        (2, 1, "failed"),
        (3, 0, None),
        (3, 1, None),
    ]
    assert [row.values for row in view.of_metric(1)] == [{"answer_match": 1.0}, {}, {}, {}]
    assert (view.counts.asked, view.counts.scored, view.counts.failed) == (8, 3, 3)


def test_an_answer_s_contents_are_its_texts_and_what_each_metric_says(store, run):
    contents = RunView.read(store, run).contents([Answer(2), Answer(1), Answer(3)])

    failed = {
        answer.position: [number for number, own in content.results.items() if own.score is None]
        for answer, content in contents.items()
    }
    assert failed == {2: [0, 1], 1: [1], 3: []}
    assert contents[Answer(1)].sample.question == "When? (1)"
    assert contents[Answer(3)].response == "In May."


@pytest.mark.parametrize(
    ("by", "support"),
    [(None, (1, 0, 0, 0)), (CORRECTED, (1, 0, 1, 0)), (HEURISTIC, (1, 0, 0, 0)), (GOLD, None)],
)
def test_an_answer_s_sentences_are_counted_by_the_labels_that_are_looked_at(
    store, run, by, support
):
    store.person_labels.save(run.id, Cell(1), NOT_SUPPORTED)
    view = RunView.read(store, run)
    content = view.contents([Answer(1)])[Answer(1)]

    assert view.support_counts(Answer(1), content, View(by=by)) == support


def test_a_group_counts_of_each_value_what_became_of_its_own_metric(store):
    """Of two answers the heuristic checks both; the match of the first fails, of the second has no
    value.
    """
    in_rain = [sample(number).model_copy(update={"situation": "rain"}) for number in range(2)]
    data = Dataset(name="In groups", samples=tuple(in_rain))
    run = run_over(data, "trace", "answer_match", id="r")
    store.runs.save(run, data)
    for position in (0, 1):
        save(store, position, 0, Score(values={"f1": 1.0}))
    save(store, 0, 1, None)
    save(store, 1, 1, Score(values={"answer_match": None}, reason="It does not apply."))

    rain = RunView.read(store, run).by_group()["rain"]

    counts = {
        name: (mean.asked, mean.scored, mean.not_applicable, mean.failed)
        for name, mean in rain.items()
    }
    assert counts == {"f1": (2, 2, 0, 0), "answer_match": (2, 0, 1, 1)}


def test_a_view_stays_as_it_was_read_and_the_revision_says_when_it_is_old(store, run):
    view = RunView.read(store, run)
    assert view.rows[-1].status is None
    assert store.figures.revision(run.id) == view.revision

    save(store, 3, 1, Score(values={"answer_match": 0.0}))

    assert view.rows[-1].status is None
    assert store.figures.revision(run.id) != view.revision
    assert RunView.read(store, run).rows[-1].status == "scored"


def test_a_correction_counts_where_it_is_chosen_and_never_in_the_run_s_own_values(store, run):
    before = RunView.read(store, run)
    assert len(before.counted()) == 8
    store.person_labels.save(run.id, Cell(1), NOT_SUPPORTED)
    view = RunView.read(store, run)
    with_flips = View(by=CORRECTED)

    assert view.revision != before.revision
    assert adherence(before.counted()) == adherence(view.counted()) == [1.0, 1.0, None, None]
    assert adherence(view.counted(with_flips)) == [1.0, 0.0, None, None]
    assert adherence(view.merged(with_flips)) == [1.0, 0.0, None, None]
    assert view.figures().means["adherence"].mean == 1.0
    assert view.rows[2].corrected == 1


def adherence(rows):
    return [row.values.get("adherence") for row in rows if row.metric == 0]


def test_what_was_worked_out_is_kept_for_the_last_choices(store, run):
    view = RunView.read(store, run)
    gold = view.counted(View(by=GOLD))

    assert view.counted(View(by=GOLD)) is gold

    for number in range(3):
        view.counted(View(by=f"nobody {number}"))
    again = view.counted(View(by=GOLD))

    assert again is not gold
    assert again == gold


# Beside people's labels


def person_label(kind, key, value, person="you", **more):
    created = "2026-11-22T10:00:00+00:00"
    return PersonLabel(label=kind, key=key, value=value, person=person, created=created, **more)


def test_a_sample_that_people_are_done_with_has_their_values_and_how_it_was_drawn(store, run):
    drawn = {"drawn": "by verdict", "probability": 0.25, "queue": "q1"}
    store.person_labels.save(
        "r",
        Cell(1),
        person_label("support", "a", "none", "Ann"),
        person_label("sample", "", "done", "Ann"),
    )
    store.person_labels.save(
        "r",
        Cell(1),
        person_label("support", "a", "none", "Ben"),
        person_label("sample", "", "done", "Ben", **drawn),
    )
    store.person_labels.save("r", Cell(0), person_label("support", "a", "none"))  # not done

    (found,) = labelled(RunView.read(store, run))

    assert (found.cell, found.by, found.stratum) == (Cell(1), ("Ann", "Ben"), "yes")
    assert (found.drawn, found.probability, found.blind) == ("by verdict", 0.25, False)
    assert {name: found.judged[name] for name in METRICS} == {
        "context_relevance": 0.5,
        "context_utilization": 1.0,
        "completeness": 1.0,
        "adherence": 1.0,
    }
    assert found.people == found.judged | {
        "adherence": 0.0,
        "supported_share": 0.0,
        "average": 0.625,
    }


def test_published_labels_give_the_same_list(store, run):
    (found,) = labelled(RunView.read(store, run), against="gold")
    assert (found.cell, found.by, found.probability) == (Cell(0), ("gold",), 1.0)
    assert (found.judged["context_relevance"], found.people["context_relevance"]) == (0.5, 1.0)


def test_of_another_metric_it_is_enough_to_say_whether_it_is_right(store, run):
    store.person_labels.save("r", Cell(0, 0, 1), person_label("verdict", "answer_match", "no"))
    (found,) = labelled(RunView.read(store, run), metric=1)
    assert (found.cell, found.judged, found.people) == (
        Cell(0, 0, 1),
        {"answer_match": 1.0},
        {"answer_match": 0.0},
    )
    assert labelled(RunView.read(store, run)) == []


def test_a_verdict_that_a_person_calls_wrong_changes_the_corrected_values_alone(store, run):
    match = ValueName(1, "answer_match")
    right = Selection(values=(match,), low=1)
    cell = Cell(0, 0, 1)
    assert RunView.read(store, run).answers(right) == [Answer(0)]

    store.person_labels.save("r", cell, person_label("verdict", "answer_match", "no"))
    view = RunView.read(store, run)
    with_flips = View(by=CORRECTED)

    assert view.figures(1, 0, with_flips).means["answer_match"].mean == 0.0
    assert view.answers(right, with_flips) == []
    assert view.answers(Selection(order=match, descending=True), with_flips)[0] == Answer(0)
    assert view.page([Answer(0)], with_flips)[0].values["answer_match"] == 0.0
    assert view.answers(Selection(is_corrected=True)) == [Answer(0)]
    # The values of the run, and those of a labeller, stay.
    assert view.figures(metric=1).means["answer_match"].mean == 1.0
    assert view.answers(right) == [Answer(0)]
    assert [row.corrected for row in view.counted() if row.position == 0] == [0, 1]
    assert view.counted(View(by=HEURISTIC))[1].values == {"answer_match": 1.0}
    assert view.rows[1].values == {"answer_match": 1.0}

    store.person_labels.undo("r", cell, "you")
    fresh = RunView.read(store, run)
    assert fresh.figures(1, 0, with_flips).means["answer_match"].mean == 1.0


def test_people_alone_count_where_they_judged_and_nowhere_else(store, run):
    """Of the match Ann says no to one answer; nobody said anything of the sentences."""
    cell = Cell(0, 0, 1)
    store.person_labels.save("r", cell, person_label("verdict", "answer_match", "no", "Ann"))
    view = RunView.read(store, run)

    for by in ("people", "person:Ann"):
        rows = view.counted(View(by=by))
        assert adherence(rows) == [None] * 4
        assert next(row.values for row in rows if row.metric == 1) == {"answer_match": 0.0}
        assert view.figures(1, 0, View(by=by)).means["answer_match"].scored == 1


def test_a_labeller_that_labelled_nothing_is_refused_with_those_that_did(store, run):
    view = RunView.read(store, run)
    view.check_labeller(GOLD)
    view.check_labeller(None)

    with pytest.raises(ParameterError) as refused:
        view.check_labeller("person:Ann")
    assert str(refused.value) == (
        f"'person:Ann' did not label '{run.title}'. There are: heuristic, gold."
    )


@pytest.mark.parametrize("view", [View("fixed_20"), View(by=GOLD)])
def test_a_view_is_of_the_metric_that_leads_the_run_whatever_another_one_labels(store, run, view):
    """A metric of one's own may give labels of sentences: all its values stay as it counted them,
    beside a person's verdict on one of them.
    """
    for position in (0, 1):
        scores = trace_scores(SENTENCES, labels("0b"))
        own = Labelling(by="mine", labels=scores.labels)
        save(store, position, 1, to_score(scores, DATA.samples[position], [own]))
    store.person_labels.save("r", Cell(0, 0, 1), person_label("verdict", "adherence", "yes"))

    rows = RunView.read(store, run).counted(view)

    second = [row.values["context_relevance"] for row in rows[:4] if row.metric == 1]
    assert second == [0.5, 0.5]


@pytest.mark.parametrize(
    "labels",
    [
        [("verdict", "answer_match", "yes")],
        [("sample", "", "done")],
        [("verdict", "another", "no")],
    ],
)
def test_who_confirms_a_verdict_corrects_nothing(store, run, labels):
    store.person_labels.save("r", Cell(0, 0, 1), *(person_label(*own) for own in labels))
    view = RunView.read(store, run)
    assert view.figures(1, 0, View(by=CORRECTED)).means["answer_match"].mean == 1.0
    assert view.answers(Selection(is_corrected=True)) == []


def test_people_are_labellers_whose_values_stand_beside_the_others(store, run):
    store.person_labels.save(
        "r",
        Cell(1),
        person_label("support", "a", "none", "Ann"),
        person_label("sample", "", "done", "Ann"),
    )
    blind = {"blind": True}
    store.person_labels.save(
        "r",
        Cell(1),
        person_label("support", "a", "full", "Ben", **blind),
        person_label("sample", "", "done", "Ben", **blind),
    )
    view = RunView.read(store, run)

    assert view.labellers() == [HEURISTIC, GOLD, CORRECTED, "people", "person:Ann", "person:Ben"]
    means = view.means_by_labeller(0)
    assert [means[f"person:{name}"]["adherence"].mean for name in ("Ann", "Ben")] == [0.0, 1.0]
    assert means["person:Ann"]["context_relevance"].mean == 0.5  # confirmed
    assert means["person:Ben"]["context_relevance"].mean is None  # not labelled
    assert means[CORRECTED]["adherence"].coverage == "2 / 4"
    assert means[CORRECTED]["adherence"].mean == 0.5  # a tie goes to the stricter
    of_people = means["people"]["adherence"]
    assert (of_people.mean, of_people.coverage) == (0.0, "1 / 4")
    # A label that is taken back changes the figures of that person alone.
    store.person_labels.withdraw_all("r", Cell(1), "Ann")
    left = [HEURISTIC, GOLD, CORRECTED, "people", "person:Ben"]
    assert RunView.read(store, run).labellers() == left


def test_answers_are_read_a_few_at_a_time_and_within_what_is_stored_of_them(run, store):
    view = RunView.read(store, run)
    answers = [Answer(position, 0) for position in (3, 1, 0)]
    # The sample, and what is said of it by both metrics; the fourth has no result.
    sizes = store.results.sizes(run, [0, 1, 3, 9])

    assert [answer for answer, _ in view.contents_one_by_one(answers)] == answers
    assert sizes.keys() == {0, 1, 3}
    assert sizes[0] > sizes[1] > sizes[3]
    assert view.first_within(answers, sizes[3] + sizes[1]) == answers[:2]
    assert view.first_within(answers, sizes[3] - 1) == []


def test_of_a_run_with_long_answers_a_page_reads_fewer(store, monkeypatch):
    """Some 3 million characters each, on a host that reads 8 million at a look."""
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    long = tuple(
        Sample(id=str(number), question=f"Q{number}?", response="x" * 3_000_000, retrieved_documents=("d",))
        for number in range(4)
    )  # fmt: skip
    data = Dataset(name="Long", samples=long)
    run = run_over(data, "answer_match", id="r")
    store.runs.save(run, data)
    for position in range(4):
        save(store, position, 0, Score(values={"answer_match": 0.0}))

    flaws = RunView.read(store, run).flaws()

    assert (flaws.read, flaws.drawn_from) == (2, 4)
