"""What is wrong with the answers of a run, the same at every door: counted by hand."""

from __future__ import annotations

import json

import pytest

from evaluators import evaluate
from evaluators.document.flaws import caution
from evaluators.document.flaws import flaws as flaw_blocks
from evaluators.document.terminal import as_text
from evaluators.flaws.kinds import KINDS
from evaluators.runs.run_view import WHAT_COUNTS
from evaluators.terminal.tables import run_summary
from evaluators.text.language import CHINESE, speaking

DOCUMENTS = [
    "The Eiffel Tower stands in Paris. It was finished in 1889.",
    "Rome is the capital of Italy. The Colosseum stands there.",
    "Berlin has 3.6 million people.",
]
ANSWERS = [
    # question, answer, true answer
    (
        "When was it finished?",
        "The tower was finished in 1889 [1]. It stands in Paris [2].",
        "1889",
    ),
    ("How high is it?", "It is 330 metres high [4].", "330 metres"),
    ("What is the capital of Italy?", "The documents do not mention the capital.", "Rome"),
    ("What is the capital of Spain?", "I cannot answer this.", "Madrid"),
    ("Where is the Colosseum?", "The Colosseum does not stand in Rome [2].", "Rome"),
    ("How many people has Berlin?", "", "3.6 million"),
]
LABELS = [
    # Of each sentence the key that carries it
    ["0b", "0a"],
    [None],
    [None],
    [None],
    ["1b"],
    [],
]


def row(question, answer, truth, carried):
    supports = [
        {
            "key": "abc"[place],
            "support": "full" if key else "none",
            "supporting_keys": [key] if key else [],
        }
        for place, key in enumerate(carried)
    ]
    return {
        "question": question,
        "response": answer,
        "ground_truth": truth,
        "retrieved_documents": DOCUMENTS,
        "labels": {"relevant_keys": ["0a"], "sentence_support": supports},
    }


ROWS = [row(*texts, carried) for texts, carried in zip(ANSWERS, LABELS, strict=True)]


@pytest.fixture
def by_labels(store):
    """The run as the labels of its data have it."""
    return evaluate(ROWS, "trace", store=store, progress=False).under(labels="gold")


def test_every_kind_is_counted_with_its_answers(by_labels):
    flaws = by_labels.flaws()

    counted = {
        one.name: (len(one.answers), one.rate.scored, [answer.position for answer in one.answers])
        for one in flaws.kinds
    }
    assert counted == {
        # Of six answers one is empty, and of the others it is known what the documents hold.
        "declined_wrongly": (1, 5, [2]),
        "answered_without_evidence": (1, 5, [1]),
        "empty": (1, 6, [5]),
        # Of the three that answer
        "unsupported": (1, 3, [1]),
        "cites_missing_document": (1, 3, [1]),
        "cites_other_document": (1, 3, [0]),
        "negation": (1, 3, [4]),
    }
    assert [(one.name, len(one.answers)) for one in flaws.outcomes] == [
        ("answered with evidence", 2),
        ("answered without evidence", 1),
        ("declined rightly", 1),
        ("declined although there was evidence", 1),
    ]
    assert flaws.bases == {"the true answers": 5}
    assert flaws.declined.mean == 2 / 5


def test_rates_have_intervals_and_citations_their_precision(by_labels):
    flaws = by_labels.flaws()

    # Wilson: 1 of 5 is 3.6 to 62.4 %
    (declined,) = [one for one in flaws.kinds if one.name == "declined_wrongly"]
    assert (declined.rate.low, declined.rate.high) == pytest.approx((0.036, 0.624), abs=0.001)
    assert flaws.citations == {
        "correct": 2,
        "another document carries it": 1,
        "there is no such document": 1,
    }
    # One of two, none of one, one of one; of two claims one, of one one, of the wrong number none
    assert (flaws.precision.mean, flaws.precision.scored) == (0.5, 3)
    assert (flaws.recall.mean, flaws.recall.scored) == (0.75, 2)


def test_what_follows_from_the_labels_of_the_heuristic_is_a_suspicion_without_an_interval(store):
    flaws = evaluate(ROWS, "trace", store=store, progress=False).flaws()

    by_labels = [one for one in flaws.kinds if one.kind.is_of_labels]
    assert by_labels
    assert all(one.is_suspicion and one.rate.low is None for one in by_labels)
    # The true answers are nobody's estimate.
    assert all(one.rate.low is not None for one in flaws.outcomes)


def test_the_heuristic_does_not_tell_whether_documents_hold_the_answer(store):
    rows = [{**row, "ground_truth": None, "labels": None} for row in ROWS]
    flaws = evaluate(rows, "trace", store=store, progress=False).flaws()

    assert (flaws.outcomes, flaws.bases) == ((), {})
    assert flaws.declined.mean == 2 / 5


