"""Who declines although there was evidence, and who answers without: two systems, by hand."""

import json

import pytest

from evaluators import compare, evaluate
from evaluators.comparison.compare import against_first
from evaluators.document.terminal import as_text
from evaluators.records import Dataset, Labels, Sample, SentenceSupport, Support
from evaluators.report.comparison_report import comparison_document
from evaluators.text.language import CHINESE, speaking

DOCUMENTS = ["Rome is the capital of Italy.", "The Colosseum was finished in 80."]
DECLINES = "I cannot answer this."
ROWS = [
    # question, true answer (the documents hold the first three), old answer, new answer
    ("What is the capital of Italy?", "Rome", "It is Rome.", DECLINES),
    ("When was the Colosseum finished?", "80", DECLINES, "In 80."),
    ("Whose capital is Rome?", "Italy", "Italy's.", DECLINES),
    ("How high is it?", "48 metres", "It has 48 metres.", DECLINES),
    ("Who built it?", "Vespasian", DECLINES, "Vespasian did."),
    # An empty answer is neither: of this one nothing is known of the old system.
    ("What is the capital?", "Rome", "", "Rome."),
]
DECLINED, WITHOUT = "declined although there was evidence", "answered without evidence"


def run(store, title, place, rows=ROWS, metric="answer_match", **fields):
    samples = tuple(
        Sample(
            id=f"s{number}",
            question=row[0],
            ground_truth=row[1],
            response=row[place],
            retrieved_documents=DOCUMENTS,
        ).model_copy(update=fields)
        for number, row in enumerate(rows)
    )
    return evaluate(Dataset(name=title, samples=samples), metric, store=store, progress=False)


@pytest.fixture
def both(store):
    return run(store, "Old", 2), run(store, "New", 3)


def test_rates_are_those_of_each_run_and_the_difference_is_paired(both):
    """Old of 5: 0 1 0 0 0 declined, 0 0 0 1 0 without; new of 6: 1 0 1 0 0 0 and 0 0 0 0 1 0."""
    declined, without = compare(*both).outcomes

    assert (declined.name, without.name) == (DECLINED, WITHOUT)
    assert [(rate.mean, rate.scored) for rate in declined.rates] == [(1 / 5, 5), (2 / 6, 6)]
    assert [(rate.mean, rate.scored) for rate in without.rates] == [(1 / 5, 5), (1 / 6, 6)]
    # Wilson: 1 of 5
    assert (declined.rates[0].low, declined.rates[0].high) == pytest.approx(
        (0.036, 0.624), abs=1e-3
    )
    difference = declined.difference
    assert (difference.first, difference.second) == (1 / 5, 2 / 5)
    assert (difference.wins, difference.ties, difference.losses) == (2, 2, 1)
    # McNemar with mid-p: 2 (1/8 + 3/8) - 3/8; twice that is more than 1
    assert (difference.p, difference.adjusted) == pytest.approx((0.625, 1))
    assert (without.difference.wins, without.difference.losses) == (1, 1)
    assert declined.coverage == without.coverage == "5 / 6"
    assert [(row.first, row.second) for row in declined.rows] == [
        (0, 1), (1, 0), (0, 1), (0, 0), (0, 0),
    ]  # fmt: skip


def test_outcomes_make_no_other_p_value_larger(both):
    found = compare(*both)
    (alone,) = against_first(found.sides, with_outcomes=False)

    assert found.values == alone.values
    assert found.sentence() == alone.sentence()
    assert alone.outcomes == ()


def test_of_three_systems_p_values_count_the_outcomes_of_all(store, both):
    third = run(store, "Third", 3)
    comparisons = compare(*both, third).comparisons

    assert [len(each.outcomes) for each in comparisons] == [2, 2]
    p_values = [value.difference.adjusted for each in comparisons for value in each.outcomes]
    assert p_values == [1, 1, 1, 1]


def test_report_terminal_and_json_have_the_same(both, tmp_path):
    found = compare(*both)
    printed = as_text(comparison_document(found))
    report = found.report(tmp_path / "report.html").read_text()
    summary = json.loads(json.dumps(found.summary()))

    assert "Declined although there was evidence" in report
    for text in (printed, report):
        assert "20 % (4 to 62)" in text
        assert "p counts these alone (Holm)" in text
    assert [value["value"] for value in summary["outcomes"]] == [DECLINED, WITHOUT]
    assert [rate["scored"] for rate in summary["outcomes"][0]["rates"]] == [5, 6]
    with speaking(CHINESE):
        assert "有证据却拒答" in as_text(comparison_document(compare(*both)))


def test_where_nothing_tells_what_documents_hold_there_are_none(store):
    found = compare(*(run(store, name, 2, retrieved_documents=()) for name in ("Old", "New")))

    assert found.outcomes == ()
    assert "Answered or declined" not in as_text(comparison_document(found))


def test_other_grounds_for_what_documents_hold_are_said(store):
    support = SentenceSupport(key="a", support=Support.FULL)
    labels = Labels(relevant_keys=("0a",), sentence_support=(support,))
    first = run(store, "Old", 3, metric="trace", labels=labels)
    second = run(store, "New", 3, metric="trace", labels=labels, ground_truth=None)

    found = compare(first, second, labels="gold")

    assert found.outcome_notes == (
        "Whether the documents hold the answer is told by the true answers for the first, by the "
        "labels for the second: a difference may be due to that.",
    )


def test_of_drawn_runs_only_what_both_drew_is_compared(store, monkeypatch):
    """A public host reads 1,000 answers of each run: of 1,200 some 833 are drawn of both."""
    monkeypatch.setenv("PLUMBLINE_PUBLIC", "1")
    rows = [(f"Question {number}?", "Rome", "It is Rome.", DECLINES) for number in range(1200)]
    found = compare(run(store, "Old", 2, rows), run(store, "New", 3, rows))

    declined = found.outcomes[0]
    assert [rate.scored for rate in declined.rates] == [1000, 1000]
    assert 800 <= len(declined.rows) <= 870
    assert found.outcome_notes[0].startswith("Of many answers some thousand are drawn at random")
