"""What a comparison may say: nothing by the heuristic, nothing of what cannot differ."""

import json
import re

import pytest

from evaluators import compare, evaluate
from evaluators.api.papers import bundle_of
from evaluators.api.results import Results
from evaluators.comparison import words
from evaluators.comparison.paired import Pair, paired
from evaluators.document.terminal import as_text
from evaluators.records import Cell, Dataset, Sample
from evaluators.report.comparison_report import comparison_document
from evaluators.runs.store import Store
from tests.comparison.made import results

COUNT = 30
SENTENCE = (
    "By the heuristic, which reads wording: not to be used to choose a system. Have an LLM judge "
    "20 pairs: they tell how many it takes."
)


@pytest.fixture
def store():
    return Store(":memory:")


def data(name, answer, *, documents="Mill {} was built in 1812. It stands."):
    return Dataset(
        name=name,
        samples=tuple(
            Sample(
                id=f"s{number}",
                question=f"When was mill {number} built?",
                response=answer.format(number),
                retrieved_documents=(documents.format(number),),
                ground_truth="In 1812.",
            )
            for number in range(COUNT)
        ),
    )


@pytest.fixture
def by_heuristic(store):
    """True answers against false ones, which the heuristic tells apart on every pair."""
    true = evaluate(data("True", "Mill {} was built in 1812."), ["trace"], store=store)
    false = evaluate(data("False", "Bananas are blue and sing."), ["trace"], store=store)
    return compare(true, false)


def test_by_the_heuristic_no_system_is_better(by_heuristic):
    difference = by_heuristic["adherence"].difference

    assert (difference.first, difference.second) == (1.0, 0.0)
    assert by_heuristic.sentence() == SENTENCE
    assert by_heuristic.against_reference() == SENTENCE
    for value in by_heuristic.values:
        own = value.difference
        assert (own.low, own.high, own.p, own.adjusted) == (None,) * 4
        assert not own.is_told_apart
        assert value.because == "heuristic"


def test_no_door_says_more_of_the_heuristics_labels(by_heuristic, tmp_path):
    report = by_heuristic.report(tmp_path / "report.html").read_text()
    paper = bundle_of(by_heuristic)
    printed = as_text(comparison_document(by_heuristic))
    table = by_heuristic.to_pandas()

    assert set(table["p"]) == set(table["adjusted"]) == {None}
    assert set(table["low"]) == set(table["high"]) == {None}
    assert set(table["not_of_systems"]) == {"heuristic"}
    for text in (report, printed, repr(by_heuristic), json.dumps(by_heuristic.summary())):
        assert "which reads wording" in text
        assert "is better" not in text
    for name, content in paper.files().items():
        text = " ".join(content.decode().split())
        # CSV is numbers alone: that there is no interval and no p-value says it.
        assert "be used to choose a system" in text or name.endswith(".csv")


def test_a_value_that_no_labels_decide_is_said_beside_the_heuristics(store):
    metrics = ["trace", "answer_match"]
    first = evaluate(data("First", "In 1812."), metrics, store=store)
    second = evaluate(data("Second", "Bananas are blue and sing."), metrics, store=store)

    comparison = compare(first, second)

    sentence = comparison.sentence()
    assert sentence.startswith("First is better in answer match by 100.0 points (")
    assert sentence.endswith(
        "average and supported share: by the heuristic, which reads wording, not to be used to "
        "choose a system. Have an LLM judge 20 pairs: they tell how many it takes."
    )


def relabelled(store, results, share):
    """The run with labels of a judge for the first answers, as a hybrid has them."""
    rows = []
    for number in range(COUNT):
        row = store.results.get(results.run.id, *Cell(number))
        if number < share:
            [labelling] = row.score.evidence.labellings
            by_judge = labelling.model_copy(update={"by": "groq/judge"})
            evidence = row.score.evidence.model_copy(update={"labellings": (by_judge,)})
            score = row.score.model_copy(update={"evidence": evidence})
            row = row.model_copy(update={"score": score})
        rows.append(row)
    samples = tuple(store.samples.get(results.run.fingerprint, n) for n in range(COUNT))
    data = Dataset(name="hybrid", samples=samples)
    run = results.run.model_copy(update={"id": f"hybrid-{results.run.id}"})
    store.runs.put(run, data.samples, rows)
    return Results(run, store)


def test_of_a_hybrid_it_is_said_how_many_pairs_are_the_heuristics(store):
    first = relabelled(store, evaluate(data("a", "In 1812."), ["trace"], store=store), 20)
    second = relabelled(store, evaluate(data("b", "Sing."), ["trace"], store=store), COUNT)

    comparison = compare(first, second)

    assert comparison["adherence"].by_heuristic == 10
    assert comparison.sentence().startswith(
        "10 of 30 pairs are labelled by the heuristic, which reads wording: not to be used to "
    )
    assert comparison["adherence"].difference.p is None


