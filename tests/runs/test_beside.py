"""What stands beside a rate: other rules, answers that say nothing, the worst case, its noise."""

import html

import pytest

from evaluators import evaluate, for_paper
from evaluators.abilities import RGB_VALUES
from evaluators.records import Ability, Dataset, RGBTask, Sample
from evaluators.report.run_report import run_report
from evaluators.runs import findings, rgb_figures, shown_values
from evaluators.runs.aggregate import Mean, NoisePoint, View
from evaluators.runs.run_view import RunView


def planted(*responses):
    """Planted errors with these answers, each to a question of its own."""
    samples = [
        Sample(
            id=str(number),
            question=f"Where is tower {number}?",
            response=response,
            retrieved_documents=("The tower is in Rome.",),
            ground_truth="Paris",
            rgb=RGBTask(ability=Ability.COUNTERFACTUAL, counterfactual="Rome"),
        )
        for number, response in enumerate(responses)
    ]
    return Dataset(name="planted", samples=tuple(samples))


# “However” notices by the documented rules; the paper's script wants “factual errors”.
HOWEVER = "However, it is in Rome."
NOTICED = "There are factual errors in the provided documents. It is in Rome."
ANSWERS = [HOWEVER, HOWEVER, HOWEVER, NOTICED, "It is in Rome.", "It is in Rome."]


@pytest.fixture
def results(store):
    return evaluate(planted(*ANSWERS), "rgb", store=store, progress=False)


def test_where_the_rules_differ_in_more_than_two_verdicts_a_rate_says_both(results, tmp_path):
    mean = results.summary()["error_detection"]
    assert mean.mean == 4 / 6
    assert "by the paper's rule 17 %" in repr(results)
    assert (mean.other_rules.rules, mean.other_rules.mean) == ("paper", 1 / 6)
    report = html.unescape(results.report(tmp_path / "r.html").read_text())
    assert "by the paper's rule 17 %" in report.replace("\u00a0", " ")
    latex = {path.name: path for path in for_paper(results, tmp_path)}["values.tex"]
    assert "Error detection (\\%): by the paper's rule 17 \\%" in " ".join(
        latex.read_text().split()
    )
    rows = {"": results.rows()}
    assert findings.sentence_of_values(rows, RGB_VALUES) == (
        "The tested model notices 67 % (30 to 90; by the paper's rule 17 %) of the planted errors."
    )


def test_by_the_papers_rules_it_names_those_documented(results):
    mean = results.under(policy="paper").summary()["error_detection"]

    assert mean.mean == 1 / 6
    assert shown_values.beside(mean) == ["by the documented rule 67 %"]


def test_of_two_verdicts_nothing_is_said(store):
    results = evaluate(planted(*ANSWERS[1:]), "rgb", store=store, progress=False)

    assert results.summary()["error_detection"].other_rules is None
    assert "rule" not in repr(results).partition("\n")[2]


@pytest.mark.parametrize(
    ("empty", "words"),
    [(1, "1 empty answer counts as wrong"), (2, "2 empty answers count as wrong")],
)
def test_empty_answers_are_wrong_and_counted(store, empty, words):
    answers = ["It is in Paris."] * 2 + [" ", "<think>Hm.</think>"][:empty]
    results = evaluate(planted(*answers), "rgb", store=store, progress=False)

    mean = results.summary()["error_correction"]
    assert (mean.mean, mean.scored, mean.failed) == (2 / (2 + empty), 2 + empty, 0)
    assert words in repr(results)


FEW = Mean(mean=1.0, low=0.8, high=1.0, asked=60, scored=17, failed=43)


def test_under_80_percent_checked_there_is_no_headline_but_the_worst_case():
    assert shown_values.beside(FEW) == ["if all that failed were wrong: 28 %"]
    assert shown_values.beside(FEW.model_copy(update={"failed": 3})) == [
        "if all that is missing were wrong: 28 %"
    ]
    assert shown_values.beside(FEW.model_copy(update={"asked": 21, "failed": 4})) == []


def test_a_headline_of_few_answers_says_how_many_there_are(store):
    texts = ["It is in Paris."] * 3 + [None] * 2
    results = evaluate(planted(*texts), "rgb", store=store, progress=False)

    assert findings.sentence_of_values({"": results.rows()}, RGB_VALUES) == (
        "Too few answers are checked for a headline: 3 of 5, 2 failed; if all that failed were wrong: "
        "0 %."
    )


def test_so_it_is_with_trace(store):
    rows = [
        {"question": "Where?", "response": text, "retrieved_documents": ["It is in Paris."]}
        for text in ("It is in Paris.", "It is in Paris.", None, None)
    ]
    results = evaluate(rows, "trace", store=store, progress=False)

    view = RunView.read(store, results.run)
    # Of the heuristic nothing is counted, so there is no worst case either.
    [finding] = findings.of_run(view, View())
    assert finding.sentence == ("Too few answers are checked for a headline: 2 of 4, 2 failed.")
    assert "Too few answers are checked" in run_report(view)


@pytest.mark.parametrize(
    ("asked", "had", "words"),
    [
        (0.6, 0.53, "asked 60 % (had 53 %)"),
        (0.6, 0.6, "60 %"),
        (0.6, 0.6000000000000001, "60 %"),
        (0.2, None, "20 %"),
    ],
)
def test_noise_asked_for_and_noise_had_are_both_named(asked, had, words):
    assert rgb_figures.noise_named(NoisePoint(noise=asked, effective_noise=had, mean=FEW)) == words


def test_noise_in_a_file_has_no_tail_of_digits(store, tmp_path):
    samples = [
        Sample(
            id=str(number),
            question=f"Where is {number}?",
            response="Paris",
            ground_truth="Paris",
            rgb=RGBTask(ability=Ability.NOISE, noise=0.2, effective_noise=share),
        )
        for number, share in enumerate((0.1, 0.7, 0.1, 0.7, 0.8))  # 0.4800000000000001 as a sum
    ]
    data = Dataset(name="noise", samples=tuple(samples))
    results = evaluate(data, "rgb", store=store, progress=False)

    files = {path.name: path for path in for_paper(results, tmp_path)}
    assert ",0.48," in files["accuracy_by_noise.csv"].read_text("utf-8-sig")
    for name in ("accuracy_by_noise.md", "accuracy_by_noise.tex"):
        text = files[name].read_text().replace("\\", "")
        assert "asked 20 % (had 48 %)" in text
