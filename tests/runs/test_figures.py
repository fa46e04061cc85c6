"""What is kept with a run: figures until something changes, and answers chosen and ordered."""

from __future__ import annotations

import pytest

from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    Dataset,
    Labelling,
    Labels,
    ModelSpec,
    Run,
    Sample,
    SampleResult,
    Score,
    Sentence,
    Sentences,
    SentenceSupport,
)
from evaluators.runs import aggregate
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Selection, Store, ValueName
from evaluators.trace.definitions import DEFINITIONS
from evaluators.trace.labelling import CORRECTED, GOLD, HEURISTIC
from evaluators.trace.metrics import VALUES, from_score, to_score, trace_scores
from tests.stored import stored_run

SENTENCES = Sentences(
    documents=(tuple(Sentence(key=f"0{key}", text="t") for key in "abcd"),),
    response=(Sentence(key="a", text="t"),),
)
ADHERENCE = ValueName(0, "adherence")
RELEVANCE = ValueName(0, "context_relevance")
MATCH = ValueName(1, "answer_match")
CHANGE = PersonLabel(label="support", key="a", value="none", created="2026-11-22T10:00:00Z")
DONE = PersonLabel(label="sample", value="done", created="2026-11-22T10:00:00Z")


def labels(relevant, support="full"):
    keys = tuple(f"0{key}" for key in relevant)
    return Labels(
        relevant_keys=keys,
        utilized_keys=keys[:1],
        sentence_support=(SentenceSupport(key="a", support=support),),
    )


def sample(number, question="When?", response="In May.", gold=None):
    return Sample(
        id=f"s{number}", question=question, response=response, sentences=SENTENCES, labels=gold
    )


DATA = Dataset(
    name="By hand",
    samples=(
        sample(0, "Wann fährt der ZUG?", gold=labels("abcd", "none")),
        sample(1, response="Über Köln."),
        sample(2),
        sample(3),
        sample(4, gold=labels("a")),
    ),
)
GIVEN = [labels("ab"), labels("abc", "none"), None, None, labels("a", "full")]
"""The heuristic's labels; the third answer fails for it, the fourth is still open."""


@pytest.fixture
def run(store: Store) -> Run:
    """Two metrics over five answers; only the first and the fifth have a value of the second."""
    run = stored_run(store, DATA, "trace", "answer_match", id="r")
    for position, own in enumerate(GIVEN):
        if own:
            scores = trace_scores(SENTENCES, own)
            labelling = Labelling(by=HEURISTIC, labels=own)
            save(store, position, to_score(scores, DATA.samples[position], [labelling]))
    save(store, 2, None)
    save(store, 0, Score(values={"answer_match": 0.25}), metric=1)
    save(store, 4, Score(values={"answer_match": 0.75}), metric=1)
    return run


def save(store, position, score, metric=0, model=0):
    outcome = {"status": "scored", "score": score} if score else {"status": "failed", "error": "-"}
    place = {"position": position, "metric": metric, "model": model}
    store.results.save("r", SampleResult(**place, **outcome))


def positions(store, run, selection, view=None):
    answers = RunView.read(store, run).answers(selection, view or View())
    return [answer.position for answer in answers]


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(), [0, 1, 2, 3, 4]),
        (Selection(values=(ADHERENCE,), high=0), [1]),
        (Selection(values=(ADHERENCE,), low=1), [0, 4]),
        (Selection(values=(MATCH,), high=0.5), [0]),
        (Selection(values=(ValueName(0, "none"), MATCH), low=0.5), [4]),
        (Selection(is_failed=True), [2]),
        (Selection(is_corrected=True), []),
        (Selection(among=(Answer(3), Answer(1))), [1, 3]),
        (Selection(text="FÄHRT der zug"), [0]),
        (Selection(text="über köln"), [1]),
        (Selection(text="in may"), [0, 2, 3, 4]),
        (Selection(text="%"), []),
        (Selection(text="in may", values=(ADHERENCE,), low=1), [0, 4]),
        # Relevant are 2, 3 and 1 of 4 sentences; those without a value come last both ways.
        (Selection(order=RELEVANCE), [4, 0, 1, 2, 3]),
        (Selection(order=RELEVANCE, descending=True), [1, 0, 4, 2, 3]),
        (Selection(order=MATCH, descending=True), [4, 0, 1, 2, 3]),
        (Selection(order=ValueName(0, "' or 1 --")), [0, 1, 2, 3, 4]),
        (Selection(model=1), []),
    ],
)
def test_answers_are_chosen_and_ordered_over_the_whole_run(store, run, selection, chosen):
    assert positions(store, run, selection) == chosen