def test_labels_of_a_judge_for_every_pair_count(store):
    first = relabelled(store, evaluate(data("a", "In 1812."), ["trace"], store=store), COUNT)
    second = relabelled(store, evaluate(data("b", "Sing."), ["trace"], store=store), COUNT)

    assert compare(first, second)["adherence"].because == ""


def judged(store, name, dataset, share_relevant, supported):
    """A run whose judge finds these."""
    values = [
        {"context_relevance": relevant, "adherence": adherence}
        for relevant, adherence in zip(share_relevant, supported, strict=True)
    ]
    return results(store, name, dataset, values, metric="gpt_labeling")


HIGH, LOW = [0.9, 0.8] * (COUNT // 2), [0.5, 0.6] * (COUNT // 2)
MOSTLY, SELDOM = [1.0] * 25 + [0.0] * 5, [0.0] * 20 + [1.0] * 10


def test_where_documents_are_the_same_relevance_is_the_labellers(store):
    first = judged(store, "Old", data("a", "Old {}."), LOW, SELDOM)
    second = judged(store, "New", data("b", "New {}."), HIGH, MOSTLY)

    comparison = compare(first, second)

    assert comparison.sentence().startswith("New is better in adherence by ")
    assert "relevance" not in comparison.sentence()
    relevance = comparison["context_relevance"]
    assert (relevance.because, relevance.difference.p) == ("documents", None)
    assert comparison.same_documents
    assert comparison.warnings == (
        "The documents are the same for all pairs: context relevance differs by the labeller, not "
        "by the system.",
    )
    # Holm counts the one value that is left.
    adherence = comparison["adherence"].difference
    assert adherence.adjusted == adherence.p


def test_where_one_document_of_the_last_pair_differs_relevance_is_the_systems(store):
    old = data("a", "Old {}.")
    new = data("b", "New {}.")
    last = new.samples[-1].model_copy(update={"retrieved_documents": ("Another.",)})
    new = new.model_copy(update={"samples": (*new.samples[:-1], last)})
    first = judged(store, "Old", old, LOW, MOSTLY)
    second = judged(store, "New", new, HIGH, MOSTLY)

    comparison = compare(first, second)

    assert not comparison.same_documents
    assert comparison.sentence().startswith("New is higher in context relevance by ")
    assert comparison.warnings[0].startswith("The documents of 1 of 30 samples differ")


def test_two_labellers_of_one_run_differ_and_neither_is_better(store):
    run = evaluate(data("True", "Mill {} was built in 1812."), ["trace"], store=store)

    comparison = compare(run, type(run)(run.run, store, "ragbench"))

    assert "better" not in comparison.sentence()
    assert comparison.same_answers


@pytest.mark.parametrize(("low", "high"), [(-0.003, 0.12), (0.0004, 0.12), (-0.12, -0.0004)])
def test_nothing_is_told_apart_over_an_interval_that_holds_0(low, high):
    pairs = [Pair(0.0, 1.0, number) for number in range(20)]
    difference = paired(pairs).model_copy(
        update={"low": low, "high": high, "difference": 0.058, "adjusted": 0.01}
    )

    assert not difference.is_told_apart
    assert "better" not in words.sentence("A", "B", [("adherence", difference)])


def test_a_difference_reads_the_same_in_sentence_and_table():
    first = [0.0] * 11 + [1.0] * 29
    second = [1.0] * 11 + [1.0] * 28 + [0.0]
    difference = paired(
        [Pair(ours, theirs, n) for n, (ours, theirs) in enumerate(zip(first, second, strict=True))]
    )

    table = words.in_points(difference)
    sentence = words.sentence("A", "B", [("adherence", difference)])

    # 11 of 40 won, 1 lost: 25 points; Tango's ends to a tenth.
    assert table.startswith("+25.0 (")
    ends = re.search(r"\(.*\)", table)[0]
    assert f"by 25.0 points {ends}." in sentence


@pytest.mark.parametrize("difference", [-0.0, -1e-17, -0.0004, 0.0004, 0.0])
def test_zero_has_no_sign(difference):
    own = paired([Pair(0.5, 0.5, 1), Pair(0.5, 0.5, 2)]).model_copy(
        update={"difference": difference, "low": -0.0001, "high": 0.0001}
    )

    assert words.in_points(own) == "0.0 (0.0 to 0.0)"


def test_a_value_that_no_pair_has_fills_its_row_of_every_table():
    assert words.cells(None) == ("–", "–", "none", "", "")
