"""Files to take away: everything is in them, and nothing in them is run by a spreadsheet."""

import csv
import io
import json

import pytest

from evaluators.people.records import PersonLabel
from evaluators.records import (
    Cell,
    EvaluatorSpec,
    Labelling,
    Labels,
    Run,
    Sample,
    Sentence,
    Sentences,
    SentenceSupport,
    Support,
)
from evaluators.runs import export
from evaluators.runs.store import Outline
from evaluators.trace.labelling import labelled_score


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Who?", "Who?"),
        ("=1+1", "'=1+1"),
        (" \u00a0+A1", "' \u00a0+A1"),
        ("\ufeff@SUM(A1)", "'\ufeff@SUM(A1)"),
        ("-3 degrees?", "'-3 degrees?"),
        ("Is it so?\n=cmd()", "'Is it so?\n'=cmd()"),
        ("5 - 3 = 2?", "5 - 3 = 2?"),
    ],
)
def test_a_text_that_looks_like_a_formula_is_quoted(text, cell):
    assert export.safe(text) == cell


def test_every_row_of_the_table_names_the_definition_it_is_counted_by():
    rows = [Outline(position=n, sample_id=f"s{n}", question="Why?") for n in range(2)]

    for definition in ("", "fixed_20"):
        text = export.results_csv(rows, definition=definition).decode("utf-8-sig")
        read = list(csv.DictReader(io.StringIO(text)))
        assert [row.get("definition", "") for row in read] == [definition] * 2


def test_the_table_holds_every_row_with_its_labeller_and_corrections():
    rows = [
        Outline(
            position=0,
            sample_id="s0",
            question="=A1",
            status="scored",
            values={"adherence": 1.0, "completeness": None},
            by="jury",
            corrected=2,
        ),
        Outline(position=1, sample_id="s1", question="Ümlaut?", status="failed"),
        Outline(position=2, sample_id="s2", question="Why?"),
    ]

    read = list(csv.DictReader(io.StringIO(export.results_csv(rows).decode("utf-8-sig"))))

    assert [
        (row["sample"], row["status"], row["labels_by"], row["corrections"]) for row in read
    ] == [
        ("1", "scored", "jury", "2"),
        ("2", "failed", "", "0"),
        ("3", "open", "", "0"),
    ]
    assert [(row["adherence"], row["completeness"]) for row in read] == [
        ("1.0", ""),
        ("", ""),
        ("", ""),
    ]
    assert [row["question"] for row in read] == ["'=A1", "Ümlaut?", "Why?"]
    assert "model" not in read[0]


def test_several_metrics_stand_in_one_row():
    facts = {"position": 0, "sample_id": "s", "question": "q"}
    rows = [
        Outline(**facts, status="scored", values={"adherence": 1.0}),
        Outline(**facts, metric=1, status="failed"),
        Outline(**facts | {"position": 1}, status="scored", values={"adherence": 0.0}),
        Outline(**facts | {"position": 1}, metric=1, status="scored", values={"f1": 0.5}),
    ]

    read = list(csv.DictReader(io.StringIO(export.results_csv(rows).decode("utf-8-sig"))))

    assert [(row["status"], row["adherence"], row["f1"]) for row in read] == [
        ("failed", "1.0", ""),
        ("scored", "0.0", "0.5"),
    ]


def test_several_models_have_a_column():
    rows = [Outline(position=0, model=number, sample_id="s", question="q") for number in (0, 1)]
    read = list(
        csv.DictReader(io.StringIO(export.results_csv(rows, ["A", "B"]).decode("utf-8-sig")))
    )
    assert [row["model"] for row in read] == ["A", "B"]


def test_generated_responses_have_a_column_in_which_nothing_is_a_formula():
    rows = [Outline(position=number, sample_id="s", question="q") for number in (0, 1)]
    assert "response" not in export.results_csv(rows).decode()
    read = list(
        csv.DictReader(
            io.StringIO(export.results_csv(rows, ["A"], {(1, 0): "=1+1"}).decode("utf-8-sig"))
        )
    )
    assert [row["response"] for row in read] == ["", "'=1+1"]


def test_labels_come_with_corrections_and_what_became_of_them():
    sentences = Sentences(
        documents=((Sentence(key="0a", text="It was May."),),),
        response=(Sentence(key="a", text="May."),),
    )
    said = Labels(
        relevant_keys=("0a",), sentence_support=(SentenceSupport(key="a", support=Support.NONE),)
    )
    sample = Sample(
        id="s",
        question="When?",
        response="May.",
        sentences=sentences,
        labels=Labels(utilized_keys=("0a",)),
    )
    judged = Labelling(by="openai/x", labels=said)
    score = labelled_score(sample, sentences, [judged], judged)
    change = PersonLabel(
        label="support", key="a", value="full", created="2026-11-21T09:00:00+00:00"
    )

    (line,) = export.label_lines([(Cell(0), sample, score)], {Cell(0): [change]})

    read = json.loads(line)
    assert (read["sample"], read["id"], read["labels_by"]) == (1, "s", "openai/x")
    assert list(read["labels"]) == ["openai/x", "gold", "corrected"]
    assert read["labels"]["openai/x"]["sentence_support"][0]["support"] == "none"
    assert read["labels"]["corrected"]["sentence_support"][0]["support"] == "full"
    assert read["corrections"] == [change.model_dump(mode="json")]
    (plain,) = export.label_lines([(Cell(0), sample, score)], {})
    assert "corrected" not in json.loads(plain)["labels"]
    assert "model" not in json.loads(plain)
    (of_the_second,) = export.label_lines([(Cell(0, 1), sample, score)], {}, ["A", "B"])
    assert json.loads(of_the_second)["model"] == "B"


def test_people_s_labels_come_with_who_when_and_how_and_a_name_is_no_formula():
    run = Run(
        id="r",
        workspace="w",
        created="2026-11-21T09:00:00+00:00",
        title="t",
        dataset_name="d",
        fingerprint="f",
        evaluators=(EvaluatorSpec(name="trace"), EvaluatorSpec(name="llm_judge")),
    )
    when = "2026-11-22T10:00:00+00:00"
    label = PersonLabel(person="=1+1", label="support", key="a", value="none", created=when)
    drawn = PersonLabel(
        label="verdict",
        key="llm_judge",
        value="no",
        created=when,
        blind=True,
        drawn="by verdict",
        probability=0.25,
        queue="q",
    )
    data = export.people_csv(run, {Cell(2, 0, 1): [drawn], Cell(0, 1): [label]}, ["A", "B"])

    first, second = csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
    assert first == {
        "sample": "1",
        "model": "B",
        "metric": "trace",
        "person": "'=1+1",
        "label": "support",
        "key": "a",
        "value": "none",
        "created": when,
        "blind": "False",
        "drawn": "by hand",
        "probability": "",
        "queue": "",
    }
    assert (second["sample"], second["metric"], second["probability"]) == ("3", "llm_judge", "0.25")
    assert (second["blind"], second["drawn"], second["queue"]) == ("True", "by verdict", "q")