def test_a_choice_is_of_the_view_that_is_looked_at(store, run):
    by_gold = View(by=GOLD)

    assert positions(store, run, Selection(values=(ADHERENCE,), high=0), by_gold) == [0]
    assert positions(store, run, Selection(order=RELEVANCE), by_gold) == [4, 0, 1, 2, 3]


def test_what_a_person_corrected_can_be_chosen_until_it_is_taken_back(store, run):
    unsupported = Selection(values=(ADHERENCE,), high=0)
    with_flips = View(by=CORRECTED)

    store.person_labels.save("r", Cell(4), CHANGE)
    assert positions(store, run, Selection(is_corrected=True)) == [4]
    assert positions(store, run, unsupported, with_flips) == [1, 4]
    assert positions(store, run, unsupported) == [1]

    store.person_labels.undo("r", Cell(4), "you")
    assert positions(store, run, Selection(is_corrected=True)) == []
    assert positions(store, run, unsupported, with_flips) == [1]


def test_a_model_s_answers_alone_and_what_it_wrote(store, run):
    models = tuple(ModelSpec(provider="openai", model=name) for name in ("luna", "sol"))
    both = run.model_copy(update={"models": models})
    written = SampleResult(
        position=3,
        model=1,
        status="scored",
        response="Of the mill",
        score=Score(values={"adherence": 0.0}),
    )
    store.results.save("r", written)
    view = RunView.read(store, both)

    assert view.answers(Selection(model=1))[0] == Answer(0, 1)
    assert view.answers(Selection(text="the mill")) == [Answer(3, 1)]
    assert view.answers(Selection(model=1, values=(ADHERENCE,), high=0)) == [Answer(3, 1)]


def test_a_page_has_the_rows_of_its_answers_in_their_order(store, run):
    view = RunView.read(store, run)
    merged = view.merged()

    assert view.page([Answer(4), Answer(0)]) == [merged[4], merged[0]]


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("by", [HEURISTIC, GOLD, CORRECTED, "person:you"])
def test_side_by_side_stand_the_means_by_each_labeller(store, run, definition, by):
    store.person_labels.save("r", Cell(4), CHANGE, DONE)
    view = RunView.read(store, run)
    alone = view.figures(view=View(definition, by))

    side_by_side = view.means_by_labeller(0, definition)

    assert list(side_by_side) == [HEURISTIC, GOLD, CORRECTED, "people", "person:you"]
    assert side_by_side[by] == {name: alone.means[name] for name in VALUES}


def people(count):
    """Of so many people the last judged two answers, the others one."""
    for number in range(count):
        by = {"person": f"p{number}"}
        yield Cell(4), CHANGE.model_copy(update=by)
        yield Cell(4), DONE.model_copy(update=by)
    yield Cell(0), DONE.model_copy(update=by)


def test_of_many_people_stand_side_by_side_those_who_judged_most_answers(store, run):
    store.person_labels.save_all("r", people(40))
    view = RunView.read(store, run)
    nineteen = [f"person:p{number}" for number in range(19)]

    assert len([by for by in view.labellers() if by.startswith("person:")]) == 40
    compared = [by for by in view.means_by_labeller(0) if by.startswith("person:")]
    assert compared == [*nineteen, "person:p39"]
    assert {pair.second for pair in view.agreements(0)} <= {
        HEURISTIC,
        GOLD,
        *view.means_by_labeller(0),
    }
    assert {group.labellers for group in view.group_agreements(0)} == {tuple(compared)}


