"""A store of version 9, whose scores kept evidence among their details, is read as it was then."""

import json
import sqlite3
from pathlib import Path

import pytest

from evaluators.records import LabelEvidence, RuleEvidence
from evaluators.runs import aggregate, export
from evaluators.runs.run_view import RunView
from evaluators.runs.store import Store

STORES = Path(__file__).parent / "stores"
THEN = json.loads((STORES / "format_9.json").read_text(encoding="utf-8"))
"""What version 9 said of its own store: rows, tables, label lines, labellers, verdicts."""

LABELLED = ("one-judge", "jury", "hybrid", "heuristic")


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "plumbline.sqlite3"
    with sqlite3.connect(path) as db:
        db.executescript((STORES / "format_9.sql").read_text(encoding="utf-8"))
    db.close()
    store = Store(path)
    yield store
    store.close()


def evidence(store, run_id):
    return [score.evidence for _, _, score in store.results.scored(store.runs.get(run_id))]


@pytest.mark.parametrize("run_id", THEN)
def test_values_states_and_corrections_are_as_they_were(store, run_id):
    rows = store.results.outlines(store.runs.get(run_id))
    then = [
        [position, metric, status, corrected, values]
        for position, metric, status, _, corrected, values in THEN[run_id]["rows"]
    ]
    assert [[r.position, r.metric, r.status, r.corrected, r.values] for r in rows] == then


@pytest.mark.parametrize("run_id", ["one-judge", "jury", "hybrid", "rgb"])
def test_the_table_to_take_away_is_the_same_to_the_letter(store, run_id):
    rows = store.results.outlines(store.runs.get(run_id))
    assert export.results_csv(rows).decode("utf-8-sig") == THEN[run_id]["table"]


def test_the_table_now_names_the_heuristic_as_the_labeller(store):
    rows = store.results.outlines(store.runs.get("heuristic"))
    then = THEN["heuristic"]["table"].replace(",scored,,", ",scored,heuristic,")
    then = then.replace(",open,,", ",open,heuristic,")  # its second metric has no result there
    assert export.results_csv(rows).decode("utf-8-sig") == then


@pytest.mark.parametrize("run_id", LABELLED)
def test_the_labels_to_take_away_are_the_same(store, run_id):
    run = store.runs.get(run_id)
    lines = export.label_lines(store.results.scored(run), store.person_labels.by_cell(run_id))
    now = [json.loads(line) for line in lines]
    for line in now:
        assert {own["person"] for own in line["corrections"]} <= {"you"}
        # Who gave a label was not kept then.
        line["corrections"] = [
            {name: own[name] for name in ("label", "key", "value", "created")}
            for own in line["corrections"]
        ]
        # Nor that relevance may be unknown.
        assert not any(own.pop("relevance_unknown") for own in line["labels"].values())
    assert now == THEN[run_id]["labels"]
    assert list(RunView.read(store, run).labelled().labellers) == THEN[run_id]["labellers"]


def test_labels_are_stored_once_and_the_ones_that_count_are_first(store):
    by = {
        run_id: [[own.by for own in each.labellings] for each in evidence(store, run_id)]
        for run_id in LABELLED
    }
    luna, sol = "openai/gpt-6-luna", "openai/gpt-6-sol"
    assert by == {
        "one-judge": [[luna], [luna]],
        "jury": [["jury", luna, sol], ["jury", luna, sol]],
        "hybrid": [[luna, "heuristic"], ["heuristic"]],
        "heuristic": [["heuristic"], ["heuristic"]],
    }
    bodies = store.database.rows("select body from results where run_id = 'one-judge'")
    assert [body.count('"relevant_keys"') for (body,) in bodies] == [1, 1]


def test_a_judge_s_own_words_and_sentences_come_along(store):
    plain, cut = evidence(store, "one-judge")
    assert plain.counted.judgement.relevance_explanation == "Named there."
    assert [sentence.key for sentence in plain.sentences.response] == ["a", "b"]
    assert cut.sentences is None  # they stand in the sample


