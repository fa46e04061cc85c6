"""RAGBench rows replayed as decisions: labels, probabilities, reliability and bill by hand."""

import json
import zlib
from collections import defaultdict

import pandas
import pytest

import evaluators
from evaluators import evaluate
from evaluators.exports.labels import label_lines
from evaluators.records import Support
from evaluators.runs.aggregate import View
from evaluators.runs.checks import checked
from evaluators.runs.probabilities import reliabilities
from tests.loopback import Loopback

ROWS = 60
WRONG = 15
"""Of a hundred probabilities, those that lie on the wrong side."""


def probability(question, name, is_true):
    """Above one half where the label is true, but for some; the same for the same sentence."""
    number = zlib.crc32(f"{question} {name}".encode())
    far = 0.5 + (number // 100 % 500) / 1000
    return round(far if is_true == (number % 100 >= WRONG) else 1 - far - 0.001, 4)


@pytest.fixture(scope="module")
def rows(check_data):
    (path,) = (check_data / "ragbench" / "hotpotqa").glob("validation*.parquet")
    return pandas.read_parquet(path).drop_duplicates("question").head(ROWS)


def said_of(row):
    """What the model says of a row, by its published labels."""
    unsupported = set(row.unsupported_response_sentence_keys)
    truths = {}
    for key, _ in row.response_sentences:
        truths[f"supported_{key.rstrip('.')}"] = key not in unsupported
    for document in row.documents_sentences:
        for key, _ in document:
            truths[f"relevant_{key}"] = key in set(row.all_relevant_sentence_keys)
            truths[f"used_{key}"] = key in set(row.all_utilized_sentence_keys)
    return {name: (probability(row.question, name, true), true) for name, true in truths.items()}


@pytest.fixture
def replayed(rows, check_data, tmp_path, monkeypatch):
    """The run, the forecast, and what was said of each question."""
    said = {row.question: said_of(row) for row in rows.itertuples()}

    def decide(text, name, options):
        question = max((own for own in said if own in text), key=len)
        return dict.fromkeys(options, 1 / len(options)) if options else said[question][name][0]

    path = tmp_path / "rows.parquet"
    rows.to_parquet(path)
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback1234567890abcdefghijklmnop")
    with Loopback(decide=decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        asked = {"judge": "openai/gpt-6-luna"}
        (forecast,) = evaluators.estimate(path, "decisions", **asked).judges
        yield evaluate(path, "decisions", progress=False, **asked), forecast, said


def test_labels_probabilities_reliability_and_bill_are_those_worked_out_by_hand(replayed):
    results, forecast, said = replayed
    view = results.read()
    by_hand = defaultdict(list)
    number = 0
    for _, sample, score in view.store.results.scored(view.run, 0):
        number += 1
        labels = score.evidence.counted.labels
        own = said[sample.question]
        for name, (likely, is_true) in own.items():
            kind, key = name.split("_")
            by_hand[kind].append((likely, is_true))
            if kind == "supported":
                assert labels.probabilities.supported[key] == likely
            elif kind == "relevant":
                assert labels.probabilities.relevant[key] == likely
                assert (key in labels.relevant_keys) == (likely >= 0.5)
            else:
                assert labels.probabilities.utilized[key] == likely
                assert (key in labels.utilized_keys) == (likely >= 0.5)
        for item in labels.sentence_support:
            is_full = own[f"supported_{item.key}"][0] >= 0.5
            assert (item.support is Support.FULL) == is_full
    assert number == ROWS

    line = json.loads(next(iter(label_lines(view, View()))))
    exported = line["labels"][line["labels_by"]]["probabilities"]
    first = said[line["question"]]
    assert {f"relevant_{key}": p for key, p in exported["relevant"].items()}.items() <= {
        name: likely for name, (likely, _) in first.items()
    }.items()

    found = reliabilities(view, against="gold")
    for kind, name in (("supported", "supported"), ("relevant", "relevant"), ("used", "utilized")):
        pairs = by_hand[kind]
        tenths = defaultdict(list)
        for likely, is_true in pairs:
            tenths[min(9, int(likely * 10))].append((likely, is_true))
        error = 0.0
        for own in tenths.values():
            mean = sum(likely for likely, _ in own) / len(own)
            share = sum(is_true for _, is_true in own) / len(own)
            error += len(own) * abs(mean - share) / len(pairs)
        true = [likely for likely, is_true in pairs if is_true]
        false = [likely for likely, is_true in pairs if not is_true]
        above = sum((a > b) + (a == b) / 2 for a in true for b in false)
        assert found[name].count == len(pairs)
        assert found[name].error == pytest.approx(error)
        assert found[name].auroc == pytest.approx(above / (len(true) * len(false)))
        assert found[name].expected == pytest.approx(sum(p for p, _ in pairs) / len(pairs))
        assert found[name].at(0.7).hits == sum(likely >= 0.7 for likely in true)

    # Adherence is as likely as the least likely sentence.
    least = {
        question: (
            min(likely for name, (likely, _) in own.items() if name.startswith("supported")),
            all(is_true for name, (_, is_true) in own.items() if name.startswith("supported")),
        )
        for question, own in said.items()
    }
    true = [likely for likely, is_true in least.values() if is_true]
    false = [likely for likely, is_true in least.values() if not is_true]
    above = sum((a > b) + (a == b) / 2 for a in true for b in false)
    value = next(own for own in checked(view, against="gold").values if own.name == "adherence")
    assert value.auroc == pytest.approx(above / (len(true) * len(false)))

    (bill,) = view.store.calls.spent(view.run.id).values()
    assert bill.calls == ROWS
    assert bill.cost == pytest.approx(forecast.cost_low, rel=0.05)
    assert forecast.cost_low == forecast.cost_high
