"""`plumbline check`: what it prints of people's labels, and with which code it ends."""

import json
import re

import pytest

from evaluators import evaluate
from evaluators.datasets.bundled import TRACE_SAMPLES, bundled
from evaluators.errors import ParameterError
from evaluators.people.records import PersonLabel
from evaluators.records import Cell, Dataset
from evaluators.terminal.exit_codes import BELOW, CANNOT_TELL, FINE, WRONG
from evaluators.text.sentences import cut

CREATED = "2026-11-22T10:00:00+00:00"
DRAWN = {"created": CREATED, "drawn": "at random", "probability": 0.75, "blind": True}
LABELLED = 18


@pytest.fixture
def results():
    """The heuristic's labels of 24 answers; people find 18 of them supported in every sentence."""
    results = evaluate(TRACE_SAMPLES, "trace", progress=False)
    for position in range(LABELLED):
        sample = results.store.samples.get(results.run.fingerprint, position)
        sentences = cut(sample.response, sample.retrieved_documents).response
        labels = [
            PersonLabel(label="support", key=sentence.key, value="full", **DRAWN)
            for sentence in sentences
        ]
        done = PersonLabel(label="sample", value="done", **DRAWN)
        results.store.person_labels.save(results.run.id, Cell(position), *labels, done)
    return results


def test_a_check_prints_the_sentence_and_every_value(plumbline, results):
    found = plumbline("check", "last")
    value = results.correct().values[0]

    assert found.exit_code == FINE
    assert value.sentence in found.stdout
    row = next(line for line in found.stdout.splitlines() if line.startswith("adherence"))
    assert f"{value.judged:.2f}" in row
    assert f"{value.corrected.low:.2f} to {value.corrected.high:.2f}" in row
    assert "18 of 24" in row
    assert "context_relevance" in found.stdout


def test_agreement_beyond_chance_has_its_interval(plumbline, results):
    printed = plumbline("check", "last", "--against", "gold").stdout
    row = next(line for line in printed.splitlines() if line.startswith("adherence"))

    found = re.search(r"(\S+) \((\S+) to (\S+)\) *$", row)
    assert found
    kappa, low, high = map(float, found.groups())
    assert low < kappa < high


def test_json_has_the_same_for_programs(plumbline, results):
    found = json.loads(plumbline("check", "last", "--json").stdout)
    first = found["values"][0]

    assert (first["name"], first["labelled"], first["model"]) == ("adherence", 18, None)
    assert first["corrected"] == results.correct().values[0].corrected.model_dump()
    assert len(first["table"]["only_labeller"]) == 0


@pytest.mark.parametrize(
    ("least", "code", "said"),
    [
        (0.8, FINE, ""),
        (0.99, CANNOT_TELL, "which may be below the 0.99 asked for or not."),
    ],
)
def test_the_demand_is_on_the_whole_interval(plumbline, results, least, code, said):
    found = plumbline("check", "last", "--fail-under", f"adherence={least}")
    corrected = results.correct().values[0].corrected

    assert 0.8 < corrected.low < 0.99 < corrected.high
    assert found.exit_code == code
    assert said in found.stderr


def test_a_demand_on_a_value_without_labels_is_not_met(plumbline, results):
    found = plumbline("check", "last", "--fail-under", "completeness=0.1")

    assert found.exit_code == BELOW
    assert "completeness: not labelled, and at least 0.1 is asked for." in found.stderr


def test_a_name_that_no_value_has_is_a_slip(plumbline, results):
    found = plumbline("check", "last", "--fail-under", "adherance=0.5")

    assert found.exit_code == WRONG
    assert "There is no value adherance here. There are: adherence, " in found.stderr


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("people", "Nobody has labelled an answer of this run."),
        ("gold", "The data of this run have no labels."),
    ],
)
def test_without_labels_it_says_where_they_come_from(plumbline, against, message):
    evaluate([{"question": "?", "response": "It is.", "documents": ["It is."]}], "trace")
    found = plumbline("check", "last", "--against", against)

    assert found.exit_code == WRONG
    assert message in found.stderr


# In Python


def test_results_are_corrected_by_ones_own_labels(results):
    ids = [row.sample_id for row in results.rows()][:LABELLED]
    own = results.correct(dict.fromkeys(ids, True))

    assert own.values[0].corrected == results.correct().values[0].corrected
    value = own.values[0]
    assert str(own) == "\n".join(
        [own.sentence, *(f"  {note}" for note in (value.weighting, *value.warnings))]
    )
    with pytest.raises(ParameterError, match="No sample has the id"):
        results.correct({"nobody": True})


def test_a_labeller_is_tested_by_planted_errors(plumbline, results):
    found = plumbline("check", "last", "--planted")

    assert found.exit_code == FINE
    for words in ("A negation put in or taken out", "None: false alarms", "A courtesy line at"):
        assert words in found.stdout
    tested = json.loads(plumbline("show", "last", "--json").stdout)
    assert {one["kind"] for one in tested["changed_minds"]} == {"order", "length"}
    assert tested["planted_errors"][-1]["kind"] == "untouched"


def test_planted_errors_are_held_against_no_threshold(plumbline, results):
    found = plumbline("check", "last", "--planted", "--fail-under", "adherence=0.5")

    assert found.exit_code == WRONG
    assert "Leave it or --planted." in found.stderr


# Scores of other tools


SCORED = [
    {
        "question": f"How tall is tower {number}?",
        "response": "330 metres.",
        "contexts": ["The tower is 330 metres tall."],
        "faithfulness": score,
        "supported": supported,
    }
    for number, (score, supported) in enumerate([(0.9, 1), (0.2, 1), (0.4, 0), (0.1, 0)])
]


@pytest.fixture
def scored(data_folder):
    path = data_folder / "scored.json"
    path.write_text(json.dumps(SCORED), encoding="utf-8")
    return str(path)


def test_files_are_checked_without_a_run(plumbline, scored):
    found = plumbline("check", scored, "--against", "supported", "--of", "adherence", "--json")

    (column,) = json.loads(found.stdout)
    assert (column["scores"], column["name"], column["labelled"]) == (
        "faithfulness",
        "adherence",
        4,
    )
    # 0.9 is above both, 0.2 above one of two
    assert column["auroc"] == 0.75
    printed = plumbline("check", scored, "--against", "supported", "--of", "adherence").stdout
    assert "0.75" in printed
    assert "formula Sentence" in printed


def test_scores_of_the_data_stand_in_the_labeller_s_place(plumbline, data_folder):
    samples = bundled()[TRACE_SAMPLES].samples[:4]
    by_score = zip(samples, [0.9, 0.2, 0.4, 0.1], strict=True)
    scored = [one.model_copy(update={"scores": {"faithfulness": score}}) for one, score in by_score]
    evaluate(Dataset(name="Scored", samples=tuple(scored)), "trace", progress=False)

    found = plumbline("check", "last", "--scores", "faithfulness", "--against", "gold")
    unlabelled = plumbline("check", "last", "--scores", "faithfulness")

    assert found.exit_code == FINE
    assert "Adherence: faithfulness says 25 %; by 4 labels alone the labels of" in found.stdout
    assert "Nobody has labelled an answer of this run." in unlabelled.stderr


def test_what_does_not_fit_files_is_refused(plumbline, scored):
    assert plumbline("check", scored, "--fail-under", "adherence=0.5").exit_code == WRONG
    found = plumbline("check", "last", "--against", "supported")
    assert "give one run, against people or gold" in found.stderr
    asked = plumbline("check", scored, "--scores", "faithfulness", "--scale", "5")
    assert "Give it as 1:5 or wrong:right" in asked.stderr
