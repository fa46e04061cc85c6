"""A metric of one's own is one file: what it declares of its values stands at every door."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from evaluators import compare, evaluate, for_paper
from evaluators.api.results import Results
from evaluators.records import Ability, Dataset, RGBTask, Sample
from evaluators.runs import label_queues
from evaluators.runs.glossary import term_of
from evaluators.runs.run_view import RunView
from evaluators.terminal.cli import main
from tests.pages.screen import lines, markdown
from ui import session
from ui.label.answer import question_of_value

METRIC = """
from plumbline import Evaluator, RuleEvidence, Sample, Score, Value, Verdict, evaluator

VALUES = [
    Value(
        "hedged",
        title="Hedges",
        meaning="share of answers that say they are not sure",
        verdict="Says that it is not sure",
        verb="hedged",
        headline="{model} hedges in {rate} of its answers",
        headline_in_noise="{model} hedges in {rate} of its answers",
        over_noise=True,
        advice="Ask for plain answers.",
    )
]


@evaluator("hedges_somewhere", title="Hedging", needs=("response",), values=VALUES)
class Hedging(Evaluator):
    \"\"\"Whether an answer says that it is not sure.\"\"\"

    def score(self, sample: Sample) -> Score:
        words = tuple(word for word in ("may", "perhaps") if word in sample.response.split())
        verdict = Verdict(bool(words), "a hedge", words)
        evidence = RuleEvidence(verdicts={"hedged": verdict})
        return Score(values={"hedged": float(verdict.passed)}, evidence=evidence)
"""
SURE, UNSURE = "It opened in 1931.", "It may have opened in 1931."


def sample(number: int, noise: float, response: str) -> Sample:
    return Sample(
        id=f"{number}-{noise:g}",
        question=f"Question {number}?",
        response=response,
        retrieved_documents=("The mill opened in 1931.",),
        ground_truth="1931",
        rgb=RGBTask(ability=Ability.NOISE, noise=noise, effective_noise=noise),
    )


def mills() -> Dataset:
    """Six questions without noise, of which one is hedged, and with 80 %, of which three are."""
    answers = {0.0: [UNSURE] + [SURE] * 5, 0.8: [UNSURE] * 3 + [SURE] * 3}
    samples = [
        sample(number, noise, response)
        for noise, own in answers.items()
        for number, response in enumerate(own)
    ]
    return Dataset(name="mills", samples=tuple(samples))


@pytest.fixture
def results(data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    folder = tmp_path / "custom"
    folder.mkdir()
    (folder / "hedges_somewhere.py").write_text(METRIC, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_CUSTOM_DIR", str(folder))
    return evaluate(mills(), "hedges_somewhere", store=session.store(), progress=False)


# 3 of 6 with noise, 1 of 6 without
HEADLINE = (
    "With 80 % noise the tested model hedges in 50 % (19 to 81) of its answers; with no noise 17 %."
)


def plain(at: AppTest) -> str:
    """What a page says as Markdown, without escapes."""
    texts = "\n".join(markdown(at)).replace("\N{NO-BREAK SPACE}", " ")
    return re.sub(r"\\(\W)", r"\1", texts)


def test_a_page_has_headline_curve_title_and_meaning(open_page, results):
    at = open_page("metrics", run=results.run.id)

    shown = plain(at)
    assert HEADLINE in shown
    assert [line.title for line in lines(at)] == ["Hedges"]
    assert "Hedges by noise" in [own.value for own in at.subheader]


def test_a_sample_shows_the_verdict_with_its_words(open_page, results):
    at = open_page("sample", run=results.run.id, sample="1")

    shown = plain(at)
    assert "Says that it is not sure: yes." in shown
    assert "a hedge: “may”" in shown


def test_files_have_them(results, tmp_path):
    report = html.unescape(results.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    report = report.replace("\N{NO-BREAK SPACE}", " ")
    names = {path.name for path in for_paper(results, tmp_path / "paper")}

    assert HEADLINE in report
    assert "share of answers that say they are not sure" in report
    assert "Says that it is not sure: yes. a hedge: “may”" in report
    assert {"hedges_by_noise.svg", "accuracy_by_noise.tex"} <= names
    assert "Hedges" in (tmp_path / "paper" / "values.tex").read_text(encoding="utf-8")


def test_people_are_asked_for_it_and_the_glossary_explains_it(results):
    view = RunView.read(session.store(), results.run)
    term = term_of("hedged")

    assert label_queues.asked_values(view, 0) == ("hedged",)
    assert question_of_value(results.run, 0, "hedged") == "Says that it is not sure?"
    assert term is not None
    assert (term.title, term.advice) == ("Hedges", "Ask for plain answers.")


def test_python_terminal_check_and_compare_name_it(results):
    labels = {f"{number}-0": 0.0 for number in range(6)}
    again = evaluate(mills(), "hedges_somewhere", store=session.store(), progress=False)
    shown = CliRunner().invoke(main, ["show", results.run.id])

    assert results.summary()["hedged"].mean == 4 / 12
    assert "hedged" in shown.output
    assert [value.name for value in results.correct(labels).values] == ["hedged"]
    assert [value.name for value in compare(results, again).values] == ["hedged"]
