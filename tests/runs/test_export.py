"""Files to take away: everything is in them, and nothing in them is run by a spreadsheet."""

import csv
import io
import json

from evaluators.exports import formats
from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    EvaluatorSpec,
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
    Support,
)
from evaluators.runs.aggregate import View
from evaluators.runs.run_view import RunView
from evaluators.trace.labelling import labelled_score

WHEN = "2026-11-22T10:00:00+00:00"
SENTENCES = Sentences(
    documents=((Sentence(key="0a", text="It was May."),),),
    response=(Sentence(key="a", text="May."),),
)
SAMPLE = Sample(
    id="s",
    question="When?",
    response="May.",
    sentences=SENTENCES,
    labels=Labels(utilized_keys=("0a",)),
)
NOT_SUPPORTED = Labels(
    relevant_keys=("0a",), sentence_support=(SentenceSupport(key="a", support=Support.NONE),)
)
IS_SUPPORTED = PersonLabel(label="support", key="a", value="full", created=WHEN)


def labelled(position=0, model=0):
    judged = Labelling(by="openai/x", labels=NOT_SUPPORTED)
    score = labelled_score(SAMPLE, SENTENCES, [judged], judged)
    return SampleResult(position=position, model=model, status="scored", score=score)


def put(store, results, count=1, metrics=("trace",), models=(), **facts):
    """A run over samples that differ in their questions."""
    run = Run(
        id="r",
        workspace="w",
        created="2026-11-21T09:00:00+00:00",
        title="t",
        dataset_name="d",
        fingerprint="f",
        evaluators=tuple(EvaluatorSpec(name=name) for name in metrics),
        models=tuple(ModelSpec(provider="p", model=name) for name in models),
    )
    samples = [SAMPLE.model_copy(update={"id": f"s{n}", **facts}) for n in range(count)]
    store.runs.put(run, samples, results)
    return run


def rows(store, run, view=View(), kind="csv"):  # noqa: B008
    text = formats()[kind].whole(RunView.read(store, run), view).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def lines(store, run):
    return [*map(json.loads, formats()["labels"].parts(RunView.read(store, run)))]


def test_the_table_holds_every_row_with_its_labeller_and_corrections(store):
    failed = SampleResult(position=1, status="failed", error="No.")
    run = put(store, [labelled(), failed], 3, question="=A1")
    store.person_labels.save(run.id, Cell(0), IS_SUPPORTED)

    own, by_people = rows(store, run), rows(store, run, View("fixed_20", "corrected"))

    columns = ("sample", "id", "status", "labels_by", "corrections", "adherence", "question")
    assert [tuple(row[column] for column in columns) for row in own] == [
        ("1", "s0", "scored", "openai/x", "1", "0.0", "'=A1"),
        ("2", "s1", "failed", "", "0", "", "'=A1"),
        ("3", "s2", "open", "", "0", "", "'=A1"),
    ]
    assert [(row["labels_by"], row["adherence"]) for row in by_people] == [
        ("corrected", "1.0"),
        ("corrected", ""),
        ("corrected", ""),
    ]
    assert {row["definition"] for row in own} == {"sentence"}
    assert {row["definition"] for row in by_people} == {"fixed_20"}
    assert own[0].keys().isdisjoint(("model", "repeat", "group", "error"))


def test_several_metrics_stand_in_one_row(store):
    def scored(position, metric, **values):
        score = Score(values=values)
        return SampleResult(position=position, metric=metric, status="scored", score=score)

    results = [
        scored(0, 0, exact=1.0),
        SampleResult(position=0, metric=1, status="failed", error="No."),
        scored(1, 0, exact=0.0),
        scored(1, 1, f1=0.5),
    ]
    read = rows(store, put(store, results, 2, ("answer_match", "llm_judge")))

    assert [(row["status"], row["exact"], row["f1"]) for row in read] == [
        ("failed", "1.0", ""),
        ("scored", "0.0", "0.5"),
    ]
    assert "definition" not in read[0]


def test_several_models_and_what_they_answered_have_columns(store):
    answered = labelled(1).model_copy(update={"response": "=1+1"})

    read = rows(store, put(store, [answered], 2, models=("A", "B"), response=None))

    assert [(row["sample"], row["model"], row["response"]) for row in read] == [
        ("1", "A", ""),
        ("1", "B", ""),
        ("2", "A", "'=1+1"),
        ("2", "B", ""),
    ]


def test_labels_come_with_corrections_and_what_became_of_them(store):
    run = put(store, [labelled(), labelled(1)], 2)
    store.person_labels.save(run.id, Cell(0), IS_SUPPORTED)

    read, plain = lines(store, run)

    assert (read["sample"], read["id"], read["labels_by"]) == (1, "s0", "openai/x")
    assert list(read["labels"]) == ["openai/x", "gold", "corrected"]
    assert read["labels"]["openai/x"]["sentence_support"][0]["support"] == "none"
    assert read["labels"]["corrected"]["sentence_support"][0]["support"] == "full"
    assert read["corrections"] == [IS_SUPPORTED.model_dump(mode="json")]
    assert "corrected" not in plain["labels"]
    assert "model" not in plain
    run = put(store, [labelled(0, 1)], models=("A", "B"))
    assert [line["model"] for line in lines(store, run)] == ["B"]


def test_people_s_labels_come_with_who_when_and_how_and_a_name_is_no_formula(store):
    label = PersonLabel(person="=1+1", label="support", key="a", value="none", created=WHEN)
    drawn = PersonLabel(
        label="verdict",
        key="llm_judge",
        value="no",
        created=WHEN,
        blind=True,
        drawn="by verdict",
        probability=0.25,
        queue="q",
    )
    run = put(store, [], 3, ("trace", "llm_judge"), ("A", "B"))
    store.person_labels.save(run.id, Cell(2, 0, 1), drawn)
    store.person_labels.save(run.id, Cell(0, 1), label)

    first, second = rows(store, run, kind="people")

    assert first == {
        "sample": "1",
        "model": "B",
        "metric": "trace",
        "person": "'=1+1",
        "label": "support",
        "key": "a",
        "value": "none",
        "created": WHEN,
        "blind": "False",
        "drawn": "by hand",
        "probability": "",
        "queue": "",
    }
    assert (second["sample"], second["metric"], second["probability"]) == ("3", "llm_judge", "0.25")
    assert (second["blind"], second["drawn"], second["queue"]) == ("True", "by verdict", "q")
