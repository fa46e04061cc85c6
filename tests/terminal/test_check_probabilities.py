"""How far a decision model's probabilities can be trusted, at every door but the page's."""

import json

import pytest

from evaluators import compare, evaluate
from evaluators.people.reliability import Outcome
from evaluators.records import Dataset, Labels, Sample, SentenceSupport, Support
from tests.loopback import Loopback
from tests.report.markup import Read

SAID = {
    "First": {"supported_a": 0.9, "supported_b": 0.8, "relevant_0a": 0.9, "used_0a": 0.7},
    "Second": {"supported_a": 0.6, "supported_b": 0.1, "relevant_0a": 0.3, "used_0a": 0.2},
}
"""By the question. Of each answer the first sentence alone is supported; the document of the first
question is relevant and used.
"""


def decide(text, name, options):
    (question,) = (own for own in SAID if f"{own}?" in text)
    return dict.fromkeys(options, 1 / len(options)) if options else SAID[question][name]


def dataset():
    support = (
        SentenceSupport(key="a", support=Support.FULL, supporting_keys=("0a",)),
        SentenceSupport(key="b", support=Support.NONE),
    )
    samples = [
        Sample(
            id=question,
            question=f"{question}?",
            response="Mina built it. It opened in 1931.",
            retrieved_documents=("Mina built the bridge.",),
            labels=Labels(relevant_keys=keys, utilized_keys=keys, sentence_support=support),
        )
        for question, keys in (("First", ("0a",)), ("Second", ()))
    ]
    return Dataset(name="<b>Bridges</b>", samples=tuple(samples))


@pytest.fixture
def results(monkeypatch):
    with Loopback(decide=decide) as server:
        monkeypatch.setenv("PLUMBLINE_CUSTOM_BASE_URL", server.base_url)
        yield evaluate(dataset(), "decisions", judge="custom/laya", progress=False)


OF_SUPPORT = ["4", "60 %", "75 %", "50 %", "35 %", "0.75"]
"""Mean of .9, .8, .6, .1; three are from 0.5 on; two are true; each is a tenth of its own, off by
.1, .8, .4, .1; of the four pairs .6 and .8 are in the wrong order.
"""


def test_python_has_every_figure(results):
    found = results.probabilities(against="gold").by_kind
    support = found["supported"]

    assert list(found) == ["supported", "relevant", "utilized"]
    assert (support.count, support.true, support.auroc) == (4, 0.5, 0.75)
    assert (support.expected, support.error) == pytest.approx((0.6, 0.35))
    assert support.at(0.5) == Outcome(hits=2, false_alarms=1, misses=0, rightly_left=1)
    # One error from above .1 to .6; with dear alarms it is better to miss one than to give one.
    assert support.cheapest() == 0.15
    assert support.cheapest(of_miss=1, of_alarm=5) == 0.85


def test_the_terminal_shows_whole_curve_and_thresholds(plumbline, results):
    printed = plumbline("check", "last", "--against", "gold").stdout
    rows = [line for line in printed.splitlines() if line.startswith("Supported (")]
    whole, *others = (row.removeprefix("Supported (sentences of the answer)") for row in rows)

    assert "\nProbabilities\n" in printed
    for number in OF_SUPPORT:
        assert number in whole
    assert [row.split()[:4] for row in others[:4]] == [
        ["0.10", "1", "0", "%"],
        ["0.60", "1", "100", "%"],
        ["0.80", "1", "0", "%"],
        ["0.90", "1", "100", "%"],
    ]
    half = next(row for row in others[4:] if row.split()[0] == "0.50")
    assert half.split() == ["0.50", "2", "of", "2", "0", "1", "of", "2", "1", "1", "from", "0.15"]


def test_json_has_the_same_for_programs(plumbline, results):
    found = json.loads(plumbline("check", "last", "--against", "gold", "--json").stdout)
    support, *others = found["probabilities"]

    assert (support["model"], support["kind"], support["count"]) == (None, "supported", 4)
    assert support["error"] == pytest.approx(0.35)
    assert [own["share"] for own in support["tenths"]] == [0, 1, 0, 1]
    assert support["thresholds"][10] == {
        "threshold": 0.5,
        "hits": 2,
        "false_alarms": 1,
        "misses": 0,
        "rightly_left": 1,
    }
    assert "said" not in support
    assert [own["kind"] for own in others] == ["relevant", "utilized"]


def test_a_notebook_shows_the_tables_without_a_script(results):
    found = results.probabilities(against="gold")
    read = Read(found._repr_html_())
    whole, tenths, thresholds = read.tables

    assert [cell.split(" (")[0] for cell in whole[1][1:7]] == OF_SUPPORT
    assert len(tenths) == 1 + 4 + 2 + 2
    assert len(thresholds) == 1 + 5 * 3
    assert {"script", "style"}.isdisjoint(tag for tag, _ in read.tags)
    assert str(found).count("\nSupported (") == 1 + 4 + 5


def test_a_labeller_without_probabilities_has_none(plumbline, results):
    other = evaluate(dataset(), "trace", progress=False)

    assert other.probabilities(against="gold").by_kind == {}
    assert str(other.probabilities(against="gold")) == ""
    assert (
        json.loads(plumbline("check", "last", "--against", "gold", "--json").stdout)[
            "probabilities"
        ]
        == []
    )
    assert "Probabilities" not in plumbline("check", "last", "--against", "gold").stdout


def test_people_s_labels_are_taken_unless_told_otherwise(results):
    assert results.probabilities().by_kind == {}


def test_a_notebook_shows_a_check_and_a_comparison_as_the_terminal_does(results):
    check = results.correct(against="gold")
    read = Read(check._repr_html_())
    comparison = compare(results, evaluate(dataset(), "trace", run="<script>", progress=False))
    compared = Read(comparison._repr_html_())

    # The page keeps a number and its unit on one line.
    assert check.sentence in read.text.replace("\xa0", " ")
    adherence = next(row for row in read.tables[0] if row[0] == "adherence")
    assert adherence[1] == "0.50"
    assert comparison.sentence() in compared.text.replace("\xa0", " ")
    assert compared.table("Value")
    for page in (read, compared):
        assert {"script", "style"}.isdisjoint(tag for tag, _ in page.tags)
