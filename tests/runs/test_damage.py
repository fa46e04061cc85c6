"""What of a run cannot be read is counted against what was stored, in both databases."""

from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset, Sample, SampleResult, Score
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Answer, Damage, Store
from tests.runs.test_store import READER, run

# PostgreSQL keeps no character 0, and whatever is kept in its place was stored so.
TEXTS = ("plain", "\x00 信息 \\x00", "\x1f")
DATASET = Dataset(
    name="three",
    samples=tuple(Sample(id=text, question=text, response=text) for text in TEXTS),
)
SCORED = Score(values={"accuracy": 0.5}, reason="\x00")


def kept(store, positions=range(3)):
    made = run(dataset=DATASET, models=(READER, READER))
    store.runs.save(made, DATASET)
    for position in positions:
        for model in range(2):
            # The second result takes the place of the first: it is one row that is stored.
            for result in ("failed", "scored"):
                score = SCORED if result == "scored" else None
                store.results.save(
                    made.id,
                    SampleResult(position=position, model=model, status=result, score=score),
                )
        label = PersonLabel(label="relevant", key="0a", value="no", created="2026-01-01T10:00:00")
        store.person_labels.save(made.id, Cell(position), label)
    store.person_labels.undo(made.id, Cell(0), "you")
    return made


def sql(store, *statements):
    with store.database.transaction() as db:
        for statement in statements:
            db.execute(statement)


def test_what_is_as_it_was_stored_is_no_damage(store):
    made = kept(store)

    view = RunView.read(store, made)
    assert (view.damage(), view.damage_in_sight(most=0)) == (Damage(), Damage())
    assert view.damage().sentence() == ""


def test_results_that_are_still_to_come_are_no_damage(store):
    made = kept(store, positions=[0, 2])

    assert RunView.read(store, made).damage() == Damage()


def test_rows_that_are_gone_or_are_others_are_counted_and_named(store):
    made = kept(store)
    sql(
        store,
        "update samples set body = replace(body, 'plain', 'plane') where position = 0",
        "delete from results where position = 1 and model = 1",
        "update results set status = 'failed' where position = 2 and model = 0",
        "update person_labels set label = 'none' where position = 1",
        "delete from person_labels where position = 0",
    )

    view = RunView.read(store, made)
    assert view.damage() == Damage(
        samples=1,
        results=2,
        labels=2,
        reasons={
            Answer(0, 0): "The sample cannot be read.",
            Answer(0, 1): "The sample cannot be read.",
            Answer(1, 1): "A result cannot be read.",
            Answer(2, 0): "A result cannot be read.",
        },
    )
    assert (
        view.damage()
        .sentence()
        .startswith(
            "The store is damaged: 1 sample, 2 results and 2 labels of this run cannot be read"
        )
    )
    # By counts alone nothing is known of rows that are others.
    assert view.damage_in_sight(most=0) == Damage(results=1, labels=2)


def test_samples_that_are_gone_are_still_asked_for(store):
    made = kept(store)
    sql(store, "delete from samples where position in (0, 2)")

    view = RunView.read(store, made)
    assert (view.counts.asked, view.counts.scored) == (6, 6)
    assert [row[:5:3] for row in view.rows] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert [row.status for row in view.rows] == ["failed"] * 2 + ["scored"] * 2 + ["failed"] * 2
    assert view.damage_in_sight(most=0).samples == view.damage().samples == 2


def test_a_result_that_is_made_anew_is_none_any_more(store):
    made = kept(store)
    sql(store, "delete from results where position = 1 and model = 1")
    store.results.save(made.id, SampleResult(position=1, model=1, status="scored", score=SCORED))

    assert RunView.read(store, made).damage() == Damage()


def test_a_new_run_over_the_same_data_mends_the_samples(store):
    made = kept(store)
    sql(
        store,
        "update samples set body = 'none' where position = 0",
        "delete from samples where position = 2",
    )
    assert RunView.read(store, made).damage().samples == 2

    again = run("r2", dataset=DATASET)
    store.runs.save(again, DATASET)

    assert RunView.read(store, again).damage() == RunView.read(store, made).damage() == Damage()
    assert [store.samples.get(made.fingerprint, place).question for place in (0, 2)] == [
        TEXTS[0],
        TEXTS[2],
    ]


def test_a_row_that_lost_its_place_is_none_of_a_new_run(path):
    # SQLite alone takes a word for a number.
    store = Store(path)
    made = kept(store)
    sql(store, "update samples set position = 'x' where position = 1")
    assert RunView.read(store, made).damage().samples == 1

    again = run("r2", dataset=DATASET)
    store.runs.save(again, DATASET)

    assert RunView.read(store, again).damage() == Damage()
    assert RunView.read(store, again).counts.asked == len(TEXTS)
    store.close()


def test_a_result_that_lost_its_place_leaves_nothing_to_do_once_it_is_made_anew(path):
    store = Store(path)
    made = kept(store)
    sql(store, "update results set position = 'x' where position = 1 and model = 0")
    assert store.results.open_cells(made) == [Cell(1)]

    store.results.save(made.id, SampleResult(position=1, status="scored", score=SCORED))

    assert store.results.counts(made).open == 0
    store.close()
