"""Queues of a run: which answers can be labelled, what a queue leaves out, and where it is kept."""

from __future__ import annotations

import pytest

from evaluators.errors import ParameterError
from evaluators.people.queues import MOST_QUEUES
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    Dataset,
    Labelling,
    Labels,
    Sample,
    SampleResult,
    Score,
    SentenceSupport,
    Support,
)
from evaluators.runs.label_queues import Wish, asked_values, compared, draw, labelable, metrics
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Store
from evaluators.runs.store.runs import EXAMPLES
from evaluators.text.sentences import cut
from evaluators.trace.labelling import labelled_score
from tests.stored import stored_run

AT = "2026-11-23T00:30:00+00:00"


def view_of(store: Store, *outcomes: Score | str | None, spec: str = "llm_judge") -> RunView:
    """A stored run with these outcomes: a score, why it failed, or nothing yet."""
    samples = tuple(
        Sample(id=str(n), question=f"Q{n}?", response="A.") for n in range(len(outcomes))
    )
    data = Dataset(name="By hand", samples=samples)
    run = stored_run(store, data, spec, created=AT, seed=0)
    for position, outcome in enumerate(outcomes):
        if isinstance(outcome, str):
            result = SampleResult(position=position, status="failed", error=outcome)
        elif outcome:
            result = SampleResult(position=position, status="scored", score=outcome)
        else:
            continue
        store.results.save(run.id, result)
    return RunView.read(store, run)


def says(value: float | None) -> Score:
    return Score(values={"llm_judge": value})


YES, NO, NOT_APPLICABLE = says(1.0), says(0.0), says(None)


def test_failed_and_not_applicable_answers_are_left_out_and_counted(store):
    view = view_of(store, YES, NO, "no key", NOT_APPLICABLE, None, YES)

    there = labelable(view)
    queue = draw(view, Wish(n=50), seed=0)

    assert (there.failed, there.not_applicable, there.unchecked) == (1, 1, 1)
    assert {answer.position for answer in queue.answers} == {0, 1, 5}
    assert {answer.probability for answer in queue.answers} == {1.0}
    assert queue.failed == 1


def test_only_answers_with_a_verdict_of_the_labeller_are_drawn(store):
    """The judge said nothing of whether the second is supported, though it did of relevance."""
    outcomes = [Score(values={"context_relevance": 0.5, "adherence": own}) for own in (1.0, None)]
    view = view_of(store, *outcomes, spec="trace")

    assert labelable(view).not_applicable == 1
    assert [answer.position for answer in draw(view, Wish(n=50), seed=0).answers] == [0]


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        (["no key"] * 12, "12 failed samples cannot be labelled. There is nothing to label."),
        (["no key"], "1 failed sample cannot be labelled. There is nothing to label."),
        ([NOT_APPLICABLE, None], "1 have no verdict of the labeller, 1 are not checked yet. There"),
    ],
)
def test_a_run_without_an_answer_to_label_says_why(store, outcomes, message):
    view = view_of(store, *outcomes)

    with pytest.raises(ParameterError, match=f"^{message}"):
        draw(view, Wish(), seed=0)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [("by doubt", "Nothing tells which answers are doubtful"), ("by filter", "The filter lets no")],
)
def test_a_way_that_finds_nothing_says_so(store, drawn, message):
    with pytest.raises(ParameterError, match=message):
        draw(view_of(store, YES, NO), Wish(drawn=drawn), seed=0)


def test_a_second_queue_draws_others_until_there_are_none(store):
    view = view_of(store, *[YES] * 12)
    positions = []
    for seed in range(2):
        queue = draw(view, Wish(n=6), seed)
        store.label_queues.save(queue)
        positions += [answer.position for answer in queue.answers]

    assert sorted(positions) == list(range(12))
    assert labelable(view).undrawn == 0
    with pytest.raises(ParameterError, match="stands in an earlier queue"):
        draw(view, Wish(n=6), seed=2)


def test_by_a_filter_come_the_answers_it_lets_through(store):
    view = view_of(store, YES, "no key", NO, YES)

    queue = draw(view, Wish(drawn="by filter", among=[Answer(3), Answer(1), Answer(2)]), seed=0)

    assert [(answer.position, answer.probability) for answer in queue.answers] == [
        (2, None),
        (3, None),
    ]


def test_only_yes_or_no_values_can_be_asked_for(store):
    share = Score(values={"share": 0.5, "is_short": 1.0, "nothing": None})
    view = view_of(store, share, spec="context_recall")

    assert asked_values(view, 0) == ("is_short",)
    assert metrics(view) == [0]