def test_the_same_is_read_however_many_people_label(run):
    read = []
    for count in (1, 20, 40):
        store = Store(":memory:")
        store.runs.put(run, DATA.samples, [])
        for position, own in enumerate(GIVEN):
            if own:
                labelling = Labelling(by=HEURISTIC, labels=own)
                scores = trace_scores(SENTENCES, own)
                save(store, position, to_score(scores, DATA.samples[position], [labelling]))
        store.person_labels.save_all("r", people(count))
        statements = []
        store.database._db.set_trace_callback(statements.append)
        view = RunView.read(store, run)
        view.figures()
        view.means_by_labeller(0)
        store.database._db.set_trace_callback(None)
        labels = [
            text for text in statements if text.startswith("select position, model, metric, w")
        ]
        assert len(labels) == 1
        read.append(len(statements))

    assert read[0] == read[1] == read[2]


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("by", [None, HEURISTIC, GOLD, CORRECTED])
@pytest.mark.parametrize("corrected", [False, True])
def test_figures_are_those_of_every_score_counted_anew(store, run, definition, by, corrected):
    if corrected:
        store.person_labels.save("r", Cell(4), CHANGE)
    view = RunView.read(store, run)
    changes = store.person_labels.by_cell("r")
    counted = {}
    for cell, sample, score in store.results.scored(run):
        own = sample.labels if by == GOLD else score.evidence.counted.labels
        if by == CORRECTED and cell in changes:
            own = labels("a", "none")
        scores = trace_scores(from_score(score, sample).sentences, own, definition) if own else None
        counted[cell.position] = scores.values() if scores else {}

    figures = view.figures(view=View(definition, by))

    for name in VALUES:
        values = [own[name] for own in counted.values() if own.get(name) is not None]
        assert figures.means[name].scored == len(values)
        assert figures.means[name].mean == sum(values) / len(values)
        assert sum(figures.spread[name]) == len(values)
    assert (figures.asked, figures.scored, figures.failed) == (5, 3, 1)


def test_figures_are_kept_until_a_result_or_a_correction_comes(store, run, where):
    before = RunView.read(store, run)
    assert before.figures().means["adherence"].scored == 3
    kept = store.figures.get("r", "figures 0 0 own", before.revision)
    again = Store(where)

    assert RunView.read(again, run).figures() == before.figures()
    assert kept == again.figures.get("r", "figures 0 0 own", before.revision)

    save(again, 3, to_score(trace_scores(SENTENCES, labels("a")), DATA.samples[3], [LABELLING]))
    assert RunView.read(store, run).figures().means["adherence"].scored == 4

    store.person_labels.save("r", Cell(3), CHANGE)
    view = RunView.read(again, run)
    assert view.figures().means["adherence"].mean == 0.75
    assert view.figures(view=View(by=CORRECTED)).means["adherence"].mean == 0.5


LABELLING = Labelling(by=HEURISTIC, labels=labels("a"))


def test_figures_of_an_earlier_revision_are_not_kept_for_a_later_one(store, run):
    view = RunView.read(store, run)
    save(store, 3, None)

    view.figures()

    assert store.figures.get("r", "figures 0 0 own", view.revision) is None
    assert store.figures.get("r", "figures 0 0 own", view.revision + 1) is None


def test_what_was_kept_and_cannot_be_read_is_worked_out_again(store, run):
    view = RunView.read(store, run)
    store.figures.save("r", "figures 0 0 own", view.revision, "{")

    assert view.figures().asked == 5


def test_a_spread_counts_tenths_and_nothing_where_a_value_is_no_share():
    rows = [
        aggregate.Outline(
            position=0, sample_id="s", question="q", status="scored", values={"a": a, "b": b}
        )
        for a, b in ((0.0, 1.0), (0.1, 3.0), (0.95, None), (1.0, 0.5), (None, 0.5))
    ]

    spread = aggregate.figures(rows).spread

    assert spread == {"a": (1, 1, 0, 0, 0, 0, 0, 0, 0, 2), "b": ()}