def test_the_same_is_said_in_terminal_file_report_and_python(by_labels, tmp_path):
    shown = repr(by_labels)
    summary = json.loads(json.dumps(run_summary(by_labels)))
    report = by_labels.report(tmp_path / "report.html").read_text()
    lines = {line["question"]: line for line in by_labels.lines()}

    assert "Declined although there was evidence" in shown
    assert "4 citations: 2 correct" in shown
    (flaws,) = summary["flaws"]
    assert flaws == {"model": None, **by_labels.flaws().model_dump(mode="json")}
    assert "Cites a document that is not there" in report
    assert "[2]: another document carries it" in report
    assert lines["How high is it?"]["flaws"] == [
        "answered_without_evidence",
        "unsupported",
        "cites_missing_document",
    ]
    assert lines["How high is it?"]["citations"] == [
        {"key": "a", "words": "[4]", "document": None, "carries": "there is no such document"}
    ]


def test_lines_with_flaws_are_read_again_as_the_same_data(by_labels, store, tmp_path):
    path = by_labels.export(tmp_path / "run.jsonl")
    again = evaluate(path, "trace", store=store, progress=False).under(labels="gold")

    assert again.flaws() == by_labels.flaws()


def test_an_answer_to_rgb_is_declined_by_the_rules_of_the_run(store):
    results = evaluate(
        "RGB sample (English)", "rgb", model="offline/offline-reader", store=store, progress=False
    )
    flaws = results.flaws()

    assert flaws.bases.keys() == {"the test bed"}
    rejection = results.summary()["negative_rejection"]
    rejected = {one.name: one for one in flaws.outcomes}
    held = rejected["declined rightly"], rejected["answered without evidence"]
    assert sum(len(one.answers) for one in held) == rejection.scored
    assert len(held[0].answers) == round(rejection.mean * rejection.scored)


def test_of_many_answers_some_are_drawn_and_that_is_said(by_labels):
    flaws = by_labels.flaws()
    assert (flaws.read, flaws.drawn_from) == (6, 6)
    assert "drawn" not in caution(flaws)

    drawn = flaws.model_copy(update={"drawn_from": 9000})
    assert caution(drawn).startswith("Counted over 6 answers drawn at random from 9,000 answers.")


def test_every_kind_and_outcome_is_said_in_chinese(by_labels):
    with speaking(CHINESE):
        shown = repr(by_labels)
    assert "有证据却拒答" in shown
    assert not any(kind.title in shown for kind in KINDS.values())


def with_support(row, *supports):
    own = [
        {"key": "abc"[place], "support": one, "supporting_keys": ["0a"] if one == "full" else []}
        for place, one in enumerate(supports)
    ]
    return {**row, "labels": {"relevant_keys": ["0a"], "sentence_support": own}}


def test_every_answer_that_counts_as_unsupported_is_under_a_card_that_says_of_how_many(store):
    """Of five answers one declines; one is unsupported, one partly at worst, one both, one not."""
    tower = {"question": "When?", "response": "It was finished in 1889. It stands in Paris."}
    rows = [
        with_support({**tower, "question": str(number), "retrieved_documents": DOCUMENTS}, *own)
        for number, own in enumerate(
            (("none", "full"), ("partial", "full"), ("partial", "none"), ("full", "full"))
        )
    ]
    declines = {"question": "Why?", "response": "I do not know.", "retrieved_documents": DOCUMENTS}
    results = evaluate(
        [*rows, with_support(declines, "none")], "trace", store=store, progress=False
    ).under(labels="gold")

    (unsupported,) = [one for one in results.flaws().kinds if one.name == "unsupported"]
    assert [answer.position for answer in unsupported.answers] == [0, 1, 2]
    assert (unsupported.rate.scored, unsupported.partly) == (4, 1)
    # Of the headline's five, by both formulas: partly supported passes by that of RAGBench.
    assert list(results.to_pandas()["adherence"]) == [0, 0, 0, 1, 0]
    by_ragbench = results.under(definition="ragbench", labels="gold")
    assert list(by_ragbench.to_pandas()["adherence"]) == [0, 1, 0, 1, 0]
    shown = " ".join(as_text(flaw_blocks(results.read(), WHAT_COUNTS._replace(by="gold"))).split())
    assert "Says what no document says 3 of 4" in shown
    assert "Says what no document says: partly supported at worst 1" in shown
    assert "Answers that decline: 1. Kinds read from labels are counted without them." in shown


def test_what_the_answer_gives_and_the_labels_support_the_documents_hold(store):
    """The words of the fact stand in two documents, and no one holds 70 % of them."""
    row = {
        "question": "When was it finished, and what is the capital of Italy?",
        "response": "The tower was finished in 1889. The capital of Italy is Rome.",
        "ground_truth": "The tower was finished in 1889 and the capital of Italy is Rome",
        "retrieved_documents": DOCUMENTS,
    }
    rows = [with_support(row, "full", "full"), with_support(row, "full", "none")]
    results = evaluate(rows, "trace", store=store, progress=False).under(labels="gold")

    counted = {one.name: len(one.answers) for one in results.flaws().outcomes}
    assert counted["answered with evidence"] == 1
    assert counted["answered without evidence"] == 1