def trace_score(*supports: Support, also: Support | None = None) -> Score:
    sample = Sample(
        id="0", question="Q?", response="One is red. Two is blue.", retrieved_documents=("D.",)
    )
    keyed = zip("ab", supports, strict=True)
    labels = Labels(sentence_support=tuple(SentenceSupport(key=k, support=s) for k, s in keyed))
    labellings = [Labelling(by="judge", labels=labels)]
    if also:
        other = tuple(SentenceSupport(key=key, support=also) for key in "ab")
        labellings.append(Labelling(by="other", labels=Labels(sentence_support=other)))
    sentences = cut(sample.response or "", sample.retrieved_documents)
    return labelled_score(sample, sentences, labellings, labellings[0])


def test_answers_whose_labellers_differ_are_the_most_doubtful(store):
    full, none = Support.FULL, Support.NONE
    agreed = trace_score(full, full, also=full)
    disputed = trace_score(full, full, also=none)
    view = view_of(store, agreed, disputed, agreed, spec="trace")

    queue = draw(view, Wish(n=1, drawn="by doubt"), seed=0)

    assert [answer.position for answer in queue.answers] == [1]
    assert (queue.values, queue.answers[0].probability) == ((), None)


def test_a_person_beside_the_judge_in_the_order_of_the_queue(store):
    full, none = Support.FULL, Support.NONE
    view = view_of(store, trace_score(full, full), trace_score(full, none), spec="trace")
    queue = draw(view, Wish(), seed=0)
    for position in (0, 1):
        said = [("support", "a", "full"), ("support", "b", "full"), ("sample", "", "done")]
        labels = [
            PersonLabel(
                person="Anna",
                label=label,
                key=key,
                value=value,
                created=AT,
                blind=True,
                queue=queue.id,
            )
            for label, key, value in said
        ]
        store.person_labels.save("hand", Cell(position), *labels)

    rows = compared(view, queue, store.person_labels.by_cell("hand"), "Anna")

    judged = {queue.answers[row.place].position: row.judged["adherence"] for row in rows}
    assert judged == {0: 1.0, 1: 0.0}
    assert [row.person for row in rows] == [{"adherence": 1.0}] * 2
    assert [row.place for row in rows] == [0, 1]
    assert compared(view, queue, store.person_labels.by_cell("hand"), "Ben") == []


# Kept with the run


def test_a_queue_is_found_by_its_id_and_by_its_run_and_goes_with_it(store):
    view = view_of(store, YES, NO)
    queue = draw(view, Wish(), seed=7)
    store.label_queues.save(queue)

    assert store.label_queues.get(queue.id) == queue
    assert store.label_queues.of_run("hand") == [queue]
    assert store.label_queues.get("unknown") is None
    assert b'"label queue"' in b"".join(store.runs.raw("hand"))

    store.runs.delete("hand")
    assert store.label_queues.get(queue.id) is None
    with pytest.raises(ParameterError, match="deleted meanwhile"):
        store.label_queues.save(queue)


def test_a_run_keeps_so_many_queues(store):
    view = view_of(store, YES, NO)
    for _ in range(MOST_QUEUES):
        store.label_queues.save(draw(view, Wish(drawn="by filter", among=[Answer(0)]), seed=0))

    with pytest.raises(ParameterError, match=f"has {MOST_QUEUES} queues, the most it keeps"):
        store.label_queues.save(draw(view, Wish(drawn="by filter", among=[Answer(0)]), seed=0))
    assert len(store.label_queues.of_run("hand")) == MOST_QUEUES


def test_nobody_draws_from_an_example(store):
    queue = draw(view_of(store, YES), Wish(), seed=0)
    store.workspaces.move("local", EXAMPLES)

    with pytest.raises(ParameterError, match="Everybody who opens this example"):
        store.label_queues.save(queue)


def test_a_damaged_queue_is_as_good_as_none(store):
    queue = draw(view_of(store, YES), Wish(), seed=0)
    store.label_queues.save(queue)
    with store.database.transaction() as db:
        db.execute("update documents set body = '{}'")

    assert store.label_queues.get(queue.id) is None
    assert store.label_queues.of_run("hand") == []


def test_ids_cannot_be_guessed(store):
    view = view_of(store, YES)
    ids = {draw(view, Wish(), seed=0).id for _ in range(20)}

    assert len(ids) == 20
    assert all(len(one) >= 22 for one in ids)