def test_a_deleted_run_takes_its_figures_along(store, run):
    view = RunView.read(store, run)
    view.figures(view=View("fixed_20"))

    store.runs.delete("r")

    for table in ("figures", "viewed", "revisions"):
        assert store.database.rows(f"select count(*) from {table}") == [(0,)]


def test_what_is_worked_out_for_a_page_is_only_looked_up_by_it(store, run):
    RunView.read(store, run).prepare(lambda: True)
    view = RunView.read(store, run)

    for name in ("figures 0 0 own", "figures 1 0 own", "groups None own", "columns"):
        assert store.figures.get("r", name, view.results_revision) is not None
    for name in ("remarks", "labelled", "labellers 0 sentence", "agreement 0"):
        assert store.figures.get("r", name, view.results_revision) is not None


def test_another_definition_is_worked_out_before_anybody_asks_for_it(store, run):
    asked = {}
    for name in DEFINITIONS:
        fresh = RunView.read(store, run)
        answers = fresh.answers(Selection(order=RELEVANCE), View(name))
        asked[name] = fresh.figures(view=View(name)), answers, fresh.page(answers, View(name))
    with store.results._database.transaction() as db:
        db.execute("delete from figures")
        db.execute("delete from viewed")

    RunView.read(store, run).prepare(lambda: True)
    view = RunView.read(store, run)
    # What is looked up reads no sample with its labels.
    with store.results._database.transaction() as db:
        db.execute("update samples set body = 'gone'")
    for name, (figures, answers, page) in asked.items():
        assert view.figures(view=View(name)) == figures
        assert view.answers(Selection(order=RELEVANCE), View(name)) == answers
        assert view.page(answers, View(name)) == page


def test_nothing_is_worked_out_any_more_once_nobody_wants_it(store, run):
    RunView.read(store, run).prepare(lambda: False)

    assert store.database.rows("select count(*) from figures") == [(0,)]


def test_a_correction_leaves_what_the_labellers_said(store, run):
    before = RunView.read(store, run)
    before.prepare(lambda: True)
    by_gold = before.figures(view=View(by=GOLD))
    by_labeller = before.means_by_labeller(0)

    store.person_labels.save("r", Cell(4), CHANGE)
    view = RunView.read(store, run)

    for name in (
        "columns",
        "labelled",
        "labellers 0 sentence",
        "figures 0 0 own",
        "figures 0 0 sentence by gold",
    ):
        assert store.figures.get("r", name, view.results_revision) is not None
    assert view.figures(view=View(by=GOLD)) == by_gold
    assert view.means_by_labeller(0)[GOLD] == by_labeller[GOLD]
    assert view.figures().means["adherence"].mean == 2 / 3
    assert view.figures(view=View(by=CORRECTED)).means["adherence"].mean == 1 / 3
    save(store, 3, None)
    assert RunView.read(store, run).results_revision == view.results_revision + 1


def test_agreement_with_people_changes_with_their_labels_and_the_others_stay(store, run):
    """Two answers have gold labels; the heuristic and gold are equal on one of their sentences."""
    before = RunView.read(store, run).agreements(0)
    store.person_labels.save("r", Cell(4), CHANGE)
    view = RunView.read(store, run)
    support = [pair for pair in view.agreements(0) if pair.label == "support"]

    assert store.figures.get("r", "agreement 0", view.results_revision) is not None
    assert view.agreements(0)[: len(before)] == before
    assert {(frozenset((pair.first, pair.second)), pair.equal) for pair in support} == {
        (frozenset((HEURISTIC, GOLD)), 0.5),
        (frozenset((HEURISTIC, CORRECTED)), 0.0),
        (frozenset((GOLD, CORRECTED)), 0.0),
    }