def test_verdicts_their_judge_and_what_options_changed_come_along(store):
    run = store.runs.get("rgb")
    rules = evidence(store, "rgb")
    assert all(isinstance(each, RuleEvidence) for each in rules)
    assert [
        {name: [v.passed, v.rule, list(v.evidence)] for name, v in each.verdicts.items()}
        for each in rules
    ] == THEN["rgb"]["verdicts"]
    assert [
        {name: rate.model_dump() for name, rate in each.judged.items()} or None for each in rules
    ] == THEN["rgb"]["judge"]
    assert aggregate.flips(store.results.outlines(run)) == THEN["rgb"]["flips"]


def test_a_metric_of_ones_own_keeps_details_of_the_same_names(store):
    score = store.results.get("heuristic", 0, 0, 1).score
    assert score.evidence is None
    assert score.details == {
        "labels": {"relevant_keys": ["0a"]},
        "labellings": 3,
        "by": ["x"],
        "sentences": "two",
        "flips": "none",
        "verdicts": ["yes"],
        "judge": "me",
    }


def test_damaged_results_stay_as_they_are_and_keep_no_others_back(store):
    assert store.results.get("damaged", 0).status == "failed"
    assert store.results.get("damaged", 1).score.details == {"labels": [1], "by": 2}
    rows = store.results.outlines(store.runs.get("damaged"))
    assert [(row.status, row.by) for row in rows] == [("scored", ""), ("scored", "")]


def test_evidence_is_of_the_two_kinds_only(store):
    kinds = {type(each) for run_id in THEN for each in evidence(store, run_id)}
    assert kinds == {LabelEvidence, RuleEvidence}


# What a judge said


def migrated(tmp_path, details):
    """The result that a store of version 9 kept with these details, as it is read today."""
    path = tmp_path / "plumbline.sqlite3"
    score = {"values": {"llm_judge": 1.0}, "details": details}
    body = json.dumps({"position": 0, "status": "scored", "score": score})
    with sqlite3.connect(path) as db:
        db.executescript((STORES / "format_9.sql").read_text(encoding="utf-8"))
        where = "where run_id = 'heuristic' and position = 0 and metric = 1"
        db.execute(f"update results set body = ? {where}", (body,))
    db.close()
    store = Store(path)
    try:
        return store.results.get("heuristic", 0, 0, 1).score
    finally:
        store.close()


@pytest.mark.parametrize(
    ("details", "evidence", "left"),
    [
        (
            {"reason": "It names Paris.", "outputs": ['{"verdict": "yes"}'], "mode": "strict"},
            {
                "reason": "It names Paris.",
                "outputs": ('{"verdict": "yes"}',),
                "mode": "strict",
            },
            {},
        ),
        (
            {"rating": 4, "reason": "r", "outputs": ["bad", "good"], "mode": ""},
            {"reason": "r", "outputs": ("bad", "good"), "mode": ""},
            {"rating": 4},
        ),
        (
            {"statements": [{"attributed": True}], "outputs": ["{}"], "mode": "none"},
            {"reason": "", "outputs": ("{}",), "mode": "none"},
            {"statements": [{"attributed": True}]},
        ),
        # Metrics of one's own, with other things in mind.
        ({"reason": "So."}, None, {"reason": "So."}),
        ({"outputs": [1], "mode": "a"}, None, {"outputs": [1], "mode": "a"}),
        ({"outputs": [], "mode": "a"}, None, {"outputs": [], "mode": "a"}),
        ({"outputs": ["x"], "mode": 3}, None, {"outputs": ["x"], "mode": 3}),
        (
            {"outputs": ["x"], "reason": ["a"]},
            {"reason": "", "outputs": ("x",), "mode": ""},
            {"reason": ["a"]},
        ),
    ],
)
def test_what_a_judge_said_becomes_evidence(tmp_path, details, evidence, left):
    score = migrated(tmp_path, details)
    assert (score.evidence and score.evidence.model_dump()) == evidence
    assert score.details == left
